/* test_nvidia.c - what NVIDIA's driver was seen to do that others do not: a fake card that does it too.
 *
 * The driver was 580.159, the card an H200.
 */
#include "face.h"

#include <semaphore.h>

#include <hetero/opencl.h>

#include "cl/cl.h"
#include "fakes.h"
#include "platforms.h"
#include "store/pin.h"
#include "task/task.h"

enum { N = 256, ROUNDS = 8 };

static het_system *open_card(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	ck_assert(het_test_fake_driver("early-card"));
	ok(het_open(&options, &system));
	return system;
}

static void close_card(het_system *system)
{
	close_face(system);
	ck_assert_int_eq(control("alive all"), 0);
}

/* What the driver does, without the library: a write behind the read that its bytes come from. */
START_TEST(small_writes_take_their_bytes_at_once)
{
	struct seat seat = seat_open("early-card");
	const int before = 1, after = 2;
	cl_mem from = buffer(&seat, sizeof(int)), to = buffer(&seat, sizeof(int));
	int between = before;

	ck_assert_int_eq(control("order late"), 0);
	done(clEnqueueWriteBuffer(seat.queue[0], from, CL_TRUE, 0, sizeof after, &after, 0, NULL, NULL));
	done(clEnqueueReadBuffer(seat.queue[0], from, CL_FALSE, 0, sizeof between, &between, 0, NULL, NULL));
	done(clEnqueueWriteBuffer(seat.queue[0], to, CL_FALSE, 0, sizeof between, &between, 0, NULL, NULL));
	done(clFinish(seat.queue[0]));
	ck_assert_int_eq(between, after);
	ck_assert_int_eq(element_of(seat.queue[0], to, 0), before);
	done(clReleaseMemObject(from));
	done(clReleaseMemObject(to));
	seat_close(&seat);
}
END_TEST

/* A copy between arrays of which one is only in the host's memory ends there, and a kernel wants it back. */
START_TEST(what_comes_back_is_sent_when_it_is_there)
{
	het_system *system = open_card();
	het_device *card = first_device(system);
	het_kernel *bump = common_kernel(system, "bump"), *add = common_kernel(system, "add");
	het_array *x = zero_array(system, N), *y = counting_array(system, N), *z = zero_array(system, N);
	int *at;

	for (int round = 1; round <= ROUNDS; round++) {
		ok(het_launch(bump, card, het_grid(1, N), HET_INOUT(x), HET_VAL(1)));
		ok(het_map(y, HET_WRITE, &at)); /* the host's alone */
		ok(het_unmap(y));
		ok(het_copy(het_view(y, het_whole()), het_view(x, het_whole())));
		ok(het_launch(add, card, het_grid(1, N), HET_OUT(z), HET_IN(y), HET_VAL(100)));
		assert_counts(z, 100 + round, 0);
	}
	close_card(system);
}
END_TEST

/* Of 4 GiB with a pattern of one byte nothing is filled, although the command succeeds. */
START_TEST(large_fills_are_cut)
{
	het_system *system = open_card();
	het_array *x = zero_array(system, N);
	const int seven = 7;

	het__cl_fill_most = N * sizeof(int) / 4 + 16;
	ok(het_prefetch(het_view(x, het_whole()), first_device(system)));
	ok(het_launch(common_kernel(system, "bump"), first_device(system), het_grid(1, N), HET_INOUT(x),
		      HET_VAL(1)));
	ok(het_fill(het_view(x, het_rows(1, N)), &seven));
	ok(het_wait(x));
	ck_assert_int_eq(control("count clEnqueueFillBuffer"), 4);
	ck_assert_int_eq(element(x, 0), 1);
	ok(het_fill(het_view(x, het_rows(0, 1)), &seven));
	assert_counts(x, 7, 0);
	close_card(system);
}
END_TEST

