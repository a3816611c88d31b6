/* plain.h - the same terrain computed by a plain C loop, to check the devices by. */
#ifndef HILLSHADE_PLAIN_H
#define HILLSHADE_PLAIN_H

#include "relief.h"

/** Computes everything again on the host and compares. Prints a line for each array. Returns 0 when no value
 *  is further than one unit in the last place from the host's, and holes are where they should be. */
int plain_check(const struct relief *relief, const struct grid *grid);

#endif
