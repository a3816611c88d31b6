/* path_plain.c - Shortest paths in plain C, on one core, with the same sweeps. */

#include "path/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
	const struct path_problem *problem;
	double *cost, *other;
	struct path_result result;
};

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

static void *path_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	(void)machine;
	s->problem = problem;
	if (!s->problem->is_double) {
		fputs("path: plain is in double precision\n", stderr);
		exit(2);
	}
	s->cost = bench_new(path_places(problem) * sizeof *s->cost);
	s->other = bench_new(path_places(problem) * sizeof *s->other);
	return s;
}

static void path_prepare(void *state)
{
	struct state *const s = state;

	memcpy(s->cost, s->problem->cost, path_places(s->problem) * sizeof *s->cost);
	memcpy(s->other, s->problem->cost, path_places(s->problem) * sizeof *s->other);
}

static const void *path_run(void *state)
{
	struct state *const s = state;

	s->result.sweeps = sweeps_of(s->problem, s->cost, s->other);
	s->result.cost = s->cost;
	return &s->result;
}

static void path_close(void *state)
{
	struct state *const s = state;

	free(s->cost);
	free(s->other);
	free(s);
}

const struct bench_version path_plain = {.name = "plain",
					 .optional = 1,
					 .open = path_open,
					 .prepare = path_prepare,
					 .run = path_run,
					 .close = path_close};
