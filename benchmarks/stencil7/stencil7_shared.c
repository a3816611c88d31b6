/* stencil7_shared.c - the 7-point stencil in OpenCL by hand: all devices use the same fields in the host's
 * memory, and each waits for its neighbours' step before. */

#include "stencil7/stencil7.h"

#include <stdlib.h>
#include <string.h>

/* A device with planes [lo, hi). */
struct part {
	int lo, hi;
	cl_command_queue queue;
	cl_kernel relax;
	cl_event stepped; /* its last step, for others to wait for; NULL where there are none */
};

struct state {
	const struct stencil7_problem *problem;
	struct hand *hand;
	struct part part[HAND_DEVICES_MOST];
	int parts; /* those that have planes */
	cl_mem field[2];
	void *host[2];
};

static size_t whole(const struct state *s)
{
	return stencil7_bytes(s->problem, s->problem->nz);
}

static void open_part(struct state *s, struct part *part, struct strip planes)
{
	const struct stencil7_problem *const p = s->problem;

	part->lo = planes.lo;
	part->hi = planes.hi;
	part->queue = s->hand->queue[planes.device];
	part->relax = hand_kernel(s->hand, planes.device, STENCIL7_KERNELS, stencil7_kernel(p));
	HAND_ARG(part->relax, 2, p->nx);
	HAND_ARG(part->relax, 3, p->ny);
	CL(clSetKernelArg(part->relax, 4, stencil7_element_bytes(p), stencil7_alpha(p)));
	CL(clSetKernelArg(part->relax, 5, stencil7_element_bytes(p), stencil7_beta(p)));
}

/* What the host does with a buffer it does between a map and an unmap. */
static void *map(struct state *s, int i, cl_map_flags flags)
{
	cl_int code;
	void *const memory = clEnqueueMapBuffer(s->hand->queue[0], s->field[i], CL_TRUE, flags, 0, whole(s), 0,
						NULL, NULL, &code);

	hand_check(code, "clEnqueueMapBuffer");
	return memory;
}

static void unmap(struct state *s, int i, void *memory)
{
	CL(clEnqueueUnmapMemObject(s->hand->queue[0], s->field[i], memory, 0, NULL, NULL));
}

/* The neighbours' steps before have read the planes that this one writes, and written those that it reads. */
static void start_step(struct state *s, int i, int step, cl_event *stepped)
{
	const struct stencil7_problem *const p = s->problem;
	struct part *const part = &s->part[i];
	const size_t offset[3] = {0, 0, (size_t)part->lo};
	const size_t size[3] = {(size_t)p->nx, (size_t)p->ny, (size_t)(part->hi - part->lo)};
	const size_t local[3] = {(size_t)stencil7_group(p), 1, 1};
	cl_event events[2];
	cl_uint count = 0;

	*stepped = NULL;
	if (i > 0 && s->part[i - 1].stepped)
		events[count++] = s->part[i - 1].stepped;
	if (i + 1 < s->parts && s->part[i + 1].stepped)
		events[count++] = s->part[i + 1].stepped;
	HAND_ARG(part->relax, 0, s->field[(step + 1) % 2]);
	HAND_ARG(part->relax, 1, s->field[step % 2]);
	CL(clEnqueueNDRangeKernel(part->queue, part->relax, 3, offset, size, local, count,
				  count ? events : NULL, s->parts > 1 ? stepped : NULL));
	CL(clFlush(part->queue));
}

static void replace_events(struct state *s, const cl_event *stepped)
{
	for (int i = 0; i < s->parts; i++) {
		if (s->part[i].stepped)
			CL(clReleaseEvent(s->part[i].stepped));
		s->part[i].stepped = stepped ? stepped[i] : NULL;
	}
}

static void all_parts(struct state *s, int step)
{
	cl_event stepped[HAND_DEVICES_MOST];

	for (int i = 0; i < s->parts; i++)
		start_step(s, i, step, &stepped[i]);
	replace_events(s, stepped);
}

static void finish_all(struct state *s)
{
	for (int i = 0; i < s->parts; i++)
		CL(clFinish(s->part[i].queue));
	replace_events(s, NULL);
}

/* Before the clock starts: a step that is made once more, so that data, caches and threads are warm. */
static void warm_up(struct state *s)
{
	all_parts(s, 0);
	finish_all(s);
}

static void stencil7(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const size_t bytes = whole(&s);
	const int steps = s.problem->steps;
	struct strip planes[HAND_DEVICES_MOST];
	void *mapped;

	for (int i = 0; i < 2; i++) {
		s.host[i] = hand_memory(bytes);
		s.field[i] = hand_buffer(s.hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, s.host[i]);
	}
	s.parts = strips_cut(strips_team(machine), NULL, 1, s.problem->nz - 1, planes);
	for (int i = 0; i < s.parts; i++)
		open_part(&s, &s.part[i], planes[i]);
	while (bench_round(clock)) {
		for (int i = 0; i < 2; i++) {
			mapped = map(&s, i, CL_MAP_WRITE_INVALIDATE_REGION);
			memcpy(mapped, s.problem->first, bytes);
			unmap(&s, i, mapped);
		}
		CL(clFinish(s.hand->queue[0]));
		warm_up(&s);
		bench_start(clock);
		for (int step = 0; step < steps; step++)
			all_parts(&s, step);
		finish_all(&s);
		mapped = map(&s, steps % 2, CL_MAP_READ);
		bench_stop(clock, mapped);
		unmap(&s, steps % 2, mapped);
	}
	CL(clFinish(s.hand->queue[0]));
	for (int i = 0; i < s.parts; i++)
		CL(clReleaseKernel(s.part[i].relax));
	for (int i = 0; i < 2; i++) {
		CL(clReleaseMemObject(s.field[i]));
		free(s.host[i]);
	}
}

const struct bench_version stencil7_shared = {.name = "shared", .one_context = 1, .program = stencil7};
