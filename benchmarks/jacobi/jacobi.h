/* jacobi.h - what all versions of Jacobi share: the grid, what it is at first. */
#ifndef JACOBI_JACOBI_H
#define JACOBI_JACOBI_H

#include "common/bench.h"
#include "common/strips.h"

#define JACOBI_KERNELS BENCHMARKS "/jacobi/jacobi.cl"
#define JACOBI_GROUP 32 /* work-items of a group, beside each other */

/** `rows` x `cols` cells, of which the outermost stay as they are; rows have `pitch` places, a multiple of
 *  JACOBI_GROUP. Cells are floats, or doubles; a result is such a grid. */
struct jacobi_problem {
	const char *name;
	int rows, cols, pitch, steps;
	int is_double;
	const void *cells; /* at first; 0 in places that are no cells */
};

static inline size_t jacobi_cell_bytes(const struct jacobi_problem *p)
{
	return p->is_double ? sizeof(double) : sizeof(float);
}

static inline size_t jacobi_row_bytes(const struct jacobi_problem *p)
{
	return (size_t)p->pitch * jacobi_cell_bytes(p);
}

static inline size_t jacobi_bytes(const struct jacobi_problem *p)
{
	return (size_t)p->rows * jacobi_row_bytes(p);
}

static inline const char *jacobi_kernel(const struct jacobi_problem *p)
{
	return p->is_double ? "sweep_double" : "sweep_float";
}

/** All sweeps in plain C: `cells` and `other` are grids as the problem's cells, both with these at first.
 *  Returns the one of the two that has the result. */
void *jacobi_sweeps(const struct jacobi_problem *p, void *cells, void *other);

/** As benchmark.verify and benchmark.operations. */
int jacobi_verify(const void *problem, const void *result, char *said, size_t bytes);
double jacobi_operations(const void *problem);

/** --sweep, as benchmark.afterwards. */
int jacobi_sweep(const void *problem, const struct bench_machine *machine, struct report *report);

extern const struct bench_version jacobi_hetero, jacobi_copying, jacobi_shared, jacobi_plain, jacobi_local;

#endif
