/* plot.c - see plot.h.
 *
 * A panel is two plots with the same axes, side by side. Above each plot a band shows by its colour which route
 * is taken; where that changes a line goes down through the plot. The measured points are small marks.
 */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "svg.h"
#include "words.h"

#define MARGIN 30.0
#define TOP 96.0  /* title and legend */
#define AXIS 44.0 /* numbers left of a plot */
#define PLOT_WIDTH 300.0
#define PLOT_HEIGHT 190.0
#define GAP 52.0 /* between the plots of a panel */
#define PANEL_WIDTH (AXIS + 2 * PLOT_WIDTH + GAP)
#define BETWEEN 36.0 /* panels */
#define ABOVE 72.0   /* a plot: names, sizes, band */
#define BELOW 40.0   /* numbers of sizes, space */
#define BAND 12.0
#define LINE 15.0 /* of small text */

static const char style[] =
	".frame { fill: #ffffff; stroke: #999; }\n"
	".grid { stroke: #e4e4e0; }\n"
	".break { stroke: #444; stroke-dasharray: 4 3; }\n"
	".curve { fill: none; stroke-width: 1.6; }\n"
	".chosen { fill: none; stroke-width: 8; stroke-opacity: 0.28; stroke-linejoin: round; }\n"
	".band { font-size: 10px; fill: #fff; text-anchor: middle; }\n";

struct axes {
	double least_bytes, most_bytes; /* powers of two */
	double least_rate, most_rate;   /* GB/s: 1, 2 or 5 times powers of ten */
};

/* Where a plot is. */
struct frame {
	const struct axes *axes;
	double x, y;
};

static double at_bytes(const struct frame *frame, double bytes)
{
	const struct axes *const a = frame->axes;
	const double part = log(bytes / a->least_bytes) / log(a->most_bytes / a->least_bytes);

	return frame->x + PLOT_WIDTH * fmin(1, fmax(0, part));
}

static double at_rate(const struct frame *frame, double rate)
{
	const struct axes *const a = frame->axes;

	return frame->y + PLOT_HEIGHT * (1 - log(rate / a->least_rate) / log(a->most_rate / a->least_rate));
}

static double rate_of(const struct het__cal_point *point)
{
	return (double)point->bytes / (double)point->ns;
}

/* ---- axes -------------------------------------------------------------------------------------- */

/* The next of ..., 0.1, 0.2, 0.5, 1, 2, 5, 10... that is not above. */
static double round_rate(double rate)
{
	const double ten = pow(10, floor(log10(rate)));

	return rate >= 5 * ten ? 5 * ten : rate >= 2 * ten ? 2 * ten : ten;
}

static double next_rate(double rate)
{
	return round_rate(2.6 * rate);
}

static void widen(struct axes *axes, const struct het__cal_curve *curve)
{
	for (int i = 0; i < curve->count; i++) {
		axes->least_bytes = fmin(axes->least_bytes, (double)curve->at[i].bytes);
		axes->most_bytes = fmax(axes->most_bytes, (double)curve->at[i].bytes);
		axes->least_rate = fmin(axes->least_rate, rate_of(&curve->at[i]));
		axes->most_rate = fmax(axes->most_rate, rate_of(&curve->at[i]));
	}
}

/* The same for all panels, so that these can be compared. */
static struct axes axes_of(const struct het__calibration *calibration)
{
	struct axes axes = {.least_bytes = 1e30, .least_rate = 1e30};

	for (int p = 0; p < calibration->pair_count; p++)
		for (int c = 0; c < calibration->pair[p].curve_count; c++)
			widen(&axes, &calibration->pair[p].curve[c]);
	if (axes.most_bytes <= 0)
		axes = (struct axes){4096, 4096, 1, 1};
	axes.least_bytes = exp2(floor(log2(fmax(1, axes.least_bytes))));
	axes.most_bytes = fmax(exp2(ceil(log2(axes.most_bytes))), 4 * axes.least_bytes);
	axes.least_rate = round_rate(axes.least_rate);
	axes.most_rate = fmax(next_rate(axes.most_rate), next_rate(axes.least_rate));
	return axes;
}

static void draw_sizes(struct svg *svg, const struct frame *frame)
{
	const struct axes *const a = frame->axes;
	char text[WORDS_BYTES];
	double labelled = -1e9;

	for (double bytes = a->least_bytes; bytes <= a->most_bytes; bytes *= 4) {
		const double x = at_bytes(frame, bytes);

		svg_line(svg, "grid", x, frame->y, x, frame->y + PLOT_HEIGHT);
		if (x - labelled < 62)
			continue;
		labelled = x;
		size_words(text, (uint64_t)bytes);
		svg_text(svg, "small pale middle", x, frame->y + PLOT_HEIGHT + LINE, text);
	}
}

