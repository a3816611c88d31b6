/* stencil7_hetero.c - the 7-point stencil with Hetero. */

#include "stencil7/stencil7.h"

#include "common/library.h"

struct state {
	const struct stencil7_problem *problem;
	het_system *system;
	het_team *team;
	het_kernel *relax;
	het_array *now, *next;
	int first[HAND_DEVICES_MOST + 1]; /* planes of each device, at first */
	const double *result;
};

static void *stencil7_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);
	struct het_shape shape;

	s->problem = problem;
	s->system = machine->system;
	s->team = stencil7_team(s->system);
	stencil7_planes(s->problem, machine, s->first);
	must(het_team_rebalance(s->team, stencil7_rebalance()));
	shape = het_shape(3, s->problem->nz, s->problem->ny, s->problem->nx);
	s->relax = library_kernel(s->system, STENCIL7_KERNELS, "relax");
	s->now = library_array(s->system, HET_DOUBLE, shape);
	s->next = library_array(s->system, HET_DOUBLE, shape);
	return s;
}

/* Both, since no step writes the first and the last plane. */
static void stencil7_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->now, het_whole()), s->problem->first));
	must(het_write(het_view(s->next, het_whole()), s->problem->first));
	for (int d = 0; d < het_team_count(s->team); d++) {
		const struct het_box own = het_rows(s->first[d] - 1, s->first[d + 1] + 1);

		must(het_prefetch(het_view(s->now, own), het_team_device(s->team, d)));
		must(het_prefetch(het_view(s->next, own), het_team_device(s->team, d)));
	}
	must(het_wait_all(s->system));
}

static const void *stencil7_run(void *state)
{
	struct state *const s = state;
	const struct stencil7_problem *const p = s->problem;

	for (int step = 0; step < p->steps; step++) {
		must(het_spread(
			s->relax, s->team,
			het_local(het_range(3, 1, p->nz - 1, 0, p->ny, 0, p->nx), 1, 1, stencil7_group(p)),
			HET_OUT(HET_EACH(s->next)), HET_IN(HET_HALO(s->now, 1, 1, 1)), HET_VAL(p->nx),
			HET_VAL(p->ny), HET_VAL(STENCIL7_ALPHA), HET_VAL(STENCIL7_BETA)));
		must(het_swap(s->now, s->next));
	}
	must(het_map(s->now, HET_READ, &s->result));
	return s->result;
}

static void stencil7_finish(void *state)
{
	struct state *const s = state;

	must(het_unmap(s->now));
}

static void stencil7_close(void *state)
{
	struct state *const s = state;

	must(het_array_free(s->now));
	must(het_array_free(s->next));
	must(het_kernel_free(s->relax));
	must(het_team_free(s->team));
	free(s);
}

const struct bench_version stencil7_hetero = {.name = "hetero",
					      .open = stencil7_open,
					      .prepare = stencil7_prepare,
					      .run = stencil7_run,
					      .finish = stencil7_finish,
					      .close = stencil7_close};
