/* worth.c - which devices of a team earn the exchange with them. */

#include "launch/worth.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "launch/edges.h"
#include "route/choose.h"

/* A kernel may take longer than its bytes say, and then more devices are worth it. */
#define LESS_BY 2.0

/* Devices so many times slower than the fastest, which together have less than this of all, take no part. */
#define SLOWER_BY 12.0
#define LITTLE 0.1
/* The same for measured shares, which flatter nobody; but the fast devices run slower beside slow ones. */
#define MEASURED_LITTLE 0.05

/* A device goes for its halo only if the spread is so many times faster without it. */
#define MEASURED_LESS_BY 1.04

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

/* How long a part waits for the halo of the one beside it: as measured, else as assumed; 0 in one memory. */
static double exchange_ns(const het_device *from, const het_device *to, const struct het__cut *cut,
			  bool *is_measured)
{
	const struct het__hop hop = {from->memory, to->memory, het__cut_over_border(cut, cut->halo_bytes),
				    false};
	const struct het__route *route;
	double ns = 0;

	*is_measured = hop.from == hop.to;
	if (*is_measured)
		return 0;
	route = het__route_direct(&hop);
	*is_measured = het__route_predict_way(&hop, route, &ns);
	return *is_measured ? ns : het__route_cost_ns(&hop, route);
}

/* The time of a spread over the devices that take part. */
static double time_ns(const het_team *team, const struct het__cut *cut, const bool *takes_part)
{
	double rate = 0, launch = 0, exchange = 0;
	bool is_measured;
	int last = -1;

	for (int i = 0; i < team->count; i++) {
		const het_device *const device = team->device[i];
		const het_device *const beside = last >= 0 ? team->device[last] : device;

		if (!takes_part[i])
			continue;
		rate += figure_of(device, HET__CAL_TRIAD_BYTES_PER_S);
		launch = larger(launch, figure_of(device, HET__CAL_BEHIND_NS));
		exchange = larger(exchange, larger(exchange_ns(beside, device, cut, &is_measured),
						   exchange_ns(device, beside, cut, &is_measured)));
		last = i;
	}
	return launch + 1e9 * cut->bytes / rate + exchange;
}

/* ---- the choice --------------------------------------------------------------------------------- */

