/* ft_copying.c - FT in OpenCL by hand: every device has buffers of its own. Between transforms along the
 * planes and across them each sends every other one the box where its planes and the other's rows meet, or
 * its rows and the other's planes. */

#include "ft/ft.h"

#include <stdlib.h>

/* A device with its planes and its rows. `ready`: from then on nobody needs what it has in u; `sent`: its
 * last copies to each other device. */
struct part {
	int plane, plane_end, row, row_end;
	cl_kernel start, along_x, along_y, along_z, checksum;
	cl_mem u, v, roots, sums;
	cl_event ready, sent[HAND_DEVICES_MOST];
};

struct state {
	const struct ft_problem *problem;
	struct hand *hand;
	struct part part[HAND_DEVICES_MOST];
	struct ft_complex *sums;
};

static size_t bytes_of(int count)
{
	return (size_t)count * sizeof(struct ft_complex);
}

static void open_kernels(struct state *s, int d)
{
	const struct ft_problem *const p = s->problem;
	struct part *const part = &s->part[d];

	part->start = hand_kernel(s->hand, d, FT_KERNELS, "start");
	part->along_x = hand_kernel(s->hand, d, FT_KERNELS, "along_x");
	part->along_y = hand_kernel(s->hand, d, FT_KERNELS, "along_y");
	part->along_z = hand_kernel(s->hand, d, FT_KERNELS, "along_z");
	part->checksum = hand_kernel(s->hand, d, FT_KERNELS, "checksum");
	HAND_ARG(part->start, 0, part->u);
	HAND_ARG(part->start, 1, p->nx);
	HAND_ARG(part->start, 2, p->ny);
	for (int i = 0; i < 2; i++) {
		const cl_kernel along = i ? part->along_y : part->along_x;

		HAND_ARG(along, 0, part->u);
		HAND_ARG(along, 1, part->roots);
		HAND_ARG(along, 2, p->nx);
		HAND_ARG(along, 3, p->ny);
		HAND_ARG(along, 4, p->finest);
	}
	HAND_ARG(part->along_z, 2, part->roots);
	HAND_ARG(part->along_z, 3, p->nx);
	HAND_ARG(part->along_z, 4, p->ny);
	HAND_ARG(part->along_z, 5, p->nz);
	HAND_ARG(part->along_z, 6, p->finest);
	HAND_ARG(part->checksum, 0, part->sums);
	HAND_ARG(part->checksum, 1, part->u);
	HAND_ARG(part->checksum, 2, p->nx);
	HAND_ARG(part->checksum, 3, p->ny);
	HAND_ARG(part->checksum, 4, p->nz);
	HAND_ARG(part->checksum, 5, p->iterations);
}

static void open_part(struct state *s, int d)
{
	const struct ft_problem *const p = s->problem;
	struct part *const part = &s->part[d];
	const size_t bytes = bytes_of(p->nx * p->ny * p->nz);

	part->plane = bench_first(p->nz, 1, d, s->hand->count);
	part->plane_end = bench_first(p->nz, 1, d + 1, s->hand->count);
	part->row = bench_first(p->ny, 1, d, s->hand->count);
	part->row_end = bench_first(p->ny, 1, d + 1, s->hand->count);
	part->u = hand_buffer(s->hand, d, CL_MEM_READ_WRITE, bytes, NULL);
	part->v = hand_buffer(s->hand, d, CL_MEM_READ_WRITE, bytes, NULL);
	part->roots = hand_buffer(s->hand, d, CL_MEM_READ_ONLY, bytes_of(p->finest), NULL);
	part->sums = hand_buffer(s->hand, d, CL_MEM_WRITE_ONLY, bytes_of(p->iterations * p->nz), NULL);
	CL(clEnqueueWriteBuffer(s->hand->queue[d], part->roots, CL_TRUE, 0, bytes_of(p->finest), p->roots, 0,
				NULL, NULL));
	open_kernels(s, d);
}

