/* path_hetero.c - Shortest paths with Hetero. */

#include "path/path.h"

#include "common/library.h"

struct state {
	const struct path_problem *problem;
	het_team *team;
	het_kernel *sweep;
	het_array *now, *next, *height, *row_last;
};

/* Each row has the number of the last sweep that changed something there. */
static void start_sweep(const struct state *s, int number)
{
	const struct path_problem *const p = s->problem;

	must(het_spread(s->sweep, s->team, het_range(2, 1, p->rows + 1, 0, p->pitch / PATH_ITEM),
			HET_OUT(HET_ROWS_OF(s->next)), HET_INOUT(HET_ROWS_OF(s->row_last)),
			HET_IN(HET_HALO(s->now, 1, 1)), HET_IN(HET_HALO(s->height, 1, 1)),
			HET_BYTES(path_flats(p), path_flats_bytes(p)), HET_VAL(p->pitch), HET_VAL(0),
			HET_VAL(1), HET_VAL(0), HET_VAL(number)));
}

/* Waits for what was started. Which sweep was the last that changed something anywhere. */
static int last_change(const struct state *s)
{
	const int *row_last;
	int last = 0;

	must(het_map(s->row_last, HET_READ, &row_last));
	for (int i = 0; i < path_rows(s->problem); i++)
		last = row_last[i] > last ? row_last[i] : last;
	must(het_unmap(s->row_last));
	return last;
}

/* An element of the arrays is what a work-item looks at. Before the clock starts, a sweep number 0, which is
 * made once more, brings devices what they will read. After each batch the host looks which sweep was the last
 * that changed something anywhere. */
static void path(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct path_problem *const p = problem;
	const struct het_shape items = het_shape(2, path_rows(p), p->pitch / PATH_ITEM);
	const het_type cost = p->is_double ? HET_DOUBLE4 : HET_FLOAT4;
	struct state s = {.problem = p, .team = strips_team(machine)};
	const int never = 0;

	s.sweep = library_kernel(machine->system, PATH_KERNELS, path_kernel(p));
	s.now = library_array(machine->system, cost, items);
	s.next = library_array(machine->system, cost, items);
	s.height = library_array(machine->system, HET_FLOAT4, items);
	s.row_last = library_array(machine->system, HET_INT, het_shape(1, path_rows(p)));
	while (bench_round(clock)) {
		struct path_result result;
		int sweeps = 0, last;

		must(het_write(het_view(s.now, het_whole()), p->cost));
		must(het_write(het_view(s.next, het_whole()), p->cost));
		must(het_write(het_view(s.height, het_whole()), p->height));
		must(het_fill(het_view(s.row_last, het_whole()), &never));
		start_sweep(&s, never);
		must(het_wait(s.next));
		bench_start(clock);
		do {
			for (int i = 0; i < p->batch; i++) {
				start_sweep(&s, ++sweeps);
				must(het_swap(s.now, s.next));
			}
			last = last_change(&s);
		} while (last == sweeps);
		must(het_map(s.now, HET_READ, &result.cost));
		result.sweeps = last + 1;
		bench_stop(clock, &result);
		must(het_unmap(s.now));
	}
}

const struct bench_version path_hetero = {.name = "hetero", .program = path};
