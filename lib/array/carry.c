/* carry.c - one copy between stores as tasks: ordered, started, entered into hazards and directories. */

#include "array/carry.h"

#include "route/mapped.h"
#include "system/flow.h"

static const struct het__value *value_of(const struct het__carriage *c)
{
	return c->from->value ? c->from->value : c->to->value ? c->to->value : c->of;
}

/* Drivers that take the host's bytes as soon as they are given a command must find them there. */
static het_status wait_for_bytes(struct het__task *task, const struct het__access *access, int count)
{
	het_status st = HET_OK;

	for (int i = 0; i < count && task->lane->takes_early && !st; i++)
		if (access[i].mode == HET__ACCESS_IN && !access[i].store->memory->owner)
			st = het__block_hold_until_written(access[i].store->block, access[i].box, task);
	return st;
}

het_status het__carriage_start(struct het__task *task, const struct het__access *access, int count,
			       const struct het__carriage *told, struct het__ref *ref_p)
{
	het_status st = het__accesses_order(task, access, count);

	if (!st)
		st = wait_for_bytes(task, access, count);
	if (!st && told && told->hearer)
		st = het__task_add_holder(task, told->hearer);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	*ref_p = het__ref_of(task);
	st = het__task_start(task); /* on failure the task is gone */
	if (st)
		return st;
	if (told)
		het__accesses_commit(*ref_p, access, count);
	else
		het__accesses_enter(*ref_p, access, count);
	return HET_OK;
}

/* ---- one task ----------------------------------------------------------------------------------- */

/* The lane of a device that shares the host's memory and is at work on the block: a copy inside that memory on
 * behalf of the host goes there, behind what it waits for, instead of coming back to a thread of ours first. */
static struct het__lane *busy_lane(const struct het__block *block)
{
	for (int i = 0; i < block->hazards.count; i++) {
		const struct het__ref ref = block->hazards.at[i].task;

		if (het__alive(ref) && ref.task->lane->device && !ref.task->lane->device->memory->owner)
			return ref.task->lane;
	}
	return NULL;
}

static het_status carry_at_once(const struct het__carriage *c, const struct het__copy *copy,
                                struct het__ref *task_p)
{
	const struct het__access pair[2] = {*c->from, *c->to};
	struct het__lane *asker = c->asker, *lane;
	struct het__task *task;
	het_status st;

	if (!asker)
		asker = busy_lane(copy->from);
	if (!asker)
		asker = busy_lane(copy->to);
	st = het__route_lane(value_of(c)->system, copy, asker, &lane);
	if (!st)
		st = het__route_task(copy, lane, &task);
	return st ? st : het__carriage_start(task, pair, 2, c, task_p);
}

/* ---- in steps ----------------------------------------------------------------------------------- */

/* The least box around `box` that is one range of bytes in a dense store. */
static struct het__box widen(const struct het__store *store, int rank, const struct het__box *box)
{
	struct het__box wide = *box;
	int d = 0;

	while (d < rank && box->hi[d] - box->lo[d] == 1)
		d++;
	while (++d < rank) {
		wide.lo[d] = store->window.lo[d];
		wide.hi[d] = store->window.hi[d];
	}
	return wide;
}

static bool is_one_range(const struct het__access *access, const struct het__value *value)
{
	const struct het__box wide = widen(access->store, value->rank, access->box);

	return het__box_equal(value->rank, &wide, access->box);
}

/* A mapping for writing writes back all its bytes, also those that others have written meanwhile and those of a
 * copy given up half-way: so only what is one range and holds nothing of value is mapped for writing. */
static bool can_be_done(const void *about, const struct het__hop *hop, const struct het__route *route)
{
	const struct het__carriage *const c = about;

	if (route->through)
		return het__can_carry_through(c, hop, route);
	if (route->submit || c->from->store->memory->owner)
		return true;
	return c->to->mode == HET__ACCESS_JOIN && is_one_range(c->to, value_of(c));
}

/* One route always can: mapped from a device's memory, staged from the host's. */
static const struct het__route *route_of(const struct het__carriage *c, const struct het__plan *plan)
{
	const struct het__hop hop = {c->from->store->memory, c->to->store->memory, plan->total_bytes,
				     plan->dims > 0};
	const struct het__route *route = c->route ? c->route : het__route_direct(&hop);

	if (!can_be_done(c, &hop, route))
		route = het__route_instead(&hop, can_be_done, c);
	if (route != c->route)
		het__route_tell(value_of(c)->system, &hop, route);
	return route;
}

struct steps {
	const struct het__step *at;
	struct het__mapping *mapping;
	struct het__access range;               /* the use of all that is mapped; of no value */
	struct het__ref done[HET__STEPS_MOST];
};

/* A step comes after those before it and fails with them, unless it always runs. A driver that takes the host's
 * bytes early is not given the step before those have ended. */
