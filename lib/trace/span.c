/* span.c - tasks as they start and end, on the rows of the timeline. */
#include "trace/watcher.h"

#include <stdio.h>

#include "base/alloc.h"

/* ---- spans ------------------------------------------------------------------------------------- */

void het__spans_clear(het__spans *spans)
{
	while (spans->count > 0)
		het__span_release(spans->at[--spans->count]);
}

bool het__spans_add(het__spans *spans, struct het__span *span)
{
	for (int i = 0; i < spans->count; i++)
		if (spans->at[i] == span)
			return true;
	if (het__grow(&spans->at, &spans->room, spans->count + 1, sizeof *spans->at))
		return false;
	spans->at[spans->count++] = het__span_use(span);
	return true;
}

/* Frees what only matters until a span has ended. */
static void slim(struct het__span *span)
{
	het__spans_clear(&span->makers);
	het__free(span->makers.at);
	het__free(span->args.at);
	het__free(span->why.at);
	span->makers = (het__spans){NULL, 0, 0};
	span->args = span->why = (struct het__text){.at = NULL};
}

void het__span_release(struct het__span *span)
{
	if (!span || --span->users > 0)
		return;
	slim(span);
	het__free(span);
}

/* ---- rows -------------------------------------------------------------------------------------- */

void het__track_name(struct het__watch *watch, int track, const char *name, int rank)
{
	struct het__text *text = het__timeline_begin(watch->timeline);

	het__text_add(text, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":",
		      watch->number, track);
	het__text_quote(text, name);
	het__text_add(text,
		      "}},\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{"
		      "\"sort_index\":%d}}",
		      watch->number, track, rank);
	(void)het__timeline_end(watch->timeline);
}

/* A device's copies are shown below its kernels. */
static void name_track(struct het__watch *watch, int i, const struct het__lane *lane)
{
	const het_device *const device = lane->device;
	const int last = 2 * watch->system->device_count;
	char name[128];

	if (!device)
		het__track_name(watch, i + 1, lane->is_user ? "host functions" : "host copies",
				last + 1 + lane->is_user);
	else if (lane == device->lane)
		het__track_name(watch, i + 1, device->name, 2 * device->index + 1);
	else {
		snprintf(name, sizeof name, "%s copies", device->name);
		het__track_name(watch, i + 1, name, 2 * device->index + 2);
	}
}

int het__track_of(struct het__watch *watch, const struct het__lane *lane)
{
	const int devices = watch->system->device_count;
	int i = devices + lane->is_user;

	if (lane->device)
		i = lane->device->index + (lane == lane->device->lane ? 0 : devices + 2);
	if (!watch->track[i].named)
		name_track(watch, i, lane);
	watch->track[i].named = true;
	return i + 1;
}

/* ---- a task's life ----------------------------------------------------------------------------- */

static struct het__span *new_span(struct het__watch *watch, struct het__task *task)
{
	struct het__span *span = het__alloc_zeroed(1, sizeof *span);

	if (!span) {
		het__timeline_drop(watch->timeline);
		return NULL;
	}
	span->users = 1;
	span->made_ns = het__host_ns();
	span->since_ns = task->state == HET__TASK_HELD ? span->made_ns : watch->looked_ns;
	watch->looked_ns = span->made_ns;
	span->track = het__track_of(watch, task->lane);
	task->span = span;
	return span;
}

static bool makes_values(const struct het__access *access, const struct het__span *span)
{
	return access->mode != HET__ACCESS_IN && (access->value || span->is_transfer);
}

/* The makers of what is read: of arrays, and of what halves and steps of one copy hand on, which only the
 * inputs know. Of the latter those in the same queue are left out: its order says enough. */
static void find_makers(struct het__watch *watch, struct het__span *span, const struct het__task *task,
			const struct het__access *access, int count)
{
	bool kept = true;

	for (int i = 0; i < count; i++)
		if (access[i].mode == HET__ACCESS_IN || access[i].mode == HET__ACCESS_INOUT)
			kept &= het__makers_find(access[i].store->block, access[i].box, &span->makers, NULL);
	for (int i = 0; i < task->inputs.count; i++) {
		const struct het__ref maker = task->inputs.at[i];

		if (het__alive(maker) && maker.task->lane != task->lane && maker.task->span)
			kept &= het__spans_add(&span->makers, maker.task->span);
	}
	if (!kept)
		het__timeline_drop(watch->timeline);
}

