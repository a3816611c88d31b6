/* nbody_copying.c - N-body in OpenCL by hand: every device has all places, and sends those of its own
 * bodies to the others after each step but the last. */

#include "nbody/nbody.h"

#include <stdlib.h>

/* A device with its bodies. `moved`: the copies of its last step, one for each other device. */
struct part {
	int lo, hi, moves;
	cl_kernel move;
	cl_mem place[2], velocity;
	cl_event moved[HAND_DEVICES_MOST];
};

struct state {
	const struct nbody_problem *problem;
	struct hand *hand;
	struct part part[HAND_DEVICES_MOST];
	struct nbody_vector *place, *velocity;
};

static size_t bytes_of(int bodies)
{
	return (size_t)bodies * sizeof(struct nbody_vector);
}

static void open_part(struct state *s, int d)
{
	struct part *const p = &s->part[d];
	const int bodies = s->problem->bodies;

	p->lo = bench_first(bodies, NBODY_UNIT, d, s->hand->count);
	p->hi = bench_first(bodies, NBODY_UNIT, d + 1, s->hand->count);
	p->move = hand_kernel(s->hand, d, NBODY_KERNELS, "move");
	for (int i = 0; i < 2; i++)
		p->place[i] = hand_buffer(s->hand, d, CL_MEM_READ_WRITE, bytes_of(bodies), NULL);
	p->velocity = hand_buffer(s->hand, d, CL_MEM_READ_WRITE, bytes_of(bodies), NULL);
	HAND_ARG(p->move, 1, p->velocity);
	HAND_ARG(p->move, 3, bodies);
}

/* What the others have sent to device `d` in the step before. */
static cl_uint sent_to(const struct state *s, int d, cl_event *events)
{
	cl_uint count = 0;

	for (int from = 0; from < s->hand->count; from++)
		if (s->part[from].moved[d])
			events[count++] = s->part[from].moved[d];
	return count;
}

static void start_move(struct state *s, int d, int step, double kick, double drift)
{
	struct part *const p = &s->part[d];
	const size_t offset = (size_t)p->lo / NBODY_ITEM, size = (size_t)(p->hi - p->lo) / NBODY_ITEM;
	const size_t local = NBODY_GROUP;
	cl_event events[HAND_DEVICES_MOST];
	const cl_uint count = sent_to(s, d, events);

	if (p->lo == p->hi)
		return;
	HAND_ARG(p->move, 0, p->place[(step + 1) % 2]);
	HAND_ARG(p->move, 2, p->place[step % 2]);
	HAND_ARG(p->move, 4, kick);
	HAND_ARG(p->move, 5, drift);
	CL(clEnqueueNDRangeKernel(s->hand->queue[d], p->move, 1, &offset, &size, &local, count,
				  count ? events : NULL, NULL));
}

/* Who has no bodies needs no places. The target has read the places that are replaced, by its kernel of the
 * step before; then it sent what this device's kernel, which is before the copy in its queue, waited for. */
static void send_places(struct state *s, int d, int step, cl_event *sent)
{
	const struct part *const p = &s->part[d];
	const int next = (step + 1) % 2;

	for (int to = 0; to < s->hand->count; to++) {
		sent[to] = NULL;
		if (to == d || p->lo == p->hi || s->part[to].lo == s->part[to].hi)
			continue;
		CL(clEnqueueCopyBuffer(s->hand->queue[d], p->place[next], s->part[to].place[next],
				       bytes_of(p->lo), bytes_of(p->lo), bytes_of(p->hi - p->lo), 0, NULL,
				       &sent[to]));
	}
	CL(clFlush(s->hand->queue[d]));
}

static void replace_events(struct part *p, const cl_event *sent, int count)
{
	for (int to = 0; to < count; to++) {
		if (p->moved[to])
			CL(clReleaseEvent(p->moved[to]));
		p->moved[to] = sent ? sent[to] : NULL;
	}
}

