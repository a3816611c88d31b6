/* route.c - the task of a copy, which its route carries out. */

#include "route/route.h"

#include <stdio.h>

/* Can the device have a buffer over each of the blocks? */
static bool can_see(const het_device *device, const struct het__copy *copy)
{
	const uint64_t most = device->facts.max_alloc_bytes;

	return most == 0 || (copy->from->bytes <= most && copy->to->bytes <= most);
}

het_status het__route_lane(het_system *system, const struct het__copy *copy, struct het__lane *asker,
                           struct het__lane **lane_p)
{
	het_device *to = copy->to->memory->owner, *from = copy->from->memory->owner;

	if (to || from)
		return het__lane_for_copies(!to || (from && !can_see(to, copy)) ? from : to, lane_p);
	/* only a device that shares the host's memory is sure to see it */
	if (!asker || !asker->device || asker->device->memory->owner || !can_see(asker->device, copy))
		return het__lane_copier(system, lane_p);
	*lane_p = asker;
	return HET_OK;
}

static het_status submit(struct het__task *task, struct het__after after)
{
	const struct het__copy *copy = task->payload;

	return copy->route->submit(task, after);
}

static het_status run(struct het__task *task)
{
	const struct het__copy *copy = task->payload;

	het__plan_run(&copy->plan, copy->from->host, copy->to->host);
	return HET_OK;
}

void het__route_describe(const struct het__task *task, char *text, size_t bytes)
{
	const struct het__copy *copy = task->payload;
	char cells[HET__CELLS_TEXT];

	snprintf(text, bytes, "transfer of %s from %s to %s by route %s", het__cells_format(&copy->what, cells),
	         het__memory_name(copy->source), het__memory_name(copy->target), copy->route->name);
}

static const struct het__task_ops ops = {"transfer", NULL, true, submit, run, NULL, het__route_describe};
static const struct het__task_ops step_ops = {"step", NULL, true, submit, run, NULL, het__route_describe};

het_status het__route_task(const struct het__copy *copy, struct het__lane *lane, struct het__task **task_p)
{
	het_status st = het__task_new(lane, copy->is_step ? &step_ops : &ops, sizeof *copy, task_p);

	if (!st)
		*(struct het__copy *)(*task_p)->payload = *copy;
	return st;
}
