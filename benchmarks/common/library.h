/* library.h - what the versions with Hetero share, as hand.h is for those by hand: arrays and kernels, or the
 * program ends, saying why. Closing the system frees what they made. */
#ifndef COMMON_LIBRARY_H
#define COMMON_LIBRARY_H

#include <hetero.h>

#include "common/bench.h"
#include "must.h"

static inline het_array *library_array(het_system *system, het_type type, struct het_shape shape)
{
	het_array *array;

	must(het_array_new(system, type, shape, &array));
	return array;
}

/** Before a round: fills what the round will make with `nan` (of the array's type), so that what the last round
 *  made is not taken for it. Waits. */
static inline void library_spoil(het_array *array, const void *nan)
{
	must(het_fill(het_view(array, het_whole()), nan));
	must(het_wait(array));
}

/** A kernel of the file at `path`, built for every device, as those by hand are. */
static inline het_kernel *library_kernel(het_system *system, const char *path, const char *name)
{
	het_kernel *kernel;

	must(het_kernel_from_file(system, path, name, NULL, &kernel));
	for (int d = 0; d < het_device_count(system); d++)
		must(het_kernel_build(kernel, het_device(system, d)));
	return kernel;
}

#endif
