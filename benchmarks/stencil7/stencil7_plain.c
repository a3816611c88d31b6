/* stencil7_plain.c - the 7-point stencil in plain C, on one core. */

#include "stencil7/stencil7.h"

#include <stdlib.h>
#include <string.h>

struct state {
	const struct stencil7_problem *problem;
	void *now, *next;
};

/* The inner points of a step; every operation is rounded by itself, as in the kernel. */
#define RELAX(name, number)                                                                                    \
	static void name(const struct stencil7_problem *p, number *restrict next, const number *restrict now)  \
	{                                                                                                      \
		const ptrdiff_t row = p->nx, plane = (ptrdiff_t)stencil7_plane(p);                             \
                                                                                                               \
		for (ptrdiff_t z = 1; z < p->nz - 1; z++)                                                      \
			for (ptrdiff_t y = 1; y < p->ny - 1; y++)                                              \
				for (ptrdiff_t x = 1; x < p->nx - 1; x++) {                                    \
					const ptrdiff_t i = z * plane + y * row + x;                           \
					const number sum = now[i - 1] + now[i + 1] + now[i - row] +            \
							   now[i + row] + now[i - plane] + now[i + plane];     \
					next[i] =                                                              \
						(number)STENCIL7_ALPHA * now[i] + (number)STENCIL7_BETA * sum; \
				}                                                                              \
	}

RELAX(relax_float, float)
RELAX(relax_double, double)

static void *stencil7_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	(void)machine;
	s->problem = problem;
	s->now = hand_memory(stencil7_bytes(s->problem, s->problem->nz));
	s->next = hand_memory(stencil7_bytes(s->problem, s->problem->nz));
	return s;
}

static void stencil7_prepare(void *state)
{
	struct state *const s = state;

	memcpy(s->now, s->problem->first, stencil7_bytes(s->problem, s->problem->nz));
	memcpy(s->next, s->problem->first, stencil7_bytes(s->problem, s->problem->nz));
}

static const void *stencil7_run(void *state)
{
	struct state *const s = state;
	const struct stencil7_problem *const p = s->problem;

	for (int step = 0; step < p->steps; step++) {
		void *const now = s->now;

		if (p->is_double)
			relax_double(p, s->next, now);
		else
			relax_float(p, s->next, now);
		s->now = s->next;
		s->next = now;
	}
	return s->now;
}

static void stencil7_close(void *state)
{
	struct state *const s = state;

	free(s->now);
	free(s->next);
	free(s);
}

const struct bench_version stencil7_plain = {.name = "plain",
					     .optional = 1,
					     .open = stencil7_open,
					     .prepare = stencil7_prepare,
					     .run = stencil7_run,
					     .close = stencil7_close};
