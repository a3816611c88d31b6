/* shawa_hetero.c - ShaWa with Hetero. */

#include "shawa/shawa.h"

#include "common/library.h"

struct state {
	struct shawa_sea sea;
	int groups; /* that look for the largest pace */
	het_team *team;
	het_kernel *flux, *fastest, *update;
	het_array *state, *bed, *rate, *pace, *most, *clock;
};

/* The first part needs the last row, the last part the first row; one that is both or neither, its own rows. */
static void across(void *sea, const struct het_box *part, struct het_box *touched)
{
	const int rows = ((struct shawa_sea *)sea)->rows;
	const int is_first = part->lo[0] == 0, is_last = part->hi[0] == rows;

	*touched = het_rows(part->lo[0], part->hi[0]);
	if (is_first != is_last)
		*touched = is_first ? het_rows(rows - 1, rows) : het_rows(0, 1);
}

/* What is across the sea, where it is periodic. */
static struct het_arg row_across(struct state *s, het_array *array)
{
	return shawa_is_round(&s->sea) ? HET_IN(HET_MAP_BY(array, across, &s->sea)) : HET_NULL;
}

/* The rows that groups look at. */
static void searched(void *state, const struct het_box *items, struct het_box *touched)
{
	const struct state *const s = state;

	*touched = het_rows(s->sea.rows * (items->lo[0] / SHAWA_SEARCH) / s->groups,
			    s->sea.rows * (items->hi[0] / SHAWA_SEARCH) / s->groups);
}

/* What passes the edges, and the largest pace. */
static void start_flux(struct state *s, int step)
{
	must(het_spread(s->flux, s->team, het_grid(2, s->sea.rows, s->sea.pitch / SHAWA_ITEM),
			HET_OUT(HET_ROWS_OF(s->rate)), HET_OUT(HET_EACH(s->pace)),
			HET_IN(HET_HALO(s->state, 1)), row_across(s, s->state), HET_IN(HET_HALO(s->bed, 1)),
			row_across(s, s->bed), HET_IN(HET_ROWS_OF(s->clock)), HET_BYTES(&s->sea, sizeof s->sea),
			HET_VAL(step)));
	must(het_spread(s->fastest, s->team, het_grid(1, s->groups * SHAWA_SEARCH),
			HET_OUT(HET_BLOCKS(s->most, SHAWA_SEARCH)), HET_IN(HET_MAP_BY(s->pace, searched, s)),
			HET_BYTES(&s->sea, sizeof s->sea), HET_VAL(s->groups)));
}

/* Everything moves on, by a step that the largest pace decides; each row has a clock. */
static void start_update(struct state *s, int step)
{
	must(het_spread(s->update, s->team, het_grid(2, s->sea.rows, s->sea.pitch / SHAWA_ITEM),
			HET_INOUT(HET_ROWS_OF(s->state)), HET_INOUT(HET_ROWS_OF(s->clock)),
			HET_IN(HET_ROWS_OF(s->rate)), HET_IN(s->most), HET_BYTES(&s->sea, sizeof s->sea),
			HET_VAL(step), HET_VAL(s->groups)));
}

/* Before the clock starts, the first step's fluxes, which are computed once more, bring devices what they will
 * read. */
static void shawa(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct shawa_problem *const p = problem;
	const int rows = p->sea.rows, pitch = p->sea.pitch;
	het_system *const system = machine->system;
	struct state s = {.sea = p->sea, .team = het_everyone(system)};
	struct shawa_result result;

	s.sea.above = rows - 1;
	s.sea.clock = p->steps + 1;
	s.groups = SHAWA_MOST * het_team_count(s.team);
	s.flux = library_kernel(system, SHAWA_KERNELS, shawa_kernel(p));
	s.fastest = library_kernel(system, SHAWA_KERNELS, "fastest");
	s.update = library_kernel(system, SHAWA_KERNELS, "update");
	s.state = library_array(system, HET_DOUBLE, het_shape(3, rows, 4, pitch));
	s.bed = library_array(system, HET_DOUBLE, het_shape(2, rows, pitch));
	s.rate = library_array(system, HET_DOUBLE, het_shape(3, rows, 4, pitch));
	s.pace = library_array(system, HET_DOUBLE, het_shape(2, rows, pitch / SHAWA_ITEM));
	s.most = library_array(system, HET_DOUBLE, het_shape(1, s.groups));
	s.clock = library_array(system, HET_DOUBLE, het_shape(2, rows, s.sea.clock));
	while (bench_round(clock)) {
		must(het_write(het_view(s.state, het_whole()), p->state));
		must(het_write(het_view(s.bed, het_whole()), p->bed));
		must(het_fill(het_view(s.clock, het_whole()), &p->start));
		start_flux(&s, 0);
		must(het_wait(s.most));
		bench_start(clock);
		for (int step = 0; step < p->steps; step++) {
			start_flux(&s, step);
			start_update(&s, step);
		}
		must(het_map(s.state, HET_READ, &result.state));
		must(het_map_view(het_view(s.clock, het_rows(0, 1)), HET_READ, &result.clock));
		bench_stop(clock, &result);
		must(het_unmap(s.state));
		must(het_unmap_view(het_view(s.clock, het_rows(0, 1))));
	}
}

const struct bench_version shawa_hetero = {.name = "hetero", .program = shawa};
