/* sweep.c - what --sweep needs to know of the 7-point stencil. */

#include "common/sweep.h"

#include "stencil7/stencil7.h"

static int arguments(const void *problem, het_array *next, het_array *now, struct het_arg *arg)
{
	const struct stencil7_problem *const p = problem;
	const struct het_arg given[] = {
		HET_OUT(HET_EACH(next)),
		HET_IN(HET_HALO(now, 1, 1, 1)),
		HET_VAL(p->nx),
		HET_VAL(p->ny),
		HET_BYTES(stencil7_alpha(p), stencil7_element_bytes(p)),
		HET_BYTES(stencil7_beta(p), stencil7_element_bytes(p)),
	};

	return sweep_arguments(given, sizeof given / sizeof *given, arg);
}

int stencil7_sweep(const void *problem, const struct bench_machine *machine, struct report *report)
{
	const struct stencil7_problem *const p = problem;
	const struct sweep_of of = {
		.benchmark = "stencil7",
		.class_name = p->name,
		.kernels = STENCIL7_KERNELS,
		.kernel = stencil7_kernel(p),
		.type = p->is_double ? HET_DOUBLE : HET_FLOAT,
		.shape = het_shape(3, p->nz, p->ny, p->nx),
		.first = p->first,
		.range = het_local(het_range(3, 1, p->nz - 1, 0, p->ny, 0, p->nx), 1, 1, stencil7_group(p)),
		.steps = p->steps,
		.operations = stencil7_operations(p),
		.problem = p,
		.arguments = arguments,
		.verify = stencil7_verify,
	};

	return sweep_shares(&of, machine, report);
}
