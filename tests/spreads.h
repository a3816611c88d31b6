/* spreads.h - what the tests of spreads share. */
#ifndef HETERO_TESTS_SPREADS_H
#define HETERO_TESTS_SPREADS_H

#include "face.h"

/* Every device of the system, in a team: the later, the larger its share. */
static inline het_team *uneven_team(het_system *system)
{
	het_device *device[8];
	double share[8];
	het_team *team;
	const int count = het_device_count(system) < 8 ? het_device_count(system) : 8;

	for (int i = 0; i < count; i++) {
		device[i] = het_device(system, i);
		share[i] = 1 + i;
	}
	ok(het_team_new(system, count, device, share, &team));
	return team;
}

/* An array of ones. */
static inline het_array *ints(het_system *system, int rank, int64_t m, int64_t n)
{
	const int64_t extent[2] = {m, n};
	het_array *array;

	ok(het_array_new(system, HET_INT, het_shape_of(rank, rank, extent), &array));
	ok(het_fill(het_view(array, het_whole()), &(int){1}));
	return array;
}

#endif
