/* balance.c - shares that follow what was measured. */

#include "launch/team.h"

#include <string.h>

#include "array/array.h"
#include "base/alloc.h"

/* A change must promise to make a spread faster by more than this factor. */
#define GAIN 1.04
/* A team keeps so many balances; then the least recently used one gives way. */
#define BALANCES 64

bool het__balance_move(double *share, const double *rate, int count)
{
	double slowest = 0, rates = 0, shares = 0;

	for (int i = 0; i < count; i++) {
		if (share[i] <= 0 || rate[i] <= 0)
			continue;
		slowest = share[i] / rate[i] > slowest ? share[i] / rate[i] : slowest;
		rates += rate[i];
		shares += share[i];
	}
	if (slowest * rates <= GAIN * shares)
		return false;
	for (int i = 0; i < count; i++)
		if (share[i] > 0 && rate[i] > 0)
			share[i] = shares * rate[i] / rates;
	return true;
}

static bool is_of(const struct het__balance *b, const het_kernel *kernel)
{
	return b->kernel == kernel && b->number == kernel->number;
}

static struct het__balance *find(const het_team *team, const het_kernel *kernel, unsigned size)
{
	for (int i = 0; i < team->balance_count; i++)
		if (team->balance[i].size == size && is_of(&team->balance[i], kernel))
			return &team->balance[i];
	return NULL;
}

/* That of the kernel's last spread. */
static const struct het__balance *find_last(const het_team *team, const het_kernel *kernel)
{
	const struct het__balance *last = NULL;

	for (int i = 0; i < team->balance_count; i++)
		if (is_of(&team->balance[i], kernel) && (!last || team->balance[i].used > last->used))
			last = &team->balance[i];
	return last;
}

/* A place for one more balance; NULL: no memory. */
static struct het__balance *make_place(het_team *team)
{
	struct het__balance *oldest = team->balance;

	if (team->balance_count < BALANCES) {
		if (het__grow(&team->balance, &team->balance_room, team->balance_count + 1, sizeof *oldest))
			return NULL;
		return &team->balance[team->balance_count++];
	}
	for (int i = 1; i < team->balance_count; i++)
		if (team->balance[i].used < oldest->used)
			oldest = &team->balance[i];
	return oldest;
}

/* It begins with the shares of the kernel's last spread, of another size, or the team's. */
static struct het__balance *add(het_team *team, const het_kernel *kernel, unsigned size)
{
	double share[HET__TEAM_MOST];
	struct het__balance *b;

	memcpy(share, het__team_shares_of(team, kernel, size), sizeof share);
	b = make_place(team);
	if (!b)
		return NULL;
	memset(b, 0, sizeof *b);
	b->kernel = kernel;
	b->number = kernel->number;
	b->size = size;
	memcpy(b->share, share, sizeof share);
	return b;
}

/* Waits for the launches before the last ones: the host stays one spread ahead. Others may come in meanwhile,
 * and free the team. Launches behind a user's function are not waited for: it may be waiting for the caller. */
static het_status wait_for_last(het_team *team, const het_kernel *kernel, unsigned size)
{
	het_system *const system = team->system;
	const bool may = !het__in_callback();
	het_status st = HET_OK;

	for (int i = 0; !st && may && i < team->count; i++) {
		const struct het__balance *const b = find(team, kernel, size);

		if (!b || !het__alive(b->before[i]) || b->before[i].task->behind_user)
			continue;
		het__operation_wait(system, b->before[i]);
		st = het__team_check(team, "het_spread");
	}
	het__lanes_reap(system);
	return st;
}

/* Is it time to look at shares? Where that is seldom, it is sooner at first, after 2, 4, 8... spreads. */
static bool is_time(uint64_t spreads, uint64_t every)
{
	return spreads % every == 0 || (spreads > 1 && spreads < every && (spreads & (spreads - 1)) == 0);
}

static void look(const het_team *team, struct het__balance *b)
{
	double rate[HET__TEAM_MOST];

	for (int i = 0; i < team->count; i++)
		rate[i] = het__kernel_rate(b->kernel, team->device[i], b->size);
	if (!het__balance_move(b->share, rate, team->count))
		return;
	for (int i = 0; i < team->count; i++)
		het__log(team->system->logger, HET_LOG_INFO, "spread", "%s: the share of %s is now %.3f",
			 b->kernel->title, team->device[i]->name, b->share[i]);
}

const double *het__team_shares_of(const het_team *team, const het_kernel *kernel, unsigned size)
{
	const struct het__balance *b = find(team, kernel, size);

	if (!b)
		b = find_last(team, kernel);
	return b ? b->share : team->share;
}

het_status het__team_shares_now(het_team *team, het_kernel *kernel, unsigned size, const double **share_p)
{
	struct het__balance *b;
	het_status st = HET_OK;

	if (team->every == 0) {
		*share_p = het__team_shares_of(team, kernel, size);
		return HET_OK;
	}
	b = find(team, kernel, size);
	if (!b)
		b = add(team, kernel, size);
	if (b && is_time(b->spreads++, (uint64_t)team->every)) {
		st = wait_for_last(team, kernel, size);
		if (!st)
			st = het__kernel_check(kernel, "het_spread");
		b = st ? NULL : find(team, kernel, size);
		if (!st && !b) /* others gave the team shares meanwhile */
			b = add(team, kernel, size);
		if (b)
			look(team, b);
	}
	if (!st && !b)
		st = het__fail(HET_ERR_MEMORY, "no host memory for a kernel's shares");
	if (st)
		return st;
	b->used = ++team->spreads;
	*share_p = b->share;
	return HET_OK;
}

void het__team_launched(het_team *team, const het_kernel *kernel, unsigned size, int i, struct het__ref task)
{
	struct het__balance *const b = team->every > 0 ? find(team, kernel, size) : NULL;

	if (!b)
		return;
	b->before[i] = b->last[i];
	b->last[i] = task;
}

het_status het_team_shares(het_team *team, const het_kernel *kernel, double *shares)
{
	het_status st = het__team_check(team, "het_team_shares");

	if (!st && kernel)
		st = het__kernel_check(kernel, "het_team_shares");
	if (!st && !shares)
		st = het__fail(HET_ERR_ARGUMENT, "het_team_shares: shares is NULL");
	if (st)
		return het__team_refuse(team, st);
	st = het__team_enter(team, "het_team_shares");
	if (!st) {
		memcpy(shares, het__team_shares_of(team, kernel, 0), (size_t)team->count * sizeof *shares);
		het__leave(team->system);
	}
	return st;
}

het_status het_team_rebalance(het_team *team, int every)
{
	het_status st = het__team_check(team, "het_team_rebalance");

	if (!st && every < 0)
		st = het__fail(HET_ERR_ARGUMENT, "het_team_rebalance: every is %d", every);
	if (!st && every > 0)
		st = het__may_wait("het_team_rebalance");
	if (st)
		return het__team_refuse(team, st);
	st = het__team_enter(team, "het_team_rebalance");
	if (!st) {
		het_system *const system = team->system;

		st = every > 0 ? het__lanes_time(system) : HET_OK;
		if (!st)
			st = het__team_check(team, "het_team_rebalance"); /* freed while this waited? */
		if (!st)
			team->every = every;
		st = het__leave_with(system, st);
	}
	return st;
}
