/* relief.h - slope and shaded relief of a terrain, computed by all devices of a system. */
#ifndef HILLSHADE_RELIEF_H
#define HILLSHADE_RELIEF_H

#include <hetero.h>

#include "grid.h"

/** What to compute, as the kernels take it. */
struct plan {
	int rows, cols, sweeps;    /* of the result; of smoothing */
	int pitch;                 /* cells from one row of the arrays to the next, at least cols */
	int grid_rows, grid_cols;  /* of what the result is made from */
	float row_step, col_step;  /* cells of the grid from one row or column of the result to the next */
	float per_east, per_north; /* 1 / (8 dx), 1 / (8 dy) of the result, times the exaggeration */
	float sun_east, sun_north, sun_up; /* a vector of length 1 towards the sun */
};

/** Where the sun stands and how the result is to be; angles in degrees. */
struct wish {
	int rows, cols; /* 0: as the grid */
	int sweeps;
	double azimuth;      /* of the sun, clockwise from north */
	double altitude;     /* of the sun, above the horizon */
	double exaggeration; /* of heights */
};

/** The numbers that the kernels (and the check in plain C) need for a wish. Pure. */
struct plan plan_make(const struct wish *wish, const struct grid *grid);

/** A computation: its arrays and kernels. The arrays have plan.rows rows of plan.pitch cells,
 *  of which the first plan.cols hold the result. */
struct relief {
	het_system *system;
	struct plan plan;
	het_array *grid, *height, *smoothed, *slope, *shade;
	het_kernel *resample, *smooth, *relief;
	int *group_cols; /* for each device: width of its work-groups */
};

/** Makes arrays and builds the kernels for every device. `grid` must not change until relief_close. */
void relief_open(struct relief *r, het_system *system, const struct grid *grid, const struct plan *plan);

/** Starts everything; does not wait. Afterwards `height`, `slope` and `shade` are the results. */
void relief_start(struct relief *r);

void relief_close(struct relief *r);

#endif
