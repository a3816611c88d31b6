/* overdue.c - devices that do not answer are reported.
 *
 * A driver whose device hangs says nothing: whoever waits for the device waits on. So while somebody waits, a
 * thread of ours looks now and then whether the queues go on, and tells the log of one whose first task has
 * been the same for too long. That ends nobody's wait: the device may only be slow. A launch knows nothing of
 * this.
 */
#include "base/clock.h"
#include "base/thread.h"
#include "task/inside.h"

#define LOOKS 4 /* in the time that a device is given */

/* ---- one queue ---------------------------------------------------------------------------------- */

/* Does it wait for a task of another queue? Then that queue is to blame. */
static bool waits_for_others(const struct het__task *task)
{
	for (int i = 0; i < task->after.count; i++)
		if (het__alive(task->after.at[i].ref))
			return true;
	return false;
}

static void report(const struct het__lane *lane, double waited_ns)
{
	char text[512];

	lane->head->ops->describe(lane->head, text, sizeof text);
	het__log(lane->system->logger, HET_LOG_WARN, "task",
		 "%s has not answered for %.1f s: %s is not done; tasks behind it in the queue: %d",
		 lane->device->name, waited_ns / 1e9, text, het__lane_count(lane) - 1);
}

static void look_at(struct het__lane *lane)
{
	struct het__overdue_head *const known = &lane->first;
	const struct het__task *const head = lane->head;
	const double waited_ns = het__ns_since(known->since_ns);

	if (!head || head->id != known->id) {
		if (known->told)
			het__log(lane->system->logger, HET_LOG_WARN, "task",
				 "%s answers again, after %.1f s at the most", lane->device->name,
				 waited_ns / 1e9);
		*known = (struct het__overdue_head){head ? head->id : 0, het__host_ns(), false};
	} else if (!known->told && waits_for_others(head)) {
		known->since_ns = het__host_ns(); /* its own time has not begun */
	} else if (!known->told && waited_ns >= (double)lane->system->patience_ns) {
		report(lane, waited_ns);
		known->told = true;
	}
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* Ends finished tasks first: they are not overdue, even if nobody has looked. */
static void look(het_system *system)
{
	struct het__tasks *const tasks = het__tasks_in(system);

	het__lanes_tell(system);
	het__lanes_flush_refused(system);
	het__lanes_reap(system);
	tasks->overdue.told = false;
	for (int i = 0; i < tasks->lanes.count; i++)
		if (tasks->lanes.at[i]->device) {
			look_at(tasks->lanes.at[i]);
			tasks->overdue.told |= tasks->lanes.at[i]->first.told;
		}
	het__tasks_progress(system);
}

/* After a report the thread looks on, to tell when the device answers again. */
static bool has_to_look(const het_system *system)
{
	return system->waiting > 0 || het__tasks_in(system)->overdue.told;
}

static void sleep_a_while(het_system *system, struct het__tasks *tasks)
{
	het__cond_wait_until(&tasks->overdue.wake, &system->lock,
			     het__host_ns() + (uint64_t)system->patience_ns / LOOKS);
}

static void *watch(void *argument)
{
	het_system *const system = argument;
	struct het__tasks *const tasks = het__tasks_in(system);

	pthread_mutex_lock(&system->lock);
	while (!tasks->stop) {
		if (!has_to_look(system)) {
			tasks->overdue.idle = true;
			pthread_cond_wait(&tasks->overdue.wake, &system->lock);
			tasks->overdue.idle = false;
		}
		if (!tasks->stop)
			sleep_a_while(system, tasks);
		if (tasks->stop || !has_to_look(system))
			continue;
		look(system);
		het__leave(system); /* hands the log what was told */
		pthread_mutex_lock(&system->lock);
	}
	pthread_mutex_unlock(&system->lock);
	return NULL;
}

/* Without the thread nothing is reported, and all else goes on. */
static void start(het_system *system, struct het__overdue *overdue)
{
	overdue->tried = true;
	het__cond_init(&overdue->wake);
	overdue->has_thread = het__thread_start(&overdue->thread, watch, system) == 0;
}

void het__overdue_watch(het_system *system)
{
	struct het__overdue *const overdue = &het__tasks_in(system)->overdue;

	if (!overdue->tried && system->patience_ns > 0)
		start(system, overdue);
	else if (overdue->idle)
		pthread_cond_signal(&overdue->wake);
}

void het__overdue_stop(struct het__tasks *tasks)
{
	if (!tasks->overdue.tried)
		return;
	if (tasks->overdue.has_thread) {
		pthread_cond_signal(&tasks->overdue.wake);
		pthread_join(tasks->overdue.thread, NULL);
	}
	pthread_cond_destroy(&tasks->overdue.wake);
}
