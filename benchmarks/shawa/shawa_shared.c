/* shawa_shared.c - ShaWa in OpenCL by hand: all devices use the same cells in the host's memory. Fluxes wait
 * for the half step before of devices with neighbouring rows, updates for that of all. */

#include "shawa/shawa.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum which { STATE, BED, CLOCK, RATE, PACE, MOST_EVEN, MOST_ODD, BUFFERS };

/* A device's rows; `done`: the last kernel of its last half step, for others to wait for; NULL where there are
 * none. */
struct part {
	int lo, hi;
	cl_kernel flux, fastest, update;
	cl_event done;
};

struct state {
	const struct shawa_problem *problem;
	struct hand *hand;
	struct shawa_sea sea;
	int count; /* of devices that have rows */
	struct part part[HAND_DEVICES_MOST];
	cl_mem buffer[BUFFERS];
	double *host[BUFFERS];
};

static size_t bytes_of(const struct state *s, enum which which)
{
	const size_t cells = shawa_cells(&s->sea), devices = (size_t)s->count;
	const size_t numbers[BUFFERS] = {4 * cells,
					 cells,
					 devices * (size_t)(s->problem->steps + 1),
					 4 * cells,
					 cells / SHAWA_ITEM,
					 devices * SHAWA_MOST,
					 devices * SHAWA_MOST};

	return numbers[which] * sizeof(double);
}

static void set_arguments(struct state *s, struct part *p)
{
	const int count = s->count * SHAWA_MOST;

	HAND_ARG(p->flux, 0, s->buffer[RATE]);
	HAND_ARG(p->flux, 1, s->buffer[PACE]);
	HAND_ARG(p->flux, 2, s->buffer[STATE]);
	HAND_ARG(p->flux, 3, s->buffer[STATE]);
	HAND_ARG(p->flux, 4, s->buffer[BED]);
	HAND_ARG(p->flux, 5, s->buffer[BED]);
	HAND_ARG(p->flux, 6, s->buffer[CLOCK]);
	HAND_ARG(p->flux, 7, s->sea);
	HAND_ARG(p->fastest, 1, s->buffer[PACE]);
	HAND_ARG(p->fastest, 2, s->sea);
	HAND_ARG(p->fastest, 3, count);
	HAND_ARG(p->update, 0, s->buffer[STATE]);
	HAND_ARG(p->update, 1, s->buffer[CLOCK]);
	HAND_ARG(p->update, 2, s->buffer[RATE]);
	HAND_ARG(p->update, 4, s->sea);
	HAND_ARG(p->update, 6, count);
}

static void open_part(struct state *s, int d)
{
	struct part *const p = &s->part[d];

	p->lo = shawa_first(&s->sea, d, s->count);
	p->hi = shawa_first(&s->sea, d + 1, s->count);
	p->flux = hand_kernel(s->hand, d, SHAWA_KERNELS, shawa_kernel(s->problem));
	p->fastest = hand_kernel(s->hand, d, SHAWA_KERNELS, "fastest");
	p->update = hand_kernel(s->hand, d, SHAWA_KERNELS, "update");
	set_arguments(s, p);
}

/* What the host does with a buffer it does between a map and an unmap. */
static double *map(struct state *s, enum which which, cl_map_flags flags)
{
	cl_int code;
	double *const memory = clEnqueueMapBuffer(s->hand->queue[0], s->buffer[which], CL_TRUE, flags, 0,
						  bytes_of(s, which), 0, NULL, NULL, &code);

	hand_check(code, "clEnqueueMapBuffer");
	return memory;
}

static void unmap(struct state *s, enum which which)
{
	CL(clEnqueueUnmapMemObject(s->hand->queue[0], s->buffer[which], s->host[which], 0, NULL, NULL));
	CL(clFinish(s->hand->queue[0]));
}

static void fill_all(struct state *s)
{
	memcpy(map(s, STATE, CL_MAP_WRITE_INVALIDATE_REGION), s->problem->state, bytes_of(s, STATE));
	memcpy(map(s, BED, CL_MAP_WRITE_INVALIDATE_REGION), s->problem->bed, bytes_of(s, BED));
	for (enum which i = CLOCK; i < BUFFERS; i++)
		memset(map(s, i, CL_MAP_WRITE_INVALIDATE_REGION), 0, bytes_of(s, i));
	for (enum which i = STATE; i < BUFFERS; i++)
		unmap(s, i);
}

/* ---- steps ------------------------------------------------------------------------------------- */

/* Also around a periodic sea. */
static bool are_neighbours(const struct state *s, int a, int b)
{
	return a == (b + 1) % s->count || b == (a + 1) % s->count;
}

/* What the other devices, or only those with neighbouring rows, have done last. */
static cl_uint done_by_others(const struct state *s, int d, bool neighbours, cl_event *events)
{
	cl_uint count = 0;

	for (int other = 0; other < s->count; other++)
		if (other != d && s->part[other].done && (!neighbours || are_neighbours(s, d, other)))
			events[count++] = s->part[other].done;
	return count;
}

