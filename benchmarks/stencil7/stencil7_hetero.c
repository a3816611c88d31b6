/* stencil7_hetero.c - the 7-point stencil with Hetero. */

#include "stencil7/stencil7.h"

#include "common/library.h"

static void start_step(const struct stencil7_problem *p, het_team *team, het_kernel *relax, het_array *next,
		       het_array *now)
{
	const struct het_range planes = het_range(3, 1, p->nz - 1, 0, p->ny, 0, p->nx);

	must(het_spread(relax, team, het_local(planes, 1, 1, stencil7_group(p)), HET_OUT(HET_EACH(next)),
			HET_IN(HET_HALO(now, 1, 1, 1)), HET_VAL(p->nx), HET_VAL(p->ny),
			HET_BYTES(stencil7_alpha(p), stencil7_element_bytes(p)),
			HET_BYTES(stencil7_beta(p), stencil7_element_bytes(p))));
}

/* Before the clock starts, both fields are written, since no step writes the first and the last plane; and a
 * step that is made once more brings devices what they will read. */
static void stencil7(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct stencil7_problem *const p = problem;
	const het_type type = p->is_double ? HET_DOUBLE : HET_FLOAT;
	het_team *const team = strips_team(machine);
	het_kernel *const relax = library_kernel(machine->system, STENCIL7_KERNELS, stencil7_kernel(p));
	het_array *const now = library_array(machine->system, type, het_shape(3, p->nz, p->ny, p->nx));
	het_array *const next = library_array(machine->system, type, het_shape(3, p->nz, p->ny, p->nx));
	void *result;

	while (bench_round(clock)) {
		must(het_write(het_view(now, het_whole()), p->first));
		must(het_write(het_view(next, het_whole()), p->first));
		start_step(p, team, relax, next, now);
		must(het_wait(next));
		bench_start(clock);
		for (int step = 0; step < p->steps; step++) {
			start_step(p, team, relax, next, now);
			must(het_swap(now, next));
		}
		must(het_map(now, HET_READ, &result));
		bench_stop(clock, result);
		must(het_unmap(now));
	}
}

const struct bench_version stencil7_hetero = {.name = "hetero", .program = stencil7};
