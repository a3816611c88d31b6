/* inside.h - what the files of the task room share with each other only. */
#ifndef HETERO_LIB_TASK_INSIDE_H
#define HETERO_LIB_TASK_INSIDE_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/env.h"
#include "task/emit.h"
#include "task/task.h"

/** Makes room for one more element: 0, or -1 without memory. */
#define HET__VEC_GROW(vec) \
	((vec).count < (vec).room ? 0 : het__grow(&(vec).at, &(vec).room, (vec).count + 1, sizeof *(vec).at))

/** Slots for tasks, made by the slab and neighbours in memory. They are never freed before the system: a stale
 *  reference may always be looked at (T5). */
#define HET__SLAB 32
struct het__slab {
	struct het__task slot[HET__SLAB];
};

/** Sees to it that the first free slot is there and its payload has room: 0, or -1 without memory. */
int het__slot_make(struct het__tasks *tasks, size_t payload_bytes);
/** Gives a slot a larger payload; what is there stays. 0, or -1 without memory. */
int het__slot_payload(struct het__task *task, size_t bytes);
/** Fetches what most tasks need of a slot into the cache. Slots are used in turn, so each has left the cache
 *  by its next use. NULL is allowed. */
static inline void het__slot_prefetch(const struct het__task *task)
{
	const size_t bytes = offsetof(struct het__task, own_payload) + HET__CACHE_LINE;

#pragma GCC unroll 8
	for (size_t at = 0; at < bytes; at += HET__CACHE_LINE)
		__builtin_prefetch((const char *)task + at, 1);
}
static inline void het__slot_give_back(struct het__tasks *tasks, struct het__task *task)
{
	task->next = tasks->free;
	tasks->free = task;
}
/** A slot keeps the memory that it once needed, up to these sizes. It gives larger memory back with its task,
 *  or a program that gave functions 4 MiB (HET_BYTES) would have 4 MiB in every slot some day. */
#define HET__PAYLOAD_KEPT 4096 /* bytes */
#define HET__ELEMENTS_KEPT 64  /* of a vector */
void het__slot_trim(struct het__task *task);
void het__slots_free(struct het__tasks *tasks);
/** Slot number i of all, free ones too: 0 <= i < het__slots_count. */
static inline int het__slots_count(const struct het__tasks *tasks)
{
	return tasks->slabs.count * HET__SLAB;
}
static inline struct het__task *het__slot(const struct het__tasks *tasks, int i)
{
	return &tasks->slabs.at[i / HET__SLAB]->slot[i % HET__SLAB];
}

/** Makes room for `need` elements in a vector of the task's, which begins at `own` (NULL: nowhere): 0, or -1
 *  without memory. */
int het__slot_grow(struct het__task *task, const void *own, void *items_p, int *room, int need, size_t size);
#define HET__SLOT_GROW(task, own, vec)                                                                  \
	((vec).count < (vec).room                                                                       \
	         ? 0                                                                                    \
	         : het__slot_grow((task), (own), &(vec).at, &(vec).room, (vec).count + 1, sizeof *(vec).at))

/** A submitted task failed of this cause, or of that of something it reads. */
void het__task_blame(struct het__task *task, struct het__failure *cause);

/** Puts a task that nothing blocks any more where het__tasks_progress finds it. */
void het__task_ready(struct het__task *task);

/** The task has finished, with or without a cause: tells everybody and frees the slot. */
void het__task_end(struct het__task *task);

/** Frees a lane without tasks and thread, and its queues. */
void het__lane_drop(struct het__lane *lane);

/** What has become of a command. Where the driver does not say, waits for its end, with the lock
 *  (see lib/system/system.h), and asks again, so that no memory is taken back that the command still uses. If
 *  the driver still does not say, the command counts as failed. */
enum het__event_state het__lane_ask(struct het__lane *lane, cl_event event, int *code);

/** Which task's last event tells of this one's end: itself, or for a quiet one the next that is not; NULL if
 *  there is none yet. */
struct het__task *het__task_teller_behind(struct het__task *task);
static inline struct het__task *het__task_teller(struct het__task *task)
{
	return task && task->quiet ? het__task_teller_behind(task) : task;
}
/** That event; NULL where nobody tells, or the task has no commands. */
cl_event het__task_event(struct het__task *task);
/** The event to wait for on the way to a submitted task's end: one that tells of the task, or, if there can be
 *  none, of the lane's head, which ends before it. It may be new: flush the lane before the wait. NULL: the
 *  head has no event, and has ended. */
cl_event het__task_wanted(struct het__task *task);

/** Ends the first task of a device's lane if it is seen to have finished; false if not, or there is none. */
bool het__lane_end_first(struct het__lane *lane);

/** Sleeps until some task ends or starts, or until the host's clock shows `until_ns` (0: without end). */
void het__tasks_sleep(het_system *system, uint64_t until_ns);
/** Waits until fewer than half of HET__BEHIND_MOST tasks are behind users' functions, as long as these end. */
void het__tasks_wait_for_functions(het_system *system);

/** A caller is about to wait: devices that do not answer meanwhile are reported (overdue.c). */
void het__overdue_watch(het_system *system);
/** Ends that. With `stop` set; without the lock. */
void het__overdue_stop(struct het__tasks *tasks);

/** How long to wait at most for what may never come, also where HETERO_PATIENCE is 0. */
static inline int64_t het__patience_ns(const het_system *system)
{
	return system->patience_ns > 0 ? system->patience_ns : HET__PATIENCE_S * 1000000000;
}

/** Should the program end without het_close, it waits for the devices of this system (ending.c). */
void het__ending_enlist(het_system *system, struct het__tasks *tasks);
/** Ends that. Without the lock. */
void het__ending_delist(struct het__tasks *tasks);

/** A lane's waiter or worker, started when first needed. */
het_status het__lane_watch(struct het__lane *lane);
void *het__lane_work(void *lane);

#endif
