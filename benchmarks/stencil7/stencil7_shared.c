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
	cl_event stepped; /* its last step */
};

struct state {
	const struct stencil7_problem *problem;
	const struct hand *hand;
	struct part part[HAND_DEVICES_MOST];
	int parts; /* those that have planes */
	cl_mem field[2];
	void *host[2], *mapped;
};

static size_t whole(const struct state *s)
{
	return stencil7_bytes(s->problem, s->problem->nz);
}

static void open_part(struct state *s, int d, int lo, int hi)
{
	const struct stencil7_problem *const p = s->problem;
	struct part *const part = &s->part[s->parts++];

	part->lo = lo;
	part->hi = hi;
	part->queue = s->hand->queue[d];
	part->relax = hand_kernel(s->hand, d, STENCIL7_KERNELS, stencil7_kernel(p));
	HAND_ARG(part->relax, 2, p->nx);
	HAND_ARG(part->relax, 3, p->ny);
	CL(clSetKernelArg(part->relax, 4, stencil7_element_bytes(p), stencil7_alpha(p)));
	CL(clSetKernelArg(part->relax, 5, stencil7_element_bytes(p), stencil7_beta(p)));
}

static void *stencil7_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);
	int first[HAND_DEVICES_MOST + 1];

	s->problem = problem;
	s->hand = machine->hand;
	for (int i = 0; i < 2; i++) {
		s->host[i] = hand_memory(whole(s));
		s->field[i] =
			hand_buffer(s->hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, whole(s), s->host[i]);
	}
	stencil7_planes(s->problem, machine, first);
	for (int d = 0; d < machine->count; d++)
		if (first[d] < first[d + 1])
			open_part(s, d, first[d], first[d + 1]);
	return s;
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

static void stencil7_prepare(void *state)
{
	struct state *const s = state;

	for (int i = 0; i < 2; i++) {
		void *const memory = map(s, i, CL_MAP_WRITE_INVALIDATE_REGION);

		memcpy(memory, s->problem->first, whole(s));
		unmap(s, i, memory);
	}
	CL(clFinish(s->hand->queue[0]));
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

	if (i > 0 && s->part[i - 1].stepped)
		events[count++] = s->part[i - 1].stepped;
	if (i + 1 < s->parts && s->part[i + 1].stepped)
		events[count++] = s->part[i + 1].stepped;
	HAND_ARG(part->relax, 0, s->field[(step + 1) % 2]);
	HAND_ARG(part->relax, 1, s->field[step % 2]);
	CL(clEnqueueNDRangeKernel(part->queue, part->relax, 3, offset, size, local, count,
				  count ? events : NULL, stepped));
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

static const void *stencil7_run(void *state)
{
	struct state *const s = state;
	cl_event stepped[HAND_DEVICES_MOST];

	for (int step = 0; step < s->problem->steps; step++) {
		for (int i = 0; i < s->parts; i++)
			start_step(s, i, step, &stepped[i]);
		replace_events(s, stepped);
	}
	for (int i = 0; i < s->parts; i++)
		if (s->part[i].stepped)
			CL(clWaitForEvents(1, &s->part[i].stepped));
	replace_events(s, NULL);
	s->mapped = map(s, s->problem->steps % 2, CL_MAP_READ);
	return s->mapped;
}

static void stencil7_finish(void *state)
{
	struct state *const s = state;

	unmap(s, s->problem->steps % 2, s->mapped);
}

static void stencil7_close(void *state)
{
	struct state *const s = state;

	CL(clFinish(s->hand->queue[0]));
	for (int i = 0; i < s->parts; i++)
		CL(clReleaseKernel(s->part[i].relax));
	for (int i = 0; i < 2; i++) {
		CL(clReleaseMemObject(s->field[i]));
		free(s->host[i]);
	}
	free(s);
}

const struct bench_version stencil7_shared = {.name = "shared",
					      .one_context = 1,
					      .open = stencil7_open,
					      .prepare = stencil7_prepare,
					      .run = stencil7_run,
					      .finish = stencil7_finish,
					      .close = stencil7_close};
