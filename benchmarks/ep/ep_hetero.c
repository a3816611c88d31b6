/* ep_hetero.c - EP with Hetero. */

#include "ep/ep.h"

#include "common/library.h"

struct state {
	const struct ep_problem *problem;
	het_team *team;
	het_kernel *ep;
	het_array *sums;
	struct ep_result result;
};

static void *ep_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	s->problem = problem;
	s->team = het_everyone(machine->system);
	s->ep = library_kernel(machine->system, EP_KERNELS, "ep");
	s->sums = library_array(machine->system, HET_DOUBLE, het_shape(2, s->problem->groups, EP_NUMBERS));
	return s;
}

static const void *ep_run(void *state)
{
	struct state *const s = state;
	const int groups = s->problem->groups;
	const double *sums;

	must(het_spread(s->ep, s->team, het_grid(1, groups * EP_GROUP), HET_OUT(HET_BLOCKS(s->sums, EP_GROUP)),
			HET_VAL(0)));
	must(het_map(s->sums, HET_READ, &sums));
	ep_add(&s->result, sums, groups);
	must(het_unmap(s->sums));
	return &s->result;
}

const struct bench_version ep_hetero = {.name = "hetero", .open = ep_open, .run = ep_run, .close = free};
