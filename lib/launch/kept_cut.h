/* kept_cut.h - a kernel's last cut, kept: programs spread a kernel again and again over the same shapes.
 *
 * Which dimension is cut, and where it may be, follows from numbers alone: from the range, the work-group, how
 * many parts there are, what the mappers say, the shapes of the arrays, and which of these are one array. The
 * same numbers have the same cut, and what was right with them is right again. Only signature and maps may
 * differ, and the parts see these themselves.
 */
#ifndef HETERO_LIB_LAUNCH_KEPT_CUT_H
#define HETERO_LIB_LAUNCH_KEPT_CUT_H

#include "launch/cut.h"

#define HET__CUT_WORDS 256

/** The numbers that a cut follows from. */
struct het__cut_key {
	int count; /* 0: it does not follow from numbers, or from too many */
	int64_t word[HET__CUT_WORDS];
};

/** Of a spread whose range is not empty: `grain` as het__cut_choose takes it. There is no key where a mapper of
 *  the program's own decides or its array is an argument twice, where an argument is not sound, or where a
 *  combined array is mapped, or an argument twice: to complain about such things the whole must be looked at.
 *  With the lock. */
void het__cut_key(struct het__cut_key *key, const het_system *system, const struct het_range *range,
		  const struct het__cut_grain *grain, int parts, const struct het_arg *args, int count);

/** The cut that was kept for this key. With the lock. */
bool het__cut_recall(const het_kernel *kernel, const struct het__cut_key *key, struct het__cut *cut);

/** Keeps a cut instead of the one before; without memory, none. With the lock. */
void het__cut_keep(het_kernel *kernel, const struct het__cut_key *key, const struct het__cut *cut);

#endif
