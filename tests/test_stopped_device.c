/* test_stopped_device.c - a device that stops answering, on a fake machine: whatever does not need it goes
 * on, also in other threads; whatever needs it waits, and is right when the device answers again.
 */
#include "face.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "stopped.h"
#include "task/task.h"

enum { ROUNDS = 20 };

/* Everything a program does, on the devices that answer. `settled` has copies elsewhere than on the stuck
 * one. */
static void work_elsewhere(het_array *settled, int round)
{
	het_array *a = counting_array(sys, N), *b = zero_array(sys, N), *c = zero_array(sys, N);
	int values[N];

	ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(a), HET_VAL(round)));
	ok(het_launch(add, other, het_grid(1, N), HET_OUT(b), HET_IN(a), HET_VAL(10)));
	ok(het_launch(add, other, het_grid(1, N), HET_OUT(c), HET_IN(settled), HET_VAL(100)));
	assert_counts(b, round + 10, 1);
	assert_counts(c, 101, 1);
	assert_counts(settled, 1, 1);
	ok(het_copy(het_view(c, het_rows(0, 10)), het_view(b, het_rows(10, 20))));
	ok(het_read(het_view(c, het_rows(0, 10)), values));
	ck_assert_int_eq(values[9], round + 10 + 19);
	ok(het_swap(a, b));
	ok(het_wait(a));
	ok(het_array_free(a));
	ok(het_array_free(b));
	ok(het_array_free(c));
}

/* 1, 2, 3..., made by the device in the middle and brought home. */
static het_array *settled_array(void)
{
	het_array *array = counting_array(sys, N);

	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 1, 1);
	return array;
}

struct reader {
	het_array *array;
	atomic_bool done;
	het_status status;
	int values[N];
};

static void *read_it(void *argument)
{
	struct reader *r = argument;

	r->status = het_read(het_view(r->array, het_whole()), r->values);
	atomic_store(&r->done, true);
	return NULL;
}

START_TEST(test_others_go_on)
{
	struct reader reader = {.done = false};
	het_array *settled, *stale, *derived;
	pthread_t thread;

	open_three(_i);
	settled = settled_array();
	stale = counting_array(sys, N);
	derived = zero_array(sys, N);
	stop();
	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(stale), HET_VAL(5)));
	ok(het_launch(add, other, het_grid(1, N), HET_OUT(derived), HET_IN(stale), HET_VAL(10)));
	reader.array = derived;
	ck_assert_int_eq(pthread_create(&thread, NULL, read_it, &reader), 0);
	for (int round = 0; round < ROUNDS; round++)
		work_elsewhere(settled, round);
	ck_assert(!atomic_load(&reader.done));
	ck_assert_uint_ge(stats_of(sys).unfinished, 2);
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(reader.status, HET_OK);
	ck_assert_int_eq(reader.values[N - 1], N - 1 + 15);
	assert_counts(stale, 5, 1);
	ok(het_wait_all(sys));
	close_three();
}
END_TEST

/* A box that the stuck device is not about stays readable in an array of which it writes another one. */
START_TEST(test_other_boxes)
{
	het_array *array;
	int values[N];

	open_three(_i);
	array = settled_array();
	stop();
	ok(het_launch(bump, stuck, het_range(1, 0, 8), HET_INOUT_PART(array, het_rows(0, 8)), HET_VAL(5)));
	ok(het_launch(bump, other, het_range(1, 32, 64), HET_INOUT_PART(array, het_rows(32, 64)), HET_VAL(9)));
	ok(het_read(het_view(array, het_rows(8, 64)), values));
	ck_assert_int_eq(values[0], 9);
	ck_assert_int_eq(values[63 - 8], 64 + 9);
	go();
	ok(het_read(het_view(array, het_rows(0, 8)), values));
	ck_assert_int_eq(values[7], 8 + 5);
	close_three();
}
END_TEST

static void *close_it(void *argument)
{
	struct reader *r = argument;

	r->status = het_close(sys);
	atomic_store(&r->done, true);
	return NULL;
}

/* Closing waits: memory that the device may still write to cannot be given back. */
START_TEST(test_close_waits)
{
	static int memory[N];
	struct reader closer = {.done = false};
	het_array *wrapped;
	pthread_t thread;

	open_three(_i);
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), memory, &wrapped));
	stop();
	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(wrapped), HET_VAL(5)));
	ck_assert_int_eq(pthread_create(&thread, NULL, close_it, &closer), 0);
	while (atomic_load(&sys->magic) == HET__MAGIC_SYSTEM)
		sched_yield();
	for (int k = 0; k < 1000; k++)
		ck_assert(!atomic_load(&closer.done) && control("alive cl_context") > 0);
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(closer.status, HET_OK);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(memory[i], 5);
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

/* ---- the report --------------------------------------------------------------------------------- */

#define PATIENCE_NS 20000000

