/* svg.h - a drawing that grows, and is written to a file when it is whole.
 *
 * Coordinates are pixels, y downwards. Text is escaped, whatever a driver calls its device. After a failure for
 * want of memory nothing more is drawn, and svg_write says so.
 */
#ifndef HETERO_CALIBRATE_SVG_H
#define HETERO_CALIBRATE_SVG_H

#include <stdbool.h>

#include "base/text.h"

struct svg {
	struct het__text text;
};

/** Classes that every drawing has: of texts `head`, `name`, `small`, and with them `middle` or `end` where x is
 *  not their beginning. */
#define SVG_HEAD_PX 18
#define SVG_NAME_PX 13
#define SVG_SMALL_PX 11

/** `style`: rules of the drawing's own. */
void svg_begin(struct svg *svg, double width, double height, const char *title, const char *style);
/** Elements as they are: no text of others. */
void svg_put(struct svg *svg, const char *format, ...) __attribute__((format(printf, 2, 3)));
void svg_box(struct svg *svg, const char *class, double x, double y, double width, double height);
void svg_line(struct svg *svg, const char *class, double x1, double y1, double x2, double y2);
void svg_text(struct svg *svg, const char *class, double x, double y, const char *text);
/** As much of it as fits; if that is not all, the whole shows where the mouse is. `px`: the size of its
 *  class. */
void svg_text_within(struct svg *svg, const char *class, double x, double y, double px, double width,
		     const char *text);
/** The text in lines of as many words as fit, `line` below each other; a text that needs more than four is cut
 *  in the last. Returns how many lines there are. `svg` NULL: only counts them. */
int svg_text_lines(struct svg *svg, const char *class, double x, double y, double px, double width, double line,
		   const char *text);
/** A group whose elements show a text ("": none) where the mouse is; ended by svg_group_end. */
void svg_group(struct svg *svg, const char *title);
void svg_group_end(struct svg *svg);

/** No less than a text takes in the usual fonts. */
double svg_text_width(const char *text, double px);

/** Ends the drawing, writes it to a file that is replaced whole, and frees it. False with errno. */
bool svg_write(struct svg *svg, const char *path);

/** The colour that stands for a route, one that everybody's eyes tell apart; grey for any other name. */
const char *svg_route_colour(const char *route);

#endif
