/* stepocl.h - what all versions of STEPOCL's stencil share: the grid, what it is at first. */
#ifndef STEPOCL_STEPOCL_H
#define STEPOCL_STEPOCL_H

#include "common/bench.h"
#include "common/strips.h"

/* The tool's own example, from which the reach and the groups below are. */
#define STEPOCL_DESCRIPTION BENCHMARKS "/../stepocl/stencil.xml"
#define STEPOCL_KERNELS BENCHMARKS "/../stepocl/stencil.cl"
#define STEPOCL_REACH 10 /* elements to the left and right; above and below one */
#define STEPOCL_GROUP_COLS 64
#define STEPOCL_GROUP_ROWS 16

/** `rows` x `cols` floats with the border, which stays: one row above and below, STEPOCL_REACH columns on each
 *  side. What is inside is a multiple of a work-group. A result is such a grid. */
struct stepocl_problem {
	const char *name;
	int rows, cols, steps;
	const float *first; /* the grid at first */
};

static inline size_t stepocl_row_bytes(const struct stepocl_problem *p)
{
	return (size_t)p->cols * sizeof(float);
}

static inline size_t stepocl_bytes(const struct stepocl_problem *p)
{
	return (size_t)p->rows * stepocl_row_bytes(p);
}

/** Elements of a row that change. */
static inline int stepocl_inside(const struct stepocl_problem *p)
{
	return p->cols - 2 * STEPOCL_REACH;
}

/** Cuts the rows that change between the devices, in whole work-groups, as strips_cut does. */
int stepocl_cut(const struct stepocl_problem *p, het_team *team, struct strip *strip);

/** All steps in plain C: `cells` and `other` are grids as the problem's first. Returns the one of the two that
 *  has the result. */
float *stepocl_steps(const struct stepocl_problem *p, float *cells, float *other);

extern const struct bench_version stepocl_hetero, stepocl_copying, stepocl_shared, stepocl_plain, stepocl_local;

#endif
