/* test_fakecl_order.c - the fake driver: which commands run, when, and what is made to fail. */
#include "fakes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "platforms.h"

#define N 16

static const char text[] =
	"kernel void add(global uint *x, uint v) { x[get_global_id(0)] = 3 * x[get_global_id(0)] + v; }";

/* A buffer of zeros and a kernel that makes it 3 x + 1, on one queue of a machine. */
struct bed {
	struct seat seat;
	cl_mem mem[DEVICES];
	cl_kernel add;
};

static struct bed bed_open(const char *machine, const char *order)
{
	struct bed bed;
	const int zero = 0;

	setenv("FAKECL_ORDER", order, 1);
	bed.seat = seat_open(machine);
	bed.add = kernel_of(&bed.seat, text, "add");
	for (cl_uint d = 0; d < bed.seat.devices; d++) {
		bed.mem[d] = buffer(&bed.seat, N * sizeof(int));
		done(clEnqueueFillBuffer(bed.seat.queue[d], bed.mem[d], &zero, sizeof zero, 0, N * sizeof(int),
					 0, NULL, NULL));
		done(clFinish(bed.seat.queue[d]));
	}
	return bed;
}

static void bed_close(struct bed *bed)
{
	for (cl_uint d = 0; d < bed->seat.devices; d++) {
		done(clFinish(bed->seat.queue[d]));
		done(clReleaseMemObject(bed->mem[d]));
	}
	done(clReleaseKernel(bed->add));
	seat_close(&bed->seat);
}

