/* strips.h - grids that are cut into strips of rows (or boxes into some of planes), one for each device, as
 * large as the devices' shares. For benchmarks that read --shares and --rebalance. */
#ifndef COMMON_STRIPS_H
#define COMMON_STRIPS_H

#include "common/bench.h"
#include "common/number.h"

#define STRIPS_REBALANCE_MOST 1000000
#define STRIPS_HELP                                                                                            \
	"  --shares A,B...      of rows or planes, for each device, any sum but 0 (default: the library's)\n"  \
	"  --rebalance N        hetero: shares follow what was measured, looked at every N spreads, 1 to\n"    \
	"                       " NUMBER_TEXT(STRIPS_REBALANCE_MOST) " (0: never)\n"

/** Rows [lo, hi) of a grid, which the team's device number `device` has. */
struct strip {
	int device, lo, hi;
};

/** Reads an option, --shares or --rebalance; 0: it is one, and its value is possible. */
int strips_option(const char *name, const char *value);

/** The team of all devices of a machine, with the shares and the rebalancing that were asked for. Ends the
 *  program where there are not as many shares as devices. */
het_team *strips_team(const struct bench_machine *machine);

/** Cuts rows [first, last) by the shares that a team has for a kernel (NULL: for one that was not measured),
 *  into at most HAND_DEVICES_MOST strips, and returns how many there are: a device whose strip would be empty
 *  has none. The versions by hand are cut like this too. */
int strips_cut(het_team *team, const het_kernel *kernel, int first, int last, struct strip *strip);

/** ROWSxCOLS, each from `low` to `high`, or one number for both. 0: good. */
int strips_size(const char *text, int low, int high, int *rows, int *cols);

#endif
