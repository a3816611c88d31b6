/* pace.h - how fast a kernel is on a device, by the parts of its last spreads.
 *
 * Large and small grids are kept apart: the time of a small one is mostly the launch's, and says nothing of a
 * large one. A kernel may get both by turns, such as one that smooths all levels of a multigrid method.
 */
#ifndef HETERO_LIB_KERNEL_PACE_H
#define HETERO_LIB_KERNEL_PACE_H

#include <hetero/shape.h>

#define HET__RATES 5
#define HET__PACES 8

/** Work-items per nanosecond of the last parts of spreads of one size, in a ring. */
struct het__pace {
	unsigned size; /* 0: none yet */
	unsigned count, next;
	double rate[HET__RATES];
};

/** Of the last sizes. Zeroed: nothing is known. */
struct het__paces {
	struct het__pace of[HET__PACES];
	unsigned next; /* the place that gives way to another size when all are taken */
};

/** The range's work-items. It need not be a good one. */
double het__pace_items(const struct het_range *range);

/** The size of a spread over this range: 1 for less than 1024 work-items, 2 for less than 4096, and so on by
 *  fours. The range need not be a good one. */
unsigned het__pace_size(const struct het_range *range);

/** A part of a spread of this size has run at `rate`, which is more than 0. */
void het__pace_add(struct het__paces *paces, unsigned size, double rate);
/** The median of the last ones of this size; 0: not known. */
double het__pace_median(const struct het__paces *paces, unsigned size);

#endif
