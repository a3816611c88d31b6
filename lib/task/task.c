/* task.c - the life of a task: made, started, held, submitted, ended. */

#include <string.h>

#include "task/inside.h"

static het_status no_memory(void)
{
	return het__fail(HET_ERR_MEMORY, "no host memory for a task");
}

/* The vectors keep their memory: in steady state a task allocates nothing. */
static void give_back(struct het__task *task)
{
	het_system *const system = task->lane->system;

	for (int i = 0; i < task->events.count; i++)
		het__cl_event_release(task->events.at[i]);
	system->count.live_events -= (uint64_t)task->events.count;
	if (task->state == HET__TASK_MADE)
		het__emit_task("cancel", het__ref_of(task));
	task->events.count = task->after.count = task->inputs.count = 0;
	task->edges.count = task->holders.count = 0;
	if (task->cause) {
		het__failure_release(task->cause);
		task->cause = NULL;
	}
	task->id = 0;
	task->state = HET__TASK_FREE;
	task->awaited_by = task->read_by = 0; /* the next one in this slot is none of these */
	task->behind_user = task->done = task->watched = task->quiet = false;
	if (task->is_large)
		het__slot_trim(task);
	het__slot_give_back(het__tasks_in(system), task);
}

/* Apart, so that the usual way has no registers to save. */
static het_status __attribute__((noinline))
new_in_new_memory(struct het__lane *lane, const struct het__task_ops *ops, size_t payload_bytes,
		  struct het__task **task_p)
{
	if (het__slot_make(het__tasks_in(lane->system), payload_bytes))
		return no_memory();
	return het__task_new(lane, ops, payload_bytes, task_p);
}

het_status het__task_new(struct het__lane *lane, const struct het__task_ops *ops, size_t payload_bytes,
                         struct het__task **task_p)
{
	struct het__tasks *const tasks = het__tasks_in(lane->system);
	struct het__task *const task = tasks->free;

	if (!task || task->payload_room < payload_bytes)
		return new_in_new_memory(lane, ops, payload_bytes, task_p);
	tasks->free = task->next;
	het__slot_prefetch(task->next);
	task->id = ++tasks->next_id;
	task->state = HET__TASK_MADE;
	task->behind_user = lane->is_user;
	task->blockers = 0;
	task->ops = ops;
	task->lane = lane;
	task->start_ns = 0;
	het__emit_make(task);
	*task_p = task;
	return HET_OK;
}

void het__task_watch(struct het__task *task)
{
	task->watched = het__lane_watch(task->lane) == HET_OK;
}

/* Makes `task` wait for an event in `before`'s life that only the host can pass on. */
static het_status hold_back(struct het__task *task, struct het__task *before, bool until_submitted)
{
	struct het__edge edge = {het__ref_of(task), until_submitted};

	/* The needs of one task are told before those of the next: this one's edges are the last. */
	for (int i = before->edges.count - 1; i >= 0 && before->edges.at[i].to.id == task->id; i--)
		if (before->edges.at[i].until_submitted == until_submitted)
			return HET_OK;
	if (HET__SLOT_GROW(before, NULL, before->edges))
		return no_memory();
	if (!until_submitted && !before->watched) {
		het_status st = het__lane_watch(before->lane);
		if (st)
			return st;
		before->watched = true;
		if (before->state == HET__TASK_SUBMITTED && before->lane->device) {
			before->lane->watched++;
			pthread_cond_signal(&before->lane->wake);
		}
	}
	het__emit_pair(until_submitted ? "hold_until_submitted" : "hold_until_ended", edge.to,
		       het__ref_of(before));
	before->edges.at[before->edges.count++] = edge;
	task->blockers++;
	return HET_OK;
}

static het_status wait_for_event_of(struct het__task *task, struct het__ref before)
{
	if (before.task->awaited_by == task->id)
		return HET_OK;
	if (HET__SLOT_GROW(task, task->own_after, task->after))
		return no_memory();
	before.task->awaited_by = task->id;
	het__emit_pair("await_event", het__ref_of(task), before);
	task->after.at[task->after.count++] = (struct het__before){before, before.task->lane};
	return HET_OK;
}

