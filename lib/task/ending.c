/* ending.c - programs that end without het_close while their devices are at work.
 *
 * Drivers end in exit handlers of their own, where PoCL and its compiler free what kernels that still run are
 * using: programs that returned from main crashed. So the queues are to run empty before. Handlers are called
 * from the last to the first, and the compiler registers its own whenever it is first needed, on a thread of
 * PoCL's; but exit calls before all handlers what its thread has left to be done at its end, as C++ does for
 * thread_local objects. There the main thread waits; a program that ends in another thread waits in a handler,
 * which may be late.
 *
 * The waiting itself is left to a thread, for a device may never answer, and OpenCL has no waits with a limit.
 * What waits for something in another queue or for a function is not begun any more.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "system/handle.h"
#include "task/inside.h"

/* The systems with a task room; in a child also those of its parent. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct het__tasks *list;
static atomic_uint list_generation; /* of the process that made the last entry */

static void lock_list(void)
{
	pthread_mutex_lock(&list_lock);
}

static void unlock_list(void)
{
	pthread_mutex_unlock(&list_lock);
}

/* ---- one system --------------------------------------------------------------------------------- */

/* Who waits for queues. Whoever comes second, the thread or the one that waits for it, frees it. */
struct finisher {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool over, given_up;
	int count;
	struct het__queue queue[];
};

static void drop(struct finisher *f)
{
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->lock);
	het__free(f);
}

static void *finish(void *argument)
{
	struct finisher *const f = argument;
	bool given_up;

	for (int i = 0; i < f->count; i++)
		(void)het__cl_finish(&f->queue[i]);
	pthread_mutex_lock(&f->lock);
	f->over = true;
	given_up = f->given_up;
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
	if (given_up)
		drop(f);
	return NULL;
}

/* The queues with unfinished tasks; NULL where there is none. With the lock. */
static struct finisher *gather(const struct het__tasks *tasks)
{
	struct finisher *f = het__alloc_zeroed(1, sizeof *f + (size_t)tasks->lanes.count * sizeof f->queue[0]);

	for (int i = 0; f && i < tasks->lanes.count; i++)
		if (tasks->lanes.at[i]->device && tasks->lanes.at[i]->head)
			f->queue[f->count++] = tasks->lanes.at[i]->queue;
	if (f && f->count == 0) {
		het__free(f);
		f = NULL;
	}
	return f;
}

/* False where they take too long. */
static bool has_finished(struct finisher *f, uint64_t patience_ns)
{
	const uint64_t until = het__host_ns() + patience_ns;
	const struct timespec at = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
	bool over;

	pthread_mutex_lock(&f->lock);
	while (!f->over && het__host_ns() < until)
		(void)pthread_cond_timedwait(&f->wake, &f->lock, &at);
	over = f->over;
	f->given_up = !over;
	pthread_mutex_unlock(&f->lock);
	if (over)
		drop(f);
	return over;
}

static void let_finish(const het_system *system, struct finisher *f)
{
	const uint64_t usual = UINT64_C(30000000000);
	pthread_t thread;

	pthread_mutex_init(&f->lock, NULL);
	het__cond_init(&f->wake);
	if (het__thread_start(&thread, finish, f)) {
		drop(f);
		return;
	}
	pthread_detach(thread);
	if (has_finished(f, system->patience_ns > 0 ? (uint64_t)system->patience_ns : usual))
		return;
	het__log(system->logger, HET_LOG_WARN, "task",
		 "the program ends, without het_close, while a device is at work that does not answer");
	het__log_flush(system->logger);
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* Another thread may have been stopped inside a call for good, or this one ends the program inside a callback,
 * with the system's lock. A child that has no system of its own keeps away: the devices are its parent's. */
static void end_of_program(void)
{
	if (atomic_load(&list_generation) != het__fork_generation())
		return;
	lock_list();
	for (struct het__tasks *tasks = list; tasks; tasks = tasks->next) {
		struct finisher *f = NULL;
		struct timespec until;

		if (tasks->generation != het__fork_generation())
			continue;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		if (pthread_mutex_timedlock(&tasks->system->lock, &until) == 0) {
			f = gather(tasks);
			pthread_mutex_unlock(&tasks->system->lock);
		}
		if (f)
			let_finish(tasks->system, f);
	}
	unlock_list();
}

/* glibc's: what a thread is to do at its end. The library stays loaded until then. */
extern int __cxa_thread_atexit_impl(void (*at_end)(void *), void *about, void *library) __attribute__((weak));
extern void *__dso_handle;

static void end_of_thread(void *about)
{
	(void)about;
	end_of_program();
}

static void register_main_thread(void)
{
	static _Thread_local bool registered;

	if (!registered && __cxa_thread_atexit_impl && syscall(SYS_gettid) == getpid())
		registered = __cxa_thread_atexit_impl(end_of_thread, NULL, &__dso_handle) == 0;
}

void het__ending_enlist(het_system *system, struct het__tasks *tasks)
{
	static bool registered;

	register_main_thread();
	lock_list();
	tasks->system = system;
	tasks->generation = het__fork_generation();
	atomic_store(&list_generation, tasks->generation);
	tasks->next = list;
	list = tasks;
	if (!registered)
		registered = atexit(end_of_program) == 0 &&
			     pthread_atfork(lock_list, unlock_list, unlock_list) == 0;
	unlock_list();
}

void het__ending_delist(struct het__tasks *tasks)
{
	struct het__tasks **at = &list;

	lock_list();
	while (*at && *at != tasks)
		at = &(*at)->next;
	if (*at)
		*at = tasks->next;
	unlock_list();
}
