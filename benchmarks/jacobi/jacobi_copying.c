/* jacobi_copying.c - Jacobi in OpenCL by hand: every device has its own rows with one more on each side, which
 * the neighbours send after each sweep but the last. */

#include "jacobi/jacobi.h"

#include <stdlib.h>

/* A device's rows, which are those from 1 on in its buffers, and the grid before and after a sweep. `heard`:
 * copies to this device that its next sweep waits for. */
struct part {
	struct strip strip;
	cl_kernel sweep;
	cl_mem now, next;
	cl_event heard[2];
	cl_uint heards;
};

struct state {
	const struct jacobi_problem *problem;
	struct hand *hand;
	int count; /* of devices that have rows */
	struct part part[HAND_DEVICES_MOST];
	char *result;
};

static void open_part(struct state *s, struct part *p, struct strip strip)
{
	const size_t bytes = (size_t)(strip.hi - strip.lo + 2) * jacobi_row_bytes(s->problem);
	const int first_row = strip.lo - 1;

	p->strip = strip;
	p->now = hand_buffer(s->hand, strip.device, CL_MEM_READ_WRITE, bytes, NULL);
	p->next = hand_buffer(s->hand, strip.device, CL_MEM_READ_WRITE, bytes, NULL);
	p->sweep = hand_kernel(s->hand, strip.device, JACOBI_KERNELS, jacobi_kernel(s->problem));
	HAND_ARG(p->sweep, 2, s->problem->cols);
	HAND_ARG(p->sweep, 3, s->problem->pitch);
	HAND_ARG(p->sweep, 4, first_row);
}

/* Both grids get the device's rows and those beside them: what stays is the same in both. */
static void write_all(struct state *s)
{
	const size_t row = jacobi_row_bytes(s->problem);

	for (int i = 0; i < s->count; i++) {
		const struct part *const p = &s->part[i];
		const cl_command_queue queue = s->hand->queue[p->strip.device];
		const size_t bytes = (size_t)(p->strip.hi - p->strip.lo + 2) * row;
		const char *const from = (const char *)s->problem->cells + (size_t)(p->strip.lo - 1) * row;

		CL(clEnqueueWriteBuffer(queue, p->now, CL_FALSE, 0, bytes, from, 0, NULL, NULL));
		CL(clEnqueueWriteBuffer(queue, p->next, CL_FALSE, 0, bytes, from, 0, NULL, NULL));
	}
	for (int i = 0; i < s->count; i++)
		CL(clFinish(s->hand->queue[s->part[i].strip.device]));
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void forget(struct part *p)
{
	while (p->heards > 0)
		CL(clReleaseEvent(p->heard[--p->heards]));
}

static void start_sweep(struct state *s, struct part *p)
{
	const size_t offset[2] = {0, (size_t)p->strip.lo}, local[2] = {JACOBI_GROUP, 1};
	const size_t size[2] = {(size_t)s->problem->pitch, (size_t)(p->strip.hi - p->strip.lo)};

	HAND_ARG(p->sweep, 0, p->next);
	HAND_ARG(p->sweep, 1, p->now);
	CL(clEnqueueNDRangeKernel(s->hand->queue[p->strip.device], p->sweep, 2, offset, size, local, p->heards,
				  p->heards ? p->heard : NULL, NULL));
	forget(p);
}

/* Sends a row of what was swept to a row of another device. That device has read what is replaced: the
 * sweep before this copy has waited for what it sent after reading. */
static void send_row(struct state *s, int from, int to, int row, int to_row)
{
	struct part *const p = &s->part[to];
	const size_t bytes = jacobi_row_bytes(s->problem);

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

/* Before the clock starts: a sweep that is made once more, so that data, caches and threads are warm. */
static void warm_up(struct state *s)
{
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

static void read_all(struct state *s)
{
	const size_t row = jacobi_row_bytes(s->problem);
	cl_event read[HAND_DEVICES_MOST];

	for (int i = 0; i < s->count; i++) {
		const struct part *const p = &s->part[i];
		const cl_command_queue queue = s->hand->queue[p->strip.device];
		const int above = i == 0, below = i == s->count - 1; /* rows that stay are a result too */
		const size_t rows = (size_t)(p->strip.hi - p->strip.lo + above + below);

		CL(clEnqueueReadBuffer(queue, p->now, CL_FALSE, above ? 0 : row, rows * row,
				       s->result + (size_t)(p->strip.lo - above) * row, 0, NULL, &read[i]));
		CL(clFlush(queue));
	}
	CL(clWaitForEvents((cl_uint)s->count, read));
	for (int i = 0; i < s->count; i++) {
		CL(clReleaseEvent(read[i]));
		forget(&s->part[i]);
	}
}

static void jacobi(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	struct strip strip[HAND_DEVICES_MOST];

	s.result = hand_memory(jacobi_bytes(s.problem));
	s.count = strips_cut(strips_team(machine), NULL, 1, s.problem->rows - 1, strip);
	for (int i = 0; i < s.count; i++)
		open_part(&s, &s.part[i], strip[i]);
	while (bench_round(clock)) {
		write_all(&s);
		warm_up(&s);
		hand_spoil_memory(s.result, jacobi_bytes(s.problem));
		bench_start(clock);
		for (int step = 0; step < s.problem->steps; step++) {
			for (int i = 0; i < s.count; i++)
				start_sweep(&s, &s.part[i]);
			for (int i = 0; i < s.count && step < s.problem->steps - 1; i++)
				send_rows(&s, i);
			for (int i = 0; i < s.count; i++)
				swap(&s.part[i]);
		}
		read_all(&s);
		bench_stop(clock, s.result);
	}
	for (int i = 0; i < s.count; i++) {
		CL(clReleaseKernel(s.part[i].sweep));
		CL(clReleaseMemObject(s.part[i].now));
		CL(clReleaseMemObject(s.part[i].next));
	}
	free(s.result);
}

const struct bench_version jacobi_copying = {.name = "copying", .one_context = 1, .program = jacobi};