/* It pins what buffers lie over, and copies are then seven times faster: from the second whole copy on here. */
START_TEST(arrays_that_move_are_pinned)
{
	setenv("HETERO_ROUTE", "staged", 1);
	het_system *system = open_card();
	het_device *card = first_device(system);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *x = zero_array(system, N), *wrapped;
	static int memory[N];
	long buffers;
	int *at;

	het__pin_from_bytes = 2 * N * sizeof(int);
	ok(het_array_wrap(system, HET_INT, het_shape(1, N), memory, &wrapped));
	ok(het_launch(bump, card, het_grid(1, N), HET_INOUT(x), HET_VAL(1)));
	ok(het_launch(bump, card, het_grid(1, N), HET_INOUT(wrapped), HET_VAL(1)));
	ok(het_wait_all(system));
	ck_assert_uint_eq(system->pinned_bytes, 0);
	buffers = control("alive cl_mem");
	for (int round = 1; round <= ROUNDS; round++) {
		assert_counts(x, round, 0);
		ck_assert_uint_eq(system->pinned_bytes, N * sizeof(int));
		ok(het_launch(bump, card, het_grid(1, N), HET_INOUT(x), HET_VAL(1)));
		ok(het_map(wrapped, HET_READ_WRITE, &at));
		ok(het_unmap(wrapped));
		ok(het_launch(bump, card, het_grid(1, N), HET_INOUT(wrapped), HET_VAL(1)));
	}
	ck_assert_int_eq(control("alive cl_mem"), buffers + 1); /* not a caller's memory */
	ok(het_array_free(x));
	ck_assert_uint_eq(system->pinned_bytes, 0);
	ok(het_array_free(wrapped));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(memory[i], ROUNDS + 1);
	close_card(system);
}
END_TEST