static void wait_for_words(const char *words)
{
	while (!has_heard(words)) /* the limit of the test bounds it */
		sched_yield();
}

/* Somebody waits for what another device is to do with values that never come: it is the stopped one that is to
 * blame, whether the other's task is held back or lies in its queue, waiting for an event. */
static void blame(het_device *slow, het_device *innocent, const char *stop_it, const char *let_go)
{
	struct reader reader = {.done = false};
	het_array *const stale = counting_array(sys, N), *const derived = zero_array(sys, N);
	char reported[96], wronged[96], again[96];
	pthread_t thread;

	snprintf(reported, sizeof reported, "[task] %s has not answered for ", slow->name);
	snprintf(wronged, sizeof wronged, "%s has not answered", innocent->name);
	snprintf(again, sizeof again, "[task] %s answers again", slow->name);
	ck_assert_int_eq(control("%s", stop_it), 0);
	ok(het_launch(bump, slow, het_grid(1, N), HET_INOUT(stale), HET_VAL(5)));
	ok(het_launch(bump, slow, het_grid(1, N), HET_INOUT(stale), HET_VAL(5)));
	ok(het_launch(add, innocent, het_grid(1, N), HET_OUT(derived), HET_IN(stale), HET_VAL(10)));
	ck_assert(!has_heard("has not answered"));
	reader.array = derived;
	ck_assert_int_eq(pthread_create(&thread, NULL, read_it, &reader), 0);
	wait_for_words(reported);
	ck_assert(has_heard("transfer of ") || has_heard("kernel bump"));
	ck_assert(!has_heard(wronged));
	ck_assert_int_eq(control("%s", let_go), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(reader.values[N - 1], N - 1 + 20);
	wait_for_words(again);
	close_three();
}

START_TEST(test_it_is_reported)
{
	open_patiently(_i, PATIENCE_NS);
	blame(stuck, other, "stop 1 1", "go 1");
}
END_TEST

START_TEST(test_who_waits_for_it_is_not_blamed)
{
	open_on("one-context", _i, PATIENCE_NS);
	blame(het_device(sys, 0), het_device(sys, 1), "stop 0 1", "go 0");
}
END_TEST

/* A launch without an event of its own has ended long ago, and nobody has asked: that is no device that does
 * not answer. The one that copies is. */
START_TEST(test_shared_events_raise_no_alarm)
{
	enum { MACHINE_US = 300 * 1000 }; /* a busy one stands still for less */
	het_array *x, *z;
	void *at;

	setenv("HETERO_QUEUES", "2", 1);
	open_on("early-card", _i, 0);
	x = counting_array(sys, N);
	z = counting_array(sys, N);
	ok(het_launch(bump, het_device(sys, 0), het_grid(1, N), HET_INOUT(x), HET_VAL(1)));
	ok(het_launch(bump, het_device(sys, 0), het_grid(1, N), HET_INOUT(z), HET_VAL(1)));
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("order fifo"), 0);
	for (int i = 0; i <= HET__QUIET_MOST; i++)
		ok(het_launch(bump, het_device(sys, 0), het_grid(1, N), HET_INOUT(z), HET_VAL(1)));
	ok(het_launch(bump, het_device(sys, 0), het_grid(1, N), HET_INOUT(x), HET_VAL(1)));
	ok(het_wait(z));
	ck_assert_int_eq(control("order late"), 0);
	ck_assert_int_eq(control("latency read %d", 5 * MACHINE_US), 0);
	sys->patience_ns = MACHINE_US * INT64_C(1000); /* not before */
	ok(het_map(z, HET_READ, &at));
	ck_assert(has_heard("has not answered"));
	ck_assert(!has_heard("kernel bump"));
	ok(het_unmap(z));
	assert_counts(x, 2, 1);
	close_three();
}
END_TEST

static void patience_of(const char *text, int64_t seconds)
{
	struct het_options options = HET_OPTIONS_INIT;

	options.log = keep_warnings;
	setenv("HETERO_PATIENCE", text, 1);
	ok(het_open(&options, &sys));
	ck_assert_int_eq(sys->patience_ns, seconds * 1000000000);
	ok(het_close(sys));
}

START_TEST(test_patience_can_be_set)
{
	ck_assert(het_test_fake_driver("three-platforms"));
	patience_of("", 30);
	patience_of("7", 7);
	patience_of("0", 0);
	ck_assert(!has_heard("HETERO_PATIENCE"));
	patience_of("9999999999999", 30);
	patience_of("soon", 30);
	ck_assert(has_heard("HETERO_PATIENCE is 'soon', which is no whole number of seconds to wait: "));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_others_go_on, test_other_boxes,
				      test_close_waits, test_it_is_reported,
				      test_who_waits_for_it_is_not_blamed,
				      test_shared_events_raise_no_alarm, test_patience_can_be_set};

	return run_stopped("stopped device", tests, (int)(sizeof tests / sizeof tests[0]));
}
