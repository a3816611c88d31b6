/* function.c - waiting for what lies behind a user's function.
 *
 * That function may be waiting for the caller, and then the caller must not wait for it. So he waits as long
 * as functions begin and end; when one has run for system->patience_ns since somebody waited, or has not begun
 * because of a device, nobody waits behind it any more.
 */

#include "task/inside.h"

static const struct het__task *running(const struct het__tasks *tasks)
{
	return tasks->user ? tasks->user->head : NULL;
}

/* Where users' functions are: the id of the one that runs, or, if none does, a number made of how many there
 * were. No two stages have the same number. */
static uint64_t stage(const struct het__tasks *tasks)
{
	const struct het__task *const now = running(tasks);

	return now ? now->id : ~(tasks->user ? tasks->user->places : 0);
}

bool het__function_is_stuck(const struct het__tasks *tasks)
{
	return tasks->function.stuck && tasks->function.stage == stage(tasks);
}

static void give_up(het_system *system, const struct het__tasks *tasks, struct het__function *known)
{
	known->stuck = true;
	het__log(system->logger, HET_LOG_WARN, "task",
		 "a function of the program's has %s for %.1f s, and %d tasks wait for it: calls that need "
		 "room go on without, for it may wait for them",
		 running(tasks) ? "run" : "waited", het__ns_since(known->since_ns) / 1e9,
		 tasks->behind_user - 1);
}

/* Waits until some task ends or starts; false when nobody should wait behind the function any more. */
static bool wait_a_step(het_system *system, struct het__tasks *tasks)
{
	const int64_t patience = het__patience_ns(system);
	struct het__function *const known = &tasks->function;

	if (known->stage != stage(tasks))
		*known = (struct het__function){stage(tasks), het__host_ns(), false};
	if (!known->stuck && het__ns_since(known->since_ns) >= (double)patience)
		give_up(system, tasks, known);
	if (known->stuck)
		return false;
	het__tasks_sleep(system, known->since_ns + (uint64_t)patience);
	het__tasks_progress(system);
	(void)het__tell_news(system);
	return true;
}

bool het__task_wait_behind_user(het_system *system, struct het__ref ref)
{
	struct het__tasks *const tasks = het__tasks_in(system);
	const bool watched = system->watch && het__alive(ref);
	bool goes_on = true;

	if (watched)
		het__watch_pause(system, ref.task);
	het__overdue_watch(system);
	het__tasks_progress(system);
	(void)het__tell_news(system);
	while (goes_on && het__alive(ref) && ref.task->behind_user)
		goes_on = wait_a_step(system, tasks);
	if (watched)
		het__watch_resume(system);
	if (goes_on)
		het__task_wait(system, ref);
	return goes_on;
}

void het__tasks_wait_for_functions(het_system *system)
{
	struct het__tasks *const tasks = het__tasks_in(system);

	het__overdue_watch(system);
	het__tasks_progress(system);
	(void)het__tell_news(system);
	while (tasks->behind_user >= HET__BEHIND_MOST / 2 && wait_a_step(system, tasks))
		;
}
