/* terrain.h - heights between those of a grid that was read (hillshade/grid.h). */
#ifndef COMMON_TERRAIN_H
#define COMMON_TERRAIN_H

#include "hillshade/grid.h"

/** The height so many rows and columns from the northwest corner, between the four around it; corners fall on
 *  corners. Where one of the four is not known it counts as `unknown`. */
double terrain_between(const struct grid *grid, double down, double right, double unknown);

#endif
