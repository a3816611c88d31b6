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

/** HET_ERR_SHAPE (the numbers), HET_ERR_UNSUPPORTED (the work-group). */
het_status het__range_resolve(const struct het_range *given, const het_kernel *kernel, const het_device *device,
                              const struct het__kernel_on *on, struct het__range *range);

/** The work-group of a range: the one it has (the program's, or the kernel's) or, on a device whose driver
 *  chooses badly, one along the last dimension, such that the device's compute units are evenly busy. NULL: the
 *  driver chooses. Depends on the very extents: it is asked for what is submitted, not for what will be cut. */
const size_t *het__range_group(const struct het__range *range, const het_device *device,
                               const struct het__kernel_on *on, size_t group[3]);

/** Where the last dimension of a range that nobody gave a work-group is cut for such drivers, which compile a
 *  kernel for every size: at multiples of this, a power of two, which the extents of all parts but the last
 *  then are; and those of the last differ by multiples of it, so that the powers of two in them stay the same.
 *  0: anywhere; the range is too short for shares to be met by `parts` parts. */
int64_t het__range_step(int64_t extent, int parts);

#endif
