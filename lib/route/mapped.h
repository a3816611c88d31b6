/* mapped.h - the tasks of a copy by mapping a device's buffer.
 *
 * A buffer is mapped by its device's queue, the bytes are moved by another queue or by a thread of the host,
 * and the buffer is unmapped by its device's queue: these cannot be one task, for a task belongs to one lane.
 * Each step waits for all before it. The array room orders and enters them (carry.c).
 *
 * The source is mapped where it is a device's, else the target. What is mapped is one range of bytes.
 */
#ifndef HETERO_LIB_ROUTE_MAPPED_H
#define HETERO_LIB_ROUTE_MAPPED_H

#include "route/route.h"

struct het__step {
	const struct het__task_ops *ops;
	bool at_mapped; /* in the queue of the mapped buffer's device */
	bool reads;     /* the source's value */
	bool puts;      /* when it has ended the target has the bytes */
	bool always;    /* also when a step before it failed */
};

#define HET__STEPS_MOST 4

/** What the steps of one copy share. It goes with the last of their tasks, which unmaps what is still mapped:
 *  for want of memory the step that does may never have been made. */
struct het__mapping;

/** [offset, offset + bytes) of the block that is mapped. `lane` is its device's. */
het_status het__mapping_new(const struct het__copy *copy, size_t offset, size_t bytes, struct het__lane *lane,
                            struct het__mapping **mapping_p);
void het__mapping_release(struct het__mapping *mapping);
/** The next step cannot be started, and none that puts has been: the buffer is unmapped now, or will not be
 *  mapped, and the steps that have been started do nothing. */
void het__mapping_give_up(struct het__mapping *mapping);

/** The steps of a copy, in order. */
const struct het__step *het__mapping_steps(const struct het__copy *copy, int *count_p);
/** The side of the copy that is mapped. */
struct het__block *het__mapping_block(const struct het__copy *copy);
/** The lane of a step. */
het_status het__mapping_lane(const struct het__copy *copy, const struct het__step *step,
                             struct het__lane **lane_p);
/** Makes the task of a step; not started. */
het_status het__mapping_task(struct het__mapping *mapping, const struct het__step *step, struct het__lane *lane,
                             struct het__task **task_p);

#endif
