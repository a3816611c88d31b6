/* counted.h - kernels that ask for numbers which a part of a spread changes. */
#ifndef HETERO_LIB_LAUNCH_COUNTED_H
#define HETERO_LIB_LAUNCH_COUNTED_H

#include <stdbool.h>

#include <hetero/kernel.h>

/** Warns, once of each kernel and dimension (as OpenCL counts them), of a source that asks for numbers which
 *  are a part's and not the whole range's, as het__source_counts finds them. With the lock. */
void het__tell_counted(het_kernel *kernel, int dimension);

/** May the kernel find out where a part begins or ends in this dimension, so that what it writes depends on how
 *  parts are launched? True also where not all of its text is known. With the lock. */
bool het__knows_parts(het_kernel *kernel, int dimension);

/** May its options for this device, for which it has been built, let it find that out? */
bool het__options_hide_parts(const het_kernel *kernel, const het_device *device);

#endif
