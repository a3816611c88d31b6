/* chart.c - charts as SVG inside a page. */

#include "report/chart.h"

#include <math.h>

#define WIDTH 900
#define LEFT 290 /* where names end and values begin */
#define RIGHT (WIDTH - 70)
#define LINE 22
#define TOP 14
#define BARS_HEIGHT 240
#define BARS_LEFT 46
#define NOTE 11 /* height of a line of words below bars, which are wider than a bar */

static void begin(FILE *to, int height, const char *label)
{
	fprintf(to, "<svg viewBox='0 0 %d %d' role='img' aria-label='%s'>\n", WIDTH, height, label);
}

static void end(FILE *to)
{
	fputs("</svg>\n", to);
}

/* ---- ratios ------------------------------------------------------------------------------------ */

/* An axis of ratios, both sides of 1. */
struct axis {
	double low, high;
};

static struct axis axis_for(const struct results *r, enum version v)
{
	struct axis a = {0.85, 1.15};

	for (int i = 0; i < r->cells; i++) {
		const struct figure *const f = &r->cell[i].ratio[v];

		if (!f->is_there)
			continue;
		a.low = fmax(0.3, fmin(a.low, f->low - 0.02));
		a.high = fmin(2.5, fmax(a.high, f->high + 0.02));
	}
	return a;
}

static double place(struct axis a, double value)
{
	return LEFT + (fmin(fmax(value, a.low), a.high) - a.low) / (a.high - a.low) * (RIGHT - LEFT);
}

static double step_of(struct axis a)
{
	const double span = a.high - a.low;

	return span < 0.5 ? 0.05 : span < 1.2 ? 0.1 : 0.25;
}

static void draw_axis(FILE *to, struct axis a, int bottom)
{
	const double step = step_of(a);

	for (double at = ceil(a.low / step) * step; at <= a.high + 1e-9; at += step) {
		const double x = place(a, at);
		const int is_one = fabs(at - 1) < 1e-9;

		fprintf(to, "<line class='%s' x1='%.1f' y1='%d' x2='%.1f' y2='%d'/>", is_one ? "one" : "grid",
			x, TOP, x, bottom);
		fprintf(to, "<text class='mid' x='%.1f' y='%d'>%.2f</text>\n", x, bottom + 16, at);
	}
}

static void draw_ratio(FILE *to, const struct cell *c, enum version v, struct axis a, int y)
{
	const struct figure *const f = &c->ratio[v];
	const double middle = place(a, f->median);

	fprintf(to, "<text class='end' x='%d' y='%d'>%s %s, %s</text>", LEFT - 12, y + 4,
		benchmark_names[c->benchmark], c->class_name, c->set->name);
	fprintf(to, "<line class='s%d' x1='%.1f' y1='%d' x2='%.1f' y2='%d'/>", v, place(a, f->low), y,
		place(a, f->high), y);
	fprintf(to, "<circle class='v%d' cx='%.1f' cy='%d' r='5'><title>%.3f [%.3f, %.3f]</title></circle>", v,
		middle, y, f->median, f->low, f->high);
	fprintf(to, "<text x='%d' y='%d'>%.3f</text>\n", RIGHT + 14, y + 4, f->median);
}

void chart_ratios(FILE *to, const struct results *r, enum version v)
{
	const struct axis a = axis_for(r, v);
	int rows = 0, y = TOP + LINE / 2;

	for (int i = 0; i < r->cells; i++)
		rows += r->cell[i].ratio[v].is_there;
	begin(to, TOP + rows * LINE + 26, "time of Hetero against by hand");
	draw_axis(to, a, TOP + rows * LINE);
	for (int i = 0; i < r->cells; i++)
		if (r->cell[i].ratio[v].is_there) {
			draw_ratio(to, &r->cell[i], v, a, y);
			y += LINE;
		}
	end(to);
}

/* ---- bars -------------------------------------------------------------------------------------- */

static double height_of(double value, double most)
{
	return fmin(fmax(value, 0), most) / most * BARS_HEIGHT;
}

static void draw_scale(FILE *to, double most, double step, const char *unit)
{
	for (double at = 0; at <= most + 1e-9; at += step) {
		const double y = TOP + BARS_HEIGHT - height_of(at, most);

		fprintf(to, "<line class='grid' x1='%d' y1='%.1f' x2='%d' y2='%.1f'/>", BARS_LEFT, y, WIDTH, y);
		fprintf(to, "<text class='end' x='%d' y='%.1f'>%g%s</text>\n", BARS_LEFT - 6, y + 4, at, unit);
	}
}

static void draw_bar(FILE *to, int color, double x, double width, double value, double most, const char *said)
{
	const double height = height_of(value, most), y = TOP + BARS_HEIGHT - height;

	fprintf(to, "<rect class='v%d' x='%.1f' y='%.1f' width='%.1f' height='%.1f'><title>%s</title></rect>\n",
		color, x, y, width, height, said);
}

