/* ep_hetero.c - EP with Hetero. */

#include "ep/ep.h"

#include <math.h>

#include "common/library.h"

static void ep(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const int groups = ((const struct ep_problem *)problem)->groups;
	het_team *const team = het_everyone(machine->system);
	het_kernel *const kernel = library_kernel(machine->system, EP_KERNELS, "ep");
	het_array *const sums = library_array(machine->system, HET_DOUBLE, het_shape(2, groups, EP_NUMBERS));
	const double *numbers;
	struct ep_result result;

	while (bench_round(clock)) {
		library_spoil(sums, &(double){NAN});
		bench_start(clock);
		must(het_spread(kernel, team, het_grid(1, groups * EP_GROUP),
				HET_OUT(HET_BLOCKS(sums, EP_GROUP)), HET_VAL(0)));
		must(het_map(sums, HET_READ, &numbers));
		ep_add(&result, numbers, groups);
		must(het_unmap(sums));
		bench_stop(clock, &result);
	}
}

const struct bench_version ep_hetero = {.name = "hetero", .program = ep};
