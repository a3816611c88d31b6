/* directory.c - the multiple-readers/single-writer protocol, box by box (Stumm & Zhou 1990; Li & Hudak 1989;
 * kept per array by HPL, per box here). */

#include "array/inside.h"

#include <string.h>

#include "base/alloc.h"

static void init_regions(struct het__regions *r)
{
	r->everywhere = false;
	r->box.at = r->own;
	r->box.count = 0;
	r->box.room = 1;
}

void het__directory_init(struct het__directory *dir, int rank, const struct het__box *whole, int slot)
{
	memset(dir, 0, sizeof *dir);
	dir->most = HET__DIRECTORY_MOST;
	init_regions(&dir->changed);
	init_regions(&dir->unsearched);
	het__entries_init(&dir->entries, rank, whole);
	if (dir->entries.only)
		dir->entries.only->settled = het__store_bit(slot);
}

static void free_regions(struct het__regions *r)
{
	if (r->box.at != r->own)
		het__free(r->box.at);
}

void het__directory_free(struct het__directory *dir)
{
	het__entries_free(&dir->entries);
	het__free(dir->formers.list.at);
	free_regions(&dir->changed);
	free_regions(&dir->unsearched);
}

/* A box has got a promise of `by`, or the host's bytes. Only another promise of the same task can be equal to a
 * task's, so its first one lets nothing be joined; and what can be merged depends on settled members only. */
static void note_change(struct het__directory *dir, const struct het__box *box, struct het__ref by)
{
	if (!by.task || by.id == dir->promiser)
		het__regions_add(&dir->changed, dir->entries.rank, box);
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
		het__regions_add(&dir->changed, es->rank, &e->box);
		het__entries_cut(es, &walk, box);
		more -= pieces;
	}
	return HET_OK;
}

/* Has the entry part of the box, *piece, in other stores only? */
static bool is_missing(int rank, const struct het__entry *e, const struct het__box *box, int slot,
		       struct het__box *piece)
{
	return !((e->settled | e->promised) & het__store_bit(slot)) && !e->poison &&
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

int het__directory_lacking(const struct het__directory *dir, int slot, struct het__box *box, int most)
{
	struct het__walk walk = het__walk(&dir->entries, NULL);
	const struct het__entry *e;
	struct het__box piece;
	int count = 0;

	while ((e = het__walk_next(&walk))) {
		if (!is_missing(dir->entries.rank, e, &e->box, slot, &piece))
			continue;
		if (count < most)
			box[count] = piece;
		count++;
	}
	return count;
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
		e->promised |= het__store_bit(slot);
		e->promise[e->promises].by = by;
		e->promise[e->promises++].slot = slot;
		het__entries_promised(&dir->entries, &walk, by.id);
	}
	het__formers_outdate(dir, box, slot);
	note_change(dir, box, by);
}

void het__directory_write_some(struct het__directory *dir, const struct het__box *box, int slot,
			       struct het__ref by)
{
	struct het__entries *const es = &dir->entries;
	struct het__walk walk = het__walk(es, box), first;
	struct het__entry *e;
	int count = 0;

	het__formers_outdate(dir, box, HET__ANY_STORE);
	while ((e = het__walk_next(&walk))) {
		if (!het__box_contains(es->rank, box, &e->box))
			continue;
		het__formers_note(dir, e, slot);
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
		het__entry_take_promise(e, i);
		if (!cause)
			e->settled |= het__store_bit(slot);
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
	struct het__box ended;
	bool any = false;
	struct het__entry *e;

	het__formers_end(dir, by, cause);
	if (es->only) {
		(void)end_promises(dir, es->only, by, cause);
		return;
	}
	while ((e = het__walk_next(&walk))) {
		if (!e->promises || !end_promises(dir, e, by, cause))
			continue;
		if (any)
			het__box_cover(es->rank, &ended, &e->box);
		else
			ended = e->box;
		any = true;
	}
	het__entries_forget(es, by.id);
	if (!any)
		return;
	het__directory_join_changed(dir, ended); /* no merging: somebody may wait for just this member */
	het__entries_close_gaps(es);
}

/* Makes the task depend on what it reads of one entry's box: on the poison, or a promise in `slot`. */
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
	struct het__walk walk;
	const struct het__entry *e;
	het_status st = HET_OK;

	if (!box)
		return inputs_of(dir, dir->entries.only, slot, task);
	walk = het__walk(&dir->entries, box);
	while (!st && (e = het__walk_next(&walk)))
		if ((e->poison || (e->promised & het__store_bit(slot))) &&
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

struct het__ref het__directory_maker(const struct het__directory *dir, const struct het__box *box)
{
	struct het__walk walk = het__walk(&dir->entries, box);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (!e->settled && e->promises && het__alive(e->promise[0].by) &&
		    het__box_overlaps(dir->entries.rank, &e->box, box))
			return e->promise[0].by;
	return (struct het__ref){NULL, 0};
}

bool het__directory_settled(const struct het__directory *dir, const struct het__box *box, int slot)
{
	struct het__walk walk = het__walk(&dir->entries, box);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (!e->poison && !(e->settled & het__store_bit(slot)) &&
		    het__box_overlaps(dir->entries.rank, &e->box, box))
			return false;
	return true;
}

/* Is the slot a member, and no other one settled? */
static bool is_last(const struct het__entry *e, int slot)
{
	return ((e->settled | e->promised) & het__store_bit(slot)) && !(e->settled & ~het__store_bit(slot));
}

bool het__directory_can_drop(const struct het__directory *dir, int slot)
{
	struct het__walk walk = het__walk(&dir->entries, NULL);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (is_last(e, slot))
			return false;
	return true;
}

bool het__directory_only(const struct het__directory *dir, int slot, int to, struct het__box *box)
{
	struct het__walk walk = het__walk(&dir->entries, NULL);
	const struct het__entry *e;

	while ((e = het__walk_next(&walk)))
		if (is_last(e, slot) && !(e->promised & het__store_bit(to))) {
			*box = e->box;
			return true;
		}
	return false;
}

void het__directory_drop(struct het__directory *dir, int slot)
{
	struct het__walk walk = het__walk(&dir->entries, NULL);
	struct het__entry *e;

	het__formers_drop(dir, slot);
	while ((e = het__walk_next(&walk))) {
		het__regions_add(&dir->changed, dir->entries.rank, &e->box);
		het__entry_emit_forget(dir, e, het__store_bit(slot));
		e->settled &= ~het__store_bit(slot);
		for (int p = e->promises - 1; p >= 0; p--)
			if (e->promise[p].slot == slot)
				het__entry_take_promise(e, p);
	}
}
