/* test_fakecl_time.c - the fake driver: how long things take, by which clock, and bytes that it gets wrong.
 *
 * Times are only ever said to be at least so long: how much longer, the machine decides.
 */
#include "fakes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "platforms.h"

#define BYTES 256

/* Two buffers of zeros on the first queue. */
struct bed {
	struct seat seat;
	cl_mem mem[2];
};

static void fill(const struct bed *bed, int m, cl_event *event_p)
{
	const char zero = 0;

	done(clEnqueueFillBuffer(bed->seat.queue[0], bed->mem[m], &zero, sizeof zero, 0, BYTES, 0, NULL,
				 event_p));
}

static struct bed bed_open(const char *machine)
{
	struct bed bed;

	setenv("FAKECL_ORDER", "fifo", 1);
	bed.seat = seat_open(machine);
	for (int m = 0; m < 2; m++) {
		bed.mem[m] = buffer(&bed.seat, BYTES);
		fill(&bed, m, NULL);
	}
	done(clFinish(bed.seat.queue[0]));
	return bed;
}

static void bed_close(struct bed *bed)
{
	for (int m = 0; m < 2; m++)
		done(clReleaseMemObject(bed->mem[m]));
	seat_close(&bed->seat);
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
	cl_ulong time;

	done(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
	return time;
}

/* ---- commands of every kind ---------------------------------------------------------------------- */

static unsigned char memory[BYTES];
static void *mapped;

static void run_ndrange(const struct bed *bed, cl_event *event_p)
{
	const cl_kernel kernel = kernel_of(&bed->seat, "kernel void idle(global int *x) { x[0] = 0; }", "idle");

	set_mem(kernel, 0, bed->mem[0]);
	launch(bed->seat.queue[0], kernel, 1, event_p);
	done(clFinish(bed->seat.queue[0]));
	done(clReleaseKernel(kernel));
}

static void run_read(const struct bed *bed, cl_event *event_p)
{
	done(clEnqueueReadBuffer(bed->seat.queue[0], bed->mem[0], CL_TRUE, 0, BYTES, memory, 0, NULL, event_p));
}

static void run_write(const struct bed *bed, cl_event *event_p)
{
	done(clEnqueueWriteBuffer(bed->seat.queue[0], bed->mem[0], CL_TRUE, 0, BYTES, memory, 0, NULL,
				  event_p));
}

static void run_copy(const struct bed *bed, cl_event *event_p)
{
	done(clEnqueueCopyBuffer(bed->seat.queue[0], bed->mem[0], bed->mem[1], 0, 0, BYTES, 0, NULL, event_p));
}

static void run_fill(const struct bed *bed, cl_event *event_p)
{
	fill(bed, 0, event_p);
}

static void run_map(const struct bed *bed, cl_event *event_p)
{
	cl_int code;

	mapped = clEnqueueMapBuffer(bed->seat.queue[0], bed->mem[0], CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL,
				    event_p, &code);
	done(code);
}

static void run_unmap(const struct bed *bed, cl_event *event_p)
{
	done(clEnqueueUnmapMemObject(bed->seat.queue[0], bed->mem[0], mapped, 0, NULL, event_p));
}

static void run_marker(const struct bed *bed, cl_event *event_p)
{
	done(clEnqueueMarkerWithWaitList(bed->seat.queue[0], 0, NULL, event_p));
}

static const struct {
	const char *name;
	void (*run)(const struct bed *bed, cl_event *event_p);
} kinds[] = {
	{"ndrange", run_ndrange}, {"read", run_read}, {"write", run_write}, {"copy", run_copy},
	{"fill", run_fill},       {"map", run_map},   {"unmap", run_unmap}, {"marker", run_marker},
};
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

/* How long the command of a kind was executed, by its device's clock; ns. */
static cl_ulong duration_of(const struct bed *bed, int kind)
{
	cl_ulong duration;
	cl_event event;

	kinds[kind].run(bed, &event);
	done(clFinish(bed->seat.queue[0]));
	duration = time_of(event, CL_PROFILING_COMMAND_END) - time_of(event, CL_PROFILING_COMMAND_START);
	done(clReleaseEvent(event));
	return duration;
}

START_TEST(every_kind_has_a_latency)
{
	struct bed bed = bed_open("one-gpu");

	ck_assert_int_eq(control("latency nothing 1000"), -1);
	for (int k = 0; k < KINDS; k++) {
		ck_assert_int_eq(control("latency %s 3000", kinds[k].name), 0);
		ck_assert_uint_ge(duration_of(&bed, k), 3000000);
		ck_assert_int_eq(control("latency %s 0", kinds[k].name), 0);
	}
	bed_close(&bed);
}
END_TEST

/* Random times: with this seed 48 of them, of a mean of 1 ms, are more than 25 ms. */
#define DELAYS 48 /* six of each kind */
#define SUM_NS 25000000

static cl_ulong now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (cl_ulong)t.tv_sec * 1000000000u + (cl_ulong)t.tv_nsec;
}

START_TEST(calls_are_delayed)
{
	struct bed bed = bed_open("one-gpu");
	cl_ulong begin;
	cl_uint units;

	ck_assert_int_eq(control("delay 2000 7"), 0);
	begin = now_ns();
	for (int i = 0; i < DELAYS; i++)
		done(clGetDeviceInfo(bed.seat.device[0], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units,
				     NULL));
	ck_assert_uint_ge(now_ns() - begin, SUM_NS);
	ck_assert_int_eq(control("delay 0 0"), 0);
	bed_close(&bed);
}
END_TEST

