/* stencil7_plain.c - the 7-point stencil in plain C, on one core. */

#include "stencil7/stencil7.h"

#include <stdlib.h>
#include <string.h>

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

void *stencil7_steps(const struct stencil7_problem *p, void *now, void *next)
{
	for (int step = 0; step < p->steps; step++) {
		void *const before = now;

		if (p->is_double)
			relax_double(p, next, before);
		else
			relax_float(p, next, before);
		now = next;
		next = before;
	}
	return now;
}

static void stencil7(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct stencil7_problem *const p = problem;
	const size_t bytes = stencil7_bytes(p, p->nz);
	void *const now = hand_memory(bytes), *const next = hand_memory(bytes);

	(void)machine;
	while (bench_round(clock)) {
		memcpy(now, p->first, bytes);
		memcpy(next, p->first, bytes);
		bench_start(clock);
		bench_stop(clock, stencil7_steps(p, now, next));
	}
	free(now);
	free(next);
}

const struct bench_version stencil7_plain = {.name = "plain", .optional = 1, .program = stencil7};
