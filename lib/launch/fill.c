/* fill.c - setting every element of a box to one value.
 *
 * It happens where the newest copy of the box is: by clEnqueueFillBuffer in a device's memory, where the
 * element's size allows it and the box is a few runs; otherwise in the host's memory.
 */

#include <stdio.h>
#include <string.h>

#include "array/array.h"

#define RUNS_MOST 64     /* commands of one fill on a device */
#define PATTERN_MOST 128 /* bytes, of clEnqueueFillBuffer */

struct fill {
	struct het__block *block;
	struct het__plan plan; /* both sides are the target */
	size_t element_bytes;
	struct het__cells what;
	unsigned char element[];
};

/* One run of bytes, by as many commands as it takes. Only the task's first one is given events to wait for. */
static het_status submit_run(struct het__task *task, cl_mem mem, const struct het__plan *run,
			     struct het__after after)
{
	const struct fill *fill = task->payload;
	const struct het__after nothing = {0, NULL};
	het_status st = HET_OK;

	for (size_t done = 0; done < run->bytes && !st; done += het__cl_fill_most) {
		const size_t rest = run->bytes - done;
		cl_event event;

		st = het__cl_fill(&task->lane->queue, mem, fill->element, fill->element_bytes,
				  run->b_offset + done, rest < het__cl_fill_most ? rest : het__cl_fill_most,
				  task->events.count ? nothing : after, &event);
		if (!st)
			het__task_add_event(task, event);
	}
	return st;
}

static size_t commands_of(const struct het__plan *run)
{
	return (run->bytes + het__cl_fill_most - 1) / het__cl_fill_most;
}

static het_status submit(struct het__task *task, struct het__after after)
{
	const struct fill *fill = task->payload;
	const size_t slices = het__plan_slices(&fill->plan, 0);
	struct het__plan run;
	cl_mem mem;
	het_status st;

	het__plan_slice(&fill->plan, 0, 0, &run); /* all slices are of one size */
	st = het__task_reserve_events(task, slices * commands_of(&run));
	if (!st)
		st = het__block_buffer(fill->block, task->lane->context, task->lane->device->name, 0,
				       fill->block->bytes, &mem);
	for (size_t i = 0; i < slices && !st; i++) {
		het__plan_slice(&fill->plan, 0, i, &run);
		st = submit_run(task, mem, &run, after);
	}
	return het__task_kept(task, st);
}

/* The pattern is doubled until the run is full. */
static void fill_run(unsigned char *at, size_t bytes, const unsigned char *element, size_t element_bytes)
{
	size_t done = element_bytes;

	memcpy(at, element, element_bytes);
	for (; done < bytes; done *= 2)
		memcpy(at + done, at, done < bytes - done ? done : bytes - done);
}

static het_status run(struct het__task *task)
{
	const struct fill *fill = task->payload;
	size_t slices = het__plan_slices(&fill->plan, 0);

	for (size_t i = 0; i < slices; i++) {
		struct het__plan one;

		het__plan_slice(&fill->plan, 0, i, &one);
		fill_run(fill->block->host + one.b_offset, one.bytes, fill->element, fill->element_bytes);
	}
	return HET_OK;
}

static void describe(const struct het__task *task, char *text, size_t bytes)
{
	const struct fill *fill = task->payload;
	char cells[HET__CELLS_TEXT];

	snprintf(text, bytes, "fill of %s", het__cells_format(&fill->what, cells));
}

static const struct het__task_ops ops = {"fill", NULL, false, submit, run, NULL, describe};

static bool device_can(const struct het__plan *plan, size_t element_bytes)
{
	return element_bytes <= PATTERN_MOST && (element_bytes & (element_bytes - 1)) == 0 &&
	       het__plan_slices(plan, 0) <= RUNS_MOST;
}

static void plan_fill(const struct het__value *value, const struct het__store *store,
		      const struct het__box *box, struct het__plan *plan)
{
	het__plan_copy(value->rank, value->element_bytes, &store->layout, box, &store->layout, box->lo, plan);
}

static het_status fill_box(struct het__value *value, const struct het__box *box, const void *element)
{
	struct het__access access = het__access(value, het__value_newest(value, box), box, HET__ACCESS_OUT);
	struct het__lane *lane;
	struct het__task *task;
	struct het__plan plan;
	struct fill *fill;
	struct het__ref ref;
	het_status st;

	plan_fill(value, access.store, box, &plan);
	if (!access.store->memory->owner || !het__box_contains(value->rank, &access.store->window, box) ||
	    !device_can(&plan, value->element_bytes)) {
		access.store = value->store[HET__HOME];
		plan_fill(value, access.store, box, &plan);
	}
	st = access.store->memory->owner ? het__lane_of(access.store->memory->owner, &lane)
	                                 : het__lane_copier(value->system, &lane);
	if (!st)
		st = het__task_new(lane, &ops, sizeof *fill + value->element_bytes, &task);
	if (st)
		return st;
	access.store->used = het__tasks_in(value->system)->stamp;
	fill = task->payload;
	fill->block = access.store->block;
	fill->plan = plan;
	fill->element_bytes = value->element_bytes;
	memcpy(fill->element, element, value->element_bytes);
	het__value_tell(value, box, &fill->what);
	st = het__accesses_order(task, &access, 1);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	ref = het__ref_of(task);
	st = het__task_start(task);
	if (st)
		return st;
	het__accesses_commit(ref, &access, 1);
	value->system->count.fills++;
	return HET_OK;
}

static het_status start_fill(struct het__value *value, const struct het__box *box, const void *element)
{
	const het_status st = fill_box(value, box, element);

	return st ? het__fail_within("het_fill, %s", value->label) : HET_OK;
}

het_status het_fill(struct het_view view, const void *value)
{
	struct het__box box;
	het_status st = het__array_enter(view.array, "het_fill");

	if (st)
		return st;
	st = value ? het__view_resolve(&view, view.array->system, "het_fill", &box)
	           : het__fail(HET_ERR_ARGUMENT, "het_fill: the value is NULL");
	if (!st)
		st = het__maps_allow(view.array, &box, true, "het_fill");
	if (!st && !het__box_empty(view.array->value->rank, &box))
		st = start_fill(view.array->value, &box, value);
	return het__operation_leave_with(view.array->system, st);
}
