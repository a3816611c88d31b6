/* path_flags.c - Shortest paths with Hetero, where a flag of all devices is combined after every sweep; for the
 * cost of that. */

#include "path/path.h"

#include "common/library.h"

static void start_sweep(const struct path_problem *p, het_team *team, het_kernel *sweep, het_array *next,
			het_array *changed, het_array *now, het_array *height)
{
	must(het_spread(sweep, team, het_range(2, 1, p->rows + 1, 0, p->pitch / PATH_ITEM),
			HET_OUT(HET_ROWS_OF(next)), HET_OUT(HET_OR(changed)), HET_IN(HET_HALO(now, 1, 1)),
			HET_IN(HET_HALO(height, 1, 1)), HET_BYTES(path_flats(p), path_flats_bytes(p)),
			HET_VAL(p->pitch), HET_VAL(0), HET_VAL(0), HET_VAL(0), HET_VAL(1)));
}

/* The first sweep of the batch that changed nothing; `batch`: there is none. */
static int find_quiet(het_array **changed, int batch)
{
	int which = 0, has_changed = 1;

	while (has_changed && which < batch) {
		must(het_read(het_view(changed[which], het_whole()), &has_changed));
		which += has_changed;
	}
	return which;
}

/* An element of the arrays is what a work-item looks at. Before the clock starts, a sweep that is made once
 * more brings devices what they will read. */
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
	het_array **const changed = bench_new((size_t)p->batch * sizeof *changed);

	for (int which = 0; which < p->batch; which++)
		changed[which] = library_array(machine->system, HET_INT, het_shape(1, 1));
	while (bench_round(clock)) {
		struct path_result result;
		int quiet = p->batch, before = 0;

		must(het_write(het_view(now, het_whole()), p->cost));
		must(het_write(het_view(next, het_whole()), p->cost));
		must(het_write(het_view(height, het_whole()), p->height));
		start_sweep(p, team, sweep, next, changed[0], now, height);
		must(het_wait(next));
		bench_start(clock);
		for (; quiet == p->batch; before += quiet) {
			for (int which = 0; which < p->batch; which++) {
				start_sweep(p, team, sweep, next, changed[which], now, height);
				must(het_swap(now, next));
			}
			quiet = find_quiet(changed, p->batch);
		}
		must(het_map(now, HET_READ, &result.cost));
		result.sweeps = before + 1;
		bench_stop(clock, &result);
		must(het_unmap(now));
	}
	free(changed);
}

const struct bench_version path_flags = {.name = "flags", .optional = 1, .program = path};
