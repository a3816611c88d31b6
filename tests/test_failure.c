/* test_failure.c - what is lost when a task fails, and what is not.
 *
 * A host function that returns an error stands for every failure: it loses what it was to write.
 */
#include "face.h"

#include <sched.h>
#include <semaphore.h>

#include "task/task.h"

enum { N = 256 };

static sem_t gate; /* keeps a function waiting until the test has made the tasks that it wants */

static het_status fail_late(void *user, int count, const struct het_host_arg *args)
{
	(void)count;
	(void)args;
	sem_wait(&gate);
	return *(const het_status *)user;
}

static het_status succeed(void *user, int count, const struct het_host_arg *args)
{
	int *data = args[0].data;

	(void)count;
	for (int64_t i = args[0].box.lo[0]; i < args[0].box.hi[0]; i++)
		data[i] = *(const int *)user;
	return HET_OK;
}

static het_status file_error = HET_ERR_FILE, overlap_error = HET_ERR_OVERLAP;

/* Loses [lo, hi) of an array, some time after sem_post. */
static void lose(het_system *system, het_array *array, int lo, int hi, het_status *status)
{
	ok(het_call(system, fail_late, status, HET_OUT_PART(array, het_rows(lo, hi))));
}

static het_system *open_gate(int face)
{
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
	return open_face(face);
}

#define cause "file cannot be read"

START_TEST(test_outputs_are_lost)
{
	het_system *system = open_gate(_i);
	het_array *array = counting_array(system, N);
	int values[N];
	void *at;

	ok(het_array_name(array, "victim"));
	lose(system, array, 10, 20, &file_error);
	sem_post(&gate);
	fails(het_map(array, HET_READ, &at), HET_ERR_LOST, "victim", "[10:20]", "host function", cause);
	fails(het_map(array, HET_READ_WRITE, &at), HET_ERR_LOST, "victim");
	fails(het_read(het_view(array, het_rows(0, 11)), values), HET_ERR_LOST,
	      "het_read: victim [10:11] has no value: a host function", cause);
	fails(het_wait(array), HET_ERR_LOST, "victim [10:20] has no value: a host function", cause);
	ok(het_read_async(het_view(array, het_rows(19, 30)), values));
	fails(het_wait(array), HET_ERR_LOST, "victim [10:20] has no value", cause);
	ok(het_read(het_view(array, het_rows(0, 10)), values));
	ok(het_read(het_view(array, het_rows(20, N)), values));
	ck_assert_int_eq(values[0], 20);
	ok(het_map_view(het_view(array, het_rows(20, 30)), HET_READ, &at));
	ok(het_unmap_view(het_view(array, het_rows(20, 30))));
	fails(het_unmap(array), HET_ERR_MAPPED, "victim"); /* failed maps are no maps */
	ok(het_wait_all(system));                          /* told already */
	close_face(system);
}
END_TEST

/* Fails when somebody has begun to wait. */
static het_status fail_once_awaited(void *user, int count, const struct het_host_arg *args)
{
	het_system *system = user;
	bool awaited = false;

	(void)count;
	(void)args;
	while (!awaited) {
		sched_yield();
		pthread_mutex_lock(&system->lock);
		awaited = het__tasks_in(system)->sleepers > 0;
		pthread_mutex_unlock(&system->lock);
	}
	return HET_ERR_FILE;
}

/* A box that had a value when the read began to wait for it. */
START_TEST(test_loss_while_a_read_waits)
{
	het_system *system = open_gate(_i);
	het_array *array = counting_array(system, N);
	int values[N];

	ok(het_call(system, fail_once_awaited, system, HET_OUT_PART(array, het_rows(10, 20))));
	fails(het_read(het_view(array, het_rows(5, 15)), values), HET_ERR_LOST, "[10:15] has no value", cause);
	ok(het_wait_all(system));
	close_face(system);
}
END_TEST

