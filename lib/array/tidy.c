/* tidy.c - directories are kept short: equal neighbours are joined, of many entries unequal ones are merged. */

#include "array/inside.h"
#include "base/alloc.h"

/* Where there are too many boxes, or no memory for one more, one box takes all in. */
void het__regions_add(struct het__regions *r, int rank, const struct het__box *box)
{
	struct het__box *const last = r->box.count ? &r->box.at[r->box.count - 1] : NULL;

	if (r->everywhere || (last && het__box_contains(rank, last, box)))
		return;
	if (last && het__box_contains(rank, box, last)) {
		*last = *box;
		return;
	}
	if (r->box.count < HET__REGIONS_MOST &&
	    !het__grow_from(r->own, &r->box.at, &r->box.room, r->box.count + 1, sizeof *r->box.at)) {
		r->box.at[r->box.count++] = *box;
		return;
	}
	for (; r->box.count > 1; r->box.count--)
		het__box_cover(rank, &r->box.at[0], &r->box.at[r->box.count - 1]);
	het__box_cover(rank, &r->box.at[0], box);
}

static bool same_promises(const struct het__entry *a, const struct het__entry *b)
{
	for (int i = 0; i < a->promises; i++) {
		int j = 0;
		while (j < b->promises &&
		       (a->promise[i].slot != b->promise[j].slot || a->promise[i].by.id != b->promise[j].by.id))
			j++;
		if (j == b->promises)
			return false;
	}
	return true;
}

static bool same_state(const struct het__entry *a, const struct het__entry *b)
{
	return a->settled == b->settled && a->promised == b->promised && a->poison == b->poison &&
	       (!a->promised || same_promises(a, b));
}

bool het__directory_can_join(const struct het__directory *dir, const struct het__entry *a,
			     const struct het__entry *b)
{
	struct het__box both;

	return same_state(a, b) && het__box_join(dir->entries.rank, &a->box, &b->box, &both);
}

static int count_bits(uint64_t set)
{
	int n = 0;

	for (; set; set &= set - 1)
		n++;
	return n;
}

/* What merging a and b would lose: copies times cells, or -1 where it is not allowed (D5). */
static double merge_loss(int rank, const struct het__entry *a, const struct het__entry *b)
{
	struct het__box both;

	if (a->poison || b->poison || !(a->settled & b->settled) ||
	    !het__box_join(rank, &a->box, &b->box, &both))
		return -1;
	return (double)count_bits((a->settled | a->promised) & ~b->settled) *
		       (double)het__box_cells(rank, &a->box) +
	       (double)count_bits((b->settled | b->promised) & ~a->settled) *
		       (double)het__box_cells(rank, &b->box);
}

bool het__directory_can_merge(const struct het__directory *dir, const struct het__entry *a,
			      const struct het__entry *b)
{
	return merge_loss(dir->entries.rank, a, b) >= 0;
}

/* The and of two entries: settled in both; a promise stays when both have the very same one. The second
 * goes. */
static void merge(struct het__directory *dir, struct het__walk first, struct het__walk second)
{
	struct het__entries *const es = &dir->entries;
	struct het__entry *const a = het__walk_at(&first);
	const struct het__entry *const b = het__walk_at(&second);
	const struct het__entry before = {.box = a->box, .settled = a->settled, .promised = a->promised};
	struct het__box both;

	for (int p = a->promises - 1; p >= 0; p--) {
		bool kept = false;
		for (int q = 0; q < b->promises; q++)
			kept |= a->promise[p].slot == b->promise[q].slot &&
				a->promise[p].by.id == b->promise[q].by.id;
		if (!kept)
			het__entry_take_promise(a, p);
	}
	a->settled &= b->settled;
	het__entry_emit_forget(dir, &before, ~(a->settled | a->promised));
	het__entry_emit_forget(dir, b, ~(a->settled | a->promised));
	(void)het__box_join(es->rank, &a->box, &b->box, &both);
	het__entries_enlarge(es, first, &both);
	dir->merges++;
	if (dir->merged)
		dir->merged(dir->merged_user, &a->box, a->settled | a->promised);
	het__entries_remove(es, second);
	het__directory_join_changed(dir, both);
}

/* Two entries, and what merging them would lose. */
struct pair {
	struct het__walk first, second;
	double loss; /* negative: there is none */
};

/* The neighbour with which the entry at `first` loses least, where that is less than what *best loses. */
static void find_partner(const struct het__entries *es, struct het__walk first, struct pair *best)
{
	const struct het__entry *const a = het__walk_at(&first), *b;
	struct het__walk second = het__walk_beside(es, &a->box);

	while ((b = het__walk_next(&second))) {
		double loss = b == a ? -1 : merge_loss(es->rank, a, b);

		if (loss >= 0 && (best->loss < 0 || loss < best->loss))
			*best = (struct pair){first, second, loss};
	}
}

/* Looks for the pair that loses least, of which one lies at least partly in the box. NULL: everywhere. */
static void find_pair(const struct het__directory *dir, const struct het__box *where, struct pair *best)
{
	struct het__walk walk = het__walk(&dir->entries, where);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (e->settled && (!where || het__box_overlaps(dir->entries.rank, &e->box, where)))
			find_partner(&dir->entries, walk, best);
}

