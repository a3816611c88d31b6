/* svg.c - see svg.h. */
#include "svg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/utf8.h"
#include "words.h"

static const char common_style[] = "text { font-family: 'DejaVu Sans', Verdana, sans-serif; fill: #222; }\n"
				   ".head { font-size: 18px; font-weight: bold; }\n"
				   ".name { font-size: 13px; font-weight: bold; }\n"
				   ".small { font-size: 11px; }\n"
				   ".pale { fill: #666; }\n"
				   ".middle { text-anchor: middle; }\n"
				   ".end { text-anchor: end; }\n"
				   ".page { fill: #fcfcfa; }\n";

void svg_put(struct svg *svg, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	het__text_add_list(&svg->text, format, arguments);
	va_end(arguments);
}

/* ---- text -------------------------------------------------------------------------------------- */

static void put_escaped(struct svg *svg, const char *text)
{
	char clean[2000];

	for (het__utf8_clean(clean, sizeof clean, text), text = clean; *text;) {
		const size_t plain = strcspn(text, "<>&\"");

		svg_put(svg, "%.*s", (int)plain, text);
		text += plain;
		if (*text)
			svg_put(svg, "&#%d;", *text++);
	}
}

/* Of DejaVu Sans, which is wider than most; bold letters are wider still. */
static double letter_width(char c)
{
	if (strchr("iljtfrI.,:;'|!()[] ", c))
		return 0.41;
	if (strchr("mwMW@%+=", c))
		return 1.0;
	return (c >= 'A' && c <= 'Z') || c == '&' ? 0.73 : 0.64;
}

/* Of a letter beyond ASCII we know nothing: it may be as wide as it is high. */
static double character_width(const char *at, size_t bytes)
{
	return bytes > 1 ? 1.0 : letter_width(*at);
}

/* How many bytes of a text fit; *width_p: what they take. */
static size_t fit(const char *text, double px, double most, double *width_p)
{
	size_t at = 0;

	*width_p = 0;
	while (text[at]) {
		const size_t bytes = het__utf8_bytes(text + at);
		const double more = px * character_width(text + at, bytes);

		if (*width_p + more > most)
			break;
		*width_p += more;
		at += bytes ? bytes : 1;
	}
	return at;
}

double svg_text_width(const char *text, double px)
{
	double width;

	fit(text, px, 1e9, &width);
	return width;
}

void svg_text(struct svg *svg, const char *class, double x, double y, const char *text)
{
	svg_put(svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	put_escaped(svg, text);
	svg_put(svg, "</text>\n");
}

void svg_text_within(struct svg *svg, const char *class, double x, double y, double px, double width,
		     const char *text)
{
	char part[2000];
	double used;
	size_t bytes;

	if (svg_text_width(text, px) <= width) {
		svg_text(svg, class, x, y, text);
		return;
	}
	bytes = fit(text, px, width - px, &used);
	snprintf(part, sizeof part, "%.*s\u2026", (int)(bytes < sizeof part - 4 ? bytes : sizeof part - 4),
		 text);
	svg_group(svg, text);
	svg_text(svg, class, x, y, part);
	svg_group_end(svg);
}

/* How many bytes of a text stand in one line: up to a space, but of a word that is too long what fits. */
static size_t fit_words(const char *text, double px, double width)
{
	double used;
	const size_t most = fit(text, px, width, &used);
	size_t cut = most;

	if (text[most] == '\0' || text[most] == ' ')
		return most;
	while (cut > 0 && text[cut] != ' ')
		cut--;
	return cut > 0 ? cut : most > 0 ? most : 1;
}

int svg_text_lines(struct svg *svg, const char *class, double x, double y, double px, double width, double line,
		   const char *text)
{
	char part[2000];
	int lines = 0;

	for (text += strspn(text, " "); *text && lines < 4; text += strspn(text, " ")) {
		const size_t bytes = lines < 3 ? fit_words(text, px, width) : strlen(text);

		snprintf(part, sizeof part, "%.*s", (int)(bytes < sizeof part ? bytes : sizeof part - 1), text);
		if (svg)
			svg_text_within(svg, class, x, y + lines * line, px, width, part);
		lines++;
		text += bytes;
	}
	return lines;
}

/* ---- shapes ------------------------------------------------------------------------------------ */

void svg_box(struct svg *svg, const char *class, double x, double y, double width, double height)
{
	svg_put(svg, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", class, x, y,
		width, height);
}

void svg_line(struct svg *svg, const char *class, double x1, double y1, double x2, double y2)
{
	svg_put(svg, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1,
		x2, y2);
}

void svg_group(struct svg *svg, const char *title)
{
	svg_put(svg, *title ? "<g><title>" : "<g>");
	put_escaped(svg, title);
	svg_put(svg, *title ? "</title>\n" : "\n");
}

void svg_group_end(struct svg *svg)
{
	svg_put(svg, "</g>\n");
}

const char *svg_route_colour(const char *route)
{
	static const char *const colours[][2] = {
		{"copy", "#0072b2"},    {"staged", "#d55e00"}, {"pinned", "#009e73"},
		{"chunked", "#aa4499"}, {"mapped", "#b8860b"}, {"pack", "#56b4e9"},
	};

	for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
		if (strcmp(colours[i][0], route) == 0)
			return colours[i][1];
	return "#777777";
}

/* ---- the whole --------------------------------------------------------------------------------- */

void svg_begin(struct svg *svg, double width, double height, const char *title, const char *style)
{
	*svg = (struct svg){.text = {.lost = false}};
	svg_put(svg,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\">\n<title>",
		width, height, width, height);
	put_escaped(svg, title);
	svg_put(svg, "</title>\n<style>\n%s%s</style>\n", common_style, style);
	svg_box(svg, "page", 0, 0, width, height);
}

bool svg_write(struct svg *svg, const char *path)
{
	bool good = false;

	svg_put(svg, "</svg>\n");
	if (svg->text.lost)
		errno = ENOMEM;
	else
		good = het__file_replace(path, svg->text.at, svg->text.length);
	het__free(svg->text.at);
	*svg = (struct svg){.text = {.lost = false}};
	return good;
}
