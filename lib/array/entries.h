/* entries.h - the boxes of an array and the stores that hold the value of each, found by where they lie.
 *
 * Thousands of tasks may each have promised a box of its own, and what one launch does must not cost more
 * for that. So the entries lie in leaves (the lowest level of an R-tree: Guttman 1984), each with the least
 * box around its entries and the range of ids of the tasks that promised them something; whoever looks for a
 * box or for a task's promises passes over most leaves. No search for the best leaf is needed: the entries
 * tile the array, so a new one is always a part of an old one and lies well in its leaf.
 *
 * An operation looks several times at the same place, and the next one often beside it. So what a search
 * among many leaves found is kept (struct het__found), with the box for which it is the answer: as large a
 * box as the other leaves leave free, not only the one that was asked for. Where there are very many leaves
 * they lie in buckets (store/buckets.h) instead, and walks go from bucket to bucket. A leaf that a cut has
 * made comes into one when no walk is under way, so that none of them loses its place.
 *
 * Invariants (het__directory_check):
 *   E1  every entry lies in one leaf; where there are several leaves, inside its hull, and its promises' ids
 *       are in the leaf's range (a leaf alone has all, and nobody keeps its hull and range);
 *   E2  between operations no leaf is empty or has a gap, and `only` is the entry where there is just one;
 *   E3  of the leaves with a number below found.known only those listed there touch found.around;
 *   E4  `near`, where it is kept, has every leaf but the newest, by its hull (B1, B2).
 */
#ifndef HETERO_LIB_ARRAY_ENTRIES_H
#define HETERO_LIB_ARRAY_ENTRIES_H

#include "array/promised.h"
#include "store/buckets.h"
#include "task/task.h"

/** Most stores of one array: members of a set are bits. */
#define HET__STORES 64

struct het__promise {
	struct het__ref by;
	int slot;
};

struct het__entry {
	uint64_t settled, promised; /* bit s: store number s */
	struct het__failure *poison;
	int promises;
	struct het__promise promise[HET__STORES]; /* the first `promises`: every store at most once */
	struct het__box box;
	struct het__entry *next;    /* of those kept to be used again */
};

#define HET__LEAF 16
struct het__leaf {
	struct het__box hull;    /* not always the least */
	uint64_t oldest, newest; /* of the promises' tasks; not always the narrowest range */
	bool gaps;               /* entries were taken out: NULL */
	int count;
	struct het__entry *entry[HET__LEAF];
};

/** Which leaves touch a box; any walk may renew it. Leaves that were added since have higher numbers, and are
 *  looked at. */
#define HET__FOUND 8
#define HET__FOUND_NEW 2 /* more new leaves than these are worth another search */
struct het__found {
	struct het__box around;
	int known; /* 0: nothing is known */
	int count;
	int leaf[HET__FOUND]; /* ascending */
};

/* Most arrays are one entry for ever: it lies beside what leads to it. */
struct het__entries {
	struct het__entry *only; /* NULL where there are several, or none */
	int rank, count;
	struct het__entry own;   /* the first one; later one of those in use, or spare */
	HET__VEC(struct het__leaf) leaves;
	int gaps;                /* leaves that have gaps */
	int spares;
	struct het__entry *spare;
	struct het__found found;
	struct het__buckets *near; /* of the leaves, while they are many; NULL: every search looks at all */
	struct het__promised promised; /* used while `near` is kept */
	struct het__leaf own_leaf[1];
};

/** A walk over the entries, in no order, but always the same one. Meanwhile entries may be changed, removed,
 *  and cut by this walk (they may then be met again); it ends with the next het__entries_reserve or _close. */
struct het__walk {
	const struct het__entries *entries;
	const struct het__box *near; /* not NULL: all entries that overlap it, and perhaps others */
	bool beside;                 /* also those that only touch it */
	uint64_t id;                 /* not 0: only those that this task may have promised something */
	int leaf;
	struct het__entry **next, **end; /* in that leaf */
};

/** One entry, all zeros but its box; none where the box is empty. `es` stays where it is: the first entry lies
 *  inside. */
