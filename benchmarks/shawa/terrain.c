/* terrain.c - the sea around Vancouver Island, or another terrain: resampled, filled up to level 0, with a hump
 * of water that will be waves, and contaminant at a place. */

#include "shawa/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/terrain.h"

#define DEEP 5.0 /* metres of water that contaminant is released into */

/* ---- heights ----------------------------------------------------------------------------------- */

/* Where a height is not known there is land, as high as any. */
static double highest(const struct grid *g)
{
	double most = 1;

	for (size_t i = 0; i < (size_t)g->rows * (size_t)g->cols; i++)
		most = fmax(most, (double)g->height[i]);
	return most;
}

/* ---- places ------------------------------------------------------------------------------------ */

/* In degrees; the northwest corner of the terrain is 126 W, 50 N, its southeast corner 122 W, 48 N. */
static const struct {
	const char *name;
	double longitude, latitude;
} places[] = {
	{"bellingham", -122.53, 48.72}, {"nanaimo", -123.90, 49.19},   {"powell-river", -124.55, 49.83},
	{"tofino", -125.95, 49.12},     {"vancouver", -123.22, 49.31}, {"victoria", -123.38, 48.40},
};

int scene_place(const char *name, double *x, double *y)
{
	char rest;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (!strcmp(places[i].name, name)) {
			*x = (places[i].longitude + 126) / 4;
			*y = (50 - places[i].latitude) / 2;
			return 0;
		}
	if (sscanf(name, "%lf,%lf%c", x, y, &rest) != 2)
		return -1;
	return *x >= 0 && *x <= 1 && *y >= 0 && *y <= 1 ? 0 : -1;
}

static double depth_at(const struct scene_problem *p, int row, int col)
{
	return p->state[(size_t)row * shawa_row(&p->problem.sea) + (size_t)col];
}

/* The nearest cell with enough water. */
static void find_water(const struct scene_problem *p, int *row, int *col)
{
	const int from_row = *row, from_col = *col;
	double nearest = INFINITY;

	for (int y = 0; y < p->scene.rows; y++)
		for (int x = 0; x < p->scene.cols; x++) {
			const double away =
				hypot((y - from_row) * p->problem.sea.dy, (x - from_col) * p->problem.sea.dx);

			if (depth_at(p, y, x) < DEEP || away >= nearest)
				continue;
			nearest = away;
			*row = y;
			*col = x;
		}
	if (isinf(nearest)) {
		fprintf(stderr, "shawa: no cell has 5 m of water: %s\n", p->scene.terrain);
		exit(EXIT_FAILURE);
	}
}

/* A cloud of 4 km, or two cells where these are larger. */
static void release(struct scene_problem *p)
{
	const struct shawa_sea *const sea = &p->problem.sea;
	const double reach = fmax(4000, 2 * fmax(sea->dx, sea->dy));
	double right, down;
	int row, col;

	scene_place(p->scene.place, &right, &down);
	row = (int)lrint(down * (p->scene.rows - 1));
	col = (int)lrint(right * (p->scene.cols - 1));
	find_water(p, &row, &col);
	for (int y = 0; y < p->scene.rows; y++)
		for (int x = 0; x < p->scene.cols; x++) {
			const double away = hypot((y - row) * sea->dy, (x - col) * sea->dx) / reach;

			p->state[(size_t)y * shawa_row(sea) + (size_t)(3 * sea->pitch + x)] =
				depth_at(p, y, x) * exp(-away * away / 2);
		}
}

/* ---- the sea ----------------------------------------------------------------------------------- */

/* Two metres of water too much, 15 km wide, a fifth of the way from the south, 12 % from the west: ocean. */
static double hump(const struct scene_problem *p, int row, int col)
{
	const double x = (col - 0.12 * p->scene.cols) * p->problem.sea.dx / 15000;
	const double y = (row - 0.8 * p->scene.rows) * p->problem.sea.dy / 15000;

	return 2 * exp(-(x * x + y * y) / 2);
}

static void fill(struct scene_problem *p, const struct grid *g)
{
	const double down = (g->rows - 1.0) / (p->scene.rows - 1),
		     right = (g->cols - 1.0) / (p->scene.cols - 1);
	const double unknown = highest(g);

	scene_cells(p, g->dx * right, g->dy * down);
	for (int y = 0; y < p->scene.rows; y++)
		for (int x = 0; x < p->scene.cols; x++) {
			const double z = terrain_between(g, y * down, x * right, unknown);

			scene_cell(p, y, x, z, z < 0 ? hump(p, y, x) : 0, 0);
		}
}

void scene_terrain(struct scene_problem *p)
{
	struct grid grid;
	char why[512];

	if (grid_read(p->scene.terrain, &grid, why, sizeof why)) {
		fprintf(stderr, "shawa: --terrain: %s\n", why);
		exit(EXIT_FAILURE);
	}
	fill(p, &grid);
	grid_free(&grid);
	scene_sides(&p->problem.sea, p->scene.sides);
	p->problem.sea.tide_height = 1.5;
	p->problem.sea.tide_period = 44714; /* the moon's */
	release(p);
}
