/* beside.c - rehearsals: the halo that covers what a kernel reads beside its part. */

#include "launch/beside.h"

#include <inttypes.h>
#include <stdio.h>

#include "launch/mapper.h"

/* A search for radii, by changing only what is further away. */
struct search {
	struct het__trial *t;
	struct het__change change;
	struct het__band band;   /* what is not changed */
	int64_t radius[HET_MAX_RANK];
	bool wraps;              /* over the array's ends */
	bool has_failed;         /* a run has: nothing is known */
};

/* Do results depend on what is outside of the band? */
static bool shows(struct search *s)
{
	s->change.but = &s->band;
	s->has_failed = s->has_failed || het__trial_run(s->t, HET__FILLER, &s->change, 1) != HET_OK;
	for (int k = 0; k < s->t->shadow_count && !s->has_failed; k++)
		if (het__shadow_differs(&s->t->shadow[k]).count > 0)
			return true;
	return false;
}

static bool shows_beyond(struct search *s, int d, int64_t radius)
{
	const struct het_range *const range = s->t->range;

	s->band = (struct het__band){d, range->lo[d] - radius, range->hi[d] + radius, s->wraps};
	return shows(s);
}

/* The least radius from `least` on beyond which nothing shows; -1: there is none up to `most`. */
static int64_t least_radius(struct search *s, int d, int64_t least, int64_t most)
{
	int64_t too_small = least, enough = most;

	if (!shows_beyond(s, d, least))
		return least;
	if (shows_beyond(s, d, most))
		return -1;
	while (enough - too_small > 1) {
		const int64_t radius = too_small + (enough - too_small) / 2;

		*(shows_beyond(s, d, radius) ? &too_small : &enough) = radius;
	}
	return enough;
}

/* The widest radius that still counts as a halo: half a part more than it has, and not all around the array. */
static int64_t widest(const struct search *s, int d)
{
	const int64_t length = s->t->range->hi[d] - s->t->range->lo[d];
	const int64_t around = (s->change.in->extent[d] - length - 1) / 2;
	const int64_t most = s->radius[d] + (length + 1) / 2;

	return s->wraps && around < most ? around : most;
}

/* The radius that the part itself needs, with HET_WRAP if need be. False: it needs the whole array. */
static bool look_beside(struct search *s, int d)
{
	int64_t radius = least_radius(s, d, s->radius[d], widest(s, d));

	if (radius < 0 && !s->wraps && !s->change.in->is_window) {
		s->wraps = true;
		radius = least_radius(s, d, s->radius[d], widest(s, d));
	}
	s->radius[d] = radius;
	return radius >= 0;
}

/* In a dimension that the part spans nothing shows beside it, but the next spread may be cut there. So a piece
 * from its middle is run, with other numbers beside that, also where they are the part's. Where the piece
 * reads far, all of the dimension is needed. */
static void look_within(struct search *s, int d)
{
	const struct het_range *const part = s->t->range;
	const int64_t step = het__trial_step(s->t, d), length = part->hi[d] - part->lo[d];
	struct het_range piece = *part;
	int64_t radius;

	piece.lo[d] = het__trial_middle(s->t, d);
	if (piece.lo[d] == part->hi[d])
		return;
	if (part->hi[d] - piece.lo[d] > step)
		piece.hi[d] = piece.lo[d] + step;
	s->t->range = &piece;
	s->change.is_all = true;
	s->has_failed = s->has_failed || het__trial_run(s->t, HET__FILLER, NULL, 0) != HET_OK;
	radius = least_radius(s, d, s->radius[d], s->radius[d] + length / 4);
	s->t->range = part;
	s->change.is_all = false;
	s->radius[d] = radius < 0 ? HET_END : radius;
}

/* Do results also depend on what is outside of the array? */
static bool is_beyond_array(struct search *s)
{
	const struct het__shadow *const in = s->change.in;
	bool is_beyond = false;

	for (int d = 0; d < in->rank && !is_beyond; d++) {
		s->band = (struct het__band){d, 0, in->extent[d], false};
		is_beyond = shows(s);
	}
	return is_beyond;
}

static void write_radii(const struct search *s, int count, char text[HET__BESIDE_TEXT])
{
	int used = snprintf(text, HET__BESIDE_TEXT, "; %s of radius", s->wraps ? "HET_WRAP" : "HET_HALO");

	for (int d = 0; d < count; d++)
		if (s->radius[d] == HET_END)
			used += snprintf(text + used, HET__BESIDE_TEXT - (size_t)used, "%s HET_END",
					 d ? "," : "");
		else
			used += snprintf(text + used, HET__BESIDE_TEXT - (size_t)used, "%s %" PRId64,
					 d ? "," : "", s->radius[d]);
	snprintf(text + used, HET__BESIDE_TEXT - (size_t)used, " has that and all else that was seen");
}

static bool is_of_interest(const struct het_arg *arg, const struct het__seen *cell)
{
	return arg->kind == HET_ARG_MAPPED && !cell->is_before && !cell->is_behind && !cell->is_between &&
	       (arg->u.mapped.mapper == HET_MAPPER_EACH || het__mapper_is_halo(arg->u.mapped.mapper));
}

/* In every dimension in which the argument has a radius (HET_EACH has 0). False: all is needed, or the kernel
 * also reads outside of the array, which shows with any radius. */
static bool find_radii(struct search *s, int given, int both)
{
	for (int d = 0; d < given && d < both; d++)
		if (s->radius[d] < s->change.in->extent[d] && !look_beside(s, d))
			return false;
	for (int d = 0; d < given && d < both; d++)
		if (s->radius[d] < s->change.in->extent[d] && s->t->cut >= 0 && d != s->t->cut)
			look_within(s, d);
	return true;
}

const char *het__beside_text(struct het__trial *t, const struct het__change *change,
			     const struct het__seen *cell, char text[HET__BESIDE_TEXT])
{
	const struct het__shadow *const in = change->in;
	const struct het_mapped *const m = &t->args[in->arg].u.mapped;
	const int both = in->rank < t->range->rank ? in->rank : t->range->rank;
	struct search search = {.t = t, .change = *change}, *const s = &search;
	int given = both;

	if (!is_of_interest(&t->args[in->arg], cell))
		return "";
	if (in->writes)
		return "; what reads beside what it writes needs two arrays";
	if (het__mapper_is_halo(m->mapper)) {
		given = m->given;
		s->wraps = m->mapper == HET_MAPPER_WRAP;
		for (int d = 0; d < given; d++)
			s->radius[d] = m->number[d];
	}
	if (find_radii(s, given, both))
		write_radii(s, given, text);
	else
		snprintf(text, HET__BESIDE_TEXT, "%s", is_beyond_array(s) ? "" : "; HET_ALL has that");
	return s->has_failed ? "" : text;
}
