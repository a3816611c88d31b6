/* range.h - a launch range in OpenCL's terms, checked against what the device and the kernel can do. */
#ifndef HETERO_LIB_LAUNCH_RANGE_H
#define HETERO_LIB_LAUNCH_RANGE_H

#include <hetero/launch.h>

#include "kernel/kernel.h"

/** In OpenCL's order: dimension 0 is the fastest, the last of the range's. */
struct het__range {
	cl_uint rank;
	bool empty, has_local;
	size_t offset[3], global[3], local[3];
};

/** `extent`, in dimension c of a padded range, rounded up to whole work-groups. */
static inline size_t het__range_items(const struct het__range *range, int c, size_t extent)
{
	const size_t rest = range->has_local ? extent % range->local[c] : 0;

	return rest ? extent + (range->local[c] - rest) : extent;
}

/** HET_ERR_SHAPE (the numbers), HET_ERR_UNSUPPORTED (the work-group). */
het_status het__range_resolve(const struct het_range *given, const het_kernel *kernel, const het_device *device,
                              const struct het__kernel_on *on, struct het__range *range);

/** In work-items: a group of more than MOST gains nothing where the extent has divisors; a power of two from
 *  ENOUGH on is large enough. */
enum { HET__GROUP_ENOUGH = 64, HET__GROUP_MOST = 1024 };

/** The work-group of a range: the one it has (the program's, or the kernel's) or, on a device whose driver
 *  chooses badly, one along the last dimension, such that the device's compute units are evenly busy. NULL:
 *  the driver chooses. Depends on the very extents: ask for a range that is submitted, not one to be cut. */
const size_t *het__range_group(const struct het__range *range, const het_device *device,
                               const struct het__kernel_on *on, size_t group[3]);

#endif
