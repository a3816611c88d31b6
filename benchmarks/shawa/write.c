/* write.c - a result as ESRI ASCII grids and as pictures. */

#include "shawa/scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hillshade/grid.h"
#include "hillshade/picture.h"
#include "output.h"

#ifdef HAVE_PNG
#define HAS_PICTURES 1
#else
#define HAS_PICTURES 0
#endif

#define LAND_TIMES 6.0 /* slopes are shown so many times steeper */
#define WATER_TIMES 4000.0
#define LONGER_LEAST 256 /* pixels of a picture's longer side */
#define SHOWN_LEAST 1e-3 /* a smaller concentration is not painted */

/* What is painted and written: of cells alone, without the places that pad rows. */
struct images {
	const struct scene_problem *p;
	const double *state;
	float *depth, *concentration; /* NaN on land */
	float *height, *shade, *stain;
};

static float *new_image(const struct shawa_sea *sea)
{
	return bench_new((size_t)sea->rows * (size_t)sea->cols * sizeof(float));
}

static const double *cell_of(const struct images *m, int row, int col)
{
	return m->state + (size_t)row * shawa_row(&m->p->problem.sea) + (size_t)col;
}

static double bed_of(const struct images *m, int row, int col)
{
	return m->p->bed[(size_t)row * (size_t)m->p->problem.sea.pitch + (size_t)col];
}

static int is_wet(const struct images *m, int row, int col)
{
	return cell_of(m, row, col)[0] > 0.01;
}

/* ---- light ------------------------------------------------------------------------------------- */

/* The surface of water or of land; beyond a shore or a side that of the cell itself. */
static double surface(const struct images *m, int row, int col, int or_row, int or_col)
{
	const struct shawa_sea *const sea = &m->p->problem.sea;
	const int is_inside = row >= 0 && row < sea->rows && col >= 0 && col < sea->cols;

	if (!is_inside || is_wet(m, row, col) != is_wet(m, or_row, or_col))
		return surface(m, or_row, or_col, or_row, or_col);
	return bed_of(m, row, col) + (is_wet(m, row, col) ? cell_of(m, row, col)[0] : 0);
}

/* Light from the northwest, 45 degrees above the horizon. */
static double light_on(const struct images *m, int row, int col)
{
	const struct shawa_sea *const sea = &m->p->problem.sea;
	const double times = is_wet(m, row, col) ? WATER_TIMES : LAND_TIMES;
	const double east = times / (2 * sea->dx) *
			    (surface(m, row, col + 1, row, col) - surface(m, row, col - 1, row, col));
	const double south = times / (2 * sea->dy) *
			     (surface(m, row + 1, col, row, col) - surface(m, row - 1, col, row, col));

	return fmax(0, (0.5 * east + 0.5 * south + sqrt(0.5)) / sqrt(1 + east * east + south * south));
}

/* ---- images ------------------------------------------------------------------------------------ */

static void make_cell(struct images *m, int row, int col)
{
	const struct shawa_sea *const sea = &m->p->problem.sea;
	const size_t i = (size_t)row * (size_t)sea->cols + (size_t)col;
	const double *const cell = cell_of(m, row, col);
	const double c = cell[0] > sea->dry ? cell[3 * sea->pitch] / cell[0] : 0;

	m->depth[i] = cell[0] > sea->dry ? (float)cell[0] : NAN;
	m->concentration[i] = cell[0] > sea->dry ? (float)c : NAN;
	m->height[i] = is_wet(m, row, col) ? (float)-cell[0] : (float)fmax(0, bed_of(m, row, col));
	m->shade[i] = (float)light_on(m, row, col);
	m->stain[i] = is_wet(m, row, col) && c > SHOWN_LEAST ? (float)sqrt(fmin(1, c)) : 0;
}

static void make_images(struct images *m, const struct scene_problem *p, const double *state)
{
	const struct shawa_sea *const sea = &p->problem.sea;

	m->p = p;
	m->state = state;
	m->depth = new_image(sea);
	m->concentration = new_image(sea);
	m->height = new_image(sea);
	m->shade = new_image(sea);
	m->stain = new_image(sea);
	for (int row = 0; row < sea->rows; row++)
		for (int col = 0; col < sea->cols; col++)
			make_cell(m, row, col);
}

static void free_images(struct images *m)
{
	free(m->depth);
	free(m->concentration);
	free(m->height);
	free(m->shade);
	free(m->stain);
}

/* ---- pixels ------------------------------------------------------------------------------------ */

/* So many pixels stand for a cell, across and down: small seas are enlarged. */
static int pixels_of_cell(const struct shawa_sea *sea)
{
	const int longer = sea->rows > sea->cols ? sea->rows : sea->cols;

	return (LONGER_LEAST + longer - 1) / longer;
}

/* Where pixel `at` lies between the middles of cell `from` and the next of `count`, two at least: 0 to 1. */
static double part_of_next(int at, int times, int count, int *from)
{
	const double place = (at + 0.5) / times - 0.5;

	*from = place < 0 ? 0 : place < count - 2 ? (int)place : count - 2;
	return fmin(fmax(place - *from, 0), 1);
}

