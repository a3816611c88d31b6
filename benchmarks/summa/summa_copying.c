/* summa_copying.c - SUMMA in OpenCL by hand: for each block of the result two panels of either kind, so
 * that one step can be brought while the one before is computed, by a second queue of the device. */

#include "summa/summa.h"

#include <stdlib.h>
#include <string.h>

/* A block with its device's queues. Of a step: its panels are `there`, or `used`, no longer needed. */
struct part {
	struct summa_block block;
	cl_command_queue uploads, compute;
	cl_kernel panel;
	cl_mem a[2], b[2], c;
	cl_event there[2], used[2];
};

struct state {
	const struct matrix_problem *problem;
	struct hand *hand;
	int count;
	struct part part[SUMMA_BLOCKS_MOST];
	double *a, *b, *c; /* the host's */
};

static size_t bytes_of(int rows, int columns)
{
	return (size_t)rows * (size_t)columns * sizeof(double);
}

static void open_part(struct state *s, struct part *p)
{
	const struct summa_block *const b = &p->block;
	const int width = s->problem->panel, zero = 0;

	p->uploads = hand_queue(s->hand, b->device);
	p->compute = hand_queue(s->hand, b->device);
	p->panel = hand_kernel(s->hand, b->device, MATRIX_KERNELS, "panel");
	for (int i = 0; i < 2; i++) {
		p->a[i] = hand_buffer(s->hand, b->device, CL_MEM_READ_ONLY, bytes_of(b->rows, width), NULL);
		p->b[i] = hand_buffer(s->hand, b->device, CL_MEM_READ_ONLY, bytes_of(width, b->columns), NULL);
	}
	p->c = hand_buffer(s->hand, b->device, CL_MEM_READ_WRITE, bytes_of(b->rows, b->columns), NULL);
	HAND_ARG(p->panel, 0, p->c);
	HAND_ARG(p->panel, 3, b->columns);
	HAND_ARG(p->panel, 4, width);
	HAND_ARG(p->panel, 5, b->columns);
	HAND_ARG(p->panel, 6, zero);
	HAND_ARG(p->panel, 7, zero);
	HAND_ARG(p->panel, 8, width);
}

/* Brings rows [row, row + rows), columns [column, column + columns) of a matrix into a panel. */
static void bring(const struct state *s, const struct part *p, cl_mem panel, const double *from, int row,
		  int rows, int column, int columns, cl_event after, cl_event *event)
{
	const size_t to_origin[3] = {0, 0, 0};
	const size_t origin[3] = {(size_t)column * sizeof(double), (size_t)row, 0};
	const size_t region[3] = {(size_t)columns * sizeof(double), (size_t)rows, 1};

	CL(clEnqueueWriteBufferRect(p->uploads, panel, CL_FALSE, to_origin, origin, region, region[0], 0,
				    bytes_of(1, s->problem->n), 0, from, after != NULL, after ? &after : NULL,
				    event));
}

static void release(cl_event *event)
{
	if (*event)
		CL(clReleaseEvent(*event));
	*event = NULL;
}

/* Into the panels that the step before last has used. */
static void bring_panels(struct state *s, struct part *p, int step)
{
	const struct summa_block *const b = &p->block;
	const int i = step % 2, width = s->problem->panel, from = step * width;

	release(&p->there[i]);
	bring(s, p, p->a[i], s->a, b->row, b->rows, from, width, p->used[i], NULL);
	bring(s, p, p->b[i], s->b, from, width, b->column, b->columns, NULL, &p->there[i]);
	CL(clFlush(p->uploads));
}

static void add_panel(struct part *p, int step)
{
	const int i = step % 2;
	const size_t size[2] = {(size_t)p->block.rows / MATRIX_ITEM_ROWS,
				(size_t)p->block.columns / MATRIX_ITEM_COLS};
	const size_t local[2] = {1, MATRIX_PANEL_GROUP};

	HAND_ARG(p->panel, 1, p->a[i]);
	HAND_ARG(p->panel, 2, p->b[i]);
	HAND_ARG(p->panel, 9, step);
	release(&p->used[i]);
	CL(clEnqueueNDRangeKernel(p->compute, p->panel, 2, NULL, size, local, 1, &p->there[i], &p->used[i]));
	CL(clFlush(p->compute));
}

static void read_block(const struct state *s, const struct part *p)
{
	const struct summa_block *const b = &p->block;
	const size_t from_origin[3] = {0, 0, 0};
	const size_t origin[3] = {(size_t)b->column * sizeof(double), (size_t)b->row, 0};
	const size_t region[3] = {(size_t)b->columns * sizeof(double), (size_t)b->rows, 1};

	CL(clEnqueueReadBufferRect(p->compute, p->c, CL_FALSE, from_origin, origin, region, region[0], 0,
				   bytes_of(1, s->problem->n), 0, s->c, 0, NULL, NULL));
	CL(clFlush(p->compute));
}

static void summa(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const int n = s.problem->n, steps = n / s.problem->panel;
	struct summa_block blocks[SUMMA_BLOCKS_MOST];

	s.a = hand_memory(bytes_of(n, n));
	s.b = hand_memory(bytes_of(n, n));
	s.c = hand_memory(bytes_of(n, n));
	s.count = summa_cut(blocks, n, s.hand->count);
	for (int i = 0; i < s.count; i++) {
		s.part[i].block = blocks[i];
		open_part(&s, &s.part[i]);
	}
	while (bench_round(clock)) {
		memcpy(s.a, s.problem->a, bytes_of(n, n));
		memcpy(s.b, s.problem->b, bytes_of(n, n));
		for (int i = 0; i < s.count; i++)
			hand_spoil(s.hand, s.part[i].block.device, s.part[i].c,
				   bytes_of(s.part[i].block.rows, s.part[i].block.columns));
		hand_spoil_memory(s.c, bytes_of(n, n));
		bench_start(clock);
		for (int step = 0; step < steps; step++)
			for (int i = 0; i < s.count; i++) {
				bring_panels(&s, &s.part[i], step);
				add_panel(&s.part[i], step);
			}
		for (int i = 0; i < s.count; i++)
			read_block(&s, &s.part[i]);
		for (int i = 0; i < s.count; i++)
			CL(clFinish(s.part[i].compute));
		bench_stop(clock, s.c);
		for (int i = 0; i < s.count; i++)
			for (int panel = 0; panel < 2; panel++) {
				release(&s.part[i].there[panel]);
				release(&s.part[i].used[panel]);
			}
	}
	for (int i = 0; i < s.count; i++) {
		struct part *const p = &s.part[i];

		for (int panel = 0; panel < 2; panel++) {
			CL(clReleaseMemObject(p->a[panel]));
			CL(clReleaseMemObject(p->b[panel]));
		}
		CL(clReleaseMemObject(p->c));
		CL(clReleaseKernel(p->panel));
		CL(clReleaseCommandQueue(p->uploads));
		CL(clReleaseCommandQueue(p->compute));
	}
	free(s.a);
	free(s.b);
	free(s.c);
}

const struct bench_version summa_copying = {.name = "copying", .program = summa};
