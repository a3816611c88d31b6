/* path_shared.c - Shortest paths in OpenCL by hand: all devices use the same costs and heights in the host's
 * memory, and wait for what their neighbours have done in the sweep before. */

#include "path/path.h"

#include <stdlib.h>
#include <string.h>

enum which { EVEN, ODD, HEIGHT, LAST, BUFFERS };

#define APART 16 /* numbers from that of a device to the next one's: a cache line of 64 bytes */

/* `done`: the device's last sweep, for others to wait for; NULL where there are none. */
struct part {
	struct strip strip;
	cl_kernel sweep;
	cl_event done;
};

struct state {
	const struct path_problem *problem;
	struct hand *hand;
	int count; /* of devices that have rows */
	struct part part[HAND_DEVICES_MOST];
	int sweeps; /* that were started */
	cl_mem buffer[BUFFERS];
	void *host[BUFFERS];
};

static size_t bytes_of(const struct state *s, enum which which)
{
	const size_t bytes[BUFFERS] = {path_places(s->problem) * path_cost_bytes(s->problem),
				       path_places(s->problem) * path_cost_bytes(s->problem),
				       path_places(s->problem) * sizeof(float),
				       (size_t)(s->count * APART) * sizeof(int)};

	return bytes[which];
}

static void open_part(struct state *s, int i, struct strip strip)
{
	struct part *const p = &s->part[i];
	const int first_row = 0, each = 0, at = i * APART;

	p->strip = strip;
	p->sweep = hand_kernel(s->hand, strip.device, PATH_KERNELS, path_kernel(s->problem));
	HAND_ARG(p->sweep, 1, s->buffer[LAST]);
	HAND_ARG(p->sweep, 3, s->buffer[HEIGHT]);
	CL(clSetKernelArg(p->sweep, 4, path_flats_bytes(s->problem), path_flats(s->problem)));
	HAND_ARG(p->sweep, 5, s->problem->pitch);
	HAND_ARG(p->sweep, 6, first_row);
	HAND_ARG(p->sweep, 7, each);
	HAND_ARG(p->sweep, 8, at);
}

/* What the host does with a buffer it does between a map and an unmap. */
static void *map(struct state *s, enum which which, cl_map_flags flags)
{
	cl_int code;
	void *const memory = clEnqueueMapBuffer(s->hand->queue[0], s->buffer[which], CL_TRUE, flags, 0,
						bytes_of(s, which), 0, NULL, NULL, &code);

	hand_check(code, "clEnqueueMapBuffer");
	return memory;
}

static void unmap(struct state *s, enum which which)
{
	CL(clEnqueueUnmapMemObject(s->hand->queue[0], s->buffer[which], s->host[which], 0, NULL, NULL));
	CL(clFinish(s->hand->queue[0]));
}

/* ---- sweeps ------------------------------------------------------------------------------------ */

/* What the devices beside this one did last: this one reads what they wrote and writes what they read. */
static cl_uint done_beside(const struct state *s, int i, cl_event *events)
{
	cl_uint count = 0;

	for (int beside = i - 1; beside <= i + 1; beside += 2)
		if (beside >= 0 && beside < s->count && s->part[beside].done)
			events[count++] = s->part[beside].done;
	return count;
}

static void start_sweep(struct state *s, int i, int number, cl_event *done)
{
	const struct part *const p = &s->part[i];
	const size_t offset[2] = {0, (size_t)p->strip.lo}, local[2] = {PATH_GROUP, 1};
	const size_t size[2] = {(size_t)s->problem->pitch / PATH_ITEM, (size_t)(p->strip.hi - p->strip.lo)};
	const cl_command_queue queue = s->hand->queue[p->strip.device];
	cl_event events[2];
	const cl_uint count = done_beside(s, i, events);

	*done = NULL;
	HAND_ARG(p->sweep, 0, s->buffer[s->sweeps % 2 ? EVEN : ODD]);
	HAND_ARG(p->sweep, 2, s->buffer[s->sweeps % 2 ? ODD : EVEN]);
	HAND_ARG(p->sweep, 9, number);
	CL(clEnqueueNDRangeKernel(queue, p->sweep, 2, offset, size, local, count, count ? events : NULL,
				  s->count > 1 ? done : NULL));
	CL(clFlush(queue));
}