/* After the last step nobody needs places. */
static void start_step(struct state *s, int step)
{
	static cl_event sent[HAND_DEVICES_MOST][HAND_DEVICES_MOST];
	const double kick = nbody_kick(step, s->problem->steps), drift = nbody_drift(step, s->problem->steps);
	const int count = s->hand->count, is_last = step == s->problem->steps;

	for (int d = 0; d < count; d++) {
		start_move(s, d, step, kick, drift);
		if (!is_last)
			send_places(s, d, step, sent[d]);
	}
	for (int d = 0; d < count && !is_last; d++)
		replace_events(&s->part[d], sent[d], count);
}

/* Before the clock starts: a step in which no time passes, so that data, caches and threads are warm. */
static void warm_up(struct state *s)
{
	for (int d = 0; d < s->hand->count; d++)
		start_move(s, d, 0, 0, 0);
	for (int d = 0; d < s->hand->count; d++)
		CL(clFinish(s->hand->queue[d]));
}

static void read_part(struct state *s, int d, cl_event *read)
{
	const struct part *const p = &s->part[d];
	const size_t from = bytes_of(p->lo), bytes = bytes_of(p->hi - p->lo);
	const int last = (s->problem->steps + 1) % 2;

	CL(clEnqueueReadBuffer(s->hand->queue[d], p->place[last], CL_FALSE, from, bytes, s->place + p->lo, 0,
			       NULL, NULL));
	CL(clEnqueueReadBuffer(s->hand->queue[d], p->velocity, CL_FALSE, from, bytes, s->velocity + p->lo, 0,
			       NULL, read));
	CL(clFlush(s->hand->queue[d]));
}

static void read_all(struct state *s)
{
	cl_event read[HAND_DEVICES_MOST];
	cl_uint reads = 0;

	for (int d = 0; d < s->hand->count; d++)
		if (s->part[d].lo < s->part[d].hi)
			read_part(s, d, &read[reads++]);
	CL(clWaitForEvents(reads, read));
	while (reads > 0)
		CL(clReleaseEvent(read[--reads]));
	for (int d = 0; d < s->hand->count; d++)
		replace_events(&s->part[d], NULL, s->hand->count);
}

static void nbody(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const size_t bytes = bytes_of(s.problem->bodies);
	const int count = s.hand->count;
	struct nbody_result result;

	s.place = hand_memory(bytes);
	s.velocity = hand_memory(bytes);
	result.place = s.place;
	result.velocity = s.velocity;
	for (int d = 0; d < count; d++)
		open_part(&s, d);
	while (bench_round(clock)) {
		for (int d = 0; d < count; d++) {
			const cl_command_queue queue = s.hand->queue[d];

			CL(clEnqueueWriteBuffer(queue, s.part[d].place[0], CL_FALSE, 0, bytes, s.problem->place,
						0, NULL, NULL));
			CL(clEnqueueWriteBuffer(queue, s.part[d].velocity, CL_FALSE, 0, bytes,
						s.problem->velocity, 0, NULL, NULL));
		}
		for (int d = 0; d < count; d++)
			CL(clFinish(s.hand->queue[d]));
		warm_up(&s);
		hand_spoil_memory(s.place, bytes);
		hand_spoil_memory(s.velocity, bytes);
		bench_start(clock);
		for (int step = 0; step <= s.problem->steps; step++)
			start_step(&s, step);
		read_all(&s);
		bench_stop(clock, &result);
	}
	for (int d = 0; d < count; d++) {
		struct part *const p = &s.part[d];

		CL(clReleaseMemObject(p->place[0]));
		CL(clReleaseMemObject(p->place[1]));
		CL(clReleaseMemObject(p->velocity));
		CL(clReleaseKernel(p->move));
	}
	free(s.place);
	free(s.velocity);
}

const struct bench_version nbody_copying = {.name = "copying", .one_context = 1, .program = nbody};
