/* sphere.c - a Plummer sphere of equal masses, total mass and scale 1, each body drawn independently. */

#include "nbody/nbody.h"

#include <math.h>

#include "common/random46.h"

#define SEED 314159265
#define NUMBERS_PER_BODY 256 /* more than any body draws */
#define RADIUS_MOST 10

/* A direction drawn evenly, `length` long. */
static struct nbody_vector direction(uint64_t *seed, double length)
{
	const double up = 2 * random46(seed) - 1, angle = 2 * acos(-1.0) * random46(seed);
	const double flat = sqrt(1 - up * up);
	const struct nbody_vector v = {length * flat * cos(angle), length * flat * sin(angle), length * up, 0};

	return v;
}

static double draw_radius(uint64_t *seed)
{
	double radius;

	do
		radius = 1 / sqrt(pow(random46(seed), -2.0 / 3) - 1);
	while (!(radius <= RADIUS_MOST));
	return radius;
}

/* Drawn by rejection, as a part of the speed at which a body would leave the sphere. */
static double draw_speed(uint64_t *seed)
{
	double speed, trial;

	do {
		speed = random46(seed);
		trial = random46(seed);
	} while (0.1 * trial > speed * speed * pow(1 - speed * speed, 3.5));
	return speed;
}

static void center(struct nbody_vector *v, int count)
{
	struct nbody_vector mean = {0, 0, 0, 0};

	for (int i = 0; i < count; i++) {
		mean.x += v[i].x / count;
		mean.y += v[i].y / count;
		mean.z += v[i].z / count;
	}
	for (int i = 0; i < count; i++) {
		v[i].x -= mean.x;
		v[i].y -= mean.y;
		v[i].z -= mean.z;
	}
}

void nbody_sphere(struct nbody_vector *place, struct nbody_vector *velocity, int bodies)
{
	for (int i = 0; i < bodies; i++) {
		uint64_t seed = random46_after(SEED, (uint64_t)i * NUMBERS_PER_BODY);
		const double radius = draw_radius(&seed);
		double speed;

		place[i] = direction(&seed, radius);
		place[i].w = 1.0 / bodies;
		speed = draw_speed(&seed);
		velocity[i] = direction(&seed, speed * sqrt(2.0) * pow(1 + radius * radius, -0.25));
	}
	center(place, bodies);
	center(velocity, bodies);
}
