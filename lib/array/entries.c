/* entries.c - the boxes of an array and the stores that hold the value of each, found by where they lie. */

#include "array/entries.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"

/* ---- leaves ------------------------------------------------------------------------------------- */

static void take_in_ids(struct het__leaf *leaf, const struct het__entry *e)
{
	for (int p = 0; p < e->promises; p++) {
		const uint64_t id = e->promise[p].by.id;

		leaf->oldest = id < leaf->oldest ? id : leaf->oldest;
		leaf->newest = id > leaf->newest ? id : leaf->newest;
	}
}

static void measure_ids(struct het__leaf *leaf)
{
	leaf->oldest = UINT64_MAX;
	leaf->newest = 0;
	for (int i = 0; i < leaf->count; i++)
		take_in_ids(leaf, leaf->entry[i]);
}

/* The leaf is not empty and has no gaps. */
static void measure(int rank, struct het__leaf *leaf)
{
	leaf->hull = leaf->entry[0]->box;
	for (int i = 1; i < leaf->count; i++)
		het__box_cover(rank, &leaf->hull, &leaf->entry[i]->box);
	measure_ids(leaf);
}

/* The dimension in which the entries' beginnings are furthest apart; no two begin at the same cell. */
static int widest(int rank, const struct het__leaf *leaf)
{
	int64_t most = -1;
	int best = 0;

	for (int d = 0; d < rank; d++) {
		int64_t first = INT64_MAX, last = INT64_MIN;

		for (int i = 0; i < leaf->count; i++) {
			const int64_t lo = leaf->entry[i]->box.lo[d];

			first = lo < first ? lo : first;
			last = lo > last ? lo : last;
		}
		if (last - first > most) {
			most = last - first;
			best = d;
		}
	}
	return best;
}

static void sort(struct het__leaf *leaf, int d)
{
	for (int i = 1; i < leaf->count; i++) {
		struct het__entry *const moving = leaf->entry[i];
		int j = i;

		for (; j > 0 && leaf->entry[j - 1]->box.lo[d] > moving->box.lo[d]; j--)
			leaf->entry[j] = leaf->entry[j - 1];
		leaf->entry[j] = moving;
	}
}

/* From so many leaves on buckets of them are kept, until there are few. */
#define MANY 32
#define FEW 12

static const struct het__box *hull_of(const void *es, int leaf)
{
	return &((const struct het__entries *)es)->leaves.at[leaf].hull;
}

static void drop_buckets(struct het__entries *es)
{
	het__buckets_free(es->near);
	het__promised_free(&es->promised);
	es->near = NULL;
}

/* The leaf's hull has become larger. */
static void hull_grew(struct het__entries *es, const struct het__leaf *leaf)
{
	const int number = (int)(leaf - es->leaves.at);

	if (es->near && number < es->near->numbers)
		het__buckets_enlarge(es->near, number);
}

/* What the last search found does not hold any more: a leaf has another number, or has grown. */
static void forget_found(struct het__entries *es)
{
	es->found.known = es->found.count = 0;
}

static void make_buckets(struct het__entries *es)
{
	uint64_t newest = 0;

	for (int i = 0; i < es->leaves.count; i++)
		newest = es->leaves.at[i].newest > newest ? es->leaves.at[i].newest : newest;
	het__promised_begin(&es->promised, newest);
	forget_found(es); /* walks go by buckets now */
	es->near = het__buckets_new(es->rank, es, hull_of, es->leaves.count);
}

/* No walk is under way: new leaves come into buckets. */
static void tend_buckets(struct het__entries *es)
{
	if (es->near && es->leaves.count < FEW)
		drop_buckets(es);
	if (!es->near && es->leaves.count >= MANY)
		make_buckets(es);
	while (es->near && es->near->numbers < es->leaves.count)
		if (!het__buckets_add(es->near))
			drop_buckets(es);
}

/* A full leaf becomes two of half as many entries, one beside the other; returns the one for `box`. */
static struct het__leaf *split(struct het__entries *es, struct het__leaf *leaf, const struct het__box *box)
{
	struct het__leaf *const other = &es->leaves.at[es->leaves.count++];
	const int d = widest(es->rank, leaf);

