/* ep_copying.c - EP in OpenCL by hand: each device has a buffer for its sums, which is read without
 * waiting. */

#include "ep/ep.h"

#include <stdlib.h>

struct state {
	const struct ep_problem *problem;
	struct hand *hand;
	cl_kernel ep[HAND_DEVICES_MOST];
	cl_mem sums[HAND_DEVICES_MOST];
	cl_event read[HAND_DEVICES_MOST];
	double *host;
};

static size_t bytes_of(int groups)
{
	return (size_t)groups * EP_NUMBERS * sizeof(double);
}

static void start_device(struct state *s, int d)
{
	const cl_command_queue queue = s->hand->queue[d];
	const int groups = s->problem->groups;
	const int lo = bench_first(groups, 1, d, s->hand->count),
		  hi = bench_first(groups, 1, d + 1, s->hand->count);
	const size_t offset = (size_t)lo * EP_GROUP, size = (size_t)(hi - lo) * EP_GROUP, local = EP_GROUP;

	if (lo == hi)
		return;
	CL(clEnqueueNDRangeKernel(queue, s->ep[d], 1, &offset, &size, &local, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(queue, s->sums[d], CL_FALSE, 0, bytes_of(hi - lo), s->host + lo * EP_NUMBERS, 0,
			       NULL, &s->read[d]));
	CL(clFlush(queue));
}

static void ep(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	struct state s = {.problem = problem, .hand = machine->hand};
	const int groups = s.problem->groups, count = s.hand->count;
	struct ep_result result;

	s.host = hand_memory(bytes_of(groups));
	for (int d = 0; d < count; d++) {
		const int lo = bench_first(groups, 1, d, count);
		const int hi = bench_first(groups, 1, d + 1, count);

		if (lo == hi)
			continue;
		s.ep[d] = hand_kernel(s.hand, d, EP_KERNELS, "ep");
		s.sums[d] = hand_buffer(s.hand, d, CL_MEM_WRITE_ONLY, bytes_of(hi - lo), NULL);
		HAND_ARG(s.ep[d], 0, s.sums[d]);
		HAND_ARG(s.ep[d], 1, lo);
	}
	while (bench_round(clock)) {
		for (int d = 0; d < count; d++)
			if (s.ep[d])
				hand_spoil(s.hand, d, s.sums[d],
					   bytes_of(bench_first(groups, 1, d + 1, count) -
						    bench_first(groups, 1, d, count)));
		hand_spoil_memory(s.host, bytes_of(groups));
		bench_start(clock);
		for (int d = 0; d < count; d++)
			start_device(&s, d);
		for (int d = 0; d < count; d++) {
			if (!s.read[d])
				continue;
			CL(clWaitForEvents(1, &s.read[d]));
			CL(clReleaseEvent(s.read[d]));
			s.read[d] = NULL;
		}
		ep_add(&result, s.host, groups);
		bench_stop(clock, &result);
	}
	for (int d = 0; d < count; d++) {
		if (!s.ep[d])
			continue;
		CL(clReleaseMemObject(s.sums[d]));
		CL(clReleaseKernel(s.ep[d]));
	}
	free(s.host);
}

const struct bench_version ep_copying = {.name = "copying", .program = ep};
