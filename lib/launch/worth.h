/* worth.h - which devices of a team earn the exchange with them. */
#ifndef HETERO_LIB_LAUNCH_WORTH_H
#define HETERO_LIB_LAUNCH_WORTH_H

#include "launch/cut.h"
#include "launch/team.h"

/** A spread: of which kernel, over which range, which is this size (kernel/pace.h). */
struct het__worth_of {
	const het_kernel *kernel;
	const struct het_range *range;
	unsigned size;
};

/** The shares of a spread that is cut so: `share`, or of these 0 for devices that are less than a twelfth as
 *  fast as the fastest one, where these have less than a tenth of all: a kernel for which bandwidths flatter
 *  them (llvmpipe has a sixteenth of a core's, and makes a stencil at a fortieth of its speed) would take
 *  twice as long, to gain a few percent at best. And 0 for devices with which it takes twice as long as
 *  without, by the calibration, because of what they take to begin a launch and of what parts read of each
 *  other by HET_HALO. Such a device only makes the others wait: a processor with a hundredth of a card's
 *  bandwidth saves half a microsecond of a step of 40, and its halo takes 100; llvmpipe takes 400 to begin,
 *  also in the memory that it shares with the others. Devices are tried in the order of their shares: the
 *  smallest ones go. What was decided is in `worth`, and holds for all kernels over about as large a grid,
 *  with a halo or without, until there is another halo to judge: their data stay where they are. Only shares
 *  that are the calibration's bandwidths are judged so, no program's. Measured ones are 0 for devices that are
 *  less than a twelfth as fast as the fastest one, where these would add less than a twentieth of all, for the
 *  fast ones run slower beside them; and for those that, by the calibration, begin later than others, or wait
 *  for halos, by more than they save: what is measured is how fast a kernel runs, and not when. The devices
 *  have their memories. Valid as long as `share` and `worth`. With the lock. */
const double *het__worth_shares(const het_team *team, const struct het__worth_of *of,
				const struct het__cut *cut, const double *share, struct het__worth *worth);

/** The shares of what goes over about as many bytes as the team's last spread with a halo and has none: the
 *  same. With the lock. */
const double *het__worth_beside(const het_team *team, double bytes);

#endif
