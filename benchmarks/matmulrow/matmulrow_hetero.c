/* matmulrow_hetero.c - MatmulRow with Hetero. */

#include "matmulrow/matmulrow.h"

#include "must.h"

struct state {
	const struct matrix_problem *problem;
	het_system *system;
	het_kernel *rows;
	het_array *a, *b, *c;
	const double *result;
};

static void *matmulrow_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);
	struct het_shape shape;

	s->problem = problem;
	s->system = machine->system;
	shape = het_shape(2, s->problem->n, s->problem->n);
	must(het_kernel_from_file(s->system, MATRIX_KERNELS, "rows", NULL, &s->rows));
	must(het_array_new(s->system, HET_DOUBLE, shape, &s->a));
	must(het_array_new(s->system, HET_DOUBLE, shape, &s->b));
	must(het_array_new(s->system, HET_DOUBLE, shape, &s->c));
	return s;
}

static void matmulrow_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->a, het_whole()), s->problem->a));
	must(het_write(het_view(s->b, het_whole()), s->problem->b));
}

static const void *matmulrow_run(void *state)
{
	struct state *const s = state;
	const int n = s->problem->n, count = het_device_count(s->system);

	for (int d = 0; d < count; d++) {
		const int lo = bench_first(n, MATRIX_UNIT_ROWS, d, count);
		const int hi = bench_first(n, MATRIX_UNIT_ROWS, d + 1, count);
		const struct het_range range =
			het_range(2, 0, n / MATRIX_ITEM_COLS, lo / MATRIX_ITEM_ROWS, hi / MATRIX_ITEM_ROWS);

		must(het_launch(s->rows, het_device(s->system, d), het_local(range, MATRIX_GROUP, 1),
				HET_OUT_PART(s->c, het_rows(lo, hi)), HET_IN_PART(s->a, het_rows(lo, hi)),
				HET_IN(s->b), HET_VAL(n)));
	}
	must(het_map(s->c, HET_READ, &s->result));
	return s->result;
}

static void matmulrow_finish(void *state)
{
	must(het_unmap(((struct state *)state)->c));
}

static void matmulrow_close(void *state)
{
	struct state *const s = state;

	must(het_array_free(s->a));
	must(het_array_free(s->b));
	must(het_array_free(s->c));
	must(het_kernel_free(s->rows));
	free(s);
}

const struct bench_version matmulrow_hetero = {.name = "hetero",
					       .open = matmulrow_open,
					       .prepare = matmulrow_prepare,
					       .run = matmulrow_run,
					       .finish = matmulrow_finish,
					       .close = matmulrow_close};
