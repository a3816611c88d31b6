/* paint.c - costs and a path as a picture: shaded relief, lines of equal cost, the path from a point to the
 * target; and the costs as a grid. */

#include "path/scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/terrain.h"
#include "output.h"
#include "path/pixels.h"

#define LONG_SIDE 1500 /* pixels, about */
#define LINES_MOST 40  /* of equal cost */
#define HEAVY_EVERY 5  /* so many lines one is heavier */
#define STEEP 0.45     /* mean slope that is shown */

struct colour {
	double red, green, blue; /* 0 to 255 */
};

/* An image: so many metres to a pixel, with heights, costs, and how far the path is, in pixels. */
struct paint {
	const struct scene_problem *p;
	const double *cost_of; /* the result */
	unsigned char *passed; /* points of the path so far, by their places */
	int width, height;
	double metres;
	double *level, *cost, *away;
	double lowest, highest, times, interval;
};

/* ---- numbers of pixels ------------------------------------------------------------------------- */

static int clamped(int i, int count)
{
	return i < 0 ? 0 : i < count ? i : count - 1;
}

/* What a point has: its height or its cost; no number where it has none, or there is no point. */
static double value_of(const struct paint *w, int row, int col, int of_cost)
{
	const struct path_problem *const p = &w->p->problem;
	size_t place;

	if (row < 0 || row >= p->rows || col < 0 || col >= p->cols)
		return NAN;
	place = path_place(p, row, col);
	if (!of_cost)
		return (double)p->height[place];
	return isinf(w->cost_of[place]) ? NAN : w->cost_of[place];
}

/* Of four numbers in a line, those on this side of a hole are continued over the unknown ones: costs behind it
 * have nothing to do with them. */
static void go_on_unknown(double *v)
{
	if (isnan(v[1])) {
		v[1] = isnan(v[3]) ? v[2] : 2 * v[2] - v[3];
		v[0] = NAN;
	}
	if (isnan(v[2])) {
		v[2] = isnan(v[0]) ? v[1] : 2 * v[1] - v[0];
		v[3] = NAN;
	}
	if (isnan(v[0]))
		v[0] = 2 * v[1] - v[2];
	if (isnan(v[3]))
		v[3] = 2 * v[2] - v[1];
}

/* A smooth curve through four numbers, between the second and the third. */
static double curve(const double *v, double t)
{
	return v[1] +
	       0.5 * t *
		       (v[2] - v[0] +
			t * (2 * v[0] - 5 * v[1] + 4 * v[2] - v[3] + t * (3 * (v[1] - v[2]) + v[3] - v[0])));
}

/* The value between points; unknown where that of the nearest point is. */
static double between(const struct paint *w, double down, double right, int of_cost)
{
	const struct path_problem *const p = &w->p->problem;
	const int row = (int)floor(down), col = (int)floor(right);
	const int near_row = clamped((int)lrint(down), p->rows), near_col = clamped((int)lrint(right), p->cols);
	double line[4], v[4];

	if (isnan(value_of(w, near_row, near_col, of_cost)))
		return NAN;
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++)
			v[j] = value_of(w, row - 1 + i, col - 1 + j, of_cost);
		go_on_unknown(v);
		line[i] = curve(v, right - col);
	}
	go_on_unknown(line);
	return curve(line, down - row);
}

static double down_of(const struct paint *w, double y)
{
	return (y + 0.5) * w->metres / w->p->problem.dy - 0.5;
}

static double right_of(const struct paint *w, double x)
{
	return (x + 0.5) * w->metres / w->p->problem.dx - 0.5;
}

static size_t pixel(const struct paint *w, int x, int y)
{
	return (size_t)clamped(y, w->height) * (size_t)w->width + (size_t)clamped(x, w->width);
}

/* How much a number grows from a pixel to the next, to the east and to the south; 0 beside unknown ones. */
static void slope_at(const struct paint *w, const double *of, int x, int y, double *east, double *south)
{
	*east = (of[pixel(w, x + 1, y)] - of[pixel(w, x - 1, y)]) / 2;
	*south = (of[pixel(w, x, y + 1)] - of[pixel(w, x, y - 1)]) / 2;
	*east = isnan(*east) ? 0 : *east;
	*south = isnan(*south) ? 0 : *south;
}

