/* cut.h - where the range of a spread is cut. Pure, but for the program's own mappers, which it asks. */
#ifndef HETERO_LIB_LAUNCH_CUT_H
#define HETERO_LIB_LAUNCH_CUT_H

#include "launch/args.h"
#include "launch/mapper.h"
#include "launch/range.h"

/** A dimension of a range, cut at lo + k step: into `units` pieces, the last of which may be smaller. */
struct het__cut {
	int dimension;
	int64_t lo, hi, step, units;
	int64_t reach;       /* how far into other parts a part reads by HET_HALO or HET_WRAP, at most; */
	bool wraps;          /* so do the first and the last part of each other */
	double shared_bytes; /* that both halves of the range read, without what the choice ignores; */
	double traffic;      /* the same, each run in memory counted as a cache line at least */
	bool ragged;         /* each cut gives parts work-groups of other sizes, which are compiled anew */
	double halo_bytes;   /* of shared_bytes: what HET_HALO and HET_WRAP read */
	double bytes;        /* that the whole range reads and writes; of an ignored argument, its array */
};

/** Of the bytes that both halves read: how many go from one to the other over one of their borders. */
static inline size_t het__cut_over_border(const struct het__cut *cut, double bytes)
{
	return (size_t)(bytes / (cut->wraps ? 4 : 2));
}

/** With one dimension to choose from, what a mapper of the program's own says is read decides nothing. */
static inline bool het__cut_ignores(const struct het_arg *arg, int range_rank)
{
	return range_rank == 1 && arg->mode == HET_MODE_IN && het__arg_is_own(arg);
}

/** Where the dimensions of a range may be cut. */
struct het__cut_grain {
	int64_t local[HET_MAX_RANGE]; /* at multiples of all devices' work-groups' sizes; 0: nobody gave one */
	int64_t pieces;               /* where nobody did, and a driver gets the library's groups (range.h): the
	                                 least number of pieces of the last dimension; 0: no driver does */
};

/** The least one; HET_END, longer than any range, where it overflows: then nothing is cut. */
int64_t het__common_multiple(int64_t a, int64_t b);

/** Takes a device's work-group size into account, in the range as OpenCL has it. False: it has none. */
bool het__cut_align(struct het__cut_grain *grain, const struct het__range *range);

/** As many as give 128 to the smallest share above 0, which is then met to half a piece. */
int64_t het__cut_pieces(const double *share, int count);

/** The least multiple of `step` and of a power of two, so that parts of a dimension of that length have groups
 *  of few sizes. The power is the largest up to HET__GROUP_MOST that leaves so many pieces; where that would
 *  be below HET__GROUP_ENOUGH, the result is `step`. Where the length is no multiple of the power, the last
 *  part has a group size of its own. */
int64_t het__cut_step(int64_t step, int64_t length, int64_t pieces);

/** Chooses a dimension: one that can be cut into `parts` pieces or, where there is none, into the most; of
 *  these the one whose parts share the least of what they read; of equal ones the outermost. This is STEPOCL's
 *  rule, in what memories move: a row that is cut through counts as a cache line, and a ragged cut as if parts
 *  shared four times as much. `all` is resolved for the whole range, which is not empty.
 *  Errors: HET_ERR_ARGUMENT (parts would write the same cells, whichever is cut), HET_ERR_SHAPE (the range
 *  begins inside one of HET_BLOCKS; what a mapper says of half the range). */
het_status het__cut_choose(const struct het__args *all, const struct het__cut_grain *grain, int parts,
                           struct het__cut *cut);

static inline bool het__cut_is_same(const struct het__cut *a, const struct het__cut *b)
{
	return a->dimension == b->dimension && a->lo == b->lo && a->hi == b->hi && a->step == b->step &&
	       a->units == b->units && a->reach == b->reach && a->wraps == b->wraps &&
	       a->shared_bytes == b->shared_bytes && a->traffic == b->traffic &&
	       a->ragged == b->ragged && a->halo_bytes == b->halo_bytes && a->bytes == b->bytes;
}

/** Edges of the parts: part i is [edge[i], edge[i + 1]), empty for share 0. `count` shares, count + 1 edges. */
void het__cut_edges(const struct het__cut *cut, const double *share, int count, int64_t *edge);

/** A part as it was cut. */
struct het__cut_part {
	const struct het_range *range;
	const het_device *device;
};

/** Looks at what the program's own functions say of each part, as the whole range tells nothing of that: by
 *  such a function no part may touch what another part writes, nor write what another touches.
 *  Errors: HET_ERR_ARGUMENT (by one argument two parts write the same cells), HET_ERR_ALIAS (by two), and what
 *  the functions themselves are refused for. */
het_status het__cut_check_own(const struct het__args *all, const struct het__cut_part *part, int count);

#endif
