/* check.c - the invariants of tasks and lanes, walked after every operation in debug builds. */

#include <stdio.h>
#include <stdlib.h>

#include "task/inside.h"

static void broken(const char *what, const struct het__task *task)
{
	fprintf(stderr, "hetero: invariant broken: %s (task %llu, a %s)\n", what,
		(unsigned long long)(task ? task->id : 0), task && task->ops ? task->ops->kind : "nothing");
	abort();
}

/* The first tasks of a long list are not noted any more: later ones have taken their milestones. */
static bool is_noted(const struct het__lane *lane, const struct het__task *t)
{
	return t->place % HET__MILESTONE || lane->places - t->place >= HET__MILESTONES * HET__MILESTONE ||
	       lane->milestone[t->place / HET__MILESTONE % HET__MILESTONES] == t;
}

static int check_lane(const struct het__lane *lane)
{
	uint64_t place = lane->head ? lane->head->place - 1 : lane->places;
	int count = 0, quiet = 0;

	for (const struct het__task *t = lane->head; t; t = t->next, count++) {
		if (t->state != HET__TASK_SUBMITTED || t->lane != lane || !t->id)
			broken("T1: a lane's list holds a task that is not submitted there", t);
		if (t->place != ++place || !is_noted(lane, t))
			broken("T1: a lane's list is not in the order of its places", t);
		if (!t->next && lane->tail != t)
			broken("T1: a lane's tail is not its last task", t);
		if (t->quiet && t->events.count)
			broken("T6: a quiet task has an event", t);
		quiet = t->quiet ? quiet + 1 : t->events.count ? 0 : quiet;
		if (quiet > HET__QUIET_MOST)
			broken("T6: too many tasks without an event", t);
	}
	if (quiet != lane->untold)
		broken("T6: a lane's count of tasks that nobody tells of is wrong", lane->tail);
	if (place != lane->places)
		broken("T1: a lane's list does not end with its last place", lane->head);
	return count;
}

static bool in_ready_list(const struct het__tasks *tasks, const struct het__task *task)
{
	for (const struct het__task *t = tasks->ready_head; t; t = t->next)
		if (t == task)
			return true;
	return false;
}

void het__tasks_check(het_system *system)
{
	const struct het__tasks *tasks = het__tasks_in(system);
	int submitted = 0, listed = 0, unfinished = 0;

	for (int i = 0; i < tasks->lanes.count; i++)
		listed += check_lane(tasks->lanes.at[i]);
	for (const struct het__task *t = tasks->ready_head; t; t = t->next)
		if (t->state != HET__TASK_HELD || t->blockers > 0)
			broken("T2: what is ready is not held, or held back", t);
	for (int i = 0; i < het__slots_count(tasks); i++) {
		const struct het__task *t = het__slot(tasks, i);

		if ((t->state == HET__TASK_FREE) != (t->id == 0))
			broken("T5: a free slot has an id", t);
		if (t->state == HET__TASK_HELD && t->blockers == 0 && !in_ready_list(tasks, t))
			broken("T2: a held task that nothing holds back", t);
		submitted += t->state == HET__TASK_SUBMITTED;
		unfinished += t->state == HET__TASK_SUBMITTED || t->state == HET__TASK_HELD;
	}
	if (submitted != listed || unfinished != tasks->unfinished) {
		fprintf(stderr,
			"hetero: invariant broken: %d tasks submitted, %d listed; %d unfinished, %d counted\n",
			submitted, listed, unfinished, tasks->unfinished);
		abort();
	}
}
