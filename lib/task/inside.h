/* inside.h - what the files of the task room share with each other only. */
#ifndef HETERO_LIB_TASK_INSIDE_H
#define HETERO_LIB_TASK_INSIDE_H

#include "base/alloc.h"
#include "task/emit.h"
#include "task/task.h"

/** Makes room for one more element: 0, or -1 without memory. */
#define HET__VEC_GROW(vec) \
	((vec).count < (vec).room ? 0 : het__grow(&(vec).at, &(vec).room, (vec).count + 1, sizeof *(vec).at))

/** Puts a task that nothing blocks any more where het__tasks_progress finds it. */
void het__task_ready(struct het__task *task);

/** Submits now: all it waits for in other contexts has ended. On an error nothing was enqueued. */
het_status het__task_submit(struct het__task *task);

/** The task has finished, with or without a cause: tells everybody and frees the slot. */
void het__task_end(struct het__task *task);

/** What has become of a command. Where the driver does not say, its end is waited for, with the lock
 *  (see lib/system/system.h), and it is asked again: rather that than to take back memory that it still uses.
 *  Asked in vain it counts as failed. */
enum het__event_state het__lane_ask(struct het__lane *lane, cl_event event, int *code);

/** A lane's waiter or worker, started when first needed. */
het_status het__lane_watch(struct het__lane *lane);
void *het__lane_work(void *lane);

#endif