static void add(const struct bed *bed, int d, int v, cl_uint count, const cl_event *waits, cl_event *event_p)
{
	const size_t items = N;

	set_mem(bed->add, 0, bed->mem[d]);
	set_int(bed->add, 1, v);
	done(clEnqueueNDRangeKernel(bed->seat.queue[d], bed->add, 1, NULL, &items, NULL, count, waits,
				    event_p));
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
	cl_ulong time;

	done(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
	return time;
}

/* ---- when --------------------------------------------------------------------------------------- */

START_TEST(late_runs_nothing_until_somebody_waits)
{
	struct bed bed = bed_open("one-gpu", "late");
	const long before = control("count ndrange");
	cl_event event;

	add(&bed, 0, 1, 0, NULL, &event);
	ck_assert_int_eq(status_of(event), CL_QUEUED);
	done(clFlush(bed.seat.queue[0]));
	ck_assert_int_eq(status_of(event), CL_SUBMITTED);
	ck_assert_int_eq(control("count ndrange"), before);
	done(clWaitForEvents(1, &event));
	ck_assert_int_eq(status_of(event), CL_COMPLETE);
	ck_assert_int_eq(control("count ndrange"), before + 1);
	done(clReleaseEvent(event));
	bed_close(&bed);
}
END_TEST

START_TEST(fifo_runs_what_is_flushed)
{
	struct bed bed = bed_open("one-gpu", "fifo");
	cl_event event;

	add(&bed, 0, 1, 0, NULL, &event);
	ck_assert_int_eq(status_of(event), CL_QUEUED);
	done(clFlush(bed.seat.queue[0]));
	ck_assert_int_eq(status_of(event), CL_COMPLETE);
	done(clReleaseEvent(event));
	bed_close(&bed);
}
END_TEST

/* Polls bring a flushed command on, one that is not flushed never. */
START_TEST(polls_make_progress)
{
	struct bed bed = bed_open("one-gpu", "late");
	cl_event first, second;
	int polls = 0;

	ck_assert_int_eq(control("polls 10"), 0);
	add(&bed, 0, 1, 0, NULL, &first);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(status_of(first), CL_QUEUED);
	done(clFlush(bed.seat.queue[0]));
	add(&bed, 0, 1, 0, NULL, &second);
	while (status_of(first) != CL_COMPLETE)
		ck_assert_int_lt(polls++, 100);
	ck_assert_int_ge(polls, 5);
	ck_assert_int_eq(status_of(second), CL_QUEUED);
	done(clReleaseEvent(first));
	done(clReleaseEvent(second));
	bed_close(&bed);
}
END_TEST

START_TEST(blocking_commands_finish_and_releases_flush)
{
	struct bed bed = bed_open("one-context", "fifo");
	cl_event event;

	add(&bed, 0, 1, 0, NULL, NULL);
	add(&bed, 0, 2, 0, NULL, NULL);
	ck_assert_int_eq(element_of(bed.seat.queue[0], bed.mem[0], N - 1), 5);
	add(&bed, 1, 1, 0, NULL, &event);
	done(clRetainCommandQueue(bed.seat.queue[1]));
	done(clReleaseCommandQueue(bed.seat.queue[1]));
	ck_assert_int_eq(status_of(event), CL_COMPLETE);
	done(clReleaseEvent(event));
	bed_close(&bed);
}
END_TEST

START_TEST(times_of_commands_are_in_order)
{
	struct bed bed = bed_open("one-gpu", "late");
	cl_event event[2];

	ck_assert_int_eq(control("latency ndrange 3000"), 0);
	add(&bed, 0, 1, 0, NULL, &event[0]);
	add(&bed, 0, 1, 0, NULL, &event[1]);
	ck_assert_int_eq(clGetEventProfilingInfo(event[0], CL_PROFILING_COMMAND_END, 8, NULL, NULL),
			 CL_PROFILING_INFO_NOT_AVAILABLE);
	done(clFinish(bed.seat.queue[0]));
	for (int i = 0; i < 2; i++)
		for (cl_profiling_info what = CL_PROFILING_COMMAND_QUEUED; what < CL_PROFILING_COMMAND_END;
		     what++)
			ck_assert_uint_le(time_of(event[i], what), time_of(event[i], what + 1));
	ck_assert_uint_ge(time_of(event[0], CL_PROFILING_COMMAND_END) -
				  time_of(event[0], CL_PROFILING_COMMAND_START),
			  3000000);
	ck_assert_uint_le(time_of(event[0], CL_PROFILING_COMMAND_END),
			  time_of(event[1], CL_PROFILING_COMMAND_START));
	for (int i = 0; i < 2; i++)
		done(clReleaseEvent(event[i]));
	bed_close(&bed);
}
END_TEST

/* 64 bytes are a 16384th of a MiB. */
START_TEST(what_is_moved_costs)
{
	struct bed bed = bed_open("one-gpu", "fifo");
	int x[N];
	cl_event event;

	ck_assert_int_eq(control("cost ndrange 1"), -1);
	ck_assert_int_eq(control("cost read -1"), -1);
	ck_assert_int_eq(control("cost read 49152000"), 0);
	done(clEnqueueReadBuffer(bed.seat.queue[0], bed.mem[0], CL_TRUE, 0, sizeof x, x, 0, NULL, &event));
	ck_assert_uint_ge(time_of(event, CL_PROFILING_COMMAND_END) -
				  time_of(event, CL_PROFILING_COMMAND_START),
			  3000000);
	done(clReleaseEvent(event));
	bed_close(&bed);
}
END_TEST

/* ---- which -------------------------------------------------------------------------------------- */

START_TEST(late_runs_only_what_is_needed)
{
	struct bed bed = bed_open("one-context", "late");
	cl_event one[2], other;

	add(&bed, 0, 1, 0, NULL, &one[0]);
	add(&bed, 0, 1, 0, NULL, &one[1]);
	add(&bed, 1, 1, 0, NULL, &other);
	done(clFlush(bed.seat.queue[0]));
	done(clFlush(bed.seat.queue[1]));
	done(clWaitForEvents(1, &one[0]));
	ck_assert_int_eq(status_of(one[1]), CL_SUBMITTED);
	ck_assert_int_eq(status_of(other), CL_SUBMITTED);
	done(clReleaseEvent(one[0]));
	done(clReleaseEvent(one[1]));
	done(clReleaseEvent(other));
	bed_close(&bed);
}
END_TEST

/* Three commands on two queues, of which the last needs the others: who goes first? */
static bool second_queue_first(const char *order)
{
	struct bed bed = bed_open("one-context", order);
	cl_event event[3];
	bool result;

	add(&bed, 0, 1, 0, NULL, &event[0]);
	add(&bed, 1, 1, 0, NULL, &event[1]);
	done(clEnqueueMarkerWithWaitList(bed.seat.queue[0], 2, event, &event[2]));
	done(clFlush(bed.seat.queue[1]));
	done(clFlush(bed.seat.queue[0]));
	done(clWaitForEvents(1, &event[2]));
	result = time_of(event[1], CL_PROFILING_COMMAND_START) < time_of(event[0], CL_PROFILING_COMMAND_START);
	for (int i = 0; i < 3; i++)
		done(clReleaseEvent(event[i]));
	bed_close(&bed);
	return result;
}

START_TEST(late_takes_the_youngest_first)
{
	ck_assert(second_queue_first("late"));
}
END_TEST

START_TEST(fifo_takes_the_oldest_first)
{
	struct bed bed = bed_open("one-context", "fifo");
	cl_int code;
	cl_event user = clCreateUserEvent(bed.seat.context, &code), event[2];

	done(code);
	add(&bed, 0, 1, 1, &user, &event[0]);
	add(&bed, 1, 1, 1, &user, &event[1]);
	done(clFlush(bed.seat.queue[1]));
	done(clFlush(bed.seat.queue[0]));
	ck_assert_int_eq(status_of(event[1]), CL_SUBMITTED);
	done(clSetUserEventStatus(user, CL_COMPLETE));
	ck_assert_int_eq(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
	ck_assert_uint_lt(time_of(event[0], CL_PROFILING_COMMAND_START),
			  time_of(event[1], CL_PROFILING_COMMAND_START));
	for (int i = 0; i < 2; i++)
		done(clReleaseEvent(event[i]));
	done(clReleaseEvent(user));
	bed_close(&bed);
}
END_TEST

/* Both orders come up, the same for the same seed. */
START_TEST(random_takes_any)
{
	struct bed bed = bed_open("one-context", "random:1");
	int first[2] = {0, 0}, again = 0;

	for (int seed = 0; seed < 64; seed++) {
		int order[2];

		for (int turn = 0; turn < 2; turn++) {
			cl_event event[3];

			control("order random %d", seed * 77777);
			add(&bed, 0, 1, 0, NULL, &event[0]);
			add(&bed, 1, 1, 0, NULL, &event[1]);
			done(clEnqueueMarkerWithWaitList(bed.seat.queue[0], 2, event, &event[2]));
			done(clFlush(bed.seat.queue[1]));
			done(clWaitForEvents(1, &event[2]));
			order[turn] = time_of(event[1], CL_PROFILING_COMMAND_START) <
				      time_of(event[0], CL_PROFILING_COMMAND_START);
			for (int i = 0; i < 3; i++)
				done(clReleaseEvent(event[i]));
		}
		first[order[0]]++;
		again += order[0] == order[1];
	}
	ck_assert_int_gt(first[0], 5);
	ck_assert_int_gt(first[1], 5);
	ck_assert_int_eq(again, 64);
	bed_close(&bed);
}
END_TEST

/* A zigzag of dependences between two queues comes out right in every order. */
START_TEST(wait_lists_are_kept)
{
	struct bed bed = bed_open("one-context", "late");

	for (int round = 0; round < 40; round++) {
		int expected = element_of(bed.seat.queue[0], bed.mem[0], 0);
		cl_event event[N + 1];

		control(round % 2 ? "order random %d" : "order late", round);
		done(clEnqueueMarkerWithWaitList(bed.seat.queue[1], 0, NULL, &event[0]));
		for (int i = 1; i <= N; i++) { /* every other command is on the other queue, and waits */
			if (i % 2) {
				add(&bed, 0, i, 1, &event[i - 1], &event[i]);
				expected = (int)(3u * (unsigned)expected + (unsigned)i);
			} else {
				done(clEnqueueMarkerWithWaitList(bed.seat.queue[1], 1, &event[i - 1],
								 &event[i]));
			}
		}
		done(clFlush(bed.seat.queue[0]));
		done(clWaitForEvents(1, &event[N]));
		for (int i = 0; i <= N; i++) {
			ck_assert_int_eq(status_of(event[i]), CL_COMPLETE);
			if (i > 0)
				ck_assert_uint_le(time_of(event[i - 1], CL_PROFILING_COMMAND_END),
						  time_of(event[i], CL_PROFILING_COMMAND_START));
		}
		for (int i = 0; i <= N; i++)
			done(clReleaseEvent(event[i]));
		ck_assert_int_eq(element_of(bed.seat.queue[0], bed.mem[0], N - 1), expected);
	}
	bed_close(&bed);
}
END_TEST

/* ---- deadlocks ---------------------------------------------------------------------------------- */

static void wait_across_queues(void)
{
	setenv("FAKECL_PATIENCE", "20", 1);
	struct bed bed = bed_open("one-context", "late");
	cl_event event[2];

	add(&bed, 0, 1, 0, NULL, &event[0]);
	add(&bed, 1, 1, 1, &event[0], &event[1]);
	(void)clWaitForEvents(1, &event[1]);
}

START_TEST(unflushed_queue_is_a_deadlock)
{
	assert_dies(wait_across_queues, "fakecl: clWaitForEvents: deadlock: event #");
}
END_TEST

static void *flush(void *queue)
{
	done(clFlush(queue));
	return NULL;
}

START_TEST(another_thread_may_flush)
{
	struct bed bed = bed_open("one-context", "late");
	cl_event event[2];
	pthread_t thread;

	add(&bed, 0, 1, 0, NULL, &event[0]);
	add(&bed, 1, 1, 1, &event[0], &event[1]);
	ck_assert_int_eq(pthread_create(&thread, NULL, flush, bed.seat.queue[0]), 0);
	done(clWaitForEvents(1, &event[1]));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	for (int i = 0; i < 2; i++)
		done(clReleaseEvent(event[i]));
	bed_close(&bed);
}
END_TEST

/* ---- failures ----------------------------------------------------------------------------------- */

START_TEST(kth_call_fails)
{
	struct bed bed = bed_open("one-gpu", "late");
	cl_int code;

	ck_assert_int_eq(control("fail clFlush 2 -5"), 0);
	ck_assert_int_eq(control("fail clCreateBuffer 1 -4"), 0);
	ck_assert_int_eq(control("fail clNothing 1 -4"), -1);
	done(clFlush(bed.seat.queue[0]));
	ck_assert_int_eq(clFlush(bed.seat.queue[0]), CL_OUT_OF_RESOURCES);
	done(clFlush(bed.seat.queue[0]));
	ck_assert_int_eq(control("count clFlush"), 3);
	ck_assert_ptr_null(clCreateBuffer(bed.seat.context, 0, 64, NULL, &code));
	ck_assert_int_eq(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
	ck_assert_int_eq(control("fail clFlush 1 -5"), 0);
	ck_assert_int_eq(control("forget"), 0);
	done(clFlush(bed.seat.queue[0]));
	bed_close(&bed);
}
END_TEST

START_TEST(environment_names_failures)
{
	setenv("FAKECL_FAIL", "clFlush:1:-5,ndrange:1:-6", 1);
	struct bed bed = bed_open("one-gpu", "late");
	cl_event event;

	add(&bed, 0, 1, 0, NULL, &event);
	ck_assert_int_eq(clFlush(bed.seat.queue[0]), CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	ck_assert_int_eq(status_of(event), CL_OUT_OF_HOST_MEMORY);
	done(clReleaseEvent(event));
	bed_close(&bed);
}
END_TEST

/* The second of four launches fails; the fourth, on another queue, waits for it. */
static void fail_second(struct bed *bed, cl_int status[4])
{
	cl_event event[4];

	ck_assert_int_eq(control("fail ndrange 2 -5"), 0);
	add(bed, 0, 1, 0, NULL, &event[0]);
	add(bed, 0, 1, 0, NULL, &event[1]);
	add(bed, 0, 1, 0, NULL, &event[2]);
	add(bed, 1, 1, 1, &event[1], &event[3]);
	done(clFlush(bed->seat.queue[0]));
	done(clFinish(bed->seat.queue[0]));
	done(clFinish(bed->seat.queue[1]));
	for (int i = 0; i < 4; i++) {
		status[i] = status_of(event[i]);
		done(clReleaseEvent(event[i]));
	}
}

START_TEST(successors_of_failures_run)
{
	struct bed bed = bed_open("one-context", "late");
	cl_int status[4];

	fail_second(&bed, status);
	ck_assert_int_eq(status[0], CL_COMPLETE);
	ck_assert_int_eq(status[1], CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(status[2], CL_COMPLETE);
	ck_assert_int_eq(status[3], CL_COMPLETE);
	ck_assert_int_eq(element_of(bed.seat.queue[0], bed.mem[0], 0), 4); /* two ran */
	bed_close(&bed);
}
END_TEST

START_TEST(successors_of_failures_fail)
{
	setenv("FAKECL_SUCCESSORS", "fail", 1);
	struct bed bed = bed_open("one-context", "late");
	cl_int status[4];

	fail_second(&bed, status);
	ck_assert_int_eq(status[0], CL_COMPLETE);
	ck_assert_int_eq(status[1], CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(status[2], CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	ck_assert_int_eq(status[3], CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	ck_assert_int_eq(element_of(bed.seat.queue[0], bed.mem[0], 0), 1); /* later commands are not touched */
	ck_assert_int_eq(element_of(bed.seat.queue[1], bed.mem[1], 0), 0);
	bed_close(&bed);
}
END_TEST

START_TEST(contexts_of_failures_die)
{
	setenv("FAKECL_SUCCESSORS", "die", 1);
	struct bed bed = bed_open("one-context", "late");
	cl_int status[4];
	cl_event later;

	fail_second(&bed, status);
	ck_assert_int_eq(status[0], CL_COMPLETE);
	for (int i = 1; i < 4; i++)
		ck_assert_int_eq(status[i], CL_OUT_OF_RESOURCES);
	add(&bed, 1, 1, 0, NULL, &later); /* made when all that had failed was over */
	done(clFinish(bed.seat.queue[1]));
	ck_assert_int_eq(status_of(later), CL_OUT_OF_RESOURCES);
	done(clReleaseEvent(later));
	bed_close(&bed);
}
END_TEST

static void *let_go(void *nothing)
{
	ck_assert_int_eq(control("go 0"), 0);
	return nothing;
}

START_TEST(device_that_stops)
{
	struct bed bed = bed_open("one-gpu", "fifo");
	cl_event event[3];
	pthread_t thread;

	ck_assert_int_eq(control("stop 0 2"), 0);
	for (int i = 0; i < 3; i++)
		add(&bed, 0, 1, 0, NULL, &event[i]);
	done(clFlush(bed.seat.queue[0]));
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(status_of(event[1]), CL_SUBMITTED);
	ck_assert_int_eq(status_of(event[0]), CL_COMPLETE);
	ck_assert_int_eq(pthread_create(&thread, NULL, let_go, NULL), 0);
	done(clWaitForEvents(1, &event[2]));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	for (int i = 0; i < 3; i++)
		done(clReleaseEvent(event[i]));
	bed_close(&bed);
}
END_TEST

static void misspell(void)
{
	setenv("FAKECL_FAIL", "clFlush:never", 1);
	(void)seat_open("one-gpu");
}

START_TEST(misspelt_environment_is_refused)
{
	assert_dies(misspell, "fakecl: FAKECL_FAIL: not understood: clFlush never");
}
END_TEST

/* ---- the null driver ---------------------------------------------------------------------------- */

START_TEST(null_driver_executes_nothing)
{
	setenv("FAKECL_NULL", "1", 1);
	struct bed bed = bed_open("one-gpu", "late");
	cl_event event, other;
	int value = 77;

	add(&bed, 0, 1, 0, NULL, &event);
	ck_assert_int_eq(status_of(event), CL_COMPLETE);
	done(clEnqueueReadBuffer(bed.seat.queue[0], bed.mem[0], CL_TRUE, 0, sizeof value, &value, 1, &event,
				 &other));
	ck_assert_int_eq(value, 77);
	ck_assert_int_eq(control("count ndrange"), 0);
	done(clReleaseEvent(event));
	done(clReleaseEvent(other));
	bed_close(&bed);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		late_runs_nothing_until_somebody_waits,
		fifo_runs_what_is_flushed,
		polls_make_progress,
		blocking_commands_finish_and_releases_flush,
		times_of_commands_are_in_order,
		what_is_moved_costs,
		late_runs_only_what_is_needed,
		late_takes_the_youngest_first,
		fifo_takes_the_oldest_first,
		random_takes_any,
		wait_lists_are_kept,
		unflushed_queue_is_a_deadlock,
		another_thread_may_flush,
		kth_call_fails,
		environment_names_failures,
		successors_of_failures_run,
		successors_of_failures_fail,
		contexts_of_failures_die,
		device_that_stops,
		misspelt_environment_is_refused,
		null_driver_executes_nothing,
	};

	return run_fake_tests("fake driver: order", (int)(sizeof tests / sizeof tests[0]), tests);
}
