/* stepocl_plain.c - STEPOCL's stencil in plain C, on one core. */

#include "stepocl/stepocl.h"

#include <stdlib.h>
#include <string.h>

static void step(const struct stepocl_problem *p, float *restrict next, const float *restrict now)
{
	const size_t cols = (size_t)p->cols;

	for (size_t row = 1; row < (size_t)p->rows - 1; row++)
		for (size_t i = row * cols + STEPOCL_REACH; i < (row + 1) * cols - STEPOCL_REACH; i++)
			next[i] = 0.25f * (now[i - STEPOCL_REACH] + now[i + STEPOCL_REACH] + now[i - cols] +
					   now[i + cols]);
}

float *stepocl_steps(const struct stepocl_problem *p, float *cells, float *other)
{
	for (int i = 0; i < p->steps; i++) {
		float *const next = other;

		step(p, next, cells);
		other = cells;
		cells = next;
	}
	return cells;
}

static void stepocl(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct stepocl_problem *const p = problem;
	float *const cells = bench_new(stepocl_bytes(p)), *const other = bench_new(stepocl_bytes(p));

	(void)machine;
	while (bench_round(clock)) {
		memcpy(cells, p->first, stepocl_bytes(p));
		memcpy(other, p->first, stepocl_bytes(p));
		bench_start(clock);
		bench_stop(clock, stepocl_steps(p, cells, other));
	}
	free(cells);
	free(other);
}

const struct bench_version stepocl_plain = {.name = "plain", .optional = 1, .program = stepocl};