static void set_unsearched(struct het__directory *dir, bool everywhere)
{
	dir->unsearched.everywhere = everywhere;
	dir->unsearched.box.count = 0;
}

/* Of a large array each search looks at many entries, so it has to be worth more than one merge: pairs that
 * lose about as little as the best one are merged too, until there is room for some time. */
static void merge_others(struct het__directory *dir, const struct het__box *where, double loss)
{
	const int enough = dir->most - dir->most / 8;
	struct het__walk walk = het__walk(&dir->entries, where);
	const struct het__entry *e;

	while (dir->entries.count > enough && (e = het__walk_next(&walk))) {
		struct pair best = {.loss = -1};

		if (e->settled)
			find_partner(&dir->entries, walk, &best);
		if (best.loss >= 0 && best.loss <= 2 * loss)
			merge(dir, best.first, best.second);
	}
}

/* Merges the pair that loses least in the box that is to be searched next, or everywhere; ties go to the
 * first pair. Where there is none, that box is done. */
static void merge_best(struct het__directory *dir)
{
	struct het__regions *const r = &dir->unsearched;
	const struct het__box *where = NULL;
	struct pair best = {.loss = -1};
	struct het__box box; /* merging adds others to the row that it lies in */

	if (!r->everywhere) {
		box = r->box.at[r->box.count - 1];
		where = &box;
	}
	find_pair(dir, where, &best);
	if (best.loss >= 0) {
		merge(dir, best.first, best.second);
		if (dir->most > HET__DIRECTORY_MOST)
			merge_others(dir, where, best.loss);
	} else if (r->everywhere) {
		set_unsearched(dir, false);
	} else {
		r->box.count--;
	}
}

/* Merges while there are too many entries. While many tasks are under way most entries are promised only, and
 * perhaps no two can be merged: so only what has changed since the last search is searched. */
static void merge_down(struct het__directory *dir)
{
	while ((dir->unsearched.everywhere || dir->unsearched.box.count) &&
	       dir->entries.count > dir->most)
		merge_best(dir);
}

/* The second of two equal neighbours becomes part of the first; *changed is widened to that. */
static void join(struct het__directory *dir, struct het__walk first, struct het__walk second,
		 struct het__box *changed)
{
	struct het__entries *const es = &dir->entries;
	struct het__box both;

	(void)het__box_join(es->rank, &het__walk_at(&first)->box, &het__walk_at(&second)->box, &both);
	het__entries_remove(es, second);
	het__entries_enlarge(es, first, &both);
	het__box_cover(es->rank, changed, &both);
}

/* Among few entries that touch what has changed: joins two, where there are two. False where there are not. */
static bool join_among(struct het__directory *dir, const struct het__walk *near, int count,
		       struct het__box *changed)
{
	for (int i = 1; i < count; i++)
		for (int j = 0; j < i; j++)
			if (het__directory_can_join(dir, het__walk_at(&near[j]), het__walk_at(&near[i]))) {
				join(dir, near[j], near[i], changed);
				return true;
			}
	return false;
}

/* Where they are many, each entry that has changed takes its equal neighbours one by one: this takes one. */
static bool join_one(struct het__directory *dir, struct het__walk first, struct het__box *changed)
{
	const struct het__entry *const a = het__walk_at(&first), *b;
	struct het__walk second = het__walk_beside(&dir->entries, &a->box);

	while ((b = het__walk_next(&second)))
		if (b != a && het__directory_can_join(dir, a, b)) {
			join(dir, first, second, changed);
			return true;
		}
	return false;
}

static void join_each(struct het__directory *dir, struct het__box *changed)
{
	const struct het__box before = *changed;
	struct het__walk walk = het__walk(&dir->entries, &before);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (het__box_overlaps(dir->entries.rank, &e->box, &before))
			while (join_one(dir, walk, changed))
				;
}

#define NEAR_MOST 16 /* of so many entries all pairs are looked at */

/* The entries that touch a box, or the first of them; returns how many. */
static int entries_near(const struct het__directory *dir, const struct het__box *box,
			struct het__walk near[NEAR_MOST])
{
	struct het__walk walk = het__walk_beside(&dir->entries, box);
	const struct het__entry *e;
	int count = 0;

	while (count < NEAR_MOST && (e = het__walk_next(&walk)))
		if (!het__box_apart(dir->entries.rank, &e->box, box))
			near[count++] = walk;
	return count;
}

void het__directory_join_changed(struct het__directory *dir, struct het__box changed)
{
	struct het__walk near[NEAR_MOST];
	int count;

	do
		count = entries_near(dir, &changed, near);
	while (count < NEAR_MOST && join_among(dir, near, count, &changed));
	if (count == NEAR_MOST)
		join_each(dir, &changed);
	het__regions_add(&dir->unsearched, dir->entries.rank, &changed);
}

void het__directory_tidy(struct het__directory *dir)
{
	for (int i = 0; i < dir->changed.box.count && !dir->entries.only; i++)
		het__directory_join_changed(dir, dir->changed.box.at[i]);
	dir->changed.box.count = 0;
	if (dir->entries.count <= dir->most / 2)
		set_unsearched(dir, true);
	merge_down(dir);
	het__entries_close_gaps(&dir->entries);
}
