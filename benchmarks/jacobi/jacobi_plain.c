/* jacobi_plain.c - Jacobi in plain C, on one core. */

#include "jacobi/jacobi.h"

#include <stdlib.h>
#include <string.h>

struct state {
	const struct jacobi_problem *problem;
	void *cells, *other;
};

#define SWEEP(name, number)                                                                                    \
	static void name(const struct jacobi_problem *p, number *restrict next, const number *restrict now)    \
	{                                                                                                      \
		const size_t pitch = (size_t)p->pitch;                                                         \
                                                                                                               \
		for (size_t row = 1; row < (size_t)p->rows - 1; row++)                                         \
			for (size_t i = row * pitch + 1; i < row * pitch + (size_t)p->cols - 1; i++)           \
				next[i] = (number)0.25 *                                                       \
					  (now[i - pitch] + now[i + pitch] + now[i - 1] + now[i + 1]);         \
	}

SWEEP(sweep_float, float)
SWEEP(sweep_double, double)

void *jacobi_sweeps(const struct jacobi_problem *p, void *cells, void *other)
{
	for (int step = 0; step < p->steps; step++) {
		void *const next = other;

		if (p->is_double)
			sweep_double(p, next, cells);
		else
			sweep_float(p, next, cells);
		other = cells;
		cells = next;
	}
	return cells;
}

static void *jacobi_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	(void)machine;
	s->problem = problem;
	s->cells = bench_new(jacobi_bytes(problem));
	s->other = bench_new(jacobi_bytes(problem));
	return s;
}

static void jacobi_prepare(void *state)
{
	struct state *const s = state;

	memcpy(s->cells, s->problem->cells, jacobi_bytes(s->problem));
	memcpy(s->other, s->problem->cells, jacobi_bytes(s->problem));
}

static const void *jacobi_run(void *state)
{
	struct state *const s = state;

	return jacobi_sweeps(s->problem, s->cells, s->other);
}

static void jacobi_close(void *state)
{
	struct state *const s = state;

	free(s->cells);
	free(s->other);
	free(s);
}

const struct bench_version jacobi_plain = {.name = "plain",
					   .optional = 1,
					   .open = jacobi_open,
					   .prepare = jacobi_prepare,
					   .run = jacobi_run,
					   .close = jacobi_close};