/* The cells' values at the pixels, linear in between. NULL: no cells, or each is one pixel. */
static float *enlarged(const struct shawa_sea *sea, const float *cells)
{
	const int times = pixels_of_cell(sea), rows = sea->rows * times, cols = sea->cols * times;
	float *pixels;

	if (!cells || times == 1)
		return NULL;
	pixels = bench_new((size_t)rows * (size_t)cols * sizeof *pixels);
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < cols; x++) {
			int row, col;
			const double down = part_of_next(y, times, sea->rows, &row);
			const double right = part_of_next(x, times, sea->cols, &col);
			const float *const above = cells + (size_t)row * (size_t)sea->cols + (size_t)col;
			const float *const below = above + sea->cols;

			pixels[(size_t)y * (size_t)cols + (size_t)x] =
				(float)((1 - down) * ((1 - right) * above[0] + right * above[1]) +
					down * ((1 - right) * below[0] + right * below[1]));
		}
	return pixels;
}

/* ---- files ------------------------------------------------------------------------------------- */

static void name_file(char *path, size_t bytes, const struct scene_problem *p, const char *name,
		      const char *kind)
{
	snprintf(path, bytes, "%s-%s.%s", p->scene.prefix, name, kind);
}

void scene_complain(const char *option, const char *path, const char *why)
{
	if (!why)
		return;
	fprintf(stderr, "shawa: %s: %s: %s\n", option, path, why);
	exit(EXIT_FAILURE);
}

static void spare_terrain(const struct scene_problem *p, const char *path)
{
	if (output_is(path, p->scene.terrain))
		bench_refuse("shawa", "--write", path, "the terrain would be written over");
}

/* By all that is written of a quantity: a grid, a picture, and a film's. */
static void spare_terrain_by(const struct scene_problem *p, const char *name)
{
	char path[PATH_MAX], frame[32];

	name_file(path, sizeof path, p, name, "asc");
	spare_terrain(p, path);
	if (!HAS_PICTURES)
		return;
	name_file(path, sizeof path, p, name, "png");
	spare_terrain(p, path);
	for (int i = 0; p->scene.frames && i <= p->scene.frames; i++) {
		snprintf(frame, sizeof frame, "%s-%04d", name, i);
		name_file(path, sizeof path, p, frame, "png");
		spare_terrain(p, path);
	}
}

static void spare_terrain_by_all(const struct scene_problem *p)
{
	char path[PATH_MAX];

	spare_terrain_by(p, "depth");
	spare_terrain_by(p, "contaminant");
	snprintf(path, sizeof path, "%s.html", p->scene.prefix);
	if (p->scene.frames)
		spare_terrain(p, path);
}

/* Ends the program where a quantity's grid, or its picture where there are any, could not be written. */
static void need_both(const struct scene_problem *p, const char *name)
{
	char path[PATH_MAX];

	name_file(path, sizeof path, p, name, "asc");
	scene_complain("--write", path, output_refusal(path));
	name_file(path, sizeof path, p, name, "png");
	if (HAS_PICTURES)
		scene_complain("--write", path, picture_refusal(path));
}

void scene_may_write(const struct scene_problem *p)
{
	char path[PATH_MAX];

	if (p->scene.kind == SCENE_TERRAIN)
		spare_terrain_by_all(p);
	need_both(p, "depth");
	need_both(p, "contaminant");
	snprintf(path, sizeof path, "%s.html", p->scene.prefix);
	if (p->scene.frames)
		scene_complain("--frames", path, HAS_PICTURES ? output_refusal(path) : "built without libpng");
	else if (!HAS_PICTURES)
		fputs("shawa: built without libpng: grids only\n", stderr);
}

static void write_grid(const struct images *m, const char *name, float *values)
{
	const struct shawa_sea *const sea = &m->p->problem.sea;
	const struct grid grid = {
		.rows = sea->rows, .cols = sea->cols, .dx = sea->dx, .dy = sea->dy, .height = values};
	char path[PATH_MAX];

	name_file(path, sizeof path, m->p, name, "asc");
	scene_complain("--write", path, grid_write(&grid, path));
}

/* The sea with or without stains. */
static void write_picture(const struct images *m, const char *name, const float *stain)
{
	const struct shawa_sea *const sea = &m->p->problem.sea;
	const int times = pixels_of_cell(sea);
	float *const height = enlarged(sea, m->height), *const shade = enlarged(sea, m->shade);
	float *const stains = enlarged(sea, stain);
	const struct picture picture = {.rows = sea->rows * times,
					.cols = sea->cols * times,
					.pitch = sea->cols * times,
					.height = height ? height : m->height,
					.shade = shade ? shade : m->shade,
					.stain = stains ? stains : stain,
					.flat_shade = (float)sqrt(0.5),
					.dx = sea->dx,
					.dy = sea->dy};
	char path[PATH_MAX];

	name_file(path, sizeof path, m->p, name, "png");
	if (HAS_PICTURES)
		scene_complain("--write", path, picture_write(&picture, path));
	free(height);
	free(shade);
	free(stains);
}

void scene_picture(const struct scene_problem *p, const double *state, const char *name, int with_stains)
{
	struct images m;

	make_images(&m, p, state);
	write_picture(&m, name, with_stains ? m.stain : NULL);
	free_images(&m);
}

void scene_write(const struct scene_problem *p, const struct shawa_result *r)
{
	struct images m;

	if (p->clock)
		memcpy(p->clock, r->clock, ((size_t)p->problem.steps + 1) * sizeof *p->clock);
	make_images(&m, p, r->state);
	write_grid(&m, "depth", m.depth);
	write_picture(&m, "depth", NULL);
	write_grid(&m, "contaminant", m.concentration);
	write_picture(&m, "contaminant", m.stain);
	free_images(&m);
}
