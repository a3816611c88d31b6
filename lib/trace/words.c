/* words.c - what is said of a task: its name, and beside it the accesses, or of a transfer where from, where
 * to, by which route and why.
 */
#include "trace/watcher.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "route/choose.h"

/* " [0:64, *]", or nothing for a whole array. */
static void add_box(struct het__text *text, const struct het__value *value, const struct het__box *box)
{
	if (het__box_equal(value->rank, box, &value->whole))
		return;
	for (int d = 0; d < value->rank; d++) {
		const bool whole = box->lo[d] == value->whole.lo[d] && box->hi[d] == value->whole.hi[d];

		het__text_add(text, d ? ", " : " [");
		if (whole)
			het__text_add(text, "*");
		else
			het__text_add(text, "%" PRId64 ":%" PRId64, box->lo[d], box->hi[d]);
	}
	het__text_add(text, "]");
}

/* Plain text that is to be quoted: ended by a NUL, empty where it did not fit. */
static const char *end_plain(struct het__text *text)
{
	het__text_add(text, "%c", '\0');
	if (text->lost)
		return "";
	text->length--;
	return text->at;
}

/* A box without the blank before it: "*" for a whole array, empty where it did not fit. */
static const char *box_words(struct het__text *box)
{
	const char *const words = box->length > 0 || box->lost ? end_plain(box) : " *";

	return words[0] ? words + 1 : words;
}

static void add_member(struct het__text *args, const char *name, const char *words)
{
	het__text_add(args, ",\"%s\":", name);
	het__text_quote(args, words);
}

/* "out y, in x [0:64, *]" */
static void list_accesses(struct het__text *list, const struct het__access *access, int count)
{
	static const char *const modes[] = {"", "in", "out", "inout", "out"}; /* the last: HET__ACCESS_JOIN */
	const char *before = "";

	for (int i = 0; i < count; i++) {
		if (!access[i].value)
			continue;
		het__text_add(list, "%s%s %s", before, modes[access[i].mode], access[i].value->label);
		add_box(list, access[i].value, access[i].box);
		before = ", ";
	}
}

static void add_accesses(struct het__span *span, const struct het__access *access, int count)
{
	struct het__text list = {.at = NULL};

	list_accesses(&list, access, count);
	if (list.length > 0)
		add_member(&span->args, "arrays", end_plain(&list));
	het__free(list.at);
}

/* ---- transfers --------------------------------------------------------------------------------- */

/* The first access to an array: the source's, if that is an array. */
static const struct het__access *named(const struct het__access *access, int count)
{
	for (int i = 0; i < count; i++)
		if (access[i].value)
			return &access[i];
	return NULL;
}

/* "y [0:64, *] gpu0 -> host, chunked, because residual arg 2 uses it" */
static void add_way(struct het__text *way, const struct het__copy *copy, const struct het__access *what,
		    const char *why)
{
	if (what) {
		het__text_add(way, "%s", what->value->label);
		add_box(way, what->value, what->box);
	}
	het__text_add(way, " %s -> %s", het__memory_name(copy->source), het__memory_name(copy->target));
	het__text_add(way, ", %s", copy->route->name);
	if (why[0])
		het__text_add(way, ", because %s", why);
}

/* "180.0 us": the nearest tenth. */
static void add_us(struct het__text *text, uint64_t ns)
{
	const uint64_t tenths = (ns + 50) / 100;

	het__text_add(text, "%" PRIu64 ".%u us", tenths / 10, (unsigned)(tenths % 10));
}

/* What add_way says, and "; last written by smooth; predicted 180.0 us"; at its end comes what it took. */
static void add_reason(struct het__span *span, const struct het__copy *copy, const struct het__access *what,
		       const char *why, const uint64_t *predicted_ns)
{
	struct het__text *reason = &span->why;

	add_way(reason, copy, what, why);
	if (span->origin[0])
		het__text_add(reason, "; last written by %s", span->origin);
	if (!predicted_ns)
		return;
	het__text_add(reason, "; predicted ");
	add_us(reason, *predicted_ns);
}

/* Has the copy several steps? Then the whole way is predicted, but only the last step's time is known. */
static bool is_stepped(const struct het__copy *copy)
{
	return copy->from->memory != copy->source || copy->to->memory != copy->target ||
	       copy->plan.total_bytes != copy->all_bytes;
}

