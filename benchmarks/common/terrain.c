/* terrain.c - heights between those of a grid. */

#include "common/terrain.h"

#include <math.h>

static double height_at(const struct grid *g, int row, int col, double unknown)
{
	const double z = (double)g->height[(size_t)row * (size_t)g->cols + (size_t)col];

	return isnan(z) ? unknown : z;
}

double terrain_between(const struct grid *g, double down, double right, double unknown)
{
	const int row = (int)fmin(down, g->rows - 2), col = (int)fmin(right, g->cols - 2);
	const double v = down - row, u = right - col;

	return (1 - v) * ((1 - u) * height_at(g, row, col, unknown) + u * height_at(g, row, col + 1, unknown)) +
	       v * ((1 - u) * height_at(g, row + 1, col, unknown) +
		    u * height_at(g, row + 1, col + 1, unknown));
}
