/* end.c - how a task ends, and whom that concerns.
 *
 * A task that failed poisons what it promised; so does every task that read one of its promises, whether or
 * not the driver ran it. Successes cost nothing here: only when a task fails are the unfinished ones
 * searched for those that have it among their inputs (T3).
 */

#include "task/inside.h"

#define OF_WAIT_LIST (-14) /* CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST */

/* T4: a task ends after what it read. Its producers' commands have finished - the device waited for them
 * - but perhaps nobody has looked yet. */
static void end_inputs(struct het__task *task)
{
	for (int i = 0; i < task->inputs.count; i++)
		while (het__alive(task->inputs.at[i]) &&
		       task->inputs.at[i].task->state == HET__TASK_SUBMITTED) {
			struct het__task *head = task->inputs.at[i].task->lane->head;
			cl_event event;

			if (het__lane_end_first(head->lane))
				continue;
			event = het__task_wanted(head);
			het__lane_flush(head->lane);
			if (event) /* the driver denies that it has ended */
				het__cl_event_wait(event);
			het__task_end(head);
		}
}

/* The driver has seen the end of something that a task waited for on another lane; we may not have looked yet.
 * What is ended here was submitted before the task, and needs nothing of it. */
static void end_awaited(const struct het__task *task)
{
	for (int i = 0; i < task->after.count; i++) {
		const struct het__before *before = &task->after.at[i];

		while (het__alive(before->ref) && before->ref.task->state == HET__TASK_SUBMITTED &&
		       het__lane_end_first(before->ref.task->lane))
			;
	}
}

/* The failure behind that of a task's wait list: of a task it waited for on another lane, or else of one before
 * it on its own. */
static struct het__failure *failed_before(const struct het__task *task)
{
	struct het__failure *there = NULL;

	for (int i = 0; i < task->after.count; i++) {
		const struct het__before *before = &task->after.at[i];

		if (before->lane->failed_id == before->ref.id)
			return before->lane->failed;
		there = there ? there : before->lane->failed;
	}
	return there ? there : task->lane->failed;
}

/* Did a command fail? It has finished: this is the last word. */
static bool has_failed(struct het__task *task, cl_event event, int *code)
{
	enum het__event_state state = het__lane_ask(task->lane, event, code);

	if (state == HET__EVENT_PENDING) {
		het__cl_event_wait(event); /* the driver told of its end, and now denies it */
		state = het__lane_ask(task->lane, event, code);
	}
	return state != HET__EVENT_DONE;
}

struct failed {
	struct het__task *task;
	int code, others; /* so many quiet ones behind it may have failed in its place */
};

/* For het__error_aside: who sees the failure did not cause it, and the record belongs to his own call. */
static void spoil(const void *about)
{
	const struct failed *const failed = about;
	struct het__task *const task = failed->task;
	char text[512];

	task->ops->describe(task, text, sizeof text);
	if (failed->others == 0)
		(void)het__fail_cl(HET_ERR_DEVICE, failed->code, task->ops->kind, task->lane->device->name,
				   "%s failed", text);
	else
		(void)het__fail_cl(HET_ERR_DEVICE, failed->code, task->ops->kind, task->lane->device->name,
				   "%s, or one of the %d behind it, failed", text, failed->others);
	het__task_spoil(task);
}

/* A failed event tells of several tasks, and the driver does not say which of them failed: all have, of one
 * cause. */
static void find_cause_of_quiet(struct het__task *task)
{
	struct het__task *const teller = het__task_teller(task);
	struct failed failed = {task, 0, 0};

	if (task->cause || !teller || !has_failed(task, het__task_event(teller), &failed.code))
		return;
	for (const struct het__task *t = task; t != teller; t = t->next)
		failed.others++;
	if (failed.code == OF_WAIT_LIST && task->lane->failed)
		het__task_blame(task, task->lane->failed);
	else
		het__error_aside(spoil, &failed);
	for (struct het__task *t = task->next; failed.others > 0; t = t->next, failed.others--)
		het__task_blame(t, task->cause);
}