void het__entries_init(struct het__entries *es, int rank, const struct het__box *whole);
void het__entries_free(struct het__entries *es);

static inline struct het__walk het__walk(const struct het__entries *es, const struct het__box *near)
{
	return (struct het__walk){.entries = es, .near = near, .leaf = -1};
}

/** Also over the entries beside the box. */
static inline struct het__walk het__walk_beside(const struct het__entries *es, const struct het__box *near)
{
	return (struct het__walk){.entries = es, .near = near, .beside = true, .leaf = -1};
}

static inline struct het__leaf *het__walk_leaf(const struct het__walk *walk)
{
	return &walk->entries->leaves.at[walk->leaf];
}

/** The number of the next of several leaves, after number `leaf`, that may have entries that a walk is after;
 *  their count where there is none. By parts, so that compilers need no walk in memory. */
int het__leaf_after(const struct het__entries *es, const struct het__box *near, bool beside, uint64_t id,
		    int leaf);

/** Goes on to the next leaf that may have such entries. */
static inline bool het__walk_on(struct het__walk *walk)
{
	const struct het__entries *const es = walk->entries;
	struct het__leaf *leaf;

	walk->leaf = es->leaves.count > 1
			     ? het__leaf_after(es, walk->near, walk->beside, walk->id, walk->leaf)
			     : walk->leaf + 1;
	if (walk->leaf >= es->leaves.count)
		return false;
	leaf = het__walk_leaf(walk);
	walk->next = leaf->entry;
	walk->end = leaf->entry + leaf->count;
	return true;
}

/** The next entry; NULL after the last. */
static inline struct het__entry *het__walk_next(struct het__walk *walk)
{
	do
		while (walk->next != walk->end) {
			struct het__entry *const e = *walk->next++;

			if (e)
				return e;
		}
	while (het__walk_on(walk));
	return NULL;
}

/** The entry at which the walk is: the one it gave last. */
static inline struct het__entry *het__walk_at(const struct het__walk *walk)
{
	return walk->next[-1];
}

/** A walk over all entries that a task has promised something, and perhaps others. */
static inline struct het__walk het__walk_of(const struct het__entries *es, uint64_t id)
{
	const struct het__box *const near = es->near ? het__promised_box(&es->promised, id) : NULL;

	return (struct het__walk){.entries = es, .near = near, .id = near ? 0 : id, .leaf = -1};
}

/** The task has no promise any more: its leaves' ranges become tight. */
void het__leaves_forget(struct het__entries *es, uint64_t id);
static inline void het__entries_forget(struct het__entries *es, uint64_t id)
{
	if (es->leaves.count > 1)
		het__leaves_forget(es, id);
}

/** Room for so many further entries, so that het__entries_cut cannot fail. */
het_status het__entries_reserve(struct het__entries *es, int more);

/* What follows is about the entry at which a walk is. */

/** Cuts it into its part inside `inside`, which it becomes, and entries for the parts outside. Reserved
 *  before. The walk goes on with the same leaf from its beginning. */
void het__entries_cut(struct het__entries *es, struct het__walk *walk, const struct het__box *inside);
/** Takes it out; het__entries_close_gaps is still to be called. */
void het__entries_remove(struct het__entries *es, struct het__walk walk);
/** Its box becomes larger. */
void het__entries_enlarge(struct het__entries *es, struct het__walk walk, const struct het__box *box);
/** It has got a promise of task number `id`. */
static inline void het__entries_promised(struct het__entries *es, const struct het__walk *walk, uint64_t id)
{
	struct het__leaf *const leaf = het__walk_leaf(walk);

	if (es->leaves.count == 1)
		return;
	if (es->near)
		het__promised_add(&es->promised, es->rank, id, &het__walk_at(walk)->box);
	leaf->oldest = id < leaf->oldest ? id : leaf->oldest;
	leaf->newest = id > leaf->newest ? id : leaf->newest;
}
/** Makes E2 true again, and hulls and ranges tight, where entries were taken out. */
void het__entries_close(struct het__entries *es);
static inline void het__entries_close_gaps(struct het__entries *es)
{
	if (es->gaps)
		het__entries_close(es);
}

#endif
