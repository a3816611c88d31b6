/* progress.c - who moves held tasks on, and how callers wait.
 *
 * Nobody polls, unless a wait in the driver would (waits_spin). A device lane gets a waiter thread once a task
 * is held until one of its tasks has ended; it sleeps in the driver on the event of the first such task,
 * without the lock. Host lanes have a worker that runs their tasks. Both submit what their tasks' ends made
 * ready. Everybody else waits for the event itself (behind many tasks first for that of one of the last), or,
 * for a held task, until a task has been submitted or has ended.
 */

#include "base/thread.h"
#include "task/inside.h"

#define MANY 8 /* with no more tasks before it, a task's own event is waited for; */
#define FEW 3  /* with more, first that of the task so many launches before it. Each wait costs some */
               /* switches of threads, about what it takes to end MANY tasks */
#define SPAN 16 /* so many tasks before it are searched for those launches */
#define CROWD (3 * HET__MILESTONE) /* of so many tasks most are ended first, */
#define STAY 8                     /* while the device runs one in STAY of them, and at least HET__MILESTONE */

void het__task_ready(struct het__task *task)
{
	struct het__tasks *tasks = het__tasks_in(task->lane->system);

	task->next = NULL;
	if (tasks->ready_tail)
		tasks->ready_tail->next = task;
	else
		tasks->ready_head = task;
	tasks->ready_tail = task;
}

static void submit_or_spoil(const void *about)
{
	struct het__task *const task = *(struct het__task *const *)about;

	if (het__task_submit(task))
		het__task_spoil(task);
}

/* The tasks may be other threads': what fails here must not touch the error record of this thread's call. */
void het__tasks_submit_ready(het_system *system)
{
	struct het__tasks *tasks = het__tasks_in(system);

	while (tasks->ready_head) {
		struct het__task *task = tasks->ready_head;

		tasks->ready_head = task->next;
		if (!tasks->ready_head)
			tasks->ready_tail = NULL;
		task->next = NULL;
		if (!task->cause)
			het__error_aside(submit_or_spoil, &task);
		if (task->state == HET__TASK_HELD)
			het__task_end(task);
		else if (tasks->sleepers > 0)
			pthread_cond_broadcast(&tasks->ended);
	}
}

/* The device lane's waiter. */
static void watch_events(struct het__lane *lane)
{
	struct het__task *task = lane->head;
	cl_event event;

	while (task && !task->watched)
		task = task->next;
	event = task ? het__task_wanted(task) : NULL;
	if (!event) {
		het__lane_reap(lane);
		return;
	}
	het__cl_event_retain(event);
	het__lane_flush(lane);
	het__leave(lane->system);
	het__lane_wait_event(lane, event);
	pthread_mutex_lock(&lane->system->lock);
	het__cl_event_release(event);
	het__lane_reap(lane);
}

/* The host lane's worker. A task stays at the head while it runs, so that it is not ended by anybody else. */
static void run_head(struct het__lane *lane)
{
	struct het__task *task = lane->head;
	het_status st = HET_OK;

	if (!task->cause) {
		het__leave(lane->system);
		if (lane->is_user)
			het__callback_begin();
		if (lane->system->watch)
			task->start_ns = het__host_ns();
		st = task->ops->run(task);
		if (lane->is_user)
			het__callback_end();
		pthread_mutex_lock(&lane->system->lock);
	}
	if (st)
		het__task_spoil(task);
	het__task_end(task);
}

void *het__lane_work(void *argument)
{
	struct het__lane *lane = argument;
	struct het__tasks *tasks = het__tasks_in(lane->system);
	bool has_told = false;

	pthread_mutex_lock(&lane->system->lock);
	while (!tasks->stop) {
		if (lane->device ? lane->watched > 0 : lane->head != NULL) {
			if (lane->device)
				watch_events(lane);
			else
				run_head(lane);
			het__tasks_progress(lane->system);
			has_told = false;
		} else if (!has_told && het__tell_news(lane->system)) {
			has_told = true; /* meanwhile there may be work */
		} else {
			pthread_cond_wait(&lane->wake, &lane->system->lock);
		}
	}
	pthread_mutex_unlock(&lane->system->lock);
	return NULL;
}

