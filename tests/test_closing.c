/* test_closing.c - het_close while other threads are in the middle of calls, callbacks go on making tasks, or
 * another thread closes, too.
 */
#include "stopped.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "kernel/kernel.h"

/* A call on a thread of its own. */
struct call {
	pthread_t thread;
	het_status (*run)(struct call *call);
	het_kernel *kernel;
	het_array *array;
	het_status status;
	char message[256];
};

static void *call_it(void *argument)
{
	struct call *const c = argument;

	c->status = c->run(c);
	snprintf(c->message, sizeof c->message, "%s", het_message());
	return NULL;
}

static void begin(struct call *c)
{
	ck_assert_int_eq(pthread_create(&c->thread, NULL, call_it, c), 0);
}

static void end(struct call *c)
{
	ck_assert_int_eq(pthread_join(c->thread, NULL), 0);
}

static het_status close_it(struct call *c)
{
	(void)c;
	return het_close(sys);
}

static het_status build(struct call *c)
{
	return het_kernel_build(c->kernel, good);
}

static het_status launch_it(struct call *c)
{
	return het_launch(c->kernel, good, het_grid(1, N), HET_INOUT(c->array), HET_VAL(1));
}

static het_status give_back(struct call *c)
{
	return het_array_free(c->array);
}

static het_status discard(struct call *c)
{
	return het_array_discard(c->array);
}

static het_status wait_for_it(struct call *c)
{
	return het_wait(c->array);
}

/* A thread closes; returned when it has begun to. */
static struct call *begin_closing(void)
{
	static struct call closer;

	closer = (struct call){.run = close_it, .status = HET_ERR_DEVICE};
	begin(&closer);
	while (atomic_load(&sys->magic) == HET__MAGIC_SYSTEM)
		sched_yield();
	return &closer;
}

/* While the system is being closed: nothing that begins now is let in. */
static void nobody_gets_in(het_array *array)
{
	const int one = 1;

	fails(het_close(sys), HET_ERR_HANDLE, "het_close", "being closed");
	fails(het_fill(het_view(array, het_whole()), &one), HET_ERR_HANDLE, "het_fill", "being closed");
	fails(het_wait_all(sys), HET_ERR_HANDLE, "het_wait_all", "being closed");
}

static void ends_well(struct call *closer)
{
	end(closer);
	ck_assert_msg(closer->status == HET_OK, "%s", closer->message);
	ck_assert_int_eq(control("alive all"), 0);
}

/* The caller's memory waits for a function; `run` waits for that, and then the system is closed. */
static void close_behind(int order, het_status (*run)(struct call *call), int expected)
{
	int memory[N] = {0};
	atomic_bool word = false;
	struct call waiter = {.run = run, .status = HET_ERR_DEVICE}, *closer;
	het_array *plain;

	open_three(order);
	plain = zero_array(sys, N);
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), memory, &waiter.array));
	ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(waiter.array), HET_VAL(1)));
	ok(het_call(sys, wait_for_word, &word, HET_INOUT(waiter.array)));
	begin(&waiter);
	wait_until_counted(&sys->waiting, 1);
	closer = begin_closing();
	nobody_gets_in(plain);
	atomic_store(&word, true);
	end(&waiter);
	ck_assert_msg(waiter.status == HET_OK, "%s", waiter.message);
	ends_well(closer);
	for (int i = 0; i < N && expected >= 0; i++)
		ck_assert_int_eq(memory[i], expected);
}

START_TEST(test_close_waits_for_het_wait)
{
	close_behind(_i, wait_for_it, 1);
}
END_TEST

START_TEST(test_close_waits_for_an_array_being_freed)
{
	close_behind(_i, give_back, 1);
}
END_TEST

/* Whether the kernel's result was in the caller's memory before is not said. */
START_TEST(test_close_waits_for_an_array_being_discarded)
{
	close_behind(_i, discard, -1);
}
END_TEST

/* That the test holds the build lock stands for a compiler that takes long. */
static void close_while_building(int order, het_status (*run)(struct call *call), het_status wanted)
{
	struct call builder = {.run = run, .status = HET_ERR_DEVICE}, *closer;

	open_three(order);
	builder.kernel = common_kernel(sys, "bump");
	builder.array = zero_array(sys, N);
	pthread_mutex_lock(&builder.kernel->build_lock);
	begin(&builder);
	wait_until_counted(&sys->holding, 2);
	closer = begin_closing();
	nobody_gets_in(builder.array);
	pthread_mutex_unlock(&builder.kernel->build_lock);
	end(&builder);
	ck_assert_int_eq(builder.status, wanted);
	ck_assert_msg(!wanted || strstr(builder.message, "being closed") != NULL, "%s", builder.message);
	ends_well(closer);
}

START_TEST(test_close_waits_for_a_build)
{
	close_while_building(_i, build, HET_OK);
}
END_TEST

START_TEST(test_close_waits_for_a_launch_that_builds)
{
	close_while_building(_i, launch_it, HET_ERR_HANDLE);
}
END_TEST

/* A device that another thread is opening. */
START_TEST(test_close_waits_for_a_device_that_opens)
{
	struct call opener = {.run = build, .status = HET_OK}, *closer;

	open_on("three-platforms", _i, 0);
	good = het_device(sys, 0);
	opener.kernel = bump;
	pthread_mutex_lock(&sys->open_lock);
	begin(&opener);
	wait_until_counted(&sys->holding, 2);
	closer = begin_closing();
	pthread_mutex_unlock(&sys->open_lock);
	end(&opener);
	ck_assert_int_eq(opener.status, HET_ERR_HANDLE);
	ck_assert_msg(strstr(opener.message, "being closed") != NULL, "%s", opener.message);
	ends_well(closer);
}
END_TEST