/* The devices with a share, or a rate, those with a larger one first. Returns how many. */
static int rank(const double *share, int devices, int *order)
{
	int count = 0;

	for (int i = 0; i < devices; i++) {
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

static void normalise(double *share, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += share[i];
	for (int i = 0; i < count; i++)
		share[i] /= sum;
}

/* How many are left without those that are far slower than the first, where these together add less than
 * `least` of all. */
static int without_slow_ones(const het_team *team, const het_kernel *kernel, const double *share,
			     const int *order, int count, double least, const char *by)
{
	double sum = 0, little = 0;
	int most = count;

	for (int k = 0; k < count; k++)
		sum += share[order[k]];
	while (most > 1 && share[order[most - 1]] * SLOWER_BY < share[order[0]])
		little += share[order[--most]];
	if (little >= least * sum)
		return count;
	for (int k = most; k < count; k++)
		het__log(team->system->logger, HET_LOG_DEBUG, "spread",
			 "%s: %s takes no part: by %s it would add %.1f %%", kernel->title,
			 team->device[order[k]]->name, by, 100 * share[order[k]] / sum);
	return most;
}

static void tell_choice(const het_team *team, const het_kernel *kernel, const double *ns, int most, int count)
{
	char few[HET__TIME_BYTES], all[HET__TIME_BYTES];

	if (most < count)
		het__log(team->system->logger, HET_LOG_DEBUG, "spread",
			 "%s: %d of %d devices take part: a spread is predicted to take %s, over all %s",
			 kernel->title, most, count, het__time_words(few, ns[most - 1]),
			 het__time_words(all, ns[count - 1]));
}

/* How many of the first devices take part: as many as may without doubling the least time. */
static int judge(const het_team *team, const het_kernel *kernel, const struct het__cut *cut, const int *order,
		 int count)
{
	bool takes_part[HET__TEAM_MOST] = {false};
	double ns[HET__TEAM_MOST], best = HUGE_VAL;
	int most = count;

	for (int k = 0; k < count; k++) {
		takes_part[order[k]] = true;
		ns[k] = time_ns(team, cut, takes_part);
		best = ns[k] < best ? ns[k] : best;
	}
	while (most > 1 && ns[most - 1] >= LESS_BY * best)
		most--;
	tell_choice(team, kernel, ns, most, count);
	return most;
}

/* Kernels over one grid use more or fewer arrays, so up to 8 times as many bytes may be the same grid. */
static bool is_as_much(double bytes, const struct het__worth *judged)
{
	return judged->length > 0 && bytes <= 8 * judged->bytes && judged->bytes <= 8 * bytes;
}

/* Kernels may also leave out rows at the grid's rim. */
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

/* ---- measured shares ---------------------------------------------------------------------------- */

/* Devices that take part, and how fast each is. */
struct measured {
	const het_team *team;
	const het_kernel *kernel;
	const struct het__cut *cut;
	double items;                /* work-items of the spread */
	double rate[HET__TEAM_MOST]; /* 0: takes no part */
	double rates;                /* of all that do, */
	int count;                   /* so many */
};

/* False: of some device it is not known how fast it is. */
static bool find_rates(struct measured *m, unsigned size, const double *share)
{
	for (int i = 0; i < m->team->count; i++) {
		if (share[i] <= 0)
			continue;
		m->rate[i] = het__kernel_rate(m->kernel, m->team->device[i], size);
		if (m->rate[i] <= 0)
			return false;
		m->rates += m->rate[i];
		m->count++;
	}
	return true;
}

static void leave_out(struct measured *m, int i)
{
	m->rates -= m->rate[i];
	m->rate[i] = 0;
	m->count--;
}

static void leave_out_slow_ones(struct measured *m)
{
	int order[HET__TEAM_MOST];
	const int count = rank(m->rate, m->team->count, order);

	for (int k = without_slow_ones(m->team, m->kernel, m->rate, order, count, MEASURED_LITTLE,
				       "what was measured"); k < count; k++)
		leave_out(m, order[k]);
}

static double behind_ns(const struct measured *m, int i)
{
	return figure_of(m->team->device[i], HET__CAL_BEHIND_NS);
}

/* Of devices that begin later than the first by more than they save, the one that costs most; -1: there is
 * none. The one that begins first is never left out. */
static int find_late_one(const struct measured *m)
{
	double first_ns = HUGE_VAL, most_ns = 0;
	int late = -1;

	for (int i = 0; i < m->team->count; i++)
		if (m->rate[i] > 0 && behind_ns(m, i) < first_ns)
			first_ns = behind_ns(m, i);
	for (int i = 0; i < m->team->count; i++) {
		const double saved_ns = m->items / (m->rates - m->rate[i]) - m->items / m->rates;
		const double lost_ns = behind_ns(m, i) - first_ns - saved_ns;

		if (m->rate[i] > 0 && behind_ns(m, i) > first_ns && lost_ns > most_ns) {
			most_ns = lost_ns;
			late = i;
		}
	}
	return late;
}

static void leave_out_late_ones(struct measured *m)
{
	for (int late; (late = find_late_one(m)) >= 0; leave_out(m, late))
		het__log(m->team->system->logger, HET_LOG_DEBUG, "spread",
			 "%s: %s takes no part: it would begin later than it saves", m->kernel->title,
			 m->team->device[late]->name);
}

/* What a part that takes `part_ns` waits for a halo whose way was measured: edges apart hide it. */
static double wait_ns(const struct measured *m, int from, int to, double part_ns)
{
	const het_device *const writer = m->team->device[from], *const reader = m->team->device[to];
	const size_t bytes = het__cut_over_border(m->cut, m->cut->shared_bytes);
	bool is_measured, is_apart;
	const double ns = exchange_ns(writer, reader, m->cut, &is_measured);

	if (!is_measured || ns == 0)
		return 0;
	is_apart = m->team->overlap == HET_OVERLAP_ALWAYS ||
		   (m->team->overlap == HET_OVERLAP_PREDICTED &&
		    het__edges_pay(reader, writer, false, bytes));
	return is_apart ? larger(ns - part_ns, 0) : ns;
}

static double pair_ns(const struct measured *m, int one, int other, double part_ns)
{
	return larger(wait_ns(m, one, other, part_ns), wait_ns(m, other, one, part_ns));
}

/* The time of the spread over these devices only. */
static double measured_ns(const struct measured *m, const bool *takes_part)
{
	double rates = 0, most_ns = 0;
	int first = -1, last = -1;

	for (int i = 0; i < m->team->count; i++)
		rates += takes_part[i] ? m->rate[i] : 0;
	for (int i = 0; i < m->team->count; i++) {
		if (!takes_part[i])
			continue;
		if (last >= 0)
			most_ns = larger(most_ns, pair_ns(m, last, i, m->items / rates));
		else
			first = i;
		last = i;
	}
	if (m->cut->wraps && first != last)
		most_ns = larger(most_ns, pair_ns(m, last, first, m->items / rates));
	return m->items / rates + most_ns;
}

/* The slowest ones go while halos take longer than these save. */
static void leave_out_waited_for(struct measured *m)
{
	int order[HET__TEAM_MOST], most, count;
	bool takes_part[HET__TEAM_MOST];
	double ns[HET__TEAM_MOST];

	for (int i = 0; i < m->team->count; i++)
		takes_part[i] = m->rate[i] > 0;
	most = count = rank(m->rate, m->team->count, order);
	if (count < 2 || measured_ns(m, takes_part) <= m->items / (m->rates - m->rate[order[count - 1]]))
		return;
	memset(takes_part, 0, sizeof takes_part);
	for (int k = 0; k < count; k++) {
		takes_part[order[k]] = true;
		ns[k] = measured_ns(m, takes_part);
	}
	for (int k = count - 1; k > 0; k--)
		if (ns[k - 1] * MEASURED_LESS_BY < ns[count - 1] && ns[k - 1] < ns[most - 1])
			most = k;
	tell_choice(m->team, m->kernel, ns, most, count);
	for (int k = most; k < count; k++)
		leave_out(m, order[k]);
}

/* In the place of a judgement by bandwidths: what is measured of a kernel is how fast it runs, and not
 * when it begins, nor what it waits for. */
static const double *of_measured(const het_team *team, const struct het__worth_of *of,
				 const struct het__cut *cut, const double *share, struct het__worth *worth)
{
	struct measured m = {
		.team = team, .kernel = of->kernel, .cut = cut, .items = het__pace_items(of->range)};
	int count;

	if (!find_rates(&m, of->size, share))
		return share;
	count = m.count;
	leave_out_slow_ones(&m);
	leave_out_late_ones(&m);
	leave_out_waited_for(&m);
	if (m.count == count)
		return share;
	*worth = (struct het__worth){.length = 0};
	for (int i = 0; i < team->count; i++)
		worth->share[i] = m.rate[i] > 0 ? share[i] : 0;
	normalise(worth->share, team->count);
	return worth->share;
}

/* ---- shares ------------------------------------------------------------------------------------- */

const double *het__worth_shares(const het_team *team, const struct het__worth_of *of,
				const struct het__cut *cut, const double *share, struct het__worth *worth)
{
	int order[HET__TEAM_MOST], count;

	if (share != team->share && cut->reach > 0)
		return of_measured(team, of, cut, share, worth);
	if (!is_judged(team, share))
		return share;
	if (is_same_grid(cut, worth))
		return worth->share;
	if (cut->reach == 0)
		return share;
	*worth = (struct het__worth){.length = cut->hi - cut->lo, .bytes = cut->bytes};
	/* A kernel for which bandwidths flatter these, maybe by two or three, waits longer than they save. */
	count = without_slow_ones(team, of->kernel, share, order, rank(share, team->count, order), LITTLE,
				  "its bandwidth");
	count = judge(team, of->kernel, cut, order, count);
	for (int k = 0; k < count; k++)
		worth->share[order[k]] = share[order[k]];
	normalise(worth->share, team->count);
	return worth->share;
}

const double *het__worth_beside(const het_team *team, double bytes)
{
	const bool holds = is_judged(team, team->share) && is_as_much(bytes, &team->worth);

	return holds ? team->worth.share : team->share;
}