het_status het__lane_watch(struct het__lane *lane)
{
	if (lane->has_thread)
		return HET_OK;
	if (het__thread_start(&lane->thread, het__lane_work, lane))
		return het__fail(HET_ERR_SYSTEM, "cannot start a thread that waits for %s",
		                 lane->device ? lane->device->name : "the host's tasks");
	lane->has_thread = true;
	return HET_OK;
}

void het__tasks_sleep(het_system *system, uint64_t until_ns)
{
	struct het__tasks *const tasks = het__tasks_in(system);

	tasks->sleepers++;
	system->waiting++;
	if (until_ns)
		het__cond_wait_until(&tasks->ended, &system->lock, until_ns);
	else
		pthread_cond_wait(&tasks->ended, &system->lock);
	het__back(system, &system->waiting);
	tasks->sleepers--;
}

/* The last task of the lane with FEW launches behind it, up to and with `task`; copies, which may be of a few
 * bytes, do not count. If the last SPAN tasks have fewer launches, the task FEW places before it; NULL: these
 * are all that the lane has left. */
static struct het__task *few_before(const struct het__task *task)
{
	const struct het__lane *const lane = task->lane;
	const uint64_t from = task->place > SPAN ? task->place - SPAN : 0;
	const uint64_t milestone = from / HET__MILESTONE;
	struct het__task *early = lane->head;
	int launches = 0;

	if (milestone * HET__MILESTONE > early->place)
		early = lane->milestone[milestone % HET__MILESTONES];
	while (early->place < from)
		early = early->next;
	for (const struct het__task *t = early; t != task; t = t->next)
		launches += !t->next->ops->moves;
	if (launches < FEW && early == lane->head)
		return NULL;
	for (; early->place + FEW < task->place; early = early->next) {
		const int next = !early->next->ops->moves;

		if (launches >= FEW && launches - next < FEW)
			break;
		launches -= next;
	}
	return early;
}

/* With a CROWD before a task: the milestone behind which about one in STAY of it is left, or the first one that
 * the lane still knows. */
static struct het__task *most_before(const struct het__task *task, uint64_t count)
{
	const uint64_t known = (HET__MILESTONES - 2) * HET__MILESTONE;
	const uint64_t wanted = count / STAY > HET__MILESTONE ? count / STAY : HET__MILESTONE;
	const uint64_t left = wanted < known ? wanted : known;

	return task->lane->milestone[(task->place - left) / HET__MILESTONE % HET__MILESTONES];
}

/* The event to wait for next on the way to a submitted task's end. The task's own, unless the lane has more
 * than MANY tasks before it and next to none behind it: then one that tells of an earlier task, in a CROWD one
 * behind which an eighth is left, else the one FEW launches before. To end the tasks up to there takes the host
 * a microsecond each, while the device runs the rest, and not when the device has nothing left to do and the
 * caller could give it more. */
static cl_event event_before(struct het__task *task)
{
	const cl_event own = het__task_wanted(task);
	const struct het__lane *const lane = task->lane;
	const uint64_t count = task->place - lane->head->place;
	struct het__task *early;
	cl_event event;

	if (!own || lane->places - task->place > FEW || count <= MANY)
		return own;
	early = count >= CROWD ? most_before(task, count) : few_before(task);
	event = early ? het__task_event(early) : NULL;
	return event ? event : own;
}

