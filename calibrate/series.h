/* series.h - a pair of memories and a shape: all routes at all sizes.
 *
 * Below 4 MiB a route has at least 9 samples at a size, below 16 MiB 5 (quick: 3), above 3, and more while
 * its time lasts. The first (unless quick) and the last one are checked in full, others in a stripe that
 * moves. A route that is ever wrong, or fails (bench.h), is barred for its pair, whatever the shape. One that
 * is dominated at two successive sizes, and not catching up, is dropped, but not below 1 MiB (quick: 256 KiB),
 * because little boxes say nothing of large ones. Nor do boxes with gaps that fit into caches say much of those
 * that do not: so at 16 and at 64 MiB routes that were not far behind with such boxes come back. Larger sizes
 * are left out when no route gets faster any more, nor much slower, as it does where caches end; and from the
 * size on for which there is not memory enough, or whose data cannot be made or looked at: no route is to blame
 * for that, and it is said.
 *
 * What little boxes take, up to 512 KiB, depends on who shares a processor with whom, which stays as it is for
 * a while. So they are visited several times, with all other pairs in between.
 */
#ifndef HETERO_CALIBRATE_SERIES_H
#define HETERO_CALIBRATE_SERIES_H

#include "measure.h"
#include "samples.h"

#define VISITS 3
#define LITTLE_SIZES 8 /* 4 KiB to 512 KiB */

typedef struct samples little_samples[LITTLE_SIZES][HET__CAL_ROUTES];

/* Where a route stands in the sizes of its pair and shape. */
struct runner {
	const char *name;
	int number;   /* in the calibration */
	int behind;   /* successive sizes at which it was dominated */
	double ratio; /* of its time to the best one's, at the last size */
	bool out;
};

/* What is being measured. */
struct course {
	const struct memories *memories;
	const struct plan *plan;
	struct het__calibration *to;
	struct het__cal_pair *pair;
	const struct het__memory *from_memory, *to_memory;
	struct runner runner[HET__CAL_ROUTES];
	int runners;
	int pairs;                /* of memories, in each shape */
	little_samples *little;   /* of each of them, over all visits; NULL: there is one visit */
	double steps, steps_done; /* shapes of pairs, and devices */
};

/** A visit to the little sizes of c->pair, before the last one. */
void series_visit(struct course *c);
/** The last visit: all sizes, and points of everything that was sampled. */
void series_run(struct course *c);

/** Tells the plan if a memory has no room for the largest sizes. */
void series_tell_room(const struct plan *plan, const struct het__memory *memory);

/** Notes that a route is never to be taken, and why. */
void series_bar(struct het__cal_pair *pair, int route, const char *why);

#endif
