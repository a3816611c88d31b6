/* log.h - log lines, to stderr or to the user's callback.
 *
 * Lines may be made with the system's lock held; the user's callback must not run then. So a callback's
 * lines wait in the logger until het__log_flush, which is called right after the lock is released.
 */
#ifndef HETERO_LIB_BASE_LOG_H
#define HETERO_LIB_BASE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>

#include <hetero/system.h>

struct het__logger;

/** The words of $HETERO_LOG. */
#define HET__LOG_WORDS "levels: error, warn, info, debug, trace; topics: system, kernel, task, route, spread"
/** Moves *list past its next word that is none of them, which is returned with its length; NULL: no more. */
const char *het__log_unknown(const char **list, size_t *length);

/** `fn` NULL: stderr, and in place of `level` counts $HETERO_LOG: a comma-separated list of a level (error,
 *  warn, info, debug, trace; warn when none is given) and topics ("system", "kernel", "task", "route",
 *  "spread") that are shown at every level. Its unknown words are reported once. NULL without memory. */
struct het__logger *het__logger_new(het_log_fn fn, void *user, enum het_log_level level);
void het__logger_free(struct het__logger *logger); /* flushes; NULL is allowed */

/** True when a line of this level and topic goes anywhere: ask before making expensive ones. */
int het__log_wants(const struct het__logger *logger, enum het_log_level level, const char *topic);

/** Logs one line; a text with newlines becomes several. On stderr it reads "hetero: warn: [topic] text"; the
 *  callback gets "[topic] text". Any thread; never waits for the callback; drops lines (and says how many)
 *  when 1000 are waiting, and those that the callback causes while it handles one that it caused. `logger`
 *  NULL: nothing happens, here and in the other functions. */
void het__log(struct het__logger *logger, enum het_log_level level, const char *topic, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** Between defer and resume, which nest, this thread hands no lines out, because it has a lock that the
 *  callback might want; other threads may. */
void het__log_defer(void);
void het__log_resume(void);
bool het__log_is_deferred(void);

/** A flag, true while lines wait for het__log_flush. Read with acquire order. */
const atomic_bool *het__log_news(const struct het__logger *logger);
/** Hands waiting lines to the callback, one at a time and in order. While another thread (or a caller
 *  further up the stack) does so, the lines are left to it and the call returns at once. Without any
 *  library lock. Cheap when there are none. */
void het__log_flush(struct het__logger *logger);

#endif
