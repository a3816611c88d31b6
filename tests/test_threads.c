/* test_threads.c - several threads on one system and on two; counters that stay bounded. */
#include "face.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "task/task.h"
#include "threads.h"

#define POCL "/etc/OpenCL/vendors/pocl.icd"

enum { WORKERS = 8, N = 512, ROUNDS = 30 };

struct worker {
	het_system *system;
	het_kernel *bump, *add;
	het_array *shared; /* every worker adds one to all of it, ROUNDS times */
	int number;
};

static void own_round(const struct worker *w, int round)
{
	het_device *device = het_device(w->system, (w->number + round) % het_device_count(w->system));
	het_array *mine, *other;
	int *at, values[N];

	must(!het_array_new(w->system, HET_INT, het_shape(1, N), &mine));
	must(!het_array_new(w->system, HET_INT, het_shape(1, N), &other));
	must(!het_map(mine, HET_WRITE, &at));
	for (int i = 0; i < N; i++)
		at[i] = w->number * 1000 + i;
	must(!het_unmap(mine));
	must(!het_launch(w->add, device, het_grid(1, N), HET_OUT(other), HET_IN(mine), HET_VAL(round)));
	must(!het_swap(mine, other));
	must(!het_read(het_view(mine, het_rows(100, N)), values));
	for (int i = 100; i < N; i++)
		must(values[i - 100] == w->number * 1000 + i + round);
	must(!het_copy(het_view(other, het_rows(0, 100)), het_view(mine, het_rows(100, 200))));
	must(!het_wait(other));
	must(!het_array_free(mine));
	must(!het_array_free(other));
}

static void *work(void *argument)
{
	const struct worker *w = argument;

	for (int round = 0; round < ROUNDS; round++) {
		must(!het_launch(w->bump, het_device(w->system, round % het_device_count(w->system)),
				 het_grid(1, N), HET_INOUT(w->shared), HET_VAL(1)));
		own_round(w, round);
		if (round % 8 == w->number)
			must(!het_audit(w->shared)); /* whatever the others do meanwhile */
	}
	return NULL;
}

static void make_crew(het_system *system, struct worker *crew, int count)
{
	het_kernel *bump = common_kernel(system, "bump"), *add = common_kernel(system, "add");
	het_array *shared = counting_array(system, N);

	for (int i = 0; i < count; i++)
		crew[i] = (struct worker){system, bump, add, shared, i};
}

static void run_crew(struct worker *crew, int count)
{
	pthread_t threads[WORKERS];

	for (int i = 0; i < count; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &crew[i]), 0);
	for (int i = 0; i < count; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

START_TEST(test_one_system)
{
	het_system *system = open_face(_i);
	struct worker crew[WORKERS];

	make_crew(system, crew, WORKERS);
	run_crew(crew, WORKERS);
	assert_counts(crew[0].shared, WORKERS * ROUNDS, 1);
	ck_assert_uint_eq(stats_of(system).live_arrays, 1);
	ck_assert_uint_eq(stats_of(system).launches, 2 * WORKERS * ROUNDS);
	close_face(system);
}
END_TEST

START_TEST(test_two_systems)
{
	het_system *one = open_face(FACE_SHARED), *two = open_face(FACE_SEPARATE);
	struct worker crew[WORKERS];

	make_crew(one, crew, WORKERS / 2);
	make_crew(two, crew + WORKERS / 2, WORKERS / 2);
	run_crew(crew, WORKERS);
	assert_counts(crew[0].shared, WORKERS / 2 * ROUNDS, 1);
	assert_counts(crew[WORKERS / 2].shared, WORKERS / 2 * ROUNDS, 1);
	close_face(two);
	close_face(one);
}
END_TEST

/* Everybody opens and closes systems of their own. */
static void *open_and_close(void *argument)
{
	struct het_options options = HET_OPTIONS_INIT;

	options.devices = on_cpu("cpu");
	for (int k = 0; k < 3; k++) {
		het_array *array;
		het_system *system;
		const int value = 3;
		int got = 0;

		must(!het_open(&options, &system));
		must(!het_array_new(system, HET_INT, het_shape(1, 100), &array));
		must(!het_fill(het_view(array, het_whole()), &value));
		must(!het_read(het_view(array, het_rows(99, 100)), &got));
		must(got == 3);
		must(!het_close(system));
	}
	return argument;
}

START_TEST(test_systems_of_their_own)
{
	pthread_t threads[4];

	close_face(open_face(FACE_SHARED));
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, open_and_close, NULL), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

/* Drivers come up in whichever is first; PoCL's does not live through two. */
static void *open_at_once(void *together)
{
	het_system *system;

	pthread_barrier_wait(together);
	must(!het_open(NULL, &system));
	must(!het_close(system));
	return NULL;
}

START_TEST(test_first_systems)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return; /* these end the process where another thread than main loads drivers */
#endif
	const char *const chosen = getenv("OCL_ICD_VENDORS");
	pthread_barrier_t together;
	pthread_t threads[4];

	if (access(POCL, R_OK) == 0 && !(chosen && strstr(chosen, ".icd"))) /* alone: nobody is late for it */
		setenv("OCL_ICD_VENDORS", POCL, 1);
	ck_assert_int_eq(pthread_barrier_init(&together, NULL, 4), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, open_at_once, &together), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	pthread_barrier_destroy(&together);
}
END_TEST

