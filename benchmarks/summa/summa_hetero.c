/* summa_hetero.c - SUMMA with Hetero. Launches do not wait, and say which panel they read: what the next step
 * needs is on its way while a device computes. */

#include "summa/summa.h"

#include "common/library.h"

struct state {
	const struct matrix_problem *problem;
	het_system *system;
	het_kernel *panel;
	het_array *a, *b, *c;
	const double *result;
};

static void *summa_open(const void *problem, const struct bench_machine *machine)
{
	const struct matrix_problem *const p = problem;
	const struct het_shape shape = het_shape(2, p->n, p->n);
	struct state *const s = bench_new(sizeof *s);

	s->problem = p;
	s->system = machine->system;
	s->panel = library_kernel(s->system, MATRIX_KERNELS, "panel");
	s->a = library_array(s->system, HET_DOUBLE, shape);
	s->b = library_array(s->system, HET_DOUBLE, shape);
	s->c = library_array(s->system, HET_DOUBLE, shape);
	return s;
}

static void summa_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->a, het_whole()), s->problem->a));
	must(het_write(het_view(s->b, het_whole()), s->problem->b));
}

/* What the panel from `from` on adds to a block; the first makes it. */
static void add_panel(struct state *s, const struct summa_block *b, int from)
{
	const int n = s->problem->n, width = s->problem->panel;
	const int row_end = b->row + b->rows, column_end = b->column + b->columns;
	const struct het_range range = het_range(2, b->column / MATRIX_ITEM_COLS, column_end / MATRIX_ITEM_COLS,
						 b->row / MATRIX_ITEM_ROWS, row_end / MATRIX_ITEM_ROWS);
	const struct het_box own = het_box(2, b->row, row_end, b->column, column_end);

	must(het_launch(s->panel, het_device(s->system, b->device), range,
			from ? HET_INOUT_PART(s->c, own) : HET_OUT_PART(s->c, own),
			HET_IN_PART(s->a, het_box(2, b->row, row_end, from, from + width)),
			HET_IN_PART(s->b, het_box(2, from, from + width, b->column, column_end)), HET_VAL(n),
			HET_VAL(n), HET_VAL(n), HET_VAL(from), HET_VAL(from), HET_VAL(width), HET_VAL(from)));
}

static const void *summa_run(void *state)
{
	struct state *const s = state;
	struct summa_block blocks[SUMMA_BLOCKS_MOST];
	const int count = summa_cut(blocks, s->problem->n, het_device_count(s->system));

	for (int from = 0; from < s->problem->n; from += s->problem->panel)
		for (int i = 0; i < count; i++)
			add_panel(s, &blocks[i], from);
	must(het_map(s->c, HET_READ, &s->result));
	return s->result;
}

static void summa_finish(void *state)
{
	must(het_unmap(((struct state *)state)->c));
}

const struct bench_version summa_hetero = {.name = "hetero",
					   .open = summa_open,
					   .prepare = summa_prepare,
					   .run = summa_run,
					   .finish = summa_finish,
					   .close = free};
