/* rehearse.h - a launch tried on copies before it happens: does the kernel keep to what its arguments declare?
 *
 * For HETERO_CHECK. Each array argument has a stand-in of the same geometry, with some rows more behind, which
 * holds what the kernel may read, and numbers of the library's own (stand_in.h) elsewhere. The kernel runs on
 * stand-ins twice, with other such numbers the second time. What it then has
 *   - changed outside of what it declares to write (also behind the end of the array), or in what it declares
 *     to read only,
 *   - left alone of what it declares to make (HET_OUT),
 *   - made otherwise the second time, though of the same it makes the same: it reads what it does not declare.
 *     Which argument's, further runs tell, in which only one has other numbers,
 * is a mistake of the program's, which otherwise shows on some devices only, with some teams, or on some days.
 */
#ifndef HETERO_LIB_LAUNCH_REHEARSE_H
#define HETERO_LIB_LAUNCH_REHEARSE_H

#include <hetero/spread.h>

/** The mistakes of a launch: HET_ERR_ARGUMENT names kernel, argument, device and the first element. HET_OK
 *  where there are none, and where it cannot be tried, as inside callbacks, of a value that is lost, or without
 *  memory: the launch itself tells what is wrong, or a warning says that it was not tried. Without the lock;
 *  waits. Kernel and device are sound. */
het_status het__rehearse(het_kernel *kernel, het_device *device, const struct het_range *range,
			 const struct het_arg *args, int count);

/** The same for every part of a spread. */
het_status het__rehearse_parts(het_kernel *kernel, het_team *team, const struct het_range *range,
			       const struct het_arg *args, int count);

#endif
