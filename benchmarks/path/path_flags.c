/* path_flags.c - Shortest paths with Hetero, where a flag of all devices is combined after every sweep; for the
 * cost of that. */

#include "path/path.h"

#include "common/library.h"

struct state {
	const struct path_problem *problem;
	het_team *team;
	het_kernel *sweep;
	het_array *now, *next, *height;
};

static void start_sweep(const struct state *s, het_array *changed)
{
	const struct path_problem *const p = s->problem;

	must(het_spread(s->sweep, s->team, het_range(2, 1, p->rows + 1, 0, p->pitch / PATH_ITEM),
			HET_OUT(HET_ROWS_OF(s->next)), HET_OUT(HET_OR(changed)), HET_IN(HET_HALO(s->now, 1, 1)),
			HET_IN(HET_HALO(s->height, 1, 1)), HET_BYTES(path_flats(p), path_flats_bytes(p)),
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
	struct state s = {.problem = p, .team = strips_team(machine)};
	het_array **const changed = bench_new((size_t)p->batch * sizeof *changed);

	s.sweep = library_kernel(machine->system, PATH_KERNELS, path_kernel(p));
	s.now = library_array(machine->system, cost, items);
	s.next = library_array(machine->system, cost, items);
	s.height = library_array(machine->system, HET_FLOAT4, items);
	for (int which = 0; which < p->batch; which++)
		changed[which] = library_array(machine->system, HET_INT, het_shape(1, 1));
	while (bench_round(clock)) {
		struct path_result result;
		int quiet = p->batch, before = 0;

		must(het_write(het_view(s.now, het_whole()), p->cost));
		must(het_write(het_view(s.next, het_whole()), p->cost));
		must(het_write(het_view(s.height, het_whole()), p->height));
		start_sweep(&s, changed[0]);
		must(het_wait(s.next));
		bench_start(clock);
		for (; quiet == p->batch; before += quiet) {
			for (int which = 0; which < p->batch; which++) {
				start_sweep(&s, changed[which]);
				must(het_swap(s.now, s.next));
			}
			quiet = find_quiet(changed, p->batch);
		}
		must(het_map(s.now, HET_READ, &result.cost));
		result.sweeps = before + 1;
		bench_stop(clock, &result);
		must(het_unmap(s.now));
	}
	free(changed);
}

const struct bench_version path_flags = {.name = "flags", .optional = 1, .program = path};
