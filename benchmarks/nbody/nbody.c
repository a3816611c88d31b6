/* nbody.c - N-body: bodies that attract each other, all with all. Every step needs all places everywhere. */

#include "nbody/nbody.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct energy {
	double kinetic, potential, total;
};

/* A class, and its energies before and after by an independent computation: for S and T by a program that has
 * nothing in common with this one, for the others by the plain version, which meets those two. For S, that
 * program's places of body 0, too (without a mass: not known). R is the way back from the end of T, with all
 * velocities turned round: it has to end where T begins. */
struct sphere {
	struct nbody_problem problem;
	struct energy before, after;
	struct nbody_vector body_before, body_after;
	int is_back;
};

static struct sphere spheres[] = {
	{.problem = {.name = "S", .bodies = 1024, .steps = 100},
	 .before = {0.142720279078455, -0.299321597513599, -0.156601318435144},
	 .after = {0.142125544963646, -0.298726863278058, -0.156601318314412},
	 .body_before = {-1.03637494935, -1.30011347051, 1.79722313637, 1. / 1024},
	 .body_after = {-1.01546970183, -1.36138426315, 1.78356315431, 1. / 1024}},
	{.problem = {.name = "W", .bodies = 4096, .steps = 20},
	 .before = {0.146686553859670, -0.300163654651088, -0.153477100791418},
	 .after = {0.146639832157963, -0.300116932989728, -0.153477100831765}},
	{.problem = {.name = "A", .bodies = 16384, .steps = 10},
	 .before = {0.148622605219916, -0.299941303370909, -0.151318698150992},
	 .after = {0.148616485526803, -0.299935183769372, -0.151318698242569}},
	{.problem = {.name = "B", .bodies = 65536, .steps = 5},
	 .before = {0.149041770293819, -0.300657045442892, -0.151615275149072},
	 .after = {0.149041182699074, -0.300656457851562, -0.151615275152488}},
	{.problem = {.name = "C", .bodies = 196608, .steps = 2},
	 .before = {0.148982877990107, -0.300550401577664, -0.151567523587557},
	 .after = {0.148982434852080, -0.300549958439391, -0.151567523587311}},
	{.problem = {.name = "T", .bodies = 256, .steps = 100},
	 .before = {0.147987820995097, -0.301968768793028, -0.153980947797932},
	 .after = {0.147946848815492, -0.301927804384925, -0.153980955569434}},
	{.problem = {.name = "R", .bodies = 256, .steps = 100},
	 .before = {0.147946848815492, -0.301927804384925, -0.153980955569434},
	 .after = {0.147987820995097, -0.301968768793028, -0.153980947797932},
	 .is_back = 1},
};

/* Begins at the end of the problem's sphere, which the plain program finds, with velocities turned round. */
static void turn_round(struct nbody_problem *p, struct nbody_vector *place, struct nbody_vector *velocity)
{
	nbody_end(p, place, velocity);
	for (int i = 0; i < p->bodies; i++)
		velocity[i] = (struct nbody_vector){-velocity[i].x, -velocity[i].y, -velocity[i].z, 0};
}

static const void *problem_of(const char *name)
{
	for (size_t i = 0; i < sizeof spheres / sizeof *spheres; i++) {
		struct nbody_problem *const p = &spheres[i].problem;
		static struct nbody_vector *place, *velocity;

		if (strcmp(p->name, name))
			continue;
		place = bench_new((size_t)p->bodies * sizeof *place);
		velocity = bench_new((size_t)p->bodies * sizeof *velocity);
		nbody_sphere(place, velocity, p->bodies);
		p->place = place;
		p->velocity = velocity;
		if (spheres[i].is_back)
			turn_round(p, place, velocity);
		return p;
	}
	return NULL;
}

/* ---- the check --------------------------------------------------------------------------------- */

static struct energy energy_of(const struct nbody_vector *place, const struct nbody_vector *velocity,
			       int bodies)
{
	struct energy e = {0, 0, 0};

	for (int i = 0; i < bodies; i++) {
		const struct nbody_vector p = place[i], v = velocity[i];

		e.kinetic += 0.5 * p.w * (v.x * v.x + v.y * v.y + v.z * v.z);
		for (int j = 0; j < i; j++) {
			const double dx = place[j].x - p.x, dy = place[j].y - p.y, dz = place[j].z - p.z;

			e.potential -=
				p.w * place[j].w / sqrt(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING_SQUARED);
		}
	}
	e.total = e.kinetic + e.potential;
	return e;
}

