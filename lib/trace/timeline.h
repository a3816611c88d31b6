/* timeline.h - the file of a timeline: a JSON array of events, as Chrome's trace event format has it.
 *
 * The file is complete after every write: each one puts its events over the closing bracket and a new bracket
 * behind them. Events gather in memory, up to a limit, and are written by threads that hold no lock of a
 * system. What there is no memory for is dropped and counted, and the file says how many.
 *
 * The systems of a process share their files: those that name the same one write into it, each under a number
 * of its own. Other processes are kept out by a lock on the file.
 */
#ifndef HETERO_LIB_TRACE_TIMELINE_H
#define HETERO_LIB_TRACE_TIMELINE_H

#include "base/text.h"

struct het__timeline;

/** Opens (and empties, unless this process has written it) the file at `path`, where %p stands for the
 *  number of the process. Returns NULL where it cannot be written, with *reason. *number_p: of the system in
 *  the file, from 1. Ownership: het__timeline_close. */
struct het__timeline *het__timeline_open(const char *path, int *number_p, const char **reason);
void het__timeline_close(struct het__timeline *timeline);
/** For messages. */
const char *het__timeline_path(const struct het__timeline *timeline);

/** Begins an event, or several that belong together, under the file's own lock; what is added is JSON
 *  objects with commas between them. het__timeline_end: false where they had to be dropped. */
struct het__text *het__timeline_begin(struct het__timeline *timeline);
bool het__timeline_end(struct het__timeline *timeline);
/** Counts an event as dropped that could not be begun, for want of memory. */
void het__timeline_drop(struct het__timeline *timeline);
/** A number that no other arrow of the file has. */
uint64_t het__timeline_arrow(struct het__timeline *timeline);

/** The next flush is to write, however little there is. */
void het__timeline_hurry(struct het__timeline *timeline);
/** Writes what is to be written: much, old, in a hurry, or (`all`) anything. Waits for the disk: without a
 *  system's lock. Returns NULL, or once the reason why nothing can be written any more. */
const char *het__timeline_flush(struct het__timeline *timeline, bool all);

#endif
