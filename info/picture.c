/* picture.c - a machine as boxes: the host's memory on the left with the devices that use it in place, other
 * memories with theirs in a column on the right. Lines between them tell bandwidths: of few memories all, of
 * more those with the host, and a table below the rest.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibrate/figures.h"
#include "calibrate/svg.h"
#include "calibrate/words.h"
#include "show.h"

#define MARGIN 24.0
#define TOP 84.0
#define FOOT 78.0 /* what the lines mean */
#define HOST_WIDTH 320.0
#define ARROWS 250.0 /* between the host and the others */
#define OWN_WIDTH 340.0
#define PAD 10.0
#define LINE 16.0
#define LEAST_LINES 6 /* of a device's box; all are as high as the one of most lines */
#define GAP 42.0       /* between rows: two lines of text */
#define LANE 172.0     /* of a line between two memories, with its text */
#define MOST_LINED 4   /* memories other than the host's that have lines between each other */
#define ROW_NAME 230.0 /* of the table */
#define CELL_WIDTH 68.0
#define CELL_HEIGHT 34.0

#define HOST_X MARGIN
#define OWN_X (HOST_X + HOST_WIDTH + ARROWS)
#define LANES_X (OWN_X + OWN_WIDTH)

#define DEVICE_PX (SVG_NAME_PX * 1.1) /* bold letters are wider */

static const char style[] = ".memory { fill: #eef3f8; stroke: #5b7a99; stroke-width: 1.2; }\n"
			    ".device { fill: #ffffff; stroke: #8a8a80; }\n"
			    ".fault { fill: #b00020; }\n"
			    ".unknown { fill: none; stroke: #8a8a80; stroke-dasharray: 5 4; }\n"
			    ".way { fill: none; stroke-linejoin: round; }\n"
			    ".cell { stroke: #ffffff; }\n"
			    ".none { fill: #ecece8; stroke: #ffffff; }\n";

/* Where things are. */
struct layout {
	const struct machine *machine;
	int own;    /* memories other than the host's */
	int shared; /* devices in the host's */
	int lost;   /* devices of whose memory nothing is known */
	int lanes;
	double host_width;    /* wider where there is nothing beside it */
	double host_head;     /* of its box, above devices */
	double device_height, own_height;
	double rows; /* height of the boxes */
	double width, height;
};

static double row_y(const struct layout *layout, int own)
{
	return TOP + own * (layout->own_height + GAP);
}

/* ---- ways -------------------------------------------------------------------------------------- */

static const struct way *find_way(const struct machine *machine, int from, int to)
{
	for (int w = 0; w < machine->way_count; w++)
		if (machine->way[w].from == from && machine->way[w].to == to &&
		    machine->way[w].shape == HET__CAL_CONTIGUOUS)
			return &machine->way[w];
	return NULL;
}

/* What is shown of a way: the step of the largest boxes. */
static const struct step *last_step(const struct way *way)
{
	return way && way->step_count > 0 ? &way->step[way->step_count - 1] : NULL;
}

static bool is_assumed(const struct step *step)
{
	return !step->times || strcmp(step->times, "assumed") == 0;
}

static void tell(const struct machine *machine, const struct way *way, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "%s to %s", machine->memory[way->from].name,
				       machine->memory[way->to].name);

	for (int i = 0; i < way->step_count && used < room; i++) {
		const struct step *const s = &way->step[i];
		char from[WORDS_BYTES], most[WORDS_BYTES], took[WORDS_BYTES], rate[WORDS_BYTES];

		used += (size_t)snprintf(
			text + used, room - used, "\nfrom %s on %s (%s): %s, %s at %s",
			size_words(from, s->from_bytes), s->route, s->chosen,
			het__time_words(took, s->least_ns), rate_words(rate, (double)s->most, s->most_ns),
			size_words(most, s->most));
	}
}

