/* grid.h - terrain from ESRI ASCII grids. */
#ifndef HILLSHADE_GRID_H
#define HILLSHADE_GRID_H

#include <stddef.h>

/** Heights on a regular grid, rows from north to south, dense. */
struct grid {
	int rows, cols;     /* at least 2 each */
	double dx, dy;      /* a cell's size west to east and north to south, in the unit of the heights */
	double west, south; /* the corner of the southernmost row's first cell */
	float *height;      /* rows * cols; NaN where the file has its NODATA value */
};

/** Reads a grid: a header of `ncols`, `nrows`, `cellsize` (or `dx` and `dy`), optionally `xllcorner`,
 *  `yllcorner` (or `...center`; else 0) and `NODATA_value` (else -9999), in any order and case; then the
 *  heights, separated by any white space. Returns 0 and the grid (freed with grid_free), or -1 and a message
 *  with file, line and reason in `why`. */
int grid_read(const char *path, struct grid *grid, char *why, size_t why_size);

/** Writes such a file, with NaN as NODATA_value -9999, and `dx` and `dy` where they differ. Returns NULL, or
 *  why it could not (a text that is valid until another call fails); what was there then stays. */
const char *grid_write(const struct grid *grid, const char *path);

void grid_free(struct grid *grid);

#endif
