/* stencil7.h - what all versions of the 7-point stencil share: the field at first, the steps, who has which
 * planes. */
#ifndef STENCIL7_STENCIL7_H
#define STENCIL7_STENCIL7_H

#include "common/bench.h"
#include "common/strips.h"

#define STENCIL7_KERNELS BENCHMARKS "/stencil7/stencil7.cl"
#define STENCIL7_ALPHA 0.4
#define STENCIL7_BETA 0.1

/** The border, one element on every side, is part of the extents. Elements are doubles or floats; a result is
 *  such a field. */
struct stencil7_problem {
	const char *name;
	int nx, ny, nz, steps;
	double constant; /* of a constant field; 0: the mode with the longest waves */
	int is_double;
	const void *first; /* the field at first */
};

static inline size_t stencil7_element_bytes(const struct stencil7_problem *p)
{
	return p->is_double ? sizeof(double) : sizeof(float);
}

static inline const char *stencil7_kernel(const struct stencil7_problem *p)
{
	return p->is_double ? "relax_double" : "relax_float";
}

/** What the kernel takes as alpha and beta: an element each. */
static inline const void *stencil7_alpha(const struct stencil7_problem *p)
{
	static const double alpha = STENCIL7_ALPHA;
	static const float single = (float)STENCIL7_ALPHA;

	return p->is_double ? (const void *)&alpha : &single;
}

static inline const void *stencil7_beta(const struct stencil7_problem *p)
{
	static const double beta = STENCIL7_BETA;
	static const float single = (float)STENCIL7_BETA;

	return p->is_double ? (const void *)&beta : &single;
}

static inline size_t stencil7_plane(const struct stencil7_problem *p)
{
	return (size_t)p->nx * (size_t)p->ny;
}

static inline size_t stencil7_bytes(const struct stencil7_problem *p, int planes)
{
	return (size_t)planes * stencil7_plane(p) * stencil7_element_bytes(p);
}

/** The size of a work-group: a row, or as large a part of one as 256 work-items allow. Single precision is for
 *  devices that have no double, too, of which llvmpipe can have no more than 32. */
static inline int stencil7_group(const struct stencil7_problem *p)
{
	const int most = p->is_double ? 256 : 32;
	int parts = 1;

	while (p->nx % parts || p->nx / parts > most)
		parts++;
	return p->nx / parts;
}

/** All steps, in plain C on one core, from two fields that are both as at first. Returns the one that has the
 *  result. */
void *stencil7_steps(const struct stencil7_problem *problem, void *now, void *next);

/** Whether a field is what all steps make, as benchmark.verify. */
int stencil7_verify(const void *problem, const void *result, char *said, size_t bytes);

/** As benchmark.operations. */
double stencil7_operations(const void *problem);

/** --sweep, as benchmark.afterwards. */
int stencil7_sweep(const void *problem, const struct bench_machine *machine, struct report *report);

extern const struct bench_version stencil7_hetero, stencil7_copying, stencil7_shared, stencil7_plain,
	stencil7_local;

#endif
