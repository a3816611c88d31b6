/* path.h - what all versions of the shortest paths share: the terrain, what a run leaves. */
#ifndef PATH_PATH_H
#define PATH_PATH_H

#include "common/bench.h"
#include "common/strips.h"

#define PATH_KERNELS BENCHMARKS "/path/path.cl"
#define PATH_ITEM 4   /* points of a work-item, as in path.cl */
#define PATH_GROUP 16 /* work-items of a group, beside each other */

/** Terrain of `rows` x `cols` points in a frame of places that are none: arrays have path_rows rows of `pitch`
 *  places, and point (row, col), counted from the northwest, is in place (row + 1, col + PATH_ITEM). Metres. */
struct path_problem {
	const char *name;
	int rows, cols, pitch, target_row, target_col;
	int batch;                     /* sweeps between two looks at what has changed */
	double dx, dy;                 /* from a point to the one in the east, in the south */
	double across, down, diagonal; /* squares of the distances on the map */
	const float *height;           /* NaN: not known, or no point */
	const double *cost;            /* at first: 0 at the target, infinite elsewhere */
};

/** `cost`: path_places numbers. `sweeps`: as many as changed something, and the one that did not. */
struct path_result {
	const double *cost;
	int sweeps;
};

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
	return rows && cols ? p->diagonal : rows ? p->down : p->across;
}

extern const struct bench_version path_hetero, path_copying, path_shared, path_flags, path_plain;

#endif