START_TEST(executions_are_delayed)
{
	struct bed bed = bed_open("one-gpu");
	cl_ulong duration = 0;

	ck_assert_int_eq(control("delay 2000 7"), 0);
	for (int i = 0; i < DELAYS; i++)
		duration += duration_of(&bed, i % KINDS);
	ck_assert_uint_ge(duration, SUM_NS);
	ck_assert_int_eq(control("delay 0 0"), 0);
	bed_close(&bed);
}
END_TEST

/* ---- clocks -------------------------------------------------------------------------------------- */

START_TEST(clocks_are_ahead)
{
	struct bed bed = bed_open("one-context");
	cl_ulong before[2], second = 1000000000;
	cl_event event[2];

	for (int d = 0; d < 2; d++) {
		done(clEnqueueMarkerWithWaitList(bed.seat.queue[d], 0, NULL, &event[d]));
		done(clFinish(bed.seat.queue[d]));
		before[d] = time_of(event[d], CL_PROFILING_COMMAND_END);
	}
	ck_assert_int_eq(control("clock -1"), -1);
	ck_assert_int_eq(control("clock 3000"), 0);
	ck_assert_uint_eq(time_of(event[0], CL_PROFILING_COMMAND_END), before[0] + 3 * second);
	ck_assert_uint_eq(time_of(event[1], CL_PROFILING_COMMAND_END), before[1] + 6 * second);
	for (int d = 0; d < 2; d++)
		done(clReleaseEvent(event[d]));
	bed_close(&bed);
}
END_TEST

/* ---- wrong bytes --------------------------------------------------------------------------------- */

/* How many of the bytes in a buffer are not zero. */
static int wrong_in(const struct bed *bed, int m, size_t bytes)
{
	int wrong = 0;

	memset(memory, 0, sizeof memory);
	done(clEnqueueReadBuffer(bed->seat.queue[0], bed->mem[m], CL_TRUE, 0, bytes, memory, 0, NULL, NULL));
	for (size_t i = 0; i < BYTES; i++)
		wrong += memory[i] != 0;
	memset(memory, 0, sizeof memory);
	return wrong;
}

START_TEST(reads_are_corrupted)
{
	struct bed bed = bed_open("one-gpu");

	ck_assert_int_eq(wrong_in(&bed, 0, BYTES), 0);
	ck_assert_int_eq(control("corrupt read 100"), 0);
	ck_assert_int_eq(wrong_in(&bed, 0, 99), 0);
	ck_assert_int_eq(wrong_in(&bed, 0, 100), 1);
	ck_assert_int_eq(wrong_in(&bed, 0, BYTES), 1);
	ck_assert_int_eq(control("corrupt read 0"), 0);
	ck_assert_int_eq(wrong_in(&bed, 0, BYTES), 0); /* in the buffer nothing was wrong */
	bed_close(&bed);
}
END_TEST

START_TEST(writes_and_copies_are_corrupted)
{
	struct bed bed = bed_open("one-gpu");

	ck_assert_int_eq(control("corrupt copy %d", BYTES), 0);
	run_write(&bed, NULL);
	ck_assert_int_eq(wrong_in(&bed, 0, BYTES), 0);
	run_copy(&bed, NULL);
	ck_assert_int_eq(wrong_in(&bed, 1, BYTES), 1);
	ck_assert_int_eq(wrong_in(&bed, 0, BYTES), 0); /* not in what was copied */
	ck_assert_int_eq(control("corrupt write %d", BYTES), 0);
	run_write(&bed, NULL);
	ck_assert_int_eq(wrong_in(&bed, 0, BYTES), 1);
	bed_close(&bed);
}
END_TEST

/* A queue is not needed any more, but what is asked of its events is: whether they have times. */
START_TEST(times_outlive_their_queue)
{
	enum { EVENTS = 40, DEAD = 5000 };
	struct seat seat = seat_open("one-gpu");
	cl_event event[EVENTS];
	cl_ulong end;
	cl_int code;

	for (int i = 0; i < EVENTS; i++) {
		cl_command_queue queue =
			clCreateCommandQueue(seat.context, seat.device[0], CL_QUEUE_PROFILING_ENABLE, &code);

		done(code);
		done(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event[i]));
		done(clWaitForEvents(1, &event[i]));
		done(clReleaseCommandQueue(queue));
	}
	for (int i = 0; i < DEAD; i++) { /* memory of the dead is used again, by queues without times */
		cl_command_queue queue = clCreateCommandQueue(seat.context, seat.device[0], 0, &code);

		done(code);
		done(clReleaseCommandQueue(queue));
	}
	for (int i = 0; i < EVENTS; i++) {
		done(clGetEventProfilingInfo(event[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
		done(clReleaseEvent(event[i]));
	}
	seat_close(&seat);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		every_kind_has_a_latency,  calls_are_delayed,   executions_are_delayed,
		clocks_are_ahead,          reads_are_corrupted, writes_and_copies_are_corrupted,
		times_outlive_their_queue,
	};

	return run_fake_tests("fake driver: time", (int)(sizeof tests / sizeof tests[0]), tests);
}
