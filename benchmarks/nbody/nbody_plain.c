/* nbody_plain.c - N-body in plain C, on one core. */

#include "nbody/nbody.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct state {
	const struct nbody_problem *problem;
	struct nbody_vector *place, *next, *velocity;
	struct nbody_result result;
};

static size_t bytes_of(const struct state *s)
{
	return (size_t)s->problem->bodies * sizeof(struct nbody_vector);
}

static void *nbody_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	(void)machine;
	s->problem = problem;
	s->place = bench_new(bytes_of(s));
	s->next = bench_new(bytes_of(s));
	s->velocity = bench_new(bytes_of(s));
	return s;
}

static void nbody_prepare(void *state)
{
	struct state *const s = state;

	memcpy(s->place, s->problem->place, bytes_of(s));
	memcpy(s->velocity, s->problem->velocity, bytes_of(s));
}

static void move(struct state *s, int i, double kick, double drift)
{
	const struct nbody_vector p = s->place[i];
	struct nbody_vector a = {0, 0, 0, 0};
	struct nbody_vector *const v = &s->velocity[i];

	for (int j = 0; j < s->problem->bodies; j++) {
		const struct nbody_vector other = s->place[j];
		const double dx = other.x - p.x, dy = other.y - p.y, dz = other.z - p.z;
		const double squared = dx * dx + dy * dy + dz * dz + NBODY_SOFTENING_SQUARED;
		const double pull = other.w / (squared * sqrt(squared));

		a.x += pull * dx;
		a.y += pull * dy;
		a.z += pull * dz;
	}
	v->x += kick * a.x;
	v->y += kick * a.y;
	v->z += kick * a.z;
	s->next[i] = (struct nbody_vector){p.x + drift * v->x, p.y + drift * v->y, p.z + drift * v->z, p.w};
}

static const void *nbody_run(void *state)
{
	struct state *const s = state;
	const int steps = s->problem->steps;

	for (int step = 0; step <= steps; step++) {
		struct nbody_vector *const place = s->place;

		for (int i = 0; i < s->problem->bodies; i++)
			move(s, i, nbody_kick(step, steps), nbody_drift(step, steps));
		s->place = s->next;
		s->next = place;
	}
	s->result.place = s->place;
	s->result.velocity = s->velocity;
	return &s->result;
}

static void nbody_close(void *state)
{
	struct state *const s = state;

	free(s->place);
	free(s->next);
	free(s->velocity);
	free(s);
}

const struct bench_version nbody_plain = {.name = "plain",
					  .optional = 1,
					  .open = nbody_open,
					  .prepare = nbody_prepare,
					  .run = nbody_run,
					  .close = nbody_close};
