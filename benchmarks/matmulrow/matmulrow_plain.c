/* matmulrow_plain.c - the product in plain C, on one core, its loops in an order that suits caches. */

#include "matmulrow/matmulrow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void multiply(const struct matrix_problem *p, double *c)
{
	const int64_t n = p->n;

	memset(c, 0, (size_t)(n * n) * sizeof *c);
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < n; k++) {
			const double factor = p->a[i * n + k], *const line = p->b + k * n;

			for (int64_t j = 0; j < n; j++)
				c[i * n + j] += factor * line[j];
		}
}

static void matmulrow(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct matrix_problem *const p = problem;
	double *const c = bench_new((size_t)p->n * (size_t)p->n * sizeof *c);

	(void)machine;
	while (bench_round(clock)) {
		bench_start(clock);
		multiply(p, c);
		bench_stop(clock, c);
	}
	free(c);
}

const struct bench_version matmulrow_plain = {.name = "plain", .optional = 1, .program = matmulrow};