/* What is shown where the mouse is. `back`: the other direction, where both are one line, else NULL. */
static void way_group(struct svg *svg, const struct machine *machine, const struct way *way,
		      const struct way *back)
{
	char text[2000] = "";
	size_t used;

	if (way)
		tell(machine, way, text, sizeof text / 2);
	used = strlen(text);
	if (back && used > 0)
		text[used++] = '\n';
	if (back)
		tell(machine, back, text + used, sizeof text - used);
	svg_group(svg, text);
}

/* Wider where more goes through. */
static double stroke_of(const struct step *step)
{
	const double rate = step->most_ns > 0 ? (double)step->most / step->most_ns : 0;

	return fmin(6, fmax(1.4, 2 + 1.3 * log10(fmax(rate, 1e-3))));
}

static void put_way(struct svg *svg, const struct step *step, const char *path)
{
	svg_put(svg, "<path class=\"way\" d=\"%s\" stroke=\"%s\" stroke-width=\"%.1f\"%s/>\n", path,
		svg_route_colour(step->route), stroke_of(step),
		is_assumed(step) ? " stroke-dasharray=\"6 4\"" : "");
}

/* With its point at (x, y), to the left or to the right. */
static void put_head(struct svg *svg, const struct step *step, double x, double y, int direction)
{
	const double size = 5 + stroke_of(step);

	svg_put(svg, "<path d=\"M%.1f %.1fl%.1f %.1fv%.1fz\" fill=\"%s\"/>\n", x, y, -direction * 1.5 * size,
		-0.7 * size, 1.4 * size, svg_route_colour(step->route));
}

/* "3.10 GB/s staged" */
static void rate_text(const struct step *step, const char *arrow, char *text, size_t room)
{
	char rate[WORDS_BYTES];

	if (step->most_ns > 0)
		snprintf(text, room, "%s%s %s", arrow, rate_words(rate, (double)step->most, step->most_ns),
			 step->route);
	else
		snprintf(text, room, "%s%s", arrow, step->route);
}

/* ---- devices ----------------------------------------------------------------------------------- */

/* Two of its figures. */
static void draw_figures(struct svg *svg, const struct device *device, int first, double x, double y,
			 double room)
{
	char words[FIGURES_BYTES] = "";
	struct het__cal_device two = {.memory_bytes = 0};

	for (int i = first; device->measured && i < first + 2; i++)
		two.figure[i] = device->measured->figure[i];
	svg_text_within(svg, "small pale", x, y, SVG_SMALL_PX, room, figures_words(words, &two));
}

/* What is said of a device. */
enum { HARDWARE, DRIVER, LIMITS, FAULT, PIECES };

static void say(const struct device *device, char text[PIECES][600])
{
	const char *const fault = device->opencl ? kernels_fault(device) : "";
	char memory[WORDS_BYTES];

	amount_words(memory, device->memory_bytes);
	snprintf(text[HARDWARE], 600, "%s", device->hardware);
	snprintf(text[DRIVER], 600, "%s, driver %s", device->platform, device->driver);
	if (device->opencl)
		snprintf(text[LIMITS], 600, "%s, %u unit%s, %s%s", device->kind, device->compute_units,
			 device->compute_units == 1 ? "" : "s", memory,
			 device->has_double ? ", double" : ", no double");
	else
		snprintf(text[LIMITS], 600, "%s", memory);
	snprintf(text[FAULT], 600, "%s", fault + strspn(fault, "; "));
}

/* Returns how many lines it takes. `svg` NULL: only counts them. */
static int draw_words(struct svg *svg, const struct device *device, double x, double y, double room)
{
	static const char *const class[] = {"small", "small pale", "small pale", "small fault"};
	char text[PIECES][600];
	int lines = svg_text_lines(svg, "name", x, y, DEVICE_PX, room, LINE, device->name);

	say(device, text);
	for (int i = 0; i < PIECES; i++)
		lines += svg_text_lines(svg, class[i], x, y + lines * LINE, SVG_SMALL_PX, room, LINE, text[i]);
	return lines;
}

