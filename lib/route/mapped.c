/* mapped.c - the route by a pointer to the bytes of a device's buffer.
 *
 * Between devices, of one context or two: the source is mapped and the target's queue writes from there. To and
 * from the host's memory a thread of the host copies.
 */

#include "route/mapped.h"

#include <stdio.h>

#include "base/alloc.h"

/* To a device only what is one range: a mapping for writing writes back all that it covers. */
static bool applies(const struct het__hop *hop)
{
	return hop->from != hop->to && (hop->from->owner || !hop->strided);
}

/* Assumed to be worse than every other way: a driver may move all bytes to map them and again to unmap them. */
static double cost_ns(const struct het__hop *hop)
{
	return 50e3 + (double)hop->bytes * 0.5;
}

const struct het__route het__route_mapped = {
	.name = "mapped",
	.applies = applies,
	.cost_ns = cost_ns,
};

/* ---- what the steps share ----------------------------------------------------------------------- */

struct het__mapping {
	int users;              /* tasks, and who makes them */
	struct het__copy copy;  /* its plan counts from the first mapped byte on the mapped side */
	size_t offset, bytes;
	struct het__lane *lane; /* of the mapped buffer's device */
	cl_mem mem;             /* held on to, from when it is mapped */
	void *at;               /* NULL: not mapped, or not any more */
	bool given_up;          /* before anything used the pointer */
};

/* The payload of a step's task. */
struct load {
	struct het__copy copy; /* first: for het__route_describe */
	struct het__mapping *mapping;
};

static bool maps_source(const struct het__copy *copy)
{
	return copy->from->memory->owner != NULL;
}

struct het__block *het__mapping_block(const struct het__copy *copy)
{
	return maps_source(copy) ? copy->from : copy->to;
}

het_status het__mapping_new(const struct het__copy *copy, size_t offset, size_t bytes, struct het__lane *lane,
                            struct het__mapping **mapping_p)
{
	struct het__mapping *mapping = het__alloc_zeroed(1, sizeof *mapping);

	if (!mapping)
		return het__fail(HET_ERR_MEMORY, "no host memory to map a part of %s", copy->what.label);
	mapping->users = 1;
	mapping->copy = *copy;
	mapping->offset = offset;
	mapping->bytes = bytes;
	mapping->lane = lane;
	if (maps_source(copy))
		mapping->copy.plan.a_offset -= offset;
	else
		mapping->copy.plan.b_offset -= offset;
	*mapping_p = mapping;
	return HET_OK;
}

/* This unmapping is no task, so no task waits for it: what comes later in the kernels' queue is put behind it
 * by a barrier; where that fails, the unmapping is waited for, with the lock. */
static void keep_kernels_behind(struct het__lane *lane, cl_event event)
{
	const struct het__after after = {1, &event};
	struct het__lane *kernels = NULL;

	if (lane->device->lane == lane)
		return;
	het__lane_flush(lane);
	if (!het__lane_of(lane->device, &kernels))
		het__lane_tell(kernels);
	if (!kernels || het__cl_barrier(&kernels->queue, after))
		het__cl_event_wait(event);
	else
		kernels->unflushed = true;
}

/* Behind all that is in the queue. With it, bytes that were mapped for writing are written back. */
static void unmap_now(struct het__mapping *m)
{
	const struct het__after nothing = {0, NULL};
	cl_event event;

	if (!m->at)
		return;
	m->lane->unflushed = true;
	if (het__cl_unmap(&m->lane->queue, m->mem, m->at, nothing, &event)) {
		het__log(m->lane->system->logger, HET_LOG_WARN, "task", "%s", het__message());
	} else {
		keep_kernels_behind(m->lane, event);
		het__cl_event_release(event);
	}
	m->at = NULL;
}

void het__mapping_give_up(struct het__mapping *mapping)
{
	mapping->given_up = true;
	unmap_now(mapping);
}

void het__mapping_release(struct het__mapping *mapping)
{
	if (--mapping->users > 0)
		return;
	unmap_now(mapping);
	het__cl_buffer_release(mapping->mem);
	het__free(mapping);
}

/* ---- the steps ---------------------------------------------------------------------------------- */

static struct het__mapping *mapping_of(const struct het__task *task)
{
	return ((struct load *)task->payload)->mapping;
}

static void drop(struct het__task *task)
{
	het__mapping_release(mapping_of(task));
}

static het_status submit_marker(struct het__task *task, struct het__after after)
{
	cl_event event;
	het_status st = het__task_reserve_events(task, 1);

	if (!st)
		st = het__cl_marker(&task->lane->queue, after, &event);
	if (!st)
		het__task_add_event(task, event);
	return st;
}