void het__task_wait(het_system *system, struct het__ref ref)
{
	const bool watched = system->watch && het__alive(ref);

	if (watched)
		het__watch_pause(system, ref.task);
	if (het__alive(ref))
		het__overdue_watch(system);
	while (het__alive(ref)) {
		struct het__lane *lane = ref.task->lane;
		cl_event event;
		bool has_time;

		if (ref.task->state != HET__TASK_SUBMITTED || !lane->device) {
			het__tasks_progress(system);
			(void)het__tell_news(system);
			if (het__alive(ref) && (ref.task->state != HET__TASK_SUBMITTED || !lane->device))
				het__tasks_sleep(system, 0);
			continue;
		}
		event = event_before(ref.task);
		if (!event) {
			het__lane_reap(lane);
			het__tasks_progress(system);
			continue;
		}
		has_time = event != het__task_wanted(ref.task);
		het__lane_flush(lane);
		het__cl_event_retain(event);
		system->waiting++;
		het__leave(system);
		het__lane_wait_event(lane, event);
		pthread_mutex_lock(&system->lock);
		het__back(system, &system->waiting);
		het__cl_event_release(event);
		if (has_time) /* for what others have done as well */
			het__lanes_reap(system);
		else
			het__lane_reap(lane);
		het__tasks_progress(system);
	}
	if (watched)
		het__watch_resume(system);
}

/* A task of the lane behind which about a quarter of the window stays when it has ended; NULL: the lane has no
 * more than that. One wait for a late task disturbs the device least: each event waited for costs two threads a
 * switch. By T1 the milestone is still in the list. */
static struct het__task *late_task(const struct het__lane *lane)
{
	const uint64_t behind = HET__WINDOW / 4;

	if ((uint64_t)het__lane_count(lane) <= behind)
		return NULL;
	return lane->milestone[(lane->places - behind + HET__MILESTONE - 1) / HET__MILESTONE % HET__MILESTONES];
}

static struct het__ref any_held(const struct het__tasks *tasks, bool also_behind_user)
{
	struct het__ref none = {NULL, 0};

	for (int i = 0; i < het__slots_count(tasks); i++) {
		struct het__task *task = het__slot(tasks, i);
		if (task->state == HET__TASK_HELD && (also_behind_user || !task->behind_user))
			return het__ref_of(task);
	}
	return none;
}

/* Some unfinished task. */
static struct het__ref any_unfinished(const struct het__tasks *tasks)
{
	for (int i = 0; i < tasks->lanes.count; i++)
		if (tasks->lanes.at[i]->head)
			return het__ref_of(tasks->lanes.at[i]->tail);
	return any_held(tasks, true);
}

/* What to wait for until there is room. Tasks behind a user's function count apart: it may be waiting for the
 * caller. */
static struct het__ref one_in_the_way(const struct het__tasks *tasks)
{
	for (int i = 0; i < tasks->lanes.count; i++) {
		const struct het__lane *lane = tasks->lanes.at[i];
		struct het__task *task = late_task(lane);

		if (!task || task->behind_user)
			task = lane->head;
		if (task && !task->behind_user)
			return het__ref_of(task);
	}
	return any_held(tasks, false);
}

static void wait_for_half(het_system *system, const struct het__tasks *tasks)
{
	while (tasks->unfinished - tasks->behind_user >= HET__WINDOW / 2) {
		struct het__ref ref = one_in_the_way(tasks);
		if (!ref.task)
			break;
		het__task_wait(system, ref);
	}
}

void het__tasks_wait_for_room(het_system *system)
{
	struct het__tasks *tasks = het__tasks_in(system);
	const bool is_full = tasks->unfinished - tasks->behind_user >= HET__WINDOW;
	struct het__doing doing;

	if (het__in_callback())
		return;
	het__doing(&doing, system, "window full", "", "");
	het__lanes_reap(system);
	if (is_full) {
		het__tasks_progress(system);
		wait_for_half(system, tasks);
	}
	if (tasks->behind_user >= HET__BEHIND_MOST)
		het__tasks_wait_for_functions(system);
	het__doing_end(&doing);
	het__tasks_progress(system);
}

/* Takes failure number i out of those that wait to be told. */
static struct het__failure *take_unreported(struct het__tasks *tasks, int i)
{
	struct het__failure *failure = tasks->unreported[i];

	for (tasks->unreported_count--; i < tasks->unreported_count; i++)
		tasks->unreported[i] = tasks->unreported[i + 1];
	return failure;
}

void het__tasks_report(het_system *system, struct het__failure *told)
{
	struct het__tasks *tasks = het__tasks_in(system);

	het__failure_tell(told);
	for (int i = 0; tasks && i < tasks->unreported_count; i++)
		if (tasks->unreported[i] == told) {
			het__failure_release(take_unreported(tasks, i));
			return;
		}
}