/* The events of a sweep take the place of the last ones only once all of it is enqueued. */
static void start_sweeps(struct state *s, int number)
{
	cl_event done[HAND_DEVICES_MOST];

	for (int i = 0; i < s->count; i++)
		start_sweep(s, i, number, &done[i]);
	for (int i = 0; i < s->count; i++) {
		if (s->part[i].done)
			CL(clReleaseEvent(s->part[i].done));
		s->part[i].done = done[i];
	}
}

static void finish(struct state *s)
{
	for (int i = 0; i < s->count; i++) {
		CL(clFinish(s->hand->queue[s->part[i].strip.device]));
		if (s->part[i].done)
			CL(clReleaseEvent(s->part[i].done));
		s->part[i].done = NULL;
	}
}

/* Before the clock starts: a sweep number 0, which is made once more, so that data, caches and threads are
 * warm. */
static void warm_up(struct state *s)
{
	s->sweeps = 0;
	start_sweeps(s, 0);
	finish(s);
}

static void start_batch(struct state *s)
{
	for (int i = 0; i < s->problem->batch; i++) {
		start_sweeps(s, s->sweeps + 1);
		s->sweeps++;
	}
}

/* Which sweep was the last that changed something on any device. */
static int last_change(struct state *s)
{
	const int *const last = map(s, LAST, CL_MAP_READ);
	int most = 0;

	for (int i = 0; i < s->count; i++)
		most = last[i * APART] > most ? last[i * APART] : most;
	unmap(s, LAST);
	return most;
}

static void path(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct path_problem *const p = problem;
	const void *const from[BUFFERS] = {p->cost, p->cost, p->height, NULL};
	struct state s = {.problem = p, .hand = machine->hand};
	struct strip strip[HAND_DEVICES_MOST];
	struct path_result result;
	int last;

	s.count = strips_cut(strips_team(machine), NULL, 1, p->rows + 1, strip);
	for (enum which i = EVEN; i < BUFFERS; i++) {
		s.host[i] = hand_memory(bytes_of(&s, i));
		s.buffer[i] = hand_buffer(s.hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_of(&s, i),
					  s.host[i]);
	}
	for (int i = 0; i < s.count; i++)
		open_part(&s, i, strip[i]);
	while (bench_round(clock)) {
		for (enum which i = EVEN; i <= HEIGHT; i++) {
			memcpy(map(&s, i, CL_MAP_WRITE_INVALIDATE_REGION), from[i], bytes_of(&s, i));
			unmap(&s, i);
		}
		memset(map(&s, LAST, CL_MAP_WRITE_INVALIDATE_REGION), 0, bytes_of(&s, LAST));
		unmap(&s, LAST);
		warm_up(&s);
		bench_start(clock);
		do {
			start_batch(&s);
			finish(&s);
			last = last_change(&s);
		} while (last == s.sweeps);
		result.cost = map(&s, s.sweeps % 2 ? ODD : EVEN, CL_MAP_READ);
		result.sweeps = last + 1;
		bench_stop(clock, &result);
		unmap(&s, s.sweeps % 2 ? ODD : EVEN);
	}
	for (int i = 0; i < s.count; i++)
		CL(clReleaseKernel(s.part[i].sweep));
	for (enum which i = EVEN; i < BUFFERS; i++) {
		CL(clReleaseMemObject(s.buffer[i]));
		free(s.host[i]);
	}
}

const struct bench_version path_shared = {.name = "shared", .one_context = 1, .program = path};
