/* rehearse.h - a launch tried on copies before it happens: does the kernel keep to what its arguments declare?
 *
 * For HETERO_CHECK. Each array argument has a shadow (shadow.h): what the kernel may read, and fillers
 * elsewhere and around. The kernel runs on shadows, up to four times, each with other fillers. What it then has
 *   - changed outside of what it declares to write (also outside of the array), or in what it declares to read
 *     only,
 *   - made otherwise in another run, though it makes the same of the same: it reads what it does not declare.
 *     Further runs, with other fillers in a part of that only, tell which argument and element it is,
 *   - left alone of what it declares to make (HET_OUT),
 *   - not combined as HET_SUM and the like say (halves.h)
 * is a mistake of the program's, which otherwise shows on some devices only, with some teams, or on some days.
 * Where results differ from run to run by themselves nobody is accused: what is told was the same each time.
 *
 * Shadows are arrays and runs are launches like the program's own. In the log, and for failures, they are none
 * of the program's calls; in statistics and timelines they are.
 */
#ifndef HETERO_LIB_LAUNCH_REHEARSE_H
#define HETERO_LIB_LAUNCH_REHEARSE_H

#include <hetero/spread.h>

#include <stdbool.h>

/** Is this thread's next launch to happen at once: is it a rehearsal's own, or the one that was rehearsed? */
bool het__is_rehearsed(void);

/** Rehearses a launch and, unless that finds a mistake, makes it and returns what het_launch_args does. A
 *  mistake is HET_ERR_ARGUMENT; a value that is lost, or a device that fails at the kernel, is the error that
 *  the rehearsal met. Where it cannot be tried, for want of memory or inside callbacks, a warning says so,
 *  once for each kernel. Kernel and device are sound. Without the lock; waits. */
het_status het__rehearse_launch(het_kernel *kernel, het_device *device, const struct het_range *range,
				const struct het_arg *args, int count) __attribute__((cold));

/** The same for a spread: each part is tried that het_spread_plan has; where there is only one, also the two
 *  that two devices would get (as_two.h). Kernel and team are sound. */
het_status het__rehearse_spread(het_kernel *kernel, het_team *team, const struct het_range *range,
				const struct het_arg *args, int count) __attribute__((cold));

#endif
