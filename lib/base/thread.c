/* thread.c - see thread.h. */
#include "base/thread.h"

#include <signal.h>
#include <time.h>

int het__thread_start(pthread_t *thread, void *(*run)(void *), void *about)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
	sigset_t others, before;
	int code;

	sigfillset(&others);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (!sigismember(&before, own[i])) /* what its maker blocks, to wait for it, is its maker's */
			sigdelset(&others, own[i]);
	pthread_sigmask(SIG_SETMASK, &others, NULL); /* a new thread gets its maker's mask */
	code = pthread_create(thread, NULL, run, about);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

void het__cond_init(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

void het__cond_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until_ns)
{
	const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};

	(void)pthread_cond_timedwait(condition, lock, &until);
}

bool het__lock_for_a_second(pthread_mutex_t *lock)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	return pthread_mutex_timedlock(lock, &until) == 0;
}
