/* test_waiting_calls.c - calls that have to wait, while other threads and users' functions do away with what
 * they are about, or wait for them.
 */
#include "stopped.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "array/value.h"
#include "base/alloc.h"

static void wait_until_somebody_waits(void)
{
	wait_until_counted(&sys->waiting, 1);
}

struct launcher {
	het_kernel *kernel;
	het_device *device;
	struct het_view out;
	het_status status;
	char message[256];
};

static void *launch_it(void *argument)
{
	struct launcher *l = argument;

	l->status = het_launch(l->kernel, l->device, het_grid(1, 1), HET_INOUT(l->out), HET_VAL(1));
	snprintf(l->message, sizeof l->message, "%s", het_message());
	return NULL;
}

/* A kernel is freed while the launch waits: the launch is refused. */
static void free_meanwhile(struct launcher *launcher)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, launch_it, launcher), 0);
	wait_until_somebody_waits();
	ok(het_kernel_free(launcher->kernel));
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(launcher->status, HET_ERR_HANDLE);
	ck_assert_msg(strstr(launcher->message, "freed") != NULL, "%s", launcher->message);
}

/* Of a kernel that was never launched. */
static void free_a_kernel_that_waits(het_device *device, struct het_view out)
{
	struct launcher launcher = {.kernel = common_kernel(sys, "bump"), .device = device, .out = out};

	ok(het_kernel_build(launcher.kernel, device));
	free_meanwhile(&launcher);
}

/* `uncounted`: users' functions that were called before. */
static void fill_the_room(het_array *busy, unsigned uncounted)
{
	while (stats_of(sys).unfinished < HET__WINDOW + uncounted)
		ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(busy), HET_VAL(1)));
}

START_TEST(test_kernel_is_freed_while_there_is_no_room)
{
	het_array *busy, *other_array;

	open_three(_i);
	busy = zero_array(sys, N);
	other_array = counting_array(sys, N);
	stop();
	fill_the_room(busy, 0);
	free_a_kernel_that_waits(good, het_view(other_array, het_rows(0, 1)));
	assert_counts(other_array, 0, 1);
	close_three();
}
END_TEST

/* As many windows of one array as there can be are in use by a device that stands still. */
START_TEST(test_kernel_is_freed_while_there_is_no_window)
{
	het_array *array;

	open_three(_i);
	array = counting_array(sys, 2 * HET__STORES);
	stop();
	for (int i = 0; i < HET__STORES - 1; i++)
		ok(het_launch(bump, stuck, het_grid(1, 1), HET_INOUT(het_view(array, het_rows(i, i + 1))),
			      HET_VAL(0)));
	free_a_kernel_that_waits(stuck, het_view(array, het_rows(HET__STORES, HET__STORES + 1)));
	assert_counts(array, 0, 1);
	close_three();
}
END_TEST

/* A launch that waits for room ends the last launch of its kernel, which was freed meanwhile, itself. */
START_TEST(test_last_launch_of_a_freed_kernel_ends_in_a_wait)
{
	struct launcher launcher = {.status = HET_OK};
	het_array *busy;

	open_three(_i);
	busy = zero_array(sys, N);
	launcher.kernel = common_kernel(sys, "bump");
	launcher.device = stuck;
	launcher.out = het_view(busy, het_rows(0, 1));
	stop();
	ok(het_launch(launcher.kernel, stuck, het_grid(1, N), HET_INOUT(busy), HET_VAL(1)));
	fill_the_room(busy, 0);
	free_meanwhile(&launcher);
	close_three();
}
END_TEST

/* ---- spreads that look at their shares ------------------------------------------------------------ */

struct spreader {
	het_team *team;
	het_array *array;
	het_status status;
	char message[256];
};

static het_status spread(const struct spreader *s)
{
	return het_spread(bump, s->team, het_grid(1, N), HET_INOUT(HET_EACH(s->array)), HET_VAL(1));
}

static void *spread_it(void *argument)
{
	struct spreader *const s = argument;

	s->status = spread(s);
	snprintf(s->message, sizeof s->message, "%s", het_message());
	return NULL;
}

