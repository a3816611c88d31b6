/* hazard.c - which unfinished tasks use which boxes of a block. */

#include "base/alloc.h"
#include "store/block.h"
#include "task/emit.h"

/* From so many on those near a box are found by buckets, until there are few. */
#define MANY 48
#define FEW 16

static const struct het__box *box_of(const void *block, int i)
{
	return &((const struct het__block *)block)->hazards.at[i].box;
}

static void drop_buckets(struct het__block *block)
{
	het__buckets_free(block->near);
	block->near = NULL;
}

/* Hazards of ended tasks leave when they are met. */
static void forget(struct het__block *block, int i)
{
	if (block->near)
		het__buckets_remove(block->near, i);
	block->hazards.at[i] = block->hazards.at[--block->hazards.count];
}

/* A look at the hazards that could have cells of a box, or touch it: backwards, so that the one at which it
 * is may be forgotten. */
struct look {
	const struct het__block *block;
	struct het__bucket_walk near;
	int at;
};

static inline struct look look(const struct het__block *block, const struct het__box *box)
{
	struct look l = {.block = block, .at = block->hazards.count};

	if (block->near)
		l.near = het__bucket_walk(block->near, box);
	return l;
}

/* Its number; negative after the last. */
static inline int next(struct look *l)
{
	return l->block->near ? het__bucket_walk_next(&l->near) : --l->at;
}

static bool conflicts(const struct het__block *block, const struct het__hazard *h, const struct het__box *box,
                      bool write)
{
	return (write || h->write) && het__box_overlaps(block->rank, &h->box, box);
}

static inline het_status order_one(struct het__block *block, int i, const struct het__box *box, bool write,
				   struct het__task *task)
{
	const struct het__hazard *const h = &block->hazards.at[i];

	if (!het__alive(h->task))
		forget(block, i);
	else if (write || h->write)
		return het__block_come_after(block, h, box, task);
	return HET_OK;
}

/* The same twice: a look costs more than most of what is done here. */
het_status het__block_order_all(struct het__block *block, const struct het__box *box, bool write,
                                struct het__task *task)
{
	struct het__bucket_walk walk;
	int i;

	if (!block->near) {
		for (i = block->hazards.count - 1; i >= 0; i--) {
			const het_status st = order_one(block, i, box, write, task);

			if (st)
				return st;
		}
		return HET_OK;
	}
	walk = het__bucket_walk(block->near, box);
	while ((i = het__bucket_walk_next(&walk)) >= 0) {
		const het_status st = order_one(block, i, box, write, task);

		if (st)
			return st;
	}
	return HET_OK;
}

het_status het__block_hold_until_written(struct het__block *block, const struct het__box *box,
					 struct het__task *task)
{
	struct look l = look(block, box);
	het_status st = HET_OK;
	int i;

	while (!st && (i = next(&l)) >= 0) {
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

/* Ended ones elsewhere are not met by looks at one place: they leave when there are twice as many hazards as
 * were left the last time. */
static void sweep(struct het__block *block)
{
	for (int i = block->hazards.count - 1; i >= 0; i--)
		if (!het__alive(block->hazards.at[i].task))
			forget(block, i);
	block->sweep_at = 2 * block->hazards.count + MANY;
}

static __attribute__((cold)) void make_buckets(struct het__block *block)
{
	block->near = het__buckets_new(block->rank, block, box_of, block->hazards.count);
	block->sweep_at = 0;
}

/* A hazard has been added. */
static void tend_buckets(struct het__block *block)
{
	if (block->hazards.count < FEW || !het__buckets_add(block->near)) {
		drop_buckets(block);
		return;
	}
	if (block->hazards.count > block->sweep_at)
		sweep(block);
}

/* Does a hazard leave on account of a new one? Never for one of a box beside it, however many there are: who
 * needs only the earlier would have to wait for both. */
static inline bool gives_way(const struct het__block *block, const struct het__hazard *h,
			     const struct het__box *box, bool write, struct het__ref task)
{
	return !het__alive(h->task) ||
	       (h->write <= write && het__task_stands_for(task.task, h->task) &&
		het__box_contains(block->rank, box, &h->box));
}

static inline void set(const struct het__block *block, struct het__hazard *h, const struct het__box *box,
		       bool write, struct het__ref task)
{
	*h = (struct het__hazard){task, write, false, *box};
	h->whole = box == block->whole && !het__box_empty(block->rank, box);
}

static __attribute__((noinline)) void record_near(struct het__block *block, const struct het__box *box,
						  bool write, struct het__ref task)
{
	struct het__bucket_walk walk = het__bucket_walk(block->near, box);
	int i;

	while ((i = het__bucket_walk_next(&walk)) >= 0) {
		const struct het__hazard *const h = &block->hazards.at[i];

		if (!gives_way(block, h, box, write, task))
			continue;
		het__emit_collapse(block, block->rank, &h->box, h->write, task, h->task);
		forget(block, i);
	}
	set(block, &block->hazards.at[block->hazards.count++], box, write, task);
	tend_buckets(block);
}

void het__block_record_among(struct het__block *block, const struct het__box *box, bool write,
			     struct het__ref task)
{
	struct het__hazard *fresh = NULL; /* in the place of the first one that goes */

	if (block->near) {
		record_near(block, box, write, task);
		return;
	}
	for (int i = 0; i < block->hazards.count; i++) {
		struct het__hazard *const h = &block->hazards.at[i];

		if (!gives_way(block, h, box, write, task))
			continue;
		het__emit_collapse(block, block->rank, &h->box, h->write, task, h->task);
		if (fresh)
			forget(block, i--);
		else
			fresh = h;
	}
	if (!fresh)
		fresh = &block->hazards.at[block->hazards.count++];
	set(block, fresh, box, write, task);
	if (block->hazards.count > MANY)
		make_buckets(block);
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
	struct look l = look(block, box);
	int i;

	while ((i = next(&l)) >= 0) {
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
	struct look l = look(block, box);
	int i;

	while ((i = next(&l)) >= 0) {
		const struct het__hazard *const h = &block->hazards.at[i];

		if (!het__alive(h->task))
			forget(block, i);
		else if (conflicts(block, h, box, write))
			return h->task;
	}
	return (struct het__ref){NULL, 0};
}
