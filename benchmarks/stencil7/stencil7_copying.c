/* stencil7_copying.c - the 7-point stencil in OpenCL by hand: every device has its planes and one more on both
 * sides, which its neighbours send after each step but the last. */

#include "stencil7/stencil7.h"

#include <stdlib.h>

/* A device with planes [lo, hi); in its buffers they begin at 1. `sent`: the copies of its last step, to
 * the part before it and to the one after it. */
struct part {
	int lo, hi;
	cl_command_queue queue;
	cl_kernel relax;
	cl_mem field[2];
	cl_event sent[2];
};

struct state {
	const struct stencil7_problem *problem;
	struct hand *hand;
	struct part part[HAND_DEVICES_MOST];
	int parts; /* those that have planes */
	char *result;
};

static void open_part(struct state *s, struct part *part, struct strip planes)
{
	const struct stencil7_problem *const p = s->problem;

	part->lo = planes.lo;
	part->hi = planes.hi;
	part->queue = s->hand->queue[planes.device];
	part->relax = hand_kernel(s->hand, planes.device, STENCIL7_KERNELS, stencil7_kernel(p));
	for (int i = 0; i < 2; i++)
		part->field[i] = hand_buffer(s->hand, planes.device, CL_MEM_READ_WRITE,
					     stencil7_bytes(p, part->hi - part->lo + 2), NULL);
	HAND_ARG(part->relax, 2, p->nx);
	HAND_ARG(part->relax, 3, p->ny);
	CL(clSetKernelArg(part->relax, 4, stencil7_element_bytes(p), stencil7_alpha(p)));
	CL(clSetKernelArg(part->relax, 5, stencil7_element_bytes(p), stencil7_beta(p)));
}

/* The part's kernel waits for what its neighbours have sent it in the step before. */
static void start_step(struct state *s, int i, int step)
{
	const struct stencil7_problem *const p = s->problem;
	struct part *const part = &s->part[i];
	const size_t offset[3] = {0, 0, 1};
	const size_t size[3] = {(size_t)p->nx, (size_t)p->ny, (size_t)(part->hi - part->lo)};
	const size_t local[3] = {(size_t)stencil7_group(p), 1, 1};
	cl_event events[2];
	cl_uint count = 0;

	if (i > 0 && s->part[i - 1].sent[1])
		events[count++] = s->part[i - 1].sent[1];
	if (i + 1 < s->parts && s->part[i + 1].sent[0])
		events[count++] = s->part[i + 1].sent[0];
	HAND_ARG(part->relax, 0, part->field[(step + 1) % 2]);
	HAND_ARG(part->relax, 1, part->field[step % 2]);
	CL(clEnqueueNDRangeKernel(part->queue, part->relax, 3, offset, size, local, count,
				  count ? events : NULL, NULL));
}

/* Sends a plane of a part to its place in another part. What it replaces has been read: the other part sent its
 * own planes after its kernel of the step before, and this part's kernel, which is before the copy in the
 * queue, waited for them. */
static cl_event send(struct state *s, int from, int to, int plane, int step)
{
	const struct part *const a = &s->part[from], *const b = &s->part[to];
	const int next = (step + 1) % 2;
	cl_event sent;

	CL(clEnqueueCopyBuffer(
		a->queue, a->field[next], b->field[next], stencil7_bytes(s->problem, plane - a->lo + 1),
		stencil7_bytes(s->problem, plane - b->lo + 1), stencil7_bytes(s->problem, 1), 0, NULL, &sent));
	return sent;
}

static void replace_events(struct part *part, cl_event before, cl_event after)
{
	for (int i = 0; i < 2; i++)
		if (part->sent[i])
			CL(clReleaseEvent(part->sent[i]));
	part->sent[0] = before;
	part->sent[1] = after;
}

static void all_parts(struct state *s, int step)
{
	cl_event before[HAND_DEVICES_MOST] = {NULL}, after[HAND_DEVICES_MOST] = {NULL};
	const int is_last = step == s->problem->steps - 1;

	for (int i = 0; i < s->parts; i++) {
		start_step(s, i, step);
		if (i > 0 && !is_last)
			before[i] = send(s, i, i - 1, s->part[i].lo, step);
		if (i + 1 < s->parts && !is_last)
			after[i] = send(s, i, i + 1, s->part[i].hi - 1, step);
		CL(clFlush(s->part[i].queue));
	}
	for (int i = 0; i < s->parts; i++)
		replace_events(&s->part[i], before[i], after[i]);
}

/* Before the clock starts: a step that is made once more, so that data, caches and threads are warm. */
static void warm_up(struct state *s)
{
	for (int i = 0; i < s->parts; i++)
		start_step(s, i, 0);
	for (int i = 0; i < s->parts; i++)
		CL(clFinish(s->part[i].queue));
}

/* The border of the box is with the first and the last part. */
static void read_part(struct state *s, int i, cl_event *read)
{
	const struct part *const part = &s->part[i];
	const int lo = i > 0 ? part->lo : 0, hi = i + 1 < s->parts ? part->hi : s->problem->nz;

	CL(clEnqueueReadBuffer(part->queue, part->field[s->problem->steps % 2], CL_FALSE,
			       stencil7_bytes(s->problem, lo - part->lo + 1),
			       stencil7_bytes(s->problem, hi - lo), s->result + stencil7_bytes(s->problem, lo),
			       0, NULL, read));
	CL(clFlush(part->queue));
}

static void read_all(struct state *s)
{
	cl_event read[HAND_DEVICES_MOST];

	for (int i = 0; i < s->parts; i++)
		read_part(s, i, &read[i]);
	CL(clWaitForEvents((cl_uint)s->parts, read));
	for (int i = 0; i < s->parts; i++) {
		CL(clReleaseEvent(read[i]));
		replace_events(&s->part[i], NULL, NULL);
	}
}

static void stencil7(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct stencil7_problem *const p = problem;
	struct state s = {.problem = p, .hand = machine->hand};
	struct strip planes[HAND_DEVICES_MOST];

	s.result = hand_memory(stencil7_bytes(p, p->nz));
	s.parts = strips_cut(strips_team(machine), NULL, 1, p->nz - 1, planes);
	for (int i = 0; i < s.parts; i++)
		open_part(&s, &s.part[i], planes[i]);
	while (bench_round(clock)) {
		for (int i = 0; i < s.parts; i++) {
			const struct part *const part = &s.part[i];
			const size_t bytes = stencil7_bytes(p, part->hi - part->lo + 2);
			const char *const from = (const char *)p->first + stencil7_bytes(p, part->lo - 1);

			for (int b = 0; b < 2; b++)
				CL(clEnqueueWriteBuffer(part->queue, part->field[b], CL_FALSE, 0, bytes, from,
							0, NULL, NULL));
		}
		for (int i = 0; i < s.parts; i++)
			CL(clFinish(s.part[i].queue));
		warm_up(&s);
		hand_spoil_memory(s.result, stencil7_bytes(p, p->nz));
		bench_start(clock);
		for (int step = 0; step < p->steps; step++)
			all_parts(&s, step);
		read_all(&s);
		bench_stop(clock, s.result);
	}
	for (int i = 0; i < s.parts; i++) {
		CL(clReleaseMemObject(s.part[i].field[0]));
		CL(clReleaseMemObject(s.part[i].field[1]));
		CL(clReleaseKernel(s.part[i].relax));
	}
	free(s.result);
}

const struct bench_version stencil7_copying = {.name = "copying", .one_context = 1, .program = stencil7};
