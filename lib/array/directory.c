/* directory.c - the multiple-readers/single-writer protocol, box by box (Stumm & Zhou 1990; Li & Hudak 1989;
 * kept per array by HPL, per box here). */

#include "array/directory.h"

#include <string.h>

#include "base/alloc.h"
#include "task/emit.h"

static uint64_t bit(int slot)
{
	return (uint64_t)1 << slot;
}

het_status het__directory_init(struct het__directory *dir, int rank, const struct het__box *whole, int slot)
{
	memset(dir, 0, sizeof *dir);
	if (het__entries_init(&dir->entries, rank, whole))
		return het__fail(HET_ERR_MEMORY, "no host memory for an array's directory");
	if (dir->entries.only)
		dir->entries.only->settled = bit(slot);
	return HET_OK;
}

void het__directory_free(struct het__directory *dir)
{
	het__entries_free(&dir->entries);
}

static void add_to(struct het__region *region, int rank, const struct het__box *box)
{
	if (region->everywhere)
		return;
	if (region->any)
		het__box_cover(rank, &region->box, box);
	else
		region->box = *box;
	region->any = true;
}

/* A box has got a promise of `by`, or the host's bytes. Nothing is equal to what a task has promised but what
 * else it promised; and no promise decides what can be merged. */
static void note_change(struct het__directory *dir, const struct het__box *box, struct het__ref by)
{
	if (!by.task || by.id == dir->promiser)
		add_to(&dir->changed, dir->entries.rank, box);
	dir->promiser = by.id;
}

/* How many entries more there are when this one has been cut. */
static int pieces_outside(int rank, const struct het__entry *e, const struct het__box *box)
{
	int pieces = 0;

	if (!het__box_overlaps(rank, &e->box, box))
		return 0;
	for (int d = 0; d < rank; d++)
		pieces += (e->box.lo[d] < box->lo[d]) + (e->box.hi[d] > box->hi[d]);
	return pieces;
}

static int all_pieces_outside(const struct het__entries *es, const struct het__box *box)
{
	struct het__walk walk = het__walk(es, box);
	const struct het__entry *e;
	int pieces = 0;

	while ((e = het__walk_next(&walk))) {
		pieces += pieces_outside(es->rank, e, box);
		if (het__box_contains(es->rank, &e->box, box))
			break; /* no other one has cells of it */
	}
	return pieces;
}

