/* path.h - what all versions of the shortest paths share: the terrain, what a run leaves. */
#ifndef PATH_PATH_H
#define PATH_PATH_H

#include "common/bench.h"
#include "common/strips.h"

#define PATH_KERNELS BENCHMARKS "/path/path.cl"
#define PATH_ITEM 4   /* points of a work-item, as in path.cl */
#define PATH_GROUP 16 /* work-items of a group, beside each other */

/** Terrain of `rows` x `cols` points in a frame of other places: arrays have path_rows rows of `pitch` places,
 *  and point (row, col), counted from the northwest, is in place (row + 1, col + PATH_ITEM). Metres. */
struct path_problem {
	const char *name;
	int rows, cols, pitch, target_row, target_col;
	int batch;            /* sweeps between two looks at what has changed */
	double dx, dy;        /* from a point to the one in the east, in the south */
	double flat[4];       /* squares of the distances on the map: across, down, diagonally */
	float flat_single[4]; /* the same */
	int is_double;        /* costs are, or floats */
	const float *height;  /* NaN: not known, or no point */
	const void *cost;     /* at first: 0 at the target, infinite elsewhere */
};

/** `cost`: path_places of them. `sweeps`: as many as changed something, and the one that did not. */
struct path_result {
	const void *cost;
	int sweeps;
};

static inline const char *path_kernel(const struct path_problem *p)
{
	return p->is_double ? "sweep_double" : "sweep_float";
}

static inline size_t path_cost_bytes(const struct path_problem *p)
{
	return p->is_double ? sizeof(double) : sizeof(float);
}

/** Bytes of a row of costs; of heights. */
static inline size_t path_row_bytes(const struct path_problem *p)
{
	return (size_t)p->pitch * path_cost_bytes(p);
}

static inline size_t path_height_bytes(const struct path_problem *p)
{
	return (size_t)p->pitch * sizeof(float);
}

/** What the kernel takes as `flat`: so many bytes. */
static inline const void *path_flats(const struct path_problem *p)
{
	return p->is_double ? (const void *)p->flat : p->flat_single;
}

static inline size_t path_flats_bytes(const struct path_problem *p)
{
	return p->is_double ? sizeof p->flat : sizeof p->flat_single;
}

static inline int path_rows(const struct path_problem *p)
{
	return p->rows + 2;
}

static inline size_t path_places(const struct path_problem *p)
{
	return (size_t)path_rows(p) * (size_t)p->pitch;
}

static inline size_t path_place(const struct path_problem *p, int row, int col)
{
	return (size_t)(row + 1) * (size_t)p->pitch + (size_t)(col + PATH_ITEM);
}

/** The square of the distance on the map of points so many rows and columns, up to 1, apart. */
static inline double path_flat(const struct path_problem *p, int rows, int cols)
{
	return p->flat[rows && cols ? 2 : rows ? 1 : 0];
}

/** Where the library cuts a sweep, for each device of the team; rows are numbered from 1. */
void path_plan(const struct path_problem *problem, het_system *system, het_team *team, struct het_part *part);

extern const struct bench_version path_hetero, path_copying, path_shared, path_flags, path_frontiers,
	path_plain;

#endif
