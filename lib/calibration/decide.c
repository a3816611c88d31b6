/* decide.c - from what routes cost to which one is taken: prediction, lower envelope with hysteresis. */
#include "calibration/calibration.h"

#include <string.h>

/* ---- prediction -------------------------------------------------------------------------------- */

static double between(const struct het__cal_point *a, const struct het__cal_point *b, uint64_t bytes)
{
	const double part = ((double)bytes - (double)a->bytes) / ((double)b->bytes - (double)a->bytes);

	return (double)a->ns + part * ((double)b->ns - (double)a->ns);
}

/* Above the last point. More bytes never take less: noise between the last two must not lead below zero. */
static double beyond(const struct het__cal_curve *curve, uint64_t bytes)
{
	const struct het__cal_point *last = &curve->at[curve->count - 1];

	if (curve->count == 1)
		return (double)last->ns * ((double)bytes / (double)last->bytes);
	if (last->ns <= last[-1].ns)
		return (double)last->ns;
	return between(last - 1, last, bytes);
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

/* What a route took at exactly this size; NULL where it was not measured there or is barred. */
static const struct het__cal_point *point_at(const struct het__cal_pair *pair, int route, uint64_t bytes)
{
	const struct het__cal_curve *curve = het__cal_curve(pair, route);

	if (!curve || het__cal_bar(pair, route))
		return NULL;
	for (int i = 0; i < curve->count; i++)
		if (curve->at[i].bytes == bytes)
			return &curve->at[i];
	return NULL;
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
	const struct het__cal_point *best = NULL;
	int best_route = -1;

	for (int route = 0; route < HET__CAL_ROUTES; route++) {
		const struct het__cal_point *point = point_at(pair, route, bytes);

		if (point && (!best || point->ns < best->ns)) {
			best = point;
			best_route = route;
		}
	}
	return best_route;
}

/* Is `other` faster by more than the margin? Both were measured. */
static bool leads(const struct het__cal_point *other, const struct het__cal_point *present)
{
	return (double)other->ns * HET__CAL_MARGIN < (double)present->ns;
}

/* Does `other` win against `present` by enough to change? Either may be NULL. */
static bool wins(const struct het__cal_point *other, const struct het__cal_point *present)
{
	uint64_t spread;

	if (!other || !present)
		return other != NULL;
	spread = other->spread_ns > present->spread_ns ? other->spread_ns : present->spread_ns;
	return leads(other, present) && present->ns - other->ns > spread;
}

/* To begin with: the first in order that was measured, unless another one wins. */
static int simplest(const struct het__cal_pair *pair, uint64_t bytes)
{
	const int best = cheapest(pair, bytes);
	int route = 0;

	while (route < best && !point_at(pair, route, bytes))
		route++;
	return best < 0 || wins(point_at(pair, best, bytes), point_at(pair, route, bytes)) ? best : route;
}

/* Is it time to change? It wins, which is no fluke: at the next size it is not behind, if both were measured
 * there. Or it leads, and what noise leaves open here is plain at the next size. */
static bool takes_over(const struct het__cal_pair *pair, int route, int present, uint64_t bytes)
{
	const struct het__cal_point *const other = point_at(pair, route, bytes);
	const struct het__cal_point *const stays = point_at(pair, present, bytes);
	const struct het__cal_point *other_next, *stays_next;
	const bool won = wins(other, stays);

	if (!stays)
		return true;
	if (!next_size(pair, bytes, &bytes))
		return won;
	other_next = point_at(pair, route, bytes);
	stays_next = point_at(pair, present, bytes);
	if (!other_next || !stays_next)
		return won;
	return won ? other_next->ns <= stays_next->ns : leads(other, stays) && wins(other_next, stays_next);
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
