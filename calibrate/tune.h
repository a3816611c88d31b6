/* tune.h - how large parts are best, and how many may be on their way at a time. */
#ifndef HETERO_CALIBRATE_TUNE_H
#define HETERO_CALIBRATE_TUNE_H

#include "series.h"

/** Tries sizes of parts, then depths, for the route that a decided pair takes at `bytes`, if it moves pieces in
 *  parts, and writes down in its choices what wins. The first of all settings is the route's own default, which
 *  stays unless another one is faster by as much as a change of route must be. Returns the route's number where
 *  it failed or was wrong with any of them (`why` tells), else -1. */
int tune(const struct course *c, struct het__cal_pair *pair, size_t bytes, char why[HET__CAL_TEXT_BYTES]);

#endif