/* Overwritten: by every way of writing. */
START_TEST(test_poison_is_overwritten)
{
	het_system *system = open_gate(_i);
	het_kernel *set = common_kernel(system, "set");
	het_array *array = counting_array(system, N), *source = counting_array(system, N);
	int values[N], *at;
	const int minus = -1;

	for (int way = 0; way < 6; way++) {
		lose(system, array, 100, 150, &file_error);
		sem_post(&gate);
		fails(het_wait(array), HET_ERR_LOST, cause);
		fails(het_read(het_view(array, het_rows(149, 150)), values), HET_ERR_LOST, cause);
		switch (way) {
		case 0:
			ok(het_write(het_view(array, het_rows(100, 150)), values));
			break;
		case 1:
			ok(het_fill(het_view(array, het_rows(100, 150)), &minus));
			break;
		case 2:
			ok(het_copy(het_view(array, het_rows(100, 150)), het_view(source, het_rows(0, 50))));
			break;
		case 3:
			ok(het_launch(set, last_device(system), het_grid(1, N), HET_OUT(array), HET_VAL(3)));
			break;
		case 4:
			ok(het_map_view(het_view(array, het_rows(90, 160)), HET_WRITE, &at));
			ok(het_unmap_view(het_view(array, het_rows(90, 160))));
			break;
		default:
			ok(het_launch(set, last_device(system), het_grid(1, 50),
				      HET_OUT(het_view(array, het_rows(100, 150))), HET_VAL(3)));
		}
		ok(het_wait(array));
		ok(het_read(het_view(array, het_whole()), values));
	}
	close_face(system);
}
END_TEST

/* A chain over devices, copies and packed views, made before and after the failure is known. */
static void follow_poison(het_system *system, int early)
{
	het_kernel *add = common_kernel(system, "add"), *bump = common_kernel(system, "bump");
	het_array *a = counting_array(system, N), *b = zero_array(system, N), *c = zero_array(system, N);
	het_array *d = zero_array(system, N), *apart = counting_array(system, N);
	void *at;

	ok(het_array_name(a, "first"));
	ok(het_array_name(d, "last"));
	lose(system, a, 32, 64, &file_error);
	if (!early) {
		sem_post(&gate);
		fails(het_wait(a), HET_ERR_LOST, "first");
	}
	ok(het_launch(add, first_device(system), het_grid(1, N), HET_OUT(b), HET_IN(a), HET_VAL(1)));
	ok(het_copy(het_view(c, het_rows(0, 128)), het_view(b, het_rows(0, 128))));
	ok(het_launch(add, last_device(system), het_grid(1, 16), HET_OUT(het_view(d, het_rows(7, 23))),
		      HET_IN(het_view(c, het_rows(40, 56))), HET_VAL(1)));
	ok(het_launch(bump, last_device(system), het_range(1, 128, N), HET_INOUT_PART(c, het_rows(128, N)),
		      HET_VAL(5)));
	ok(het_launch(bump, first_device(system), het_grid(1, N), HET_INOUT(apart), HET_VAL(5)));
	if (early)
		sem_post(&gate);
	fails(het_map(d, HET_READ, &at), HET_ERR_LOST, "last", "[7:23]", "host function", cause);
	fails(het_map(b, HET_READ, &at), HET_ERR_LOST, cause);
	fails(het_map_view(het_view(c, het_rows(0, 128)), HET_READ, &at), HET_ERR_LOST, cause);
	ck_assert_int_eq(element(c, 128), 5);
	ck_assert_int_eq(element(c, N - 1), 5);
	ck_assert_int_eq(element(d, 6), 0);
	ck_assert_int_eq(element(d, 23), 0);
	ck_assert_int_eq(element(a, 31), 31);
	ck_assert_int_eq(element(a, 64), 64);
	assert_counts(apart, 5, 1);
	ck_assert(stats_of(system).failures >= 4);
	close_face(system);
}

START_TEST(test_poison_spreads_early)
{
	follow_poison(open_gate(_i), 1);
}
END_TEST

START_TEST(test_poison_spreads_late)
{
	follow_poison(open_gate(_i), 0);
}
END_TEST