static void draw_rates(struct svg *svg, const struct frame *frame, bool numbers)
{
	const struct axes *const a = frame->axes;
	char text[WORDS_BYTES];
	double labelled = 1e9;

	for (double rate = a->least_rate; rate <= a->most_rate * 1.001; rate = next_rate(rate)) {
		const double y = at_rate(frame, rate);

		svg_line(svg, "grid", frame->x, y, frame->x + PLOT_WIDTH, y);
		if (!numbers || labelled - y < LINE)
			continue;
		labelled = y;
		snprintf(text, sizeof text, "%g", rate);
		svg_text(svg, "small pale end", frame->x - 6, y + 4, text);
	}
	if (numbers)
		svg_text(svg, "small pale end", frame->x - 6, frame->y - 8, "GB/s");
}

/* ---- routes ------------------------------------------------------------------------------------ */

/* Every route has a mark of its own, for eyes that see no colours. */
static void draw_mark(struct svg *svg, int route, double x, double y)
{
	static const char *const marks[HET__CAL_ROUTES] = {
		"M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z",
		"M-2.6 -2.6h5.2v5.2h-5.2z",
		"M0 -3.6l3.6 3.6l-3.6 3.6l-3.6 -3.6z",
		"M0 -3.6l3.4 6h-6.8z",
		"M0 3.6l3.4 -6h-6.8z",
		"M-3 -1h6v2h-6z",
	};

	svg_put(svg, "<path d=\"%s\" transform=\"translate(%.1f %.1f)\" fill=\"%s\"/>\n", marks[route], x, y,
		svg_route_colour(het__cal_route_name(route)));
}

static void draw_point(struct svg *svg, const struct frame *frame, int route,
		       const struct het__cal_point *point)
{
	char text[200], size[WORDS_BYTES], took[WORDS_BYTES], spread[WORDS_BYTES], rate[WORDS_BYTES];

	snprintf(text, sizeof text, "%s: %s in %s (spread %s), %s", het__cal_route_name(route),
		 size_words(size, point->bytes), het__time_words(took, (double)point->ns),
		 het__time_words(spread, (double)point->spread_ns),
		 rate_words(rate, (double)point->bytes, (double)point->ns));
	svg_group(svg, text);
	draw_mark(svg, route, at_bytes(frame, (double)point->bytes), at_rate(frame, rate_of(point)));
	svg_group_end(svg);
}

static void draw_curve(struct svg *svg, const struct frame *frame, const struct het__cal_curve *curve)
{
	svg_put(svg, "<polyline class=\"curve\" stroke=\"%s\" points=\"",
		svg_route_colour(het__cal_route_name(curve->route)));
	for (int i = 0; i < curve->count; i++)
		svg_put(svg, "%s%.1f,%.1f", i ? " " : "", at_bytes(frame, (double)curve->at[i].bytes),
			at_rate(frame, rate_of(&curve->at[i])));
	svg_put(svg, "\"/>\n");
	for (int i = 0; i < curve->count; i++)
		draw_point(svg, frame, curve->route, &curve->at[i]);
}

/* ---- what is chosen ---------------------------------------------------------------------------- */

static void put_chosen_point(struct svg *svg, const struct frame *frame, double bytes, double ns)
{
	const double rate = fmin(frame->axes->most_rate, fmax(frame->axes->least_rate, bytes / ns));

	svg_put(svg, "%.1f,%.1f ", at_bytes(frame, bytes), at_rate(frame, rate));
}

/* Along the curve of the route that is taken from `from` to `to` bytes, within what is shown. */
static void draw_chosen(struct svg *svg, const struct frame *frame, const struct het__cal_pair *pair, int route,
			double from, double to)
{
	const struct het__cal_curve *const curve = het__cal_curve(pair, route);
	double ns;

	if (!curve)
		return;
	from = fmax(from, (double)curve->at[0].bytes);
	to = fmin(to, (double)curve->at[curve->count - 1].bytes);
	svg_put(svg, "<polyline class=\"chosen\" stroke=\"%s\" points=\"",
		svg_route_colour(het__cal_route_name(route)));
	if (from <= to && het__cal_predict(pair, route, (uint64_t)from, &ns))
		put_chosen_point(svg, frame, from, ns);
	for (int i = 0; i < curve->count; i++)
		if ((double)curve->at[i].bytes > from && (double)curve->at[i].bytes < to)
			put_chosen_point(svg, frame, (double)curve->at[i].bytes, (double)curve->at[i].ns);
	if (from < to && het__cal_predict(pair, route, (uint64_t)to, &ns))
		put_chosen_point(svg, frame, to, ns);
	svg_put(svg, "\"/>\n");
}

