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

/** The shares of a spread that is cut so: `share`, or the same with 0 for devices that only make others wait.
 *
 *  Shares that are the calibration's bandwidths become 0 for devices less than a twelfth as fast as the
 *  fastest one, where these have less than a tenth of all: a kernel for which bandwidths flatter them
 *  (llvmpipe has a sixteenth of a core's, and makes a stencil at a fortieth of its speed) would take twice as
 *  long, to gain a few percent at best. They become 0, too, for devices with which the spread takes twice as
 *  long as without, by the calibration: for what they take to begin a launch, and for what parts read of each
 *  other by HET_HALO. (A processor with a hundredth of a card's bandwidth saves half a microsecond of a step
 *  of 40, and its halo takes 100; llvmpipe takes 400 to begin, also in the memory that it shares with the
 *  others.) Of these the devices with the smallest shares go. The choice is in `worth`, and holds for all
 *  kernels over about as large a grid, with a halo or without, until there is another halo to judge: their
 *  data stay where they are.
 *
 *  Measured shares, of a cut with a halo, become 0 for devices less than a twelfth as fast as the fastest one,
 *  where these would add less than a twentieth of all, because the fast ones run slower beside them; and for
 *  those that, by the calibration, begin later than others, or wait for halos, by more than they save: what is
 *  measured is how fast a kernel runs, and not when. Shares that a program gave stay.
 *
 *  The devices have their memories. Valid as long as `share` and `worth`. With the lock. */
const double *het__worth_shares(const het_team *team, const struct het__worth_of *of,
				const struct het__cut *cut, const double *share, struct het__worth *worth);

/** The shares of an operation without a halo: those of the last spread with a halo that was judged, if this
 *  goes over about as many bytes; else the team's. With the lock. */
const double *het__worth_beside(const het_team *team, double bytes);

#endif
