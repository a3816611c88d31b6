/* path_hetero.c - Shortest paths with Hetero. */

#include "path/path.h"

#include "common/library.h"

/* Each row has the number of the last sweep that changed something there. */
static void start_sweep(const struct path_problem *p, het_team *team, het_kernel *sweep, het_array *next,
			het_array *row_last, het_array *now, het_array *height, int number)
{
	must(het_spread(sweep, team, het_range(2, 1, p->rows + 1, 0, p->pitch / PATH_ITEM),
			HET_OUT(HET_ROWS_OF(next)), HET_INOUT(HET_ROWS_OF(row_last)),
			HET_IN(HET_HALO(now, 1, 1)), HET_IN(HET_HALO(height, 1, 1)),
			HET_BYTES(path_flats(p), path_flats_bytes(p)), HET_VAL(p->pitch), HET_VAL(0),
			HET_VAL(1), HET_VAL(0), HET_VAL(number)));
}

/* An element of the arrays is what a work-item looks at. Before the clock starts, a sweep number 0, which is
 * made once more, brings devices what they will read. After each batch of sweeps somebody looks which was the
 * last that changed something anywhere. */
static void path(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct path_problem *const p = problem;
	const struct het_shape items = het_shape(2, path_rows(p), p->pitch / PATH_ITEM);
	const het_type cost = p->is_double ? HET_DOUBLE4 : HET_FLOAT4;
	het_team *const team = strips_team(machine);
	het_kernel *const sweep = library_kernel(machine->system, PATH_KERNELS, path_kernel(p));
	het_array *const now = library_array(machine->system, cost, items);
	het_array *const next = library_array(machine->system, cost, items);
	het_array *const height = library_array(machine->system, HET_FLOAT4, items);
	het_array *const row_last = library_array(machine->system, HET_INT, het_shape(1, path_rows(p)));
	het_array *const last_of_all = library_array(machine->system, HET_INT, het_shape(1, 1));
	const int never = 0;

	while (bench_round(clock)) {
		struct path_result result;
		int sweeps = 0, last;

		must(het_write(het_view(now, het_whole()), p->cost));
		must(het_write(het_view(next, het_whole()), p->cost));
		must(het_write(het_view(height, het_whole()), p->height));
		must(het_fill(het_view(row_last, het_whole()), &never));
		start_sweep(p, team, sweep, next, row_last, now, height, never);
		must(het_wait(next));
		bench_start(clock);
		do {
			for (int i = 0; i < p->batch; i++) {
				start_sweep(p, team, sweep, next, row_last, now, height, ++sweeps);
				must(het_swap(now, next));
			}
			must(het_reduce(HET_REDUCE_MAX, het_view(row_last, het_whole()),
					het_view(last_of_all, het_whole()), team));
			must(het_read(het_view(last_of_all, het_whole()), &last));
		} while (last == sweeps);
		must(het_map(now, HET_READ, &result.cost));
		result.sweeps = last + 1;
		bench_stop(clock, &result);
		must(het_unmap(now));
	}
}

const struct bench_version path_hetero = {.name = "hetero", .program = path};
