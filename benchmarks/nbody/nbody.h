/* nbody.h - what all versions of N-body share: the bodies at first, the steps, what a run leaves. */
#ifndef NBODY_NBODY_H
#define NBODY_NBODY_H

#include "common/bench.h"

#define NBODY_KERNELS BENCHMARKS "/nbody/nbody.cl"
#define NBODY_ITEM 4   /* bodies of a work-item, as in nbody.cl */
#define NBODY_GROUP 32 /* work-items of a group */
#define NBODY_UNIT (NBODY_ITEM * NBODY_GROUP)
#define NBODY_SOFTENING_SQUARED 0.0025
#define NBODY_STEP 0.001

/** A body's place and mass, or its velocity and nothing. */
struct nbody_vector {
	double x, y, z, w;
};

struct nbody_problem {
	const char *name;
	int bodies, steps;
	const struct nbody_vector *place, *velocity; /* at first */
};

/** For how long velocities and places change in step number `step` of `steps` + 1: velocities are half a step
 *  behind the places, so the first step and the one after the last change them for half of one. */
static inline double nbody_kick(int step, int steps)
{
	return step == 0 || step == steps ? NBODY_STEP / 2 : NBODY_STEP;
}

static inline double nbody_drift(int step, int steps)
{
	return step == steps ? 0 : NBODY_STEP;
}

struct nbody_result {
	const struct nbody_vector *place, *velocity;
};

/** Makes the bodies of a Plummer sphere, deterministically. */
void nbody_sphere(struct nbody_vector *place, struct nbody_vector *velocity, int bodies);

/** What the plain program ends with. `place` and `velocity` may be those that the problem begins with. */
void nbody_end(const struct nbody_problem *problem, struct nbody_vector *place, struct nbody_vector *velocity);

extern const struct bench_version nbody_hetero, nbody_copying, nbody_shared, nbody_plain, nbody_local;

#endif
