/* beside.h - how far beside its part a kernel reads: the mapper that would have had it. */
#ifndef HETERO_LIB_LAUNCH_BESIDE_H
#define HETERO_LIB_LAUNCH_BESIDE_H

#include "launch/trial.h"

enum { HET__BESIDE_TEXT = 100 + 24 * HET_MAX_RANK };

/** A change outside of a box shows, of which that cell does alone (count 0: none). "; HET_HALO of radius 1, 0
 *  has that...", with the least radii such that nothing beyond them shows, or HET_ALL where it goes further
 *  than halos do. "" where the argument is neither HET_EACH nor a halo, or no mapper has it. Runs the kernel
 *  some times for each dimension, also with a piece of the part; the runs that there were are gone. */
const char *het__beside_text(struct het__trial *t, const struct het__change *change,
			     const struct het__seen *cell, char text[HET__BESIDE_TEXT]);

#endif
