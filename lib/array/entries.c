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

/* The dimension in which the entries begin at the most different places: somewhere they do. */
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

/* A full leaf becomes two of half as many entries, one beside the other; returns the one for a box there. */
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
	for (int i = es->leaves.count - 1; i >= 0; i--) {
		struct het__leaf *const leaf = &es->leaves.at[i];

		if (leaf->gaps && !close_gaps_of(es->rank, leaf))
			*leaf = es->leaves.at[--es->leaves.count];
	}
	es->gaps = false;
	es->only = es->count == 1 ? es->leaves.at[0].entry[0] : NULL;
}

void het__leaves_forget(struct het__entries *es, uint64_t id)
{
	for (int i = 0; i < es->leaves.count; i++)
		if (id >= es->leaves.at[i].oldest && id <= es->leaves.at[i].newest)
			measure_ids(&es->leaves.at[i]);
}

/* ---- entries ------------------------------------------------------------------------------------ */

het_status het__entries_reserve(struct het__entries *es, int more)
{
	while (es->spares < more) {
		struct het__entry *const fresh = het__alloc(sizeof *fresh);

		if (!fresh)
			return HET_ERR_MEMORY;
		fresh->next = es->spare;
		es->spare = fresh;
		es->spares++;
	}
	/* Every one could split a leaf. */
	return het__grow(&es->leaves.at, &es->leaves.room, es->leaves.count + more, sizeof *es->leaves.at)
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
	if (es->spares >= HET__LEAF) {
		het__free(e);
		return;
	}
	e->next = es->spare;
	es->spare = e;
	es->spares++;
}

het_status het__entries_init(struct het__entries *es, int rank, const struct het__box *whole)
{
	struct het__leaf *leaf;

	memset(es, 0, sizeof *es);
	es->rank = rank;
	if (het__box_empty(rank, whole))
		return HET_OK;
	if (het__entries_reserve(es, 1)) {
		het__entries_free(es);
		return HET_ERR_MEMORY;
	}
	es->only = take_spare(es);
	memset(es->only, 0, sizeof *es->only);
	es->only->box = *whole;
	leaf = &es->leaves.at[es->leaves.count++];
	memset(leaf, 0, sizeof *leaf);
	leaf->entry[leaf->count++] = es->only;
	return HET_OK;
}

void het__entries_free(struct het__entries *es)
{
	struct het__walk walk = het__walk(es, NULL);
	struct het__entry *e;

	while ((e = het__walk_next(&walk))) {
		het__failure_release(e->poison);
		het__free(e);
	}
	while (es->spare)
		het__free(take_spare(es));
	het__free(es->leaves.at);
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
	het__walk_leaf(&walk)->gaps = es->gaps = true;
	es->count--;
	give_back(es, e);
}

void het__entries_enlarge(struct het__entries *es, struct het__walk walk, const struct het__box *box)
{
	het__walk_at(&walk)->box = *box;
	if (es->leaves.count > 1)
		het__box_cover(es->rank, &het__walk_leaf(&walk)->hull, box);
}
