/* buckets.h - numbered boxes in buckets by where they lie: those near a box are found without a look at each.
 *
 * Who has a row of many boxes, numbers 0 and up, may keep buckets beside it: each has a few numbers and the
 * least box around theirs (one level of an R-tree: Guttman 1984). They only hasten, so nothing is lost where
 * they are done without: for few boxes, and where there is no memory.
 *
 * Invariants (het__buckets_check):
 *   B1  every number is in one bucket, where[number]; no bucket is empty;
 *   B2  the box of every number that is not empty lies in its bucket's hull.
 */
#ifndef HETERO_LIB_STORE_BUCKETS_H
#define HETERO_LIB_STORE_BUCKETS_H

#include "base/alloc.h"
#include "box/box.h"

#define HET__BUCKET 16
struct het__bucket {
	struct het__box hull;      /* not always the least */
	int count;
	int left;                  /* numbers that went since the hull was the least */
	int number[HET__BUCKET];
};

struct het__buckets {
	int rank;
	const struct het__box *(*box_of)(const void *row, int number);
	const void *row;
	int numbers;
	struct het__bucket *bucket;
	int count, room;           /* of buckets */
	int *where;                /* per number */
	int where_room;
};

/** True when the boxes do not even touch: they would share no cell if one of them were larger by one. */
static inline bool het__box_apart(int rank, const struct het__box *a, const struct het__box *b)
{
	for (int d = 0; d < rank; d++)
		if (a->lo[d] > b->hi[d] || b->lo[d] > a->hi[d])
			return true;
	return false;
}

/** Buckets of the first `numbers` boxes of a row, whose boxes `box_of` tells. NULL: there is no memory. */
struct het__buckets *het__buckets_new(int rank, const void *row,
				      const struct het__box *(*box_of)(const void *row, int number),
				      int numbers);
/** NULL is allowed. */
void het__buckets_free(struct het__buckets *buckets);

/** The row has one box more, the last. False where there is no memory: the buckets are of no use any more. */
bool het__buckets_add(struct het__buckets *buckets);
/** A number is about to go: the last one takes its place. The boxes are still those of before. */
void het__buckets_remove(struct het__buckets *buckets, int number);
/** A number has got a larger box. */
void het__buckets_enlarge(struct het__buckets *buckets, int number);

/** Where in the bucket that has it a number is. */
static inline int het__bucket_place(const struct het__bucket *bucket, int number)
{
	int k = 0;

	while (bucket->number[k] != number)
		k++;
	return k;
}

/** A walk over all numbers whose boxes touch or overlap `near`, and perhaps others. The number at which it is
 *  may be removed meanwhile; `near` may become larger: then what was passed over is not looked at again. */
struct het__bucket_walk {
	const struct het__buckets *buckets;
	const struct het__box *near;
	int bucket, at;
};

static inline struct het__bucket_walk het__bucket_walk(const struct het__buckets *buckets,
						       const struct het__box *near)
{
	return (struct het__bucket_walk){buckets, near, buckets->count, 0};
}

/** The next number; negative after the last. Goes backwards, since what goes is replaced from behind. */
static inline int het__bucket_walk_next(struct het__bucket_walk *walk)
{
	const struct het__buckets *const b = walk->buckets;

	while (walk->at == 0) {
		if (walk->bucket-- == 0)
			return -1;
		if (!het__box_apart(b->rank, &b->bucket[walk->bucket].hull, walk->near))
			walk->at = b->bucket[walk->bucket].count;
	}
	return b->bucket[walk->bucket].number[--walk->at];
}

/** What is wrong with B1 or B2, or NULL. */
const char *het__buckets_check(const struct het__buckets *buckets);

#endif