/* The length of the sum of all momenta, which is 0 at first. A device that saw a body elsewhere than another
 * did would change it: only equal places give equal and opposite forces. */
static double momentum_of(const struct nbody_result *r, int bodies)
{
	double x = 0, y = 0, z = 0;

	for (int i = 0; i < bodies; i++) {
		x += r->place[i].w * r->velocity[i].x;
		y += r->place[i].w * r->velocity[i].y;
		z += r->place[i].w * r->velocity[i].z;
	}
	return sqrt(x * x + y * y + z * z);
}

static double error_of(struct energy got, struct energy wanted)
{
	return worse(worse(fabs(got.kinetic / wanted.kinetic - 1), fabs(got.potential / wanted.potential - 1)),
		     fabs(got.total / wanted.total - 1));
}

static const struct energy *energy_before(const struct sphere *s)
{
	static struct energy before;

	if (!(before.kinetic > 0))
		before = energy_of(s->problem.place, s->problem.velocity, s->problem.bodies);
	return &before;
}

static double distance(struct nbody_vector a, struct nbody_vector b)
{
	return worse(worse(fabs(a.x - b.x), fabs(a.y - b.y)), fabs(a.z - b.z));
}

/* How far bodies are from where a sphere begins. */
static double off_the_sphere(const struct nbody_vector *place, int bodies)
{
	struct nbody_vector *const first = bench_new((size_t)bodies * sizeof *first);
	struct nbody_vector *const velocity = bench_new((size_t)bodies * sizeof *velocity);
	double most = 0;

	nbody_sphere(first, velocity, bodies);
	for (int i = 0; i < bodies; i++)
		most = worse(most, distance(place[i], first[i]));
	free(first);
	free(velocity);
	return most;
}

/* Whether single places are as known, too; says so. */
static int are_places_right(const struct sphere *s, const struct nbody_vector *place, char *said, size_t bytes)
{
	const size_t used = strlen(said);

	if (s->is_back) {
		const double off = off_the_sphere(place, s->problem.bodies);

		snprintf(said + used, bytes - used, ", back within %.0e", off);
		return off <= 1e-12;
	}
	if (s->body_after.w > 0) {
		const double before = distance(s->problem.place[0], s->body_before);
		const double after = distance(place[0], s->body_after);

		snprintf(said + used, bytes - used, ", body 0 off by %.0e", worse(before, after));
		return before <= 1e-11 && after <= 1e-10;
	}
	return 1;
}

static int verify(const void *problem, const void *result, char *said, size_t bytes)
{
	const struct sphere *const s = problem; /* whose first member it is */
	const struct nbody_result *const r = result;
	const struct energy before = *energy_before(s);
	const struct energy after = energy_of(r->place, r->velocity, s->problem.bodies);
	const double drift = (after.total - before.total) / fabs(before.total);
	const double momentum = momentum_of(r, s->problem.bodies);

	snprintf(said, bytes, "energy %.12f, drift %.1e, momentum %.0e, energies compared", after.total, drift,
		 momentum);
	return are_places_right(s, r->place, said, bytes) && fabs(drift) <= 1e-6 && momentum <= 1e-12 &&
	       error_of(before, s->before) <= 1e-10 && error_of(after, s->after) <= 1e-8;
}

static double operations(const void *problem)
{
	const struct nbody_problem *const p = problem;

	return 20.0 * p->bodies * p->bodies * (p->steps + 1);
}

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {
		&nbody_hetero, &nbody_shared, &nbody_copying, &nbody_plain, NULL};
	const struct benchmark nbody = {
		.name = "nbody",
		.purpose = "Bodies that attract each other, all with all; places are sent to all devices in "
			   "every\n"
			   "step. Twenty operations for two bodies.",
		.classes = "S W A B C T R",
		.versions = versions,
		.local = &nbody_local,
		.problem = problem_of,
		.verify = verify,
		.operations = operations,
	};

	return bench_main(&nbody, argc, argv);
}