het_status het__task_needs(struct het__task *task, struct het__ref before)
{
	struct het__task *first = before.task;
	bool same_lane, same_context;

	if (!het__alive(before) || first == task)
		return HET_OK;
	same_lane = first->lane == task->lane;
	same_context = same_lane || (first->lane->context && first->lane->context == task->lane->context);
	task->behind_user |= first->behind_user;
	if (!same_context)
		return hold_back(task, first, false);
	if (!same_lane) {
		het_status st = wait_for_event_of(task, before);
		if (st)
			return st;
	}
	/* Only what is in the queue already is implied by its order; a held task may come much later. */
	if (first->state != HET__TASK_SUBMITTED)
		return hold_back(task, first, true);
	het__emit_pair("follow", het__ref_of(task), before);
	return HET_OK;
}

het_status het__task_needs_the_end(struct het__task *task, struct het__ref before)
{
	if (!het__alive(before) || before.task->lane == task->lane)
		return het__task_needs(task, before);
	return het__task_needs_it_over(task, before);
}

het_status het__task_needs_it_over(struct het__task *task, struct het__ref before)
{
	if (!het__alive(before) || before.task == task)
		return HET_OK;
	task->behind_user |= before.task->behind_user;
	return hold_back(task, before.task, false);
}

het_status het__task_reads(struct het__task *task, struct het__ref producer)
{
	if (!het__alive(producer))
		return HET_OK;
	het__emit_pair("depend", het__ref_of(task), producer);
	if (producer.task->cause) {
		if (!task->cause)
			het__emit_pair("taint", het__ref_of(task), producer);
		het__task_doom(task, producer.task->cause);
		return HET_OK;
	}
	if (producer.task->read_by == task->id)
		return HET_OK;
	if (HET__SLOT_GROW(task, task->own_input, task->inputs))
		return no_memory();
	producer.task->read_by = task->id;
	task->inputs.at[task->inputs.count++] = producer;
	return HET_OK;
}

het_status het__task_more_holders(struct het__task *task)
{
	return HET__SLOT_GROW(task, task->own_holder, task->holders) ? no_memory() : HET_OK;
}

void het__tasks_forget_holder(struct het__tasks *tasks, const struct het__holder *holder)
{
	for (int s = 0; s < het__slots_count(tasks); s++) {
		struct het__task *const task = het__slot(tasks, s);
		int kept = 0;

		for (int i = 0; i < task->holders.count; i++) /* a free slot has none */
			if (task->holders.at[i] != holder)
				task->holders.at[kept++] = task->holders.at[i];
		task->holders.count = kept;
	}
}

het_status het__task_more_payload(struct het__task *task, size_t bytes)
{
	return het__slot_payload(task, bytes) ? no_memory() : HET_OK;
}

het_status het__task_more_events(struct het__task *task, size_t count)
{
	if (count > HET__COMMANDS_MOST)
		return het__fail(HET_ERR_UNSUPPORTED,
				 "it takes %zu commands of OpenCL, one for each run of elements, because of "
				 "how these lie in memory; %d are possible",
				 count, HET__COMMANDS_MOST);
	if (het__slot_grow(task, task->own_event, &task->events.at, &task->events.room,
			   task->events.count + (int)count, sizeof(cl_event)))
		return no_memory();
	return HET_OK;
}

void het__task_doom(struct het__task *task, struct het__failure *cause)
{
	if (!task->cause)
		task->cause = het__failure_retain(cause);
}

het_status het__task_kept(struct het__task *task, het_status status)
{
	if (!status || task->events.count == 0)
		return status;
	het__task_spoil(task);
	return HET_OK;
}

