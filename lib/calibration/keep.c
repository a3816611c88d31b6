/* keep.c - what a user wrote into a calibration outlives the next measurement. */
#include "calibration/calibration.h"

#include <math.h>
#include <string.h>

/* Choices put together: at most one for the beginning of each older one, and each of the newer ones. */
struct choices {
	int count;
	struct het__cal_choice at[3 * HET__CAL_CHOICES];
};

static void append(struct choices *out, const struct het__cal_choice *choice, uint64_t from_bytes)
{
	struct het__cal_choice *last = out->count ? &out->at[out->count - 1] : NULL;

	if (last && last->from_bytes == from_bytes)
		last = &out->at[--out->count];
	out->at[out->count] = *choice;
	out->at[out->count++].from_bytes = from_bytes;
}

/* The choices of `fresh` for [lo, hi). */
static void append_range(struct choices *out, const struct het__cal_pair *fresh, uint64_t lo, uint64_t hi)
{
	const struct het__cal_choice *first = het__cal_choice(fresh, lo);

	if (lo >= hi || !first)
		return;
	append(out, first, lo);
	for (int i = (int)(first - fresh->choice) + 1; i < fresh->choice_count; i++)
		if (fresh->choice[i].from_bytes < hi)
			append(out, &fresh->choice[i], fresh->choice[i].from_bytes);
}

/* An older choice stays where nothing is known now: else the user's choice before it would take its sizes. */
static void append_assumed(struct choices *out, const struct het__cal_choice *choice)
{
	struct het__cal_choice assumed = *choice;

	assumed.origin = HET__CAL_ASSUMED;
	append(out, &assumed, choice->from_bytes);
}

/* Which choice to do without: of those that are not the user's, and follow one that is not either, the one with
 * the shortest range, which the one before it takes over. Where there are too many there is one: the older file
 * had room for the user's choices and for one in each gap between them. */
static int least_needed(const struct choices *out)
{
	double shortest = 0;
	int least = -1;

	for (int i = 1; i < out->count; i++) {
		const double from = (double)out->at[i].from_bytes;
		const double end = i + 1 < out->count ? (double)out->at[i + 1].from_bytes : HUGE_VAL;

		if (out->at[i].origin == HET__CAL_USER || out->at[i - 1].origin == HET__CAL_USER)
			continue;
		if (least >= 0 && end / from >= shortest)
			continue;
		least = i;
		shortest = end / from;
	}
	return least;
}

static void make_fit(struct choices *out)
{
	while (out->count > HET__CAL_CHOICES) {
		const int i = least_needed(out);

		out->count--;
		memmove(&out->at[i], &out->at[i + 1], (size_t)(out->count - i) * sizeof out->at[0]);
	}
}

/* The user's choices stay where they were; the ranges of the others are filled from the new ones. */
static void keep_choices(struct het__cal_pair *fresh, const struct het__cal_pair *older)
{
	struct choices out = {.count = 0};
	int users = 0;

	for (int i = 0; i < older->choice_count; i++) {
		const struct het__cal_choice *choice = &older->choice[i];
		const uint64_t end = i + 1 < older->choice_count ? choice[1].from_bytes : UINT64_MAX;

		users += choice->origin == HET__CAL_USER;
		if (choice->origin == HET__CAL_USER)
			append(&out, choice, choice->from_bytes);
		else if (fresh->choice_count > 0)
			append_range(&out, fresh, choice->from_bytes, end);
		else
			append_assumed(&out, choice);
	}
	if (users == 0)
		return;
	out.at[0].from_bytes = 0; /* K3: the first also serves smaller sizes, of which nothing is known now */
	make_fit(&out);
	memcpy(fresh->choice, out.at, (size_t)out.count * sizeof out.at[0]);
	fresh->choice_count = out.count;
}

static void keep_curves(struct het__cal_pair *fresh, const struct het__cal_pair *older)
{
	for (int i = 0; i < older->curve_count; i++) {
		const struct het__cal_curve *curve = &older->curve[i];
		struct het__cal_curve *same = het__cal_curve(fresh, curve->route);

		if (curve->origin != HET__CAL_USER)
			continue;
		if (!same)
			same = &fresh->curve[fresh->curve_count++];
		*same = *curve;
	}
}

/* A user's bar takes the place of a measured one, because it outlives the next measurement. */
static void keep_bars(struct het__cal_pair *fresh, const struct het__cal_pair *older)
{
	for (int i = 0; i < older->bar_count; i++) {
		int same = 0;

		if (older->bar[i].origin != HET__CAL_USER)
			continue;
		while (same < fresh->bar_count && fresh->bar[same].route != older->bar[i].route)
			same++;
		fresh->bar[same] = older->bar[i];
		fresh->bar_count += same == fresh->bar_count;
	}
}