static struct spreader watchful_pair(void)
{
	het_device *const pair[] = {stuck, good};
	struct spreader s = {.array = zero_array(sys, N)};

	ok(het_team_new(sys, 2, pair, NULL, &s.team));
	ok(het_team_rebalance(s.team, 1));
	return s;
}

START_TEST(test_team_is_freed_while_its_launches_are_waited_for)
{
	struct spreader s;
	pthread_t thread;

	open_three(_i);
	s = watchful_pair();
	stop();
	ok(spread(&s));
	ok(spread(&s));
	ck_assert_int_eq(pthread_create(&thread, NULL, spread_it, &s), 0);
	wait_until_somebody_waits();
	ok(het_team_free(s.team));
	go();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(s.status, HET_ERR_HANDLE);
	ck_assert_msg(strstr(s.message, "the team is freed") != NULL, "%s", s.message);
	close_three();
}
END_TEST

/* ---- users' functions that wait for the caller ---------------------------------------------------- */

/* The caller waits for room while the function does away with what it is about. */
struct remover {
	het_status (*remove)(het_array *);
	het_array *array;
	het_status status;
};

static het_status remove_it(void *user, int count, const struct het_host_arg *args)
{
	struct remover *const r = user;

	(void)count;
	(void)args;
	wait_until_somebody_waits();
	r->status = r->remove(r->array);
	go();
	return HET_OK;
}

static const int zeros[N];

static het_status fill_it(het_array *array)
{
	return het_fill(het_view(array, het_whole()), zeros);
}

static het_status write_it(het_array *array)
{
	return het_write_async(het_view(array, het_whole()), zeros);
}

static void free_while_there_is_no_room(int order, het_status (*call)(het_array *), const char *name)
{
	struct remover remover = {.remove = het_array_free, .status = HET_ERR_DEVICE};
	het_array *busy;

	open_three(order);
	busy = zero_array(sys, N);
	remover.array = zero_array(sys, N);
	stop();
	ok(het_call(sys, remove_it, &remover, HET_IN(zero_array(sys, 1))));
	fill_the_room(busy, 1);
	fails(call(remover.array), HET_ERR_HANDLE, name, "freed");
	ok(het_wait_all(sys));
	ck_assert_int_eq(remover.status, HET_OK);
	close_three();
}

START_TEST(test_array_is_freed_while_there_is_no_room)
{
	free_while_there_is_no_room(_i, fill_it, "het_fill");
}
END_TEST

/* The call does not look at the array again: a memory checker would tell. */
START_TEST(test_array_is_freed_while_a_copy_has_no_room)
{
	free_while_there_is_no_room(_i, write_it, "het_write_async");
}
END_TEST

/* A device has stopped, and no more tasks can be begun: what begins none, or waits for its own, goes on. */
START_TEST(test_only_tasks_wait_for_room)
{
	struct het_array_info info = HET_ARRAY_INFO_INIT;
	int values[N], memory[N] = {0};
	het_array *busy, *array, *twin, *mapped, *made, *wrapped;
	int *at;

	open_three(_i);
	busy = zero_array(sys, N);
	array = counting_array(sys, N);
	twin = zero_array(sys, N);
	mapped = zero_array(sys, N);
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), memory, &wrapped));
	ok(het_map(mapped, HET_WRITE, &at));
	stop();
	fill_the_room(busy, 0);
	ok(het_unmap(mapped));
	ok(het_array_info(array, &info));
	ok(het_array_name(array, "other"));
	ck_assert_uint_eq(het_array_pitch(array, 0), sizeof(int));
	ok(het_swap(array, twin));
	ok(het_unmodified(het_view(array, het_whole())));
	ok(het_wait(array));
	ok(het_read(het_view(twin, het_whole()), values));
	ck_assert_int_eq(values[N - 1], N - 1);
	ok(het_write(het_view(array, het_whole()), values));
	ok(het_map_view(het_view(array, het_rows(1, 2)), HET_READ, &at));
	ck_assert_int_eq(*at, 1);
	ok(het_unmap_view(het_view(array, het_rows(1, 2))));
	ok(het_array_new(sys, HET_INT, het_shape(1, N), &made));
	ok(het_array_free(made));
	ok(het_array_free(wrapped));
	ok(het_array_discard(twin));
	ck_assert_uint_ge(stats_of(sys).unfinished, HET__WINDOW);
	go();
	ok(het_wait_all(sys));
	close_three();
}
END_TEST