/* Starts a kernel over `across` work-items and [from, end) of the other dimension. */
static void run(struct state *s, int d, cl_kernel kernel, int across, int from, int end, cl_uint count,
		const cl_event *after, cl_event *done)
{
	const size_t offset[2] = {0, (size_t)from}, size[2] = {(size_t)across, (size_t)(end - from)};
	const size_t local[2] = {FT_GROUP, 1};

	CL(clEnqueueNDRangeKernel(s->hand->queue[d], kernel, 2, offset, size, local, count,
				  count ? after : NULL, done));
}

static void set_event(cl_event *event, cl_event next)
{
	if (*event)
		CL(clReleaseEvent(*event));
	*event = next;
}

/* Sends the box of u where device `d` has planes and device `to` rows or, without `planes`, the reverse. */
static void send_box(struct state *s, int d, int to, int planes)
{
	const struct ft_problem *const p = s->problem;
	struct part *const own = &s->part[d], *const other = &s->part[to];
	const struct part *const z = planes ? own : other, *const y = planes ? other : own;
	const size_t origin[3] = {0, (size_t)y->row, (size_t)z->plane};
	const size_t region[3] = {bytes_of(p->nx), (size_t)(y->row_end - y->row),
				  (size_t)(z->plane_end - z->plane)};
	cl_event sent = NULL;

	if (region[1] && region[2])
		CL(clEnqueueCopyBufferRect(s->hand->queue[d], own->u, other->u, origin, origin, region,
					   bytes_of(p->nx), bytes_of(p->nx * p->ny), bytes_of(p->nx),
					   bytes_of(p->nx * p->ny), other->ready != NULL,
					   other->ready ? &other->ready : NULL, &sent));
	set_event(&own->sent[to], sent);
}

static void exchange(struct state *s, int planes)
{
	for (int d = 0; d < s->hand->count; d++) {
		for (int to = 0; to < s->hand->count; to++)
			if (to != d)
				send_box(s, d, to, planes);
		CL(clFlush(s->hand->queue[d]));
	}
}

/* What the others have sent to a device. */
static cl_uint sent_to(const struct state *s, int d, cl_event *events)
{
	cl_uint count = 0;

	for (int from = 0; from < s->hand->count; from++)
		if (s->part[from].sent[d])
			events[count++] = s->part[from].sent[d];
	return count;
}

/* Planes of u along x and y, and, backwards, their part of the checksum of iteration `t`. */
static void transform_planes(struct state *s, int d, int sign, int t)
{
	const struct ft_problem *const p = s->problem;
	struct part *const part = &s->part[d];
	const int lo = part->plane, hi = part->plane_end;
	const size_t offset = (size_t)lo, size = (size_t)(hi - lo);
	cl_event events[HAND_DEVICES_MOST], ready;
	const cl_uint count = sent_to(s, d, events);

	if (lo == hi)
		return;
	HAND_ARG(part->along_x, 5, sign);
	HAND_ARG(part->along_y, 5, sign);
	if (sign == FT_FORWARD)
		run(s, d, part->start, p->ny, lo, hi, 0, NULL, NULL);
	run(s, d, part->along_y, p->nx / FT_LANES, lo, hi, count, events, NULL);
	run(s, d, part->along_x, p->ny / FT_LANES, lo, hi, 0, NULL, NULL);
	if (sign == FT_FORWARD)
		return;
	HAND_ARG(part->checksum, 6, t);
	CL(clEnqueueNDRangeKernel(s->hand->queue[d], part->checksum, 1, &offset, &size, &(size_t){1}, 0, NULL,
				  &ready));
	set_event(&part->ready, ready);
	CL(clFlush(s->hand->queue[d]));
}

