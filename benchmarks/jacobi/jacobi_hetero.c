/* jacobi_hetero.c - Jacobi with Hetero. */

#include "jacobi/jacobi.h"

#include "common/library.h"

struct state {
	const struct jacobi_problem *problem;
	het_system *system;
	het_team *team;
	het_kernel *sweep;
	het_array *now, *next;
	struct het_range inside; /* the rows that change */
	void *result;
};

static void *jacobi_open(const void *problem, const struct bench_machine *machine)
{
	const struct jacobi_problem *const p = problem;
	const het_type type = p->is_double ? HET_DOUBLE : HET_FLOAT;
	struct state *const s = bench_new(sizeof *s);

	s->problem = p;
	s->system = machine->system;
	s->team = strips_team(machine);
	s->sweep = library_kernel(s->system, JACOBI_KERNELS, jacobi_kernel(p));
	s->now = library_array(s->system, type, het_shape(2, p->rows, p->pitch));
	s->next = library_array(s->system, type, het_shape(2, p->rows, p->pitch));
	s->inside = het_local(het_range(2, 1, p->rows - 1, 0, p->pitch), 1, JACOBI_GROUP);
	return s;
}

/* What stays is the same in both grids; devices have at first what they will read. */
static void jacobi_prepare(void *state)
{
	struct state *const s = state;
	struct strip strip[HAND_DEVICES_MOST];
	const int count = strips_cut(s->team, s->sweep, 1, s->problem->rows - 1, strip);

	must(het_write(het_view(s->now, het_whole()), s->problem->cells));
	must(het_write(het_view(s->next, het_whole()), s->problem->cells));
	for (int i = 0; i < count; i++) {
		const struct het_box rows = het_rows(strip[i].lo - 1, strip[i].hi + 1);
		het_device *const device = het_team_device(s->team, strip[i].device);

		must(het_prefetch(het_view(s->now, rows), device));
		must(het_prefetch(het_view(s->next, rows), device));
	}
	must(het_wait_all(s->system));
}

/* Parts write whole rows, which is why it is the rows that are cut. */
static const void *jacobi_run(void *state)
{
	struct state *const s = state;

	for (int step = 0; step < s->problem->steps; step++) {
		must(het_spread(s->sweep, s->team, s->inside, HET_OUT(HET_ROWS_OF(s->next)),
				HET_IN(HET_HALO(s->now, 1, 1)), HET_VAL(s->problem->cols),
				HET_VAL(s->problem->pitch), HET_VAL(0)));
		must(het_swap(s->now, s->next));
	}
	must(het_map(s->now, HET_READ, &s->result));
	return s->result;
}

static void jacobi_finish(void *state)
{
	struct state *const s = state;

	must(het_unmap(s->now));
}

const struct bench_version jacobi_hetero = {.name = "hetero",
					    .open = jacobi_open,
					    .prepare = jacobi_prepare,
					    .run = jacobi_run,
					    .finish = jacobi_finish,
					    .close = free};
