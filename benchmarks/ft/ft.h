/* ft.h - what all versions of FT share: how large a class is, and what a run finds. */
#ifndef FT_FT_H
#define FT_FT_H

#include "common/bench.h"

#define FT_KERNELS BENCHMARKS "/ft/ft.cl"
#define FT_LANES 4 /* lines of a work-item, as in ft.cl */
#define FT_GROUP 8 /* work-items of a group */
#define FT_ITERATIONS_MOST 25
#define FT_FORWARD 1
#define FT_BACKWARD (-1)

struct ft_complex {
	double re, im;
};

/** A box of nx x ny x nz complex numbers, x fastest. `roots`: of 1, `finest` of them. */
struct ft_problem {
	const char *name;
	int nx, ny, nz, iterations;
	const struct ft_complex *wanted; /* checksums */
	int finest;
	const struct ft_complex *roots;
	double fade; /* of a step: 4 alpha pi^2 */
};

struct ft_result {
	struct ft_complex checksum[FT_ITERATIONS_MOST];
};

/** Adds up the sums of the planes, of which each has one for each iteration, and divides by the number of
 *  points. */
void ft_add(struct ft_result *result, const struct ft_problem *problem, const struct ft_complex *sums);

extern const struct bench_version ft_hetero, ft_copying, ft_shared, ft_local;

#endif
