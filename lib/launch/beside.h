/* beside.h - how far beside its part a kernel reads: the mapper that covers it. */
#ifndef HETERO_LIB_LAUNCH_BESIDE_H
#define HETERO_LIB_LAUNCH_BESIDE_H

#include "launch/trial.h"

enum { HET__BESIDE_TEXT = 100 + 24 * HET_MAX_RANK };

/** A change outside of a box shows in results; of its elements `cell` does so alone (count 0: none). Returns
 *  "; HET_HALO of radius 1, 0 has that...", with the least radii beyond which no change shows, or HET_ALL where
 *  it reads further than halos go; "" where the argument is neither HET_EACH nor a halo, or no mapper has it.
 *  Runs the kernel some times for each dimension, also with a piece of the part; earlier runs are gone. */
const char *het__beside_text(struct het__trial *t, const struct het__change *change,
			     const struct het__seen *cell, char text[HET__BESIDE_TEXT]);

#endif
