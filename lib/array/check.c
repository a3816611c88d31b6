/* check.c - the invariants of directories and values, walked after every operation in debug builds. */

#include <stdio.h>
#include <stdlib.h>

#include "array/value.h"

static void broken(const char *what, const char *label, int rank, const struct het__box *box)
{
	char text[HET__BOX_TEXT];

	fprintf(stderr, "hetero: invariant broken: %s (%s %s)\n", what, label,
		het__box_format(rank, box, text));
	abort();
}

static void check_promise(const struct het__entries *es, const struct het__leaf *leaf,
			  const struct het__entry *e, uint64_t id, const char *label)
{
	const struct het__box *const box = es->near ? het__promised_box(&es->promised, id) : NULL;

	if (id < leaf->oldest || id > leaf->newest)
		broken("E1: a promise outside its leaf's range", label, es->rank, &e->box);
	if (box && !het__box_contains(es->rank, box, &e->box))
		broken("P1: a promise outside its task's box", label, es->rank, &e->box);
}

static void check_leaf(const struct het__entries *es, const struct het__leaf *leaf, const char *label)
{
	if (leaf->gaps || leaf->count < 1 || leaf->count > HET__LEAF)
		broken("E2: an empty leaf or one with a gap", label, es->rank, &leaf->hull);
	for (int k = 0; k < leaf->count && es->leaves.count > 1; k++) {
		const struct het__entry *const e = leaf->entry[k];

		if (!het__box_contains(es->rank, &leaf->hull, &e->box))
			broken("E1: an entry outside its leaf", label, es->rank, &e->box);
		for (int p = 0; p < e->promises; p++)
			check_promise(es, leaf, e, e->promise[p].by.id, label);
	}
}

static bool is_found(const struct het__found *found, int leaf)
{
	for (int i = 0; i < found->count; i++)
		if (found->leaf[i] == leaf)
			return true;
	return false;
}

static void check_found(const struct het__entries *es, const char *label)
{
	for (int i = 0; i < es->found.known && es->leaves.count > 1; i++)
		if (i >= es->leaves.count ||
		    (!is_found(&es->found, i) &&
		     !het__box_apart(es->rank, &es->leaves.at[i].hull, &es->found.around)))
			broken("E3: a leaf that was not found", label, es->rank, &es->found.around);
}

static void check_leaves(const struct het__entries *es, const struct het__box *whole, const char *label)
{
	int count = 0;

	for (int i = 0; i < es->leaves.count; i++) {
		check_leaf(es, &es->leaves.at[i], label);
		count += es->leaves.at[i].count;
	}
	check_found(es, label);
	if (es->near && het__buckets_check(es->near))
		broken(het__buckets_check(es->near), label, es->rank, whole);
	if (es->near && es->near->numbers > es->leaves.count)
		broken("E4: buckets of more leaves than there are", label, es->rank, whole);
	if (es->gaps || count != es->count || es->only != (count == 1 ? es->leaves.at[0].entry[0] : NULL))
		broken("E2: the number of entries, or the only one", label, es->rank, whole);
}

static void check_promises(const struct het__entry *e, const char *label, int rank)
{
	uint64_t seen = 0;

	for (int p = 0; p < e->promises; p++) {
		uint64_t member = (uint64_t)1 << e->promise[p].slot;

		if (seen & member)
			broken("D2: two promises of one member", label, rank, &e->box);
		if (!het__alive(e->promise[p].by))
			broken("D4: a promise of an ended task", label, rank, &e->box);
		seen |= member;
	}
	if (seen != e->promised)
		broken("D2: promised members and promises differ", label, rank, &e->box);
}

static bool is_in(const struct het__regions *r, int rank, const struct het__box *box)
{
	bool is = r->everywhere;

	for (int i = 0; i < r->box.count && !is; i++)
		is = het__box_overlaps(rank, &r->box.at[i], box);
	return is;
}

/* Two entries. */
static void check_pair(const struct het__directory *dir, const struct het__entry *a, const struct het__entry *b,
		       const char *label)
{
	const int rank = dir->entries.rank;
	const bool changed = is_in(&dir->changed, rank, &a->box) || is_in(&dir->changed, rank, &b->box);

	if (het__box_overlaps(rank, &a->box, &b->box))
		broken("D1: entries overlap", label, rank, &a->box);
	if (!changed && het__directory_can_join(dir, a, b))
		broken("D6: equal neighbours", label, rank, &a->box);
	if (!changed && !is_in(&dir->unsearched, rank, &a->box) && !is_in(&dir->unsearched, rank, &b->box) &&
	    het__directory_can_merge(dir, a, b))
		broken("D7: neighbours that could be merged", label, rank, &a->box);
}

/* Passes over leaves that lie apart from the entry: so do the entries in them (E1, checked before). */
static void check_neighbours(const struct het__directory *dir, const struct het__entry *e, const char *label)
{
	const struct het__entries *const es = &dir->entries;

	for (int i = 0; i < es->leaves.count; i++) {
		const struct het__leaf *const leaf = &es->leaves.at[i];

		if (es->leaves.count > 1 && het__box_apart(es->rank, &leaf->hull, &e->box))
			continue;
		for (int k = 0; k < leaf->count; k++)
			if (leaf->entry[k] != e && !het__box_apart(es->rank, &e->box, &leaf->entry[k]->box))
				check_pair(dir, e, leaf->entry[k], label);
	}
}