/* Once `go_on` is true; sets `has_gone`. */
struct late_free {
	atomic_bool go_on, has_gone;
	het_array *array;
	het_status status;
};

static het_status free_without_memory(void *user, int count, const struct het_host_arg *args)
{
	struct late_free *const f = user;

	(void)wait_for_word(&f->go_on, 0, NULL);
	(void)count;
	(void)args;
	(void)het__alloc_fail_after(0, 1);
	f->status = het_array_free(f->array);
	(void)het__alloc_fail_after(-1, 0);
	atomic_store(&f->has_gone, true);
	return HET_OK;
}

/* A launch that reads the array waits for the function that frees it, and there is no memory to note that the
 * array goes with the launch, which notes what it writes. */
START_TEST(test_array_is_freed_without_memory)
{
	static const char two[] =
		"kernel void two(global int *y, global int *z, global const int *x, global const int *a)\n"
		"{ size_t i = get_global_id(0); y[i] = x[i] + a[i]; z[i] = a[i]; }\n";
	struct late_free late = {.status = HET_ERR_DEVICE};
	het_array *x, *y, *z;
	het_kernel *kernel;

	open_three(_i);
	kernel = text_kernel(sys, two, "two");
	x = zero_array(sys, N);
	y = zero_array(sys, N);
	z = zero_array(sys, N);
	late.array = counting_array(sys, N);
	ok(het_call(sys, free_without_memory, &late, HET_OUT(x)));
	ok(het_launch(kernel, good, het_grid(1, N), HET_OUT(y), HET_OUT(z), HET_IN(x), HET_IN(late.array)));
	atomic_store(&late.go_on, true);
	while (!atomic_load(&late.has_gone))
		sched_yield();
	ok(late.status);
	assert_counts(z, 0, 1);
	ok(het_wait_all(sys));
	ok(het_fill(het_view(x, het_whole()), &(int){0})); /* any call about an array */
	ck_assert_ptr_null(*het__values_left(sys));
	close_three();
}
END_TEST

START_TEST(test_spreads_behind_a_function_are_not_looked_at)
{
	atomic_bool word = false;
	struct spreader s;

	open_three(_i);
	s = watchful_pair();
	ok(het_call(sys, wait_for_word, &word, HET_INOUT(s.array)));
	for (int i = 0; i < 4; i++)
		ok(spread(&s));
	atomic_store(&word, true);
	assert_counts(s.array, 4, 0);
	close_three();
}
END_TEST

/* Of all windows the one that was used longest ago is behind the function: the next one gives way. */
START_TEST(test_window_behind_a_function_stays)
{
	atomic_bool word = false;
	het_array *array;

	open_three(_i);
	array = counting_array(sys, 2 * HET__STORES);
	ok(het_call(sys, wait_for_word, &word, HET_INOUT_PART(array, het_rows(0, 1))));
	for (int i = 0; i < HET__STORES + 1; i++)
		ok(het_launch(bump, other, het_grid(1, 1), HET_INOUT(het_view(array, het_rows(i, i + 1))),
			      HET_VAL(0)));
	atomic_store(&word, true);
	assert_counts(array, 0, 1);
	close_three();
}
END_TEST

/* Transfers behind the function have staging buffers of their own, where there is room for more and where not.
 */