	sort(leaf, d);
	leaf->count = HET__LEAF / 2;
	other->count = HET__LEAF - leaf->count;
	other->gaps = false;
	memcpy(other->entry, leaf->entry + leaf->count, (size_t)other->count * sizeof other->entry[0]);
	measure(es->rank, leaf);
	measure(es->rank, other);
	return box->lo[d] < other->hull.lo[d] ? leaf : other;
}

/* False where nothing is left. */
static bool close_gaps_of(int rank, struct het__leaf *leaf)
{
	int kept = 0;

	for (int i = 0; i < leaf->count; i++)
		if (leaf->entry[i])
			leaf->entry[kept++] = leaf->entry[i];
	leaf->count = kept;
	leaf->gaps = false;
	if (kept)
		measure(rank, leaf);
	return kept > 0;
}

void het__entries_close(struct het__entries *es)
{
	tend_buckets(es);
	for (int i = es->leaves.count - 1; es->gaps > 0; i--) {
		struct het__leaf *const leaf = &es->leaves.at[i];

		if (!leaf->gaps)
			continue;
		es->gaps--;
		if (close_gaps_of(es->rank, leaf))
			continue;
		if (es->near)
			het__buckets_remove(es->near, i);
		*leaf = es->leaves.at[--es->leaves.count];
		forget_found(es);
	}
	tend_buckets(es);
	es->only = es->count == 1 ? es->leaves.at[0].entry[0] : NULL;
}

/* ---- walks -------------------------------------------------------------------------------------- */

static bool lies_in(int rank, const struct het__box *outer, const struct het__box *inner)
{
	for (int d = 0; d < rank; d++)
		if (inner->lo[d] < outer->lo[d] || inner->hi[d] > outer->hi[d])
			return false;
	return true;
}

/* Shrinks `around`, which has `near` in it, until it does not touch the hull, as `near` does not: in the
 * dimension with the most room between the hull and `near`. */
static void keep_away(int rank, struct het__box *around, const struct het__box *near,
		      const struct het__box *hull)
{
	int64_t most = 0;
	int best = 0;

	for (int d = 0; d < rank; d++) {
		const int64_t above = hull->lo[d] - near->hi[d], below = near->lo[d] - hull->hi[d];
		const int64_t room = above > below ? above : below;

		if (room > most) {
			most = room;
			best = d;
		}
	}
	if (hull->lo[best] > near->hi[best])
		around->hi[best] = hull->lo[best] - 1;
	else
		around->lo[best] = hull->hi[best] + 1;
}

/* Finds the leaves that touch a box; where they are too many, the first of them. */
static void find(const struct het__entries *es, const struct het__box *near, struct het__found *found)
{
	found->count = 0;
	for (int d = 0; d < es->rank; d++) {
		found->around.lo[d] = INT64_MIN;
		found->around.hi[d] = INT64_MAX;
	}
	for (found->known = 0; found->known < es->leaves.count && found->count < HET__FOUND; found->known++) {
		const struct het__box *const hull = &es->leaves.at[found->known].hull;

		if (!het__box_apart(es->rank, hull, near))
			found->leaf[found->count++] = found->known;
		else if (!het__box_apart(es->rank, hull, &found->around))
			keep_away(es->rank, &found->around, near, hull);
	}
}

/* What was found last answers for this box as well. */
static bool answers(const struct het__entries *es, const struct het__box *near)
{
	return es->leaves.count - es->found.known <= HET__FOUND_NEW &&
	       lies_in(es->rank, &es->found.around, near);
}

/* The first leaf after number `leaf` that has to be looked at. While a walk is under way another one may have
 * searched elsewhere: then this one has to look at each. */
static int first_after(const struct het__entries *es, const struct het__box *near, int leaf)
{
	const struct het__found *const found = &es->found;

	if (!answers(es, near)) {
		if (leaf >= 0)
			return leaf + 1;
		find(es, near, (struct het__found *)&es->found); /* changes nothing of what `es` means */
	}
	for (int i = 0; i < found->count; i++)
		if (found->leaf[i] > leaf)
			return found->leaf[i];
	return leaf < found->known ? found->known : leaf + 1;
}

