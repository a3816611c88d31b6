/* nbody_plain.c - N-body in plain C, on one core. */

#include "nbody/nbody.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct state {
	const struct nbody_problem *problem;
	struct nbody_vector *place, *next, *velocity;
};

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

static void nbody(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem};
	const int bodies = s.problem->bodies, steps = s.problem->steps;
	const size_t bytes = (size_t)bodies * sizeof(struct nbody_vector);
	struct nbody_result result;

	(void)machine;
	s.place = bench_new(bytes);
	s.next = bench_new(bytes);
	s.velocity = bench_new(bytes);
	while (bench_round(clock)) {
		memcpy(s.place, s.problem->place, bytes);
		memcpy(s.velocity, s.problem->velocity, bytes);
		bench_start(clock);
		for (int step = 0; step <= steps; step++) {
			struct nbody_vector *const place = s.place;

			for (int i = 0; i < bodies; i++)
				move(&s, i, nbody_kick(step, steps), nbody_drift(step, steps));
			s.place = s.next;
			s.next = place;
		}
		result.place = s.place;
		result.velocity = s.velocity;
		bench_stop(clock, &result);
	}
	free(s.place);
	free(s.next);
	free(s.velocity);
}

const struct bench_version nbody_plain = {.name = "plain", .optional = 1, .program = nbody};