void het__tasks_wait_all(het_system *system)
{
	const struct het__tasks *const tasks = het__tasks_in(system);

	het__tasks_progress(system);
	while (tasks->unfinished > 0)
		het__task_wait(system, any_unfinished(tasks));
}

/* Waits for everything; returns the first failure that nobody has been told of. With the lock. */
static het_status wait_all(het_system *system)
{
	struct het__tasks *tasks = het__tasks_in(system);
	struct het__failure *cause;
	het_status st;

	if (!tasks)
		return HET_OK;
	het__tasks_wait_all(system);
	if (tasks->unreported_count == 0)
		return HET_OK;
	cause = take_unreported(tasks, 0);
	het__failure_tell(cause);
	if (tasks->unreported_count == 0)
		st = het__fail_because(HET_ERR_LOST, cause, "an earlier task failed");
	else
		st = het__fail_because(HET_ERR_LOST, cause, "the first of %d failures",
				       tasks->unreported_count + 1);
	het__failure_release(cause);
	return st;
}

het_status het_wait_all(het_system *system)
{
	struct het__doing doing;
	het_status st = het__may_wait("het_wait_all");

	if (!st)
		st = het__enter(system, "het_wait_all");
	if (st)
		return het__refuse(system, st);
	het__doing(&doing, system, "het_wait_all", "reads", "");
	st = wait_all(system);
	het__doing_end(&doing);
	return het__leave_with(system, st);
}

/* het_close can return only one failure. */
static void log_unreported(het_system *system)
{
	struct het__tasks *tasks = het__tasks_in(system);

	while (tasks->unreported_count > 0) {
		struct het__failure *failure = take_unreported(tasks, 0);

		het__log(system->logger, HET_LOG_ERROR, "task", "nobody was told of this failure: %s",
		         het__failure_text(failure));
		het__failure_release(failure);
	}
}

static void drain_room(het_system *system)
{
	struct het__doing doing;

	het__doing(&doing, system, "het_close", "reads", "");
	het__tasks_wait_all(system);
	het__doing_end(&doing);
}

static het_status settle_room(het_system *system)
{
	het_status st;

	pthread_mutex_lock(&system->lock);
	st = wait_all(system);
	log_unreported(system);
	het__leave(system); /* het_close itself tells of what it returns */
	return st;
}

static void free_lane(struct het__lane *lane)
{
	if (lane->has_thread)
		pthread_join(lane->thread, NULL);
	het__failure_release(lane->failed);
	if (lane->device)
		lane->device->lane = lane->device->copies = NULL;
	het__lane_drop(lane);
}

static void free_room(het_system *system)
{
	struct het__tasks *tasks = het__tasks_in(system);

	pthread_mutex_lock(&system->lock);
	tasks->stop = true;
	for (int i = 0; i < tasks->lanes.count; i++)
		pthread_cond_signal(&tasks->lanes.at[i]->wake);
	pthread_mutex_unlock(&system->lock);
	het__ending_delist(tasks);
	het__overdue_stop(tasks);
	for (int i = 0; i < tasks->lanes.count; i++)
		free_lane(tasks->lanes.at[i]);
	het__slots_free(tasks);
	pthread_cond_destroy(&tasks->ended);
	het__free(tasks->lanes.at);
	het__free(tasks->wait_list.at);
	het__free(tasks);
	system->room[HET__ROOM_TASK].state = NULL;
}

het_status het__tasks_of(het_system *system, struct het__tasks **tasks_p)
{
	struct het__room_state *room = &system->room[HET__ROOM_TASK];

	if (!room->state) {
		struct het__tasks *tasks = het__alloc_zeroed(1, sizeof *tasks);

		if (!tasks)
			return het__fail(HET_ERR_MEMORY, "no host memory for the system's tasks");
		het__cond_init(&tasks->ended);
		room->state = tasks;
		room->drain = drain_room;
		room->settle = settle_room;
		room->free = free_room;
		het__ending_enlist(system, tasks);
	}
	*tasks_p = room->state;
	return HET_OK;
}
