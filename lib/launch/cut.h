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
	bool wraps;          /* and so the first and the last of each other */
	double shared_bytes; /* of what two halves of the range read, but for what the choice ignores; */
	double traffic;      /* each run of these in memory being a cache line at least */
	bool ragged;         /* the parts' groups are of the driver's sizes, at each cut of another one */
	double halo_bytes;   /* of these, what they read of each other by one of these */
	double bytes;        /* that the whole range reads and writes; of what is ignored, all of the array */
};

/** Of what two halves read of each other: so much from one to the other over one of their borders. */
static inline size_t het__cut_over_border(const struct het__cut *cut, double bytes)
{
	return (size_t)(bytes / (cut->wraps ? 4 : 2));
}

/** Where there is one dimension to cut, what a mapper of the program's own says is read decides nothing. */
static inline bool het__cut_ignores(const struct het_arg *arg, int range_rank)
{
	return range_rank == 1 && arg->mode == HET_MODE_IN && het__arg_is_own(arg);
}

/** Where the dimensions of a range may be cut. */
struct het__cut_grain {
	int64_t local[HET_MAX_RANGE]; /* at multiples of all devices' work-groups' sizes; 0: nobody gave one */
	int64_t pieces;               /* where nobody did, and a driver gets the library's groups (range.h): so
	                                 many pieces the last dimension must leave; 0: no driver does */
};

/** The least; HET_END where that is longer than any range: it is not cut. */
int64_t het__common_multiple(int64_t a, int64_t b);

/** Takes a device's work-group size into account, in the range as OpenCL has it. False: it has none. */
bool het__cut_align(struct het__cut_grain *grain, const struct het__range *range);

/** So many that the smallest of the shares that are not 0 has 128, and is met to half of one. */
int64_t het__cut_pieces(const double *share, int count);

/** A multiple of `step` that powers of two divide, such that parts of a dimension of that length have groups of
 *  few sizes: by the largest power up to HET__GROUP_MOST that leaves so many pieces. By none below
 *  HET__GROUP_ENOUGH: then it is `step`. Of a length that is no multiple of such a power the last part has a
 *  size of its own. */
int64_t het__cut_step(int64_t step, int64_t length, int64_t pieces);

/** The dimension whose parts share the least of what they read, the outermost of equal ones; of a row that is
 *  cut through, a cache line: the rule of STEPOCL, in what memories move; a ragged cut counts as if they shared
 *  four times as much. First of all one that can be cut into `parts` pieces or, where there is none, into the
 *  most. `all` is resolved for the
 *  whole range, which is not empty.
 *  Errors: HET_ERR_ARGUMENT (parts would write the same cells, whichever is cut), HET_ERR_SHAPE (where
 *  HET_BLOCKS begin; what a mapper says of half the range). */
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

/** Looks at what the program's own functions say of the parts, which what they say of the whole range tells
 *  nothing of: no part may touch by one what another part writes, nor write by one what another touches.
 *  Errors: HET_ERR_ARGUMENT (by one argument two parts write the same cells), HET_ERR_ALIAS (by two), and what
 *  the functions themselves are refused for. */
het_status het__cut_check_own(const struct het__args *all, const struct het__cut_part *part, int count);

#endif
