/* scene.c - seas to compute: a basin with two islands, a breaking dam, water that goes round, a tide. */

#include "shawa/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BASIN 1000.0 /* its length and width */

static double square(double x)
{
	return x * x;
}

void scene_cells(struct scene_problem *p, double dx, double dy)
{
	struct shawa_sea *const sea = &p->problem.sea;

	sea->rows = p->scene.rows;
	sea->cols = p->scene.cols;
	sea->pitch = (sea->cols + SHAWA_UNIT - 1) / SHAWA_UNIT * SHAWA_UNIT;
	sea->dx = dx;
	sea->dy = dy;
	sea->courant = 0.9;
	sea->dry = 1e-6;
	sea->until = p->scene.until > 0 ? p->scene.until : INFINITY;
	sea->tide_period = 1;
	p->problem.state = p->state = bench_new(4 * shawa_cells(sea) * sizeof *p->state);
	p->problem.bed = p->bed = bench_new(shawa_cells(sea) * sizeof *p->bed);
}

void scene_cell(struct scene_problem *p, int row, int col, double z, double level, double concentration)
{
	const struct shawa_sea *const sea = &p->problem.sea;
	double *const cell = p->state + (size_t)row * shawa_row(sea) + col;

	p->bed[(size_t)row * (size_t)sea->pitch + (size_t)col] = z;
	cell[0] = fmax(0, level - z);
	cell[3 * sea->pitch] = cell[0] * concentration;
}

int scene_sides(struct shawa_sea *sea, const char *letters)
{
	static const char kinds[] = "wopt"; /* as enum shawa_kind */

	if (strlen(letters) != SHAWA_SIDES)
		return -1;
	for (int i = 0; i < SHAWA_SIDES; i++) {
		const char *const kind = strchr(kinds, letters[i]);

		if (!kind)
			return -1;
		sea->side[i] = (int)(kind - kinds);
	}
	return (letters[SHAWA_WEST] == 'p') != (letters[SHAWA_EAST] == 'p') ||
			       (letters[SHAWA_NORTH] == 'p') != (letters[SHAWA_SOUTH] == 'p')
		       ? -1
		       : 0;
}

/* ---- seas -------------------------------------------------------------------------------------- */

static double hill(double x, double y, double at_x, double at_y, double height, double width)
{
	return height * exp(-(square(x - at_x) + square(y - at_y)) / (2 * square(width)));
}

/* Two hills under water, or out of it; a cloud of contaminant, or an even one; at rest, or with a hump. */
static void make_basin(struct scene_problem *p)
{
	const struct scene *const scene = &p->scene;
	const double dx = BASIN / scene->cols, dy = BASIN / scene->rows;

	scene_cells(p, dx, dy);
	for (int j = 0; j < scene->rows; j++)
		for (int i = 0; i < scene->cols; i++) {
			const double x = (i + 0.5) * dx, y = (j + 0.5) * dy;
			const double z = hill(x, y, 300, 400, 8, 80) + hill(x, y, 700, 650, 5, 120) + 0.002 * x;
			const double hump = scene->kind == SCENE_LAKE ? 0 : hill(x, y, 500, 500, 1, 50);
			const double c = scene->kind == SCENE_EVEN ? 1 : hill(x, y, 450, 600, 1, 60);

			scene_cell(p, j, i, z, scene->level + hump, c);
		}
}

static void make_dam(struct scene_problem *p)
{
	const double dx = 10.0 / p->scene.cols;

	p->scene.until = 1;
	scene_cells(p, dx, dx);
	scene_sides(&p->problem.sea, "ooww");
	for (int j = 0; j < p->scene.rows; j++)
		for (int i = 0; i < p->scene.cols; i++) {
			const int is_left = 2 * i + 1 < p->scene.cols;

			scene_cell(p, j, i, 0, is_left ? p->scene.level : p->scene.lower, is_left);
		}
}

/* An even stream to the southeast carries a cloud out of one side and in again at the other. */
static void make_round(struct scene_problem *p)
{
	const double dx = BASIN / p->scene.cols, dy = BASIN / p->scene.rows, h = p->scene.level;

	scene_cells(p, dx, dy);
	scene_sides(&p->problem.sea, "pppp");
	for (int j = 0; j < p->scene.rows; j++)
		for (int i = 0; i < p->scene.cols; i++) {
			double *const cell = p->state + (size_t)j * shawa_row(&p->problem.sea) + i;

			scene_cell(p, j, i, 0, h, hill((i + 0.5) * dx, (j + 0.5) * dy, 700, 700, 1, 100));
			cell[p->problem.sea.pitch] = 5 * h;
			cell[2 * p->problem.sea.pitch] = 3 * h;
		}
}

/* A bay that fills with the tide: so small that its surface is that of the sea outside. */
static void make_tide(struct scene_problem *p)
{
	const double dx = BASIN / p->scene.cols;

	p->scene.until = p->scene.until > 0 ? p->scene.until : 2500;
	scene_cells(p, dx, dx);
	scene_sides(&p->problem.sea, "twww");
	p->problem.sea.tide_mean = p->scene.level;
	p->problem.sea.tide_height = 1;
	p->problem.sea.tide_period = 10000;
	for (int j = 0; j < p->scene.rows; j++)
		for (int i = 0; i < p->scene.cols; i++)
			scene_cell(p, j, i, 0.002 * (i + 0.5) * dx, p->scene.level, 1);
}

/* A hump in open water, whose waves run away. */
static void make_open(struct scene_problem *p)
{
	const double dx = BASIN / p->scene.cols, dy = BASIN / p->scene.rows;

	scene_cells(p, dx, dy);
	scene_sides(&p->problem.sea, "oooo");
	for (int j = 0; j < p->scene.rows; j++)
		for (int i = 0; i < p->scene.cols; i++)
			scene_cell(p, j, i, 0,
				   p->scene.level + hill((i + 0.5) * dx, (j + 0.5) * dy, 500, 500, 1, 80), 0);
}

struct scene_problem *scene_make(const struct scene *scene)
{
	static void (*const makers[])(struct scene_problem *) = {
		[SCENE_LAKE] = make_basin, [SCENE_BASIN] = make_basin,     [SCENE_EVEN] = make_basin,
		[SCENE_DAM] = make_dam,    [SCENE_ROUND] = make_round,     [SCENE_TIDE] = make_tide,
		[SCENE_OPEN] = make_open,  [SCENE_TERRAIN] = scene_terrain};
	struct scene_problem *const p = bench_new(sizeof *p);

	p->scene = *scene;
	if (scene->prefix)
		scene_may_write(p);
	makers[scene->kind](p);
	p->problem.name = scene->name;
	p->problem.with_roe = scene->with_roe;
	p->problem.steps = scene->steps;
	if (scene->frames)
		p->clock = bench_new(((size_t)scene->steps + 1) * sizeof *p->clock);
	return p;
}
