/* jacobi_plain.c - Jacobi in plain C, on one core. */

#include "jacobi/jacobi.h"

#include <stdlib.h>
#include <string.h>

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

static void jacobi(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct jacobi_problem *const p = problem;
	void *const cells = bench_new(jacobi_bytes(p)), *const other = bench_new(jacobi_bytes(p));

	(void)machine;
	while (bench_round(clock)) {
		memcpy(cells, p->cells, jacobi_bytes(p));
		memcpy(other, p->cells, jacobi_bytes(p));
		bench_start(clock);
		bench_stop(clock, jacobi_sweeps(p, cells, other));
	}
	free(cells);
	free(other);
}

const struct bench_version jacobi_plain = {.name = "plain", .optional = 1, .program = jacobi};
