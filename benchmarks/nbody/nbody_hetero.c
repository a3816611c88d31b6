/* nbody_hetero.c - N-body with Hetero. */

#include "nbody/nbody.h"

#include "common/library.h"

struct state {
	const struct nbody_problem *problem;
	het_team *team;
	het_kernel *move;
	het_array *place, *next, *velocity;
	struct nbody_result result;
};

static void *nbody_open(const void *problem, const struct bench_machine *machine)
{
	const struct nbody_problem *const p = problem;
	const struct het_shape items = het_shape(2, p->bodies / NBODY_ITEM, NBODY_ITEM);
	struct state *const s = bench_new(sizeof *s);

	s->problem = p;
	s->team = het_everyone(machine->system);
	s->move = library_kernel(machine->system, NBODY_KERNELS, "move");
	s->place = library_array(machine->system, HET_DOUBLE4, items);
	s->next = library_array(machine->system, HET_DOUBLE4, items);
	s->velocity = library_array(machine->system, HET_DOUBLE4, items);
	return s;
}

static void start_move(struct state *s, double kick, double drift)
{
	const int bodies = s->problem->bodies;

	must(het_spread(s->move, s->team, het_grid(1, bodies / NBODY_ITEM), HET_OUT(HET_EACH(s->next)),
			HET_INOUT(HET_EACH(s->velocity)), HET_IN(s->place), HET_VAL(bodies), HET_VAL(kick),
			HET_VAL(drift)));
}

/* A step in which no time passes brings devices what they will read. */
static void nbody_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->place, het_whole()), s->problem->place));
	must(het_write(het_view(s->velocity, het_whole()), s->problem->velocity));
	start_move(s, 0, 0);
	must(het_wait(s->next));
}

static const void *nbody_run(void *state)
{
	struct state *const s = state;
	const int steps = s->problem->steps;

	for (int step = 0; step <= steps; step++) {
		start_move(s, nbody_kick(step, steps), nbody_drift(step, steps));
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
