/* hazard.c - which unfinished tasks use which boxes of a block. */

#include "base/alloc.h"
#include "store/block.h"
#include "task/emit.h"

/* Hazards of ended tasks leave when they are met. */
static void forget(struct het__block *block, int i)
{
	block->hazards.at[i] = block->hazards.at[--block->hazards.count];
}

static bool conflicts(const struct het__block *block, const struct het__hazard *h, const struct het__box *box,
                      bool write)
{
	return (write || h->write) && het__box_overlaps(block->rank, &h->box, box);
}

het_status het__block_order_all(struct het__block *block, const struct het__box *box, bool write,
                                struct het__task *task)
{
	for (int i = 0; i < block->hazards.count;) {
		const struct het__hazard *h = &block->hazards.at[i];
		het_status st;

		if (!het__alive(h->task)) {
			forget(block, i);
			continue;
		}
		i++;
		if (!write && !h->write)
			continue;
		st = het__block_come_after(block, h, box, task);
		if (st)
			return st;
	}
	return HET_OK;
}

het_status het__block_hold_until_written(struct het__block *block, const struct het__box *box,
					 struct het__task *task)
{
	het_status st = HET_OK;

	for (int i = 0; i < block->hazards.count && !st; i++) {
		const struct het__hazard *const h = &block->hazards.at[i];

		if (h->write && het__box_overlaps(block->rank, &h->box, box))
			st = het__task_needs_it_over(task, h->task);
	}
	return st;
}

het_status het__block_reserve_more(struct het__block *block, int more)
{
	if (het__grow_from(block->own_hazard, &block->hazards.at, &block->hazards.room,
			   block->hazards.count + more, sizeof *block->hazards.at))
		return het__fail(HET_ERR_MEMORY, "no host memory to order a task");
	return HET_OK;
}

/* The box that stands for both, where there is one. */
static bool merge(int rank, const struct het__box *a, const struct het__box *b, struct het__box *both)
{
	if (!het__box_contains(rank, b, a))
		return het__box_join(rank, a, b, both);
	*both = *b;
	return true;
}

void het__block_record_among(struct het__block *block, const struct het__box *box, bool write,
			     struct het__ref task)
{
	const bool crowded = block->hazards.count > HET__HAZARDS_MOST;
	struct het__hazard *fresh = NULL; /* in the place of the first one that goes */
	struct het__box both;

	for (int i = 0; i < block->hazards.count; i++) {
		struct het__hazard *h = &block->hazards.at[i];
		bool goes = !het__alive(h->task);

		if (!goes && h->write <= write && het__task_stands_for(task.task, h->task)) {
			goes = het__box_contains(block->rank, box, &h->box);
			if (!goes && crowded && h->write == write && merge(block->rank, box, &h->box, &both)) {
				box = &both;
				goes = true;
			}
		}
		if (!goes)
			continue;
		het__emit_collapse(block, block->rank, &h->box, h->write, task, h->task);
		if (fresh)
			forget(block, i--);
		else
			fresh = h;
	}
	if (!fresh)
		fresh = &block->hazards.at[block->hazards.count++];
	*fresh = (struct het__hazard){task, write, false, *box};
	fresh->whole = box == block->whole && !het__box_empty(block->rank, box);
}

struct het__ref het__block_user(struct het__block *block)
{
	struct het__ref none = {NULL, 0};

	while (block->hazards.count > 0 && !het__alive(block->hazards.at[0].task))
		forget(block, 0);
	return block->hazards.count > 0 ? block->hazards.at[0].task : none;
}

bool het__block_is_behind_user(const struct het__block *block, const struct het__box *box, bool write)
{
	for (int i = 0; i < block->hazards.count; i++) {
		const struct het__hazard *const h = &block->hazards.at[i];

		if ((write || h->write) && het__alive(h->task) && h->task.task->behind_user &&
		    het__box_overlaps(block->rank, &h->box, box))
			return true;
	}
	return false;
}

struct het__ref het__block_task_behind_user(const struct het__block *block)
{
	const struct het__ref none = {NULL, 0};

	for (int i = 0; i < block->hazards.count; i++) {
		const struct het__ref task = block->hazards.at[i].task;

		if (het__alive(task) && task.task->behind_user)
			return task;
	}
	return none;
}

struct het__ref het__block_conflict(struct het__block *block, const struct het__box *box, bool write)
{
	struct het__ref none = {NULL, 0};

	for (int i = 0; i < block->hazards.count;) {
		const struct het__hazard *h = &block->hazards.at[i];

		if (!het__alive(h->task))
			forget(block, i);
		else if (conflicts(block, h, box, write))
			return h->task;
		else
			i++;
	}
	return none;
}