/* A copy of just the healthy part of an array is healthy; one of both is lost where the source is. */
START_TEST(test_copy_cell_by_cell)
{
	het_system *system = open_gate(_i);
	het_array *from = counting_array(system, N), *to = zero_array(system, N);
	int values[N];

	lose(system, from, 50, 60, &file_error);
	sem_post(&gate);
	fails(het_wait(from), HET_ERR_LOST, cause);
	ok(het_copy(het_view(to, het_rows(100, 200)), het_view(from, het_rows(0, 100))));
	fails(het_wait(to), HET_ERR_LOST, cause);
	ok(het_read(het_view(to, het_rows(0, 150)), values));
	ck_assert_int_eq(values[149], 49);
	fails(het_read(het_view(to, het_rows(159, 160)), values), HET_ERR_LOST, cause);
	ok(het_read(het_view(to, het_rows(160, N)), values));
	ck_assert_int_eq(values[0], 60);
	ok(het_copy(het_view(from, het_rows(49, 99)), het_view(from, het_rows(59, 109)))); /* through scratch */
	ok(het_copy(het_view(to, het_rows(0, 100)), het_view(to, het_rows(1, 101))));
	(void)het_wait(from);
	ck_assert_int_eq(element(to, 99), 0);
	close_face(system);
}
END_TEST

/* Several failures: a value that descends from two names the first. Each is told once. */
START_TEST(test_first_cause)
{
	het_system *system = open_gate(_i);
	het_kernel *add = common_kernel(system, "add");
	het_array *a = zero_array(system, N), *b = zero_array(system, N);

	lose(system, a, 0, N, &file_error);
	lose(system, b, 0, N, &overlap_error);
	ok(het_launch(add, last_device(system), het_grid(1, N), HET_INOUT(b), HET_IN(a), HET_VAL(1)));
	sem_post(&gate);
	sem_post(&gate);
	fails(het_wait_all(system), HET_ERR_LOST, "first of 2 failures", cause);
	fails(het_wait_all(system), HET_ERR_LOST, "earlier task", het_status_string(HET_ERR_OVERLAP));
	ok(het_wait_all(system));
	fails(het_wait(b), HET_ERR_LOST, cause);
	close_face(system);
}
END_TEST

static void count_lost(void *user, enum het_log_level level, const char *line)
{
	if (level == HET_LOG_ERROR && strstr(line, "nobody was told") &&
	    strstr(line, het_status_string(HET_ERR_OVERLAP)))
		++*(int *)user;
}

/* Of two failures het_close returns the first and the log gets the second. */
START_TEST(test_close_logs_the_others)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;
	int logged = 0;

	options.log = count_lost;
	options.log_user = &logged;
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
	ok(het_open(&options, &system));
	lose(system, zero_array(system, N), 0, N, &file_error);
	lose(system, zero_array(system, N), 0, N, &overlap_error);
	sem_post(&gate);
	sem_post(&gate);
	fails(het_close(system), HET_ERR_LOST, "first of 2 failures", cause);
	ck_assert_int_eq(logged, 1);
}
END_TEST

/* The same when the first is of the program's own memory, which is written back before. */
START_TEST(test_close_logs_beside_wrapped)
{
	struct het_options options = HET_OPTIONS_INIT;
	static int memory[N];
	het_system *system;
	het_array *wrapped;
	int logged = 0;

	options.log = count_lost;
	options.log_user = &logged;
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
	ok(het_open(&options, &system));
	ok(het_array_wrap(system, HET_INT, het_shape(1, N), memory, &wrapped));
	lose(system, wrapped, 0, N, &file_error);
	lose(system, zero_array(system, N), 0, N, &overlap_error);
	sem_post(&gate);
	sem_post(&gate);
	fails(het_close(system), HET_ERR_LOST, cause);
	ck_assert_int_eq(logged, 1);
}
END_TEST

