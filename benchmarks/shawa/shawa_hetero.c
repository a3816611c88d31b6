/* shawa_hetero.c - ShaWa with Hetero. */

#include "shawa/shawa.h"

#include "common/library.h"

/* A device with its rows [lo, hi). `near`: those and the ones beside them; `far`: of a periodic sea the row
 * across it, which the first and the last device need, and one that is both has. */
struct part {
	het_device *device;
	int lo, hi;
	struct het_box own, near, far;
	struct het_range cells;
};

struct state {
	const struct shawa_problem *problem;
	het_system *system;
	int count; /* of devices that have rows */
	struct part part[HAND_DEVICES_MOST];
	struct shawa_sea sea;
	het_kernel *flux, *fastest, *update;
	het_array *state, *bed, *rate, *pace, *most, *clock;
	struct shawa_result result;
};

static void open_part(struct state *s, int d)
{
	struct part *const p = &s->part[d];
	const int is_first = d == 0, is_last = d == s->count - 1;

	p->device = het_device(s->system, d);
	p->lo = shawa_first(&s->sea, d, s->count);
	p->hi = shawa_first(&s->sea, d + 1, s->count);
	p->own = p->far = het_rows(p->lo, p->hi);
	p->near = het_rows(p->lo - !is_first, p->hi + !is_last);
	if (shawa_is_round(&s->sea) && is_first != is_last)
		p->far = is_first ? het_rows(s->sea.rows - 1, s->sea.rows) : het_rows(0, 1);
	p->cells = het_local(het_range(2, p->lo, p->hi, 0, s->sea.pitch / SHAWA_ITEM), 1, SHAWA_GROUP);
}

static void open_arrays(struct state *s)
{
	const int rows = s->sea.rows, pitch = s->sea.pitch;

	s->state = library_array(s->system, HET_DOUBLE, het_shape(3, rows, 4, pitch));
	s->bed = library_array(s->system, HET_DOUBLE, het_shape(2, rows, pitch));
	s->rate = library_array(s->system, HET_DOUBLE, het_shape(3, rows, 4, pitch));
	s->pace = library_array(s->system, HET_DOUBLE, het_shape(2, rows, pitch / SHAWA_ITEM));
	s->most = library_array(s->system, HET_DOUBLE, het_shape(2, s->count, SHAWA_MOST));
	s->clock = library_array(s->system, HET_DOUBLE, het_shape(2, s->count, s->problem->steps + 1));
}

static void *shawa_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	s->problem = problem;
	s->system = machine->system;
	s->sea = s->problem->sea;
	s->sea.above = s->sea.rows - 1;
	s->count = shawa_count(&s->sea, machine->count);
	s->flux = library_kernel(s->system, SHAWA_KERNELS, shawa_kernel(s->problem));
	s->fastest = library_kernel(s->system, SHAWA_KERNELS, "fastest");
	s->update = library_kernel(s->system, SHAWA_KERNELS, "update");
	open_arrays(s);
	for (int d = 0; d < s->count; d++)
		open_part(s, d);
	return s;
}

static void shawa_prepare(void *state)
{
	struct state *const s = state;

	must(het_write(het_view(s->state, het_whole()), s->problem->state));
	must(het_write(het_view(s->bed, het_whole()), s->problem->bed));
	must(het_fill(het_view(s->clock, het_whole()), &s->problem->start));
	for (int d = 0; d < s->count; d++) {
		const struct part *const p = &s->part[d];

		must(het_prefetch(het_view(s->state, p->near), p->device));
		must(het_prefetch(het_view(s->bed, p->near), p->device));
		must(het_prefetch(het_view(s->clock, het_rows(d, d + 1)), p->device));
	}
	must(het_wait_all(s->system));
}

/* Where in the clocks, of which each device has its own, the time before a step is. */
static int time_of(const struct state *s, int d, int step)
{
	return d * (s->problem->steps + 1) + step;
}

/* What passes the edges in a device's rows, and the largest pace there. */
static void start_flux(struct state *s, int d, int step)
{
	const struct part *const p = &s->part[d];

	must(het_launch(
		s->flux, p->device, p->cells, HET_OUT_PART(s->rate, p->own), HET_OUT_PART(s->pace, p->own),
		HET_IN_PART(s->state, p->near), HET_IN_PART(s->state, p->far), HET_IN_PART(s->bed, p->near),
		HET_IN_PART(s->bed, p->far), HET_IN_PART(s->clock, het_rows(d, d + 1)),
		HET_BYTES(&s->sea, sizeof s->sea), HET_VAL(time_of(s, d, step))));
	must(het_launch(s->fastest, p->device, het_local(het_grid(1, SHAWA_MOST * SHAWA_SEARCH), SHAWA_SEARCH),
			HET_OUT_PART(s->most, het_rows(d, d + 1)), HET_IN_PART(s->pace, p->own), HET_VAL(p->lo),
			HET_VAL(p->hi - p->lo), HET_VAL(s->sea.pitch / SHAWA_ITEM), HET_VAL(d * SHAWA_MOST)));
}

/* A device's rows move on, by a step that all devices' paces decide. */
static void start_update(struct state *s, int d, int step)
{
	const struct part *const p = &s->part[d];

	must(het_launch(s->update, p->device, p->cells, HET_INOUT_PART(s->state, p->own),
			HET_INOUT_PART(s->clock, het_rows(d, d + 1)),
			HET_IN_PART(s->rate, p->own), HET_IN(s->most), HET_BYTES(&s->sea, sizeof s->sea),
			HET_VAL(time_of(s, d, step)), HET_VAL(s->count * SHAWA_MOST)));
}

static const void *shawa_run(void *state)
{
	struct state *const s = state;

	for (int step = 0; step < s->problem->steps; step++) {
		for (int d = 0; d < s->count; d++)
			start_flux(s, d, step);
		for (int d = 0; d < s->count; d++)
			start_update(s, d, step);
	}
	must(het_map(s->state, HET_READ, &s->result.state));
	must(het_map(s->clock, HET_READ, &s->result.clock));
	return &s->result;
}

static void shawa_finish(void *state)
{
	struct state *const s = state;

	must(het_unmap(s->state));
	must(het_unmap(s->clock));
}

const struct bench_version shawa_hetero = {.name = "hetero",
					   .open = shawa_open,
					   .prepare = shawa_prepare,
					   .run = shawa_run,
					   .finish = shawa_finish,
					   .close = free};
