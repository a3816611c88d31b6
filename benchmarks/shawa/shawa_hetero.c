/* shawa_hetero.c - ShaWa with Hetero. */

#include "shawa/shawa.h"

#include "must.h"

struct state {
	const struct shawa_problem *problem;
	het_system *system;
	int count; /* of devices that have rows */
	struct shawa_sea sea;
	het_kernel *flux, *fastest, *update;
	het_array *state, *bed, *rate, *pace, *most, *clock;
	struct shawa_result result;
};

static het_array *new_array(struct state *s, const char *name, struct het_shape shape)
{
	het_array *array;

	must(het_array_new(s->system, HET_DOUBLE, shape, &array));
	must(het_array_name(array, name));
	return array;
}

static het_kernel *new_kernel(struct state *s, const char *name)
{
	het_kernel *kernel;

	must(het_kernel_from_file(s->system, SHAWA_KERNELS, name, NULL, &kernel));
	for (int d = 0; d < s->count; d++)
		must(het_kernel_build(kernel, het_device(s->system, d)));
	return kernel;
}

static void *shawa_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	s->problem = problem;
	s->system = machine->system;
	s->sea = s->problem->sea;
	s->count = shawa_count(&s->sea, machine->count);
	s->sea.above = s->sea.rows - 1;
	s->flux = new_kernel(s, shawa_kernel(s->problem));
	s->fastest = new_kernel(s, "fastest");
	s->update = new_kernel(s, "update");
	s->state = new_array(s, "state", het_shape(3, s->sea.rows, 4, s->sea.pitch));
	s->bed = new_array(s, "bed", het_shape(2, s->sea.rows, s->sea.pitch));
	s->rate = new_array(s, "rate", het_shape(3, s->sea.rows, 4, s->sea.pitch));
	s->pace = new_array(s, "pace", het_shape(2, s->sea.rows, s->sea.pitch / SHAWA_ITEM));
	s->most = new_array(s, "most", het_shape(2, s->count, SHAWA_MOST));
	s->clock = new_array(s, "clock", het_shape(2, s->count, s->problem->steps + 1));
	return s;
}

static struct het_box rows_of(const struct state *s, int d)
{
	return het_rows(shawa_first(&s->sea, d, s->count), shawa_first(&s->sea, d + 1, s->count));
}

/* A device's rows and those beside them. */
static struct het_box near_of(const struct state *s, int d)
{
	const struct het_box own = rows_of(s, d);

	return het_rows(d > 0 ? own.lo[0] - 1 : 0, d < s->count - 1 ? own.hi[0] + 1 : s->sea.rows);
}

/* Of a periodic sea the first and the last device also need the row across it, which one that is both has. */
static struct het_box far_of(const struct state *s, int d)
{
	if (!shawa_is_round(&s->sea) || s->count == 1 || (d > 0 && d < s->count - 1))
		return rows_of(s, d);
	return d == 0 ? het_rows(s->sea.rows - 1, s->sea.rows) : het_rows(0, 1);
}

static void shawa_prepare(void *state)
{
	struct state *const s = state;
	const double midnight = 0;

	must(het_write(het_view(s->state, het_whole()), s->problem->state));
	must(het_write(het_view(s->bed, het_whole()), s->problem->bed));
	must(het_fill(het_view(s->clock, het_whole()), &midnight));
	for (int d = 0; d < s->count; d++) {
		must(het_prefetch(het_view(s->state, near_of(s, d)), het_device(s->system, d)));
		must(het_prefetch(het_view(s->bed, near_of(s, d)), het_device(s->system, d)));
		must(het_prefetch(het_view(s->clock, het_rows(d, d + 1)), het_device(s->system, d)));
	}
	must(het_wait_all(s->system));
}

/* What passes the edges in a device's rows, and the largest pace there. */
static void start_flux(struct state *s, int d, int step)
{
	const struct het_box own = rows_of(s, d), near = near_of(s, d), far = far_of(s, d);
	const int lo = (int)own.lo[0], rows = (int)(own.hi[0] - own.lo[0]), items = s->sea.pitch / SHAWA_ITEM;
	const int now = d * (s->problem->steps + 1) + step;

	must(het_launch(s->flux, het_device(s->system, d),
			het_local(het_range(2, own.lo[0], own.hi[0], 0, items), 1, SHAWA_GROUP),
			HET_OUT_PART(s->rate, own), HET_OUT_PART(s->pace, own), HET_IN_PART(s->state, near),
			HET_IN_PART(s->state, far), HET_IN_PART(s->bed, near), HET_IN_PART(s->bed, far),
			HET_IN_PART(s->clock, het_box(2, d, d + 1, step, step + 1)),
			HET_BYTES(&s->sea, sizeof s->sea), HET_VAL(now)));
	must(het_launch(s->fastest, het_device(s->system, d),
			het_local(het_grid(1, SHAWA_MOST * SHAWA_SEARCH), SHAWA_SEARCH),
			HET_OUT_PART(s->most, het_rows(d, d + 1)), HET_IN_PART(s->pace, own), HET_VAL(lo),
			HET_VAL(rows), HET_VAL(items), HET_VAL(d * SHAWA_MOST)));
}

/* A device's rows move on, by a step that all devices' paces decide. Each has a clock of its own. */
static void start_update(struct state *s, int d, int step)
{
	const struct het_box own = rows_of(s, d);
	const int now = d * (s->problem->steps + 1) + step;

	must(het_launch(
		s->update, het_device(s->system, d),
		het_local(het_range(2, own.lo[0], own.hi[0], 0, s->sea.pitch / SHAWA_ITEM), 1, SHAWA_GROUP),
		HET_INOUT_PART(s->state, own), HET_INOUT_PART(s->clock, het_box(2, d, d + 1, step, step + 2)),
		HET_IN_PART(s->rate, own), HET_IN(s->most), HET_BYTES(&s->sea, sizeof s->sea), HET_VAL(now),
		HET_VAL(s->count * SHAWA_MOST)));
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

static void shawa_close(void *state)
{
	struct state *const s = state;

	must(het_array_free(s->state));
	must(het_array_free(s->bed));
	must(het_array_free(s->rate));
	must(het_array_free(s->pace));
	must(het_array_free(s->most));
	must(het_array_free(s->clock));
	must(het_kernel_free(s->flux));
	must(het_kernel_free(s->fastest));
	must(het_kernel_free(s->update));
	free(s);
}

const struct bench_version shawa_hetero = {.name = "hetero",
					   .open = shawa_open,
					   .prepare = shawa_prepare,
					   .run = shawa_run,
					   .finish = shawa_finish,
					   .close = shawa_close};
