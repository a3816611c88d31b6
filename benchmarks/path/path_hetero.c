/* path_hetero.c - Shortest paths with Hetero. */

#include "path/path.h"

#include "common/library.h"
#include "path/scene.h"

struct state {
	const struct path_problem *problem;
	het_system *system;
	het_team *team;
	het_kernel *sweep;
	het_array *now, *next, *height, *row_last, *last;
	struct het_range points;
	int sweeps;
	struct path_result result;
};

/* An element of the arrays is what a work-item looks at. */
void *path_open_team(const struct path_problem *p, het_system *system, het_team *team)
{
	struct state *const s = bench_new(sizeof *s);
	const struct het_shape items = het_shape(2, path_rows(p), p->pitch / PATH_ITEM);

	s->problem = p;
	s->system = system;
	s->team = team;
	s->sweep = library_kernel(system, PATH_KERNELS, "sweep");
	s->now = library_array(system, HET_DOUBLE4, items);
	s->next = library_array(system, HET_DOUBLE4, items);
	s->height = library_array(system, HET_FLOAT4, items);
	s->row_last = library_array(system, HET_INT, het_shape(1, path_rows(p)));
	s->last = library_array(system, HET_INT, het_shape(1, 1));
	s->points = het_local(het_range(2, 1, p->rows + 1, 0, p->pitch / PATH_ITEM), 1, PATH_GROUP);
	return s;
}

static void *path_open(const void *problem, const struct bench_machine *machine)
{
	return path_open_team(problem, machine->system, strips_team(machine));
}

/* Devices have at first what they will read. */
static void path_prepare(void *state)
{
	struct state *const s = state;
	struct strip strip[HAND_DEVICES_MOST];
	const int never = 0;
	const int count = strips_cut(s->team, s->sweep, 1, s->problem->rows + 1, strip);

	must(het_write(het_view(s->now, het_whole()), s->problem->cost));
	must(het_write(het_view(s->next, het_whole()), s->problem->cost));
	must(het_write(het_view(s->height, het_whole()), s->problem->height));
	must(het_fill(het_view(s->row_last, het_whole()), &never));
	for (int i = 0; i < count; i++) {
		const struct het_box rows = het_rows(strip[i].lo - 1, strip[i].hi + 1);
		het_device *const device = het_team_device(s->team, strip[i].device);

		must(het_prefetch(het_view(s->now, rows), device));
		must(het_prefetch(het_view(s->next, rows), device));
		must(het_prefetch(het_view(s->height, rows), device));
	}
	must(het_wait_all(s->system));
	s->sweeps = 0;
}

/* Each row has the number of the last sweep that changed something there. */
static void start_batch(struct state *s)
{
	const struct path_problem *const p = s->problem;

	for (int i = 0; i < p->batch; i++) {
		must(het_spread(s->sweep, s->team, s->points, HET_OUT(HET_ROWS_OF(s->next)),
				HET_INOUT(HET_ROWS_OF(s->row_last)), HET_IN(HET_HALO(s->now, 1, 1)),
				HET_IN(HET_HALO(s->height, 1, 1)), HET_VAL(p->across), HET_VAL(p->down),
				HET_VAL(p->diagonal), HET_VAL(p->pitch), HET_VAL(0), HET_VAL(1), HET_VAL(0),
				HET_VAL(++s->sweeps)));
		must(het_swap(s->now, s->next));
	}
}

/* Waits for what was started. */
static int last_change(struct state *s)
{
	int last;

	must(het_reduce(HET_REDUCE_MAX, het_view(s->row_last, het_whole()), het_view(s->last, het_whole()),
			s->team));
	must(het_read(het_view(s->last, het_whole()), &last));
	return last;
}

static const void *path_run(void *state)
{
	struct state *const s = state;
	int last;

	do {
		start_batch(s);
		last = last_change(s);
	} while (last == s->sweeps);
	must(het_map(s->now, HET_READ, &s->result.cost));
	s->result.sweeps = last + 1;
	return &s->result;
}

static void path_finish(void *state)
{
	struct state *const s = state;

	must(het_unmap(s->now));
}

static void path_close(void *state)
{
	struct state *const s = state;

	must(het_array_free(s->now));
	must(het_array_free(s->next));
	must(het_array_free(s->height));
	must(het_array_free(s->row_last));
	must(het_array_free(s->last));
	must(het_kernel_free(s->sweep));
	free(s);
}

const struct bench_version path_hetero = {.name = "hetero",
					  .open = path_open,
					  .prepare = path_prepare,
					  .run = path_run,
					  .finish = path_finish,
					  .close = path_close};
