/* box.h - half-open boxes of integers, [lo, hi) in every dimension: pure geometry.
 *
 * The rank is always given beside the box and is 1..HET_MAX_RANK. A box with hi <= lo in any dimension is
 * empty. No function allocates; none fails.
 */
#ifndef HETERO_LIB_BOX_BOX_H
#define HETERO_LIB_BOX_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include <hetero/shape.h>

struct het__box {
	int64_t lo[HET_MAX_RANK], hi[HET_MAX_RANK];
};

/** Most pieces het__box_subtract makes of a box: two per dimension. */
#define HET__BOX_PIECES (2 * HET_MAX_RANK)

/* These few are inline: they are most of what a launch does with boxes. */

static inline bool het__box_empty(int rank, const struct het__box *b)
{
	for (int d = 0; d < rank; d++)
		if (b->hi[d] <= b->lo[d])
			return true;
	return false;
}

/** True when all bounds are the same (so two empty boxes may differ). */
static inline bool het__box_equal(int rank, const struct het__box *a, const struct het__box *b)
{
	for (int d = 0; d < rank; d++)
		if (a->lo[d] != b->lo[d] || a->hi[d] != b->hi[d])
			return false;
	return true;
}

/** True when they have a cell in common: an empty box overlaps nothing. */
static inline bool het__box_overlaps(int rank, const struct het__box *a, const struct het__box *b)
{
	for (int d = 0; d < rank; d++)
		if ((a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d]) >= (a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d]))
			return false;
	return true;
}

/** True when every cell of `inner` is in `outer`; an empty `inner` is in everything. */
static inline bool het__box_contains(int rank, const struct het__box *outer, const struct het__box *inner)
{
	for (int d = 0; d < rank; d++)
		if (inner->lo[d] < outer->lo[d] || inner->hi[d] > outer->hi[d])
			return het__box_empty(rank, inner);
	return true;
}

/** *out = the cells in both. Returns false, *out unspecified, when there are none. `out` may be a or b. */
bool het__box_intersect(int rank, const struct het__box *a, const struct het__box *b, struct het__box *out);

/** Cells of `a` that are not in `b`, as at most 2 * rank disjoint boxes, none empty; returns how many. Cut
 *  dimension by dimension from the outermost, so pieces are as contiguous in memory as can be. */
int het__box_subtract(int rank, const struct het__box *a, const struct het__box *b,
                      struct het__box out[HET__BOX_PIECES]);

/** *a becomes the least box that has the cells of both. Neither is empty. */
void het__box_cover(int rank, struct het__box *a, const struct het__box *b);

/** When the union of two disjoint boxes is a box: true, and *out is it. `out` may be a or b. An empty box
 *  joins every other. Boxes that overlap are not joined. */
bool het__box_join(int rank, const struct het__box *a, const struct het__box *b, struct het__box *out);

/** A box is cut into parts of at most `most` cells each (at least 1), row by row, so that each is as contiguous
 *  in memory as can be: the number of parts, which is 0 for an empty box, and part number `index`. */
uint64_t het__box_parts(int rank, const struct het__box *b, uint64_t most);
void het__box_part(int rank, const struct het__box *b, uint64_t most, uint64_t index, struct het__box *out);

/** The number of cells (of a box inside an array, whose size was checked). */
uint64_t het__box_cells(int rank, const struct het__box *b);

/** Writes "[0:64, 3:7]" and returns `text`. */
#define HET__BOX_TEXT 352
const char *het__box_format(int rank, const struct het__box *b, char text[HET__BOX_TEXT]);

/** Writes "(3, 5)", the indices of one cell, and returns `text`. */
#define HET__POINT_TEXT 192
const char *het__point_format(int rank, const int64_t *index, char text[HET__POINT_TEXT]);

/** Which cells of which array: kept for a message that may be needed, and put into words only then. */
#define HET__LABEL 48
struct het__cells {
	char label[HET__LABEL];
	int rank;
	struct het__box box;
};
/** Writes "residual [0:64, 3:7]" and returns `text`. */
#define HET__CELLS_TEXT (HET__LABEL + HET__BOX_TEXT)
const char *het__cells_format(const struct het__cells *cells, char text[HET__CELLS_TEXT]);

#endif