/* What a walk is after, if it is near a box. */
struct where {
	const struct het__entries *es;
	const struct het__box *near;
	int64_t gap;               /* 0: also what is beside the box; 1: only what has cells of it */
};

static inline bool is_clear(const struct where *w, const struct het__box *hull)
{
	for (int d = 0; d < w->es->rank; d++)
		if (hull->lo[d] > w->near->hi[d] - w->gap || w->near->lo[d] > hull->hi[d] - w->gap)
			return true;
	return false;
}

/* The next leaf in a bucket, from place number k on; negative where there is none. */
static inline int leaf_in(const struct where *w, const struct het__bucket *bucket, int k)
{
	for (; k < bucket->count; k++)
		if (!is_clear(w, hull_of(w->es, bucket->number[k])))
			return bucket->number[k];
	return -1;
}

/* The next leaf in the buckets, and behind them the new ones, which no bucket has yet. */
static int leaf_in_buckets(const struct where *w, int leaf)
{
	const struct het__buckets *const b = w->es->near;
	int i = -1, next = -1;

	if (leaf >= b->numbers)
		i = b->count;
	else if (leaf >= 0) {
		i = b->where[leaf];
		next = leaf_in(w, &b->bucket[i], het__bucket_place(&b->bucket[i], leaf) + 1);
	}
	while (next < 0 && ++i < b->count)
		if (!is_clear(w, &b->bucket[i].hull))
			next = leaf_in(w, &b->bucket[i], 0);
	if (next >= 0)
		return next;
	leaf = leaf < b->numbers ? b->numbers : leaf + 1;
	while (leaf < w->es->leaves.count && is_clear(w, hull_of(w->es, leaf)))
		leaf++;
	return leaf;
}

static int leaf_near(const struct het__entries *es, const struct het__box *near, bool beside, int leaf)
{
	const struct where w = {es, near, !beside};

	if (es->near)
		return leaf_in_buckets(&w, leaf);
	do
		leaf = first_after(es, near, leaf);
	while (leaf < es->leaves.count && is_clear(&w, hull_of(es, leaf)));
	return leaf;
}

int het__leaf_after(const struct het__entries *es, const struct het__box *near, bool beside, uint64_t id,
		    int leaf)
{
	if (near)
		return leaf_near(es, near, beside, leaf);
	while (++leaf < es->leaves.count)
		if (!id || (id >= es->leaves.at[leaf].oldest && id <= es->leaves.at[leaf].newest))
			break;
	return leaf;
}

void het__leaves_forget(struct het__entries *es, uint64_t id)
{
	struct het__walk walk = het__walk_of(es, id);

	while (het__walk_on(&walk)) {
		struct het__leaf *const leaf = het__walk_leaf(&walk);

		if (id >= leaf->oldest && id <= leaf->newest)
			measure_ids(leaf);
	}
	if (es->near)
		het__promised_end(&es->promised, id);
}

/* ---- entries ------------------------------------------------------------------------------------ */

het_status het__entries_reserve(struct het__entries *es, int more)
{
	tend_buckets(es);
	while (es->spares < more) {
		struct het__entry *const fresh = het__alloc(sizeof *fresh);

		if (!fresh)
			return HET_ERR_MEMORY;
		fresh->next = es->spare;
		es->spare = fresh;
		es->spares++;
	}
	/* Each new entry could split a leaf. */
	return het__grow_from(es->own_leaf, &es->leaves.at, &es->leaves.room, es->leaves.count + more,
			      sizeof *es->leaves.at)
		       ? HET_ERR_MEMORY
		       : HET_OK;
}

static struct het__entry *take_spare(struct het__entries *es)
{
	struct het__entry *const e = es->spare;

	es->spare = e->next;
	es->spares--;
	es->count++;
	return e;
}

static void give_back(struct het__entries *es, struct het__entry *e)
{
	if (es->spares >= HET__LEAF && e != &es->own) {
		het__free(e);
		return;
	}
	e->next = es->spare;
	es->spare = e;
	es->spares++;
}