/* Part of the band above the plot, with the route's name where it fits. A barred route is not taken, even if a
 * user chose it. */
static void draw_band(struct svg *svg, const struct frame *frame, const struct het__cal_pair *pair,
		      const struct het__cal_choice *choice, double left, double right)
{
	const bool barred = het__cal_bar(pair, choice->route) != NULL;
	const char *const name = barred ? "barred" : het__cal_route_name(choice->route);
	const double y = frame->y - BAND - 3;
	char text[120], size[WORDS_BYTES];

	snprintf(text, sizeof text, "from %s on: %s (%s)", size_words(size, choice->from_bytes), name,
		 het__cal_origin_name(choice->origin));
	svg_group(svg, text);
	svg_put(svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", left, y,
		right - left, BAND, svg_route_colour(name));
	if (svg_text_width(name, 10) + 4 < right - left)
		svg_text(svg, "band", (left + right) / 2, y + BAND - 2.5, name);
	svg_group_end(svg);
}

/* Of two sizes too near each other the second stands higher; a third one has its line only. */
static void draw_break(struct svg *svg, const struct frame *frame, double x, uint64_t bytes, double end[2])
{
	char text[WORDS_BYTES];
	double half;

	svg_line(svg, "break", x, frame->y - 3, x, frame->y + PLOT_HEIGHT);
	half = svg_text_width(size_words(text, bytes), SVG_SMALL_PX) / 2;
	for (int row = 0; row < 2; row++)
		if (x - half > end[row]) {
			svg_text(svg, "small middle", x, frame->y - BAND - 7 - row * (LINE - 3), text);
			end[row] = x + half;
			return;
		}
}

static void draw_choices(struct svg *svg, const struct frame *frame, const struct het__cal_pair *pair)
{
	const struct axes *const a = frame->axes;
	double end[2] = {frame->x, frame->x};

	for (int i = 0; i < pair->choice_count; i++) {
		const struct het__cal_choice *const choice = &pair->choice[i];
		const double from = fmax(a->least_bytes, (double)choice->from_bytes);
		const double to = i + 1 < pair->choice_count ? (double)choice[1].from_bytes : a->most_bytes;
		const double left = at_bytes(frame, from), right = at_bytes(frame, fmax(from, to));

		if (!het__cal_bar(pair, choice->route))
			draw_chosen(svg, frame, pair, choice->route, from, to);
		draw_band(svg, frame, pair, choice, left, right);
		if (i > 0)
			draw_break(svg, frame, left, choice->from_bytes, end);
	}
}

/* ---- panels ------------------------------------------------------------------------------------ */

static void draw_bars(struct svg *svg, const struct frame *frame, const struct het__cal_pair *pair)
{
	for (int i = 0; i < pair->bar_count; i++) {
		char text[HET__CAL_TEXT_BYTES + 40];

		snprintf(text, sizeof text, "barred: %s, %s", het__cal_route_name(pair->bar[i].route),
			 pair->bar[i].why);
		svg_text_within(svg, "small", frame->x, frame->y + PLOT_HEIGHT + (i + 2) * LINE, SVG_SMALL_PX,
				PLOT_WIDTH, text);
	}
}

static void draw_plot(struct svg *svg, const struct frame *frame, const struct het__cal_pair *pair,
		      enum het__cal_shape shape)
{
	svg_text(svg, "small pale", frame->x, frame->y - BAND - 31, het__cal_shape_name(shape));
	svg_box(svg, "frame", frame->x, frame->y, PLOT_WIDTH, PLOT_HEIGHT);
	draw_sizes(svg, frame);
	draw_rates(svg, frame, shape == HET__CAL_CONTIGUOUS);
	if (pair) {
		draw_choices(svg, frame, pair);
		for (int c = 0; c < pair->curve_count; c++)
			draw_curve(svg, frame, &pair->curve[c]);
		draw_bars(svg, frame, pair);
	}
	if (!pair || pair->curve_count == 0)
		svg_text(svg, "small pale middle", frame->x + PLOT_WIDTH / 2, frame->y + PLOT_HEIGHT / 2,
			 "nothing was measured");
}

/* What is known of an ordered pair of memories, by shape; NULL: nothing. */
struct panel {
	const struct het__cal_pair *of[HET__CAL_SHAPES];
};

static void draw_panel(struct svg *svg, const struct axes *axes, const struct panel *panel, double x, double y)
{
	const struct het__cal_pair *const any = panel->of[0] ? panel->of[0] : panel->of[1];
	char name[2 * HET__CAL_NAME_BYTES + 8];

	snprintf(name, sizeof name, "%s \u2192 %s", any->from, any->to);
	svg_text_within(svg, "name", x + AXIS, y + 12, SVG_NAME_PX * 1.1, PANEL_WIDTH - AXIS, name);
	for (int shape = 0; shape < HET__CAL_SHAPES; shape++) {
		const struct frame frame = {axes, x + AXIS + shape * (PLOT_WIDTH + GAP), y + ABOVE};

		draw_plot(svg, &frame, panel->of[shape], (enum het__cal_shape)shape);
	}
}

