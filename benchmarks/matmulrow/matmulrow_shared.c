/* matmulrow_shared.c - MatmulRow in OpenCL by hand: all devices use the matrices in the host's memory. */

#include "matmulrow/matmulrow.h"

#include <stdlib.h>
#include <string.h>

enum which { A, B, C };

struct state {
	const struct matrix_problem *problem;
	const struct hand *hand;
	cl_kernel rows[HAND_DEVICES_MOST];
	cl_mem matrix[3];
	double *host[3];
};

static size_t bytes_of(const struct state *s)
{
	return (size_t)s->problem->n * (size_t)s->problem->n * sizeof(double);
}

static void *matmulrow_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	s->problem = problem;
	s->hand = machine->hand;
	for (int i = A; i <= C; i++) {
		s->host[i] = hand_memory(bytes_of(s));
		s->matrix[i] = hand_buffer(s->hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_of(s),
					   s->host[i]);
	}
	for (int d = 0; d < s->hand->count; d++) {
		s->rows[d] = hand_kernel(s->hand, d, MATRIX_KERNELS, "rows");
		HAND_ARG(s->rows[d], 0, s->matrix[C]);
		HAND_ARG(s->rows[d], 1, s->matrix[A]);
		HAND_ARG(s->rows[d], 2, s->matrix[B]);
		HAND_ARG(s->rows[d], 3, s->problem->n);
	}
	return s;
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

static void matmulrow_prepare(void *state)
{
	struct state *const s = state;

	memcpy(map(s, A, CL_MAP_WRITE_INVALIDATE_REGION), s->problem->a, bytes_of(s));
	memcpy(map(s, B, CL_MAP_WRITE_INVALIDATE_REGION), s->problem->b, bytes_of(s));
	unmap(s, A);
	unmap(s, B);
}

static void start_device(struct state *s, int d)
{
	const int n = s->problem->n, count = s->hand->count;
	const int lo = bench_first(n, MATRIX_UNIT_ROWS, d, count);
	const int hi = bench_first(n, MATRIX_UNIT_ROWS, d + 1, count);
	const size_t offset[2] = {(size_t)lo / MATRIX_ITEM_ROWS, 0};
	const size_t size[2] = {(size_t)(hi - lo) / MATRIX_ITEM_ROWS, (size_t)n / MATRIX_ITEM_COLS};
	const size_t local[2] = {1, MATRIX_GROUP};

	if (lo == hi)
		return;
	CL(clEnqueueNDRangeKernel(s->hand->queue[d], s->rows[d], 2, offset, size, local, 0, NULL, NULL));
	CL(clFlush(s->hand->queue[d]));
}

static const void *matmulrow_run(void *state)
{
	struct state *const s = state;

	for (int d = 0; d < s->hand->count; d++)
		start_device(s, d);
	for (int d = 0; d < s->hand->count; d++)
		CL(clFinish(s->hand->queue[d]));
	return map(s, C, CL_MAP_READ);
}

static void matmulrow_finish(void *state)
{
	unmap(state, C);
}

static void matmulrow_close(void *state)
{
	struct state *const s = state;

	for (int d = 0; d < s->hand->count; d++)
		CL(clReleaseKernel(s->rows[d]));
	for (int i = A; i <= C; i++) {
		CL(clReleaseMemObject(s->matrix[i]));
		free(s->host[i]);
	}
	free(s);
}

const struct bench_version matmulrow_shared = {.name = "shared",
					       .one_context = 1,
					       .open = matmulrow_open,
					       .prepare = matmulrow_prepare,
					       .run = matmulrow_run,
					       .finish = matmulrow_finish,
					       .close = matmulrow_close};
