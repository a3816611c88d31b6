/* test_waiting_functions.c - calls that wait for what lies behind users' functions, as long as these end; one
 * that does not end may be waiting for them.
 */
#include "stopped.h"

#include <time.h>

#include "task/task.h"

#define PATIENCE_NS 200000000

static het_status take_a_while(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	nanosleep(&(struct timespec){.tv_nsec = 20 * 1000}, NULL);
	return HET_OK;
}

/* A launch and a function that looks at its result. */
static void add_frames(het_array *array, int frames)
{
	for (int i = 0; i < frames; i++) {
		ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
		ok(het_call(sys, take_a_while, NULL, HET_IN(array)));
	}
}

/* Frames are made faster than functions look at them: they do not pile up. */
START_TEST(test_frames_wait_for_functions)
{
	enum { FRAMES = HET__BEHIND_MOST };
	het_array *array;

	open_three(_i);
	array = zero_array(sys, N);
	for (int i = 0; i < FRAMES; i++) {
		add_frames(array, 1);
		ck_assert_uint_le(stats_of(sys).unfinished, HET__BEHIND_MOST + 2);
	}
	assert_counts(array, FRAMES, 0);
	close_three();
}
END_TEST

/* A function waits for the caller, who makes more tasks behind it than there may be: he waits a little, once,
 * and goes on. */
START_TEST(test_function_that_waits_is_not_waited_for)
{
	enum { TASKS = HET__BEHIND_MOST + HET__BEHIND_MOST / 4 };
	atomic_bool word = false;
	het_array *array;

	open_patiently(_i, PATIENCE_NS);
	array = zero_array(sys, N);
	ok(het_call(sys, wait_for_word, &word, HET_INOUT(array)));
	for (int i = 0; i < TASKS; i++)
		ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ck_assert_uint_gt(stats_of(sys).unfinished, TASKS);
	ck_assert(has_heard("a function of the program's has run for"));
	atomic_store(&word, true);
	assert_counts(array, TASKS, 0);
	pthread_mutex_lock(&sys->lock);
	sys->patience_ns = 0;
	pthread_mutex_unlock(&sys->lock);
	add_frames(array, HET__BEHIND_MOST);
	ck_assert_uint_le(stats_of(sys).unfinished, HET__BEHIND_MOST + 2);
	assert_counts(array, TASKS + HET__BEHIND_MOST, 0);
	close_three();
}
END_TEST

/* A function cannot begin, for a device has stopped: others go on all the same. */
START_TEST(test_function_that_cannot_begin_is_not_waited_for)
{
	enum { TASKS = HET__BEHIND_MOST + HET__BEHIND_MOST / 4 };
	het_array *array, *free_array;

	open_patiently(_i, PATIENCE_NS);
	array = zero_array(sys, N);
	free_array = zero_array(sys, N);
	stop();
	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_call(sys, take_a_while, NULL, HET_INOUT(array)));
	for (int i = 0; i < TASKS; i++)
		ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(free_array), HET_VAL(1)));
	ck_assert(has_heard("a function of the program's has waited for"));
	assert_counts(free_array, 1, 0);
	go();
	assert_counts(array, TASKS + 1, 0);
	close_three();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_function_that_cannot_begin_is_not_waited_for,
				      test_frames_wait_for_functions,
				      test_function_that_waits_is_not_waited_for};

	return run_stopped("waiting functions", tests, (int)(sizeof tests / sizeof tests[0]));
}
