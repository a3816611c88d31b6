/* route.h - ways to move bytes from one memory to another, one file each.
 *
 * Choosing is separate from doing: het__route_choose is a pure function of the two memories and the size,
 * ties going to the first row of the table; het__route_task makes the task that carries a copy out. A hop
 * is one command queue's work. Between devices of different contexts the staged route takes two hops, with
 * the array's own host store between them, so that staging once serves every later reader (array room).
 */
#ifndef HETERO_LIB_ROUTE_ROUTE_H
#define HETERO_LIB_ROUTE_ROUTE_H

#include "store/block.h"

struct het__hop {
	const struct het__memory *from, *to;
	size_t bytes;
};

struct het__route {
	const char *name;
	/** May it be used for this hop at all? */
	bool (*applies)(const struct het__hop *hop);
	/** Predicted time. Without a calibration: documented assumptions, one per route. */
	double (*cost_ns)(const struct het__hop *hop);
};

extern const struct het__route het__route_repack; /* inside one memory */
extern const struct het__route het__route_copy;   /* clEnqueueCopyBuffer between devices of a context */
extern const struct het__route het__route_staged; /* read to or write from the host's memory */

/** The cheapest route that covers the hop at once, or NULL where it takes the host between. */
const struct het__route *het__route_choose(const struct het__hop *hop);

/** One copy: side a of the plan is `from`, side b is `to`. Both blocks outlive the task. */
struct het__copy {
	struct het__block *from, *to;
	struct het__plan plan;
	const struct het__route *route;
	char what[96]; /* "a [0:64, *]": for messages */
};

/** The lane that carries a copy out: the target's device's, else the source's, else (inside the host's
 *  memory) that of the device `asker` works for, else the host's copier. */
het_status het__route_lane(het_system *system, const struct het__copy *copy, struct het__lane *asker,
                           struct het__lane **lane_p);

/** Makes the task; not started. `copy` is copied. */
het_status het__route_task(const struct het__copy *copy, struct het__lane *lane, struct het__task **task_p);

#endif
