/* path_frontiers.c - Shortest paths with Hetero, where a row beside a cut is sent only when it has changed, as
 * Vialle and others do. A sweep writes over what was written two sweeps before, so a row stays the same where
 * two sweeps in turn do not change it; to know that, the program waits for each sweep. (Where --rebalance moves
 * a cut after the plan was asked for, rows beside the old one are declared, and those beside the new one
 * sent.) */

#include "path/path.h"

#include <string.h>

#include "common/library.h"

struct state {
	const struct path_problem *problem;
	het_team *team;
	het_kernel *sweep;
	het_array *now, *next, *height, *row_last;
	struct het_part part[HAND_DEVICES_MOST];
};

static struct state made(const struct path_problem *p, het_system *system, het_team *team)
{
	const struct het_shape items = het_shape(2, path_rows(p), p->pitch / PATH_ITEM);
	const het_type cost = p->is_double ? HET_DOUBLE4 : HET_FLOAT4;
	struct state s = {.problem = p, .team = team};

	s.sweep = library_kernel(system, PATH_KERNELS, path_kernel(p));
	s.now = library_array(system, cost, items);
	s.next = library_array(system, cost, items);
	s.height = library_array(system, HET_FLOAT4, items);
	s.row_last = library_array(system, HET_INT, het_shape(1, path_rows(p)));
	return s;
}

/* Plans a sweep and, unless `plan_only`, starts it. Each row keeps the number of the last that changed it. */
static void plan_sweep(struct state *s, int number, int plan_only)
{
	const struct path_problem *const p = s->problem;
	const struct het_range points = het_range(2, 1, p->rows + 1, 0, p->pitch / PATH_ITEM);
	const struct het_arg args[] = {HET_OUT(HET_ROWS_OF(s->next)),
				       HET_INOUT(HET_ROWS_OF(s->row_last)),
				       HET_IN(HET_HALO(s->now, 1, 1)),
				       HET_IN(HET_HALO(s->height, 1, 1)),
				       HET_BYTES(path_flats(p), path_flats_bytes(p)),
				       HET_VAL(p->pitch),
				       HET_VAL(0),
				       HET_VAL(1),
				       HET_VAL(0),
				       HET_VAL(number)};
	const int count = (int)(sizeof args / sizeof args[0]);
	int rows_are_cut; /* always: rows are dimension 0, which is cut */

	must(het_spread_plan_args(s->sweep, s->team, points, s->part, &rows_are_cut, args, count));
	if (!plan_only)
		must(het_spread_args(s->sweep, s->team, points, args, count));
}

void path_plan(const struct path_problem *problem, het_system *system, het_team *team, struct het_part *part)
{
	struct state s = made(problem, system, team);

	plan_sweep(&s, 0, 1);
	memcpy(part, s.part, (size_t)het_team_count(team) * sizeof *part);
	must(het_array_free(s.now));
	must(het_array_free(s.next));
	must(het_array_free(s.height));
	must(het_array_free(s.row_last));
	must(het_kernel_free(s.sweep));
}

/* Waits for the sweep. Rows beside a cut that neither this sweep nor the one before has changed were sent after
 * the sweep before these, and are still the same. */
static void keep_frontiers(const struct state *s, int number)
{
	for (int i = 0; i < het_team_count(s->team); i++) {
		const int64_t lo = s->part[i].range.lo[0], hi = s->part[i].range.hi[0];
		int last[2];

		if (lo == 1 || lo == hi)
			continue; /* nobody is above */
		must(het_read(het_view(s->row_last, het_rows(lo - 1, lo + 1)), last));
		for (int row = 0; row < 2; row++)
			if (last[row] < number - 1)
				must(het_unmodified(het_view(s->next, het_rows(lo - 1 + row, lo + row))));
	}
}

/* Which sweep was the last that changed something anywhere. */
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

/* As path_hetero.c, but for the frontiers. */
static void path(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct path_problem *const p = problem;
	struct state s = made(p, machine->system, strips_team(machine));
	const int never = 0;

	while (bench_round(clock)) {
		struct path_result result;
		int sweeps = 0, last;

		must(het_write(het_view(s.now, het_whole()), p->cost));
		must(het_write(het_view(s.next, het_whole()), p->cost));
		must(het_write(het_view(s.height, het_whole()), p->height));
		must(het_fill(het_view(s.row_last, het_whole()), &never));
		plan_sweep(&s, never, 0);
		must(het_wait(s.next));
		bench_start(clock);
		do {
			for (int i = 0; i < p->batch; i++) {
				plan_sweep(&s, ++sweeps, 0);
				keep_frontiers(&s, sweeps);
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

const struct bench_version path_frontiers = {.name = "frontiers", .optional = 1, .program = path};
