/* directory.c - the multiple-readers/single-writer protocol, box by box (Stumm & Zhou 1990; Li & Hudak 1989;
 * kept per array by HPL, per box here). */

#include "array/directory.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "task/emit.h"

static uint64_t bit(int slot)
{
	return (uint64_t)1 << slot;
}

/* Entries are large, but mostly unused promises. */
static void copy_entry(struct het__entry *to, const struct het__entry *from)
{
	memcpy(to, from,
	       offsetof(struct het__entry, promise) + (size_t)from->promises * sizeof from->promise[0]);
}

het_status het__directory_init(struct het__directory *dir, int rank, const struct het__box *whole, int slot)
{
	memset(dir, 0, sizeof *dir);
	dir->rank = rank;
	if (het__box_empty(rank, whole))
		return HET_OK;
	if (het__grow(&dir->entries.at, &dir->entries.room, 1, sizeof *dir->entries.at))
		return het__fail(HET_ERR_MEMORY, "no host memory for an array's directory");
	memset(&dir->entries.at[0], 0, sizeof dir->entries.at[0]);
	dir->entries.at[0].box = *whole;
	dir->entries.at[0].settled = bit(slot);
	dir->entries.count = 1;
	return HET_OK;
}

void het__directory_free(struct het__directory *dir)
{
	for (int i = 0; i < dir->entries.count; i++)
		het__failure_release(dir->entries.at[i].poison);
	het__free(dir->entries.at);
	memset(dir, 0, sizeof *dir);
}

/* D5: entries move up to where lo[0] wants them; few do. */
static void sort_entries(struct het__directory *dir)
{
	for (int i = 1; i < dir->entries.count; i++) {
		struct het__entry moving;
		int j = i;

		if (dir->entries.at[i - 1].box.lo[0] <= dir->entries.at[i].box.lo[0])
			continue;
		copy_entry(&moving, &dir->entries.at[i]);
		for (; j > 0 && dir->entries.at[j - 1].box.lo[0] > moving.box.lo[0]; j--)
			copy_entry(&dir->entries.at[j], &dir->entries.at[j - 1]);
		copy_entry(&dir->entries.at[j], &moving);
	}
}

static bool must_cut(const struct het__directory *dir, const struct het__entry *e, const struct het__box *box)
{
	return !het__box_contains(dir->rank, box, &e->box) && het__box_overlaps(dir->rank, &e->box, box);
}

/* The entry becomes its part inside the box; the parts outside are entries of their own. */
static void cut_entry(struct het__directory *dir, struct het__entry *e, const struct het__box *box)
{
	struct het__box outside[HET__BOX_PIECES];
	int pieces = het__box_subtract(dir->rank, &e->box, box, outside);

	for (int p = 0; p < pieces; p++) {
		struct het__entry *fresh = &dir->entries.at[dir->entries.count++];

		copy_entry(fresh, e);
		fresh->box = outside[p];
		(void)het__failure_retain(fresh->poison);
	}
	(void)het__box_intersect(dir->rank, &e->box, box, &e->box);
}

