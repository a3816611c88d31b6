/* ep_hetero.c - EP with Hetero. */

#include "ep/ep.h"

#include "must.h"

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
	must(het_kernel_from_file(s->system, EP_KERNELS, "ep", NULL, &s->ep));
	must(het_array_new(s->system, HET_DOUBLE, het_shape(2, s->problem->groups, EP_NUMBERS), &s->sums));
	return s;
}

static const void *ep_run(void *state)
{
	struct state *const s = state;
	const int groups = s->problem->groups, count = het_device_count(s->system);
	const double *sums;

	for (int d = 0; d < count; d++) {
		const int lo = bench_first(groups, 1, d, count), hi = bench_first(groups, 1, d + 1, count);
		must(het_launch(s->ep, het_device(s->system, d),
				het_local(het_range(1, lo * EP_GROUP, hi * EP_GROUP), EP_GROUP),
				HET_OUT_PART(s->sums, het_rows(lo, hi)), HET_VAL(0)));
	}
	must(het_map(s->sums, HET_READ, &sums));
	ep_add(&s->result, sums, groups);
	must(het_unmap(s->sums));
	return &s->result;
}

static void ep_close(void *state)
{
	struct state *const s = state;

	must(het_array_free(s->sums));
	must(het_kernel_free(s->ep));
	free(s);
}

const struct bench_version ep_hetero = {.name = "hetero", .open = ep_open, .run = ep_run, .close = ep_close};
