/* test_process.c - what the library leaves alone of the process that it is in: signals, the umask. */
#include "stopped.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

static het_status touch(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	((int *)args[0].data)[0] = 1;
	return HET_OK;
}

/* A device's waiter, the host's worker, and who looks after devices that do not answer. */
static void start_all_threads(void)
{
	het_array *array;

	open_on("three-platforms", 0, 1000000);
	array = zero_array(sys, N);
	for (int d = 0; d < het_device_count(sys); d++)
		ok(het_launch(bump, het_device(sys, d), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_call(sys, touch, NULL, HET_INOUT(array)));
	ok(het_wait_all(sys));
}

#define COUNT_OF(numbers) ((int)(sizeof(numbers) / sizeof(numbers)[0]))

static void block(const int *numbers, int count)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < count; i++)
		sigaddset(&set, numbers[i]);
	ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
}

/* Each of them comes to this thread, which waits for it. */
static void await_each(const int *numbers, int count)
{
	for (int i = 0; i < count; i++) {
		sigset_t set;
		int got;

		sigemptyset(&set);
		sigaddset(&set, numbers[i]);
		ck_assert_int_eq(kill(getpid(), numbers[i]), 0);
		ck_assert_int_eq(sigwait(&set, &got), 0);
		ck_assert_int_eq(got, numbers[i]);
	}
}

/* A program whose only other threads are the library's waits for a signal: that stays for it. */
START_TEST(signals_are_the_programs)
{
	const int numbers[] = {SIGUSR1, SIGTERM, SIGINT, SIGALRM, SIGCHLD, SIGIO};

	start_all_threads();
	block(numbers, COUNT_OF(numbers)); /* too late for other threads */
	await_each(numbers, COUNT_OF(numbers));
	close_three();
}
END_TEST

/* What the program had blocked before it opened a system, threads of the library have blocked, too: also what
 * they do get otherwise. */
START_TEST(blocked_signals_stay_blocked)
{
	const int numbers[] = {SIGPROF, SIGABRT, SIGTRAP, SIGUSR1};

	block(numbers, COUNT_OF(numbers));
	start_all_threads();
	await_each(numbers, COUNT_OF(numbers));
	close_three();
}
END_TEST

/* In place of the C library's. */
static int umasks;

mode_t umask(mode_t mask)
{
	umasks++;
	return (mode_t)syscall(SYS_umask, mask);
}

static mode_t mode_of(const char *path)
{
	struct stat facts;

	ck_assert_int_eq(stat(path, &facts), 0);
	return facts.st_mode & 0777;
}

/* What other threads make meanwhile would be open to all. */
START_TEST(the_umask_stays)
{
	const mode_t masks[] = {022, 077, 0};
	char path[300];

	for (int i = 0; i < 3; i++) {
		syscall(SYS_umask, masks[i]);
		umasks = 0;
		snprintf(path, sizeof path, "%s/file%d", het_test_folder(), i);
		ck_assert(het__file_replace(path, "text", 4));
		ck_assert_int_eq(mode_of(path), 0666 & ~masks[i]);
		ck_assert(het__file_replace(path, "more", 4));
		ck_assert(het__file_may_replace(path));
		ck_assert_int_eq(umasks, 0);
	}
	start_all_threads();
	close_three();
	ck_assert_int_eq(umasks, 0);
}
END_TEST

/* Sanitizers have a pthread_create of their own in its place. */
#if !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__
static int refusals; /* so many threads are refused */

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *about)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (refusals > 0) {
		refusals--;
		return EAGAIN;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	return real(thread, how, run, about);
}

/* A call that needs one more thread than there may be has changed nothing, and can be made again. */
START_TEST(threads_may_be_refused)
{
	het_array *array;

	open_on("three-platforms", 0, 1000000);
	array = zero_array(sys, N);
	refusals = 2; /* the first may be who looks after devices: without that all goes on */
	fails(het_call(sys, touch, NULL, HET_INOUT(array)), HET_ERR_SYSTEM,
	      "cannot start a thread that waits for the host's tasks");
	refusals = 0;
	assert_counts(array, 0, 0);
	ok(het_call(sys, touch, NULL, HET_INOUT(array)));
	ck_assert_int_eq(element(array, 0), 1);
	ok(het_launch(bump, het_device(sys, 0), het_grid(1, N), HET_OUT(array), HET_VAL(1)));
	refusals = 1; /* other platforms: what it makes is waited for by a thread */
	fails(het_launch(bump, het_device(sys, 1), het_grid(1, N), HET_INOUT(array), HET_VAL(1)),
	      HET_ERR_SYSTEM, "cannot start a thread that waits for ");
	refusals = 0;
	ok(het_launch(bump, het_device(sys, 1), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait_all(sys));
	close_three();
}
END_TEST
#define THREADS_TEST threads_may_be_refused
#endif

int main(void)
{
	const TTest *const tests[] = {
		signals_are_the_programs,
		blocked_signals_stay_blocked,
		the_umask_stays,
#ifdef THREADS_TEST
		THREADS_TEST,
#endif
	};

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_tests("process", COUNT_OF(tests), tests);
}
