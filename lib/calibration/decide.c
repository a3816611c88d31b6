/* decide.c - from what routes cost to which one is taken: prediction, lower envelope with hysteresis. */
#include "calibration/calibration.h"

#include <string.h>

/* ---- prediction -------------------------------------------------------------------------------- */

static double between(const struct het__cal_point *a, const struct het__cal_point *b, uint64_t bytes)
{
	const double part = ((double)bytes - (double)a->bytes) / ((double)b->bytes - (double)a->bytes);

	return (double)a->ns + part * ((double)b->ns - (double)a->ns);
}

static double slope(const struct het__cal_point *a, const struct het__cal_point *b)
{
	return ((double)b->ns - (double)a->ns) / ((double)b->bytes - (double)a->bytes);
}

/* Above the last point: by the slope of the last two, or of the whole curve if that is steeper, but never
 * falling. So noise between the last two neither leads below zero nor says that more bytes take no time. */
static double beyond(const struct het__cal_curve *curve, uint64_t bytes)
{
	const struct het__cal_point *const last = &curve->at[curve->count - 1], *since = last - 1;

	if (curve->count == 1)
		return (double)last->ns * ((double)bytes / (double)last->bytes);
	if (slope(&curve->at[0], last) > slope(since, last))
		since = &curve->at[0];
	return last->ns > since->ns ? between(since, last, bytes) : (double)last->ns;
}

bool het__cal_predict(const struct het__cal_pair *pair, int route, uint64_t bytes, double *ns_p)
{
	const struct het__cal_curve *curve = het__cal_curve(pair, route);
	int i = 0;

	if (!curve || curve->count == 0)
		return false;
	while (i < curve->count && curve->at[i].bytes < bytes)
		i++;
	if (i == 0)
		*ns_p = (double)curve->at[0].ns;
	else if (i == curve->count)
		*ns_p = beyond(curve, bytes);
	else
		*ns_p = between(&curve->at[i - 1], &curve->at[i], bytes);
	return true;
}

/* ---- the envelope ------------------------------------------------------------------------------ */

/* What a route takes at this size, by the points around it, with the larger of their spreads. False where it is
 * barred, or was measured at larger sizes only, or at smaller ones only. */
static bool point_at(const struct het__cal_pair *pair, int route, uint64_t bytes, struct het__cal_point *at)
{
	const struct het__cal_curve *const curve = het__cal_curve(pair, route);
	const struct het__cal_point *p = curve ? curve->at : NULL;

	if (!curve || curve->count == 0 || het__cal_bar(pair, route) || bytes < p[0].bytes ||
	    bytes > p[curve->count - 1].bytes)
		return false;
	while (p->bytes < bytes)
		p++;
	*at = *p;
	if (p->bytes == bytes)
		return true;
	at->bytes = bytes;
	at->ns = (uint64_t)(between(p - 1, p, bytes) + 0.5);
	if (p[-1].spread_ns > at->spread_ns)
		at->spread_ns = p[-1].spread_ns;
	return true;
}

/* The smallest size above `bytes` at which any route was measured; false where there is none. */
static bool next_size(const struct het__cal_pair *pair, uint64_t above, uint64_t *bytes_p)
{
	bool found = false;

	for (int c = 0; c < pair->curve_count; c++)
		for (int i = 0; i < pair->curve[c].count; i++) {
			const uint64_t bytes = pair->curve[c].at[i].bytes;

			if (bytes > above && (!found || bytes < *bytes_p)) {
				*bytes_p = bytes;
				found = true;
			}
		}
	return found;
}

static int cheapest(const struct het__cal_pair *pair, uint64_t bytes)
{
	struct het__cal_point point;
	uint64_t best_ns = 0;
	int best = -1;

	for (int route = 0; route < HET__CAL_ROUTES; route++)
		if (point_at(pair, route, bytes, &point) && (best < 0 || point.ns < best_ns)) {
			best = route;
			best_ns = point.ns;
		}
	return best;
}

