/* stencil7_hetero.c - the 7-point stencil with Hetero. */

#include "stencil7/stencil7.h"

#include "common/library.h"

struct state {
	const struct stencil7_problem *problem;
	het_team *team;
	het_kernel *relax;
	het_array *now, *next;
	const double *result;
};

static void *stencil7_open(const void *problem, const struct bench_machine *machine)
{
	const struct stencil7_problem *const p = problem;
	const struct het_shape shape = het_shape(3, p->nz, p->ny, p->nx);
	const het_type type = p->is_double ? HET_DOUBLE : HET_FLOAT;
	struct state *const s = bench_new(sizeof *s);

	s->problem = p;
	s->team = stencil7_team(machine->system);
	must(het_team_rebalance(s->team, stencil7_rebalance()));
	s->relax = library_kernel(machine->system, STENCIL7_KERNELS, stencil7_kernel(p));
	s->now = library_array(machine->system, type, shape);
	s->next = library_array(machine->system, type, shape);
	return s;
}

static void start_step(struct state *s)
{
	const struct stencil7_problem *const p = s->problem;
	const struct het_range planes = het_range(3, 1, p->nz - 1, 0, p->ny, 0, p->nx);

	must(het_spread(s->relax, s->team, het_local(planes, 1, 1, stencil7_group(p)),
			HET_OUT(HET_EACH(s->next)), HET_IN(HET_HALO(s->now, 1, 1, 1)), HET_VAL(p->nx),
			HET_VAL(p->ny), HET_BYTES(stencil7_alpha(p), stencil7_element_bytes(p)),
			HET_BYTES(stencil7_beta(p), stencil7_element_bytes(p))));
}

/* Both, since no step writes the first and the last plane. A step that is made once more brings devices what
 * they will read. */
static void stencil7_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->now, het_whole()), s->problem->first));
	must(het_write(het_view(s->next, het_whole()), s->problem->first));
	start_step(s);
	must(het_wait(s->next));
}

static const void *stencil7_run(void *state)
{
	struct state *const s = state;

	for (int step = 0; step < s->problem->steps; step++) {
		start_step(s);
		must(het_swap(s->now, s->next));
	}
	must(het_map(s->now, HET_READ, &s->result));
	return s->result;
}

static void stencil7_finish(void *state)
{
	must(het_unmap(((struct state *)state)->now));
}

const struct bench_version stencil7_hetero = {.name = "hetero",
					      .open = stencil7_open,
					      .prepare = stencil7_prepare,
					      .run = stencil7_run,
					      .finish = stencil7_finish,
					      .close = free};
