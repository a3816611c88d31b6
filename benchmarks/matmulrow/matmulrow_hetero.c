/* matmulrow_hetero.c - MatmulRow with Hetero. */

#include "matmulrow/matmulrow.h"

#include <math.h>

#include "common/library.h"

/* A work-item makes a band of MATRIX_ITEM_ROWS rows. Dimension 1, of range and arrays, counts bands. */
static void matmulrow(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct matrix_problem *const p = problem;
	const int n = p->n;
	const struct het_shape shape = het_shape(3, 1, n / MATRIX_ITEM_ROWS, MATRIX_ITEM_ROWS * n);
	het_team *const team = het_everyone(machine->system);
	het_kernel *const rows = library_kernel(machine->system, MATRIX_KERNELS, "rows");
	het_array *const a = library_array(machine->system, HET_DOUBLE, shape);
	het_array *const b = library_array(machine->system, HET_DOUBLE, shape);
	het_array *const c = library_array(machine->system, HET_DOUBLE, shape);
	const double *result;

	while (bench_round(clock)) {
		must(het_write(het_view(a, het_whole()), p->a));
		must(het_write(het_view(b, het_whole()), p->b));
		library_spoil(c, &(double){NAN});
		bench_start(clock);
		must(het_spread(rows, team, het_grid(2, n / MATRIX_ITEM_COLS, n / MATRIX_ITEM_ROWS),
				HET_OUT(HET_COLS_OF(c)), HET_IN(HET_COLS_OF(a)), HET_IN(b), HET_VAL(n)));
		must(het_map(c, HET_READ, &result));
		bench_stop(clock, result);
		must(het_unmap(c));
	}
}

const struct bench_version matmulrow_hetero = {.name = "hetero", .program = matmulrow};