/* Is `other` faster by more than the margin? */
static bool leads(const struct het__cal_point *other, const struct het__cal_point *present)
{
	return (double)other->ns * HET__CAL_MARGIN < (double)present->ns;
}

/* Does `other` win against `present` by enough to change? */
static bool wins(const struct het__cal_point *other, const struct het__cal_point *present)
{
	const uint64_t spread =
		other->spread_ns > present->spread_ns ? other->spread_ns : present->spread_ns;

	return leads(other, present) && present->ns - other->ns > spread;
}

/* The route to begin with: the first in order that was measured, unless the cheapest wins. */
static int simplest(const struct het__cal_pair *pair, uint64_t bytes)
{
	const int best = cheapest(pair, bytes);
	struct het__cal_point first, least;
	int route = 0;

	if (best < 0)
		return best;
	while (!point_at(pair, route, bytes, &first))
		route++;
	(void)point_at(pair, best, bytes, &least);
	return wins(&least, &first) ? best : route;
}

/* Does `route` take over? Yes if the present one was not measured any more; if `route` wins, and is not behind
 * at the next size, where both were measured there; or if it leads here, and wins at the next size, where noise
 * hides less. */
static bool takes_over(const struct het__cal_pair *pair, int route, int present, uint64_t bytes)
{
	struct het__cal_point other, stays, other_next, stays_next;
	bool won;

	(void)point_at(pair, route, bytes, &other);
	if (!point_at(pair, present, bytes, &stays))
		return true;
	won = wins(&other, &stays);
	if (!next_size(pair, bytes, &bytes) || !point_at(pair, route, bytes, &other_next) ||
	    !point_at(pair, present, bytes, &stays_next))
		return won;
	return won ? other_next.ns <= stays_next.ns : leads(&other, &stays) && wins(&other_next, &stays_next);
}

/* What follows from a user's numbers is not itself the user's word. */
static enum het__cal_origin origin_of(const struct het__cal_curve *curve)
{
	return curve->origin == HET__CAL_USER ? HET__CAL_ASSUMED : curve->origin;
}

int het__cal_best(const struct het__cal_point *point, int count)
{
	int best = 0;

	for (int i = 1; i < count; i++)
		if (wins(&point[i], &point[0]) && (best == 0 || point[i].ns < point[best].ns))
			best = i;
	return best;
}

void het__cal_set_parts(struct het__cal_pair *pair, int route, uint64_t chunk_bytes, int depth)
{
	for (int i = 0; i < pair->choice_count; i++)
		if (pair->choice[i].route == route && pair->choice[i].origin != HET__CAL_USER) {
			pair->choice[i].chunk_bytes = chunk_bytes;
			pair->choice[i].depth = depth;
		}
}

static void choose(struct het__cal_pair *pair, uint64_t from_bytes, int route)
{
	struct het__cal_choice *choice = &pair->choice[pair->choice_count++];

	memset(choice, 0, sizeof *choice);
	choice->from_bytes = from_bytes;
	choice->route = route;
	choice->origin = origin_of(het__cal_curve(pair, route));
}

void het__cal_decide(struct het__cal_pair *pair)
{
	struct het__cal_choice before[HET__CAL_CHOICES];
	const int count = pair->choice_count;
	uint64_t bytes = 0;
	int present = -1;

	memcpy(before, pair->choice, sizeof before);
	pair->choice_count = 0;
	while (pair->choice_count < HET__CAL_CHOICES && next_size(pair, bytes, &bytes)) {
		const int best = present < 0 ? simplest(pair, bytes) : cheapest(pair, bytes);

		if (best < 0 || best == present || (present >= 0 && !takes_over(pair, best, present, bytes)))
			continue;
		choose(pair, present < 0 ? 0 : bytes, best);
		present = best;
	}
	for (int i = 0; i < count; i++)
		if (before[i].origin != HET__CAL_USER)
			het__cal_set_parts(pair, before[i].route, before[i].chunk_bytes, before[i].depth);
}