void het__entries_init(struct het__entries *es, int rank, const struct het__box *whole)
{
	struct het__leaf *leaf;

	memset(es, 0, sizeof *es);
	es->rank = rank;
	es->leaves.at = es->own_leaf;
	es->leaves.room = 1;
	if (het__box_empty(rank, whole))
		return;
	es->only = &es->own;
	es->only->box = *whole;
	es->count = 1;
	leaf = &es->leaves.at[es->leaves.count++];
	leaf->entry[leaf->count++] = es->only;
}

static void free_entry(struct het__entries *es, struct het__entry *e)
{
	if (e != &es->own)
		het__free(e);
}

void het__entries_free(struct het__entries *es)
{
	struct het__walk walk = het__walk(es, NULL);
	struct het__entry *e;

	while ((e = het__walk_next(&walk))) {
		het__failure_release(e->poison);
		free_entry(es, e);
	}
	while (es->spare)
		free_entry(es, take_spare(es));
	if (es->leaves.at != es->own_leaf)
		het__free(es->leaves.at);
	drop_buckets(es);
	memset(es, 0, sizeof *es);
}

/* Entries are large, but mostly unused promises. */
static void copy(struct het__entry *to, const struct het__entry *from)
{
	memcpy(to, from,
	       offsetof(struct het__entry, promise) + (size_t)from->promises * sizeof from->promise[0]);
	(void)het__failure_retain(to->poison);
}

static void add(struct het__entries *es, struct het__leaf *leaf, struct het__entry *e)
{
	if (leaf->count == HET__LEAF)
		leaf = split(es, leaf, &e->box);
	leaf->entry[leaf->count++] = e;
	if (es->leaves.count == 1)
		return;
	het__box_cover(es->rank, &leaf->hull, &e->box);
	hull_grew(es, leaf);
	take_in_ids(leaf, e);
}

void het__entries_cut(struct het__entries *es, struct het__walk *walk, const struct het__box *inside)
{
	struct het__leaf *const leaf = het__walk_leaf(walk);
	struct het__entry *const e = het__walk_at(walk);
	struct het__box outside[HET__BOX_PIECES];
	const int pieces = het__box_subtract(es->rank, &e->box, inside, outside);

	for (int p = 0; p < pieces; p++) {
		struct het__entry *const fresh = take_spare(es);

		copy(fresh, e);
		fresh->box = outside[p];
		add(es, leaf, fresh);
	}
	(void)het__box_intersect(es->rank, &e->box, inside, &e->box);
	es->only = NULL;
	walk->next = leaf->entry;
	walk->end = leaf->entry + leaf->count;
}

void het__entries_remove(struct het__entries *es, struct het__walk walk)
{
	struct het__entry *const e = het__walk_at(&walk);

	het__failure_release(e->poison);
	walk.next[-1] = NULL;
	es->gaps += !het__walk_leaf(&walk)->gaps;
	het__walk_leaf(&walk)->gaps = true;
	es->count--;
	give_back(es, e);
}

/* True also for a leaf whose number is so high that it is looked at anyway. */
static bool is_listed(const struct het__entries *es, int leaf)
{
	for (int i = 0; i < es->found.count; i++)
		if (es->found.leaf[i] == leaf)
			return true;
	return leaf >= es->found.known;
}

void het__entries_enlarge(struct het__entries *es, struct het__walk walk, const struct het__box *box)
{
	struct het__leaf *const leaf = het__walk_leaf(&walk);

	het__walk_at(&walk)->box = *box;
	if (es->leaves.count == 1)
		return;
	for (int p = 0; es->near && p < het__walk_at(&walk)->promises; p++)
		het__promised_add(&es->promised, es->rank, het__walk_at(&walk)->promise[p].by.id, box);
	het__box_cover(es->rank, &leaf->hull, box);
	hull_grew(es, leaf);
	if (!is_listed(es, walk.leaf) && !het__box_apart(es->rank, &leaf->hull, &es->found.around))
		forget_found(es);
}
