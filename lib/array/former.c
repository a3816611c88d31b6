/* former.c - see former.h. */

#include <string.h>

#include "array/inside.h"
#include "base/alloc.h"

static const struct het__ref nobody = {NULL, 0};

static struct het__former take(struct het__formers *fs, int i)
{
	const struct het__former f = fs->list.at[i];

	fs->list.count--;
	memmove(&fs->list.at[i], &fs->list.at[i + 1], (size_t)(fs->list.count - i) * sizeof f);
	return f;
}

static void forget(struct het__directory *dir, const struct het__former *f)
{
	het__emit_box("forget", dir, dir->entries.rank, &f->box, f->slot, nobody);
	dir->formers.forgotten++;
	if (dir->formers.forgot)
		dir->formers.forgot(&f->box, f->slot);
}

/* Takes into a former copy those beside it that are alike, so that it does not matter how they were cut. */
static void join_with_others(struct het__formers *fs, int rank, struct het__former *f)
{
	int i = 0;

	while (i < fs->list.count) {
		const struct het__former *const other = &fs->list.at[i];

		if (other->slot == f->slot && other->by.id == f->by.id &&
		    het__box_join(rank, &other->box, &f->box, &f->box)) {
			(void)take(fs, i);
			i = 0; /* it is larger now */
		} else {
			i++;
		}
	}
}

static void add(struct het__directory *dir, struct het__former f)
{
	struct het__formers *const fs = &dir->formers;

	join_with_others(fs, dir->entries.rank, &f);
	if (fs->list.count == HET__FORMERS_MOST) {
		const struct het__former oldest = take(fs, 0);
		forget(dir, &oldest);
	}
	if (het__grow(&fs->list.at, &fs->list.room, fs->list.count + 1, sizeof *fs->list.at))
		forget(dir, &f);
	else
		fs->list.at[fs->list.count++] = f;
}

static void add_outside(struct het__directory *dir, const struct het__former *f, const struct het__box *box)
{
	struct het__box outside[HET__BOX_PIECES];
	const int pieces = het__box_subtract(dir->entries.rank, &f->box, box, outside);

	for (int p = 0; p < pieces; p++)
		add(dir, (struct het__former){outside[p], f->slot, f->by});
}

/* What former copies have outside the box stays. */
void het__formers_outdate(struct het__directory *dir, const struct het__box *box, int slot)
{
	struct het__formers *const fs = &dir->formers;
	struct het__former gone[HET__FORMERS_MOST];
	int count = 0;

	for (int i = fs->list.count - 1; i >= 0; i--)
		if ((slot == HET__ANY_STORE || fs->list.at[i].slot == slot) &&
		    het__box_overlaps(dir->entries.rank, &fs->list.at[i].box, box))
			gone[count++] = take(fs, i);
	while (count > 0)
		add_outside(dir, &gone[--count], box);
}

static struct het__ref promiser(const struct het__entry *e, int slot)
{
	for (int p = 0; p < e->promises; p++)
		if (e->promise[p].slot == slot)
			return e->promise[p].by;
	return nobody;
}

void het__formers_note(struct het__directory *dir, const struct het__entry *e, int slot)
{
	const uint64_t others = (e->settled | e->promised) & ~het__store_bit(slot);

	for (int s = 0; s < HET__STORES && others >> s; s++)
		if (others & het__store_bit(s))
			add(dir, (struct het__former){e->box, s, promiser(e, s)});
}

void het__formers_overwrite(struct het__directory *dir, const struct het__box *box, int slot)
{
	for (int i = 0; i < dir->formers.list.count; i++) {
		const struct het__former *const f = &dir->formers.list.at[i];
		struct het__box piece;

		if ((slot == HET__ANY_STORE || f->slot == slot) &&
		    het__box_intersect(dir->entries.rank, &f->box, box, &piece))
			het__emit_box("forget", dir, dir->entries.rank, &piece, f->slot, nobody);
	}
	het__formers_outdate(dir, box, slot);
}

void het__formers_drop(struct het__directory *dir, int slot)
{
	for (int i = dir->formers.list.count - 1; i >= 0; i--)
		if (dir->formers.list.at[i].slot == slot) {
			const struct het__former f = take(&dir->formers, i);
			het__emit_box("forget", dir, dir->entries.rank, &f.box, slot, nobody);
		}
}

/* The first that waits for the task, or their count. */
static int find_promised(const struct het__formers *fs, uint64_t id)
{
	int i = 0;

	while (i < fs->list.count && fs->list.at[i].by.id != id)
		i++;
	return i;
}

void het__formers_end(struct het__directory *dir, struct het__ref by, const struct het__failure *cause)
{
	struct het__formers *const fs = &dir->formers;
	int i;

	while ((i = find_promised(fs, by.id)) < fs->list.count) {
		struct het__former f = take(fs, i);

		het__emit_box(cause ? "break_former" : "settle_former", dir, dir->entries.rank, &f.box, f.slot,
			      by);
		f.by = nobody;
		if (!cause)
			add(dir, f);
	}
}

/* A former copy of a box becomes a member; where the box is lost, that gives it its value again. */
static void restore(struct het__directory *dir, const struct het__former *f, const struct het__box *box)
{
	struct het__entries *const es = &dir->entries;
	struct het__walk walk = het__walk(es, box);
	struct het__entry *e;

	het__emit_box(f->by.task ? "restore_promised" : "restore", dir, es->rank, box, f->slot, f->by);
	het__regions_add(&dir->changed, es->rank, box);
	while ((e = het__walk_next(&walk))) {
		if (!het__box_contains(es->rank, box, &e->box))
			continue;
		if (e->poison)
			het__failure_release(e->poison);
		e->poison = NULL;
		if (!f->by.task) {
			e->settled |= het__store_bit(f->slot);
			continue;
		}
		e->promised |= het__store_bit(f->slot);
		e->promise[e->promises++] = (struct het__promise){f->by, f->slot};
		het__entries_promised(es, &walk, f->by.id);
	}
}

het_status het__directory_unmodified(struct het__directory *dir, const struct het__box *box)
{
	const struct het__formers *const fs = &dir->formers;
	struct het__box piece;
	het_status st = HET_OK;

	for (int i = 0; i < fs->list.count && !st; i++)
		if (het__box_intersect(dir->entries.rank, &fs->list.at[i].box, box, &piece))
			st = het__directory_cut(dir, &piece);
	if (st)
		return st;
	for (int i = 0; i < fs->list.count; i++)
		if (het__box_intersect(dir->entries.rank, &fs->list.at[i].box, box, &piece))
			restore(dir, &fs->list.at[i], &piece);
	het__formers_outdate(dir, box, HET__ANY_STORE);
	return HET_OK;
}
