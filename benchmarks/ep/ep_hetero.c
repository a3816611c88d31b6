/* ep_hetero.c - EP with Hetero. */

#include "ep/ep.h"

#include "common/library.h"

struct state {
	const struct ep_problem *problem;
	het_system *system;
	het_kernel *ep;
	het_array *sums;
	struct ep_result result;
};

static void *ep_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	s->problem = problem;
	s->system = machine->system;
	s->ep = library_kernel(s->system, EP_KERNELS, "ep");
	s->sums = library_array(s->system, HET_DOUBLE, het_shape(2, s->problem->groups, EP_NUMBERS));
	return s;
}

static const void *ep_run(void *state)
{
	struct state *const s = state;
	const int groups = s->problem->groups, count = het_device_count(s->system);
	const double *sums;

	for (int d = 0; d < count; d++) {
		const struct het_box own = library_rows(groups, 1, d, count);
		must(het_launch(s->ep, het_device(s->system, d),
				het_local(het_range(1, own.lo[0] * EP_GROUP, own.hi[0] * EP_GROUP), EP_GROUP),
				HET_OUT_PART(s->sums, own), HET_VAL(0)));
	}
	must(het_map(s->sums, HET_READ, &sums));
	ep_add(&s->result, sums, groups);
	must(het_unmap(s->sums));
	return &s->result;
}

const struct bench_version ep_hetero = {.name = "hetero", .open = ep_open, .run = ep_run, .close = free};