static void bump_many(het_system *system, het_kernel *bump, het_array *array, int times)
{
	for (int i = 0; i < times; i++)
		ok(het_launch(bump, first_device(system), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
}

/* An event takes as long as a third of a launch: there is one for sixteen, and one where somebody waits. */
START_TEST(launches_share_events)
{
	enum { MANY = 2 * (HET__QUIET_MOST + 1) + 3 };
	het_system *system = open_card();
	het_kernel *bump = common_kernel(system, "bump");
	het_array *x = counting_array(system, N);
	long events, markers;

	bump_many(system, bump, x, 1);
	ok(het_wait_all(system));
	events = control("alive cl_event");
	markers = control("count clEnqueueMarkerWithWaitList");
	bump_many(system, bump, x, MANY);
	ck_assert_int_eq(control("alive cl_event"), events + 2);
	ck_assert_int_eq(control("count clEnqueueMarkerWithWaitList"), markers);
	ok(het_wait_all(system));
	ck_assert_int_eq(control("count clEnqueueMarkerWithWaitList"), markers + 1);
	bump_many(system, bump, x, HET__QUIET_MOST + 1); /* the last one has its own event, */
	ok(het_wait_all(system));
	bump_many(system, bump, x, 1); /* and this one that of what reads it */
	assert_counts(x, MANY + HET__QUIET_MOST + 3, 1);
	ck_assert_int_eq(control("count clEnqueueMarkerWithWaitList"), markers + 1);
	close_card(system);
}
END_TEST

/* Who waits for one of many would wait for those behind it too: after that they have events, for a while. */
START_TEST(what_is_waited_for_alone_gets_an_event)
{
	enum { BEHIND = 5, LOUD = 64 };
	het_system *system = open_card();
	het_kernel *bump = common_kernel(system, "bump");
	het_array *x = counting_array(system, N), *y = counting_array(system, N);
	long events;

	for (int round = 1; round <= 2; round++) {
		bump_many(system, bump, x, 1);
		bump_many(system, bump, y, BEHIND);
		ok(het_wait(x));
		ok(het_wait_all(system));
		events = control("alive cl_event");
		bump_many(system, bump, y, LOUD * round);
		ck_assert_int_eq(control("alive cl_event"), events + LOUD * round);
		bump_many(system, bump, y, 1);
		ck_assert_int_eq(control("alive cl_event"), events + LOUD * round);
	}
	assert_counts(x, 2, 1);
	assert_counts(y, 2 * BEHIND + 3 * LOUD + 2, 1);
	close_card(system);
}
END_TEST

/* Kernels that are timed have events each. */
START_TEST(what_is_timed_has_events)
{
	enum { TIMES = 5 };
	struct het_options options = HET_OPTIONS_INIT;
	struct het_kernel_times times = HET_KERNEL_TIMES_INIT;
	het_system *system;
	het_kernel *bump;
	het_array *x;

	ck_assert(het_test_fake_driver("early-card"));
	options.profile = 1;
	ok(het_open(&options, &system));
	bump = common_kernel(system, "bump");
	x = counting_array(system, N);
	bump_many(system, bump, x, TIMES);
	assert_counts(x, TIMES, 1);
	ck_assert_int_eq(control("count clEnqueueMarkerWithWaitList"), 0);
	ok(het_kernel_times(bump, first_device(system), &times));
	ck_assert_uint_eq(times.launches, TIMES);
	close_card(system);
}
END_TEST

/* A launch that waits for a copy in the other queue may take long: what came before it has a marker. */
START_TEST(what_waits_for_others_tells_of_nobody)
{
	setenv("HETERO_QUEUES", "2", 1);
	het_system *system = open_card();
	het_kernel *bump = common_kernel(system, "bump");
	het_array *x = counting_array(system, N), *y = counting_array(system, N);

	bump_many(system, bump, x, 1); /* waits for x to be there */
	bump_many(system, bump, x, 1);
	ck_assert_int_eq(control("count clEnqueueMarkerWithWaitList"), 0);
	bump_many(system, bump, y, 1);
	ck_assert_int_eq(control("count clEnqueueMarkerWithWaitList"), 1);
	bump_many(system, bump, y, 1);
	ck_assert_int_eq(control("count clEnqueueMarkerWithWaitList"), 1);
	assert_counts(x, 2, 1);
	assert_counts(y, 2, 1);
	close_card(system);
}
END_TEST

static struct {
	sem_t enqueued;
	cl_event gate;
} native;

static het_status enqueue_behind_a_gate(void *user, const struct het_native_info *info)
{
	(void)user;
	native.gate = clCreateUserEvent(info->context, NULL);
	ck_assert_int_eq(clEnqueueBarrierWithWaitList(info->queue, 1, &native.gate, NULL), CL_SUCCESS);
	sem_post(&native.enqueued);
	return HET_OK;
}

/* What a user's function puts into the queue may take for ever: nothing before it is told of only behind it. */
START_TEST(native_functions_tell_of_nobody)
{
	het_system *system = open_card();
	het_device *card = first_device(system);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *x = counting_array(system, N), *y = counting_array(system, N);

	ok(het_prefetch(het_view(y, het_whole()), card));
	bump_many(system, bump, x, 1);
	ck_assert_int_eq(sem_init(&native.enqueued, 0, 0), 0);
	ok(het_native(card, enqueue_behind_a_gate, NULL, HET_INOUT(y)));
	sem_wait(&native.enqueued);
	ok(het_wait(x));
	ck_assert_int_eq(clSetUserEventStatus(native.gate, CL_COMPLETE), CL_SUCCESS);
	ok(het_wait_all(system));
	clReleaseEvent(native.gate);
	bump_many(system, bump, y, 1);
	assert_counts(y, 1, 1);
	close_card(system);
}
END_TEST

/* Where the driver has no room for a marker now it may have later; where it never has, what nobody tells of has
 * failed. */
START_TEST(markers_are_tried_again)
{
	het_system *system = open_card();
	het_kernel *bump = common_kernel(system, "bump");
	het_array *x = counting_array(system, N), *y = counting_array(system, N);
	void *at;

	bump_many(system, bump, y, HET__QUIET_MOST + 1);
	bump_many(system, bump, x, 1);
	ck_assert_int_eq(control("fail clEnqueueMarkerWithWaitList 1 -5"), 0);
	ck_assert_int_eq(control("fail clFinish 1 -5"), 0);
	ok(het_wait(x));
	assert_counts(x, 1, 1);
	bump_many(system, bump, y, HET__QUIET_MOST + 1);
	bump_many(system, bump, x, 1);
	for (int i = 1; i <= 3; i++)
		ck_assert_int_eq(control("fail clEnqueueMarkerWithWaitList %d -5", i), 0);
	ck_assert_int_eq(control("fail clFinish 1 -5"), 0);
	fails(het_wait(x), HET_ERR_LOST, "clEnqueueMarkerWithWaitList");
	fails(het_map(x, HET_READ, &at), HET_ERR_LOST, "clEnqueueMarkerWithWaitList");
	assert_counts(y, 2 * (HET__QUIET_MOST + 1), 1);
	close_card(system);
}
END_TEST

/* Which of them failed the driver does not tell: all have, and the message says so. */
START_TEST(launches_that_share_an_event_fail_together)
{
	het_system *system = open_card();
	het_kernel *bump = common_kernel(system, "bump");
	het_array *x = counting_array(system, N), *y = counting_array(system, N);
	het_array *z = counting_array(system, N);
	void *at;

	ok(het_prefetch(het_view(x, het_whole()), first_device(system)));
	ok(het_prefetch(het_view(y, het_whole()), first_device(system)));
	ok(het_wait_all(system));
	ck_assert_int_eq(control("successors die"), 0);
	ck_assert_int_eq(control("fail ndrange 2 -5"), 0);
	bump_many(system, bump, x, 1);
	bump_many(system, bump, y, 2);
	fails(het_map(x, HET_READ, &at), HET_ERR_LOST, "kernel bump", "on nvidia:gpu0",
	      "or one of the 3 behind it", "CL_OUT_OF_RESOURCES");
	fails(het_map(y, HET_READ, &at), HET_ERR_LOST, "kernel bump", "or one of the 3 behind it");
	assert_counts(z, 0, 1);
	close_card(system);
}
END_TEST

/* As much as may be, less what staging may want (16 MiB), and an eighth of the card's 64; not where it is
 * refused; nothing where nothing may be. */
static const struct {
	const char *most_mib;
	int arrays, refused; /* the number of one whose second buffer is, after the card's */
	size_t pinned_mib;
} limits[] = {{"1024", 3, -1, 6}, {"20", 3, -1, 3}, {"18", 3, -1, 0}, {"2", 3, -1, 0}, {"1024", 2, 1, 3}};
enum { LIMITS = sizeof limits / sizeof limits[0] };

START_TEST(pinned_memory_is_limited)
{
	enum { LARGE = (3 << 20) / (int)sizeof(int) };
	het_array *array[3];
	het_system *system;

	het__pin_from_bytes = 1;
	setenv("HETERO_ROUTE", "staged", 1);
	setenv("HETERO_STAGING_MIB", limits[_i].most_mib, 1);
	system = open_card();
	for (int i = 0; i < limits[_i].arrays; i++) {
		array[i] = zero_array(system, LARGE);
		if (i == limits[_i].refused)
			ck_assert_int_eq(control("fail clCreateBuffer 2 -5"), 0);
		ok(het_launch(common_kernel(system, "bump"), first_device(system), het_grid(1, LARGE),
			      HET_INOUT(array[i]), HET_VAL(i)));
		ok(het_wait_all(system));
	}
	ck_assert_uint_eq(system->pinned_bytes, limits[_i].pinned_mib << 20);
	for (int i = 0; i < limits[_i].arrays; i++)
		assert_counts(array[i], i, 0);
	close_card(system);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		small_writes_take_their_bytes_at_once,
		what_comes_back_is_sent_when_it_is_there,
		large_fills_are_cut,
		arrays_that_move_are_pinned,
		launches_share_events,
		what_is_waited_for_alone_gets_an_event,
		what_is_timed_has_events,
		what_waits_for_others_tells_of_nobody,
		native_functions_tell_of_nobody,
		markers_are_tried_again,
		launches_that_share_an_event_fail_together,
	};
	const int failed = run_fake_tests("nvidia", (int)(sizeof tests / sizeof tests[0]), tests);

	return failed | run_fake_loop("limits", pinned_memory_is_limited, LIMITS, 30);
}
