/* worth.c - which devices of a team earn the exchange with them. */

#include "launch/worth.h"

#include <math.h>

#include "base/clock.h"
#include "route/choose.h"

/* A kernel may take longer than its bytes say, and then more devices are worth it. */
#define LESS_BY 2.0

/* Devices that are so many times as slow as the fastest, and have less than that of all, take no part. */
#define SLOWER_BY 12.0
#define LITTLE 0.1

/* ---- predictions, ns ---------------------------------------------------------------------------- */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double figure_of(const het_device *device, enum het__cal_figures which)
{
	const struct het__cal_figure *const figure = het__team_figure(device, which);

	return figure ? (double)figure->value : 0;
}

/* What a part waits for the halo of one beside it: as measured, else as assumed; nothing in one memory. */
static double exchange_ns(const het_device *from, const het_device *to, const struct het__cut *cut)
{
	const struct het__hop hop = {from->memory, to->memory, het__cut_over_border(cut, cut->halo_bytes),
				    false};
	const struct het__route *route;
	double ns;

	if (hop.from == hop.to)
		return 0;
	route = het__route_direct(&hop);
	return het__route_predict_way(&hop, route, &ns) ? ns : het__route_cost_ns(&hop, route);
}

/* The time of a spread over the devices that take part. */
static double time_ns(const het_team *team, const struct het__cut *cut, const bool *takes_part)
{
	double rate = 0, launch = 0, exchange = 0;
	int last = -1;

	for (int i = 0; i < team->count; i++) {
		const het_device *const device = team->device[i];
		const het_device *const beside = last >= 0 ? team->device[last] : device;

		if (!takes_part[i])
			continue;
		rate += figure_of(device, HET__CAL_TRIAD_BYTES_PER_S);
		launch = larger(launch, figure_of(device, HET__CAL_BEHIND_NS));
		exchange = larger(exchange, larger(exchange_ns(beside, device, cut),
						   exchange_ns(device, beside, cut)));
		last = i;
	}
	return launch + 1e9 * cut->bytes / rate + exchange;
}

/* ---- the choice --------------------------------------------------------------------------------- */

/* The devices with a share, those with a larger one first. Returns how many. */
static int rank(const het_team *team, const double *share, int *order)
{
	int count = 0;

	for (int i = 0; i < team->count; i++) {
		int at = count;

		if (share[i] <= 0)
			continue;
		for (; at > 0 && share[order[at - 1]] < share[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
		count++;
	}
	return count;
}

/* How many are left without those that are far slower than the first, where these together add little: a kernel
 * that their bandwidths flatter, which may be by two or three, would wait for them longer than they save. */
static int without_slow_ones(const het_team *team, const het_kernel *kernel, const double *share,
			     const int *order, int count)
{
	double sum = 0, little = 0;
	int most = count;

	for (int k = 0; k < count; k++)
		sum += share[order[k]];
	while (most > 1 && share[order[most - 1]] * SLOWER_BY < share[order[0]])
		little += share[order[--most]];
	if (little >= LITTLE * sum)
		return count;
	for (int k = most; k < count; k++)
		het__log(team->system->logger, HET_LOG_DEBUG, "spread",
			 "%s: %s takes no part: by its bandwidth it would add %.1f %%", kernel->title,
			 team->device[order[k]]->name, 100 * share[order[k]] / sum);
	return most;
}

/* How many of the first devices take part: as many as may without doubling the least time. */
static int judge(const het_team *team, const het_kernel *kernel, const struct het__cut *cut, const int *order,
		 int count)
{
	bool takes_part[HET__TEAM_MOST] = {false};
	double ns[HET__TEAM_MOST], best = HUGE_VAL;
	char few[HET__TIME_BYTES], all[HET__TIME_BYTES];
	int most = count;

	for (int k = 0; k < count; k++) {
		takes_part[order[k]] = true;
		ns[k] = time_ns(team, cut, takes_part);
		best = ns[k] < best ? ns[k] : best;
	}
	while (most > 1 && ns[most - 1] >= LESS_BY * best)
		most--;
	if (most < count)
		het__log(team->system->logger, HET_LOG_DEBUG, "spread",
			 "%s: %d of %d devices take part: a spread is predicted to take %s, over all %s",
			 kernel->title, most, count, het__time_words(few, ns[most - 1]),
			 het__time_words(all, ns[count - 1]));
	return most;
}

/* Kernels over one grid use more or fewer arrays. */
static bool is_as_much(double bytes, const struct het__worth *judged)
{
	return judged->length > 0 && bytes <= 8 * judged->bytes && judged->bytes <= 8 * bytes;
}

/* And may leave rows at its rim out. */
static bool is_same_grid(const struct het__cut *cut, const struct het__worth *judged)
{
	const int64_t length = cut->hi - cut->lo;
	const int64_t apart = length > judged->length ? length - judged->length : judged->length - length;

	return apart <= judged->length / 8 && is_as_much(cut->bytes, judged);
}

static bool is_judged(const het_team *team, const double *share)
{
	return team->by_bandwidth && team->every == 0 && share == team->share;
}

const double *het__worth_shares(const het_team *team, const het_kernel *kernel, const struct het__cut *cut,
				const double *share, struct het__worth *worth)
{
	int order[HET__TEAM_MOST], count;
	double sum = 0;

	if (!is_judged(team, share))
		return share;
	if (is_same_grid(cut, worth))
		return worth->share;
	if (cut->reach == 0)
		return share;
	*worth = (struct het__worth){.length = cut->hi - cut->lo, .bytes = cut->bytes};
	count = without_slow_ones(team, kernel, share, order, rank(team, share, order));
	count = judge(team, kernel, cut, order, count);
	for (int k = 0; k < count; k++)
		sum += share[order[k]];
	for (int k = 0; k < count; k++)
		worth->share[order[k]] = share[order[k]] / sum;
	return worth->share;
}

const double *het__worth_beside(const het_team *team, double bytes)
{
	const bool holds = is_judged(team, team->share) && is_as_much(bytes, &team->worth);

	return holds ? team->worth.share : team->share;
}
