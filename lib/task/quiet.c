/* quiet.c - launches without an event of their own.
 *
 * With NVIDIA's driver a launch takes a third longer with an event than without. One that waits for no event of
 * others may do without: it is quiet, and the next command of its in-order queue that has an event tells of its
 * end. Where somebody wants to know before there is one, a marker behind the last launch gets it. So a task is
 * known to have ended a little later than it has, and who waits for one may wait for some behind it; where that
 * happens, the lane's launches get events for a while, each time for twice as long.
 *
 * While a function of the user's may put commands into the queue (het_native) launches have events: a marker
 * would wait for those commands.
 *
 * This needs a driver (`events_dear`) where no command of a context succeeds behind one that has failed.
 */

#include "task/inside.h"

#define LOUD_FIRST 64 /* so many launches get events after the first wait that asked for more */
#define LOUD_MOST (1 << 20)
#define TRIES 3       /* to get a marker */
#define NEAR (4 * HET__QUIET_MOST) /* a task with no more behind it that is waited for is wanted soon */

bool het__task_chooses_quiet(struct het__task *task, struct het__after after)
{
	struct het__lane *const lane = task->lane;

	if (lane->timed || lane->system->watch || task->watched || after.count > 0 || lane->natives > 0 ||
	    lane->untold == HET__QUIET_MOST)
		return false;
	if (lane->loud == 0)
		return true;
	lane->loud--;
	return false;
}

/* A task without commands tells of nobody. */
struct het__task *het__task_teller_behind(struct het__task *task)
{
	while (task && task->events.count == 0)
		task = task->next;
	return task;
}

cl_event het__task_event(struct het__task *task)
{
	const struct het__task *const teller = het__task_teller(task);

	return teller && teller->events.count ? teller->events.at[teller->events.count - 1] : NULL;
}

/* Gives the last task, which has room for it, a marker's event. A driver without room for a marker may have
 * some when all commands have ended. */
static void mark(const void *about)
{
	struct het__lane *const lane = *(struct het__lane *const *)about;
	const struct het__after nothing = {0, NULL};
	cl_event event;

	for (int tries = 0; tries < TRIES; tries++) {
		if (!het__cl_marker(&lane->queue, nothing, &event)) {
			het__task_add_event(lane->tail, event);
			lane->tail->quiet = false;
			lane->unflushed = true;
			return;
		}
		if (tries < TRIES - 1)
			(void)het__cl_finish(&lane->queue);
	}
	for (struct het__task *task = lane->head; task; task = task->next)
		if (!het__task_teller(task)) { /* nobody will ever tell of it */
			het__task_spoil(task);
			task->quiet = false;
		}
}

void het__lane_tell(struct het__lane *lane)
{
	if (lane->untold == 0)
		return;
	het__error_aside(mark, &lane);
	lane->untold = 0;
}

void het__lanes_tell(het_system *system)
{
	const struct het__tasks *const tasks = het__tasks_in(system);

	for (int i = 0; i < tasks->lanes.count; i++) {
		struct het__lane *const lane = tasks->lanes.at[i];

		if (lane->untold == 0)
			continue;
		het__lane_tell(lane);
		het__lane_flush(lane);
	}
}

static void make_loud(struct het__lane *lane)
{
	lane->loud = lane->loud_next ? lane->loud_next : LOUD_FIRST;
	lane->loud_next = lane->loud < LOUD_MOST ? 2 * lane->loud : LOUD_MOST;
}

cl_event het__task_wanted(struct het__task *task)
{
	struct het__lane *const lane = task->lane;
	cl_event event;

	if (task->quiet && !het__task_teller(task))
		het__lane_tell(lane);
	if (task->quiet && lane->loud == 0 && lane->places - task->place <= NEAR)
		make_loud(lane);
	event = het__task_event(task);
	return event || task == lane->head ? event : het__task_wanted(lane->head);
}

void het__lane_native_begins(struct het__lane *lane)
{
	if (!lane->may_be_quiet)
		return;
	pthread_mutex_lock(&lane->system->lock);
	lane->natives++;
	het__lane_tell(lane);
	het__leave(lane->system);
}

void het__lane_native_ends(struct het__lane *lane)
{
	if (!lane->may_be_quiet)
		return;
	pthread_mutex_lock(&lane->system->lock);
	lane->natives--;
	het__leave(lane->system);
}
