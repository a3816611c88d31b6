/* test_log_functions.c - functions of the program's that get log lines, and call the library from there. */
#include "stopped.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a test does at each line. */
static void (*at_line)(const char *line);

static void get_line(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	(void)level;
	if (at_line)
		at_line(line);
}

static void open_telling(const char *machine, enum het_log_level level)
{
	struct het_options options = HET_OPTIONS_INIT;

	ck_assert(het_test_fake_driver(machine));
	options.log = get_line;
	options.log_level = level;
	ok(het_open(&options, &sys));
	good = het_device(sys, 0);
	bump = common_kernel(sys, "bump");
}

static het_array *array_in_use(het_device *device)
{
	het_array *const array = zero_array(sys, N);

	ok(het_launch(bump, device, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait(array));
	return array;
}

/* A launch that fails, of which nobody is told. `which`: of the kernels that run from now on. */
static void launch_in_vain(het_array *array, het_device *device, int which)
{
	ck_assert_int_eq(control("fail ndrange %d -5", which), 0);
	ok(het_launch(bump, device, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
}

static atomic_bool has_worked;
static het_status begun;

static het_status work(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	usleep(1000);
	((int *)args[0].data)[0] = 1;
	atomic_store(&has_worked, true);
	return HET_OK;
}

static het_array *target, *wrapped;

static void begin_work(const char *line)
{
	if (!strstr(line, "nobody was told"))
		return;
	at_line = NULL;
	fails(het_array_name(wrapped, "late"), HET_ERR_HANDLE, "het_array_name"); /* it has been freed */
	begun = het_call(sys, work, NULL, HET_OUT(target));
	ck_assert_msg(strstr(het_message(), "being closed") != NULL, "%s", het_message());
}

/* What het_close says at last comes when everything has ended: what would begin then is refused. */
START_TEST(late_lines_begin_nothing)
{
	int memory[N] = {0};
	het_array *a, *b;

	open_telling("three-platforms", HET_LOG_WARN);
	target = array_in_use(good);
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), memory, &wrapped));
	a = array_in_use(good);
	b = array_in_use(het_device(sys, 1));
	ck_assert_int_eq(control("fail ndrange 2 -5"), 0);
	launch_in_vain(a, good, 1);
	ok(het_launch(bump, het_device(sys, 1), het_grid(1, N), HET_INOUT(b), HET_VAL(1)));
	begun = HET_OK;
	at_line = begin_work;
	ck_assert_int_ne(het_close(sys), HET_OK);
	ck_assert_ptr_null(at_line);
	ck_assert_int_eq(begun, HET_ERR_HANDLE);
	ck_assert(!atomic_load(&has_worked));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

static void begin_more(const char *line)
{
	(void)line;
	at_line = NULL;
	begun = het_call(sys, work, NULL, HET_OUT(target));
}

/* A line from before it is closed. */
START_TEST(earlier_lines_begin_what_is_waited_for)
{
	open_telling("three-platforms", HET_LOG_WARN);
	target = array_in_use(good);
	begun = HET_ERR_DEVICE;
	at_line = begin_more;
	het__log(sys->logger, HET_LOG_WARN, "task", "a line that waits");
	ok(het_close(sys));
	ck_assert_int_eq(begun, HET_OK);
	ck_assert(atomic_load(&has_worked));
	ck_assert_int_eq(control("alive all"), 0);
}
END_TEST

static int asked;

static void ask_for_device(const char *line)
{
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;

	(void)line;
	asked++;
	fails(het_device_stats(good, &stats), HET_ERR_HANDLE, "the system is");
}

/* A write-back and a launch fail: one is returned, the other logged when all is settled. */
START_TEST(last_lines_find_devices)
{
	int memory[N] = {0};
	het_array *plain;

	open_telling("two-gpus", HET_LOG_WARN);
	plain = array_in_use(het_device(sys, 1));
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), memory, &wrapped));
	ok(het_launch(bump, good, het_grid(1, N), HET_INOUT(wrapped), HET_VAL(1)));
	ok(het_wait_all(sys));
	launch_in_vain(plain, het_device(sys, 1), 1);
	for (int k = 1; k <= 3; k++) /* at once, by itself, at last */
		ck_assert_int_eq(control("fail clEnqueueReadBuffer %d -5", k), 0);
	asked = 0;
	at_line = ask_for_device;
	ck_assert_int_ne(het_close(sys), HET_OK);
	ck_assert_int_gt(asked, 0);
}
END_TEST

static void call_in_vain(const char *line)
{
	(void)line;
	asked++;
	fails(het_wait_all(sys), HET_ERR_CONTEXT, "het_wait_all", "callback");
}