het_status het__directory_cut(struct het__directory *dir, const struct het__box *box)
{
	struct het__entries *const es = &dir->entries;
	int more = all_pieces_outside(es, box);
	struct het__walk walk;
	const struct het__entry *e;

	if (more == 0)
		return HET_OK;
	if (het__entries_reserve(es, more))
		return het__fail(HET_ERR_MEMORY, "no host memory for an array's directory");
	walk = het__walk(es, box);
	while (more > 0 && (e = het__walk_next(&walk))) {
		const int pieces = pieces_outside(es->rank, e, box);

		if (!pieces)
			continue;
		add_to(&dir->changed, es->rank, &e->box);
		het__entries_cut(es, &walk, box);
		more -= pieces;
	}
	return HET_OK;
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

static void take_promise(struct het__entry *e, int i)
{
	e->promised &= ~bit(e->promise[i].slot);
	e->promise[i] = e->promise[--e->promises];
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

/* Stores `lost` are to go out of the entry's set. */
static void emit_forget(const struct het__directory *dir, const struct het__entry *e, uint64_t lost)
{
	const struct het__ref nobody = {NULL, 0};

	for (int s = 0; s < HET__STORES; s++)
		if ((e->settled | e->promised) & lost & bit(s))
			het__emit_box("forget", dir, dir->entries.rank, &e->box, s, nobody);
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
			take_promise(a, p);
	}
	a->settled &= b->settled;
	emit_forget(dir, &before, ~(a->settled | a->promised));
	emit_forget(dir, b, ~(a->settled | a->promised));
	(void)het__box_join(es->rank, &a->box, &b->box, &both);
	het__entries_enlarge(es, first, &both);
	add_to(&dir->unsearched, es->rank, &both);
	add_to(&dir->changed, es->rank, &both);
	dir->merges++;
	if (dir->merged)
		dir->merged(dir->merged_user, &a->box, a->settled | a->promised);
	het__entries_remove(es, second);
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
	struct het__walk second = het__walk(es, &a->box);

	while ((b = het__walk_next(&second))) {
		double loss = b == a ? -1 : merge_loss(es->rank, a, b);

		if (loss >= 0 && (best->loss < 0 || loss < best->loss))
			*best = (struct pair){first, second, loss};
	}
}

/* Merges the pair that loses least; ties go to the first pair. */
static bool merge_best(struct het__directory *dir)
{
	const struct het__region *const where = &dir->unsearched;
	struct het__walk walk = het__walk(&dir->entries, where->everywhere ? NULL : &where->box);
	struct pair best = {.loss = -1};
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (e->settled &&
		    (where->everywhere || !het__box_apart(dir->entries.rank, &e->box, &where->box)))
			find_partner(&dir->entries, walk, &best);
	if (best.loss < 0)
		return false;
	merge(dir, best.first, best.second);
	return true;
}

/* Above the limit. Of many entries most are promised only, while many tasks are under way: no two may be there
 * that could be merged, and only what changes can become one of two. */
static void merge_down(struct het__directory *dir)
{
	while (dir->unsearched.any && dir->entries.count > HET__DIRECTORY_MOST)
		if (!merge_best(dir))
			dir->unsearched.any = dir->unsearched.everywhere = false;
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

/* Where they are many: each entry that has changed takes its equal neighbours, one after the other. */
static bool join_one(struct het__directory *dir, struct het__walk first, struct het__box *changed)
{
	const struct het__entry *const a = het__walk_at(&first), *b;
	struct het__walk second = het__walk(&dir->entries, &a->box);

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
	struct het__walk walk = het__walk(&dir->entries, box);
	const struct het__entry *e;
	int count = 0;

	while (count < NEAR_MOST && (e = het__walk_next(&walk)))
		if (!het__box_apart(dir->entries.rank, &e->box, box))
			near[count++] = walk;
	return count;
}

/* Only what has changed can have become equal to a neighbour. */
static void join_changed(struct het__directory *dir, struct het__box changed)
{
	struct het__walk near[NEAR_MOST];
	int count;

	do
		count = entries_near(dir, &changed, near);
	while (count < NEAR_MOST && join_among(dir, near, count, &changed));
	if (count == NEAR_MOST)
		join_each(dir, &changed);
	add_to(&dir->unsearched, dir->entries.rank, &changed);
}

void het__directory_tidy(struct het__directory *dir)
{
	if (dir->changed.any && !dir->entries.only)
		join_changed(dir, dir->changed.box);
	dir->changed.any = false;
	if (dir->entries.count <= HET__DIRECTORY_MOST)
		dir->unsearched.any = dir->unsearched.everywhere = true;
	merge_down(dir);
	het__entries_close_gaps(&dir->entries);
}

/* The part of a box that an entry has in other stores only. */
static bool is_missing(int rank, const struct het__entry *e, const struct het__box *box, int slot,
		       struct het__box *piece)
{
	return !((e->settled | e->promised) & bit(slot)) && !e->poison &&
	       het__box_intersect(rank, &e->box, box, piece);
}

uint64_t het__directory_missing(const struct het__directory *dir, const struct het__box *box, int slot,
				struct het__box *hull)
{
	struct het__walk walk = het__walk(&dir->entries, box);
	const int rank = dir->entries.rank;
	const struct het__entry *e;
	uint64_t cells = 0;

	while ((e = het__walk_next(&walk))) {
		struct het__box piece;

		if (!is_missing(rank, e, box, slot, &piece))
			continue;
		if (cells)
			het__box_cover(rank, hull, &piece);
		else
			*hull = piece;
		cells += het__box_cells(rank, &piece);
	}
	return cells;
}

bool het__directory_lacks(const struct het__directory *dir, const struct het__box *box, int slot,
                          struct het__box *piece, const struct het__entry **entry)
{
	struct het__walk walk = het__walk(&dir->entries, box);

	while ((*entry = het__walk_next(&walk)))
		if (is_missing(dir->entries.rank, *entry, box, slot, piece))
			return true;
	return false;
}

const struct het__entry *het__directory_entry(const struct het__directory *dir, const struct het__box *box)
{
	struct het__box first = *box;
	struct het__walk walk;
	const struct het__entry *e;

	for (int d = 0; d < dir->entries.rank; d++)
		first.hi[d] = first.lo[d] + 1;
	walk = het__walk(&dir->entries, &first);
	do
		e = het__walk_next(&walk);
	while (e && !het__box_overlaps(dir->entries.rank, &e->box, &first));
	return e; /* not NULL: D1 */
}

void het__directory_join(struct het__directory *dir, const struct het__box *box, int slot, struct het__ref by)
{
	struct het__walk walk = het__walk(&dir->entries, box);
	struct het__entry *e;

	while ((e = het__walk_next(&walk))) {
		if (!het__box_contains(dir->entries.rank, box, &e->box))
			continue;
		e->promised |= bit(slot);
		e->promise[e->promises].by = by;
		e->promise[e->promises++].slot = slot;
		het__entries_promised(&dir->entries, &walk, by.id);
	}
	note_change(dir, box, by);
}

void het__directory_write_some(struct het__directory *dir, const struct het__box *box, int slot,
			       struct het__ref by)
{
	struct het__entries *const es = &dir->entries;
	struct het__walk walk = het__walk(es, box), first;
	struct het__entry *e;
	int count = 0;

	while ((e = het__walk_next(&walk))) {
		if (!het__box_contains(es->rank, box, &e->box))
			continue;
		if (count++) {
			het__entries_remove(es, walk);
			continue;
		}
		het__entry_written(e, slot, by);
		if (by.task)
			het__entries_promised(es, &walk, by.id);
		first = walk;
	}
	if (count > 1) {
		het__entries_enlarge(es, first, box);
		het__entries_close_gaps(es);
	}
	note_change(dir, box, by);
}

/* True when the entry had a promise of `by`. */
static bool end_promises(const struct het__directory *dir, struct het__entry *e, struct het__ref by,
                         struct het__failure *cause)
{
	bool changed = false;

	for (int i = e->promises - 1; i >= 0; i--) {
		const int slot = e->promise[i].slot;

		if (e->promise[i].by.id != by.id)
			continue;
		het__emit_box(cause ? "break_promise" : "settle", dir, dir->entries.rank, &e->box, slot, by);
		take_promise(e, i);
		if (!cause)
			e->settled |= bit(slot);
		changed = true;
	}
	if (changed && !e->settled && !e->promised) {
		e->poison = het__failure_retain(cause); /* D3 */
		het__emit_box("lose", dir, dir->entries.rank, &e->box, 0, by);
	}
	return changed;
}

void het__directory_end_promises(struct het__directory *dir, struct het__ref by, struct het__failure *cause)
{
	struct het__entries *const es = &dir->entries;
	struct het__walk walk = het__walk_of(es, by.id);
	struct het__region ended;
	struct het__entry *e;

	ended.any = ended.everywhere = false;
	while ((e = het__walk_next(&walk)))
		if (e->promises && end_promises(dir, e, by, cause))
			add_to(&ended, es->rank, &e->box);
	het__entries_forget(es, by.id);
	if (!ended.any || es->only)
		return;
	join_changed(dir, ended.box); /* no merging: somebody may wait for just this member */
	het__entries_close_gaps(es);
}

/* What the task reads of one entry's box. */
static het_status inputs_of(const struct het__directory *dir, const struct het__entry *e, int slot,
			    struct het__task *task)
{
	if (e->poison) {
		if (!task->cause)
			het__emit_box("taint_by_box", dir, dir->entries.rank, &e->box, 0, het__ref_of(task));
		het__task_doom(task, e->poison);
	}
	for (int p = 0; p < e->promises; p++)
		if (e->promise[p].slot == slot)
			return het__task_reads(task, e->promise[p].by);
	return HET_OK;
}

het_status het__directory_inputs(const struct het__directory *dir, const struct het__box *box, int slot,
                                 struct het__task *task)
{
	struct het__walk walk = het__walk(&dir->entries, box);
	const struct het__entry *e;
	het_status st = HET_OK;

	while (!st && (e = het__walk_next(&walk)))
		if ((e->poison || (e->promised & bit(slot))) &&
		    het__box_overlaps(dir->entries.rank, &e->box, box))
			st = inputs_of(dir, e, slot, task);
	return st;
}

struct het__failure *het__directory_poison(const struct het__directory *dir, const struct het__box *box,
                                           struct het__box *lost)
{
	struct het__walk walk = het__walk(&dir->entries, box);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk))) {
		struct het__box cells;

		if (!e->poison || !het__box_intersect(dir->entries.rank, &e->box, box, &cells))
			continue;
		if (lost)
			*lost = cells;
		return e->poison;
	}
	return NULL;
}

bool het__directory_settled(const struct het__directory *dir, const struct het__box *box, int slot)
{
	struct het__walk walk = het__walk(&dir->entries, box);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (!e->poison && !(e->settled & bit(slot)) &&
		    het__box_overlaps(dir->entries.rank, &e->box, box))
			return false;
	return true;
}

bool het__directory_can_drop(const struct het__directory *dir, int slot)
{
	struct het__walk walk = het__walk(&dir->entries, NULL);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (((e->settled | e->promised) & bit(slot)) && !(e->settled & ~bit(slot)))
			return false;
	return true;
}

void het__directory_drop(struct het__directory *dir, int slot)
{
	struct het__walk walk = het__walk(&dir->entries, NULL);
	struct het__entry *e;

	while ((e = het__walk_next(&walk))) {
		add_to(&dir->changed, dir->entries.rank, &e->box);
		emit_forget(dir, e, bit(slot));
		e->settled &= ~bit(slot);
		for (int p = e->promises - 1; p >= 0; p--)
			if (e->promise[p].slot == slot)
				take_promise(e, p);
	}
}
