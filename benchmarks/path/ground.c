/* ground.c - terrain: read from a file, or made up of waves of all lengths, the same everywhere. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/terrain.h"
#include "path/scene.h"

/* The map of made-up terrain, around whose middle the points of a grid are. */
#define MIDDLE_LINE 9002
#define MIDDLE_COLUMN 5401
#define SPACING 30.0 /* metres */
#define OCTAVES 10
#define LONGEST 2048 /* points of a wave */
#define LOWEST (-87.0)
#define RANGE 4884.0

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "path: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

/* ---- made up ----------------------------------------------------------------------------------- */

/* 64 bits stirred: the finaliser of SplitMix64. */
static uint64_t stirred(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* A number from 0 to 1 for each corner of an octave's cells. */
static double corner(int octave, int64_t line, int64_t column)
{
	const uint64_t key = (uint64_t)octave << 48 ^ (uint64_t)line << 24 ^ (uint64_t)column;

	return (double)(stirred(key) >> 40) * 0x1p-24;
}

static double smooth(double t)
{
	return t * t * (3 - 2 * t);
}

/* Which cell, of so many points, a place of the map is in; rounded down below 0, too. */
static int64_t cell_of(int64_t place, int64_t points)
{
	return place >= 0 ? place / points : -((points - 1 - place) / points);
}

/* Adds an octave to a line of numbers, the first of which is at this place of the map. Octaves are shifted
 * against each other, so that their cells do not meet in the same corners. */
static void add_octave(double *sum, int count, int octave, int64_t line, int64_t column)
{
	const int64_t points = LONGEST >> octave, down = line + 331 * octave, i = cell_of(down, points);
	const double a = smooth((double)(down - i * points) / (double)points), weight = pow(0.6, octave);
	double north = 0, south = 0, north_next = 0, south_next = 0;
	int64_t known = INT64_MIN; /* the cell whose corners those are */

	for (int col = 0; col < count; col++) {
		const int64_t right = column + col + 577 * octave, j = cell_of(right, points);
		const double b = smooth((double)(right - j * points) / (double)points);

		if (j != known) {
			north = corner(octave, i, j);
			south = corner(octave, i + 1, j);
			north_next = corner(octave, i, j + 1);
			south_next = corner(octave, i + 1, j + 1);
			known = j;
		}
		const double top = north + b * (north_next - north), low = south + b * (south_next - south);
		sum[col] += weight * (top + a * (low - top));
	}
}

static void make_line(const struct path_problem *p, int row, double *sum, float *height)
{
	double weights = 0;

	for (int col = 0; col < p->cols; col++)
		sum[col] = 0;
	for (int octave = 0; octave < OCTAVES; octave++) {
		add_octave(sum, p->cols, octave, row - p->rows / 2 + MIDDLE_LINE, MIDDLE_COLUMN - p->cols / 2);
		weights += pow(0.6, octave);
	}
	for (int col = 0; col < p->cols; col++) {
		const double m = fmin(fmax(1.8 * (sum[col] / weights - 0.5) + 0.5, 0), 1);

		height[col] = (float)round(LOWEST + RANGE * m);
	}
}

/* ---- places ------------------------------------------------------------------------------------ */

/* Arrays with a frame of places that are no points, all heights unknown. */
static void take_size(struct scene_problem *p, int rows, int cols, double dx, double dy)
{
	struct path_problem *const q = &p->problem;
	const int unit = PATH_ITEM * PATH_GROUP;

	q->rows = rows;
	q->cols = cols;
	q->pitch = (cols + 2 * PATH_ITEM + unit - 1) / unit * unit;
	q->dx = dx;
	q->dy = dy;
	q->flat[0] = dx * dx;
	q->flat[1] = dy * dy;
	q->flat[2] = dx * dx + dy * dy;
	for (int i = 0; i < 3; i++)
		q->flat_single[i] = (float)q->flat[i];
	q->height = p->height = bench_new(path_places(q) * sizeof *p->height);
	for (size_t i = 0; i < path_places(q); i++)
		p->height[i] = NAN;
}

/* FNV-1a over the heights as 16-bit numbers. */
static unsigned long long hash_of(const struct path_problem *p)
{
	uint64_t hash = UINT64_C(1469598103934665603);

	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++) {
			const int z = (int)p->height[path_place(p, row, col)];

			hash = (hash ^ (uint16_t)z) * UINT64_C(1099511628211);
		}
	return hash;
}

static void make_up(struct scene_problem *p)
{
	double *sum;

	take_size(p, p->scene.rows, p->scene.cols, SPACING, SPACING);
	sum = bench_new((size_t)p->problem.cols * sizeof *sum);
	for (int row = 0; row < p->problem.rows; row++)
		make_line(&p->problem, row, sum, p->height + path_place(&p->problem, row, 0));
	free(sum);
	p->hash = hash_of(&p->problem);
}

/* As many points as the file's grid has, or as were asked for; those in the corners stay in their places. */
static void resample(struct scene_problem *p, const struct grid *g)
{
	const int rows = p->scene.rows ? p->scene.rows : g->rows;
	const int cols = p->scene.cols ? p->scene.cols : g->cols;
	const double down = rows > 1 ? (g->rows - 1.0) / (rows - 1) : 1;
	const double right = cols > 1 ? (g->cols - 1.0) / (cols - 1) : 1;
	const int is_same = rows == g->rows && cols == g->cols;

	take_size(p, rows, cols, g->dx * right, g->dy * down);
	p->west = g->west + (g->dx - p->problem.dx) / 2;
	p->south = g->south + (g->dy - p->problem.dy) / 2;
	for (int row = 0; row < rows; row++)
		for (int col = 0; col < cols; col++)
			p->height[path_place(&p->problem, row, col)] =
				is_same ? g->height[(size_t)row * (size_t)cols + (size_t)col]
					: (float)terrain_between(g, row * down, col * right, NAN);
}

void scene_ground(struct scene_problem *p)
{
	struct grid grid;
	char why[512];

	if (!p->scene.terrain) {
		make_up(p);
	} else {
		if (grid_read(p->scene.terrain, &grid, why, sizeof why))
			fail("--terrain", why);
		resample(p, &grid);
		grid_free(&grid);
	}
	for (size_t i = 0; i < path_places(&p->problem); i++)
		p->height[i] *= (float)p->scene.climb;
}
