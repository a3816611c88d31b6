/* sweep.c - what --sweep needs to know of Jacobi. */

#include "common/sweep.h"

#include "jacobi/jacobi.h"

static int arguments(const void *problem, het_array *next, het_array *now, struct het_arg *arg)
{
	const struct jacobi_problem *const p = problem;
	const struct het_arg given[] = {
		HET_OUT(HET_ROWS_OF(next)), HET_IN(HET_HALO(now, 1, 1)),
		HET_VAL(p->cols),           HET_VAL(p->pitch),
		HET_VAL(0),
	};

	return sweep_arguments(given, sizeof given / sizeof *given, arg);
}

int jacobi_sweep(const void *problem, const struct bench_machine *machine, struct report *report)
{
	const struct jacobi_problem *const p = problem;
	const struct sweep_of of = {
		.benchmark = "jacobi",
		.class_name = p->name,
		.kernels = JACOBI_KERNELS,
		.kernel = jacobi_kernel(p),
		.type = p->is_double ? HET_DOUBLE : HET_FLOAT,
		.shape = het_shape(2, p->rows, p->pitch),
		.first = p->cells,
		.range = het_range(2, 1, p->rows - 1, 0, p->pitch),
		.steps = p->steps,
		.operations = jacobi_operations(p),
		.problem = p,
		.arguments = arguments,
		.verify = jacobi_verify,
	};

	return sweep_shares(&of, machine, report);
}
