/* batch.c - launches that are one operation. */

#include "launch/batch.h"

/* For so many launches, what is found out about their arguments is kept from when they are brought until they
 * start. */
#define KEPT 4

struct run {
	const struct het__batch *batch;
	struct het__args all[KEPT]; /* [i % KEPT]: of launch i, if that was the last one looked at there */
	struct het__args *last;     /* looked at */
	struct het_arg room[HET__ARGS_MOST];
	bool settled;               /* nothing had to be brought for any of the launches */
};

static struct het__args *all_of(struct run *run, int i)
{
	return &run->all[i % KEPT];
}

static const struct het_arg *args_of(struct run *run, int i)
{
	return run->batch->args(run->batch->user, i, run->room);
}

static het_status bring_one(struct run *run, int i, bool *waited)
{
	const struct het__batch *const b = run->batch;
	struct het__args *const all = run->last = all_of(run, i);
	het_status st;

	all->waited = false;
	all->count = 0;
	st = het__work_bring(b->work(b->user, i), args_of(run, i), b->arg_count, all);
	if (!st && b->count > 1)
		st = het__args_check_buffers(all);
	*waited |= all->waited;
	run->settled = run->settled && !st && !all->changed;
	return st;
}

/* After this the lock has been held since all were found to be ready. The first launches come last: their
 * arguments are those that are kept. Where one cannot be brought, all are tried once more from the first on,
 * so that the error is that of the first which still cannot be. */
static het_status bring_all(struct run *run)
{
	const int count = run->batch->count;
	het_status st;
	bool waited, told = false;

	do {
		st = HET_OK;
		waited = false;
		run->settled = true;
		for (int i = count - 1; i >= 0 && !st; i--)
			st = bring_one(run, i, &waited);
		if (!st || told || count == 1)
			continue;
		st = HET_OK;
		told = waited = true;
		for (int i = 0; i < count && !st; i++)
			st = bring_one(run, i, &waited);
	} while (!st && waited);
	return st;
}

/* The first was brought last. Another is resolved again where bringing one may have taken its stores, or where
 * a launch started before made a directory merge entries and forget that something is there. No launch reads
 * what another one of the batch writes: het__args_resolve and het__cut_check_own refuse that. */
static bool is_kept(struct run *run, int i)
{
	return i == 0 || (i < KEPT && run->settled && het__args_are_ready(all_of(run, i)));
}

/* Where not even the arguments are known, the error is all there is. */
static het_status lose(struct het__args *all, het_status st)
{
	return all->count ? het__args_lose(all) : st;
}

static het_status start_one(struct run *run, int i)
{
	const struct het__batch *const b = run->batch;
	struct het__args *const all = all_of(run, i);
	const struct het_arg *const args = args_of(run, i);
	struct het__ref task;
	het_status st;

	all->brought = is_kept(run, i);
	if (all->brought)
		all->given = args;
	else
		all->count = 0;
	st = het__work_launch(b->work(b->user, i), args, b->arg_count, all, &task);
	if (!st && b->started)
		b->started(b->user, i, task);
	else if (st && i >= b->lose_from)
		st = lose(all, st);
	return st;
}

het_status het__batch_run(const struct het__batch *b)
{
	struct run run;
	het_status st;

	run.batch = b;
	st = bring_all(&run);
	if (st && b->lose_from == 0)
		return lose(run.last, st);
	for (int i = 0; i < b->count && !st; i++)
		st = start_one(&run, i);
	return st;
}
