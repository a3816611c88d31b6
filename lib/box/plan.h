/* plan.h - how the bytes of a box lie in two layouts: the geometry of every copy.
 *
 * A layout is where the elements of a window lie: byte offset of the window's first element and a pitch
 * (bytes from one index to the next) per dimension. A plan is the copy of one box between two layouts
 * with as few dimensions as possible: runs of `bytes` contiguous bytes, repeated count[d] times with the
 * pitches of both sides; dimension 0 is the outermost.
 */
#ifndef HETERO_LIB_BOX_PLAN_H
#define HETERO_LIB_BOX_PLAN_H

#include <stddef.h>

#include "box/box.h"

struct het__layout {
	size_t offset_bytes;              /* of the element at lo[] of the window */
	int64_t lo[HET_MAX_RANK];         /* the window's first index */
	size_t pitch_bytes[HET_MAX_RANK];
};

/** The dense row-major layout of a window. */
void het__layout_dense(int rank, const struct het__box *window, size_t element_bytes, struct het__layout *out);

struct het__plan {
	int dims;                         /* of repetition: 0 is one contiguous run */
	size_t bytes;                     /* per run */
	size_t total_bytes;
	size_t a_offset, b_offset;        /* of the first run */
	size_t count[HET_MAX_RANK];
	size_t a_pitch[HET_MAX_RANK], b_pitch[HET_MAX_RANK];
};

/** The plan that copies box `a_box` as laid out by `a` to the box of equal extents whose first cell is
 *  b_lo as laid out by `b`. Dimensions that are contiguous in both are merged; extents of 1 vanish. An
 *  empty box gives a plan that is all zeros. */
void het__plan_copy(int rank, size_t element_bytes, const struct het__layout *a, const struct het__box *a_box,
                    const struct het__layout *b, const int64_t *b_lo, struct het__plan *out);

/** True when the box is one contiguous run in the layout; *offset_bytes is where it starts (0 for an empty
 *  box, which is contiguous). When false *offset_bytes is untouched. */
bool het__layout_contiguous(int rank, size_t element_bytes, const struct het__layout *layout,
                            const struct het__box *box, size_t *offset_bytes);

/** Carries out a plan in host memory. The two sides do not overlap. */
void het__plan_run(const struct het__plan *plan, const void *a, void *b);

/** A plan of more than `inner` repeated dimensions can be carried out as several plans, its slices, of at
 *  most `inner` each (clEnqueueCopyBufferRect and its like take two and the run). The dimensions with the
 *  fewest indices are the ones taken apart, so that the slices are few. Returns how many there are: 1 when
 *  the plan fits as it is, 0 when it copies nothing. */
size_t het__plan_slices(const struct het__plan *plan, int inner);

/** Slice number `index` of het__plan_slices(plan, inner). Together the slices are the plan. */
void het__plan_slice(const struct het__plan *plan, int inner, size_t index, struct het__plan *out);

#endif
