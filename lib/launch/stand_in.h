/* stand_in.h - what a rehearsal gives a kernel instead of an array, and what can be seen of it afterwards.
 * Pure: bytes in the host's memory.
 *
 * An image has the array's elements, row-major, and behind them some rows that no array has. Its elements
 * inside of the box that the argument declares are what the array holds, unless that is HET_OUT; all others
 * are fillers: of two kinds, which differ in every element.
 */
#ifndef HETERO_LIB_LAUNCH_STAND_IN_H
#define HETERO_LIB_LAUNCH_STAND_IN_H

#include <hetero/array.h>

#include <stdbool.h>

#include "box/box.h"

struct het__stand_in {
	int arg;                        /* whose argument's it is */
	bool reads, writes;             /* what the argument declares of the box */
	bool is_fixed;                  /* the kernel may not write to it: its parameter is const */
	bool is_combined;               /* HET_SUM...: compared with nothing */
	het_type type;
	size_t element_bytes;
	int rank;
	struct het__box given_box;      /* what the argument declares, of the array */
	int64_t extent[HET_MAX_RANK];   /* of what the kernel sees: the array, or just the box */
	int64_t rows;                   /* of the image: more than extent[0] */
	struct het__box box;            /* what is declared, of that */
	unsigned char *content;         /* of the box, dense, where it is read */
	unsigned char *before[2];       /* images, by kind of filler */
	unsigned char *given;           /* what the kernel gets: one of them, or of both */
	unsigned char *after[2];        /* what it made of each */
	unsigned char *again;           /* and in another run */
	het_array *array, *copy;        /* the program's; the one that the kernel gets */
};

/** Elements, bytes of an image. */
int64_t het__stand_in_cells(const struct het__stand_in *s);
size_t het__stand_in_bytes(const struct het__stand_in *s);

/** Makes both images `before`. */
void het__stand_in_dress(struct het__stand_in *s);
/** Makes `given`: of one kind of filler inside of the box, of one outside of it. */
void het__stand_in_give(struct het__stand_in *s, int inside, int outside);

/** Elements of an image. */
struct het__seen {
	int64_t count;                  /* 0: none */
	int64_t first[HET_MAX_RANK];    /* the index of the first, */
	bool is_behind;                 /* which is behind the array's end */
};

/** What run 0 or 1 has changed outside of the box, or inside of one that is not written. */
struct het__seen het__stand_in_strayed(const struct het__stand_in *s, int run);

/** What neither run has made of a box that is written and not read. */
struct het__seen het__stand_in_left(const struct het__stand_in *s);

/** Where two runs have made different things of a box that is written; bytes that both left as they were do not
 *  count. `a` and `b`: the images, each with the kind of filler that was inside of the box. */
struct het__seen het__stand_in_differs(const struct het__stand_in *s, const unsigned char *a, int a_kind,
				       const unsigned char *b, int b_kind);

#endif
