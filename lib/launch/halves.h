/* halves.h - is what a kernel combines the same when its range is run in two halves?
 *
 * Under HET_SUM and the like each part of a spread has a private result, and these are combined by the
 * operation that the argument names. Nobody but the kernel knows what it does to its own: one that takes the
 * largest under HET_SUM, or stores where it should add, is right on one device and wrong on two. A store under
 * HET_MAX shows if what is stored last is not the largest. It would always show with something larger in the
 * private result beforehand, but then so would a right kernel, one work-item of which stores the largest of
 * its part.
 */
#ifndef HETERO_LIB_LAUNCH_HALVES_H
#define HETERO_LIB_LAUNCH_HALVES_H

#include "launch/trial.h"

/** An element that is not the same. */
struct het__uneven {
	const struct het__shadow *in;   /* NULL: all are the same */
	struct het__seen seen;
	bool is_rounded;                /* of a sum of floats: may come from rounding */
	char numbers[3][32];            /* the lower half's, the upper half's, and of the whole range */
};

/** The same element, with the same numbers; how sums are rounded may differ from run to run. */
bool het__uneven_is_same(const struct het__uneven *a, const struct het__uneven *b);

/** Can the rehearsed part be cut in two along this dimension, between work-groups and HET_BLOCKS, and is
 *  anything combined? */
bool het__halves_apply(const struct het__trial *t, int dimension);

/** Runs both halves. Run 0 was of the whole part, with fillers of the first kind, and its results stay; those
 *  of run 1 and the shadows' contents are gone then. */
het_status het__halves_run(struct het__trial *t, int dimension, struct het__uneven *uneven);

#endif