static void draw_device(struct svg *svg, const struct layout *layout, const struct device *device,
			const char *class, double x, double y, double width)
{
	char figures[FIGURES_BYTES] = "";
	const double room = width - 2 * PAD;

	svg_group(svg, device->measured ? figures_words(figures, device->measured) : "");
	svg_put(svg, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\"/>\n",
		class, x, y, width, layout->device_height);
	y += LINE + 1;
	y += LINE * draw_words(svg, device, x + PAD, y, room);
	draw_figures(svg, device, HET__CAL_LAUNCH_NS, x + PAD, y, room);
	draw_figures(svg, device, HET__CAL_SINGLE_FLOP_PER_S, x + PAD, y + LINE, room);
	if (!*figures)
		svg_text(svg, "small pale", x + PAD, y, "its speed was not measured");
	svg_group_end(svg);
}

static double stack_height(const struct layout *layout, int devices)
{
	return devices * (layout->device_height + PAD);
}

/* "the host's memory, 15.6 GiB, which this device uses in place". Returns how many lines it takes. `svg` NULL:
 * only counts them. */
static int draw_host_words(struct svg *svg, const struct layout *layout)
{
	const struct machine *const machine = layout->machine;
	const uint64_t bytes = machine->memory_count > 0 ? machine->memory[0].bytes : 0;
	char text[160], amount[WORDS_BYTES];

	snprintf(text, sizeof text, "the host's memory%s%s%s", bytes ? ", " : "",
		 bytes ? amount_words(amount, bytes) : "",
		 layout->shared == 0   ? ""
		 : layout->shared == 1 ? ", which this device uses in place"
				       : ", which these devices use in place");
	return svg_text_lines(svg, "small pale", HOST_X + PAD, TOP + 2 * LINE + 2, SVG_SMALL_PX,
			      layout->host_width - 2 * PAD, LINE, text);
}

static void draw_host(struct svg *svg, const struct layout *layout)
{
	const struct machine *const machine = layout->machine;
	double y = TOP + layout->host_head;

	svg_put(svg, "<rect class=\"memory\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\"/>\n",
		HOST_X, TOP, layout->host_width, layout->rows);
	svg_text(svg, "name", HOST_X + PAD, TOP + LINE + 2, "host");
	draw_host_words(svg, layout);
	for (int d = 0; d < machine->device_count; d++)
		if (machine->device[d].memory == 0) {
			draw_device(svg, layout, &machine->device[d], "device", HOST_X + PAD, y,
				    layout->host_width - 2 * PAD);
			y += layout->device_height + PAD;
		}
}

static double lost_height(const struct layout *layout)
{
	return layout->lost > 0 ? 3 * LINE + stack_height(layout, layout->lost) : 0;
}

/* Below the host's box. */
static void draw_lost(struct svg *svg, const struct layout *layout)
{
	const struct machine *const machine = layout->machine;
	double y = TOP + layout->rows + 3 * LINE;

	if (layout->lost == 0)
		return;
	svg_text(svg, "small pale", HOST_X, y - 8,
		 machine->state == SAVED
			 ? "not in any pair that was measured; they use the host's memory, or were left out"
			 : "cannot be used");
	for (int d = 0; d < machine->device_count; d++)
		if (machine->device[d].memory < 0) {
			draw_device(svg, layout, &machine->device[d], "unknown", HOST_X, y, layout->host_width);
			y += layout->device_height + PAD;
		}
}

static void draw_own(struct svg *svg, const struct layout *layout, int own)
{
	const struct memory *const memory = &layout->machine->memory[own + 1];
	const double y = row_y(layout, own);
	char text[64], amount[WORDS_BYTES];

	svg_put(svg, "<rect class=\"memory\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\"/>\n",
		OWN_X, y, OWN_WIDTH, layout->own_height);
	snprintf(text, sizeof text, "memory %d, %s", own + 1, amount_words(amount, memory->bytes));
	svg_text(svg, "small", OWN_X + PAD, y + LINE, text);
	draw_device(svg, layout, &layout->machine->device[memory->owner], "device", OWN_X + PAD, y + LINE + PAD,
		    OWN_WIDTH - 2 * PAD);
}

/* ---- lines with the host ----------------------------------------------------------------------- */

