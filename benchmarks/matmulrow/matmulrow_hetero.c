/* matmulrow_hetero.c - MatmulRow with Hetero. */

#include "matmulrow/matmulrow.h"

#include "common/library.h"

struct state {
	const struct matrix_problem *problem;
	het_team *team;
	het_kernel *rows;
	het_array *a, *b, *c;
	const double *result;
};

/* Work-items make MATRIX_ITEM_ROWS rows; of a range dimension 1 counts these, and so it does of the arrays. */
static void *matmulrow_open(const void *problem, const struct bench_machine *machine)
{
	const struct matrix_problem *const p = problem;
	const struct het_shape shape = het_shape(3, 1, p->n / MATRIX_ITEM_ROWS, MATRIX_ITEM_ROWS * p->n);
	struct state *const s = bench_new(sizeof *s);

	s->problem = p;
	s->team = het_everyone(machine->system);
	s->rows = library_kernel(machine->system, MATRIX_KERNELS, "rows");
	s->a = library_array(machine->system, HET_DOUBLE, shape);
	s->b = library_array(machine->system, HET_DOUBLE, shape);
	s->c = library_array(machine->system, HET_DOUBLE, shape);
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
	const int n = s->problem->n;

	must(het_spread(s->rows, s->team, het_grid(2, n / MATRIX_ITEM_COLS, n / MATRIX_ITEM_ROWS),
			HET_OUT(HET_COLS_OF(s->c)), HET_IN(HET_COLS_OF(s->a)), HET_IN(s->b), HET_VAL(n)));
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