static het_status follow(struct het__task *task, const struct steps *steps, int i)
{
	het_status st = HET_OK;

	for (int j = 0; j < i && !st; j++) {
		if (steps->at[i].always) {
			st = het__task_needs_the_end(task, steps->done[j]);
			continue;
		}
		st = task->lane->takes_early ? het__task_needs_it_over(task, steps->done[j])
					     : het__task_needs(task, steps->done[j]);
		if (!st)
			st = het__task_reads(task, steps->done[j]);
	}
	return st;
}

static het_status start_step(const struct het__carriage *c, const struct het__copy *copy, struct steps *steps,
                             int i)
{
	const struct het__step *step = &steps->at[i];
	struct het__access use[3] = {steps->range};
	int uses = 1;
	struct het__lane *lane;
	struct het__task *task;
	het_status st = het__mapping_lane(copy, step, &lane);

	if (!st)
		st = het__mapping_task(steps->mapping, step, lane, &task);
	if (st)
		return st;
	st = follow(task, steps, i);
	/* one mapping of a buffer at a time: the driver may forget it when another one ends */
	if (!st && i == 0 && lane->device->driver->maps_once)
		st = het__task_needs(task, het__mapping_block(copy)->unmap);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	if (step->reads)
		use[uses++] = *c->from;
	if (step->puts)
		use[uses++] = *c->to;
	return het__carriage_start(task, use, uses, step->puts ? c : NULL, &steps->done[i]);
}

/* If a step behind the one that puts the bytes into the target cannot be started, the copy is under way all the
 * same: what that step was to do is done when the mapping goes. */
static het_status start_steps(const struct het__carriage *c, const struct het__copy *copy, struct steps *steps,
                              struct het__ref *task_p)
{
	int count;
	bool put = false;
	het_status st = HET_OK;

	steps->at = het__mapping_steps(copy, &count);
	for (int i = 0; i < count && !st; i++) {
		st = start_step(c, copy, steps, i);
		if (!st && steps->at[i].always)
			het__mapping_block(copy)->unmap = steps->done[i];
		if (!st && steps->at[i].puts) {
			*task_p = steps->done[i];
			put = true;
		}
	}
	if (st && !put)
		het__mapping_give_up(steps->mapping);
	return put ? HET_OK : st;
}

static het_status carry_in_steps(const struct het__carriage *c, const struct het__copy *copy,
                                 struct het__ref *task_p)
{
	const struct het__value *value = value_of(c);
	const bool source = het__mapping_block(copy) == copy->from;
	const struct het__access *mapped = source ? c->from : c->to;
	const struct het__box wide = widen(mapped->store, value->rank, mapped->box);
	struct steps steps = {.range = *mapped};
	struct het__lane *lane;
	size_t offset = 0, bytes = het__value_bytes(value, &wide);
	het_status st = het__lane_for_copies(mapped->store->memory->owner, &lane);

	(void)het__layout_contiguous(value->rank, value->element_bytes, &mapped->store->layout, &wide, &offset);
	if (!st)
		st = het__mapping_new(copy, offset, bytes, lane, &steps.mapping);
	if (st)
		return st;
	steps.range = het__access(NULL, mapped->store, &wide, source ? HET__ACCESS_IN : HET__ACCESS_OUT);
	st = start_steps(c, copy, &steps, task_p);
	het__mapping_release(steps.mapping);
	return st;
}

/* ---- a copy ------------------------------------------------------------------------------------- */

/* The source gets the stamp before this operation's: it may give way within it, once the box is home. */
static void touch(const struct het__carriage *c, uint64_t stamp)
{
	if (c->from->store->used < stamp)
		c->from->store->used = stamp - 1;
	c->to->store->used = stamp;
}

het_status het__carry(const struct het__carriage *c, struct het__ref *task_p)
{
	const struct het__value *value = value_of(c);
	struct het__copy copy = {.from = c->from->store->block,
				 .to = c->to->store->block,
				 .source = c->from->store->memory,
				 .target = c->to->store->memory};
	het_status st;

	touch(c, het__tasks_in(value->system)->stamp);
	if (c->to->mode == HET__ACCESS_JOIN)
		het__formers_overwrite(&c->to->value->dir, c->to->box, c->to->store->slot);
	het__value_tell(value, c->from->box, &copy.what);
	het__plan_copy(value->rank, value->element_bytes, &c->from->store->layout, c->from->box,
	               &c->to->store->layout, c->to->box->lo, &copy.plan);
	copy.all_bytes = copy.plan.total_bytes;
	copy.all_strided = copy.plan.dims > 0;
	copy.route = route_of(c, &copy.plan);
	if (copy.route->through)
		st = het__carry_through(c, &copy, task_p);
	else
		st = copy.route->submit ? carry_at_once(c, &copy, task_p) : carry_in_steps(c, &copy, task_p);
	if (!st)
		het__flow_add(value->system, c->from->store->memory, c->to->store->memory, copy.route->name,
		              copy.plan.total_bytes);
	return st;
}
