/* sizes.c - a chart for each benchmark: times over its classes, where all devices may share memory. */

#include <math.h>

#include "report/chart.h"

#define WIDTH 900
#define COLUMNS 3
#define ACROSS (WIDTH / COLUMNS) /* of a benchmark's chart */
#define DOWN 210
#define LEFT 44 /* of its axes, within it */
#define RIGHT 10
#define TOP 28
#define BOTTOM 30
#define ASIDE 9 /* versions beside each other at a class */
#define CLASSES_MOST 8

/* Where a chart is drawn, and what values it shows. */
struct panel {
	double x, y, low, high;
	int benchmark, classes;
	const struct cell *cell[CLASSES_MOST];
};

/* What is drawn of a cell: times over that of the version that copies, which is 1 and not drawn. */
enum { UNSENT_SERIES = COPYING, LOCAL_SERIES, SERIES };
static const struct series {
	const char *name;
	int colour;
} series_of[SERIES] = {{"hetero", 0}, {"shared", 1}, {"bytes unsent", 4}, {"without exchanges", 3}};

static const struct figure *figure_of(const struct cell *c, int series)
{
	return series == LOCAL_SERIES    ? &c->local
	       : series == UNSENT_SERIES ? &c->unsent
					 : &c->to_copying[series];
}

static void find_cells(struct panel *p, const struct results *r)
{
	p->classes = 0;
	for (int i = 0; i < r->cells && p->classes < CLASSES_MOST; i++) {
		const struct cell *const c = &r->cell[i];

		if (c->benchmark == p->benchmark && c->set == results_shared(r) && c->said)
			p->cell[p->classes++] = c;
	}
}

/* All charts have the same axis; intervals beyond it are cut. */
static void find_span(struct panel *p, const struct results *r)
{
	p->low = 0.9;
	p->high = 1.1;
	for (int i = 0; i < r->cells; i++)
		for (int s = 0; s < SERIES && r->cell[i].set == results_shared(r); s++) {
			const struct figure *const f = figure_of(&r->cell[i], s);

			if (!f->is_there)
				continue;
			p->low = fmax(0.4, fmin(p->low, f->median - 0.05));
			p->high = fmin(1.8, fmax(p->high, f->median + 0.05));
		}
}

static double height_at(const struct panel *p, double value)
{
	const double part = (fmin(fmax(value, p->low), p->high) - p->low) / (p->high - p->low);

	return p->y + DOWN - BOTTOM - part * (DOWN - BOTTOM - TOP);
}

static double place_of(const struct panel *p, int class_number, int series)
{
	const double room = (double)(ACROSS - LEFT - RIGHT) / p->classes;

	return p->x + LEFT + room * (class_number + 0.5) + ASIDE * (series - (SERIES - 1) / 2.0);
}

static void draw_axes(FILE *to, const struct panel *p)
{
	const double span = p->high - p->low, step = span < 0.45 ? 0.05 : span < 0.9 ? 0.1 : 0.2;

	for (double at = ceil(p->low / step - 1e-9) * step; at <= p->high + 1e-9; at += step) {
		const double y = height_at(p, at);

		fprintf(to, "<line class='%s' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>",
			fabs(at - 1) < 1e-9 ? "one" : "grid", p->x + LEFT, y, p->x + ACROSS - RIGHT, y);
		fprintf(to, "<text class='end' x='%.1f' y='%.1f'>%.2f</text>\n", p->x + LEFT - 6, y + 4, at);
	}
	for (int i = 0; i < p->classes; i++)
		fprintf(to, "<text class='mid' x='%.1f' y='%.1f'>%s</text>\n", place_of(p, i, 1),
			p->y + DOWN - BOTTOM + 18, p->cell[i]->class_name);
	fprintf(to, "<text class='mid' x='%.1f' y='%.1f'>%s</text>\n", p->x + (LEFT + ACROSS - RIGHT) / 2.0,
		p->y + TOP - 10, benchmark_names[p->benchmark]);
}

static void draw_point(FILE *to, const struct panel *p, int class_number, int series)
{
	const struct cell *const c = p->cell[class_number];
	const struct figure *const f = figure_of(c, series);
	const double x = place_of(p, class_number, series);
	const int colour = series_of[series].colour;

	fprintf(to, "<line class='s%d' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>", colour, x,
		height_at(p, f->low), x, height_at(p, f->high));
	fprintf(to,
		"<circle class='v%d' cx='%.1f' cy='%.1f' r='4'><title>%s %s, %s: %.3f [%.3f, %.3f]</title>"
		"</circle>\n",
		colour, x, height_at(p, f->median), benchmark_names[c->benchmark], c->class_name,
		series_of[series].name, f->median, f->low, f->high);
}

/* A version's points, each joined to the one before. */
static void draw_series(FILE *to, const struct panel *p, int series)
{
	int last = -1;

	for (int i = 0; i < p->classes; i++) {
		const struct figure *const f = figure_of(p->cell[i], series);

		if (!f->is_there)
			continue;
		if (last >= 0)
			fprintf(to, "<line class='s%d thin' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>",
				series_of[series].colour, place_of(p, last, series),
				height_at(p, figure_of(p->cell[last], series)->median), place_of(p, i, series),
				height_at(p, f->median));
		draw_point(to, p, i, series);
		last = i;
	}
}

/* One class alone shows nothing of size. */
static int is_drawn(const struct results *r, int benchmark)
{
	struct panel p = {.benchmark = benchmark};

	find_cells(&p, r);
	return p.classes > 1;
}

void chart_sizes(FILE *to, const struct results *r)
{
	struct panel p = {0};
	int count = 0, drawn = 0;

	for (int b = 0; b < BENCHMARKS_COUNT; b++)
		count += is_drawn(r, b);
	find_span(&p, r);
	fprintf(to, "<svg viewBox='0 0 %d %d' role='img' aria-label='times over classes'>\n", WIDTH,
		(count + COLUMNS - 1) / COLUMNS * DOWN);
	for (p.benchmark = 0; p.benchmark < BENCHMARKS_COUNT; p.benchmark++) {
		if (!is_drawn(r, p.benchmark))
			continue;
		find_cells(&p, r);
		p.x = drawn % COLUMNS * ACROSS;
		p.y = drawn / COLUMNS * DOWN;
		drawn++;
		draw_axes(to, &p);
		for (int s = 0; s < SERIES; s++)
			draw_series(to, &p, s);
	}
	fputs("</svg>\n", to);
}
