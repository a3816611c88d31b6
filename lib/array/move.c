/* move.c - bringing boxes to stores: which source, by which route, in how many hops.
 *
 * The source of a piece is the member from which it takes the fewest and cheapest hops; among equals a
 * settled one before a promised one, then the lower number. That what is settled depends on timing does
 * therefore not change how many bytes move. Between devices of different contexts a piece first joins the
 * home store, where later readers find it.
 */

#include <stdio.h>
#include <string.h>

#include "array/value.h"
#include "system/flow.h"

static het_status start_copy(struct het__copy *copy, const struct het__access *pair, int count,
                             struct het__lane *lane, struct het__holder *holder, struct het__ref *ref_p)
{
	struct het__task *task;
	het_status st = het__route_task(copy, lane, &task);

	if (st)
		return st;
	st = het__accesses_order(task, pair, count);
	if (!st && holder)
		st = het__task_add_holder(task, holder);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	*ref_p = het__ref_of(task);
	st = het__task_start(task); /* on failure the task is gone */
	if (st)
		return st;
	het__accesses_commit(*ref_p, pair, count);
	return HET_OK;
}

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

het_status het__value_move(const struct het__access *from, const struct het__access *to,
			   struct het__lane *asker, struct het__holder *holder, struct het__ref *task_p)
{
	const struct het__value *value = from->value ? from->value : to->value;
	struct het__hop hop = {from->store->memory, to->store->memory, 0};
	const struct het__access pair[2] = {*from, *to};
	char text[HET__BOX_TEXT];
	struct het__copy copy;
	struct het__lane *lane;
	het_status st;

	from->store->used = to->store->used = het__tasks_in(value->system)->stamp;
	copy.from = from->store->block;
	copy.to = to->store->block;
	snprintf(copy.what, sizeof copy.what, "%s %s", value->label,
	         het__box_format(value->rank, from->box, text));
	het__plan_copy(value->rank, value->element_bytes, &from->store->layout, from->box, &to->store->layout,
	               to->box->lo, &copy.plan);
	hop.bytes = copy.plan.total_bytes;
	copy.route = het__route_choose(&hop);
	if (!asker)
		asker = busy_lane(copy.from);
	if (!asker)
		asker = busy_lane(copy.to);
	st = het__route_lane(value->system, &copy, asker, &lane);
	if (!st)
		st = start_copy(&copy, pair, 2, lane, holder, task_p);
	if (!st)
		het__flow_add(value->system, hop.from, hop.to, copy.route->name, copy.plan.total_bytes);
	return st;
}

/* The best member of an entry for a target in `memory`; *direct: in one hop. */
static struct het__store *best_source(const struct het__value *value, const struct het__entry *entry,
                                      const struct het__memory *memory, size_t bytes, bool *direct)
{
	struct het__store *best = NULL;
	double best_ns = 0;
	bool best_settled = false;

	for (int s = 0; s < value->top; s++) {
		bool settled = (entry->settled >> s) & 1;
		struct het__hop hop = {NULL, memory, bytes};
		const struct het__route *route;
		double ns;

		if (!(((entry->settled | entry->promised) >> s) & 1))
			continue;
		hop.from = value->store[s]->memory;
		route = het__route_choose(&hop);
		ns = route ? route->cost_ns(&hop) : 1e30;
		if (best && (ns > best_ns || (ns >= best_ns && settled <= best_settled)))
			continue;
		best = value->store[s];
		best_ns = ns;
		best_settled = settled;
		*direct = route != NULL;
	}
	return best;
}

het_status het__value_source(struct het__value *value, const struct het__box *piece,
                             const struct het__memory *memory, struct het__store **store_p)
{
	size_t bytes = value->element_bytes * (size_t)het__box_cells(value->rank, piece);
	const struct het__entry *entry = value->dir.entries.at;
	struct het__store *best;
	bool direct = true;

	while (!het__box_overlaps(value->rank, &entry->box, piece))
		entry++;
	best = best_source(value, entry, memory, bytes, &direct);
	*store_p = best && direct ? best : value->store[HET__HOME];
	return direct ? HET_OK : het__value_fetch(value, *store_p, piece, NULL, NULL, NULL);
}

/* One piece of one entry from its best source to `store`. */
static het_status fetch_piece(struct het__value *value, struct het__store *store,
			      const struct het__entry *entry, const struct het__box *piece,
			      struct het__lane *lane, struct het__holder *holder, int *started)
{
	size_t bytes = value->element_bytes * (size_t)het__box_cells(value->rank, piece);
	struct het__access from = het__access(value, NULL, piece, HET__ACCESS_IN);
	struct het__access to = het__access(value, store, piece, HET__ACCESS_JOIN);
	struct het__ref ref;
	bool direct = true;
	het_status st;

	from.store = best_source(value, entry, store->memory, bytes, &direct);
	if (!direct) {
		st = het__value_fetch(value, value->store[HET__HOME], piece, lane, holder, started);
		if (st)
			return st;
		from.store = value->store[HET__HOME];
	}
	st = het__value_move(&from, &to, lane, holder, &ref);
	if (!st && started)
		++*started;
	return st;
}

het_status het__value_fetch(struct het__value *value, struct het__store *store, const struct het__box *box,
                            struct het__lane *lane, struct het__holder *holder, int *started)
{
	const struct het__entry *entry;
	struct het__box piece;

	while (het__directory_lacks(&value->dir, box, store->slot, &piece, &entry)) {
		het_status st = fetch_piece(value, store, entry, &piece, lane, holder, started);
		if (st)
			return st;
	}
	return HET_OK;
}

struct het__store *het__value_newest(struct het__value *value, const struct het__box *box)
{
	struct het__box first = *box;

	for (int d = 0; d < value->rank; d++)
		first.hi[d] = first.lo[d] + 1;
	for (int i = 0; i < value->dir.entries.count; i++) {
		const struct het__entry *e = &value->dir.entries.at[i];
		uint64_t members = e->settled | e->promised;

		if (!het__box_overlaps(value->rank, &e->box, &first))
			continue;
		if (members == 0 || (members & 1)) /* HPL: of several copies the host's */
			return value->store[HET__HOME];
		for (int s = 1; s < value->top; s++)
			if ((members >> s) & 1)
				return value->store[s];
	}
	return value->store[HET__HOME];
}
