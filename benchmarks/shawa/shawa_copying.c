/* shawa_copying.c - ShaWa in OpenCL by hand: every device has its own rows with one more on each side, which
 * the neighbours send after each step but the last; and each sends the others its largest paces. */

#include "shawa/shawa.h"

#include <stdlib.h>
#include <string.h>

enum { STATE, BED, CLOCK, RATE, PACE, MOST_EVEN, MOST_ODD, BUFFERS };

/* A device with its rows [lo, hi), which are those from 1 on in its buffers. `heard`: copies to this device
 * that its next kernel waits for. */
struct part {
	int lo, hi;
	struct shawa_sea sea;
	cl_kernel flux, fastest, update;
	cl_mem buffer[BUFFERS];
	cl_event heard[HAND_DEVICES_MOST];
	cl_uint heards;
};

struct state {
	const struct shawa_problem *problem;
	struct hand *hand;
	int count; /* of devices that have rows */
	struct part part[HAND_DEVICES_MOST];
	double *state, *clock; /* the result */
};

static size_t row_bytes(const struct state *s)
{
	return shawa_row(&s->problem->sea) * sizeof(double);
}

static void make_buffers(struct state *s, struct part *p, int d)
{
	const size_t rows = (size_t)(p->hi - p->lo) + 2, row = row_bytes(s);
	const size_t most = (size_t)s->hand->count * SHAWA_MOST * sizeof(double);
	const size_t bytes[BUFFERS] = {rows * row,
				       rows * row / 4,
				       ((size_t)s->problem->steps + 1) * sizeof(double),
				       rows * row,
				       rows * row / 4 / SHAWA_ITEM,
				       most,
				       most};

	for (int i = 0; i < BUFFERS; i++)
		p->buffer[i] = hand_buffer(s->hand, d, CL_MEM_READ_WRITE, bytes[i], NULL);
}

static void set_arguments(struct state *s, struct part *p)
{
	const int count = s->count * SHAWA_MOST;

	HAND_ARG(p->flux, 0, p->buffer[RATE]);
	HAND_ARG(p->flux, 1, p->buffer[PACE]);
	HAND_ARG(p->flux, 2, p->buffer[STATE]);
	HAND_ARG(p->flux, 3, p->buffer[STATE]);
	HAND_ARG(p->flux, 4, p->buffer[BED]);
	HAND_ARG(p->flux, 5, p->buffer[BED]);
	HAND_ARG(p->flux, 6, p->buffer[CLOCK]);
	HAND_ARG(p->flux, 7, p->sea);
	HAND_ARG(p->fastest, 1, p->buffer[PACE]);
	HAND_ARG(p->fastest, 2, p->sea);
	HAND_ARG(p->fastest, 3, count);
	HAND_ARG(p->update, 0, p->buffer[STATE]);
	HAND_ARG(p->update, 1, p->buffer[CLOCK]);
	HAND_ARG(p->update, 2, p->buffer[RATE]);
	HAND_ARG(p->update, 4, p->sea);
	HAND_ARG(p->update, 6, count);
}

static void open_part(struct state *s, int d)
{
	struct part *const p = &s->part[d];

	p->lo = shawa_first(&s->problem->sea, d, s->count);
	p->hi = shawa_first(&s->problem->sea, d + 1, s->count);
	p->sea = s->problem->sea;
	p->sea.first_row = p->lo - 1;
	p->sea.below = p->hi - p->lo + 1;
	p->flux = hand_kernel(s->hand, d, SHAWA_KERNELS, shawa_kernel(s->problem));
	p->fastest = hand_kernel(s->hand, d, SHAWA_KERNELS, "fastest");
	p->update = hand_kernel(s->hand, d, SHAWA_KERNELS, "update");
	make_buffers(s, p, d);
	set_arguments(s, p);
}

/* The row of the sea for a number that may be beyond it: in a periodic sea the row across, else the first or
 * the last, in place of a row that nobody looks at. */
static int row_around(const struct state *s, int row)
{
	const int rows = s->problem->sea.rows;

	if (shawa_is_round(&s->problem->sea))
		return (row + rows) % rows;
	return row < 0 ? 0 : row < rows ? row : rows - 1;
}

