/* nbody_shared.c - N-body in OpenCL by hand: all devices use the same places in the host's memory, and each
 * waits for the others' step before. */

#include "nbody/nbody.h"

#include <stdlib.h>
#include <string.h>

struct part {
	int lo, hi;
	cl_kernel move;
	cl_event moved; /* its last step, for others to wait for; NULL where there are none */
};

struct state {
	const struct nbody_problem *problem;
	struct hand *hand;
	struct part part[HAND_DEVICES_MOST];
	cl_mem place[2], velocity;
	struct nbody_vector *host[3];
};

static size_t bytes_of(int bodies)
{
	return (size_t)bodies * sizeof(struct nbody_vector);
}

static cl_mem new_buffer(struct state *s, int which)
{
	const size_t bytes = bytes_of(s->problem->bodies);

	s->host[which] = hand_memory(bytes);
	return hand_buffer(s->hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, s->host[which]);
}

static void open_part(struct state *s, int d)
{
	struct part *const p = &s->part[d];
	const int bodies = s->problem->bodies;

	p->lo = bench_first(bodies, NBODY_UNIT, d, s->hand->count);
	p->hi = bench_first(bodies, NBODY_UNIT, d + 1, s->hand->count);
	p->move = hand_kernel(s->hand, d, NBODY_KERNELS, "move");
	HAND_ARG(p->move, 1, s->velocity);
	HAND_ARG(p->move, 3, bodies);
}

/* What the host does with a buffer it does between a map and an unmap. */
static void *map(struct state *s, cl_mem mem, cl_map_flags flags)
{
	cl_int code;
	void *const memory = clEnqueueMapBuffer(s->hand->queue[0], mem, CL_TRUE, flags, 0,
						bytes_of(s->problem->bodies), 0, NULL, NULL, &code);

	hand_check(code, "clEnqueueMapBuffer");
	return memory;
}

static void unmap(struct state *s, cl_mem mem, void *memory)
{
	CL(clEnqueueUnmapMemObject(s->hand->queue[0], mem, memory, 0, NULL, NULL));
}

static void fill(struct state *s, cl_mem mem, const struct nbody_vector *from)
{
	void *const memory = map(s, mem, CL_MAP_WRITE_INVALIDATE_REGION);

	memcpy(memory, from, bytes_of(s->problem->bodies));
	unmap(s, mem, memory);
}

static void start_move(struct state *s, int d, int step, double kick, double drift, cl_event *moved)
{
	struct part *const p = &s->part[d];
	const size_t offset = (size_t)p->lo / NBODY_ITEM, size = (size_t)(p->hi - p->lo) / NBODY_ITEM;
	const size_t local = NBODY_GROUP;
	cl_event events[HAND_DEVICES_MOST];
	cl_uint count = 0;

	*moved = NULL;
	if (p->lo == p->hi)
		return;
	for (int other = 0; other < s->hand->count; other++)
		if (other != d && s->part[other].moved)
			events[count++] = s->part[other].moved;
	HAND_ARG(p->move, 0, s->place[(step + 1) % 2]);
	HAND_ARG(p->move, 2, s->place[step % 2]);
	HAND_ARG(p->move, 4, kick);
	HAND_ARG(p->move, 5, drift);
	CL(clEnqueueNDRangeKernel(s->hand->queue[d], p->move, 1, &offset, &size, &local, count,
				  count ? events : NULL, s->hand->count > 1 ? moved : NULL));
	CL(clFlush(s->hand->queue[d]));
}

static void replace_events(struct state *s, const cl_event *moved)
{
	for (int d = 0; d < s->hand->count; d++) {
		if (s->part[d].moved)
			CL(clReleaseEvent(s->part[d].moved));
		s->part[d].moved = moved ? moved[d] : NULL;
	}
}

static void start_step(struct state *s, int step, double kick, double drift)
{
	cl_event moved[HAND_DEVICES_MOST];

	for (int d = 0; d < s->hand->count; d++)
		start_move(s, d, step, kick, drift, &moved[d]);
	replace_events(s, moved);
}

static void finish_all(struct state *s)
{
	for (int d = 0; d < s->hand->count; d++)
		CL(clFinish(s->hand->queue[d]));
	replace_events(s, NULL);
}

/* Before the clock starts: a step in which no time passes, so that data, caches and threads are warm. */
static void warm_up(struct state *s)
{
	start_step(s, 0, 0, 0);
	finish_all(s);
}

static void nbody(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const int steps = s.problem->steps, last = (steps + 1) % 2;
	struct nbody_result result;

	s.place[0] = new_buffer(&s, 0);
	s.place[1] = new_buffer(&s, 1);
	s.velocity = new_buffer(&s, 2);
	for (int d = 0; d < s.hand->count; d++)
		open_part(&s, d);
	while (bench_round(clock)) {
		fill(&s, s.place[0], s.problem->place);
		fill(&s, s.velocity, s.problem->velocity);
		CL(clFinish(s.hand->queue[0]));
		warm_up(&s);
		bench_start(clock);
		for (int step = 0; step <= steps; step++)
			start_step(&s, step, nbody_kick(step, steps), nbody_drift(step, steps));
		finish_all(&s);
		result.place = map(&s, s.place[last], CL_MAP_READ);
		result.velocity = map(&s, s.velocity, CL_MAP_READ);
		bench_stop(clock, &result);
		unmap(&s, s.place[last], s.host[last]);
		unmap(&s, s.velocity, s.host[2]);
	}
	CL(clFinish(s.hand->queue[0]));
	for (int d = 0; d < s.hand->count; d++)
		CL(clReleaseKernel(s.part[d].move));
	CL(clReleaseMemObject(s.place[0]));
	CL(clReleaseMemObject(s.place[1]));
	CL(clReleaseMemObject(s.velocity));
	for (int i = 0; i < 3; i++)
		free(s.host[i]);
}

const struct bench_version nbody_shared = {.name = "shared", .one_context = 1, .program = nbody};
