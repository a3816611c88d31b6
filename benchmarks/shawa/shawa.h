/* shawa.h - what all versions of ShaWa share: the sea, the cells at first, what a run leaves. */
#ifndef SHAWA_SHAWA_H
#define SHAWA_SHAWA_H

#include "common/bench.h"

#define SHAWA_KERNELS BENCHMARKS "/shawa/shawa.cl"
#define SHAWA_ITEM 4   /* cells of a work-item, as in shawa.cl */
#define SHAWA_GROUP 25 /* work-items of a group, beside each other */
#define SHAWA_UNIT (SHAWA_ITEM * SHAWA_GROUP)
#define SHAWA_SEARCH 64 /* work-items of a group of `fastest` */
#define SHAWA_MOST 4    /* such groups of a device, each of which looks at as many of its rows */
#define SHAWA_GRAVITY 9.81

enum shawa_side { SHAWA_WEST, SHAWA_EAST, SHAWA_NORTH, SHAWA_SOUTH, SHAWA_SIDES };
enum shawa_kind { SHAWA_WALL, SHAWA_OPEN, SHAWA_PERIODIC, SHAWA_TIDE };

/** The sea as the kernels take it. Rows have `pitch` places for `cols` cells; row 0 is the northernmost. An
 * array may begin with `first_row`; where the sea is periodic, rows number `above` and `below` of the array of
 * what is across are those above the first row and below the last. Each row's clock is `clock` numbers beyond
 * that of the row before; 0: they have one in common. Metres and seconds. */
struct shawa_sea {
	int rows, cols, pitch, first_row, above, below, clock, side[SHAWA_SIDES];
	double dx, dy;  /* a cell's size */
	double courant; /* the part of the largest stable step that is made, at most 1 */
	double dry;     /* the depth at which a cell counts as dry */
	double until;   /* when to stop; steps after that change nothing */
	double tide_mean, tide_height,
		tide_period; /* the surface beyond a tide: mean + height sin(2 pi t / period) */
};

/** A state is rows x 4 x pitch numbers: depth, momentum to the east, to the south, and amount of contaminant
 * (depth times concentration) of each row; a bed is rows x pitch. Places that are no cells are 0. */
struct shawa_problem {
	const char *name;
	struct shawa_sea sea;
	int with_roe; /* the solver: Roe's, or hydrostatic reconstruction and HLL */
	int steps;
	double start; /* the time at first; the versions by hand always begin at 0 */
	const double *state, *bed; /* at first */
};

struct shawa_result {
	const double *state;
	const double *clock; /* `steps` + 1 times: at first, after each step */
};

static inline const char *shawa_kernel(const struct shawa_problem *p)
{
	return p->with_roe ? "flux_roe" : "flux_hll";
}

/** Numbers of a row of a state, and of the bed: a fourth of a state. */
static inline size_t shawa_row(const struct shawa_sea *sea)
{
	return 4 * (size_t)sea->pitch;
}

static inline size_t shawa_cells(const struct shawa_sea *sea)
{
	return (size_t)sea->rows * (size_t)sea->pitch;
}

/** The first of the rows of device number `d` of `count`; those of the one after it begin where its own end. */
static inline int shawa_first(const struct shawa_sea *sea, int d, int count)
{
	return bench_first(sea->rows, 1, d, count);
}

/** How many of these devices get rows. */
static inline int shawa_count(const struct shawa_sea *sea, int devices)
{
	return devices < sea->rows ? devices : sea->rows;
}

/** Whether beyond the north there is the south again. */
static inline int shawa_is_round(const struct shawa_sea *sea)
{
	return sea->side[SHAWA_NORTH] == SHAWA_PERIODIC;
}

extern const struct bench_version shawa_hetero, shawa_copying, shawa_shared, shawa_plain, shawa_local;

#endif
