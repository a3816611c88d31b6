/* path_flags.c - Shortest paths with Hetero, where a flag of all devices is combined after every sweep; for the
 * cost of that. */

#include "path/path.h"

#include "common/library.h"

struct state {
	const struct path_problem *problem;
	het_team *team;
	het_kernel *sweep;
	het_array *now, *next, *height, **changed;
	struct path_result result;
};

/* An element of the arrays is what a work-item looks at. */
static void *path_open(const void *problem, const struct bench_machine *machine)
{
	const struct path_problem *const p = problem;
	const struct het_shape items = het_shape(2, path_rows(p), p->pitch / PATH_ITEM);
	const het_type cost = p->is_double ? HET_DOUBLE4 : HET_FLOAT4;
	het_system *const system = machine->system;
	struct state *const s = bench_new(sizeof *s);

	s->problem = p;
	s->team = strips_team(machine);
	s->sweep = library_kernel(system, PATH_KERNELS, path_kernel(p));
	s->now = library_array(system, cost, items);
	s->next = library_array(system, cost, items);
	s->height = library_array(system, HET_FLOAT4, items);
	s->changed = bench_new((size_t)p->batch * sizeof(het_array *));
	for (int which = 0; which < p->batch; which++)
		s->changed[which] = library_array(system, HET_INT, het_shape(1, 1));
	return s;
}

static void start_sweep(struct state *s, het_array *changed)
{
	const struct path_problem *const p = s->problem;

	must(het_spread(s->sweep, s->team, het_range(2, 1, p->rows + 1, 0, p->pitch / PATH_ITEM),
			HET_OUT(HET_ROWS_OF(s->next)), HET_OUT(HET_OR(changed)), HET_IN(HET_HALO(s->now, 1, 1)),
			HET_IN(HET_HALO(s->height, 1, 1)), HET_BYTES(path_flats(p), path_flats_bytes(p)),
			HET_VAL(p->pitch), HET_VAL(0), HET_VAL(0), HET_VAL(0), HET_VAL(1)));
}

/* A sweep that is made once more brings devices what they will read. */
static void path_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->now, het_whole()), s->problem->cost));
	must(het_write(het_view(s->next, het_whole()), s->problem->cost));
	must(het_write(het_view(s->height, het_whole()), s->problem->height));
	start_sweep(s, s->changed[0]);
	must(het_wait(s->next));
}

static void start_batch(struct state *s)
{
	for (int which = 0; which < s->problem->batch; which++) {
		start_sweep(s, s->changed[which]);
		must(het_swap(s->now, s->next));
	}
}

/* The first sweep of the batch that changed nothing; `batch`: there is none. */
static int find_quiet(struct state *s)
{
	int which = 0, changed = 1;

	while (changed && which < s->problem->batch) {
		must(het_read(het_view(s->changed[which], het_whole()), &changed));
		which += changed;
	}
	return which;
}

static const void *path_run(void *state)
{
	struct state *const s = state;
	int quiet = s->problem->batch, before = 0;

	for (; quiet == s->problem->batch; before += quiet) {
		start_batch(s);
		quiet = find_quiet(s);
	}
	must(het_map(s->now, HET_READ, &s->result.cost));
	s->result.sweeps = before + 1;
	return &s->result;
}

static void path_finish(void *state)
{
	must(het_unmap(((struct state *)state)->now));
}

static void path_close(void *state)
{
	struct state *const s = state;

	free(s->changed);
	free(s);
}

const struct bench_version path_flags = {.name = "flags",
					 .optional = 1,
					 .open = path_open,
					 .prepare = path_prepare,
					 .run = path_run,
					 .finish = path_finish,
					 .close = path_close};
