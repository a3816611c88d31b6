/* jacobi_hetero.c - Jacobi with Hetero. */

#include "jacobi/jacobi.h"

#include "common/library.h"

struct state {
	const struct jacobi_problem *problem;
	het_team *team;
	het_kernel *sweep;
	het_array *now, *next;
	void *result;
};

static void *jacobi_open(const void *problem, const struct bench_machine *machine)
{
	const struct jacobi_problem *const p = problem;
	const het_type type = p->is_double ? HET_DOUBLE : HET_FLOAT;
	struct state *const s = bench_new(sizeof *s);

	s->problem = p;
	s->team = strips_team(machine);
	s->sweep = library_kernel(machine->system, JACOBI_KERNELS, jacobi_kernel(p));
	s->now = library_array(machine->system, type, het_shape(2, p->rows, p->pitch));
	s->next = library_array(machine->system, type, het_shape(2, p->rows, p->pitch));
	return s;
}

/* Parts write whole rows, which is why it is the rows that are cut. */
static void start_sweep(struct state *s)
{
	const struct jacobi_problem *const p = s->problem;

	must(het_spread(s->sweep, s->team, het_range(2, 1, p->rows - 1, 0, p->pitch),
			HET_OUT(HET_ROWS_OF(s->next)), HET_IN(HET_HALO(s->now, 1, 1)), HET_VAL(p->cols),
			HET_VAL(p->pitch), HET_VAL(0)));
}

/* What stays is the same in both grids. A sweep that is made once more brings devices what they will read. */
static void jacobi_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->now, het_whole()), s->problem->cells));
	must(het_write(het_view(s->next, het_whole()), s->problem->cells));
	start_sweep(s);
	must(het_wait(s->next));
}

static const void *jacobi_run(void *state)
{
	struct state *const s = state;

	for (int step = 0; step < s->problem->steps; step++) {
		start_sweep(s);
		must(het_swap(s->now, s->next));
	}
	must(het_map(s->now, HET_READ, &s->result));
	return s->result;
}

static void jacobi_finish(void *state)
{
	must(het_unmap(((struct state *)state)->now));
}

const struct bench_version jacobi_hetero = {.name = "hetero",
					    .open = jacobi_open,
					    .prepare = jacobi_prepare,
					    .run = jacobi_run,
					    .finish = jacobi_finish,
					    .close = free};
