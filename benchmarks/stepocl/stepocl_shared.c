/* stepocl_shared.c - STEPOCL's stencil in OpenCL by hand: all devices use the same two grids in the host's
 * memory, and wait for what their neighbours have done in the step before. */

#include "stepocl/stepocl.h"

#include <stdlib.h>
#include <string.h>

/* `done`: the device's last step, for others to wait for; NULL where there are none. */
struct part {
	struct strip strip;
	cl_kernel stencil;
	cl_event done;
};

struct state {
	const struct stepocl_problem *problem;
	struct hand *hand;
	int count; /* of devices that have rows */
	struct part part[HAND_DEVICES_MOST];
	cl_mem grid[2];
	void *host[2];
};

static void open_part(struct state *s, struct part *p, struct strip strip)
{
	p->strip = strip;
	p->stencil = hand_kernel(s->hand, strip.device, STEPOCL_KERNELS, "stencil");
	HAND_ARG(p->stencil, 2, s->problem->cols);
}

/* What the host does with a grid it does between a map and an unmap. */
static void *map(struct state *s, int grid, cl_map_flags flags)
{
	cl_int code;
	void *const memory = clEnqueueMapBuffer(s->hand->queue[0], s->grid[grid], CL_TRUE, flags, 0,
						stepocl_bytes(s->problem), 0, NULL, NULL, &code);

	hand_check(code, "clEnqueueMapBuffer");
	return memory;
}

static void unmap(struct state *s, int grid)
{
	CL(clEnqueueUnmapMemObject(s->hand->queue[0], s->grid[grid], s->host[grid], 0, NULL, NULL));
	CL(clFinish(s->hand->queue[0]));
}

/* ---- steps ------------------------------------------------------------------------------------- */

/* What the devices beside this one did last: this one reads what they wrote and writes what they read. */
static cl_uint done_beside(const struct state *s, int i, cl_event *events)
{
	cl_uint count = 0;

	for (int beside = i - 1; beside <= i + 1; beside += 2)
		if (beside >= 0 && beside < s->count && s->part[beside].done)
			events[count++] = s->part[beside].done;
	return count;
}

static void start_step(struct state *s, int i, int step, cl_event *done)
{
	const struct part *const p = &s->part[i];
	const size_t offset[2] = {STEPOCL_REACH, (size_t)p->strip.lo};
	const size_t size[2] = {(size_t)stepocl_inside(s->problem), (size_t)(p->strip.hi - p->strip.lo)};
	const size_t local[2] = {STEPOCL_GROUP_COLS, STEPOCL_GROUP_ROWS};
	const cl_command_queue queue = s->hand->queue[p->strip.device];
	cl_event events[2];
	const cl_uint count = done_beside(s, i, events);

	*done = NULL;
	HAND_ARG(p->stencil, 0, s->grid[1 - step % 2]);
	HAND_ARG(p->stencil, 1, s->grid[step % 2]);
	CL(clEnqueueNDRangeKernel(queue, p->stencil, 2, offset, size, local, count, count ? events : NULL,
				  s->count > 1 ? done : NULL));
	CL(clFlush(queue));
}

/* The events of a step take the place of the last ones only once all of it is enqueued. */
static void start_steps(struct state *s, int step)
{
	cl_event done[HAND_DEVICES_MOST];

	for (int i = 0; i < s->count; i++)
		start_step(s, i, step, &done[i]);
	for (int i = 0; i < s->count; i++) {
		if (s->part[i].done)
			CL(clReleaseEvent(s->part[i].done));
		s->part[i].done = done[i];
	}
}

static void finish_all(struct state *s)
{
	for (int i = 0; i < s->count; i++) {
		CL(clFinish(s->hand->queue[s->part[i].strip.device]));
		if (s->part[i].done)
			CL(clReleaseEvent(s->part[i].done));
		s->part[i].done = NULL;
	}
}

/* Before the clock starts: a step that is made once more, so that data, caches and threads are warm. */
static void warm_up(struct state *s)
{
	start_steps(s, 0);
	finish_all(s);
}

static void stepocl(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const size_t bytes = stepocl_bytes(s.problem);
	const int steps = s.problem->steps;
	struct strip strip[HAND_DEVICES_MOST];

	for (int i = 0; i < 2; i++) {
		s.host[i] = hand_memory(bytes);
		s.grid[i] = hand_buffer(s.hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, s.host[i]);
	}
	s.count = stepocl_cut(s.problem, strips_team(machine), strip);
	for (int i = 0; i < s.count; i++)
		open_part(&s, &s.part[i], strip[i]);
	while (bench_round(clock)) {
		for (int i = 0; i < 2; i++) {
			memcpy(map(&s, i, CL_MAP_WRITE_INVALIDATE_REGION), s.problem->first, bytes);
			unmap(&s, i);
		}
		warm_up(&s);
		bench_start(clock);
		for (int step = 0; step < steps; step++)
			start_steps(&s, step);
		finish_all(&s);
		bench_stop(clock, map(&s, steps % 2, CL_MAP_READ));
		unmap(&s, steps % 2);
	}
	for (int i = 0; i < s.count; i++)
		CL(clReleaseKernel(s.part[i].stencil));
	for (int i = 0; i < 2; i++) {
		CL(clReleaseMemObject(s.grid[i]));
		free(s.host[i]);
	}
}

const struct bench_version stepocl_shared = {.name = "shared", .one_context = 1, .program = stepocl};