/* 1, 2 or 5 times a power of ten. */
static double round_interval(double least)
{
	const double power = pow(10, floor(log10(least)));
	const double part = least / power;

	return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void look(struct paint *w)
{
	double slopes = 0, most = 0, count = 0;

	w->lowest = INFINITY;
	w->highest = -INFINITY;
	for (int y = 0; y < w->height; y++)
		for (int x = 0; x < w->width; x++) {
			const double level = w->level[pixel(w, x, y)];
			double east, south;

			if (isnan(level))
				continue;
			slope_at(w, w->level, x, y, &east, &south);
			slopes += hypot(east, south) / w->metres;
			count++;
			most = fmax(most, w->cost[pixel(w, x, y)]);
			w->lowest = fmin(w->lowest, level);
			w->highest = fmax(w->highest, level);
		}
	w->times = fmin(fmax(STEEP * count / fmax(slopes, 1e-9), 0.25), 20);
	w->interval = round_interval(fmax(most, 1e-9) / LINES_MOST);
}

/* ---- the path ---------------------------------------------------------------------------------- */

/* The dearest point that is reached. */
static void find_farthest(const struct paint *w, int *row, int *col)
{
	const struct path_problem *const p = &w->p->problem;
	double most = -1;

	for (int y = 0; y < p->rows; y++)
		for (int x = 0; x < p->cols; x++)
			if (value_of(w, y, x, 1) > most) {
				most = value_of(w, y, x, 1);
				*row = y;
				*col = x;
			}
}

/* One point on, to where the cost and the way there are least: not to more cost, and not to a point passed, for
 * neighbours cost the same where an edge is too short for the costs' precision. 0: there is none. */
static int go_on(const struct paint *w, int *row, int *col)
{
	const struct path_problem *const p = &w->p->problem;
	const int at_row = *row, at_col = *col;
	const size_t from = path_place(p, at_row, at_col);
	double least = INFINITY;

	w->passed[from] = 1;
	for (int i = -1; i <= 1; i++)
		for (int j = -1; j <= 1; j++) {
			const size_t to = path_place(p, at_row + i, at_col + j);
			const double climb = (double)p->height[from] - (double)p->height[to];
			const double sum = w->cost_of[to] + sqrt(path_flat(p, i, j) + climb * climb);

			if ((i || j) && !w->passed[to] && w->cost_of[to] <= w->cost_of[from] && sum < least) {
				least = sum;
				*row = at_row + i;
				*col = at_col + j;
			}
		}
	return isfinite(least);
}

static double x_of(const struct paint *w, double col)
{
	return (col + 0.5) * w->p->problem.dx / w->metres - 0.5;
}

static double y_of(const struct paint *w, double row)
{
	return (row + 0.5) * w->p->problem.dy / w->metres - 0.5;
}

/* Pixels around a stretch of the path learn how far it is. */
static void draw_stretch(struct paint *w, double ax, double ay, double bx, double by)
{
	const int near = 6;
	const double dx = bx - ax, dy = by - ay, square = fmax(dx * dx + dy * dy, 1e-12);

	for (int y = (int)fmin(ay, by) - near; y <= (int)fmax(ay, by) + near; y++)
		for (int x = (int)fmin(ax, bx) - near; x <= (int)fmax(ax, bx) + near; x++) {
			const double t = fmin(fmax(((x - ax) * dx + (y - ay) * dy) / square, 0), 1);
			const double away = hypot(x - ax - t * dx, y - ay - t * dy);

			if (x >= 0 && x < w->width && y >= 0 && y < w->height)
				w->away[pixel(w, x, y)] = fmin(w->away[pixel(w, x, y)], away);
		}
}

/* Corners are cut: from the middle of one step to that of the next. */
static void draw_path(struct paint *w, int row, int col)
{
	const struct path_problem *const p = &w->p->problem;
	double x = x_of(w, col), y = y_of(w, row);

	while (row != p->target_row || col != p->target_col) {
		const int last_row = row, last_col = col;
		double mid_x, mid_y;

		if (!go_on(w, &row, &col)) {
			fprintf(stderr, "path: --write: from %d,%d no way to the target is seen\n", row, col);
			return;
		}
		mid_x = x_of(w, (last_col + col) / 2.0);
		mid_y = y_of(w, (last_row + row) / 2.0);
		draw_stretch(w, x, y, mid_x, mid_y);
		x = mid_x;
		y = mid_y;
	}
	draw_stretch(w, x, y, x_of(w, col), y_of(w, row));
}

/* ---- colours ----------------------------------------------------------------------------------- */

static struct colour mix(struct colour a, struct colour b, double part)
{
	part = fmin(fmax(part, 0), 1);
	return (struct colour){a.red + (b.red - a.red) * part, a.green + (b.green - a.green) * part,
			       a.blue + (b.blue - a.blue) * part};
}

/* From the valleys up, pale, so that lines are seen on it. */
static struct colour tint(double part)
{
	static const struct colour stop[] = {{170, 196, 166}, {206, 215, 178}, {236, 226, 188}, {226, 200, 162},
					     {200, 172, 148}, {206, 196, 190}, {248, 246, 244}};
	const int last = (int)(sizeof stop / sizeof *stop) - 1;
	const double at = fmin(fmax(part, 0), 1) * last;
	const int i = clamped((int)at, last);

	return mix(stop[i], stop[i + 1], at - i);
}

/* Light from the northwest: level ground keeps its tint. */
static struct colour lit(const struct paint *w, int x, int y, struct colour ground)
{
	static const struct colour dark = {44, 48, 78}, bright = {255, 251, 232};
	const double times = w->times / w->metres;
	double east, south, light;

	slope_at(w, w->level, x, y, &east, &south);
	east *= times;
	south *= times;
	light = (0.5 * east + 0.5 * south + sqrt(0.5)) / sqrt(1 + east * east + south * south) / sqrt(0.5);
	if (light < 1)
		return mix(ground, dark, 0.72 * (1 - fmax(light, 0)));
	return mix(ground, bright, 1.3 * (light - 1));
}

/* Where the cost is a multiple of the interval. */
static struct colour lined(const struct paint *w, int x, int y, struct colour c)
{
	static const struct colour ink = {26, 54, 112};
	const double at = w->cost[pixel(w, x, y)] / w->interval, line = round(at);
	const int is_heavy = fmod(line, HEAVY_EVERY) < 0.5;
	double east, south, away;

	if (isnan(at) || line < 0.5)
		return c;
	slope_at(w, w->cost, x, y, &east, &south);
	away = fabs(at - line) / fmax(hypot(east, south) / w->interval, 1e-9);
	return mix(c, ink, (is_heavy ? 0.85 : 0.55) * fmin(fmax((is_heavy ? 1.6 : 1.1) - away, 0), 1));
}

/* A disc within a ring. */
static struct colour marked(struct colour c, struct colour inner, double away, double radius)
{
	static const struct colour white = {255, 255, 255}, black = {30, 24, 28};

	c = mix(c, black, radius + 1.5 - away);
	c = mix(c, white, radius - away);
	return mix(c, inner, radius - 3 - away);
}

static struct colour colour_of(const struct paint *w, int x, int y, int from_row, int from_col)
{
	static const struct colour red = {196, 22, 48}, white = {255, 255, 255}, blue = {20, 66, 150};
	const struct path_problem *const p = &w->p->problem;
	const double level = w->level[pixel(w, x, y)], away = w->away[pixel(w, x, y)];
	struct colour c = tint((level - w->lowest) / fmax(w->highest - w->lowest, 1e-9));

	c = lined(w, x, y, lit(w, x, y, c));
	c = mix(mix(c, white, 0.9 * fmin(fmax(4.0 - away, 0), 1)), red, fmin(fmax(2.6 - away, 0), 1));
	c = marked(c, blue, hypot(x - x_of(w, from_col), y - y_of(w, from_row)), 8);
	return marked(c, red, hypot(x - x_of(w, p->target_col), y - y_of(w, p->target_row)), 10);
}

/* ---- files ------------------------------------------------------------------------------------- */

static void complain(const char *path, const char *why)
{
	if (!why)
		return;
	fprintf(stderr, "path: --write: %s: %s\n", path, why);
	exit(EXIT_FAILURE);
}

static void open_paint(struct paint *w, const struct scene_problem *p, const double *cost)
{
	const double across = p->problem.cols * p->problem.dx, down = p->problem.rows * p->problem.dy;
	size_t pixels;

	w->p = p;
	w->cost_of = cost;
	w->metres = fmax(across, down) / LONG_SIDE;
	w->width = (int)fmax(1, rint(across / w->metres));
	w->height = (int)fmax(1, rint(down / w->metres));
	pixels = (size_t)w->width * (size_t)w->height;
	w->level = bench_new(pixels * sizeof *w->level);
	w->cost = bench_new(pixels * sizeof *w->cost);
	w->away = bench_new(pixels * sizeof *w->away);
	w->passed = bench_new(path_places(&p->problem));
	for (int y = 0; y < w->height; y++)
		for (int x = 0; x < w->width; x++) {
			w->level[pixel(w, x, y)] = between(w, down_of(w, y), right_of(w, x), 0);
			w->cost[pixel(w, x, y)] = between(w, down_of(w, y), right_of(w, x), 1);
			w->away[pixel(w, x, y)] = INFINITY;
		}
	look(w);
}

static void paint(struct paint *w, int from_row, int from_col, unsigned char *rgba)
{
	for (int y = 0; y < w->height; y++)
		for (int x = 0; x < w->width; x++, rgba += 4) {
			const struct colour c = colour_of(w, x, y, from_row, from_col);

			if (isnan(w->level[pixel(w, x, y)]))
				continue; /* nothing is known there: transparent */
			rgba[0] = (unsigned char)lrint(c.red);
			rgba[1] = (unsigned char)lrint(c.green);
			rgba[2] = (unsigned char)lrint(c.blue);
			rgba[3] = 255;
		}
}

static void write_picture(const struct scene_problem *p, const double *cost, const char *path)
{
	int row = p->from_row, col = p->from_col;
	struct paint w;
	unsigned char *rgba;

	open_paint(&w, p, cost);
	if (row < 0)
		find_farthest(&w, &row, &col);
	draw_path(&w, row, col);
	rgba = bench_new(4 * (size_t)w.width * (size_t)w.height);
	paint(&w, row, col, rgba);
	complain(path, pixels_save(path, w.width, w.height, rgba));
	free(rgba);
	free(w.level);
	free(w.cost);
	free(w.away);
	free(w.passed);
}

static void write_grid(const struct scene_problem *scene, const double *cost, const char *path)
{
	const struct path_problem *const p = &scene->problem;
	struct grid grid = {.rows = p->rows, .cols = p->cols, .dx = p->dx, .dy = p->dy, .west = scene->west,
			    .south = scene->south};

	grid.height = bench_new((size_t)p->rows * (size_t)p->cols * sizeof *grid.height);
	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++) {
			const double c = cost[path_place(p, row, col)];

			grid.height[(size_t)row * (size_t)p->cols + (size_t)col] = isinf(c) ? NAN : (float)c;
		}
	complain(path, grid_write(&grid, path));
	grid_free(&grid);
}

static void spare_terrain(const struct scene_problem *p, const char *path)
{
	if (p->scene.terrain && output_is(path, p->scene.terrain))
		bench_refuse("path", "--write", path, "the terrain would be written over");
}

void scene_may_write(const struct scene_problem *p)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s-cost.asc", p->scene.prefix);
	spare_terrain(p, path);
	complain(path, output_refusal(path));
	if (!pixels_can_save()) {
		fputs("path: built without libpng: no picture\n", stderr);
		return;
	}
	snprintf(path, sizeof path, "%s.png", p->scene.prefix);
	spare_terrain(p, path);
	complain(path, pixels_refusal(path));
}

void scene_write(const struct scene_problem *p, const double *cost)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s-cost.asc", p->scene.prefix);
	write_grid(p, cost, path);
	snprintf(path, sizeof path, "%s.png", p->scene.prefix);
	if (pixels_can_save())
		write_picture(p, cost, path);
}