/* What the task reads that is known to be lost though it has not ended, or nothing. */
static struct het__ref lost_input(const struct het__task *task)
{
	for (int i = 0; i < task->inputs.count; i++)
		if (het__alive(task->inputs.at[i]) && task->inputs.at[i].task->cause)
			return task->inputs.at[i];
	return (struct het__ref){NULL, 0};
}

static void emit_spoilt(struct het__task *task)
{
	const struct het__ref input = lost_input(task);

	if (input.task && input.task->cause == task->cause)
		het__emit_pair("taint", het__ref_of(task), input);
	else
		het__emit_cause("fail", het__ref_of(task), task->cause);
}

void het__task_spoil(struct het__task *task)
{
	const struct het__ref input = lost_input(task);

	if (task->cause)
		return;
	if (input.task) {
		het__task_doom(task, input.task->cause);
	} else {
		task->cause = het__failure_capture();
		if (task->ops->moves)
			het__failure_set_of_move(task->cause);
	}
	if (task->state == HET__TASK_SUBMITTED || task->events.count == 0) /* else append_to_lane does */
		emit_spoilt(task);
}

void het__task_blame(struct het__task *task, struct het__failure *cause)
{
	const struct het__ref input = lost_input(task);

	if (task->cause)
		return;
	het__task_doom(task, input.task ? input.task->cause : cause);
	emit_spoilt(task);
}

void het__task_cancel(struct het__task *task)
{
	if (task->ops->drop)
		task->ops->drop(task);
	give_back(task);
}

het_status het__task_start(struct het__task *task)
{
	if (!het__task_must_wait(task))
		return het__task_start_now(task);
	task->state = HET__TASK_HELD;
	het__emit_task("hold", het__ref_of(task));
	task->lane->system->count.held += task->blockers > 0;
	if (task->cause) {
		task->blockers = 0; /* edges to it find nothing to count down */
		het__task_ready(task);
	}
	het__task_count_in(task);
	return HET_OK;
}

static struct het__awaited *awaited_of(const struct het__lane *lane, const struct het__lane *other)
{
	for (int i = 0; i < lane->awaited.count; i++)
		if (lane->awaited.at[i].lane == other)
			return &lane->awaited.at[i];
	return NULL;
}

static bool is_unfinished(const struct het__before *before)
{
	return het__alive(before->ref);
}

/* Does the order of a queue imply `before`, so that the driver need not be told? That of the task's own queue
 * does if an earlier task there waited for it; that of the other one if the task waits for a later task. */
static bool is_implied(struct het__task *task, const struct het__before *before)
{
	const struct het__awaited *const known = awaited_of(task->lane, before->lane);
	const struct het__ref *last = &before->ref;

	if (known && het__alive(known->by) && last->task->place <= known->place) {
		het__emit_three("imply_by_queue", het__ref_of(task), before->ref, known->by);
		return true;
	}
	for (int i = 0; i < task->after.count; i++) {
		const struct het__before *const other = &task->after.at[i];

		if (other->lane == before->lane && is_unfinished(other) &&
		    other->ref.task->place > last->task->place)
			last = &other->ref;
	}
	if (last == &before->ref)
		return false;
	het__emit_three("imply_by_event", het__ref_of(task), before->ref, *last);
	return true;
}

/* The events that the driver is told of. Their queues are flushed: a wait on a command that its driver has not
 * been told to start might never end. A flush that is refused is tried again by whoever waits. *only_p: the
 * only task among them, or NULL. */