static void check_entries(const struct het__directory *dir, const struct het__box *whole, const char *label)
{
	const struct het__entries *const es = &dir->entries;
	struct het__walk walk = het__walk(es, NULL);
	const struct het__entry *e;
	uint64_t cells = 0;

	check_leaves(es, whole, label);
	while ((e = het__walk_next(&walk))) {
		if (het__box_empty(es->rank, &e->box) || !het__box_contains(es->rank, whole, &e->box))
			broken("D1: an entry is empty or outside", label, es->rank, &e->box);
		check_neighbours(dir, e, label);
		if (e->settled & e->promised)
			broken("D2: a member is settled and promised", label, es->rank, &e->box);
		if ((e->poison != NULL) == ((e->settled | e->promised) != 0))
			broken("D3: members and poison, or neither", label, es->rank, &e->box);
		check_promises(e, label, es->rank);
		cells += het__box_cells(es->rank, &e->box);
	}
	if (cells != (het__box_empty(es->rank, whole) ? 0 : het__box_cells(es->rank, whole)))
		broken("D1: the entries do not tile the array", label, es->rank, whole);
}

static void check_former(const struct het__directory *dir, int i, const struct het__box *whole,
			 const char *label)
{
	const struct het__former *const f = &dir->formers.list.at[i];
	const int rank = dir->entries.rank;
	struct het__walk walk = het__walk(&dir->entries, &f->box);
	const struct het__entry *e;

	if (het__box_empty(rank, &f->box) || !het__box_contains(rank, whole, &f->box))
		broken("F1: a former copy is empty or outside", label, rank, &f->box);
	while ((e = het__walk_next(&walk)))
		if (((e->settled | e->promised) >> f->slot & 1) && het__box_overlaps(rank, &e->box, &f->box))
			broken("F1: a former copy in a member", label, rank, &f->box);
	for (int j = 0; j < i; j++)
		if (dir->formers.list.at[j].slot == f->slot &&
		    het__box_overlaps(rank, &dir->formers.list.at[j].box, &f->box))
			broken("F1: former copies overlap", label, rank, &f->box);
	if (f->by.task && !het__alive(f->by))
		broken("F2: a former copy waits for an ended task", label, rank, &f->box);
}

static void check_directory(const struct het__directory *dir, const struct het__box *whole, const char *label)
{
	check_entries(dir, whole, label);
	for (int i = 0; i < dir->formers.list.count; i++)
		check_former(dir, i, whole, label);
}

void het__directory_check(const struct het__directory *dir, const struct het__box *whole)
{
	check_directory(dir, whole, "a directory");
}

static void check_members(const struct het__value *value, uint64_t members, const struct het__box *box)
{
	for (int s = 0; s < HET__STORES; s++)
		if (((members >> s) & 1) &&
		    (!value->store[s] || !het__box_contains(value->rank, &value->store[s]->window, box)))
			broken("a member without a store that covers it", value->label, value->rank, box);
}

/* W1, but not that there is a larger store: it may have gone before the next launch retires this one. */
static void check_outgrown(const struct het__value *value)
{
	int count = 0;

	for (int s = 0; s < HET__STORES; s++) {
		const struct het__store *const store = value->store[s];

		if (!store || !store->outgrown)
			continue;
		if (!store->grows || s == HET__HOME)
			broken("W1: an outgrown store that is not for windows", value->label, value->rank,
			       &store->window);
		count++;
	}
	if (count != value->outgrown)
		broken("W1: the number of outgrown stores", value->label, value->rank, &value->whole);
}

/* The home and its block are those inside the value. */
static void check_home(const struct het__value *value)
{
	if (value->store[HET__HOME] != &value->home || value->home.block != &value->home_block ||
	    value->home_block.whole != &value->whole)
		broken("the home is elsewhere", value->label, value->rank, &value->whole);
}

static void check_hazards(const struct het__value *value)
{
	for (int s = 0; s < value->top; s++) {
		const struct het__block *const block = value->store[s] ? value->store[s]->block : NULL;
		const char *what = NULL;

		if (block && block->near)
			what = block->near->numbers == block->hazards.count ? het__buckets_check(block->near)
									    : "hazards without buckets";
		if (what)
			broken(what, value->label, value->rank, &value->whole);
	}
}

/* Members and former copies have stores, whose windows contain the boxes. */
void het__value_check(const struct het__value *value)
{
	struct het__walk walk = het__walk(&value->dir.entries, NULL);
	const struct het__entry *e;

	check_home(value);
	check_directory(&value->dir, &value->whole, value->label);
	while ((e = het__walk_next(&walk)))
		check_members(value, e->settled | e->promised, &e->box);
	for (int i = 0; i < value->dir.formers.list.count; i++)
		check_members(value, (uint64_t)1 << value->dir.formers.list.at[i].slot,
			      &value->dir.formers.list.at[i].box);
	check_outgrown(value);
	check_hazards(value);
	if (value->users < 0)
		broken("more ends than uses", value->label, value->rank, &value->whole);
}
