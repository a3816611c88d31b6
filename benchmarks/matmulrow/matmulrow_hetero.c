/* matmulrow_hetero.c - MatmulRow with Hetero. */

#include "matmulrow/matmulrow.h"

#include "common/library.h"

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
	s->rows = library_kernel(s->system, MATRIX_KERNELS, "rows");
	s->a = library_array(s->system, HET_DOUBLE, shape);
	s->b = library_array(s->system, HET_DOUBLE, shape);
	s->c = library_array(s->system, HET_DOUBLE, shape);
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
		const struct het_box own = library_rows(n, MATRIX_UNIT_ROWS, d, count);
		const struct het_range range = het_range(
			2, 0, n / MATRIX_ITEM_COLS, own.lo[0] / MATRIX_ITEM_ROWS, own.hi[0] / MATRIX_ITEM_ROWS);

		must(het_launch(s->rows, het_device(s->system, d), het_local(range, MATRIX_GROUP, 1),
				HET_OUT_PART(s->c, own), HET_IN_PART(s->a, own), HET_IN(s->b), HET_VAL(n)));
	}
	must(het_map(s->c, HET_READ, &s->result));
	return s->result;
}

static void matmulrow_finish(void *state)
{
	must(het_unmap(((struct state *)state)->c));
}

const struct bench_version matmulrow_hetero = {.name = "hetero",
					       .open = matmulrow_open,
					       .prepare = matmulrow_prepare,
					       .run = matmulrow_run,
					       .finish = matmulrow_finish,
					       .close = free};