/* From one array to the other along z, each device its own rows of all planes. */
static void transform_lines(struct state *s, int d, cl_mem to, cl_mem from, int sign, double fade)
{
	struct part *const part = &s->part[d];
	cl_event events[HAND_DEVICES_MOST], ready = NULL;
	const cl_uint count = sent_to(s, d, events);

	HAND_ARG(part->along_z, 0, to);
	HAND_ARG(part->along_z, 1, from);
	HAND_ARG(part->along_z, 7, sign);
	HAND_ARG(part->along_z, 8, fade);
	if (part->row < part->row_end)
		run(s, d, part->along_z, s->problem->nx / FT_LANES, part->row, part->row_end,
		    sign == FT_FORWARD ? count : 0, events, &ready);
	if (sign == FT_FORWARD)
		set_event(&part->ready, ready);
	else if (ready)
		CL(clReleaseEvent(ready));
	CL(clFlush(s->hand->queue[d]));
}

/* Reads the sums of a device's planes. */
static void read_part(struct state *s, int d, cl_event *read)
{
	const struct part *const p = &s->part[d];
	const int from = p->plane * s->problem->iterations, end = p->plane_end * s->problem->iterations;

	CL(clEnqueueReadBuffer(s->hand->queue[d], p->sums, CL_FALSE, bytes_of(from), bytes_of(end - from),
			       s->sums + from, 0, NULL, read));
	CL(clFlush(s->hand->queue[d]));
}

static void read_sums(struct state *s)
{
	cl_event read[HAND_DEVICES_MOST];
	cl_uint reads = 0;

	for (int d = 0; d < s->hand->count; d++)
		if (s->part[d].plane < s->part[d].plane_end)
			read_part(s, d, &read[reads++]);
	CL(clWaitForEvents(reads, read));
	while (reads > 0)
		CL(clReleaseEvent(read[--reads]));
}

static void ft(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const struct ft_problem *const p = problem;
	const int count = machine->hand->count;
	struct ft_result result;

	s.sums = hand_memory(bytes_of(p->iterations * p->nz));
	for (int d = 0; d < count; d++)
		open_part(&s, d);
	while (bench_round(clock)) {
		for (int d = 0; d < count; d++)
			hand_spoil(s.hand, d, s.part[d].sums, bytes_of(p->iterations * p->nz));
		hand_spoil_memory(s.sums, bytes_of(p->iterations * p->nz));
		bench_start(clock);
		for (int d = 0; d < count; d++)
			transform_planes(&s, d, FT_FORWARD, 0);
		exchange(&s, 1);
		for (int d = 0; d < count; d++)
			transform_lines(&s, d, s.part[d].v, s.part[d].u, FT_FORWARD, 0);
		for (int t = 0; t < p->iterations; t++) {
			for (int d = 0; d < count; d++)
				transform_lines(&s, d, s.part[d].u, s.part[d].v, FT_BACKWARD,
						p->fade * (t + 1));
			exchange(&s, 0);
			for (int d = 0; d < count; d++)
				transform_planes(&s, d, FT_BACKWARD, t);
		}
		read_sums(&s);
		for (int d = 0; d < count; d++) {
			set_event(&s.part[d].ready, NULL);
			for (int to = 0; to < count; to++)
				set_event(&s.part[d].sent[to], NULL);
		}
		ft_add(&result, p, s.sums);
		bench_stop(clock, &result);
	}
	for (int d = 0; d < count; d++) {
		struct part *const part = &s.part[d];

		CL(clReleaseKernel(part->start));
		CL(clReleaseKernel(part->along_x));
		CL(clReleaseKernel(part->along_y));
		CL(clReleaseKernel(part->along_z));
		CL(clReleaseKernel(part->checksum));
		CL(clReleaseMemObject(part->u));
		CL(clReleaseMemObject(part->v));
		CL(clReleaseMemObject(part->roots));
		CL(clReleaseMemObject(part->sums));
	}
	free(s.sums);
}

const struct bench_version ft_copying = {.name = "copying", .one_context = 1, .program = ft};
