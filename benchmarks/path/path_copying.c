/* path_copying.c - Shortest paths in OpenCL by hand: every device has its own rows with one more on each side,
 * which the neighbours send after each sweep, and says which sweep was the last that changed something. */

#include "path/path.h"

#include <stdlib.h>

/* A device's rows, which are those from 1 on in its buffers, and the costs before and after a sweep. `heard`:
 * copies to this device that its next sweep waits for. */
struct part {
	struct strip strip;
	cl_kernel sweep;
	cl_mem now, next, height, last;
	int last_change;
	cl_event heard[2];
	cl_uint heards;
};

struct state {
	const struct path_problem *problem;
	struct hand *hand;
	int count; /* of devices that have rows */
	int sweeps;
	struct part part[HAND_DEVICES_MOST];
	char *cost;
};

static void open_part(struct state *s, struct part *p, struct strip strip)
{
	const size_t rows = (size_t)(strip.hi - strip.lo + 2), bytes = rows * path_row_bytes(s->problem);
	const int first_row = strip.lo - 1, each = 0, at = 0;

	p->strip = strip;
	p->now = hand_buffer(s->hand, strip.device, CL_MEM_READ_WRITE, bytes, NULL);
	p->next = hand_buffer(s->hand, strip.device, CL_MEM_READ_WRITE, bytes, NULL);
	p->height = hand_buffer(s->hand, strip.device, CL_MEM_READ_WRITE, rows * path_height_bytes(s->problem),
				NULL);
	p->last = hand_buffer(s->hand, strip.device, CL_MEM_READ_WRITE, sizeof p->last_change, NULL);
	p->sweep = hand_kernel(s->hand, strip.device, PATH_KERNELS, path_kernel(s->problem));
	HAND_ARG(p->sweep, 1, p->last);
	HAND_ARG(p->sweep, 3, p->height);
	CL(clSetKernelArg(p->sweep, 4, path_flats_bytes(s->problem), path_flats(s->problem)));
	HAND_ARG(p->sweep, 5, s->problem->pitch);
	HAND_ARG(p->sweep, 6, first_row);
	HAND_ARG(p->sweep, 7, each);
	HAND_ARG(p->sweep, 8, at);
}

/* Devices get their rows and those beside them. */
static void write_all(struct state *s)
{
	static const int never = 0;

	for (int i = 0; i < s->count; i++) {
		const struct part *const p = &s->part[i];
		const cl_command_queue queue = s->hand->queue[p->strip.device];
		const size_t first = (size_t)(p->strip.lo - 1), rows = (size_t)(p->strip.hi - p->strip.lo + 2);
		const size_t bytes = path_row_bytes(s->problem);
		const char *const cost = (const char *)s->problem->cost + first * bytes;
		const float *const height = s->problem->height + first * (size_t)s->problem->pitch;

		CL(clEnqueueWriteBuffer(queue, p->now, CL_FALSE, 0, rows * bytes, cost, 0, NULL, NULL));
		CL(clEnqueueWriteBuffer(queue, p->next, CL_FALSE, 0, rows * bytes, cost, 0, NULL, NULL));
		CL(clEnqueueWriteBuffer(queue, p->height, CL_FALSE, 0, rows * path_height_bytes(s->problem),
					height, 0, NULL, NULL));
		CL(clEnqueueWriteBuffer(queue, p->last, CL_FALSE, 0, sizeof never, &never, 0, NULL, NULL));
	}
	for (int i = 0; i < s->count; i++)
		CL(clFinish(s->hand->queue[s->part[i].strip.device]));
}

/* ---- sweeps ------------------------------------------------------------------------------------ */

static void forget(struct part *p)
{
	while (p->heards > 0)
		CL(clReleaseEvent(p->heard[--p->heards]));
}

static void start_sweep(struct state *s, struct part *p)
{
	const size_t offset[2] = {0, (size_t)p->strip.lo}, local[2] = {PATH_GROUP, 1};
	const size_t size[2] = {(size_t)s->problem->pitch / PATH_ITEM, (size_t)(p->strip.hi - p->strip.lo)};

	HAND_ARG(p->sweep, 0, p->next);
	HAND_ARG(p->sweep, 2, p->now);
	HAND_ARG(p->sweep, 9, s->sweeps);
	CL(clEnqueueNDRangeKernel(s->hand->queue[p->strip.device], p->sweep, 2, offset, size, local, p->heards,
				  p->heards ? p->heard : NULL, NULL));
	forget(p);
}

/* Sends a row of what was swept to a row of another device. That device has read what is replaced: the
 * sweep before this copy has waited for what it sent after reading. */
