/* route.c - the table of routes, the choice, and the task that carries a copy out. */

#include "route/route.h"

#include <stdio.h>

static const struct het__route *const table[] = {
	&het__route_repack,
	&het__route_copy,
	&het__route_staged,
};

const struct het__route *het__route_choose(const struct het__hop *hop)
{
	const struct het__route *best = NULL;
	double best_ns = 0;

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		double ns;

		if (!table[i]->applies(hop))
			continue;
		ns = table[i]->cost_ns(hop);
		if (!best || ns < best_ns) {
			best = table[i];
			best_ns = ns;
		}
	}
	return best;
}

het_status het__route_lane(het_system *system, const struct het__copy *copy, struct het__lane *asker,
                           struct het__lane **lane_p)
{
	het_device *to = copy->to->memory->owner, *from = copy->from->memory->owner;

	if (to || from)
		return het__lane_of(to ? to : from, lane_p);
	if (!asker || !asker->device || asker->device->memory->owner)
		return het__lane_copier(
			system, lane_p); /* only a device that shares the host's memory is sure to see it */
	*lane_p = asker;
	return HET_OK;
}

static het_status root_of(struct het__block *block, const struct het__lane *lane, cl_mem *mem_p)
{
	return het__block_buffer(block, lane->context, lane->device->name, 0, block->bytes, mem_p);
}

/* One command for a plan of at most two repeated dimensions. Bytes that the host can address are used in
 * place: a read or a write needs a buffer on one side only. Not so inside one block: PoCL takes a write whose
 * source is the buffer's own first byte for one that has nothing to do, whatever its target. */
static het_status enqueue(const struct het__copy *copy, const struct het__plan *plan,
			  const struct het__lane *lane, struct het__after after, cl_event *event_p)
{
	cl_mem from = NULL, to = NULL;
	bool read = copy->to->host && !copy->from->host, write = copy->from->host && copy->from != copy->to;
	het_status st = HET_OK;

	if (!write)
		st = root_of(copy->from, lane, &from);
	if (!st && !read)
		st = root_of(copy->to, lane, &to);
	if (st)
		return st;
	if (read)
		return het__cl_read(&lane->queue, from, copy->to->host, plan, after, event_p);
	if (write)
		return het__cl_write(&lane->queue, copy->from->host, to, plan, after, event_p);
	return het__cl_copy(&lane->queue, from, to, plan, after, event_p);
}

static bool slices_fit(const struct het__plan *plan, int inner)
{
	size_t slices = het__plan_slices(plan, inner);

	for (size_t i = 0; i < slices; i++) {
		struct het__plan slice;

		het__plan_slice(plan, inner, i, &slice);
		if (!het__cl_plan_fits(&slice))
			return false;
	}
	return true;
}

/* How many repeated dimensions one command takes of this plan: odd padding makes no rectangles. */
static int rect_dims(const struct het__plan *plan)
{
	int dims = 2;

	while (dims > 0 && !slices_fit(plan, dims))
		dims--;
	return dims;
}

static het_status submit(struct het__task *task, struct het__after after)
{
	const struct het__copy *copy = task->payload;
	const struct het__after nothing = {0, NULL};
	int inner = rect_dims(&copy->plan);
	size_t slices = het__plan_slices(&copy->plan, inner);
	het_status st = het__task_reserve_events(task, (int)slices);

	for (size_t i = 0; i < slices && !st; i++) {
		struct het__plan slice;
		cl_event event;

		het__plan_slice(&copy->plan, inner, i, &slice);
		st = enqueue(copy, &slice, task->lane, i ? nothing : after, &event);
		if (!st)
			het__task_add_event(task, event);
	}
	if (!st || task->events.count == 0)
		return st;
	het__task_spoil(task);
	return HET_OK;
}

static het_status run(struct het__task *task)
{
	const struct het__copy *copy = task->payload;

	het__plan_run(&copy->plan, copy->from->host, copy->to->host);
	return HET_OK;
}

static const char *memory_name(const struct het__memory *memory)
{
	return memory->owner ? memory->owner->name : "host";
}

static void describe(const struct het__task *task, char *text, size_t bytes)
{
	const struct het__copy *copy = task->payload;

	snprintf(text, bytes, "transfer of %s from %s to %s by route %s", copy->what,
	         memory_name(copy->from->memory), memory_name(copy->to->memory), copy->route->name);
}

static const struct het__task_ops ops = {"transfer", submit, run, NULL, describe};

het_status het__route_task(const struct het__copy *copy, struct het__lane *lane, struct het__task **task_p)
{
	het_status st = het__task_new(lane, &ops, sizeof *copy, task_p);

	if (!st)
		*(struct het__copy *)(*task_p)->payload = *copy;
	return st;
}
