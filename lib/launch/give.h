/* give.h - a launch as a task's payload, and how its kernel gets its arguments. */
#ifndef HETERO_LIB_LAUNCH_GIVE_H
#define HETERO_LIB_LAUNCH_GIVE_H

#include <stddef.h>

#include "kernel/signature.h"
#include "launch/args.h"
#include "launch/range.h"

/** One parameter as clSetKernelArg wants it. */
struct het__bound_arg {
	size_t bytes;
	union {
		const void *value; /* NULL: local memory, or a NULL pointer's place */
		cl_mem mem;
	} u;
	bool is_mem;
	unsigned char arg;         /* the argument's number */
	unsigned char at;          /* the parameter's */
};

/** A task's payload. A launch that is submitted at once gives its arguments to the kernel right away, and its
 * range is the caller's; a held launch keeps both until it is submitted, the bytes of values behind `arg`. */
struct het__launch {
	het_kernel *kernel;
	struct het__kernel_on *on;
	const struct het__range *range; /* good until it is submitted */
	uint64_t written; /* bit i: argument i is; the task's first holders are their values, in this order */
	int kept;         /* parameters in `arg` */
	unsigned short size, piece; /* as in struct het__work; side by side in both, they are copied as one */
	uint64_t items;   /* work-items; 0: not timed */
	struct het__range kept_range; /* from here on only when it is held back */
	struct het__bound_arg arg[];
};
#define HET__SUBMITTED_AT_ONCE offsetof(struct het__launch, kept_range) /* bytes */

/** Blocks have been freed since the kernel got them: others may have come where they were. */
void het__launch_forget_blocks(struct het__kernel_on *on, const het_system *system);
/** Gives the kernel an array that it was not given the last time. */
het_status het__launch_give_anew(const struct het__launch *launch, const struct het__args *all,
				 const struct het__access *access);
/** Gives it what is no array, where that has changed. */
het_status het__launch_give_others(const struct het__launch *launch, const struct het__args *all);

/** Gives the kernel its arguments. OpenCL's kernels keep them, so only those that have changed are given.
 *  Inline, as this is what most launches do. */
static inline het_status het__launch_give(const struct het__launch *launch, const struct het__args *all)
{
	struct het__kernel_on *const on = launch->on;

	if (on->given_at != all->system->buffers_freed)
		het__launch_forget_blocks(on, all->system);
	for (int i = 0; i < all->count; i++) {
		const struct het__access *const a = &all->access[i];
		const struct het__given *const last = &on->given[a->arg];
		het_status st;

		if (last->block == a->store->block && last->offset == a->offset_bytes &&
		    last->bytes == a->bytes)
			continue;
		st = het__launch_give_anew(launch, all, a);
		if (st)
			return st;
	}
	return all->has_others ? het__launch_give_others(launch, all) : HET_OK;
}

/** Keeps arguments and range in the task's payload for later. This may move the payload. */
het_status het__launch_keep(struct het__task *task, const struct het__args *all, const het_device *device);
/** Gives the kernel the arguments that were kept. */
het_status het__launch_give_kept(const struct het__launch *launch, const struct het__lane *lane);

#endif
