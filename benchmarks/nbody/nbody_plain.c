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

static void move_on(struct state *s)
{
	const int steps = s->problem->steps;

	for (int step = 0; step <= steps; step++) {
		struct nbody_vector *const place = s->place;

		for (int i = 0; i < s->problem->bodies; i++)
			move(s, i, nbody_kick(step, steps), nbody_drift(step, steps));
		s->place = s->next;
		s->next = place;
	}
}

static void open_state(struct state *s, size_t bytes)
{
	s->place = bench_new(bytes);
	s->next = bench_new(bytes);
	s->velocity = bench_new(bytes);
}

static void close_state(struct state *s)
{
	free(s->place);
	free(s->next);
	free(s->velocity);
}

void nbody_end(const struct nbody_problem *problem, struct nbody_vector *place, struct nbody_vector *velocity)
{
	const size_t bytes = (size_t)problem->bodies * sizeof(struct nbody_vector);
	struct state s = {.problem = problem};

	open_state(&s, bytes);
	memcpy(s.place, problem->place, bytes);
	memcpy(s.velocity, problem->velocity, bytes);
	move_on(&s);
	memcpy(place, s.place, bytes);
	memcpy(velocity, s.velocity, bytes);
	close_state(&s);
}

static void nbody(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem};
	const size_t bytes = (size_t)s.problem->bodies * sizeof(struct nbody_vector);
	struct nbody_result result;

	(void)machine;
	open_state(&s, bytes);
	while (bench_round(clock)) {
		memcpy(s.place, s.problem->place, bytes);
		memcpy(s.velocity, s.problem->velocity, bytes);
		bench_start(clock);
		move_on(&s);
		result.place = s.place;
		result.velocity = s.velocity;
		bench_stop(clock, &result);
	}
	close_state(&s);
}

const struct bench_version nbody_plain = {.name = "plain", .optional = 1, .program = nbody};