/* Long texts are kept apart from short ones. */
static void record_stays(const char *text, int is_long)
{
	struct het_error error;
	het_status status;
	het_kernel *kernel;

	ok(het_kernel_from_source(sys, text, "wrong", NULL, &kernel));
	status = het_kernel_build(kernel, good);
	error = het_error_last();
	ck_assert_int_eq(status, HET_ERR_BUILD);
	ck_assert_int_eq(error.status, HET_ERR_BUILD);
	ck_assert_str_eq(error.device, good->name);
	ck_assert_ptr_nonnull(strstr(error.text, "nonsense"));
	ck_assert_int_eq(strlen(error.text) > 4096, is_long);
}

/* What a log function does wrong is not what the call says that it was called in. */
START_TEST(records_stay)
{
	char lengthy[8192] = "";
	het_array *array, *sum;

	open_telling("three-platforms", HET_LOG_TRACE);
	array = array_in_use(good);
	sum = zero_array(sys, 1);
	at_line = call_in_vain;
	asked = 0;
	record_stays("kernel void wrong(global int *x) { x[0] = nonsense; }", 0);
	for (int i = 0; i < 10; i++) /* the compiler quotes what is wrong */
		snprintf(lengthy + strlen(lengthy), sizeof lengthy - strlen(lengthy),
			 "kernel void wrong%d(global int *x) { x[0] = nonsense_%0400d; }\n", i, i);
	record_stays(lengthy, 1);
	ck_assert_int_gt(asked, 0);
	asked = 0;
	ck_assert_int_eq(control("fail clEnqueueNDRangeKernel 1 -5"), 0);
	fails(het_reduce(HET_REDUCE_SUM, het_view(array, het_whole()), het_view(sum, het_whole()),
			 het_everyone(sys)),
	      HET_ERR_DEVICE, "het_reduce");
	ck_assert_int_gt(asked, 0);
	at_line = NULL;
	(void)het_close(sys);
}
END_TEST

static void ask_for_the_other(const char *line)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	(void)line;
	at_line = NULL;
	begun = het_device_info(het_device(sys, 1), &info);
}

/* Where a device that is opened builds a kernel for itself, lines wait until others may be opened. */
START_TEST(lines_wait_while_a_device_opens)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	setenv("HETERO_ROUTE", "pack", 1);
	open_telling("two-gpus", HET_LOG_DEBUG);
	begun = HET_ERR_DEVICE;
	at_line = ask_for_the_other;
	ok(het_device_info(good, &info));
	ck_assert_ptr_null(at_line);
	ok(begun);
	close_three();
}
END_TEST

static sem_t may_go;

static void *prefetch(void *array)
{
	sem_wait(&may_go);
	return (void *)(intptr_t)het_prefetch(het_view(array, het_whole()), good);
}

/* No log function: lines go to stderr, which the program holds while it asks for something. */
START_TEST(stderr_may_be_locked)
{
	struct het_stats stats = HET_STATS_INIT;
	pthread_t thread;
	void *status;
	het_array *array;

	setenv("HETERO_LOG", "trace", 1);
	ck_assert(het_test_fake_driver("two-gpus"));
	ok(het_open(NULL, &sys));
	good = het_device(sys, 0);
	bump = common_kernel(sys, "bump");
	(void)array_in_use(good);
	array = zero_array(sys, N);
	sem_init(&may_go, 0, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, prefetch, array), 0);
	flockfile(stderr);
	sem_post(&may_go);
	for (int i = 0; i < 100; i++) {
		usleep(1000);
		ok(het_stats(sys, &stats));
	}
	funlockfile(stderr);
	pthread_join(thread, &status);
	ck_assert_ptr_null(status);
	close_three();
}
END_TEST

static atomic_int told; /* 1: a function is being told of a refused call; 2: it has been */

static void be_told(const char *line)
{
	if (!strstr(line, "a call failed"))
		return;
	atomic_store(&told, 1);
	usleep(100000);
	atomic_store(&told, 2);
}

static void *be_refused(void *argument)
{
	het_kernel *none;

	(void)argument;
	return het_kernel_from_source(sys, NULL, "none", NULL, &none) == HET_ERR_ARGUMENT ? NULL : sys;
}

/* It never had the system's lock. */
START_TEST(closing_waits_for_who_is_told_of_a_refused_call)
{
	pthread_t thread;
	void *wrong;

	open_telling("one-context", HET_LOG_INFO);
	at_line = be_told;
	ck_assert_int_eq(pthread_create(&thread, NULL, be_refused, NULL), 0);
	while (!atomic_load(&told))
		usleep(100);
	ok(het_close(sys));
	ck_assert_int_eq(atomic_load(&told), 2);
	pthread_join(thread, &wrong);
	ck_assert_ptr_null(wrong);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {late_lines_begin_nothing,
				      earlier_lines_begin_what_is_waited_for,
				      last_lines_find_devices,
				      records_stay,
				      lines_wait_while_a_device_opens,
				      closing_waits_for_who_is_told_of_a_refused_call,
				      stderr_may_be_locked};

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_tests("log functions", sizeof tests / sizeof tests[0], tests);
}