/* Seconds of copying on one device, the measure of a benchmark's rates; 0: there are none. */
static double measure_of(const struct results *r, int benchmark)
{
	const struct cell *const c = results_cell(r, benchmark, &r->set[0]);

	return c && c->seconds[COPYING].is_there ? c->seconds[COPYING].median : 0;
}

static int usual_cells(const struct results *r)
{
	int count = 0;

	for (int i = 0; i < r->cells; i++)
		count += !r->cell[i].is_further;
	return count;
}

static double rate_of(const struct results *r, const struct cell *c, int v)
{
	const double measure = measure_of(r, c->benchmark);

	return c->seconds[v].is_there && measure > 0 ? measure / c->seconds[v].median : 0;
}

static double most_rate(const struct results *r)
{
	double most = 2;

	for (int i = 0; i < r->cells; i++)
		for (int v = 0; v < VERSIONS && !r->cell[i].is_further; v++)
			most = fmax(most, ceil(rate_of(r, &r->cell[i], v)));
	return most;
}

static void draw_rates(FILE *to, const struct results *r, const struct cell *c, double x, double width,
		       double most)
{
	char said[160];

	for (int v = 0; v < VERSIONS; v++) {
		const double rate = rate_of(r, c, v);

		if (!(rate > 0))
			continue;
		snprintf(said, sizeof said, "%s, %s, %s: %.2f", benchmark_names[c->benchmark], c->set->name,
			 version_names[v], rate);
		draw_bar(to, v, x + v * width, width - 1, rate, most, said);
	}
}

void chart_rates(FILE *to, const struct results *r)
{
	const int cells = usual_cells(r);
	const double most = most_rate(r), room = (double)(WIDTH - BARS_LEFT) / (cells ? cells : 1);
	int place = 0;

	begin(to, TOP + BARS_HEIGHT + 40, "rates of all versions");
	draw_scale(to, most, most > 8 ? 2 : most > 3 ? 1 : 0.5, "");
	for (int i = 0; i < r->cells; i++) {
		const struct cell *const c = &r->cell[i];
		const double x = BARS_LEFT + place * room;

		if (c->is_further)
			continue;
		place++;
		draw_rates(to, r, c, x + room * 0.12, room * 0.76 / VERSIONS, most);
		fprintf(to, "<text class='mid' x='%.1f' y='%d'>%c</text>\n", x + room / 2,
			TOP + BARS_HEIGHT + 16, (char)('a' + (c->set - r->set)));
		if (c->set == &r->set[0])
			fprintf(to, "<text class='mid' x='%.1f' y='%d'>%s %s</text>\n", x + room * r->sets / 2,
				TOP + BARS_HEIGHT + 34, benchmark_names[c->benchmark], c->class_name);
	}
	end(to);
}

/* The two figures of a benchmark against one version: lines and effort. */
static void draw_saved(FILE *to, const struct results *r, int b, int v, double x, double width)
{
	const struct cost *const ours = &r->cost[b][HETERO], *const theirs = &r->cost[b][v];
	const double saved[2] = {results_saved(ours->lines, theirs->lines),
				 results_saved(ours->effort, theirs->effort)};
	char said[160];

	for (int i = 0; i < 2 && theirs->effort > 0; i++) {
		snprintf(said, sizeof said, "%s, %s below %s: %.0f %%", benchmark_names[b],
			 i ? "effort" : "lines", version_names[v], saved[i]);
		draw_bar(to, v, x + i * width, width - 2, saved[i], 100, said);
		fprintf(to, "<text class='mid' x='%.1f' y='%.1f'>%.0f</text>\n", x + i * width + width / 2,
			TOP + BARS_HEIGHT - height_of(saved[i], 100) - 4, saved[i]);
		fprintf(to, "<text class='mid note' x='%.1f' y='%d'>%s</text>\n", x + i * width + width / 2,
			TOP + BARS_HEIGHT + 16 + i * NOTE, i ? "effort" : "lines");
	}
}

void chart_saved(FILE *to, const struct results *r)
{
	const double room = (double)(WIDTH - BARS_LEFT) / BENCHMARKS_COUNT, width = room * 0.22;
	double left = BARS_LEFT;

	begin(to, TOP + BARS_HEIGHT + 40 + NOTE, "lines and effort below by hand");
	draw_scale(to, 100, 20, " %");
	for (int b = 0; b < BENCHMARKS_COUNT; b++) {
		if (!(r->cost[b][HETERO].effort > 0))
			continue;
		draw_saved(to, r, b, SHARED, left + room * 0.04, width);
		draw_saved(to, r, b, COPYING, left + room * 0.04 + 2.1 * width, width);
		fprintf(to, "<text class='mid' x='%.1f' y='%d'>%s</text>\n", left + room / 2,
			TOP + BARS_HEIGHT + 34 + NOTE, benchmark_names[b]);
		left += room;
	}
	end(to);
}
