/* matmulrow_copying.c - MatmulRow in OpenCL by hand: buffers for each device, without waiting. */

#include "matmulrow/matmulrow.h"

#include <stdlib.h>
#include <string.h>

struct part {
	int lo, hi;
	cl_kernel rows;
	cl_mem a, b, c;
};

struct state {
	const struct matrix_problem *problem;
	struct hand *hand;
	struct part part[HAND_DEVICES_MOST];
	double *a, *b, *c; /* the host's */
};

static size_t bytes_of(const struct state *s, int rows)
{
	return (size_t)rows * (size_t)s->problem->n * sizeof(double);
}

static void open_part(struct state *s, int d)
{
	struct part *const p = &s->part[d];
	const int n = s->problem->n;

	p->lo = bench_first(n, MATRIX_UNIT_ROWS, d, s->hand->count);
	p->hi = bench_first(n, MATRIX_UNIT_ROWS, d + 1, s->hand->count);
	if (p->lo == p->hi)
		return;
	p->rows = hand_kernel(s->hand, d, MATRIX_KERNELS, "rows");
	p->a = hand_buffer(s->hand, d, CL_MEM_READ_ONLY, bytes_of(s, p->hi - p->lo), NULL);
	p->b = hand_buffer(s->hand, d, CL_MEM_READ_ONLY, bytes_of(s, n), NULL);
	p->c = hand_buffer(s->hand, d, CL_MEM_WRITE_ONLY, bytes_of(s, p->hi - p->lo), NULL);
	HAND_ARG(p->rows, 0, p->c);
	HAND_ARG(p->rows, 1, p->a);
	HAND_ARG(p->rows, 2, p->b);
	HAND_ARG(p->rows, 3, n);
}

static void start_part(struct state *s, int d)
{
	const struct part *const p = &s->part[d];
	const cl_command_queue queue = s->hand->queue[d];
	const int n = s->problem->n;
	const size_t size[2] = {(size_t)(p->hi - p->lo) / MATRIX_ITEM_ROWS, (size_t)n / MATRIX_ITEM_COLS};
	const size_t local[2] = {1, MATRIX_GROUP};
	const size_t first = (size_t)p->lo * (size_t)n, bytes = bytes_of(s, p->hi - p->lo);

	if (p->lo == p->hi)
		return;
	CL(clEnqueueWriteBuffer(queue, p->a, CL_FALSE, 0, bytes, s->a + first, 0, NULL, NULL));
	CL(clEnqueueWriteBuffer(queue, p->b, CL_FALSE, 0, bytes_of(s, n), s->b, 0, NULL, NULL));
	CL(clEnqueueNDRangeKernel(queue, p->rows, 2, NULL, size, local, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(queue, p->c, CL_FALSE, 0, bytes, s->c + first, 0, NULL, NULL));
	CL(clFlush(queue));
}

static void matmulrow(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const size_t bytes = bytes_of(&s, s.problem->n);

	s.a = hand_memory(bytes);
	s.b = hand_memory(bytes);
	s.c = hand_memory(bytes);
	for (int d = 0; d < s.hand->count; d++)
		open_part(&s, d);
	while (bench_round(clock)) {
		memcpy(s.a, s.problem->a, bytes);
		memcpy(s.b, s.problem->b, bytes);
		for (int d = 0; d < s.hand->count; d++)
			if (s.part[d].lo < s.part[d].hi)
				hand_spoil(s.hand, d, s.part[d].c, bytes_of(&s, s.part[d].hi - s.part[d].lo));
		hand_spoil_memory(s.c, bytes);
		bench_start(clock);
		for (int d = 0; d < s.hand->count; d++)
			start_part(&s, d);
		for (int d = 0; d < s.hand->count; d++)
			CL(clFinish(s.hand->queue[d]));
		bench_stop(clock, s.c);
	}
	for (int d = 0; d < s.hand->count; d++) {
		const struct part *const p = &s.part[d];

		if (p->lo == p->hi)
			continue;
		CL(clReleaseMemObject(p->a));
		CL(clReleaseMemObject(p->b));
		CL(clReleaseMemObject(p->c));
		CL(clReleaseKernel(p->rows));
	}
	free(s.a);
	free(s.b);
	free(s.c);
}

const struct bench_version matmulrow_copying = {.name = "copying", .program = matmulrow};