static het_status submit_map(struct het__task *task, struct het__after after)
{
	struct het__mapping *m = mapping_of(task);
	const enum het__map_for use = maps_source(&m->copy) ? HET__MAP_TO_READ : HET__MAP_TO_WRITE;
	cl_event event;
	cl_mem mem = NULL;
	het_status st = HET_OK;

	if (m->given_up)
		return submit_marker(task, after);
	st = het__task_reserve_events(task, 1);
	if (!st)
		st = het__route_root(het__mapping_block(&m->copy), task->lane, &mem);
	if (!st)
		st = het__cl_map(&task->lane->queue, mem, use, m->offset, m->bytes, after, &m->at, &event);
	if (st)
		return st;
	m->mem = mem;
	het__cl_buffer_retain(mem);
	het__task_add_event(task, event);
	return HET_OK;
}

static het_status write_mapped(const struct het__copy *copy, const struct het__plan *plan,
                               const struct het__lane *lane, struct het__after after, cl_event *event_p)
{
	const struct load *load = (const struct load *)copy;
	cl_mem to = NULL;
	het_status st = het__route_root(copy->to, lane, &to);

	return st ? st : het__cl_write(&lane->queue, load->mapping->at, to, plan, after, event_p);
}

static het_status submit_move(struct het__task *task, struct het__after after)
{
	return het__route_send(task, after, write_mapped);
}

static het_status run_move(struct het__task *task)
{
	const struct het__mapping *m = mapping_of(task);

	if (m->given_up)
		return HET_OK;
	if (maps_source(&m->copy))
		het__plan_run(&m->copy.plan, m->at, m->copy.to->host);
	else
		het__plan_run(&m->copy.plan, m->copy.from->host, m->at);
	return HET_OK;
}

static het_status submit_unmap(struct het__task *task, struct het__after after)
{
	struct het__mapping *m = mapping_of(task);
	cl_event event;
	het_status st = HET_OK;

	if (!m->at)
		return submit_marker(task, after);
	st = het__task_reserve_events(task, 1);
	if (!st)
		st = het__cl_unmap(&task->lane->queue, m->mem, m->at, after, &event);
	if (st)
		return st;
	m->at = NULL;
	het__task_add_event(task, event);
	return HET_OK;
}

/* Names the mapped end only: once the bytes have been moved, the block at the other end may go. */
static void describe(const struct het__task *task, char *text, size_t bytes)
{
	const struct het__mapping *m = mapping_of(task);
	char cells[HET__CELLS_TEXT];

	snprintf(text, bytes, "%s of %s in the memory of %s", task->ops->kind,
		 het__cells_format(&m->copy.what, cells), m->lane->device->name);
}

static const struct het__task_ops map_ops = {"map", NULL, true, submit_map, NULL, drop, describe};
static const struct het__task_ops move_ops = {
	"transfer", NULL, true, submit_move, run_move, drop, het__route_describe};
static const struct het__task_ops unmap_ops = {"unmap", NULL, true, submit_unmap, NULL, drop, describe};
static const struct het__task_ops end_ops = {"end of a map", NULL, true, submit_marker, NULL, drop, describe};

/* The target has the bytes when they have been written. */
static const struct het__step by_source[] = {
	{.ops = &map_ops, .at_mapped = true, .reads = true},
	{.ops = &move_ops, .reads = true, .puts = true},
	{.ops = &unmap_ops, .at_mapped = true, .always = true},
};

/* The target has the bytes when it is unmapped. The unmapping is done whatever failed before, so the marker
 * behind it, which fails with any step, stands for the copy. */
static const struct het__step by_target[] = {
	{.ops = &map_ops, .at_mapped = true},
	{.ops = &move_ops, .reads = true},
	{.ops = &unmap_ops, .at_mapped = true, .always = true},
	{.ops = &end_ops, .at_mapped = true, .reads = true, .puts = true},
};

const struct het__step *het__mapping_steps(const struct het__copy *copy, int *count_p)
{
	*count_p = maps_source(copy) ? 3 : 4;
	return maps_source(copy) ? by_source : by_target;
}

het_status het__mapping_lane(const struct het__copy *copy, const struct het__step *step,
                             struct het__lane **lane_p)
{
	const struct het__block *mapped = het__mapping_block(copy);

	if (step->at_mapped)
		return het__lane_for_copies(mapped->memory->owner, lane_p);
	if (mapped == copy->from && copy->to->memory->owner)
		return het__lane_for_copies(copy->to->memory->owner, lane_p);
	return het__lane_copier(mapped->memory->owner->system, lane_p);
}

het_status het__mapping_task(struct het__mapping *mapping, const struct het__step *step, struct het__lane *lane,
                             struct het__task **task_p)
{
	const struct load load = {mapping->copy, mapping};
	het_status st = het__task_new(lane, step->ops, sizeof load, task_p);

	if (st)
		return st;
	mapping->users++;
	*(struct load *)(*task_p)->payload = load;
	return HET_OK;
}