static void describe_transfer(struct het__span *span, const struct het__copy *copy,
			      const struct het__access *access, int count)
{
	const struct het__hop hop = {copy->source, copy->target, copy->all_bytes, copy->all_strided};
	const struct het__access *const what = named(access, count);
	struct het__text box = {.at = NULL};
	uint64_t predicted_ns = 0;
	double ns = 0;
	char why[160];

	snprintf(span->name, sizeof span->name, "%s to %s", what ? what->value->label : "",
		 het__memory_name(copy->target));
	if (what) {
		add_member(&span->args, "array", what->value->label);
		add_box(&box, what->value, what->box);
		add_member(&span->args, "box", box_words(&box));
		het__free(box.at);
	}
	add_member(&span->args, "from", het__memory_name(copy->source));
	add_member(&span->args, "to", het__memory_name(copy->target));
	add_member(&span->args, "route", copy->route->name);
	het__text_add(&span->args, ",\"bytes\":%zu", copy->all_bytes);
	het__doing_why(why, sizeof why);
	if (why[0])
		add_member(&span->args, "why", why);
	if (span->origin[0])
		add_member(&span->args, "written_by", span->origin);
	span->is_stepped = is_stepped(copy);
	span->predicted = het__route_predict(&hop, copy->route, &ns) && ns >= 0;
	if (span->predicted) {
		predicted_ns = (uint64_t)ns;
		het__text_add(&span->args, ",\"predicted_us\":");
		het__text_us(&span->args, predicted_ns);
	}
	add_reason(span, copy, what, why, span->predicted ? &predicted_ns : NULL);
}

/* ---- all --------------------------------------------------------------------------------------- */

/* A name that all pieces of a spread share. */
static const char *called(const struct het__task *task)
{
	return task->ops->name ? task->ops->name(task, NULL) : task->ops->kind;
}

/* NULL: it is whole. */
static const char *piece_of(const struct het__task *task)
{
	const char *piece = NULL;

	if (task->ops->name)
		(void)task->ops->name(task, &piece);
	return piece;
}

/* "smooth", and of a piece "smooth (edge)". */
static void add_called(struct het__text *text, const struct het__task *task)
{
	const char *const piece = piece_of(task);

	het__text_add(text, "%s", called(task));
	if (piece)
		het__text_add(text, " (%s)", piece);
}

static void name_task(struct het__span *span, const struct het__task *task, const struct het__access *access,
		      int count)
{
	const struct het__access *const what = named(access, count);
	const char *const piece = piece_of(task);

	if (piece)
		add_member(&span->args, "piece", piece);
	if (piece)
		snprintf(span->name, sizeof span->name, "%s (%s)", called(task), piece);
	else if (task->ops->name)
		snprintf(span->name, sizeof span->name, "%s", called(task));
	else if (what && task->lane->device)
		snprintf(span->name, sizeof span->name, "%s %s", task->ops->kind, what->value->label);
	else
		snprintf(span->name, sizeof span->name, "%s", task->ops->kind);
}

/* Whose value the task writes: its own, or, if it only moves bytes, its source's. */
static void find_origin(struct het__span *span, const struct het__task *task, const struct het__access *access,
			int count)
{
	const char *origin = called(task);

	if (span->is_transfer || task->ops->moves)
		origin = "";
	for (int i = 0; i < count && !origin[0]; i++)
		if (access[i].mode == HET__ACCESS_IN)
			(void)het__makers_find(access[i].store->block, access[i].box, NULL, &origin);
	snprintf(span->origin, sizeof span->origin, "%s", origin);
}

/* Of the steps of one copy only the last shows as the transfer. */
static bool ends_a_transfer(const struct het__task *task)
{
	const struct het__copy *const copy = task->payload;

	return task->ops->describe == het__route_describe && !copy->is_step;
}

void het__words(struct het__span *span, const struct het__task *task, const struct het__access *access,
		int count)
{
	span->category = task->ops->kind;
	span->is_transfer = ends_a_transfer(task);
	find_origin(span, task, access, count);
	het__text_add(&span->args, "\"task\":%" PRIu64, task->id);
	if (span->is_transfer) {
		describe_transfer(span, task->payload, access, count);
		return;
	}
	name_task(span, task, access, count);
	add_accesses(span, access, count);
}

/* Of tasks that move bytes only whole transfers are told; and none of the staging pool's, without accesses. */
void het__words_log(const struct het__task *task, const struct het__access *access, int count)
{
	struct het__text line = {.at = NULL};
	char why[160];

	if (ends_a_transfer(task)) {
		het__doing_why(why, sizeof why);
		add_way(&line, task->payload, named(access, count), why);
	} else if (!task->ops->moves && count > 0) {
		add_called(&line, task);
		het__text_add(&line, " on %s: ", task->lane->device ? task->lane->device->name : "the host");
		list_accesses(&line, access, count);
	}
	if (line.length > 0)
		het__log(task->lane->system->logger, HET_LOG_TRACE, "task", "%s%s", end_plain(&line),
			 task->state == HET__TASK_HELD ? " (held)" : "");
	het__free(line.at);
}

void het__words_end(struct het__span *span, const struct het__task *task)
{
	const uint64_t took = span->end_ns - span->begin_ns;

	if (span->is_transfer) {
		het__text_add(&span->args, ",\"took_us\":");
		het__text_us(&span->args, took);
		het__text_add(&span->why, "%s%s took ", span->predicted ? "," : ";",
			      span->is_stepped ? " the last step" : "");
		add_us(&span->why, took);
		add_member(&span->args, "reason", end_plain(&span->why));
	}
	if (task->cause)
		add_member(&span->args, "error", het__failure_text(task->cause));
}