static het_status collect_events(struct het__task *task, struct het__after *after,
				 const struct het__before **only_p)
{
	struct het__tasks *tasks = het__tasks_in(task->lane->system);
	int awaited = 0;

	tasks->wait_list.count = 0;
	*only_p = NULL;
	for (int i = 0; i < task->after.count; i++) {
		const struct het__before *const before = &task->after.at[i];
		cl_event event;

		if (!is_unfinished(before) || is_implied(task, before))
			continue;
		if (HET__VEC_GROW(tasks->wait_list))
			return no_memory();
		*only_p = awaited++ == 0 ? before : NULL;
		event = het__task_wanted(before->ref.task);
		if (!event) /* it has ended */
			continue;
		tasks->wait_list.at[tasks->wait_list.count++] = event;
		het__lane_flush(before->ref.task->lane);
	}
	if (tasks->wait_list.count > 0)
		het__lane_tell(task->lane); /* what is quiet there does not wait for those */
	after->count = (cl_uint)tasks->wait_list.count;
	after->events = after->count ? tasks->wait_list.at : NULL;
	return HET_OK;
}

/* Without memory nothing is noted, and later tasks wait for that event once more. */
static void note_awaited(struct het__task *task, const struct het__before *only)
{
	struct het__lane *const lane = task->lane;
	struct het__awaited *known = awaited_of(lane, only->lane);

	if (!known) {
		if (HET__VEC_GROW(lane->awaited))
			return;
		known = &lane->awaited.at[lane->awaited.count++];
	}
	*known = (struct het__awaited){only->lane, only->ref.task->place, het__ref_of(task)};
}

static inline void append_to_lane(struct het__lane *lane, struct het__task *task)
{
	task->state = HET__TASK_SUBMITTED;
	het__emit_task("submit", het__ref_of(task));
	if (task->cause) /* only a part of its commands could be given to the driver */
		emit_spoilt(task);
	task->next = NULL;
	task->place = ++lane->places;
	if (task->place % HET__MILESTONE == 0)
		lane->milestone[task->place / HET__MILESTONE % HET__MILESTONES] = task;
	if (lane->tail)
		lane->tail->next = task;
	else
		lane->head = task;
	lane->tail = task;
}

/* Lets go of those that only waited for this task to be in its queue. */
static void unblock_after_submission(struct het__task *task)
{
	int kept = 0;

	for (int i = 0; i < task->edges.count; i++) {
		struct het__edge edge = task->edges.at[i];

		if (!edge.until_submitted)
			task->edges.at[kept++] = edge;
		else if (het__alive(edge.to) && edge.to.task->blockers > 0 && --edge.to.task->blockers == 0)
			het__task_ready(edge.to.task);
	}
	task->edges.count = kept;
}

/* What some drivers' ways need done behind a submission. */
static void heed_driver(struct het__lane *lane, struct het__task *task)
{
	if (lane->by_host)
		task->start_ns = het__host_ns();
	if (task->quiet)
		lane->untold++;
	else if (task->events.count)
		lane->untold = 0;
	if (lane->eager)
		het__lane_flush(lane);
}

static het_status submit_to_device(struct het__lane *lane, struct het__task *task)
{
	struct het__after after = {0, NULL};
	const struct het__before *only = NULL;
	het_status st = task->after.count ? collect_events(task, &after, &only) : HET_OK;

	if (!st)
		st = task->ops->submit(task, after);
	if (st)
		return st;
	append_to_lane(lane, task);
	lane->unflushed = true;
	if (!lane->is_plain)
		heed_driver(lane, task);
	if (only)
		note_awaited(task, only);
	if (task->watched) {
		lane->watched++;
		pthread_cond_signal(&lane->wake);
	}
	return HET_OK;
}

/* All that only the host can pass on has ended, users' functions too: now the task counts for the window. */
static void leave_users_behind(struct het__task *task)
{
	task->behind_user = false;
	het__tasks_in(task->lane->system)->behind_user -= task->state == HET__TASK_HELD;
}

het_status het__task_submit(struct het__task *task)
{
	struct het__lane *lane = task->lane;

	if (task->behind_user && !lane->is_user)
		leave_users_behind(task);
	if (lane->device) {
		het_status st = submit_to_device(lane, task);

		if (st)
			return st;
	} else {
		append_to_lane(lane, task);
		pthread_cond_signal(&lane->wake);
	}
	if (task->edges.count)
		unblock_after_submission(task);
	return HET_OK;
}
