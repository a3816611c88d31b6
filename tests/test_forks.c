/* test_forks.c - what a child may do after fork. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fork.h"
#include "platforms.h"
#include "suite.h"
#include "system/discover.h"
#include "system/system.h"
#include "systems.h"
#include "trace/timeline.h"

START_TEST(test_fork)
{
	het_system *const system = open_devices("*");
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	int result;

	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		bool good = het__enter(system, "test") == HET_ERR_CONTEXT;
		good = good && het_close(system) == HET_ERR_CONTEXT;
		good = good && het_device_info(het_device(system, 0), &info) == HET_ERR_CONTEXT;
		good = good && strstr(het_message(), "fork");
		_exit(good ? 42 : 1);
	}
	ck_assert_int_eq(waitpid(child, &result, 0), child);
	ck_assert(WIFEXITED(result));
	ck_assert_int_eq(WEXITSTATUS(result), 42);
	ok(het__enter(system, "test"));
	het__leave(system);
	ok(het_close(system));
}
END_TEST

/* A child of a process in which PoCL has come up would wait for ever for its threads. */
START_TEST(test_child_of_drivers)
{
	het_system *const system = open_devices("*");
	het_system *own;
	bool lost = false;
	int result;
	pid_t child;

	for (int d = 0; d < het_device_count(system); d++)
		lost |= het_device(system, d)->driver->lost_in_forks;
	ok(het_close(system));
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		const het_status status = het_open(NULL, &own);

		if (lost)
			_exit(status != HET_ERR_CONTEXT || !strstr(het_message(), "before a fork"));
		_exit(status != HET_OK);
	}
	ck_assert_int_eq(waitpid(child, &result, 0), child);
	ck_assert(WIFEXITED(result));
	ck_assert_int_eq(WEXITSTATUS(result), 0);
}
END_TEST

static void *open_and_close(void *stop)
{
	const char *reason;
	int number;

	while (!atomic_load((atomic_bool *)stop)) {
		struct het__timeline *const t = het__timeline_open("forks-%p.json", &number, &reason);

		if (t)
			het__timeline_close(t);
	}
	return NULL;
}

/* Another thread is nearly always about to open a timeline; who forks meanwhile has a child that can. */
START_TEST(test_timelines_of_children)
{
	atomic_bool stop = false;
	pthread_t thread;
	char name[40];

	ck_assert_int_eq(pthread_create(&thread, NULL, open_and_close, &stop), 0);
	for (int times = 0; times < 50; times++) {
		const pid_t child = fork();
		const char *reason;
		int number, result;

		ck_assert_int_ge(child, 0);
		if (child == 0) {
			struct het__timeline *const t = het__timeline_open("forks-%p.json", &number, &reason);

			if (t)
				het__timeline_close(t);
			snprintf(name, sizeof name, "forks-%d.json", (int)getpid());
			_exit(t && unlink(name) == 0 ? 42 : 1);
		}
		ck_assert_int_eq(waitpid(child, &result, 0), child);
		ck_assert(WIFEXITED(result));
		ck_assert_int_eq(WEXITSTATUS(result), 42);
	}
	atomic_store(&stop, true);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	snprintf(name, sizeof name, "forks-%d.json", (int)getpid());
	ck_assert_int_eq(unlink(name), 0);
}
END_TEST

static void *find_platforms(void *stop)
{
	struct het__found found;

	while (!atomic_load((atomic_bool *)stop)) {
		if (het__discover(NULL, &found))
			abort();
		het__found_free(&found);
	}
	return NULL;
}

/* Another thread is nearly always looking for devices; who forks meanwhile has a child that can. */
START_TEST(test_discovery_of_children)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return; /* these end the process where another thread than main loads drivers */
#endif
	atomic_bool stop = false;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, find_platforms, &stop), 0);
	for (int times = 0; times < 50; times++) {
		const pid_t child = fork();
		struct het__found found;
		int result;

		ck_assert_int_ge(child, 0);
		if (child == 0) {
			alarm(60);
			_exit(het__discover(NULL, &found) ? 1 : 42);
		}
		ck_assert_int_eq(waitpid(child, &result, 0), child);
		ck_assert(WIFEXITED(result));
		ck_assert_int_eq(WEXITSTATUS(result), 42);
	}
	atomic_store(&stop, true);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

static void *fork_and_wait(void *result)
{
	const pid_t child = fork();

	if (child == 0)
		_exit(42);
	if (child < 0 || waitpid(child, result, 0) != child)
		abort();
	return NULL;
}

/* A driver that forks in the middle of that, to run a program, waits neither for itself nor for others that are
 * about to fork; they wait until it is back. */
START_TEST(test_forks_of_drivers)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
	int own = 0, other = 0;
	pthread_t thread;

	het__fork_lock(&lock);
	ck_assert_int_eq(pthread_create(&thread, NULL, fork_and_wait, &other), 0);
	nanosleep(&moment, NULL);
	fork_and_wait(&own);
	het__fork_unlock(&lock);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert(WIFEXITED(own) && WEXITSTATUS(own) == 42);
	ck_assert(WIFEXITED(other) && WEXITSTATUS(other) == 42);
}
END_TEST

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *fork_beside(void *result)
{
	const pid_t child = fork();

	if (child == 0)
		_exit(pthread_mutex_trylock(&held) ? 1 : 42);
	if (child < 0 || waitpid(child, result, 0) != child)
		abort();
	return NULL;
}

/* Nor does a driver wait for ever whose own thread forks, of which the library knows nothing. */
START_TEST(test_forks_of_drivers_threads)
{
	pthread_t thread;
	int result = 0;

	het__fork_lock(&held);
	ck_assert_int_eq(pthread_create(&thread, NULL, fork_beside, &result), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	het__fork_unlock(&held);
	ck_assert(WIFEXITED(result) && WEXITSTATUS(result) == 42);
}
END_TEST

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_platforms();
	tcase_set_timeout(all, 300);
	tcase_add_test(all, test_fork);
	tcase_add_test(all, test_child_of_drivers);
	tcase_add_test(all, test_timelines_of_children);
	tcase_add_test(all, test_discovery_of_children);
	tcase_add_test(all, test_forks_of_drivers);
	tcase_add_test(all, test_forks_of_drivers_threads);
	return run_case("forks", all);
}