/* What a function that runs meanwhile does. */
struct late_work {
	atomic_bool word;
	het_array *wrapped, *temporary;
	het_status launched, freed, waited;
	bool found; /* the devices */
};

static het_status work_late(void *user, int count, const struct het_host_arg *args)
{
	struct late_work *const w = user;

	(void)count;
	(void)args;
	(void)wait_for_word(&w->word, 0, NULL);
	w->found = het_device_count(sys) == 3 && het_device_named(sys, good->name) == good &&
		   het_device(sys, good->index) == good;
	w->launched = het_launch(bump, good, het_grid(1, N), HET_INOUT(w->wrapped), HET_VAL(1));
	w->freed = het_array_free(w->temporary);
	w->waited = het_wait_all(sys);
	return HET_OK;
}

/* "Waits for everything": that is also what callbacks begin until then. */
START_TEST(test_callbacks_go_on)
{
	int memory[N] = {0};
	struct late_work w = {.launched = HET_ERR_DEVICE};
	struct call *closer;

	open_three(_i);
	w.temporary = zero_array(sys, N);
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), memory, &w.wrapped));
	ok(het_call(sys, work_late, &w, HET_VAL(0)));
	closer = begin_closing();
	atomic_store(&w.word, true);
	ends_well(closer);
	ck_assert(w.found);
	ck_assert_int_eq(w.launched, HET_OK);
	ck_assert_int_eq(w.freed, HET_OK);
	ck_assert_int_eq(w.waited, HET_ERR_CONTEXT);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(memory[i], 1);
}
END_TEST

/* A log function that takes its time, in a call that has done all else. It may not wait for the library. */
static atomic_bool line_is_held, line_may_go;
static het_status waited;

static void hold_a_line(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	(void)level;
	if (!strstr(line, "is open"))
		return;
	waited = het_wait_all(sys);
	atomic_store(&line_is_held, true);
	while (!atomic_load(&line_may_go))
		sched_yield();
}

START_TEST(test_close_waits_for_log_functions)
{
	struct het_options options = HET_OPTIONS_INIT;
	struct call builder = {.run = build, .status = HET_ERR_DEVICE}, *closer;

	ck_assert(het_test_fake_driver("three-platforms"));
	options.log = hold_a_line;
	options.log_level = HET_LOG_INFO;
	ok(het_open(&options, &sys));
	good = het_device(sys, 0);
	builder.kernel = common_kernel(sys, "bump");
	begin(&builder);
	while (!atomic_load(&line_is_held))
		sched_yield();
	closer = begin_closing();
	atomic_store(&line_may_go, true);
	end(&builder);
	ck_assert_int_eq(builder.status, HET_ERR_HANDLE);
	ends_well(closer);
	ck_assert_int_eq(waited, HET_ERR_CONTEXT);
}
END_TEST

static het_status read_stats(struct call *c)
{
	struct het_stats stats = HET_STATS_INIT;

	(void)c;
	return het_stats(sys, &stats);
}

/* Calls that wait for the lock, which somebody has, are let in, whether closing has begun by then or not. */
START_TEST(test_close_waits_for_calls_without_the_lock)
{
	struct call closer = {.run = close_it, .status = HET_ERR_DEVICE}, readers[4];

	open_three(_i);
	pthread_mutex_lock(&sys->lock);
	if (_i % 2)
		begin(&closer);
	for (int i = 0; i < 4; i++) {
		readers[i] = (struct call){.run = read_stats, .status = HET_ERR_DEVICE};
		begin(&readers[i]);
	}
	while (atomic_load(&sys->visitors[0]) + atomic_load(&sys->visitors[1]) < 4 + _i % 2)
		sched_yield();
	if (_i % 2 == 0)
		begin(&closer);
	pthread_mutex_unlock(&sys->lock);
	for (int i = 0; i < 4; i++) {
		end(&readers[i]);
		ck_assert_msg(readers[i].status == HET_OK, "%s", readers[i].message);
	}
	ends_well(&closer);
}
END_TEST

/* Somebody has forgotten to unmap: what was written is the value, and the log tells. */
START_TEST(test_maps_that_are_left_are_told)
{
	int memory[N] = {0}, *at;
	het_array *wrapped, *plain;

	open_three(_i);
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), memory, &wrapped));
	plain = zero_array(sys, N);
	ok(het_array_name(plain, "forgotten"));
	ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(wrapped), HET_VAL(1)));
	ok(het_map_view(het_view(wrapped, het_rows(1, 2)), HET_READ_WRITE, &at));
	*at = 7;
	ok(het_map(plain, HET_READ, &at));
	ck_assert(!has_heard("mapped"));
	close_three();
	ck_assert(has_heard("het_close: forgotten is still mapped"));
	ck_assert_int_eq(memory[0], 1);
	ck_assert_int_eq(memory[1], 7);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_maps_that_are_left_are_told,
				      test_close_waits_for_het_wait,
				      test_close_waits_for_an_array_being_freed,
				      test_close_waits_for_an_array_being_discarded,
				      test_close_waits_for_a_build,
				      test_close_waits_for_a_launch_that_builds,
				      test_close_waits_for_a_device_that_opens,
				      test_callbacks_go_on,
				      test_close_waits_for_log_functions,
				      test_close_waits_for_calls_without_the_lock};

	return run_stopped("closing", tests, (int)(sizeof tests / sizeof tests[0]));
}