/* Fluxes read the rows beside the device's own, updates the largest paces of all devices. */
static void start_cells(struct state *s, int d, cl_kernel kernel, cl_event *done)
{
	const struct part *const p = &s->part[d];
	const size_t offset[2] = {0, (size_t)p->lo}, local[2] = {SHAWA_GROUP, 1};
	const size_t size[2] = {(size_t)s->sea.pitch / SHAWA_ITEM, (size_t)(p->hi - p->lo)};
	cl_event events[HAND_DEVICES_MOST];
	const cl_uint count = done_by_others(s, d, kernel == p->flux, events);

	CL(clEnqueueNDRangeKernel(s->hand->queue[d], kernel, 2, offset, size, local, count,
				  count ? events : NULL, done));
}

/* Even and odd steps have largest paces of their own, for those of the step before may still be read. Those of
 * two steps before are not: the device's last update waited for fluxes that came after those who read them. */
static cl_mem most_of(const struct state *s, int step)
{
	return s->buffer[step % 2 ? MOST_ODD : MOST_EVEN];
}

static void start_flux(struct state *s, int d, int step, cl_event *done)
{
	struct part *const p = &s->part[d];
	const size_t size = SHAWA_MOST * SHAWA_SEARCH, local = SHAWA_SEARCH, offset = (size_t)d * size;
	const int now = d * (s->problem->steps + 1) + step;
	const cl_mem most = most_of(s, step);

	HAND_ARG(p->flux, 8, now);
	start_cells(s, d, p->flux, NULL);
	HAND_ARG(p->fastest, 0, most);
	CL(clEnqueueNDRangeKernel(s->hand->queue[d], p->fastest, 1, &offset, &size, &local, 0, NULL, done));
	CL(clFlush(s->hand->queue[d]));
}

static void start_update(struct state *s, int d, int step, cl_event *done)
{
	struct part *const p = &s->part[d];
	const int now = d * (s->problem->steps + 1) + step;
	const cl_mem most = most_of(s, step);

	HAND_ARG(p->update, 3, most);
	HAND_ARG(p->update, 5, now);
	start_cells(s, d, p->update, done);
	CL(clFlush(s->hand->queue[d]));
}

/* Starts half a step on all devices. Its events take the place of the last ones only once all of it is
 * enqueued. */
static void start_half(struct state *s, int step, void (*start)(struct state *, int, int, cl_event *))
{
	cl_event done[HAND_DEVICES_MOST] = {NULL};

	for (int d = 0; d < s->count; d++)
		start(s, d, step, s->count > 1 ? &done[d] : NULL);
	for (int d = 0; d < s->count; d++) {
		if (s->part[d].done)
			CL(clReleaseEvent(s->part[d].done));
		s->part[d].done = done[d];
	}
}

static void finish_all(struct state *s)
{
	for (int d = 0; d < s->count; d++) {
		CL(clFinish(s->hand->queue[d]));
		if (s->part[d].done)
			CL(clReleaseEvent(s->part[d].done));
		s->part[d].done = NULL;
	}
}

/* Before the clock starts: the first step's fluxes, which are computed once more, so that data, caches and
 * threads are warm. */
static void warm_up(struct state *s)
{
	start_half(s, 0, start_flux);
	finish_all(s);
}

static void shawa(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct shawa_problem *const p = problem;
	struct state s = {.problem = p, .hand = machine->hand, .sea = p->sea};
	struct shawa_result result;

	s.count = shawa_count(&s.sea, s.hand->count);
	s.sea.above = s.sea.rows - 1;
	for (enum which i = 0; i < BUFFERS; i++) {
		s.host[i] = hand_memory(bytes_of(&s, i));
		s.buffer[i] = hand_buffer(s.hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_of(&s, i),
					  s.host[i]);
	}
	for (int d = 0; d < s.count; d++)
		open_part(&s, d);
	while (bench_round(clock)) {
		fill_all(&s);
		warm_up(&s);
		bench_start(clock);
		for (int step = 0; step < p->steps; step++) {
			start_half(&s, step, start_flux);
			start_half(&s, step, start_update);
		}
		finish_all(&s);
		result.state = map(&s, STATE, CL_MAP_READ);
		result.clock = map(&s, CLOCK, CL_MAP_READ);
		bench_stop(clock, &result);
		unmap(&s, STATE);
		unmap(&s, CLOCK);
	}
	for (int d = 0; d < s.count; d++) {
		CL(clReleaseKernel(s.part[d].flux));
		CL(clReleaseKernel(s.part[d].fastest));
		CL(clReleaseKernel(s.part[d].update));
	}
	for (enum which i = 0; i < BUFFERS; i++) {
		CL(clReleaseMemObject(s.buffer[i]));
		free(s.host[i]);
	}
}

const struct bench_version shawa_shared = {.name = "shared", .one_context = 1, .program = shawa};
