/* jacobi_hetero.c - Jacobi with Hetero. */

#include "jacobi/jacobi.h"

#include "common/library.h"

/* Parts write whole rows: so it is the rows that are cut. */
static void start_sweep(const struct jacobi_problem *p, het_team *team, het_kernel *sweep, het_array *next,
			het_array *now)
{
	must(het_spread(sweep, team, het_range(2, 1, p->rows - 1, 0, p->pitch), HET_OUT(HET_ROWS_OF(next)),
			HET_IN(HET_HALO(now, 1, 1)), HET_VAL(p->cols), HET_VAL(p->pitch), HET_VAL(0)));
}

/* Before the clock starts, a sweep that is made once more brings devices what they will read. What stays is the
 * same in both grids. */
static void jacobi(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct jacobi_problem *const p = problem;
	const het_type type = p->is_double ? HET_DOUBLE : HET_FLOAT;
	het_team *const team = strips_team(machine);
	het_kernel *const sweep = library_kernel(machine->system, JACOBI_KERNELS, jacobi_kernel(p));
	het_array *const now = library_array(machine->system, type, het_shape(2, p->rows, p->pitch));
	het_array *const next = library_array(machine->system, type, het_shape(2, p->rows, p->pitch));
	void *result;

	while (bench_round(clock)) {
		must(het_write(het_view(now, het_whole()), p->cells));
		must(het_write(het_view(next, het_whole()), p->cells));
		start_sweep(p, team, sweep, next, now);
		must(het_wait(next));
		bench_start(clock);
		for (int step = 0; step < p->steps; step++) {
			start_sweep(p, team, sweep, next, now);
			must(het_swap(now, next));
		}
		must(het_map(now, HET_READ, &result));
		bench_stop(clock, result);
		must(het_unmap(now));
	}
}

const struct bench_version jacobi_hetero = {.name = "hetero", .program = jacobi};
