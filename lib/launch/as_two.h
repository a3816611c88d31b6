/* as_two.h - for rehearsals: a spread of which one device gets all, cut as for two devices. On one device a
 * kernel finds what it reads beside its part, and the mistake would show only on the next machine.
 */
#ifndef HETERO_LIB_LAUNCH_AS_TWO_H
#define HETERO_LIB_LAUNCH_AS_TWO_H

#include <hetero/spread.h>

#include <stdbool.h>

/** The two parts of a range, and the dimension in which it is cut. False, and no dimension, where it cannot be
 *  cut (it is one work-group, or one of HET_BLOCKS), or where two devices would be refused what one may do:
 *  both parts write the same cells, or a part's launch would be refused for what a mapper says of it. Asks the
 *  mappers. Kernel and device are sound. May leave a failure in the thread's record, which is to be dropped
 *  (het__error_aside). Without the lock, and not inside a callback. */
bool het__as_two(het_kernel *kernel, het_device *device, const struct het_range *range,
		 const struct het_arg *args, int count, struct het_range part[2], int *dimension_p);

#endif
