/* stencil7_plain.c - the 7-point stencil in plain C, on one core. */

#include "stencil7/stencil7.h"

#include <stdlib.h>
#include <string.h>

struct state {
	const struct stencil7_problem *problem;
	double *now, *next;
};

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

static void row(const struct stencil7_problem *p, double *restrict next, const double *restrict now)
{
	const ptrdiff_t above = p->nx, plane = (ptrdiff_t)stencil7_plane(p);

	for (ptrdiff_t x = 1; x < p->nx - 1; x++) {
		const double *const at = &now[x];
		const double sum = at[-1] + at[1] + at[-above] + at[above] + at[-plane] + at[plane];
		next[x] = STENCIL7_ALPHA * at[0] + STENCIL7_BETA * sum;
	}
}

static const void *stencil7_run(void *state)
{
	struct state *const s = state;
	const struct stencil7_problem *const p = s->problem;

	for (int step = 0; step < p->steps; step++) {
		double *const now = s->now;
		for (int z = 1; z < p->nz - 1; z++)
			for (int y = 1; y < p->ny - 1; y++) {
				const size_t at = (size_t)z * stencil7_plane(p) + (size_t)y * (size_t)p->nx;
				row(p, s->next + at, now + at);
			}
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
