/* summa.c - SUMMA: a matrix product on a grid of devices, in steps. A step adds the product of a panel of
 * a's columns and one of b's rows, of which every device gets what its block of the result needs. The
 * matrices begin and end in the host's memory. */

#include "summa/summa.h"

#include <stdio.h>
#include <string.h>

#include "common/number.h"

/* Of the grid of devices; 0: --grid does not say. */
static int grid_rows, grid_columns;

static int rows_of(int devices)
{
	return grid_rows ? grid_rows : devices == 4 ? 2 : 1;
}

static int columns_of(int devices)
{
	return grid_columns ? grid_columns : devices / rows_of(devices);
}

int summa_cut(struct summa_block blocks[SUMMA_BLOCKS_MOST], int n, int devices)
{
	const int rows = rows_of(devices), columns = columns_of(devices);
	int count = 0;

	for (int i = 0; i < rows * columns; i++) {
		struct summa_block b;

		b.row = bench_first(n, MATRIX_UNIT_ROWS, i / columns, rows);
		b.rows = bench_first(n, MATRIX_UNIT_ROWS, i / columns + 1, rows) - b.row;
		b.column = bench_first(n, MATRIX_UNIT_COLS, i % columns, columns);
		b.columns = bench_first(n, MATRIX_UNIT_COLS, i % columns + 1, columns) - b.column;
		b.device = i % devices;
		if (b.rows && b.columns)
			blocks[count++] = b;
	}
	return count;
}

static void say_grid(int devices, char *said, size_t bytes)
{
	snprintf(said, bytes, ", grid %dx%d", rows_of(devices), columns_of(devices));
}

static int read_grid(const char *name, const char *value)
{
	const char *rest;

	if (strcmp(name, "--grid") || !value)
		return -1;
	rest = number_before(value, 1, 8, &grid_rows);
	return !rest || *rest != 'x' || number_read(rest + 1, 1, 8, &grid_columns) != 0;
}

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {&summa_hetero, &summa_shared, &summa_copying,
							       NULL};
	const struct benchmark summa = {
		.name = "summa",
		.purpose =
			"A matrix product in double precision on a grid of devices, panel after panel. 2 n^3\n"
			"operations.",
		.classes = MATRIX_CLASSES,
		.versions = versions,
		.local = &summa_local,
		.problem = matrix_problem,
		.verify = matrix_verify,
		.operations = matrix_operations,
		.say_cut = say_grid,
		.option = read_grid,
		.option_help = "  --grid RxC           of devices, at most 8x8; the devices take its places by "
			       "turns\n",
	};

	return bench_main(&summa, argc, argv);
}