het_status het__directory_cut(struct het__directory *dir, const struct het__box *box)
{
	int count = dir->entries.count, cuts = 0;

	for (int i = 0; i < count; i++)
		cuts += must_cut(dir, &dir->entries.at[i], box);
	if (cuts == 0)
		return HET_OK;
	if (het__grow(&dir->entries.at, &dir->entries.room, count + cuts * 2 * dir->rank,
		      sizeof *dir->entries.at))
		return het__fail(HET_ERR_MEMORY, "no host memory for an array's directory");
	for (int i = 0; i < count; i++)
		if (must_cut(dir, &dir->entries.at[i], box))
			cut_entry(dir, &dir->entries.at[i], box);
	if (dir->entries.count > count)
		sort_entries(dir);
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

static void remove_entry(struct het__directory *dir, int i)
{
	het__failure_release(dir->entries.at[i].poison);
	dir->entries.count--;
	for (; i < dir->entries.count; i++)
		copy_entry(&dir->entries.at[i], &dir->entries.at[i + 1]);
}

/* Joins entry j > i into entry i when they are equal neighbours. */
static bool join_equal(struct het__directory *dir, int i, int j)
{
	struct het__entry *a = &dir->entries.at[i];
	const struct het__entry *b = &dir->entries.at[j];

	if (!same_state(a, b) || !het__box_join(dir->rank, &a->box, &b->box, &a->box))
		return false;
	remove_entry(dir, j);
	return true;
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

/* What merging a and b would lose: copies times cells, or -1 where it is not allowed (D6). */
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

/* Stores `lost` are to go out of the entry's set. */
static void emit_forget(const struct het__directory *dir, const struct het__entry *e, uint64_t lost)
{
	const struct het__ref nobody = {NULL, 0};

	for (int s = 0; s < HET__STORES; s++)
		if ((e->settled | e->promised) & lost & bit(s))
			het__emit_box("forget", dir, dir->rank, &e->box, s, nobody);
}

/* The and of two entries: settled in both; a promise stays when both have the very same one. */
static void merge_into(struct het__directory *dir, int i, int j)
{
	struct het__entry *a = &dir->entries.at[i];
	const struct het__entry *b = &dir->entries.at[j];
	const struct het__entry before = {.box = a->box, .settled = a->settled, .promised = a->promised};

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
	(void)het__box_join(dir->rank, &a->box, &b->box, &a->box);
	dir->merges++;
	if (dir->merged)
		dir->merged(dir->merged_user, &a->box, a->settled | a->promised);
	remove_entry(dir, j);
}

/* Merges the pair that loses least; ties go to the first pair. Of many entries most are promised only, while
 * many tasks are under way, and soon passed over. */
static bool merge_best(struct het__directory *dir)
{
	int best_i = -1, best_j = -1;
	double best = 0;

	for (int i = 0; i < dir->entries.count; i++)
		for (int j = i + 1; j < dir->entries.count && dir->entries.at[i].settled; j++) {
			double loss = merge_loss(dir->rank, &dir->entries.at[i], &dir->entries.at[j]);
			if (loss >= 0 && (best_i < 0 || loss < best)) {
				best = loss;
				best_i = i;
				best_j = j;
			}
		}
	if (best_i < 0)
		return false;
	merge_into(dir, best_i, best_j);
	return true;
}

/* They have a cell in common, or would have if one of them were larger by one. */
static bool touch(int rank, const struct het__box *a, const struct het__box *b)
{
	for (int d = 0; d < rank; d++)
		if (a->lo[d] > b->hi[d] || b->lo[d] > a->hi[d])
			return false;
	return true;
}

/* Joins entry i with every equal neighbour; returns where it is then. */
static int join_entry(struct het__directory *dir, int i)
{
	for (int j = 0; j < dir->entries.count; j++) {
		const int low = i < j ? i : j, high = i < j ? j : i;

		if (i == j || !join_equal(dir, low, high))
			continue;
		i = low;
		j = -1; /* a larger box may have new neighbours */
	}
	return i;
}

/* Only what has changed can have become equal to a neighbour. */
static void join_around(struct het__directory *dir, const struct het__box *changed)
{
	for (int i = 0; i < dir->entries.count; i++)
		if (touch(dir->rank, &dir->entries.at[i].box, changed))
			i = join_entry(dir, i);
}

void het__directory_tidy(struct het__directory *dir, const struct het__box *changed)
{
	if (dir->entries.count < 2)
		return;
	join_around(dir, changed);
	while (dir->entries.count > HET__DIRECTORY_MOST && merge_best(dir))
		;
	sort_entries(dir);
}

/* The part of a box that an entry has in other stores only. */
static bool is_missing(const struct het__directory *dir, const struct het__entry *e, const struct het__box *box,
		       int slot, struct het__box *piece)
{
	return !((e->settled | e->promised) & bit(slot)) && !e->poison &&
	       het__box_intersect(dir->rank, &e->box, box, piece);
}

uint64_t het__directory_missing(const struct het__directory *dir, const struct het__box *box, int slot,
				struct het__box *hull)
{
	uint64_t cells = 0;

	for (int i = 0; i < dir->entries.count; i++) {
		struct het__box piece;

		if (!is_missing(dir, &dir->entries.at[i], box, slot, &piece))
			continue;
		if (cells)
			het__box_cover(dir->rank, hull, &piece);
		else
			*hull = piece;
		cells += het__box_cells(dir->rank, &piece);
	}
	return cells;
}

bool het__directory_lacks(const struct het__directory *dir, const struct het__box *box, int slot,
                          struct het__box *piece, const struct het__entry **entry)
{
	for (int i = 0; i < dir->entries.count; i++) {
		const struct het__entry *e = &dir->entries.at[i];

		if (e->box.lo[0] >= box->hi[0])
			return false;
		if (!is_missing(dir, e, box, slot, piece))
			continue;
		*entry = e;
		return true;
	}
	return false;
}

void het__directory_join(struct het__directory *dir, const struct het__box *box, int slot, struct het__ref by)
{
	for (int i = 0; i < dir->entries.count; i++) {
		struct het__entry *e = &dir->entries.at[i];

		if (!het__box_contains(dir->rank, box, &e->box))
			continue;
		e->promised |= bit(slot);
		e->promise[e->promises].by = by;
		e->promise[e->promises++].slot = slot;
	}
}

void het__directory_write_some(struct het__directory *dir, const struct het__box *box, int slot,
			       struct het__ref by)
{
	for (int i = 0; i < dir->entries.count; i++)
		if (het__box_contains(dir->rank, box, &dir->entries.at[i].box))
			het__entry_written(&dir->entries.at[i], slot, by);
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
		het__emit_box(cause ? "break_promise" : "settle", dir, dir->rank, &e->box, slot, by);
		take_promise(e, i);
		if (!cause)
			e->settled |= bit(slot);
		changed = true;
	}
	if (changed && !e->settled && !e->promised) {
		e->poison = het__failure_retain(cause); /* D3 */
		het__emit_box("lose", dir, dir->rank, &e->box, 0, by);
	}
	return changed;
}

void het__directory_end_promises(struct het__directory *dir, struct het__ref by, struct het__failure *cause)
{
	struct het__box changed;
	bool any = false;

	for (int i = 0; i < dir->entries.count; i++) {
		struct het__entry *const e = &dir->entries.at[i];

		if (!e->promises || !end_promises(dir, e, by, cause))
			continue;
		if (any)
			het__box_cover(dir->rank, &changed, &e->box);
		else
			changed = e->box;
		any = true;
	}
	if (any && dir->entries.count > 1) /* no merging: somebody may wait for just this member */
		join_around(dir, &changed);
}

het_status het__directory_inputs(const struct het__directory *dir, const struct het__box *box, int slot,
                                 struct het__task *task)
{
	for (int i = 0; i < dir->entries.count; i++) {
		const struct het__entry *e = &dir->entries.at[i];

		if ((!e->poison && !(e->promised & bit(slot))) || !het__box_overlaps(dir->rank, &e->box, box))
			continue;
		if (e->poison) {
			if (!task->cause)
				het__emit_box("taint_by_box", dir, dir->rank, &e->box, 0, het__ref_of(task));
			het__task_doom(task, e->poison);
		}
		for (int p = 0; p < e->promises; p++) {
			het_status st = HET_OK;
			if (e->promise[p].slot == slot)
				st = het__task_reads(task, e->promise[p].by);
			if (st)
				return st;
		}
	}
	return HET_OK;
}

struct het__failure *het__directory_poison(const struct het__directory *dir, const struct het__box *box,
                                           struct het__box *lost)
{
	for (int i = 0; i < dir->entries.count; i++) {
		struct het__box cells;

		if (!dir->entries.at[i].poison ||
		    !het__box_intersect(dir->rank, &dir->entries.at[i].box, box, &cells))
			continue;
		if (lost)
			*lost = cells;
		return dir->entries.at[i].poison;
	}
	return NULL;
}

bool het__directory_settled(const struct het__directory *dir, const struct het__box *box, int slot)
{
	for (int i = 0; i < dir->entries.count; i++)
		if (!dir->entries.at[i].poison && !(dir->entries.at[i].settled & bit(slot)) &&
		    het__box_overlaps(dir->rank, &dir->entries.at[i].box, box))
			return false;
	return true;
}

bool het__directory_can_drop(const struct het__directory *dir, int slot)
{
	for (int i = 0; i < dir->entries.count; i++) {
		const struct het__entry *e = &dir->entries.at[i];

		if (((e->settled | e->promised) & bit(slot)) && !(e->settled & ~bit(slot)))
			return false;
	}
	return true;
}

void het__directory_drop(struct het__directory *dir, int slot)
{
	for (int i = 0; i < dir->entries.count; i++) {
		struct het__entry *e = &dir->entries.at[i];

		emit_forget(dir, e, bit(slot));
		e->settled &= ~bit(slot);
		for (int p = e->promises - 1; p >= 0; p--)
			if (e->promise[p].slot == slot)
				take_promise(e, p);
	}
}