/* The cause of a task whose commands failed: its own, unless the driver only says that another task's failure
 * made it fail. */
static void find_cause(struct het__task *task)
{
	int code = 0;

	if (task->quiet && !task->done)
		find_cause_of_quiet(task);
	for (int i = 0; i < task->events.count - task->done && !task->cause; i++) {
		if (!has_failed(task, task->events.at[i], &code))
			continue;
		if (code == OF_WAIT_LIST)
			end_awaited(task);
		if (task->cause) /* one of those made what it read */
			return;
		if (code == OF_WAIT_LIST && failed_before(task)) {
			het__task_blame(task, failed_before(task));
			return;
		}
		het__error_aside(spoil, &(struct failed){task, code, 0});
	}
}

static void unlink_from_lane(struct het__task *task)
{
	struct het__lane *lane = task->lane;

	lane->head = task->next;
	if (!lane->head)
		lane->tail = NULL;
	if (task->watched && lane->device)
		lane->watched--;
}

static void taint_readers(struct het__tasks *tasks, struct het__task *task)
{
	for (int s = 0; s < het__slots_count(tasks); s++) {
		struct het__task *reader = het__slot(tasks, s);

		if (!reader->id || reader->cause)
			continue;
		for (int i = 0; i < reader->inputs.count; i++)
			if (reader->inputs.at[i].id == task->id && !reader->cause) {
				het__task_doom(reader, task->cause);
				het__emit_pair("taint", het__ref_of(reader), het__ref_of(task));
			}
		if (reader->cause && reader->state == HET__TASK_HELD && reader->blockers > 0) {
			reader->blockers = 0;
			het__task_ready(reader);
		}
	}
}

/* One cause is kept once, however many tasks it reached. */
static void keep_for_report(struct het__tasks *tasks, const struct het__task *task)
{
	if (het__failure_is_told(task->cause))
		return;
	for (int i = 0; i < tasks->unreported_count; i++)
		if (tasks->unreported[i] == task->cause)
			return;
	if (tasks->unreported_count < HET__UNREPORTED)
		tasks->unreported[tasks->unreported_count++] = het__failure_retain(task->cause);
	else
		het__log(task->lane->system->logger, HET_LOG_ERROR, "task",
			 "one of too many failures to keep: %s", het__failure_text(task->cause));
}

static void remember_failure(struct het__tasks *tasks, struct het__task *task)
{
	task->lane->system->count.failures++;
	keep_for_report(tasks, task);
	het__failure_release(task->lane->failed);
	task->lane->failed = het__failure_retain(task->cause);
	task->lane->failed_id = task->id;
}

static void unblock_edges(struct het__task *task)
{
	for (int i = 0; i < task->edges.count; i++) {
		struct het__ref to = task->edges.at[i].to;

		if (het__alive(to) && to.task->blockers > 0 && --to.task->blockers == 0)
			het__task_ready(to.task);
	}
}

void het__task_end(struct het__task *task)
{
	const struct het__lane *const lane = task->lane;
	struct het__tasks *const tasks = het__tasks_in(lane->system);
	const struct het__ref ref = het__ref_of(task);

	het__slot_prefetch(task->next); /* the next to end */
	if (!task->cause && task->inputs.count)
		end_inputs(task); /* a doomed task needs nothing of them, and they may not even have begun */
	if (task->state == HET__TASK_SUBMITTED)
		unlink_from_lane(task);
	if (lane->device && !(task->done && task->events.count == 1))
		find_cause(task);
	het__emit_cause("end", ref, task->cause);
	if (task->cause) {
		taint_readers(tasks, task);
		remember_failure(tasks, task);
	}
	for (int i = 0; i < task->holders.count; i++)
		task->holders.at[i]->ended(task->holders.at[i], ref, task->cause);
	if (lane->system->watch)
		het__watch_end(task);
	het__emit_task("leave", ref);
	unblock_edges(task);
	tasks->unfinished--;
	tasks->behind_user -= task->behind_user;
	het__task_cancel(task);
	if (tasks->sleepers > 0)
		pthread_cond_broadcast(&tasks->ended);
}