/* ---- pairs ------------------------------------------------------------------------------------- */

static bool is_as_it_was(const struct het__calibration *fresh, const struct het__calibration *older,
			 const char *name)
{
	const struct het__cal_device *const now = het__calibration_device(fresh, name);
	const struct het__cal_device *const known = het__calibration_device(older, name);

	return strcmp(name, HET__CAL_HOST) == 0 || (now && known && !het__cal_device_differs(known, now));
}

static bool knows_both(const struct het__calibration *calibration, const struct het__cal_pair *pair)
{
	return het__calibration_memory(calibration, pair->from) >= 0 &&
	       het__calibration_memory(calibration, pair->to) >= 0;
}

static bool is_known(const struct het__cal_pair *pair)
{
	return pair && (pair->curve_count > 0 || pair->bar_count > 0);
}

static bool has_users(const struct het__cal_pair *pair)
{
	for (int i = 0; i < pair->choice_count; i++)
		if (pair->choice[i].origin == HET__CAL_USER)
			return true;
	for (int i = 0; i < pair->curve_count; i++)
		if (pair->curve[i].origin == HET__CAL_USER)
			return true;
	for (int i = 0; i < pair->bar_count; i++)
		if (pair->bar[i].origin == HET__CAL_USER)
			return true;
	return false;
}

/* The one of the newer calibration; an empty one where it has none. NULL without memory. */
static struct het__cal_pair *same_pair(struct het__calibration *fresh, const struct het__cal_pair *old)
{
	struct het__cal_pair *pair = het__calibration_pair(fresh, old->from, old->to, old->shape);

	if (!pair && (pair = het__calibration_add_pair(fresh)) != NULL) {
		memcpy(pair->from, old->from, sizeof pair->from);
		memcpy(pair->to, old->to, sizeof pair->to);
		pair->shape = old->shape;
	}
	return pair;
}

bool het__calibration_keep_others(struct het__calibration *fresh, const struct het__calibration *older,
				  int *left_out_p)
{
	*left_out_p = 0;
	for (int i = 0; i < older->pair_count; i++) {
		const struct het__cal_pair *const old = &older->pair[i];
		struct het__cal_pair *pair = het__calibration_pair(fresh, old->from, old->to, old->shape);
		const bool good = is_as_it_was(fresh, older, old->from) && is_as_it_was(fresh, older, old->to);

		if (is_known(pair) || !knows_both(fresh, old) || (!good && !has_users(old)))
			continue;
		if (!pair && fresh->pair_count == HET__CAL_MOST_PAIRS) {
			++*left_out_p;
			continue;
		}
		pair = same_pair(fresh, old);
		if (!pair)
			return false;
		if (good)
			*pair = *old;
		pair->kept = true;
	}
	return true;
}

/* ---- what users wrote -------------------------------------------------------------------------- */

/* Figures of another device of this name do not hold for the one that is there now; the user's do. */
static void keep_figures(struct het__cal_device *fresh, const struct het__cal_device *older)
{
	const bool same = !het__cal_device_differs(older, fresh);
	int measured = 0, kept = 0;

	for (int i = 0; i < HET__CAL_FIGURES; i++) {
		const struct het__cal_figure *const old = &older->figure[i];

		measured += fresh->figure[i].known;
		if (old->known && (old->origin == HET__CAL_USER || (same && !fresh->figure[i].known))) {
			fresh->figure[i] = *old;
			kept++;
		}
	}
	fresh->kept = measured == 0 && kept > 0;
}

void het__calibration_keep_user(struct het__calibration *fresh, const struct het__calibration *older)
{
	for (int i = 0; i < older->device_count; i++) {
		struct het__cal_device *const device = het__calibration_device(fresh, older->device[i].name);

		if (device)
			keep_figures(device, &older->device[i]);
	}
	for (int i = 0; i < older->pair_count; i++) {
		const struct het__cal_pair *old = &older->pair[i];
		struct het__cal_pair *pair = het__calibration_pair(fresh, old->from, old->to, old->shape);

		if (!pair)
			continue;
		keep_curves(pair, old);
		keep_bars(pair, old);
		if (pair->kept && pair->curve_count == 0 && pair->choice_count > 0)
			continue; /* choices that nobody measured stay as they were */
		het__cal_decide(pair);
		keep_choices(pair, old);
	}
}
