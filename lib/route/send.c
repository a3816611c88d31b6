/* send.c - what the routes share: a plan of any shape as OpenCL commands of one lane. */

#include "route/route.h"
#include "store/pin.h"

het_status het__route_root(struct het__block *block, const struct het__lane *lane, cl_mem *mem_p)
{
	return het__block_buffer(block, lane->context, lane->device->name, 0, block->bytes, mem_p);
}

het_status het__route_read(const struct het__copy *copy, const struct het__plan *plan,
                           const struct het__lane *lane, struct het__after after, cl_event *event_p)
{
	cl_mem from = NULL;
	het_status st = het__route_root(copy->from, lane, &from);

	if (!st)
		het__pin_for(copy->to, lane, plan->total_bytes);
	return st ? st : het__cl_read(&lane->queue, from, copy->to->host, plan, after, event_p);
}

het_status het__route_write(const struct het__copy *copy, const struct het__plan *plan,
                            const struct het__lane *lane, struct het__after after, cl_event *event_p)
{
	cl_mem to = NULL;
	het_status st = het__route_root(copy->to, lane, &to);

	if (!st)
		het__pin_for(copy->from, lane, plan->total_bytes);
	return st ? st : het__cl_write(&lane->queue, copy->from->host, to, plan, after, event_p);
}

het_status het__route_copy_buffer(const struct het__copy *copy, const struct het__plan *plan,
                                  const struct het__lane *lane, struct het__after after, cl_event *event_p)
{
	cl_mem from = NULL, to = NULL;
	het_status st = het__route_root(copy->from, lane, &from);

	if (!st)
		st = het__route_root(copy->to, lane, &to);
	return st ? st : het__cl_copy(&lane->queue, from, to, plan, after, event_p);
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

het_status het__route_send(struct het__task *task, struct het__after after, het__route_command *command)
{
	const struct het__copy *copy = task->payload;
	const struct het__after nothing = {0, NULL};
	int inner = rect_dims(&copy->plan);
	size_t slices = het__plan_slices(&copy->plan, inner);
	het_status st = het__task_reserve_events(task, slices);

	for (size_t i = 0; i < slices && !st; i++) {
		struct het__plan slice;
		cl_event event;

		het__plan_slice(&copy->plan, inner, i, &slice);
		st = command(copy, &slice, task->lane, i ? nothing : after, &event);
		if (!st)
			het__task_add_event(task, event);
	}
	return het__task_kept(task, st);
}