static void pass_by(size_t buffers)
{
	enum { BEHIND = 10 };
	atomic_bool word = false;
	het_array *behind[BEHIND], *free_one;
	char mib[24];

	snprintf(mib, sizeof mib, "%zu", buffers * (HET__STAGING_BYTES >> 20));
	setenv("HETERO_STAGING_MIB", mib, 1); /* before any is in use */
	setenv("HETERO_ROUTE", "pinned", 1);
	open_three(0);
	free_one = counting_array(sys, N);
	for (int i = 0; i < BEHIND; i++) {
		behind[i] = counting_array(sys, N);
		ok(het_call(sys, wait_for_word, &word, HET_INOUT(behind[i])));
		ok(het_prefetch(het_view(behind[i], het_whole()), other));
	}
	ok(het_launch(bump, other, het_grid(1, N), HET_INOUT(free_one), HET_VAL(3)));
	assert_counts(free_one, 3, 1);
	ck_assert_uint_le(stats_of(sys).staging_bytes, (buffers + 1) * HET__STAGING_BYTES);
	ck_assert_uint_gt(stats_of(sys).staging_bytes, 0);
	atomic_store(&word, true);
	for (int i = 0; i < BEHIND; i++)
		assert_counts(behind[i], 0, 1);
	close_three();
}

START_TEST(test_staging_beside_a_function)
{
	const size_t buffers[] = {1, 3, 16};

	pass_by(buffers[_i]);
}
END_TEST

/* Where all are behind it, or in use and a callback is asking, that is said, and nothing is lost. */
START_TEST(test_no_window_may_go)
{
	atomic_bool word = false;
	het_array *array;

	open_three(_i);
	array = counting_array(sys, 2 * HET__STORES);
	ok(het_call(sys, wait_for_word, &word, HET_INOUT_PART(array, het_rows(0, HET__STORES))));
	for (int i = 0; i < HET__STORES - 1; i++)
		ok(het_launch(bump, other, het_grid(1, 1), HET_INOUT(het_view(array, het_rows(i, i + 1))),
			      HET_VAL(0)));
	fails(het_launch(bump, other, het_grid(1, 1),
			 HET_INOUT(het_view(array, het_rows(HET__STORES, HET__STORES + 1))), HET_VAL(0)),
	      HET_ERR_MEMORY, "argument 0", "windows wait for a user's function");
	atomic_store(&word, true);
	ok(het_wait_all(sys));
	het__callback_begin();
	fails(het_launch(bump, other, het_grid(1, 1),
			 HET_INOUT(het_view(array, het_rows(HET__STORES, HET__STORES + 1))), HET_VAL(0)),
	      HET_ERR_CONTEXT, "argument 0", "a callback may not wait");
	het__callback_end();
	assert_counts(array, 0, 1);
	close_three();
}
END_TEST

struct mapper {
	het_array *array;
	int *at;
	het_status status;
};

static void *map_it(void *argument)
{
	struct mapper *const m = argument;

	m->status = het_map(m->array, HET_READ_WRITE, &m->at);
	return NULL;
}

/* A map whose data are on their way is nobody's yet: there is none that could be ended. */
START_TEST(test_map_under_way_is_not_unmapped)
{
	atomic_bool word = false;
	struct mapper m = {.status = HET_ERR_DEVICE};
	pthread_t thread;

	open_three(_i);
	m.array = zero_array(sys, N);
	ok(het_call(sys, wait_for_word, &word, HET_INOUT(m.array)));
	ck_assert_int_eq(pthread_create(&thread, NULL, map_it, &m), 0);
	wait_until_somebody_waits();
	fails(het_unmap(m.array), HET_ERR_MAPPED, "het_unmap", "is not mapped");
	atomic_store(&word, true);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(m.status, HET_OK);
	ok(het_unmap(m.array));
	fails(het_unmap(m.array), HET_ERR_MAPPED, "het_unmap", "is not mapped");
	close_three();
}
END_TEST

/* ---- waits behind many tasks ----------------------------------------------------------------------- */

static void *wait_for_it(void *array)
{
	return het_wait(array) ? array : NULL;
}

static void *wait_for_all(void *array)
{
	return het_wait_all(sys) ? array : NULL;
}

/* The device stops at the 18th of 20 launches. A thread that waits for them, or for all with a copy behind them
 * (`copied` is not NULL), ends the others. */
