/* nbody_hetero.c - N-body with Hetero. */

#include "nbody/nbody.h"

#include "common/library.h"

struct state {
	const struct nbody_problem *problem;
	het_system *system;
	het_kernel *move;
	het_array *place, *next, *velocity;
	struct nbody_result result;
};

static struct het_box bodies_of(const struct state *s, int d)
{
	return library_rows(s->problem->bodies, NBODY_UNIT, d, het_device_count(s->system));
}

static void *nbody_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);
	struct het_shape shape;

	s->problem = problem;
	s->system = machine->system;
	shape = het_shape(1, s->problem->bodies);
	s->move = library_kernel(s->system, NBODY_KERNELS, "move");
	s->place = library_array(s->system, HET_DOUBLE4, shape);
	s->next = library_array(s->system, HET_DOUBLE4, shape);
	s->velocity = library_array(s->system, HET_DOUBLE4, shape);
	return s;
}

static void nbody_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->place, het_whole()), s->problem->place));
	must(het_write(het_view(s->velocity, het_whole()), s->problem->velocity));
	for (int d = 0; d < het_device_count(s->system); d++) {
		must(het_prefetch(het_view(s->place, het_whole()), het_device(s->system, d)));
		must(het_prefetch(het_view(s->velocity, bodies_of(s, d)), het_device(s->system, d)));
	}
	must(het_wait_all(s->system));
}

static const void *nbody_run(void *state)
{
	struct state *const s = state;
	const int steps = s->problem->steps;

	for (int step = 0; step <= steps; step++) {
		for (int d = 0; d < het_device_count(s->system); d++) {
			const struct het_box own = bodies_of(s, d);

			must(het_launch(s->move, het_device(s->system, d),
					het_local(het_range(1, own.lo[0] / NBODY_ITEM, own.hi[0] / NBODY_ITEM),
						  NBODY_GROUP),
					HET_OUT_PART(s->next, own), HET_INOUT_PART(s->velocity, own),
					HET_IN(s->place), HET_VAL(s->problem->bodies),
					HET_VAL(nbody_kick(step, steps)), HET_VAL(nbody_drift(step, steps))));
		}
		must(het_swap(s->place, s->next));
	}
	must(het_map(s->place, HET_READ, &s->result.place));
	must(het_map(s->velocity, HET_READ, &s->result.velocity));
	return &s->result;
}

static void nbody_finish(void *state)
{
	struct state *const s = state;

	must(het_unmap(s->place));
	must(het_unmap(s->velocity));
}

const struct bench_version nbody_hetero = {.name = "hetero",
					   .open = nbody_open,
					   .prepare = nbody_prepare,
					   .run = nbody_run,
					   .finish = nbody_finish,
					   .close = free};
