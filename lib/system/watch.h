/* watch.h - the hook by which the rooms below tell what happens: HETERO_TRACE, HETERO_STATS, HETERO_LOG=task.
 *
 * Where system->watch is NULL nobody watches, and only the inline functions run, a look at that pointer. The
 * others are in lib/trace. They never wait, never fail and change nothing; what they cannot keep for want of
 * memory they leave out. Called with the system's lock but where a comment says otherwise.
 */
#ifndef HETERO_LIB_SYSTEM_WATCH_H
#define HETERO_LIB_SYSTEM_WATCH_H

#include "system/system.h"

struct het__task;
struct het__access;
struct het__block;
struct het__box;

/** Reads the environment. The last step of opening, before any device is used. Without the lock. */
void het__watch_open(het_system *system);
/** From now on this process's systems heed neither HETERO_TRACE nor HETERO_STATS. For tools that look at the
 *  machine beside programs: the two name files of programs, and queues are to be as programs have them. */
void het__watch_only_log(void);
/** A device was opened: its clock is looked at. Without the lock; waits. */
void het__watch_device_now(het_device *device);
static inline void het__watch_device(het_device *device)
{
	if (device->system->watch)
		het__watch_device_now(device);
}
/** Everything has ended: the table, and the last of the timeline. Without the lock. */
void het__watch_close_now(het_system *system);
static inline void het__watch_close(het_system *system)
{
	if (system->watch)
		het__watch_close_now(system);
}
/** The system is being freed, and no other thread has to do with it any more. */
void het__watch_free_now(het_system *system);
static inline void het__watch_free(het_system *system)
{
	if (system->watch)
		het__watch_free_now(system);
}

/** The lock was dropped: writes what should not wait for more. Without the lock. */
void het__watch_flush(het_system *system);

/* ---- tasks ------------------------------------------------------------------------------------- */

/** A task was started, and these are its accesses, of which directories and hazards do not know yet. */
void het__watch_start(struct het__task *task, const struct het__access *access, int count);
/** It has ended; its events and its payload are still there. */
void het__watch_end(struct het__task *task);
/** A kernel has taken so long. */
void het__watch_kernel_time(het_system *system, const char *kernel, uint64_t ns);

/* ---- who made what ----------------------------------------------------------------------------- */

/** The host itself has written a box of a block. */
void het__watch_host_write(het_system *system, struct het__block *block, const struct het__box *box);
/** The block goes, and with it what was kept in block->makers (not NULL). */
void het__watch_forget(struct het__block *block);

/* ---- what a thread is doing -------------------------------------------------------------------- */

/** A call of the public face, for as long as it may wait or start transfers; lies on the caller's stack.
 *  They nest. Texts that are no arrays are static. */
struct het__doing {
	het_system *system; /* NULL: nobody watches */
	struct het__doing *outer;
	const char *call;   /* "het_map" */
	const char *verb;   /* "reads": why it moves what it moves */
	char subject[48];   /* a kernel, an array; may be "" */
	int arg;            /* number of the argument that is looked after, or -1 */
	char awaited[96];   /* what it waited for */
	uint64_t since_ns, until_ns; /* from the first wait to the end of the last; 0: none */
};
void het__doing_begin(struct het__doing *doing, het_system *system, const char *call, const char *verb,
                      const char *subject);
/** The call is over: nothing is said of its thread any more. */
void het__doing_finish(struct het__doing *doing);
static inline void het__doing(struct het__doing *doing, het_system *system, const char *call, const char *verb,
			      const char *subject)
{
	doing->system = NULL;
	if (system->watch)
		het__doing_begin(doing, system, call, verb, subject);
}
static inline void het__doing_end(struct het__doing *doing)
{
	if (doing->system)
		het__doing_finish(doing);
}
/** From now on the thread's call looks after this argument. */
void het__doing_arg(const het_system *system, int arg);

/** The thread waits for a task. The lock is dropped between the two. */
void het__watch_pause(het_system *system, const struct het__task *task);
void het__watch_resume(het_system *system);

#endif
