/* path_plain.c - Shortest paths in plain C, on one core, with the same sweeps. */

#include "path/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cost of a place after one more edge. A sum that is no number is not less. */
static double cost_after(const struct path_problem *p, const double *now, size_t place)
{
	double best = now[place];

	for (int rows = -1; rows <= 1; rows++)
		for (int cols = -1; cols <= 1; cols++) {
			const size_t other = (size_t)((ptrdiff_t)place + (ptrdiff_t)rows * p->pitch + cols);
			const double climb = (double)p->height[other] - (double)p->height[place];
			const double sum = now[other] + sqrt(path_flat(p, rows, cols) + climb * climb);

			if ((rows || cols) && sum < best)
				best = sum;
		}
	return best;
}

/* Whether a sweep changes anything. */
static int sweep(const struct path_problem *p, double *next, const double *now)
{
	int changed = 0;

	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++) {
			const size_t place = path_place(p, row, col);

			next[place] = cost_after(p, now, place);
			changed |= next[place] < now[place];
		}
	return changed;
}

/* Sweeps until nothing changes; afterwards both have the result. Returns how many. */
static int sweeps_of(const struct path_problem *p, double *cost, double *other)
{
	int sweeps = 1;

	for (; sweep(p, other, cost); sweeps++) {
		double *const next = cost;

		cost = other;
		other = next;
	}
	return sweeps;
}

static void path(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct path_problem *const p = problem;
	const size_t bytes = path_places(p) * sizeof(double);
	struct path_result result;
	double *cost, *other;

	(void)machine;
	if (!p->is_double) {
		fputs("path: plain is in double precision\n", stderr);
		exit(2);
	}
	cost = bench_new(bytes);
	other = bench_new(bytes);
	while (bench_round(clock)) {
		memcpy(cost, p->cost, bytes);
		memcpy(other, p->cost, bytes);
		bench_start(clock);
		result.sweeps = sweeps_of(p, cost, other);
		result.cost = cost;
		bench_stop(clock, &result);
	}
	free(cost);
	free(other);
}

const struct bench_version path_plain = {.name = "plain", .optional = 1, .program = path};