/* Writes a row of the sea to row `slot` of a device's buffers. */
static void write_row(struct state *s, int d, int slot, int row)
{
	const struct part *const p = &s->part[d];
	const size_t bytes = row_bytes(s), from = (size_t)row_around(s, row);

	CL(clEnqueueWriteBuffer(s->hand->queue[d], p->buffer[STATE], CL_FALSE, (size_t)slot * bytes, bytes,
				s->problem->state + from * shawa_row(&p->sea), 0, NULL, NULL));
	CL(clEnqueueWriteBuffer(s->hand->queue[d], p->buffer[BED], CL_FALSE, (size_t)slot * bytes / 4,
				bytes / 4, s->problem->bed + from * (size_t)p->sea.pitch, 0, NULL, NULL));
}

static void write_all(struct state *s)
{
	static const double midnight = 0;

	for (int d = 0; d < s->count; d++) {
		const struct part *const p = &s->part[d];

		for (int row = p->lo - 1; row <= p->hi; row++)
			write_row(s, d, row - p->lo + 1, row);
		CL(clEnqueueWriteBuffer(s->hand->queue[d], p->buffer[CLOCK], CL_FALSE, 0, sizeof midnight,
					&midnight, 0, NULL, NULL));
	}
	for (int d = 0; d < s->count; d++)
		CL(clFinish(s->hand->queue[d]));
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void forget(struct part *p)
{
	for (cl_uint i = 0; i < p->heards; i++)
		CL(clReleaseEvent(p->heard[i]));
	p->heards = 0;
}

/* Starts a kernel over a device's cells when it has heard of the others. */
static void start_cells(struct state *s, int d, cl_kernel kernel)
{
	struct part *const p = &s->part[d];
	const size_t offset[2] = {0, (size_t)p->lo}, local[2] = {SHAWA_GROUP, 1};
	const size_t size[2] = {(size_t)p->sea.pitch / SHAWA_ITEM, (size_t)(p->hi - p->lo)};

	CL(clEnqueueNDRangeKernel(s->hand->queue[d], kernel, 2, offset, size, local, p->heards,
				  p->heards ? p->heard : NULL, NULL));
	forget(p);
}

/* Copies bytes of a buffer to one of another device, which waits for them; within a device nobody needs to. */
static void send(struct state *s, int from, int to, int which, size_t at, size_t to_at, size_t bytes)
{
	struct part *const p = &s->part[to];
	cl_event *const heard = from == to ? NULL : &p->heard[p->heards++];

	CL(clEnqueueCopyBuffer(s->hand->queue[from], s->part[from].buffer[which], p->buffer[which], at, to_at,
			       bytes, 0, NULL, heard));
}

static void start_flux(struct state *s, int d, int step)
{
	struct part *const p = &s->part[d];
	const size_t size = SHAWA_MOST * SHAWA_SEARCH, local = SHAWA_SEARCH, offset = (size_t)d * size;
	const cl_mem most = p->buffer[step % 2 ? MOST_ODD : MOST_EVEN];

	HAND_ARG(p->flux, 8, step);
	start_cells(s, d, p->flux);
	HAND_ARG(p->fastest, 0, most);
	CL(clEnqueueNDRangeKernel(s->hand->queue[d], p->fastest, 1, &offset, &size, &local, 0, NULL, NULL));
}

/* Even and odd steps have paces of their own: the others may still read those of the step before. */
static void send_most(struct state *s, int d, int step)
{
	const size_t bytes = SHAWA_MOST * sizeof(double);

	for (int to = 0; to < s->count; to++)
		if (to != d)
			send(s, d, to, step % 2 ? MOST_ODD : MOST_EVEN, (size_t)d * bytes, (size_t)d * bytes,
			     bytes);
	CL(clFlush(s->hand->queue[d]));
}

static void start_update(struct state *s, int d, int step)
{
	struct part *const p = &s->part[d];
	const cl_mem most = p->buffer[step % 2 ? MOST_ODD : MOST_EVEN];

	HAND_ARG(p->update, 3, most);
	HAND_ARG(p->update, 5, step);
	start_cells(s, d, p->update);
}

/* The neighbours have read what is replaced: this device's update has waited for the paces they found after
 * that. */
static void send_rows(struct state *s, int d)
{
	const size_t bytes = row_bytes(s), own = (size_t)(s->part[d].hi - s->part[d].lo);
	const int is_round = shawa_is_round(&s->problem->sea);
	const int above = (d + s->count - 1) % s->count, below = (d + 1) % s->count;
	const size_t last = (size_t)(s->part[above].hi - s->part[above].lo) + 1;

	if (d > 0 || is_round)
		send(s, d, above, STATE, bytes, last * bytes, bytes);
	if (d < s->count - 1 || is_round)
		send(s, d, below, STATE, own * bytes, 0, bytes);
	CL(clFlush(s->hand->queue[d]));
}

static void start_step(struct state *s, int step)
{
	for (int d = 0; d < s->count; d++)
		start_flux(s, d, step);
	for (int d = 0; d < s->count; d++)
		send_most(s, d, step);
	for (int d = 0; d < s->count; d++)
		start_update(s, d, step);
	for (int d = 0; d < s->count && step < s->problem->steps - 1; d++)
		send_rows(s, d);
}

/* Before the clock starts: the first step's fluxes, which are computed once more, so that data, caches and
 * threads are warm. */
static void warm_up(struct state *s)
{
	for (int d = 0; d < s->count; d++)
		start_flux(s, d, 0);
	for (int d = 0; d < s->count; d++)
		CL(clFinish(s->hand->queue[d]));
}

static void read_all(struct state *s)
{
	const size_t bytes = row_bytes(s);
	cl_event read[HAND_DEVICES_MOST];

	CL(clEnqueueReadBuffer(s->hand->queue[0], s->part[0].buffer[CLOCK], CL_FALSE, 0,
			       ((size_t)s->problem->steps + 1) * sizeof *s->clock, s->clock, 0, NULL, NULL));
	for (int d = 0; d < s->count; d++) {
		const struct part *const p = &s->part[d];

		CL(clEnqueueReadBuffer(s->hand->queue[d], p->buffer[STATE], CL_FALSE, bytes,
				       (size_t)(p->hi - p->lo) * bytes,
				       s->state + (size_t)p->lo * shawa_row(&p->sea), 0, NULL, &read[d]));
		CL(clFlush(s->hand->queue[d]));
	}
	CL(clWaitForEvents((cl_uint)s->count, read));
	for (int d = 0; d < s->count; d++) {
		CL(clReleaseEvent(read[d]));
		forget(&s->part[d]);
	}
}

static void close_part(struct part *p)
{
	for (int i = 0; i < BUFFERS; i++)
		CL(clReleaseMemObject(p->buffer[i]));
	CL(clReleaseKernel(p->flux));
	CL(clReleaseKernel(p->fastest));
	CL(clReleaseKernel(p->update));
}

static void shawa(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const struct shawa_problem *const p = problem;
	struct state s = {.problem = p, .hand = machine->hand};
	struct shawa_result result;

	s.count = shawa_count(&p->sea, s.hand->count);
	result.state = s.state = hand_memory((size_t)p->sea.rows * row_bytes(&s));
	result.clock = s.clock = hand_memory(((size_t)p->steps + 1) * sizeof *s.clock);
	for (int d = 0; d < s.count; d++)
		open_part(&s, d);
	while (bench_round(clock)) {
		write_all(&s);
		warm_up(&s);
		hand_spoil_memory(s.state, (size_t)p->sea.rows * row_bytes(&s));
		hand_spoil_memory(s.clock, ((size_t)p->steps + 1) * sizeof *s.clock);
		bench_start(clock);
		for (int step = 0; step < p->steps; step++)
			start_step(&s, step);
		read_all(&s);
		bench_stop(clock, &result);
	}
	for (int d = 0; d < s.count; d++)
		close_part(&s.part[d]);
	free(s.state);
	free(s.clock);
}

const struct bench_version shawa_copying = {.name = "copying", .one_context = 1, .program = shawa};
