/* combine.h - many elements into one: the kernels that do it, and what het_spread's HET_SUM and the like take.
 *
 * Every device of a spread accumulates into a row of its own, which begins as the operation's neutral element;
 * afterwards one device combines the rows, in their order.
 *
 * Called with the system's lock unless a comment says otherwise.
 */
#ifndef HETERO_LIB_LAUNCH_COMBINE_H
#define HETERO_LIB_LAUNCH_COMBINE_H

#include <hetero/spread.h>

#include "launch/batch.h"
#include "launch/team.h"

/* het_reduce makes HET__LANES elements of every HET__BLOCK. Both decide how sums of floats are rounded. */
#define HET__BLOCK 8192
#define HET__LANES 64

/** The kernels for one type and operation. Owned by the system's kernel room. */
struct het__reducer {
	het_type type;
	enum het_reduction op;
	het_kernel *set;     /* (out, value): every element becomes value */
	het_kernel *combine; /* (inout, rows, long rows, long width, int fresh, value) */
	het_kernel *lanes;   /* (out, in, long cells, long unit, long pieces, value): HET__LANES of a block */
	het_kernel *blocks;  /* the same, a work-item for all of a block */
	het_kernel *last;    /* (out, in, long cells, value): one work-item */
	unsigned char neutral[8];
	struct het__reducer *next;
};

/** Private results: row p is part p's. The array does not count among the live ones in statistics. */
struct het__rows {
	het_array *array;    /* NULL: given back */
	het_type type;
	int count;
	int64_t items;       /* elements of a row that are results, */
	int64_t width;       /* and with what fills it up */
	bool busy;           /* a call uses it, and may be waiting without the lock */
};

/** Is this a type that can be combined so? HET_ERR_ARGUMENT. No lock needed. */
het_status het__reducer_fits(het_type type, enum het_reduction op);
/** The operation's neutral element, in 8 bytes at `out`, of a type that fits (het__reducer_fits). No lock
 *  needed. */
void het__reducer_neutral(het_type type, enum het_reduction op, unsigned char *out);
/** Has this device the type? HET_ERR_UNSUPPORTED. */
het_status het__reducer_runs_on(const struct het__reducer *by, const het_device *device);
/** The kernels, made at the first use. Without the lock. HET_ERR_MEMORY, HET_ERR_KERNEL. */
het_status het__reducer_get(het_system *system, het_type type, enum het_reduction op,
			    const struct het__reducer **reducer_p);

/** All of a system's, but for their kernels, which go with their room. */
void het__reducers_free(struct het__reducer *first);

/** One argument of a spread that is combined. */
struct het__combine {
	int arg;
	bool fresh;          /* HET_OUT: what the array held does not count */
	het_array *array;
	int64_t count;       /* its elements */
	const struct het__reducer *by;
	bool taken;
	int rows;            /* which of the room's, if `taken` */
	struct het_range set_range, combine_range; /* of `count` work-items */
	struct het__work set[HET__TEAM_MOST], combine;
};

/** All combined arguments of a spread: `count` of them. */
struct het__combines {
	het_system *system;
	const char *title;   /* of the kernel */
	int count, parts;
	const struct het_arg *args;
	struct het__combine *at; /* freed by het__combines_end */
};

/** Finds them among the arguments, gets their kernels, and builds these for the parts' devices. Device number
 *  `combiner` combines. Without the lock. HET_ERR_ARGUMENT, HET_ERR_HANDLE, HET_ERR_UNSUPPORTED... */
het_status het__combines_prepare(struct het__combines *c, const het_kernel *kernel, const struct het_arg *args,
				 int count, het_device *const *device, int parts, int combiner);
/** Makes the rows of the `parts` parts that are left neutral; kept[p] is part p's number among those that were
 *  prepared. */
het_status het__combines_begin(struct het__combines *c, const int *kept, int parts);
/** The arguments for all parts together: what is combined is all of its array. In `room` where any is
 *  combined. */
const struct het_arg *het__combines_whole(const struct het__combines *c, int count, struct het_arg *room);
/** The arguments of part p, in `room` where any is combined. */
const struct het_arg *het__combines_args(const struct het__combines *c, int p, int count, struct het_arg *room);
/** Combines the rows. */
het_status het__combines_finish(struct het__combines *c);
void het__combines_end(struct het__combines *c);

#endif
