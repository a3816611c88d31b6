/* as_two.h - a spread that one device gets all of, as two devices would get it: for rehearsals. What is read
 * beside a part is there on one device, and shows on the next machine.
 */
#ifndef HETERO_LIB_LAUNCH_AS_TWO_H
#define HETERO_LIB_LAUNCH_AS_TWO_H

#include <hetero/spread.h>

#include <stdbool.h>

/** The two parts of a range, and the dimension that it is cut in. False, and no dimension: it cannot be cut, as
 *  it is one work-group or one of HET_BLOCKS; or two devices would be refused what one may do, for both parts
 *  write the same cells, or a mapper of the program's own has nothing for one of them. Asks the mappers. Kernel
 *  and device are sound; leaves a failure behind, which is nobody's (het__error_aside). Without the lock, and
 *  not inside a callback. */
bool het__as_two(het_kernel *kernel, het_device *device, const struct het_range *range,
		 const struct het_arg *args, int count, struct het_range part[2], int *dimension_p);

#endif