static void end_all_but_the_last(int order, int *copied)
{
	const uint64_t left = copied ? 4 : 3;
	pthread_t thread;
	het_array *array;
	int values[N];
	void *failed;

	open_three(order);
	array = zero_array(sys, N);
	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait(array));
	ck_assert_int_eq(control("stop 1 18"), 0);
	for (int i = 0; i < 20; i++)
		ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	if (copied)
		ok(het_read_async(het_view(array, het_whole()), copied));
	ck_assert_int_eq(pthread_create(&thread, NULL, copied ? wait_for_all : wait_for_it, array), 0);
	for (int ms = 0; ms < 3000 && stats_of(sys).unfinished > left; ms++)
		nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
	ck_assert_uint_eq(stats_of(sys).unfinished, left);
	go();
	ck_assert_int_eq(pthread_join(thread, &failed), 0);
	ck_assert_ptr_null(failed);
	ok(het_read(het_view(array, het_whole()), values));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(values[i], 21);
	close_three();
}

/* A wait ends tasks while the device runs the last ones: those before the one that it stops at. */
START_TEST(test_tasks_end_while_the_last_are_waited_for)
{
	end_all_but_the_last(_i, NULL);
}
END_TEST

/* A copy, which may be of a few bytes, is none of them: the last three launches are. */
START_TEST(test_copy_is_none_of_the_last)
{
	int copied[N] = {0};

	end_all_but_the_last(_i, copied);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(copied[i], 21);
}
END_TEST

static void bump_often(het_device *device, het_array *array, int times)
{
	for (int i = 0; i < times; i++)
		ok(het_launch(bump, device, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
}

/* Two devices stand still when a thread begins to wait for 400 launches of one. Then the other makes its 200,
 * and that one stops again at the 350th: most of those before end by then, and not only when all but three
 * have run, and so do the other's. */
START_TEST(test_most_end_long_before_the_last)
{
	const int first_in_first_out = 1; /* what nobody waits for is run, too */
	pthread_t thread;
	het_array *many, *beside;
	void *failed;
	long run;

	open_three(first_in_first_out);
	many = zero_array(sys, N);
	beside = zero_array(sys, N);
	bump_often(stuck, many, 1);
	bump_often(good, beside, 1);
	ok(het_wait_all(sys));
	run = control("count ndrange");
	stop();
	ck_assert_int_eq(control("stop 0 1"), 0);
	bump_often(good, beside, 200);
	bump_often(stuck, many, 400);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_it, many), 0);
	wait_until_somebody_waits();
	ck_assert_int_eq(control("go 0"), 0);
	while (control("count ndrange") < run + 200)
		sched_yield();
	ck_assert_int_eq(control("stop 1 350"), 0);
	for (int ms = 0; ms < 3000 && stats_of(sys).unfinished > 2 * HET__MILESTONE; ms++)
		nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
	ck_assert_uint_le(stats_of(sys).unfinished, 2 * HET__MILESTONE);
	ck_assert_uint_ge(stats_of(sys).unfinished, 51);
	go();
	ck_assert_int_eq(pthread_join(thread, &failed), 0);
	ck_assert_ptr_null(failed);
	assert_counts(many, 401, 0);
	assert_counts(beside, 201, 0);
	close_three();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_kernel_is_freed_while_there_is_no_room,
				      test_kernel_is_freed_while_there_is_no_window,
				      test_last_launch_of_a_freed_kernel_ends_in_a_wait,
				      test_team_is_freed_while_its_launches_are_waited_for,
				      test_spreads_behind_a_function_are_not_looked_at,
				      test_array_is_freed_while_there_is_no_room,
				      test_array_is_freed_while_a_copy_has_no_room,
				      test_only_tasks_wait_for_room,
				      test_array_is_freed_without_memory,
				      test_window_behind_a_function_stays, test_staging_beside_a_function,
				      test_no_window_may_go,
				      test_map_under_way_is_not_unmapped,
				      test_tasks_end_while_the_last_are_waited_for,
				      test_copy_is_none_of_the_last,
				      test_most_end_long_before_the_last};

	return run_stopped("waiting calls", tests, (int)(sizeof tests / sizeof tests[0]));
}