/* Who was told of a cause is not told again because it went on to lose more. */
START_TEST(test_told_once)
{
	het_system *system = open_gate(_i);
	het_kernel *add = common_kernel(system, "add");
	het_array *a = zero_array(system, N), *b = zero_array(system, N);

	lose(system, a, 0, N, &file_error);
	sem_post(&gate);
	fails(het_wait(a), HET_ERR_LOST, cause);
	ok(het_launch(add, last_device(system), het_grid(1, N), HET_OUT(b), HET_IN(a), HET_VAL(1)));
	ok(het_wait_all(system));
	fails(het_wait(b), HET_ERR_LOST, cause);
	close_face(system);
}
END_TEST

START_TEST(test_close_reports_once)
{
	het_system *system = open_gate(_i);

	lose(system, zero_array(system, N), 0, N, &file_error);
	sem_post(&gate);
	fails(het_close(system), HET_ERR_LOST, "het_close", "host function", cause);
}
END_TEST

START_TEST(test_wrapped_gets_the_rest)
{
	het_system *system = open_gate(_i);
	het_kernel *bump = common_kernel(system, "bump");
	int memory[N];
	het_array *array;

	for (int i = 0; i < N; i++)
		memory[i] = i;
	ok(het_array_wrap(system, HET_INT, het_shape(1, N), memory, &array));
	ok(het_array_name(array, "wrapped"));
	ok(het_launch(bump, last_device(system), het_grid(1, N), HET_INOUT(array), HET_VAL(1000)));
	lose(system, array, 10, 20, &file_error);
	sem_post(&gate);
	fails(het_array_free(array), HET_ERR_LOST, "wrapped", cause);
	for (int i = 0; i < N; i++)
		ck_assert(memory[i] == i + 1000 || (i >= 10 && i < 20));
	ck_assert_uint_eq(stats_of(system).live_arrays, 0);
	close_face(system);
}
END_TEST

/* A doomed launch must not end, or seem to run, a function that has not begun. */
START_TEST(test_doomed_reader_of_a_pending_function)
{
	het_system *system = open_gate(_i);
	het_kernel *add = common_kernel(system, "add");
	het_array *bad = zero_array(system, N), *good = zero_array(system, N), *out = zero_array(system, N);
	int forty_two = 42;

	lose(system, bad, 0, N, &file_error);
	ok(het_call(system, succeed, &forty_two, HET_OUT(good)));
	ok(het_launch(add, last_device(system), het_grid(1, N), HET_INOUT(bad), HET_IN(good), HET_VAL(1)));
	ok(het_launch(add, last_device(system), het_grid(1, N), HET_OUT(out), HET_IN(good), HET_VAL(1)));
	sem_post(&gate);
	assert_counts(good, 42, 0);
	assert_counts(out, 43, 0);
	fails(het_wait(bad), HET_ERR_LOST, cause);
	close_face(system);
}
END_TEST

/* Swapped and freed while lost; nobody is told twice, nothing leaks. */
START_TEST(test_lost_arrays_go)
{
	het_system *system = open_gate(_i);
	het_array *a = zero_array(system, N), *b = counting_array(system, N);

	lose(system, a, 0, N, &file_error);
	sem_post(&gate);
	ok(het_swap(a, b));
	assert_counts(a, 0, 1);
	fails(het_wait(b), HET_ERR_LOST, cause);
	ok(het_array_free(b));
	ok(het_array_free(a));
	ck_assert_uint_eq(stats_of(system).live_arrays, 0);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_outputs_are_lost, 1},
	{&test_loss_while_a_read_waits, 1},
	{&test_poison_is_overwritten, 1},
	{&test_poison_spreads_early, 1},
	{&test_poison_spreads_late, 1},
	{&test_copy_cell_by_cell, 1},
	{&test_first_cause, 1},
	{&test_close_logs_the_others, 0},
	{&test_close_logs_beside_wrapped, 0},
	{&test_told_once, 1},
	{&test_close_reports_once, 1},
	{&test_wrapped_gets_the_rest, 1},
	{&test_doomed_reader_of_a_pending_function, 1},
	{&test_lost_arrays_go, 1},
};

int main(void)
{
	return run_face_tests("failure", sizeof tests / sizeof tests[0], tests);
}
