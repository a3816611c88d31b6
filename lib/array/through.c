/* through.c - one copy by way of staging buffers, in parts: into a buffer, out of it. */

#include "array/carry.h"

#include "base/alloc.h"
#include "route/choose.h"
#include "store/staging.h"

/* All that the parts have in common. */
struct passage {
	const struct het__carriage *c;
	const struct het__value *value;
	struct het__copy copy;     /* what and by which route; blocks and plan are a half part's */
	struct het__lane *device;  /* of the device whose staging buffers are used */
	int depth;
	bool behind_user;          /* waits for a user's function */
	uint64_t cells, parts;     /* of a part at most, and how many there are */
	struct het__ref *out;      /* for each part, its way out of the buffer */
};

/* A part: the same cells at either end. */
struct portion {
	uint64_t index;
	struct het__box from, to;
	struct het__staging *staging;
	struct het__store between; /* the buffer as a store of just these cells */
};

/* Cells of a part at most; 0: an element is larger than a staging buffer. */
static uint64_t cells_at_once(const struct het__value *value, const struct het__hop *hop,
			      const struct het__route *route)
{
	const uint64_t most = HET__STAGING_BYTES / value->element_bytes;
	const uint64_t cells = het__route_chunk_bytes(hop, route) / value->element_bytes;

	return cells > 0 && cells < most ? cells : most;
}

/* When some parts have been started and the next one cannot be, those go on. So what takes several parts must
 * not use memory of the caller's, nor write over what the target holds. */
bool het__can_carry_through(const struct het__carriage *c, const struct het__hop *hop,
			    const struct het__route *route)
{
	const struct het__value *const value = c->from->value;
	const uint64_t most = value ? cells_at_once(value, hop, route) : 0;
	const uint64_t parts = most > 0 ? het__box_parts(value->rank, c->from->box, most) : 0;

	return parts == 1 || (parts > 1 && c->to->mode == HET__ACCESS_JOIN);
}

static bool is_behind_user(const struct het__carriage *c)
{
	for (int i = 0; i < c->from->maker_count; i++)
		if (het__alive(c->from->makers[i]) && c->from->makers[i].task->behind_user)
			return true;
	return het__block_is_behind_user(c->from->store->block, c->from->box, false) ||
	       het__block_is_behind_user(c->to->store->block, c->to->box, true);
}

static het_status plan_passage(struct passage *p, const struct het__carriage *c, const struct het__copy *copy)
{
	struct het__memory *const from = c->from->store->memory, *const to = c->to->store->memory;
	const struct het__hop hop = {from, to, copy->plan.total_bytes, copy->plan.dims > 0};

	*p = (struct passage){.c = c, .value = c->from->value, .copy = *copy};
	p->behind_user = is_behind_user(c);
	p->depth = het__route_depth(&hop, copy->route);
	if (p->depth == 0)
		p->depth = HET__STAGING_DEPTH;
	p->cells = cells_at_once(p->value, &hop, copy->route);
	p->parts = het__box_parts(p->value->rank, c->from->box, p->cells);
	p->out = het__alloc_zeroed((size_t)p->parts, sizeof *p->out);
	if (!p->out)
		return het__fail(HET_ERR_MEMORY, "no host memory for the parts of %s", copy->what.label);
	return het__lane_for_copies(from->owner ? from->owner : to->owner, &p->device);
}

static het_status plan_portion(const struct passage *p, uint64_t index, struct portion *part)
{
	const struct het__carriage *const c = p->c;
	const int rank = p->value->rank;
	het_status st = het__staging_take(p->device, p->depth, p->behind_user, &part->staging);

	if (st)
		return st;
	part->index = index;
	het__box_part(rank, c->from->box, p->cells, index, &part->from);
	for (int d = 0; d < rank; d++) {
		const int64_t shift = c->to->box->lo[d] - c->from->box->lo[d];

		part->to.lo[d] = part->from.lo[d] + shift;
		part->to.hi[d] = part->from.hi[d] + shift;
	}
	het__store_init(&part->between, 0, p->value, part->staging->block, &part->from);
	return HET_OK;
}

/* A task for one of a part's halves; not started. `last`: it ends the whole. */
static het_status new_half(const struct passage *p, bool last, const struct het__store *from,
			   const struct het__box *box, const struct het__store *to,
			   const struct het__box *to_box, struct het__task **task_p)
{
	struct het__copy copy = p->copy;
	struct het__lane *lane;
	het_status st;

	copy.from = from->block;
	copy.to = to->block;
	copy.is_step = !last;
	het__plan_copy(p->value->rank, p->value->element_bytes, &from->layout, box, &to->layout, to_box->lo,
		       &copy.plan);
	st = het__route_lane(p->value->system, &copy, NULL, &lane);
	return st ? st : het__route_task(&copy, lane, task_p);
}

static het_status send_in(const struct passage *p, struct portion *part, struct het__ref *ref_p)
{
	struct het__access use[2] = {*p->c->from,
				     het__access(NULL, &part->between, &het__staging_cell, HET__ACCESS_OUT)};
	struct het__task *task;
	het_status st = new_half(p, false, p->c->from->store, &part->from, &part->between, &part->from,
				 &task);

	use[0].box = &part->from;
	use[1].makers = &part->staging->mapper;
	use[1].maker_count = 1;
	return st ? st : het__carriage_start(task, use, 2, NULL, ref_p);
}

/* The last part ends after all the others and fails with any of them: it stands for the whole. It also counts
 * as a reader of the source, so who waits for the source's readers waits for the bytes to arrive. */
static het_status send_out(const struct passage *p, struct portion *part, struct het__ref *in)
{
	const bool last = part->index + 1 == p->parts;
	struct het__access use[3] = {*p->c->from,
				     het__access(NULL, &part->between, &het__staging_cell, HET__ACCESS_IN),
				     het__access(NULL, p->c->to->store, &part->to, HET__ACCESS_OUT)};
	struct het__task *task;
	het_status st = new_half(p, last, &part->between, &part->from, p->c->to->store, &part->to, &task);

	if (st)
		return st;
	use[1].makers = in;
	use[1].maker_count = 1;
	if (last)
		use[2] = *p->c->to;
	for (uint64_t i = 0; i < part->index && last && !st; i++)
		st = het__task_reads(task, p->out[i]);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	return het__carriage_start(task, last ? use : use + 1, last ? 3 : 2, last ? p->c : NULL,
				   &p->out[part->index]);
}

static het_status send_part(const struct passage *p, uint64_t index)
{
	struct portion part;
	struct het__ref in;
	het_status st = plan_portion(p, index, &part);

	if (!st)
		st = send_in(p, &part, &in);
	return st ? st : send_out(p, &part, &in);
}

het_status het__carry_through(const struct het__carriage *c, const struct het__copy *copy,
			      struct het__ref *task_p)
{
	struct passage p;
	het_status st = plan_passage(&p, c, copy);

	for (uint64_t i = 0; i < p.parts && !st; i++)
		st = send_part(&p, i);
	if (!st)
		*task_p = p.out[p.parts - 1];
	het__free(p.out);
	return st;
}
