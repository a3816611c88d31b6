/* batch.c - launches that are one operation. */

#include "launch/batch.h"

/* After this the lock has been held since all were found to be ready. */
static het_status bring_all(const struct het__batch *b, struct het_arg *room, struct het__args *all)
{
	bool waited;

	do {
		waited = false;
		for (int i = 0; i < b->count; i++) {
			het_status st;

			all->waited = false;
			all->count = 0;
			st = het__work_bring(b->work(b->user, i), b->args(b->user, i, room), b->arg_count, all);
			if (st)
				return st;
			waited |= all->waited;
		}
	} while (waited);
	return HET_OK;
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