static void draw_arrow(struct svg *svg, const struct layout *layout, const struct way *way, double y,
		       int direction)
{
	const struct step *const step = last_step(way), *const first = step ? &way->step[0] : NULL;
	const double left = HOST_X + HOST_WIDTH + 3, right = OWN_X - 3, middle = (left + right) / 2;
	char path[80], text[120], took[WORDS_BYTES], at[WORDS_BYTES];

	if (!step) {
		svg_text(svg, "small pale middle", middle, y - 6, "not measured");
		return;
	}
	way_group(svg, layout->machine, way, NULL);
	snprintf(path, sizeof path, "M%.1f %.1fH%.1f", left + (direction < 0 ? 8 : 0), y,
		 right - (direction > 0 ? 8 : 0));
	put_way(svg, step, path);
	put_head(svg, step, direction > 0 ? right : left, y, direction);
	rate_text(step, "", text, sizeof text);
	svg_text(svg, "name middle", middle, y - 8, text);
	if (first->least_ns > 0) {
		snprintf(text, sizeof text, "%s for %s", het__time_words(took, first->least_ns),
			 size_words(at, first->least));
		svg_text(svg, "small pale middle", middle, y + LINE, text);
	}
	svg_group_end(svg);
}

static void draw_host_lines(struct svg *svg, const struct layout *layout)
{
	for (int own = 0; own < layout->own; own++) {
		const double y = row_y(layout, own), height = layout->own_height;

		draw_arrow(svg, layout, find_way(layout->machine, 0, own + 1), y + 0.27 * height, 1);
		draw_arrow(svg, layout, find_way(layout->machine, own + 1, 0), y + 0.77 * height, -1);
	}
}

/* ---- lines between the others ------------------------------------------------------------------ */

/* Lines that overlap lie in lanes of their own, short ones near the boxes: first all between neighbours, then
 * those over one row, and so on. Lines of one length share a lane where one begins at the other's end. */
static int lane_of(int from, int to)
{
	const int span = to - from;
	int lane = 0;

	for (int shorter = 1; shorter < span; shorter++)
		lane += shorter;
	return lane + from % span;
}

/* Where the line to another memory leaves a box. From top to bottom: to the nearest above... the farthest
 * above, the farthest below... the nearest below; so lines of one box do not cross. */
static double port_y(const struct layout *layout, int own, int other)
{
	const int place = other < own ? own - 1 - other : layout->own - 1 - (other - own);

	return row_y(layout, own) + layout->own_height * (place + 1) / layout->own;
}

static void draw_lane_text(struct svg *svg, const struct way *way, const char *arrow, double x, double y)
{
	const struct step *const step = last_step(way);
	char text[120];

	if (step)
		rate_text(step, arrow, text, sizeof text);
	else
		snprintf(text, sizeof text, "%snot measured", arrow);
	svg_text_within(svg, step ? "small" : "small pale", x, y, SVG_SMALL_PX, LANE - 12, text);
}

/* Both directions are one line, grey where they take different routes; its text stands where a gap between rows
 * is. */
static void draw_lane(struct svg *svg, const struct layout *layout, int a, int b)
{
	const struct way *const down = find_way(layout->machine, a + 1, b + 1);
	const struct way *const up = find_way(layout->machine, b + 1, a + 1);
	const double left = LANES_X + 3, x = LANES_X + 26 + lane_of(a, b) * LANE;
	const double top = port_y(layout, a, b), bottom = port_y(layout, b, a);
	const double text_y = row_y(layout, (a + b) / 2) + layout->own_height + GAP / 2;
	const struct step *const one = last_step(down), *const other = last_step(up);
	struct step step = one ? *one : other ? *other : (struct step){.route = NULL};
	char path[120];

	if (one && other && strcmp(one->route, other->route) != 0)
		step.route = "several";
	way_group(svg, layout->machine, down, up);
	if (step.route) {
		snprintf(path, sizeof path, "M%.1f %.1fH%.1fV%.1fH%.1f", left + 8, top, x, bottom, left + 8);
		put_way(svg, &step, path);
		put_head(svg, &step, left, top, -1);
		put_head(svg, &step, left, bottom, -1);
	}
	draw_lane_text(svg, down, "\u2193 ", x + 7, text_y - 4);
	draw_lane_text(svg, up, "\u2191 ", x + 7, text_y + LINE - 5);
	svg_group_end(svg);
}

