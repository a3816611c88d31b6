/* ft_shared.c - FT in OpenCL by hand: all devices use the same box in the host's memory. Between transforms
 * along the planes and across them every device waits for all. */

#include "ft/ft.h"

#include <stdlib.h>

/* A device, its planes and its rows. `done`: its last kernel, for others to wait for; NULL where there are
 * none. */
struct part {
	int plane, plane_end, row, row_end;
	cl_kernel start, along_x, along_y, along_z, checksum;
	cl_event done;
};

struct state {
	const struct ft_problem *problem;
	struct hand *hand;
	struct part part[HAND_DEVICES_MOST];
	cl_mem u, v, roots, sums;
	struct ft_complex *host_u, *host_v, *host_roots, *host_sums;
};

static size_t bytes_of(int count)
{
	return (size_t)count * sizeof(struct ft_complex);
}

static cl_mem new_buffer(struct state *s, size_t bytes, struct ft_complex **host)
{
	*host = hand_memory(bytes);
	return hand_buffer(s->hand, 0, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, *host);
}

static void open_part(struct state *s, int d)
{
	const struct ft_problem *const p = s->problem;
	struct part *const part = &s->part[d];

	part->plane = bench_first(p->nz, 1, d, s->hand->count);
	part->plane_end = bench_first(p->nz, 1, d + 1, s->hand->count);
	part->row = bench_first(p->ny, 1, d, s->hand->count);
	part->row_end = bench_first(p->ny, 1, d + 1, s->hand->count);
	part->start = hand_kernel(s->hand, d, FT_KERNELS, "start");
	part->along_x = hand_kernel(s->hand, d, FT_KERNELS, "along_x");
	part->along_y = hand_kernel(s->hand, d, FT_KERNELS, "along_y");
	part->along_z = hand_kernel(s->hand, d, FT_KERNELS, "along_z");
	part->checksum = hand_kernel(s->hand, d, FT_KERNELS, "checksum");
	HAND_ARG(part->start, 0, s->u);
	HAND_ARG(part->start, 1, p->nx);
	HAND_ARG(part->start, 2, p->ny);
	for (int i = 0; i < 2; i++) {
		const cl_kernel along = i ? part->along_y : part->along_x;

		HAND_ARG(along, 0, s->u);
		HAND_ARG(along, 1, s->roots);
		HAND_ARG(along, 2, p->nx);
		HAND_ARG(along, 3, p->ny);
		HAND_ARG(along, 4, p->finest);
	}
	HAND_ARG(part->along_z, 2, s->roots);
	HAND_ARG(part->along_z, 3, p->nx);
	HAND_ARG(part->along_z, 4, p->ny);
	HAND_ARG(part->along_z, 5, p->nz);
	HAND_ARG(part->along_z, 6, p->finest);
	HAND_ARG(part->checksum, 0, s->sums);
	HAND_ARG(part->checksum, 1, s->u);
	HAND_ARG(part->checksum, 2, p->nx);
	HAND_ARG(part->checksum, 3, p->ny);
	HAND_ARG(part->checksum, 4, p->nz);
	HAND_ARG(part->checksum, 5, p->iterations);
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

/* Where the event of a device's last kernel goes; NULL for an only device, for which nobody waits. */
static cl_event *event_of(const struct state *s, cl_event *event)
{
	return s->hand->count > 1 ? event : NULL;
}

/* What all devices did last, for the others to wait for. */
static cl_uint all_done(const struct state *s, cl_event *events)
{
	cl_uint count = 0;

	for (int d = 0; d < s->hand->count; d++)
		if (s->part[d].done)
			events[count++] = s->part[d].done;
	return count;
}

static void replace_events(struct state *s, const cl_event *done)
{
	for (int d = 0; d < s->hand->count; d++) {
		if (s->part[d].done)
			CL(clReleaseEvent(s->part[d].done));
		s->part[d].done = done ? done[d] : NULL;
		CL(clFlush(s->hand->queue[d]));
	}
}

/* Planes of u along x and y; then, backwards, their part of the checksum of iteration `t`. */
static void transform_planes(struct state *s, int sign, int t)
{
	const struct ft_problem *const p = s->problem;
	cl_event before[HAND_DEVICES_MOST], done[HAND_DEVICES_MOST] = {NULL};
	const cl_uint count = all_done(s, before);

	for (int d = 0; d < s->hand->count; d++) {
		struct part *const part = &s->part[d];
		const int lo = part->plane, hi = part->plane_end;
		const size_t offset = (size_t)lo, size = (size_t)(hi - lo);

		if (lo == hi)
			continue;
		HAND_ARG(part->along_x, 5, sign);
		HAND_ARG(part->along_y, 5, sign);
		if (sign == FT_FORWARD)
			run(s, d, part->start, p->ny, lo, hi, 0, NULL, NULL);
		run(s, d, part->along_y, p->nx / FT_LANES, lo, hi, count, before, NULL);
		run(s, d, part->along_x, p->ny / FT_LANES, lo, hi, 0, NULL,
		    sign == FT_FORWARD ? event_of(s, &done[d]) : NULL);
		if (sign == FT_FORWARD)
			continue;
		HAND_ARG(part->checksum, 6, t);
		CL(clEnqueueNDRangeKernel(s->hand->queue[d], part->checksum, 1, &offset, &size, &(size_t){1}, 0,
					  NULL, event_of(s, &done[d])));
	}
	replace_events(s, done);
}

/* From one array to the other along z, each device its own rows of all planes. */
static void transform_lines(struct state *s, cl_mem to, cl_mem from, int sign, double fade)
{
	cl_event before[HAND_DEVICES_MOST], done[HAND_DEVICES_MOST] = {NULL};
	const cl_uint count = all_done(s, before);

	for (int d = 0; d < s->hand->count; d++) {
		struct part *const part = &s->part[d];

		if (part->row == part->row_end)
			continue;
		HAND_ARG(part->along_z, 0, to);
		HAND_ARG(part->along_z, 1, from);
		HAND_ARG(part->along_z, 7, sign);
		HAND_ARG(part->along_z, 8, fade);
		run(s, d, part->along_z, s->problem->nx / FT_LANES, part->row, part->row_end, count, before,
		    event_of(s, &done[d]));
	}
	replace_events(s, done);
}

static void ft(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const struct ft_problem *const p = problem;
	const size_t bytes = bytes_of(p->nx * p->ny * p->nz);
	cl_event last[HAND_DEVICES_MOST];
	struct ft_result result;
	struct ft_complex *mapped;
	cl_uint count;
	cl_int code;

	s.u = new_buffer(&s, bytes, &s.host_u);
	s.v = new_buffer(&s, bytes, &s.host_v);
	s.roots = new_buffer(&s, bytes_of(p->finest), &s.host_roots);
	s.sums = new_buffer(&s, bytes_of(p->iterations * p->nz), &s.host_sums);
	CL(clEnqueueWriteBuffer(s.hand->queue[0], s.roots, CL_TRUE, 0, bytes_of(p->finest), p->roots, 0, NULL,
				NULL));
	for (int d = 0; d < s.hand->count; d++)
		open_part(&s, d);
	while (bench_round(clock)) {
		hand_spoil(s.hand, 0, s.sums, bytes_of(p->iterations * p->nz));
		bench_start(clock);
		transform_planes(&s, FT_FORWARD, 0);
		transform_lines(&s, s.v, s.u, FT_FORWARD, 0);
		for (int t = 0; t < p->iterations; t++) {
			transform_lines(&s, s.u, s.v, FT_BACKWARD, p->fade * (t + 1));
			transform_planes(&s, FT_BACKWARD, t);
		}
		count = all_done(&s, last);
		mapped = clEnqueueMapBuffer(s.hand->queue[0], s.sums, CL_TRUE, CL_MAP_READ, 0,
					    bytes_of(p->iterations * p->nz), count, count ? last : NULL, NULL,
					    &code);
		hand_check(code, "clEnqueueMapBuffer");
		replace_events(&s, NULL);
		ft_add(&result, p, mapped);
		CL(clEnqueueUnmapMemObject(s.hand->queue[0], s.sums, mapped, 0, NULL, NULL));
		bench_stop(clock, &result);
	}
	for (int d = 0; d < s.hand->count; d++) {
		CL(clReleaseKernel(s.part[d].start));
		CL(clReleaseKernel(s.part[d].along_x));
		CL(clReleaseKernel(s.part[d].along_y));
		CL(clReleaseKernel(s.part[d].along_z));
		CL(clReleaseKernel(s.part[d].checksum));
	}
	CL(clReleaseMemObject(s.u));
	CL(clReleaseMemObject(s.v));
	CL(clReleaseMemObject(s.roots));
	CL(clReleaseMemObject(s.sums));
	free(s.host_u);
	free(s.host_v);
	free(s.host_roots);
	free(s.host_sums);
}

const struct bench_version ft_shared = {.name = "shared", .one_context = 1, .program = ft};