/* One thread maps, one launches: the launcher is refused or ordered, never torn. */
struct contest {
	struct worker worker;
	int launched;
};

static void *launch_against_maps(void *argument)
{
	struct contest *c = argument;

	for (int k = 0; k < 300; k++) {
		het_status st = het_launch(c->worker.bump, last_device(c->worker.system), het_grid(1, N),
					   HET_INOUT(c->worker.shared), HET_VAL(1));
		must(st == HET_OK || st == HET_ERR_MAPPED);
		c->launched += st == HET_OK;
	}
	return NULL;
}

START_TEST(test_maps_against_launches)
{
	het_system *system = open_face(_i);
	struct contest c = {.launched = 0};
	pthread_t thread;

	make_crew(system, &c.worker, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, launch_against_maps, &c), 0);
	for (int k = 0; k < 50; k++) {
		const int *at;

		ok(het_map(c.worker.shared, HET_READ, &at));
		for (int i = 1; i < N; i++)
			ck_assert_int_eq(at[i], at[0] + i);
		ok(het_unmap(c.worker.shared));
	}
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	assert_counts(c.worker.shared, c.launched, 1);
	close_face(system);
}
END_TEST

/* A host that never waits: what is unfinished stays within the window, and nothing piles up. */
START_TEST(test_far_ahead)
{
	het_system *system = open_face(_i);
	const int most = (_i == FACE_RUSTICL ? 5000 : 100000) * (getenv("HETERO_TEST_LONG") ? 10 : 1);
	const int devices = _i == FACE_SEPARATE && het_device_count(system) > 1 ? 2 : 1;
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array[2] = {zero_array(system, 4), zero_array(system, 4)};

	for (int k = 0; k < most; k++) {
		ok(het_launch(bump, het_device(system, k % devices), het_grid(1, 4),
			      HET_INOUT(array[k % devices]), HET_VAL(1)));
		if (k % 1000)
			continue;
		struct het_stats stats = stats_of(system);
		ck_assert_uint_le(stats.unfinished, HET__WINDOW);
		ck_assert_uint_le(stats.live_events, HET__WINDOW + 8);
		ck_assert_uint_le(stats.live_buffers, 8);
	}
	ck_assert_int_eq(element(array[0], 3), most / devices);
	ck_assert_uint_eq(stats_of(system).launches, (uint64_t)most);
	close_face(system);
}
END_TEST

static het_status nothing(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	return HET_OK;
}

static int all_are_in(het_system *system, const struct het__lane *lane)
{
	int in;

	pthread_mutex_lock(&system->lock);
	in = het__lane_count(lane) == het__tasks_in(system)->unfinished;
	pthread_mutex_unlock(&system->lock);
	return in;
}

/* Tasks behind a user's function do not count for the window, since it may wait for the caller; what has
 * finished does not pile up all the same. */
START_TEST(test_far_ahead_behind_a_function)
{
	het_system *system = open_face(_i);
	het_device *const device = first_device(system);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = zero_array(system, 4);
	const int most = HET__WINDOW + 100;

	ok(het_launch(bump, device, het_grid(1, 4), HET_INOUT(array), HET_VAL(1)));
	ok(het_call(system, nothing, NULL, HET_INOUT(array)));
	for (int k = 0; k < most; k++)
		ok(het_launch(bump, device, het_grid(1, 4), HET_INOUT(array), HET_VAL(1)));
	while (!all_are_in(system, device->lane)) /* the function ends soon; the limit of the test bounds it */
		sched_yield();
	ck_assert_int_eq(clFinish(device->lane->queue.cl), CL_SUCCESS);
	ok(het_launch(bump, device, het_grid(1, 4), HET_INOUT(array), HET_VAL(1)));
	ck_assert_uint_le(stats_of(system).unfinished, HET__WINDOW);
	ck_assert_int_eq(element(array, 3), most + 2);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_one_system, 1},
	{&test_two_systems, 0},
	{&test_systems_of_their_own, 0},
	{&test_first_systems, 1},
	{&test_maps_against_launches, 1},
	{&test_far_ahead, 1},
	{&test_far_ahead_behind_a_function, 1},
};

int main(void)
{
	return run_face_tests("threads", sizeof tests / sizeof tests[0], tests);
}