/* The next panel's place among the pairs, from `at` on; -1: there is none. A panel stands where the first of
 * its shapes does. */
static int next_panel(const struct het__calibration *calibration, int at, struct panel *panel)
{
	for (; at < calibration->pair_count; at++) {
		const struct het__cal_pair *const pair = &calibration->pair[at];
		bool first = true;

		for (int shape = 0; shape < HET__CAL_SHAPES; shape++) {
			panel->of[shape] = het__calibration_pair(calibration, pair->from, pair->to,
								 (enum het__cal_shape)shape);
			first &= !panel->of[shape] || panel->of[shape] >= pair;
		}
		if (first)
			return at;
	}
	return -1;
}

/* ---- the page ---------------------------------------------------------------------------------- */

static bool has_route(const struct het__calibration *calibration, int route)
{
	for (int p = 0; p < calibration->pair_count; p++) {
		const struct het__cal_pair *const pair = &calibration->pair[p];

		if (het__cal_curve(pair, route))
			return true;
		for (int i = 0; i < pair->choice_count; i++)
			if (pair->choice[i].route == route)
				return true;
	}
	return false;
}

static void draw_legend(struct svg *svg, const struct het__calibration *calibration)
{
	const double y = TOP - 30;
	double x = MARGIN + AXIS;

	for (int route = 0; route < HET__CAL_ROUTES; route++) {
		const char *const name = het__cal_route_name(route);

		if (!has_route(calibration, route))
			continue;
		svg_put(svg,
			"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
			"stroke-width=\"1.6\"/>\n",
			x, y, x + 28, y, svg_route_colour(name));
		draw_mark(svg, route, x + 14, y);
		svg_text(svg, "small", x + 34, y + 4, name);
		x += 34 + svg_text_width(name, SVG_SMALL_PX) + 18;
	}
	svg_put(svg,
		"<line class=\"chosen\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#444\"/>\n", x,
		y, x + 28, y);
	svg_text(svg, "small", x + 34, y + 4, "taken; the band above names it, a dashed line where it changes");
}

static void draw_page(struct svg *svg, const struct het__calibration *calibration, int columns, double height)
{
	const struct axes axes = axes_of(calibration);
	struct panel panel;
	char text[2 * HET__CAL_TEXT_BYTES + 80];
	int n = 0;

	svg_text(svg, "head", MARGIN + AXIS, 34, "Bandwidth against the size of what is moved");
	snprintf(text, sizeof text, "measured %s by Hetero %s", calibration->date, calibration->library);
	svg_text_within(svg, "small pale", MARGIN + AXIS, 52, SVG_SMALL_PX, PANEL_WIDTH - AXIS, text);
	if (calibration->pair_count == 0)
		svg_text(svg, "small", MARGIN + AXIS, TOP - 20,
			 "There is one memory only: nothing has to be moved.");
	else
		draw_legend(svg, calibration);
	for (int at = next_panel(calibration, 0, &panel); at >= 0;
	     at = next_panel(calibration, at + 1, &panel)) {
		draw_panel(svg, &axes, &panel, MARGIN + n % columns * (PANEL_WIDTH + BETWEEN),
			   TOP + n / columns * height);
		n++;
	}
}

static int count_panels(const struct het__calibration *calibration, int *bars_p)
{
	struct panel panel;
	int count = 0;

	*bars_p = 0;
	for (int p = 0; p < calibration->pair_count; p++)
		if (calibration->pair[p].bar_count > *bars_p)
			*bars_p = calibration->pair[p].bar_count;
	for (int at = next_panel(calibration, 0, &panel); at >= 0; at = next_panel(calibration, at + 1, &panel))
		count++;
	return count;
}

bool plot_write(const struct het__calibration *calibration, const char *path)
{
	struct svg svg;
	int bars;
	const int panels = count_panels(calibration, &bars);
	const int columns = panels > 1 ? 2 : 1;
	const double height = ABOVE + PLOT_HEIGHT + BELOW + bars * LINE;

	svg_begin(&svg, 2 * MARGIN + columns * PANEL_WIDTH + (columns - 1) * BETWEEN,
		  TOP + (panels + columns - 1) / columns * height + MARGIN,
		  "What hetero-calibrate measured: bandwidth against size", style);
	draw_page(&svg, calibration, columns, height);
	return svg_write(&svg, path);
}
