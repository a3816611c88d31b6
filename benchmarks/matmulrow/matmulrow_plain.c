/* matmulrow_plain.c - the product in plain C, on one core, its loops in an order that suits caches. */

#include "matmulrow/matmulrow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct state {
	const struct matrix_problem *problem;
	double *c;
};

static void *matmulrow_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	(void)machine;
	s->problem = problem;
	s->c = bench_new((size_t)s->problem->n * (size_t)s->problem->n * sizeof *s->c);
	return s;
}

static const void *matmulrow_run(void *state)
{
	struct state *const s = state;
	const int64_t n = s->problem->n;

	memset(s->c, 0, (size_t)(n * n) * sizeof *s->c);
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < n; k++) {
			const double factor = s->problem->a[i * n + k], *const line = s->problem->b + k * n;

			for (int64_t j = 0; j < n; j++)
				s->c[i * n + j] += factor * line[j];
		}
	return s->c;
}

static void matmulrow_close(void *state)
{
	struct state *const s = state;

	free(s->c);
	free(s);
}

const struct bench_version matmulrow_plain = {
	.name = "plain", .optional = 1, .open = matmulrow_open, .run = matmulrow_run, .close = matmulrow_close};
