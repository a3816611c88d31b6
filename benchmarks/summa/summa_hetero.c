/* summa_hetero.c - SUMMA with Hetero. Launches do not wait, and say which panel they read: what the next step
 * needs is on its way while a device computes. */

#include "summa/summa.h"

#include <math.h>

#include "common/library.h"

/* A launch adds to a block what the panel from `from` on gives; the first makes the block. */
static void summa(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct matrix_problem *const p = problem;
	const int n = p->n, width = p->panel;
	const struct het_shape shape = het_shape(2, n, n);
	het_system *const system = machine->system;
	het_kernel *const panel = library_kernel(system, MATRIX_KERNELS, "panel");
	het_array *const a = library_array(system, HET_DOUBLE, shape);
	het_array *const b = library_array(system, HET_DOUBLE, shape);
	het_array *const c = library_array(system, HET_DOUBLE, shape);
	struct summa_block blocks[SUMMA_BLOCKS_MOST];
	const double *result;
	int count;

	while (bench_round(clock)) {
		must(het_write(het_view(a, het_whole()), p->a));
		must(het_write(het_view(b, het_whole()), p->b));
		library_spoil(c, &(double){NAN});
		bench_start(clock);
		count = summa_cut(blocks, n, het_device_count(system));
		for (int from = 0; from < n; from += width)
			for (int i = 0; i < count; i++) {
				const struct summa_block *const k = &blocks[i];
				const int row_end = k->row + k->rows, column_end = k->column + k->columns;
				const struct het_box own = het_box(2, k->row, row_end, k->column, column_end);
				const struct het_range range = het_range(
					2, k->column / MATRIX_ITEM_COLS, column_end / MATRIX_ITEM_COLS,
					k->row / MATRIX_ITEM_ROWS, row_end / MATRIX_ITEM_ROWS);

				must(het_launch(
					panel, het_device(system, k->device), range,
					from ? HET_INOUT_PART(c, own) : HET_OUT_PART(c, own),
					HET_IN_PART(a, het_box(2, k->row, row_end, from, from + width)),
					HET_IN_PART(b, het_box(2, from, from + width, k->column, column_end)),
					HET_VAL(n), HET_VAL(n), HET_VAL(n), HET_VAL(from), HET_VAL(from),
					HET_VAL(width), HET_VAL(from)));
			}
		must(het_map(c, HET_READ, &result));
		bench_stop(clock, result);
		must(het_unmap(c));
	}
}

const struct bench_version summa_hetero = {.name = "hetero", .program = summa};
