/* test_ending.c - programs that end without het_close while devices are at work: the devices finish first,
 * before drivers end in their own exit handlers. Each program is a child.
 */
#include "stopped.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { LAUNCHES = 40, PATIENCE_MS = 200 };

/* What a program and the test both see. */
static struct common {
	int cells[N];
	int warnings;
} *common;

static void set_up(void)
{
	common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(common, MAP_FAILED);
}

/* How the program ends; `took_s`: after how long. */
static int how_it_ends(void (*program)(int order), int order, double *took_s)
{
	const uint64_t begun_ns = het__host_ns();
	const pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		program(order);
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	*took_s = het__ns_since(begun_ns) / 1e9;
	ck_assert_msg(WIFEXITED(status), "the program died of signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

static void launch_all(het_device *device, int count)
{
	het_array *array;

	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), common->cells, &array));
	for (int i = 0; i < count; i++)
		ok(het_launch(bump, device, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
}

static void return_at_once(int order)
{
	open_three(order);
	launch_all(good, LAUNCHES);
}

START_TEST(test_devices_finish)
{
	double took_s;

	set_up();
	ck_assert_int_eq(how_it_ends(return_at_once, _i, &took_s), 0);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(common->cells[i], LAUNCHES);
}
END_TEST

static void count_warning(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	if (level == HET_LOG_WARN && strstr(line, "the program ends before het_close was called"))
		common->warnings++;
}

/* On a system of its own, whose log is looked at. */
static void leave_a_device_stopped(int order)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_array *array;

	open_three(order);
	ok(het_close(sys));
	options.log = count_warning;
	options.devices = "faux";
	ok(het_open(&options, &sys));
	sys->patience_ns = PATIENCE_MS * INT64_C(1000000);
	array = zero_array(sys, N);
	bump = common_kernel(sys, "bump");
	ok(het_launch(bump, het_device(sys, 0), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait(array));
	stop();
	ok(het_launch(bump, het_device(sys, 0), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
}

START_TEST(test_a_device_may_not_answer)
{
	double took_s;

	set_up();
	ck_assert_int_eq(how_it_ends(leave_a_device_stopped, _i, &took_s), 0);
	ck_assert_int_eq(common->warnings, 1);
	ck_assert_double_ge(took_s, PATIENCE_MS / 1e3);
}
END_TEST

static het_status end_in_function(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	exit(7);
}

static void end_in_a_function(int order)
{
	het_array *array;

	open_three(order);
	launch_all(good, LAUNCHES);
	array = zero_array(sys, N);
	ok(het_call(sys, end_in_function, NULL, HET_INOUT(array)));
	(void)het_wait(array);
}

/* With the system's lock: it is not to be had. */
static void end_in_mapper(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	(void)part;
	(void)touched;
	exit(8);
}

static void end_in_a_mapper(int order)
{
	open_three(order);
	launch_all(good, LAUNCHES);
	(void)het_launch(bump, other, het_grid(1, N),
			 HET_INOUT(HET_MAP_BY(zero_array(sys, N), end_in_mapper, NULL)), HET_VAL(1));
}

START_TEST(test_end_inside_callbacks)
{
	double took_s;

	set_up();
	ck_assert_int_eq(how_it_ends(end_in_a_function, _i, &took_s), 7);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(common->cells[i], LAUNCHES);
	ck_assert_int_eq(how_it_ends(end_in_a_mapper, _i, &took_s), 8);
	ck_assert_double_lt(took_s, 20);
}
END_TEST

/* Asked at exit by the address sanitizer. Its allocator comes out of a fork with the locks that other threads
 * held just then: a child that looked for leaks could wait for them for ever. */
int __lsan_is_turned_off(void);

static bool leaks_are_the_parents;

int __lsan_is_turned_off(void)
{
	return leaks_are_the_parents;
}

static void nothing(int order)
{
	(void)order;
	leaks_are_the_parents = true;
}

/* The parent's devices are none of a child's. */
static void fork_beside_a_stopped_device(int order)
{
	double took_s;

	open_three(order);
	stop();
	launch_all(stuck, 2);
	ck_assert_int_eq(how_it_ends(nothing, 0, &took_s), 0);
	go();
	ok(het_close(sys));
}

START_TEST(test_children_wait_for_nothing)
{
	double took_s;

	set_up();
	ck_assert_int_eq(how_it_ends(fork_beside_a_stopped_device, _i, &took_s), 0);
	ck_assert_double_lt(took_s, 20);
}
END_TEST

/* What a device of another context makes goes to this one by way of the host: tasks are held until then. */
static void leave_a_chain(int order)
{
	het_array *array, *made;

	open_three(order);
	made = zero_array(sys, N);
	ok(het_array_wrap(sys, HET_INT, het_shape(1, N), common->cells, &array));
	ok(het_launch(bump, other, het_grid(1, N), HET_INOUT(made), HET_VAL(20)));
	ok(het_launch(bump, stuck, het_grid(1, N), HET_INOUT(made), HET_VAL(1)));
	ok(het_launch(add, good, het_grid(1, N), HET_OUT(array), HET_IN(made), HET_VAL(300)));
}

START_TEST(test_held_tasks_finish)
{
	double took_s;

	set_up();
	ck_assert_int_eq(how_it_ends(leave_a_chain, _i, &took_s), 0);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(common->cells[i], 321);
}
END_TEST

static void *leave_work(void *parts)
{
	het_array *array;
	het_kernel *slow;

	ok(het_kernel_from_source(sys,
				  "kernel void slow(global int *x)\n"
				  "{ int s = 0; for (int i = 0; i < 20000; i++) s += x[i * 7 % 64];\n"
				  "  x[get_global_id(0)] += s == 5 ? 2 : 1; }\n",
				  "slow", NULL, &slow));
	ok(het_array_new(sys, HET_INT, het_shape(1, 64), &array));
	for (int i = 0; i < 200; i++)
		ok(het_spread(slow, het_everyone(sys), het_grid(1, 64), HET_INOUT(HET_EACH(array))));
	return parts;
}

/* By main's thread, or by another one. */
static void leave_two_parts_at_work(int elsewhere)
{
	struct het_options options = HET_OPTIONS_INIT;
	pthread_t thread;

	options.devices = "pocl:cpu0/1";
	if (het_open(&options, &sys)) {
		printf("not tried: %s\n", het_message());
		if (het_test_can_cut())
			exit(EXIT_FAILURE);
	} else if (!elsewhere) {
		leave_work(NULL);
	} else {
		ok(pthread_create(&thread, NULL, leave_work, NULL) ? HET_ERR_SYSTEM : HET_OK);
		ok(pthread_join(thread, NULL) ? HET_ERR_SYSTEM : HET_OK);
	}
}

/* PoCL frees at exit what its threads are using. */
START_TEST(test_pocl)
{
	double took_s;

	for (int elsewhere = 0; elsewhere < 2; elsewhere++)
		ck_assert_int_eq(how_it_ends(leave_two_parts_at_work, elsewhere, &took_s), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_devices_finish, test_a_device_may_not_answer,
				      test_end_inside_callbacks, test_children_wait_for_nothing,
				      test_held_tasks_finish};
	static const struct face_test pocl[] = {{&test_pocl, 0}};
	const int real = run_face_tests("ending at PoCL", 1, pocl); /* the fake driver takes its place then */
	const int fakes = run_stopped("ending", tests, (int)(sizeof tests / sizeof tests[0]));

	return fakes == 77 ? real : real == 77 ? fakes : fakes | real;
}