void het__watch_start(struct het__task *task, const struct het__access *access, int count)
{
	struct het__watch *const watch = task->lane->system->watch;
	struct het__span *span;

	if (task->ops->name)
		het__table_launch(watch, task->ops->name(task, NULL));
	if (watch->wants_lines)
		het__words_log(task, access, count);
	span = watch->timeline ? new_span(watch, task) : NULL;
	if (!span)
		return;
	het__words(span, task, access, count);
	find_makers(watch, span, task, access, count);
	for (int i = 0; i < count; i++)
		if (makes_values(&access[i], span))
			het__makers_set(access[i].store->block, access[i].box, span);
}

/* A device's clock may run a little faster or slower than the host's: nothing begins before the host has
 * asked for it, or ends after the host has seen it. */
static void follow_clock(struct het__track *track, uint64_t since, uint64_t start, uint64_t end, uint64_t now)
{
	const int64_t least = (int64_t)(since - start), most = (int64_t)(now - end);

	if (track->offset_ns < least)
		track->offset_ns = least;
	if (track->offset_ns > most)
		track->offset_ns = most;
}

/* As the device tells it, or as the host saw it. False: it did not run, or nobody can tell. */
static bool measure(struct het__span *span, const struct het__task *task, struct het__track *track,
		    uint64_t now)
{
	const int count = task->events.count;
	uint64_t start, end;

	if (task->lane->device ? count == 0 : task->start_ns == 0)
		return false;
	span->begin_ns = task->start_ns ? task->start_ns : span->made_ns;
	span->end_ns = now;
	if (!task->lane->device || !track->has_clock)
		return true;
	if (!het__cl_event_times(task->events.at[0], task->events.at[count - 1], &start, &end))
		return false;
	follow_clock(track, span->since_ns, start, end, now);
	span->begin_ns = start + (uint64_t)track->offset_ns;
	span->end_ns = end + (uint64_t)track->offset_ns;
	return true;
}

/* When the task began and ended. A command that failed has no times, but its place in the queue; what did
 * not run at all failed now. Neither moves last_ns. */
static void find_times(struct het__watch *watch, struct het__span *span, const struct het__task *task)
{
	struct het__track *const track = &watch->track[span->track - 1];
	const uint64_t now = watch->looked_ns = het__host_ns();

	if (!measure(span, task, track, now)) {
		span->begin_ns = span->made_ns > track->last_ns ? span->made_ns : track->last_ns;
		span->begin_ns = span->end_ns = task->events.count ? span->begin_ns : now;
		return;
	}
	if (span->begin_ns < track->last_ns)
		span->begin_ns = track->last_ns;
	if (span->end_ns < span->begin_ns)
		span->end_ns = span->begin_ns;
	track->last_ns = span->end_ns;
}

static void show(struct het__watch *watch, struct het__span *span)
{
	struct het__text *text = het__timeline_begin(watch->timeline);

	het__text_add(text, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":", watch->number, span->track);
	het__text_us(text, span->begin_ns);
	het__text_add(text, ",\"dur\":");
	het__text_us(text, span->end_ns - span->begin_ns);
	het__text_add(text, ",\"cat\":\"%s\",\"name\":", span->category);
	het__text_quote(text, span->name);
	het__text_add(text, ",\"args\":{");
	het__text_copy(text, &span->args);
	het__text_add(text, "}}");
	span->shown = het__timeline_end(watch->timeline);
}

void het__watch_kernel_time(het_system *system, const char *kernel, uint64_t ns)
{
	het__table_time(system->watch, kernel, ns);
}

void het__watch_end(struct het__task *task)
{
	struct het__watch *const watch = task->lane->system->watch;
	struct het__span *const span = task->span;

	if (!span)
		return;
	task->span = NULL;
	find_times(watch, span, task);
	het__words_end(span, task);
	show(watch, span);
	het__flow_end(watch, span);
	slim(span);
	het__span_release(span);
}

/* In an in-order queue only the first goes on: the others have not begun, as far as anybody knows. */
void het__span_unfinished(struct het__watch *watch, struct het__task *task, uint64_t now)
{
	struct het__span *const span = task->span;
	struct het__track *const track = &watch->track[span->track - 1];
	const bool goes_on = task->state == HET__TASK_SUBMITTED && task == task->lane->head;

	span->begin_ns = span->end_ns = now;
	if (goes_on) {
		span->begin_ns = span->made_ns > track->last_ns ? span->made_ns : track->last_ns;
		track->last_ns = now;
	}
	het__text_add(&span->args, ",\"unfinished\":\"the system was not closed\"");
	show(watch, span);
	task->span = NULL;
	slim(span);
	het__span_release(span);
}
