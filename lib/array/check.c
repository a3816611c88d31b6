/* check.c - the invariants of directories and values, walked after every operation in debug builds. */

#include <stdio.h>
#include <stdlib.h>

#include "array/value.h"

static void broken(const char *what, const char *label, int entry)
{
	fprintf(stderr, "hetero: invariant broken: %s (%s, entry %d)\n", what, label, entry);
	abort();
}

static void check_promises(const struct het__entry *e, const char *label, int i)
{
	uint64_t seen = 0;

	for (int p = 0; p < e->promises; p++) {
		uint64_t member = (uint64_t)1 << e->promise[p].slot;

		if (seen & member)
			broken("D2: two promises of one member", label, i);
		if (!het__alive(e->promise[p].by))
			broken("D4: a promise of an ended task", label, i);
		seen |= member;
	}
	if (seen != e->promised)
		broken("D2: promised members and promises differ", label, i);
}

static void check_entries(const struct het__directory *dir, const struct het__box *whole, const char *label)
{
	uint64_t cells = 0;

	for (int i = 0; i < dir->entries.count; i++) {
		const struct het__entry *e = &dir->entries.at[i];

		if (het__box_empty(dir->rank, &e->box) || !het__box_contains(dir->rank, whole, &e->box))
			broken("D1: an entry is empty or outside", label, i);
		for (int j = 0; j < i; j++)
			if (het__box_overlaps(dir->rank, &e->box, &dir->entries.at[j].box))
				broken("D1: entries overlap", label, i);
		if (e->settled & e->promised)
			broken("D2: a member is settled and promised", label, i);
		if ((e->poison != NULL) == ((e->settled | e->promised) != 0))
			broken("D3: members and poison, or neither", label, i);
		if (i > 0 && dir->entries.at[i - 1].box.lo[0] > e->box.lo[0])
			broken("D5: not sorted", label, i);
		check_promises(e, label, i);
		cells += het__box_cells(dir->rank, &e->box);
	}
	if (cells != (het__box_empty(dir->rank, whole) ? 0 : het__box_cells(dir->rank, whole)))
		broken("D1: the entries do not tile the array", label, dir->entries.count);
}

void het__directory_check(const struct het__directory *dir, const struct het__box *whole)
{
	check_entries(dir, whole, "a directory");
}

/* Members exist and their windows hold what they are said to hold. */
void het__value_check(const struct het__value *value)
{
	check_entries(&value->dir, &value->whole, value->label);
	for (int i = 0; i < value->dir.entries.count; i++) {
		const struct het__entry *e = &value->dir.entries.at[i];

		for (int s = 0; s < HET__STORES; s++)
			if ((((e->settled | e->promised) >> s) & 1) &&
			    (!value->store[s] ||
			     !het__box_contains(value->rank, &value->store[s]->window, &e->box)))
				broken("a member without a store that covers it", value->label, i);
	}
	if (value->users < 0)
		broken("more ends than uses", value->label, value->users);
}
