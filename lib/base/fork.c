/* fork.c - see fork.h. One set of handlers for all locks: to register more would wait for a fork that is under
 * way, which waits for the locks that it knows of.
 */
#include "base/fork.h"

#include <stdbool.h>

#include "base/thread.h"

enum { GUARDED_MOST = 8, PATIENCE = 15 }; /* seconds */

atomic_uint het__forks;
static atomic_bool watched;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; /* taken before those of the list */
static struct guard {
	pthread_mutex_t *lock;
	bool may_last; /* taken by het__fork_lock: who has it may wait for a fork, or for who forks */
	bool is_taken; /* by who forks */
} guarded[GUARDED_MOST];
static int guarded_count;

/* Handlers may be registered several times. */
static _Thread_local int depth;
static _Thread_local int inside; /* locks that this thread has by het__fork_lock */

/* Drivers come up within PATIENCE, or wait for this fork. */
static bool lock_patiently(pthread_mutex_t *lock)
{
	bool is_taken = false;

	for (int seconds = 0; seconds < PATIENCE && !is_taken; seconds++)
		is_taken = het__lock_for_a_second(lock);
	return is_taken;
}

static void before_fork(void)
{
	if (inside > 0 || depth++ > 0)
		return;
	pthread_mutex_lock(&list_lock);
	for (int i = 0; i < guarded_count; i++) {
		struct guard *const g = &guarded[i];

		g->is_taken = g->may_last ? lock_patiently(g->lock) : pthread_mutex_lock(g->lock) == 0;
	}
}

static void after_fork(void)
{
	if (inside > 0 || --depth > 0)
		return;
	for (int i = guarded_count; i > 0; i--)
		if (guarded[i - 1].is_taken)
			pthread_mutex_unlock(guarded[i - 1].lock);
	pthread_mutex_unlock(&list_lock);
}

static void begin_child(void)
{
	atomic_fetch_add_explicit(&het__forks, 1, memory_order_relaxed);
	for (int i = 0; i < guarded_count && inside == 0; i++)
		if (!guarded[i].is_taken) /* by a thread that is not here */
			(void)pthread_mutex_init(guarded[i].lock, NULL);
	after_fork();
}

/* Several threads may be the first. No pthread_once: a child that was forked in the middle of it may wait for
 * a thread that it does not have. */
static void watch_forks(void)
{
	if (atomic_load_explicit(&watched, memory_order_acquire))
		return;
	/* fails only without memory: forks are then not seen */
	(void)pthread_atfork(before_fork, after_fork, begin_child);
	atomic_store_explicit(&watched, true, memory_order_release);
}

unsigned het__fork_generation(void)
{
	watch_forks();
	return atomic_load_explicit(&het__forks, memory_order_relaxed);
}

static void guard(pthread_mutex_t *lock, bool may_last)
{
	bool known = false;

	watch_forks();
	pthread_mutex_lock(&list_lock);
	for (int i = 0; i < guarded_count; i++)
		known |= guarded[i].lock == lock;
	if (!known && guarded_count < GUARDED_MOST)
		guarded[guarded_count++] = (struct guard){lock, may_last, true};
	pthread_mutex_unlock(&list_lock);
}

void het__fork_guards(pthread_mutex_t *lock)
{
	guard(lock, false);
}

void het__fork_lock(pthread_mutex_t *lock)
{
	guard(lock, true);
	pthread_mutex_lock(lock);
	inside++;
}

void het__fork_unlock(pthread_mutex_t *lock)
{
	inside--;
	pthread_mutex_unlock(lock);
}
