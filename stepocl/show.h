/* show.h - what hetero-stepocl prints. */
#ifndef HETERO_STEPOCL_SHOW_H
#define HETERO_STEPOCL_SHOW_H

#include "description.h"
#include "partition.h"

/** The kernel's space: "4096 x 1024 work-items in groups of 64 x 16". */
void show_space(const struct description *description);

/** "x [0, 64)  y [1, 17)" of what has `rank` dimensions. */
void show_zone(int rank, const struct zone *zone);

/** A plan for `devices` devices. */
void show_plan(const struct description *description, const struct partition *partition, int devices);

/** The name of a dimension: x, y or z. */
char axis_name(int d);

#endif
