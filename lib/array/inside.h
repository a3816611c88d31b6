/* inside.h - what the files of the directory share with each other only. */
#ifndef HETERO_LIB_ARRAY_INSIDE_H
#define HETERO_LIB_ARRAY_INSIDE_H

#include "array/directory.h"
#include "task/emit.h"

static inline uint64_t het__store_bit(int slot)
{
	return (uint64_t)1 << slot;
}

/** One box more. What is kept covers it, and perhaps more. */
void het__regions_add(struct het__regions *r, int rank, const struct het__box *box);

/** Takes promise number i out of the entry. */
static inline void het__entry_take_promise(struct het__entry *e, int i)
{
	e->promised &= ~het__store_bit(e->promise[i].slot);
	e->promise[i] = e->promise[--e->promises];
}

/** Tells the protocol's replay that the stores in `lost` go out of the entry's sets. */
static inline void het__entry_emit_forget(const struct het__directory *dir, const struct het__entry *e,
					  uint64_t lost)
{
	const struct het__ref nobody = {NULL, 0};

	for (int s = 0; s < HET__STORES; s++)
		if ((e->settled | e->promised) & lost & het__store_bit(s))
			het__emit_box("forget", dir, dir->entries.rank, &e->box, s, nobody);
}

/** Joins equal neighbours of which one lies in `changed`: only there can entries have become equal. */
void het__directory_join_changed(struct het__directory *dir, struct het__box changed);

#endif
