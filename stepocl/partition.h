/* partition.h - cuts a kernel's space into a grid of parts, one for each device, and says what each part
 * writes, reads and sends to which others. Pure; no OpenCL. Dimensions are in the description's order: 0 is
 * x, contiguous. */
#ifndef HETERO_STEPOCL_PARTITION_H
#define HETERO_STEPOCL_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "description.h"

/** [lo, hi) in every dimension; 0 to 1 in those that are not there. */
struct zone {
	int64_t lo[MOST_RANK], hi[MOST_RANK];
};

struct part {
	int id;                  /* over all parts, x fastest */
	int at[MOST_RANK];       /* in each dimension */
	struct zone range;       /* work-items */
	struct zone write, read; /* elements; `read`: the box around a part's own and its shadow */
};

struct partition {
	int rank, count;
	int order[MOST_RANK];      /* dimensions, in the order in which they are cut */
	int64_t groups[MOST_RANK]; /* work-groups */
	int parts[MOST_RANK];      /* how many in each dimension */
	struct part *part;
};

enum { FEWER_PARTS = 100 }; /* how many devices may stay unused to find a better grid */

/** The dimensions of the kernel's space, least first by the bytes that one cut across them makes two neighbours
 *  exchange; the outermost of equal ones first. */
void partition_order(const struct description *description, int order[MOST_RANK]);

/** How many parts in each dimension for `devices` devices: along the order the greatest common divisor of
 *  the work-groups and of the devices that are left over. Where their product is less than `devices`, it is
 *  tried with one device less, and so on, at most `fewer` times; the largest product counts. Returns it. */
int partition_choose(int rank, const int64_t groups[MOST_RANK], const int order[MOST_RANK], int devices,
		     int fewer, int parts[MOST_RANK]);

/** All of that, and the parts. False without memory. */
bool partition_make(const struct description *description, int devices, struct partition *partition);
void partition_free(struct partition *partition);

/** How many elements `from` sends to `to` after an iteration: those that it writes and that the stencil's
 *  points lead `to` to; all that it writes where the stencil is read whole. 0: they are no neighbours. */
int64_t partition_sent(const struct description *description, const struct part *from, const struct part *to);

/** The elements of a zone. */
int64_t zone_elements(const struct zone *zone);

#endif
