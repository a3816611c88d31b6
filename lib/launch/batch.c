/* batch.c - launches that are one operation. */

#include "launch/batch.h"

static het_status bring_one(const struct het__batch *b, int i, struct het_arg *room, struct het__args *all,
			    bool *waited)
{
	het_status st;

	all->waited = false;
	all->count = 0;
	st = het__work_bring(b->work(b->user, i), b->args(b->user, i, room), b->arg_count, all);
	*waited |= all->waited;
	return st;
}

/* After this the lock has been held since all were found to be ready. The first comes last: *all is about it.
 * Where some cannot be brought, the first of these is told of; what could be now is tried once more. */
static het_status bring_all(const struct het__batch *b, struct het_arg *room, struct het__args *all)
{
	het_status st;
	bool waited, told = false;

	do {
		st = HET_OK;
		waited = false;
		for (int i = b->count - 1; i >= 0 && !st; i--)
			st = bring_one(b, i, room, all, &waited);
		if (!st || told || b->count == 1)
			continue;
		st = HET_OK;
		told = waited = true;
		for (int i = 0; i < b->count && !st; i++)
			st = bring_one(b, i, room, all, &waited);
	} while (!st && waited);
	return st;
}

/* Where not even the arguments are known, the error is all there is. */
static het_status lose(struct het__args *all, het_status st)
{
	return all->count ? het__args_lose(all) : st;
}

het_status het__batch_run(const struct het__batch *b)
{
	struct het_arg room[HET__ARGS_MOST];
	struct het__args all;
	het_status st = bring_all(b, room, &all);

	if (st && b->lose_from == 0)
		return lose(&all, st);
	for (int i = 0; i < b->count && !st; i++) {
		struct het__ref task;

		all.brought = i == 0;
		if (!all.brought)
			all.count = 0;
		st = het__work_launch(b->work(b->user, i), b->args(b->user, i, room), b->arg_count, &all,
				      &task);
		if (!st && b->started)
			b->started(b->user, i, task);
		else if (st && i >= b->lose_from)
			st = lose(&all, st);
	}
	return st;
}