/* The outer ones first, so that inner ones lie above them. */
static void draw_lanes(struct svg *svg, const struct layout *layout)
{
	for (int span = layout->own - 1; span > 0; span--)
		for (int a = 0; a + span < layout->own; a++)
			draw_lane(svg, layout, a, a + span);
}

/* ---- the table --------------------------------------------------------------------------------- */

static void draw_cell(struct svg *svg, const struct machine *machine, int from, int to, double x, double y)
{
	const struct way *const way = find_way(machine, from, to);
	const struct step *const step = last_step(way);
	const double rate = step && step->most_ns > 0 ? (double)step->most / step->most_ns : 0;
	char text[WORDS_BYTES];

	if (!step) {
		svg_box(svg, "none", x, y, CELL_WIDTH, CELL_HEIGHT);
		if (from != to)
			svg_text(svg, "small pale middle", x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2 + 4, "?");
		return;
	}
	way_group(svg, machine, way, NULL);
	svg_put(svg,
		"<rect class=\"cell\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#0072b2\" "
		"fill-opacity=\"%.2f\"/>\n",
		x, y, CELL_WIDTH, CELL_HEIGHT, fmin(0.5, fmax(0.06, 0.15 + 0.13 * log10(fmax(rate, 1e-3)))));
	snprintf(text, sizeof text, rate >= 100 ? "%.0f" : "%.2f", rate);
	svg_text(svg, "small middle", x + CELL_WIDTH / 2, y + 14, text);
	snprintf(text, sizeof text, "%s%s", step->route, is_assumed(step) ? "?" : "");
	svg_text(svg, "small pale middle", x + CELL_WIDTH / 2, y + 28, text);
	svg_group_end(svg);
}

static void draw_row(struct svg *svg, const struct layout *layout, int m, double y)
{
	char text[HET__CAL_NAME_BYTES + 16], number[16];

	snprintf(number, sizeof number, "%d", m);
	svg_text(svg, "small middle", MARGIN + ROW_NAME + (m + 0.5) * CELL_WIDTH, y - 8, number);
	y += m * CELL_HEIGHT;
	snprintf(text, sizeof text, "%d  %s", m, layout->machine->memory[m].name);
	svg_text_within(svg, "small", MARGIN, y + CELL_HEIGHT / 2 + 4, SVG_SMALL_PX, ROW_NAME - PAD, text);
	for (int to = 0; to < layout->machine->memory_count; to++)
		draw_cell(svg, layout->machine, m, to, MARGIN + ROW_NAME + to * CELL_WIDTH, y);
}

static double table_height(const struct layout *layout)
{
	return layout->own > MOST_LINED ? 70 + layout->machine->memory_count * CELL_HEIGHT : 0;
}

static void draw_table(struct svg *svg, const struct layout *layout)
{
	const double y = TOP + layout->rows + lost_height(layout) + 36;

	if (layout->own <= MOST_LINED)
		return;
	svg_text(svg, "name", MARGIN, y, "GB/s from (row) to (column)");
	for (int m = 0; m < layout->machine->memory_count; m++)
		draw_row(svg, layout, m, y + 34);
}

/* ---- the page ---------------------------------------------------------------------------------- */

/* The most lines that a device's box needs. Its last ones are the figures, or say that there are none. */
static int most_lines(const struct layout *layout)
{
	const struct machine *const machine = layout->machine;
	int most = LEAST_LINES;

	for (int d = 0; d < machine->device_count; d++) {
		const struct device *const device = &machine->device[d];
		const double box = device->memory > 0    ? OWN_WIDTH - 2 * PAD
				   : device->memory == 0 ? layout->host_width - 2 * PAD
							 : layout->host_width;
		const int lines = draw_words(NULL, device, 0, 0, box - 2 * PAD) + (device->measured ? 2 : 1);

		most = lines > most ? lines : most;
	}
	return most;
}