static void send_row(struct state *s, int from, int to, int row, int to_row)
{
	struct part *const p = &s->part[to];
	const size_t bytes = path_row_bytes(s->problem);

	CL(clEnqueueCopyBuffer(s->hand->queue[s->part[from].strip.device], s->part[from].next, p->next,
			       (size_t)row * bytes, (size_t)to_row * bytes, bytes, 0, NULL,
			       &p->heard[p->heards++]));
}

static void send_rows(struct state *s, int i)
{
	const struct part *const p = &s->part[i];

	if (i > 0)
		send_row(s, i, i - 1, 1, s->part[i - 1].strip.hi - s->part[i - 1].strip.lo + 1);
	if (i < s->count - 1)
		send_row(s, i, i + 1, p->strip.hi - p->strip.lo, 0);
	CL(clFlush(s->hand->queue[p->strip.device]));
}

/* Before the clock starts: a sweep number 0, which is made once more, so that data, caches and threads are
 * warm. */
static void warm_up(struct state *s)
{
	s->sweeps = 0;
	for (int i = 0; i < s->count; i++)
		start_sweep(s, &s->part[i]);
	for (int i = 0; i < s->count; i++)
		CL(clFinish(s->hand->queue[s->part[i].strip.device]));
}

static void swap(struct part *p)
{
	const cl_mem next = p->next;

	p->next = p->now;
	p->now = next;
}

static void start_batch(struct state *s)
{
	for (int i = 0; i < s->problem->batch; i++) {
		s->sweeps++;
		for (int d = 0; d < s->count; d++)
			start_sweep(s, &s->part[d]);
		for (int d = 0; d < s->count; d++)
			send_rows(s, d);
		for (int d = 0; d < s->count; d++)
			swap(&s->part[d]);
	}
}

/* Waits for what was started. Which sweep was the last that changed something on any device. */
static int last_change(struct state *s)
{
	cl_event read[HAND_DEVICES_MOST];
	int last = 0;

	for (int i = 0; i < s->count; i++) {
		struct part *const p = &s->part[i];
		const cl_command_queue queue = s->hand->queue[p->strip.device];

		CL(clEnqueueReadBuffer(queue, p->last, CL_FALSE, 0, sizeof p->last_change, &p->last_change, 0,
				       NULL, &read[i]));
		CL(clFlush(queue));
	}
	CL(clWaitForEvents((cl_uint)s->count, read));
	for (int i = 0; i < s->count; i++) {
		CL(clReleaseEvent(read[i]));
		last = s->part[i].last_change > last ? s->part[i].last_change : last;
	}
	return last;
}

static void read_all(struct state *s)
{
	const size_t row = path_row_bytes(s->problem);
	cl_event read[HAND_DEVICES_MOST];

	for (int i = 0; i < s->count; i++) {
		const struct part *const p = &s->part[i];
		const cl_command_queue queue = s->hand->queue[p->strip.device];

		CL(clEnqueueReadBuffer(queue, p->now, CL_FALSE, row, (size_t)(p->strip.hi - p->strip.lo) * row,
				       s->cost + (size_t)p->strip.lo * row, 0, NULL, &read[i]));
		CL(clFlush(queue));
	}
	CL(clWaitForEvents((cl_uint)s->count, read));
	for (int i = 0; i < s->count; i++) {
		CL(clReleaseEvent(read[i]));
		forget(&s->part[i]);
	}
}

static void path(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	struct strip strip[HAND_DEVICES_MOST];
	struct path_result result;
	int last;

	s.cost = hand_memory(path_places(s.problem) * path_cost_bytes(s.problem));
	s.count = strips_cut(strips_team(machine), NULL, 1, s.problem->rows + 1, strip);
	for (int i = 0; i < s.count; i++)
		open_part(&s, &s.part[i], strip[i]);
	while (bench_round(clock)) {
		write_all(&s);
		warm_up(&s);
		hand_spoil_memory(s.cost, path_places(s.problem) * path_cost_bytes(s.problem));
		bench_start(clock);
		do {
			start_batch(&s);
			last = last_change(&s);
		} while (last == s.sweeps);
		read_all(&s);
		result.cost = s.cost;
		result.sweeps = last + 1;
		bench_stop(clock, &result);
	}
	for (int i = 0; i < s.count; i++) {
		CL(clReleaseKernel(s.part[i].sweep));
		CL(clReleaseMemObject(s.part[i].now));
		CL(clReleaseMemObject(s.part[i].next));
		CL(clReleaseMemObject(s.part[i].height));
		CL(clReleaseMemObject(s.part[i].last));
	}
	free(s.cost);
}

const struct bench_version path_copying = {.name = "copying", .one_context = 1, .program = path};
