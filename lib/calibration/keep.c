/* keep.c - what a user wrote into a calibration outlives the next measurement. */
#include "calibration/calibration.h"

#include <string.h>

/* Choices with room for those that an overlay adds: each adds its beginning and perhaps what follows it. */
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

/* What of `fresh` lies in [lo, hi), cut to it. */
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
		else
			append_range(&out, fresh, choice->from_bytes, end);
	}
	if (users == 0)
		return;
	out.at[0].from_bytes = 0; /* also where nothing is known of the smaller ones any more */
	if (out.count > HET__CAL_CHOICES)
		out.count = HET__CAL_CHOICES;
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

static void keep_bars(struct het__cal_pair *fresh, const struct het__cal_pair *older)
{
	for (int i = 0; i < older->bar_count; i++)
		if (older->bar[i].origin == HET__CAL_USER && !het__cal_bar(fresh, older->bar[i].route))
			fresh->bar[fresh->bar_count++] = older->bar[i];
}

void het__calibration_keep_user(struct het__calibration *fresh, const struct het__calibration *older)
{
	for (int i = 0; i < older->pair_count; i++) {
		const struct het__cal_pair *old = &older->pair[i];
		struct het__cal_pair *pair = het__calibration_pair(fresh, old->from, old->to, old->shape);

		if (!pair)
			continue;
		keep_curves(pair, old);
		keep_bars(pair, old);
		het__cal_decide(pair);
		keep_choices(pair, old);
	}
}
