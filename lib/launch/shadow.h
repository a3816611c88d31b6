/* shadow.h - what a rehearsal gives a kernel instead of an array, and what can be seen of it afterwards.
 * Pure: bytes in the host's memory.
 *
 * An image has the array's elements, row-major, and before and behind them some rows that no array has; of a
 * parameter that is a window also some elements between its rows, so that no indices fit it but those by which
 * windows are indexed. Its elements inside of the box that the argument declares are what the array holds,
 * unless that is HET_OUT; all others are fillers. There are four kinds: two of numbers, which differ in every
 * element; what the array holds there; and what it holds elsewhere. The first two show what a kernel reads
 * whatever the array holds, but integers among them must be small, as they may be indices, and pass under
 * maxima and comparisons; the third shows what the program's results depend on now, and the fourth what they
 * may depend on at another moment, when values have moved.
 */
#ifndef HETERO_LIB_LAUNCH_SHADOW_H
#define HETERO_LIB_LAUNCH_SHADOW_H

#include <hetero/array.h>

#include <stdbool.h>
#include <string.h>

#include "box/box.h"

/** Kinds of fillers. */
enum { HET__FILLER, HET__OTHER_FILLER, HET__TRUE_FILLER, HET__MOVED_FILLER, HET__FILLERS };

/** Elements of an image. */
struct het__seen {
	int64_t count;                  /* 0: none */
	int64_t first[HET_MAX_RANK];    /* the first one's index; */
	bool is_before, is_behind;      /* is it before or behind all that the kernel sees, */
	bool is_between;                /* or between two of a window's rows? */
};

/** Are they as many, and is the first the same? */
static inline bool het__seen_is_same(const struct het__seen *a, const struct het__seen *b)
{
	return a->count == b->count && memcmp(a->first, b->first, sizeof a->first) == 0;
}

struct het__shadow {
	int arg;                        /* whose argument's it is */
	bool reads, writes;             /* what the argument declares of the box */
	bool is_const;                  /* the kernel's parameter: it may not write */
	bool is_packed;                 /* the kernel sees the box alone */
	bool is_window;
	bool is_empty;                  /* it sees no elements: the image has only what is around */
	char label[HET__LABEL];         /* the array's, for messages */
	het_type type;
	size_t element_bytes;
	int rank;
	struct het__box given;          /* what the argument declares, of the array */
	int64_t from[HET_MAX_RANK];     /* where in the array the kernel's indices begin */
	int64_t extent[HET_MAX_RANK];   /* of what it sees */
	int64_t front, rows;            /* rows of an image in front of index 0; from it on (over extent[0]) */
	int64_t width;                  /* elements in the last dimension: its extent, and of windows more */
	struct het__box box;            /* what is declared, in the kernel's indices; */
	bool wraps;                     /* and so is the rest of it, at the array's other end (HET_WRAP) */
	struct het__box across;
	bool knows_truth;               /* until images are made: `now` has what the array holds, dense; */
	unsigned char *content;         /* else this has what the box holds, if that is read. Afterwards: */
	                                /* what is combined of the lower half (halves.h) */
	unsigned char *before[HET__FILLERS]; /* images, by kind of filler */
	unsigned char *now;             /* an image made of two of these, in a run with a change */
	const unsigned char *given_to_run; /* what the next run gets, or the last one got: one of all these */
	unsigned char *after[2];        /* what runs 0 and 1 made of what they got (1: until the next run), */
	int kind[2];                    /* and the kinds of their fillers, but for changes */
	bool is_mapped;                 /* after[1] lies in the array's memory */
	het_array *array;               /* what the kernel gets in the array's place: behind so many bytes */
	size_t pad_bytes;
	bool has_two_copies;            /* something was written that the run did not declare */
	struct het__seen left;          /* what the kernel seems to leave as it was, and may not read */
};

/** Elements of an image, of what is in front of index 0, and bytes of both. */
int64_t het__shadow_cells(const struct het__shadow *s);
int64_t het__shadow_front_cells(const struct het__shadow *s);
size_t het__shadow_bytes(const struct het__shadow *s);
size_t het__shadow_front_bytes(const struct het__shadow *s);
/** The extent of an image's rows in a dimension behind the first. */
static inline int64_t het__shadow_across(const struct het__shadow *s, int d)
{
	return d == s->rank - 1 ? s->width : s->extent[d];
}

/** Makes the images `before`. Where it is not known what the array holds, its two kinds are as the first. */
void het__shadow_fill(struct het__shadow *s);
/** `other` is of another argument with the same array, and both see all of it: what the other one's box holds
 *  is nothing strange, and comes into all images `before`. Neither is a window, so their images are alike. */
void het__shadow_share(struct het__shadow *s, const struct het__shadow *other);

/** Have fillers of both kinds made the same image? */
bool het__shadow_is_same(const struct het__shadow *s, int kind, int other);

/** The array's elements whose index in a dimension is in [lo, hi). Indices beyond an end are at the other end,
 *  if it wraps, or else nowhere. */
struct het__band {
	int dimension;
	int64_t lo, hi;
	bool wraps;
};

/** Other fillers than the rest of a run has. */
struct het__change {
	const struct het__shadow *in;   /* of which image, */
	int64_t from, to;               /* in which of its elements; */
	int inside, outside;            /* of which kinds, inside and outside of the box; */
	bool is_all;                    /* what is read of the box changes, too, to numbers as safe; */
	const struct het__band *but;    /* but these elements stay as they are; NULL: none */
};

/** Makes what the next run gets: of one kind of filler, but for a change, which may be NULL. */
void het__shadow_compose(struct het__shadow *s, int kind, const struct het__change *change);

/** What run 0 or 1 has changed outside of the box, or in one that is not written. */
struct het__seen het__shadow_written_outside(const struct het__shadow *s, int run);

/** Elements of a box that is written and not read which both runs, with fillers of kind 0 and 1, left as they
 *  were, at least in one lane. */
struct het__seen het__shadow_unwritten(const struct het__shadow *s);

/** Where the two runs have made different things of a box that is written; bytes that both left as they were
 *  do not count. Run 0 had fillers of kind 0, run 1 was the last one. */
struct het__seen het__shadow_differs(const struct het__shadow *s);

/** An element of an image by its number. */
struct het__seen het__shadow_cell(const struct het__shadow *s, int64_t cell);

#endif
