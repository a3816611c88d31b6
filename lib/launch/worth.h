/* worth.h - which devices of a team earn the exchange with them. */
#ifndef HETERO_LIB_LAUNCH_WORTH_H
#define HETERO_LIB_LAUNCH_WORTH_H

#include "launch/cut.h"
#include "launch/team.h"

/** The shares of a spread that is cut so: `share`, or the same with 0 for devices without which it takes less
 *  than half the time, by the calibration, because of what parts read of each other by HET_HALO. Such a device
 *  only makes the others wait: a processor with a hundredth of a card's bandwidth saves half a microsecond of a
 *  step of 40, and its halo takes 100. What was decided holds for all kernels over about as large a grid, with
 *  a halo or without, until there is another halo to judge: their data stay where they are. Only shares that
 *  are the calibration's bandwidths are judged, neither a program's nor measured ones. The devices have their
 *  memories. Valid until the team has other shares or another cut is judged. With the lock. */
const double *het__worth_shares(het_team *team, const het_kernel *kernel, const struct het__cut *cut,
				const double *share);

#endif
