/* launch.h - one launch on one device, step by step: what het_launch does in one go, and het_spread for each of
 * its parts. */
#ifndef HETERO_LIB_LAUNCH_LAUNCH_H
#define HETERO_LIB_LAUNCH_LAUNCH_H

#include "launch/args.h"
#include "launch/range.h"

/** Which piece of a device's part of a spread is launched. */
enum het__piece { HET__WHOLE, HET__INTERIOR, HET__EDGE };

/** What is launched where. */
struct het__work {
	het_kernel *kernel;
	het_device *device;
	const struct het_range *given; /* the range, for mappers; borrowed */
	struct het__kernel_on *on;
	struct het__range range;       /* the same as OpenCL has it */
	bool checked;                  /* the arguments have passed het__arg_check */
	bool balanced;                 /* shares follow the time that it takes */
	unsigned short size;           /* of the spread (kernel/pace.h), if this launch tells how fast the
	                                  kernel is; 0: it does not */
	unsigned short piece;          /* enum het__piece */
};

/** Opens the device, builds the kernel for it, checks the range: kernel, device and given are set, and nobody
 *  frees the kernel (het__kernel_on). Without the lock. */
static inline het_status het__work_prepare(struct het__work *work)
{
	het_status st = het__device_open(work->device);

	if (!st)
		st = het__kernel_on(work->kernel, work->device, &work->on);
	if (!st)
		st = het__range_resolve(work->given, work->kernel, work->device, work->on, &work->range);
	return st;
}

/** Checks the arguments and finds existing stores; changes nothing. With the lock, as all that follows. */
het_status het__work_resolve(const struct het__work *work, const struct het_arg *args, int count,
			     struct het__args *all);

/** Checks the arguments, makes the stores that are missing, and fetches what is read. No value changes.
 *  For an empty range it only checks. May wait: all->waited, which the caller has cleared, is then set. */
het_status het__work_bring(const struct het__work *work, const struct het_arg *args, int count,
			   struct het__args *all);

/** The same, and starts the launch, *ref_p, unless its range is empty. With all->brought, which the caller sets
 *  or clears, *all is of this very launch: it has been brought, and the lock has been held since. On an error
 *  nothing has changed; *all is what is known of the arguments. */
het_status het__work_launch(const struct het__work *work, const struct het_arg *args, int count,
			    struct het__args *all, struct het__ref *ref_p);

#endif
