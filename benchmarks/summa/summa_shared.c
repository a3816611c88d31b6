/* summa_shared.c - SUMMA in OpenCL by hand: all devices use the matrices in the host's memory, in place. */

#include "summa/summa.h"

#include <stdlib.h>
#include <string.h>

enum which { A, B, C };

struct state {
	const struct matrix_problem *problem;
	struct hand *hand;
	int count;
	struct summa_block block[SUMMA_BLOCKS_MOST];
	cl_kernel panel[HAND_DEVICES_MOST];
	cl_mem matrix[3];
	double *host[3];
};

static size_t bytes_of(const struct state *s)
{
	return (size_t)s->problem->n * (size_t)s->problem->n * sizeof(double);
}

/* What the host does with a buffer it does between a map and an unmap. */
static double *map(struct state *s, enum which which, cl_map_flags flags)
{
	cl_int code;
	double *const memory = clEnqueueMapBuffer(s->hand->queue[0], s->matrix[which], CL_TRUE, flags, 0,
						  bytes_of(s), 0, NULL, NULL, &code);

	hand_check(code, "clEnqueueMapBuffer");
	return memory;
}

static void unmap(struct state *s, enum which which)
{
	CL(clEnqueueUnmapMemObject(s->hand->queue[0], s->matrix[which], s->host[which], 0, NULL, NULL));
	CL(clFinish(s->hand->queue[0]));
}

static void add_panel(struct state *s, const struct summa_block *b, int from)
{
	const cl_kernel panel = s->panel[b->device];
	const size_t offset[2] = {(size_t)b->row / MATRIX_ITEM_ROWS, (size_t)b->column / MATRIX_ITEM_COLS};
	const size_t size[2] = {(size_t)b->rows / MATRIX_ITEM_ROWS, (size_t)b->columns / MATRIX_ITEM_COLS};
	const size_t local[2] = {1, MATRIX_PANEL_GROUP};

	HAND_ARG(panel, 6, from);
	HAND_ARG(panel, 7, from);
	HAND_ARG(panel, 9, from);
	CL(clEnqueueNDRangeKernel(s->hand->queue[b->device], panel, 2, offset, size, local, 0, NULL, NULL));
	CL(clFlush(s->hand->queue[b->device]));
}

static void summa(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const int n = s.problem->n, width = s.problem->panel;
	const size_t bytes = bytes_of(&s);

	s.count = summa_cut(s.block, n, s.hand->count);
	for (int i = A; i <= C; i++) {
		s.host[i] = hand_memory(bytes);
		s.matrix[i] = hand_buffer(s.hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, s.host[i]);
	}
	for (int d = 0; d < s.hand->count; d++) {
		s.panel[d] = hand_kernel(s.hand, d, MATRIX_KERNELS, "panel");
		HAND_ARG(s.panel[d], 0, s.matrix[C]);
		HAND_ARG(s.panel[d], 1, s.matrix[A]);
		HAND_ARG(s.panel[d], 2, s.matrix[B]);
		HAND_ARG(s.panel[d], 3, n);
		HAND_ARG(s.panel[d], 4, n);
		HAND_ARG(s.panel[d], 5, n);
		HAND_ARG(s.panel[d], 8, width);
	}
	while (bench_round(clock)) {
		memcpy(map(&s, A, CL_MAP_WRITE_INVALIDATE_REGION), s.problem->a, bytes);
		memcpy(map(&s, B, CL_MAP_WRITE_INVALIDATE_REGION), s.problem->b, bytes);
		unmap(&s, A);
		unmap(&s, B);
		hand_spoil_memory(map(&s, C, CL_MAP_WRITE_INVALIDATE_REGION), bytes);
		unmap(&s, C);
		bench_start(clock);
		for (int from = 0; from < n; from += width)
			for (int i = 0; i < s.count; i++)
				add_panel(&s, &s.block[i], from);
		for (int d = 0; d < s.hand->count; d++)
			CL(clFinish(s.hand->queue[d]));
		bench_stop(clock, map(&s, C, CL_MAP_READ));
		unmap(&s, C);
	}
	for (int d = 0; d < s.hand->count; d++)
		CL(clReleaseKernel(s.panel[d]));
	for (int i = A; i <= C; i++) {
		CL(clReleaseMemObject(s.matrix[i]));
		free(s.host[i]);
	}
}

const struct bench_version summa_shared = {.name = "shared", .one_context = 1, .program = summa};