static struct layout lay_out(const struct machine *machine)
{
	struct layout layout = {.machine = machine,
				.own = machine->memory_count > 0 ? machine->memory_count - 1 : 0};
	double host;

	for (int d = 0; d < machine->device_count; d++) {
		layout.shared += machine->device[d].memory == 0;
		layout.lost += machine->device[d].memory < 0;
	}
	layout.host_width = layout.own ? HOST_WIDTH : HOST_WIDTH + ARROWS;
	layout.device_height = most_lines(&layout) * LINE + 10;
	layout.own_height = layout.device_height + LINE + 2 * PAD;
	layout.host_head = LINE + PAD + 4 + draw_host_words(NULL, &layout) * LINE;
	host = layout.host_head + 6 + stack_height(&layout, layout.shared);
	layout.rows = layout.own * (layout.own_height + GAP) - (layout.own ? GAP : 0);
	layout.rows = fmax(layout.rows, host);
	if (layout.own <= MOST_LINED)
		for (int a = 0; a < layout.own; a++)
			for (int b = a + 1; b < layout.own; b++)
				layout.lanes = lane_of(a, b) >= layout.lanes ? lane_of(a, b) + 1 : layout.lanes;
	layout.width = layout.own ? LANES_X + MARGIN + layout.lanes * LANE + (layout.lanes ? 8 : 0)
				  : 2 * MARGIN + layout.host_width;
	if (layout.own > MOST_LINED)
		layout.width = fmax(layout.width, 2 * MARGIN + ROW_NAME + machine->memory_count * CELL_WIDTH);
	layout.height = TOP + layout.rows + lost_height(&layout) + table_height(&layout) + FOOT;
	return layout;
}

static void draw_title(struct svg *svg, const struct layout *layout)
{
	const struct machine *const machine = layout->machine;
	char text[PATH_MAX + 2 * HET__CAL_TEXT_BYTES + 40];

	svg_text(svg, "head", MARGIN, 36,
		 machine->state == SAVED ? "A machine as it was measured" : "This machine");
	if (machine->calibration)
		snprintf(text, sizeof text, "measured %s by Hetero %s, %s", machine->calibration->date,
			 machine->calibration->library, machine->path);
	else if (layout->own > 0)
		snprintf(text, sizeof text,
			 "not measured: what is assumed is shown (hetero-calibrate measures)");
	else
		snprintf(text, sizeof text, "%s",
			 machine->device_count > 0 ? "one memory: nothing has to be moved"
						   : "no device can be used");
	svg_text_within(svg, "small pale", MARGIN, 58, SVG_SMALL_PX, layout->width - 2 * MARGIN, text);
}

static void draw_foot(struct svg *svg, const struct layout *layout)
{
	const double y = layout->height - FOOT + 36;

	if (layout->own == 0)
		return;
	svg_text(svg, "small pale", MARGIN, y,
		 "Of contiguous boxes: bandwidth of the largest that was measured, and the route that is taken "
		 "then;");
	svg_text(svg, "small pale", MARGIN, y + LINE,
		 "time of the smallest. Dashed lines, and ? in a table: assumed, or not measured.");
}

bool show_picture(const struct machine *machine, const char *path)
{
	const struct layout layout = lay_out(machine);
	struct svg svg;

	svg_begin(&svg, layout.width, layout.height, "Hetero: memories, devices and bandwidths", style);
	draw_title(&svg, &layout);
	draw_host(&svg, &layout);
	draw_lost(&svg, &layout);
	draw_host_lines(&svg, &layout);
	if (layout.own <= MOST_LINED)
		draw_lanes(&svg, &layout);
	for (int own = 0; own < layout.own; own++)
		draw_own(&svg, &layout, own);
	draw_table(&svg, &layout);
	draw_foot(&svg, &layout);
	return svg_write(&svg, path);
}
