/* matrix.c - the matrices of the products, and whether a product is right. */

#include "common/matrix.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bench.h"
#include "common/random46.h"

/* A class, and, of some, figures of the product that were computed otherwise. */
struct known {
	struct matrix_problem problem;
	double trace, sum, squares;  /* of the diagonal, of all, of all their squares (0: not known) */
	double first, last, inside; /* elements (0, 0), (n - 1, n - 1), (1000, 2000) (0: not known) */
};

static struct known classes[] = {
	{.problem = {.name = "S", .n = 240, .panel = 60}},
	{.problem = {.name = "W", .n = 1200, .panel = 240}, .trace = -126, .sum = 39, .squares = 2877028173,
	 .first = 67, .last = -54},
	{.problem = {.name = "A", .n = 2400, .panel = 240}},
	{.problem = {.name = "B", .n = 6000, .panel = 240}, .trace = -28, .sum = -28, .first = 22, .last = -58,
	 .inside = -18},
};

static double *new_matrix(int n, int by_row, int by_column, int modulus, int shift)
{
	double *const m = bench_new((size_t)n * (size_t)n * sizeof *m);

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++)
			m[i * n + j] = (double)((by_row * i + by_column * j) % modulus - shift);
	return m;
}

const void *matrix_problem(const char *name)
{
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		struct matrix_problem *const p = &classes[i].problem;

		if (strcmp(p->name, name))
			continue;
		p->a = new_matrix(p->n, 7, 3, 11, 5);
		p->b = new_matrix(p->n, 5, 2, 13, 6);
		return p;
	}
	return NULL;
}

static double *new_times(const double *m, const double *x, int n)
{
	double *const y = bench_new((size_t)n * sizeof *y);

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++)
			y[i] += m[i * n + j] * x[j];
	return y;
}

/* All numbers here are exact: nothing but equality is right. */
static int is_same(double got, double wanted)
{
	return got >= wanted && got <= wanted;
}

/* Rows in which C x differs from A (B x) for a random x of whole numbers: all sums are exact. */
static int wrong_rows(const struct matrix_problem *p, const double *c)
{
	double *const x = bench_new((size_t)p->n * sizeof *x);
	double *bx, *abx, *cx;
	uint64_t seed = 314159265;
	int wrong = 0;

	for (int i = 0; i < p->n; i++)
		x[i] = (double)(int)(random46(&seed) * 65536);
	bx = new_times(p->b, x, p->n);
	abx = new_times(p->a, bx, p->n);
	cx = new_times(c, x, p->n);
	for (int i = 0; i < p->n; i++)
		wrong += !is_same(cx[i], abx[i]);
	free(x);
	free(bx);
	free(abx);
	free(cx);
	return wrong;
}

static int are_known(const struct known *k, const double *c)
{
	const int64_t n = k->problem.n;
	double trace = 0, sum = 0, squares = 0;

	for (int64_t i = 0; i < n; i++)
		trace += c[i * n + i];
	for (int64_t i = 0; i < n * n; i++) {
		sum += c[i];
		squares += c[i] * c[i];
	}
	return is_same(trace, k->trace) && is_same(sum, k->sum) && is_same(c[0], k->first) &&
	       is_same(c[n * n - 1], k->last) && (is_same(k->squares, 0) || is_same(squares, k->squares)) &&
	       (is_same(k->inside, 0) || is_same(c[1000 * n + 2000], k->inside));
}

int matrix_verify(const void *problem, const void *result, char *said, size_t bytes)
{
	const struct known *const k = problem; /* whose first member it is */
	const int is_known = k->first > 0, wrong = wrong_rows(&k->problem, result);
	const int right = !wrong && (!is_known || are_known(k, result));

	snprintf(said, bytes, "%d of %d rows wrong%s", wrong, k->problem.n,
		 !is_known ? ""
		 : right   ? ", sums as known"
			   : ", sums wrong");
	return right;
}

double matrix_operations(const void *problem)
{
	const double n = ((const struct matrix_problem *)problem)->n;

	return 2 * n * n * n;
}
