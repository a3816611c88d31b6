/* nbody_hetero.c - N-body with Hetero. */

#include "nbody/nbody.h"

#include "common/library.h"

struct state {
	const struct nbody_problem *problem;
	het_team *team;
	het_kernel *move;
	het_array *place, *next, *velocity;
};

static void start_move(const struct state *s, double kick, double drift)
{
	const int bodies = s->problem->bodies;

	must(het_spread(s->move, s->team, het_grid(1, bodies / NBODY_ITEM), HET_OUT(HET_EACH(s->next)),
			HET_INOUT(HET_EACH(s->velocity)), HET_IN(s->place), HET_VAL(bodies), HET_VAL(kick),
			HET_VAL(drift)));
}

/* Before the clock starts, a step in which no time passes brings devices what they will read. */
static void nbody(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct nbody_problem *const p = problem;
	const struct het_shape items = het_shape(2, p->bodies / NBODY_ITEM, NBODY_ITEM);
	struct state s = {.problem = p, .team = het_everyone(machine->system)};
	struct nbody_result result;

	s.move = library_kernel(machine->system, NBODY_KERNELS, "move");
	s.place = library_array(machine->system, HET_DOUBLE4, items);
	s.next = library_array(machine->system, HET_DOUBLE4, items);
	s.velocity = library_array(machine->system, HET_DOUBLE4, items);
	while (bench_round(clock)) {
		must(het_write(het_view(s.place, het_whole()), p->place));
		must(het_write(het_view(s.velocity, het_whole()), p->velocity));
		start_move(&s, 0, 0);
		must(het_wait(s.next));
		bench_start(clock);
		for (int step = 0; step <= p->steps; step++) {
			start_move(&s, nbody_kick(step, p->steps), nbody_drift(step, p->steps));
			must(het_swap(s.place, s.next));
		}
		must(het_map(s.place, HET_READ, &result.place));
		must(het_map(s.velocity, HET_READ, &result.velocity));
		bench_stop(clock, &result);
		must(het_unmap(s.place));
		must(het_unmap(s.velocity));
	}
}

const struct bench_version nbody_hetero = {.name = "hetero", .program = nbody};
