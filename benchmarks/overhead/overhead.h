/* overhead.h - what the sections of the measurement share. */
#ifndef OVERHEAD_OVERHEAD_H
#define OVERHEAD_OVERHEAD_H

#include <hetero.h>

#include "common/open.h"
#include "overhead/pair.h"
#include "overhead/raw.h"

#define ARRAYS_MOST 10000
#define ITEMS 16 /* of a kernel, unless the user wishes more; of a work-group */

struct setup {
	int rounds, launches, hops, json;
	int items; /* of the chain's kernels */
	int arrays; /* 0: one, a thousand and ten thousand */
	int alone;  /* Hetero only, nothing by hand */
	size_t bytes;     /* of the large hop */
	const char *only; /* one section; NULL: all */
};

/* Both sides with what all sections need. */
struct bench {
	struct setup setup;
	struct report *report;
	struct raw raw;
	het_system *system;
	het_kernel *add, *step, *blur, *settle;
};

/** Floats, zero. */
static inline het_array *new_array(het_system *system, size_t items)
{
	het_array *array;

	must(het_array_new(system, HET_FLOAT, het_shape(1, (int64_t)items), &array));
	return array;
}

/** Measures the two sides; the one by hand may be left out, when something counts what Hetero does. */
void measure_pair(const struct bench *b, struct pair *pair, const struct side *ours,
		  const struct side *by_hand);

/* A section of arrays.c: `count` arrays by turns. */
void measure_arrays(struct bench *b, enum raw_arrays kind, int count);

/* Sections of boxes.c: launches on two devices, against OpenCL by hand; spreads over two devices, against
 * launches of their parts. */
void measure_boxes(struct bench *b);
void measure_spreads(struct bench *b);

/* The section of bands.c. */
void measure_bands(struct bench *b);

#endif
