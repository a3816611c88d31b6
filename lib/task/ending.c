/* ending.c - programs that end without het_close while their devices are at work.
 *
 * Drivers end in exit handlers of their own, where PoCL and its compiler free what kernels that still run
 * are using: programs that returned from main crashed. So the library first (base/at_end.h) waits for the
 * tasks that there are by then, except those that a function of the program's keeps from beginning. A thread
 * does the waiting, because a device may never answer, and OpenCL has no waits with a limit.
 */
#include <stdatomic.h>

#include "base/at_end.h"
#include "base/clock.h"
#include "base/fork.h"
#include "base/thread.h"
#include "system/system.h"
#include "task/inside.h"

/* The systems with a task room; in a child also those of its parent. Who holds list_lock may ask for a system's
 * lock, for a second at most; who holds a system's lock, for list_lock only before the system is listed. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct het__tasks *list;
static atomic_uint list_generation; /* of the process that made the last entry */

/* ---- who waits in the driver -------------------------------------------------------------------- */

/* Whoever comes second, the thread or the one that waits for it, frees it. */
struct finisher {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool over, given_up;
	int count;
	struct het__queue queue[];
};

static void drop(struct finisher *f)
{
	for (int i = 0; i < f->count; i++)
		het__cl_queue_release(&f->queue[i]);
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

/* Until the queues are empty, or the host's clock shows `until_ns`. */
static void wait_for(struct finisher *f, uint64_t until_ns)
{
	pthread_t thread;
	bool over;

	if (het__thread_start(&thread, finish, f)) { /* the next look sees what has ended */
		drop(f);
		het__nap(1000000);
		return;
	}
	pthread_detach(thread);
	pthread_mutex_lock(&f->lock);
	while (!f->over && het__host_ns() < until_ns)
		het__cond_wait_until(&f->wake, &f->lock, until_ns);
	over = f->over;
	f->given_up = !over;
	pthread_mutex_unlock(&f->lock);
	if (over)
		drop(f);
}

/* ---- one system --------------------------------------------------------------------------------- */

/* Is it one of the tasks up to number `last` that are waited for? */
static bool is_awaited(const struct het__task *task, uint64_t last)
{
	if (task->id > last || !task->lane || !task->lane->device)
		return false;
	return task->state == HET__TASK_SUBMITTED || (task->state == HET__TASK_HELD && !task->behind_user);
}

static bool is_any_awaited(const struct het__tasks *tasks, uint64_t last)
{
	for (int i = 0; i < het__slots_count(tasks); i++)
		if (is_awaited(het__slot(tasks, i), last))
			return true;
	return false;
}

/* The queues with unfinished tasks; NULL where there is none, or no memory. With the lock. */
static struct finisher *gather(const struct het__tasks *tasks)
{
	struct finisher *const f =
		het__alloc_zeroed(1, sizeof *f + (size_t)tasks->lanes.count * sizeof f->queue[0]);

	if (!f)
		return NULL;
	pthread_mutex_init(&f->lock, NULL);
	het__cond_init(&f->wake);
	for (int i = 0; i < tasks->lanes.count; i++) {
		const struct het__lane *const lane = tasks->lanes.at[i];

		if (!lane->device || !lane->head)
			continue;
		het__cl_queue_retain(&lane->queue);
		f->queue[f->count] = lane->queue;
		f->queue[f->count++].device = NULL; /* a finisher that is given up may outlive the device */
	}
	if (f->count > 0)
		return f;
	drop(f);
	return NULL;
}

/* When the queues are empty, what held tasks waited for has ended; so these fill the queues again: a loop. */
static bool let_finish(het_system *system, const struct het__tasks *tasks, uint64_t last, uint64_t until_ns)
{
	while (het__host_ns() < until_ns) {
		struct finisher *f;

		pthread_mutex_lock(&system->lock);
		het__lanes_tell(system);
		het__lanes_reap(system);
		het__tasks_progress(system);
		if (!is_any_awaited(tasks, last)) {
			het__leave(system);
			return true;
		}
		f = gather(tasks);
		het__leave(system);
		if (f)
			wait_for(f, until_ns);
		else
			het__nap(1000000);
	}
	return false;
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* True: the system's tasks up to number *last are to be waited for, and it stays until het__let_go. Its lock is
 * tried for a second only: another thread may have been stopped for good inside a call, or this one ends the
 * program inside a callback, with the lock. */
static bool take(const struct het__tasks *tasks, uint64_t *last)
{
	het_system *const system = tasks->system;
	bool taken;

	if (!het__lock_for_a_second(&system->lock))
		return false;
	taken = tasks->unfinished > 0 && atomic_load(&system->magic) == HET__MAGIC_SYSTEM;
	*last = tasks->next_id;
	system->holding += taken;
	pthread_mutex_unlock(&system->lock);
	return taken;
}

/* The next system that is taken; NULL: there is no more. */
static struct het__tasks *take_next(unsigned pass, uint64_t *last)
{
	struct het__tasks *tasks;

	pthread_mutex_lock(&list_lock);
	for (tasks = list; tasks; tasks = tasks->next) {
		if (tasks->pass == pass || tasks->given_up || tasks->generation != het__fork_generation())
			continue;
		tasks->pass = pass;
		if (take(tasks, last))
			break;
	}
	pthread_mutex_unlock(&list_lock);
	return tasks;
}

static void give_up(struct het__tasks *tasks)
{
	pthread_mutex_lock(&list_lock);
	tasks->given_up = true;
	pthread_mutex_unlock(&list_lock);
	het__log(tasks->system->logger, HET_LOG_WARN, "task",
		 "the program ends before het_close was called, while a device at work does not answer");
}

/* A child that has no system of its own keeps away: the devices are its parent's. */
static void end_of_program(void)
{
	static atomic_uint passes;
	const uint64_t begun_ns = het__host_ns();
	unsigned pass;
	struct het__tasks *tasks;
	uint64_t last;

	if (atomic_load(&list_generation) != het__fork_generation())
		return;
	pass = atomic_fetch_add(&passes, 1) + 1;
	while ((tasks = take_next(pass, &last)) != NULL) {
		het_system *const system = tasks->system;

		if (!let_finish(system, tasks, last, begun_ns + (uint64_t)het__patience_ns(system)))
			give_up(tasks);
		(void)het__let_go(system, HET_OK);
	}
}

void het__ending_enlist(het_system *system, struct het__tasks *tasks)
{
	het__at_end(end_of_program);
	het__fork_guards(&list_lock);
	pthread_mutex_lock(&list_lock);
	tasks->system = system;
	tasks->generation = het__fork_generation();
	atomic_store(&list_generation, tasks->generation);
	tasks->next = list;
	list = tasks;
	pthread_mutex_unlock(&list_lock);
}

void het__ending_delist(struct het__tasks *tasks)
{
	struct het__tasks **at = &list;

	pthread_mutex_lock(&list_lock);
	while (*at && *at != tasks)
		at = &(*at)->next;
	if (*at)
		*at = tasks->next;
	pthread_mutex_unlock(&list_lock);
}
