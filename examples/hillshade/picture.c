/* picture.c - a terrain as a PNG file. */
#include "picture.h"

#ifndef HAVE_PNG

const char *picture_refusal(const char *path)
{
	(void)path;
	return "built without libpng";
}

const char *picture_write(const struct picture *picture, const char *path)
{
	(void)picture;
	return picture_refusal(path);
}

#else

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../output.h"

struct colour {
	float red, green, blue; /* 0 to 255 */
};

/* A colour at a place of a scale from 0 to 1; between two stops it is mixed. */
struct stop {
	float at;
	struct colour colour;
};

/* From the valley floors up: moss, meadow, straw, ochre, brown heather, bare rock, snow. */
static const struct stop land[] = {{0.00f, {106, 146, 112}}, {0.14f, {143, 172, 122}}, {0.30f, {196, 200, 140}},
				   {0.46f, {222, 199, 145}}, {0.62f, {199, 158, 113}}, {0.78f, {163, 127, 104}},
				   {0.90f, {188, 176, 168}}, {1.00f, {244, 242, 238}}};

/* From the deepest sea up to the shore. */
static const struct stop sea[] = {
	{0.00f, {38, 66, 112}}, {0.55f, {72, 116, 160}}, {0.88f, {124, 168, 196}}, {1.00f, {170, 204, 214}}};

static float mix(float a, float b, float weight)
{
	return a + (b - a) * weight;
}

static struct colour mix_colours(struct colour a, struct colour b, float weight)
{
	const struct colour c = {mix(a.red, b.red, weight), mix(a.green, b.green, weight),
				 mix(a.blue, b.blue, weight)};
	return c;
}

static struct colour colour_at(const struct stop *stop, float at)
{
	while (stop[1].at < at && stop[1].at < 1.0f)
		stop++;
	return mix_colours(stop[0].colour, stop[1].colour,
			   fminf((at - stop[0].at) / (stop[1].at - stop[0].at), 1.0f));
}

/* The lowest and the highest height. */
struct span {
	float low, high;
};

static struct span span_of(const struct picture *p)
{
	struct span s = {INFINITY, -INFINITY};

	for (int y = 0; y < p->rows; y++)
		for (int x = 0; x < p->cols; x++) {
			const float height = p->height[(size_t)y * (size_t)p->pitch + (size_t)x];
			s.low = fminf(s.low, height);
			s.high = fmaxf(s.high, height);
		}
	return s;
}

/* Where there is sea, the scale of the land begins at the shore, height 0. */
static struct colour tint(struct span s, float height)
{
	const float shore = s.low < 0.0f ? 0.0f : s.low;

	if (height < 0.0f)
		return colour_at(sea, (height - s.low) / (0.0f - s.low));
	return colour_at(land, s.high > shore ? (height - shore) / (s.high - shore) : 0.0f);
}

/* Level ground keeps its tint. Shadows go towards a cool dark, slopes that face the sun towards a warm light,
 * as in the relief maps of the Swiss school. */
static struct colour shine(struct colour ground, float shade, float flat)
{
	static const struct colour dark = {38, 40, 74}, bright = {255, 250, 226};
	const float level = flat > 0.0f ? shade / flat : 1.0f;
	const float most = flat > 0.0f ? 1.0f / flat : 1.0f;

	if (level < 1.0f)
		return mix_colours(ground, dark, 0.86f * powf(1.0f - level, 0.85f));
	return mix_colours(ground, bright, most > 1.0f ? 0.62f * (level - 1.0f) / (most - 1.0f) : 0.0f);
}

static struct colour stained(const struct picture *p, size_t cell, struct colour clean)
{
	static const struct colour stain = {206, 32, 60};

	return p->stain ? mix_colours(clean, stain, p->stain[cell]) : clean;
}

static void paint_row(const struct picture *p, struct span s, int y, png_byte *pixel)
{
	const size_t first = (size_t)y * (size_t)p->pitch;

	for (int x = 0; x < p->cols; x++, pixel += 4) {
		const float height = p->height[first + (size_t)x];
		if (isnan(height)) {
			pixel[0] = pixel[1] = pixel[2] = pixel[3] = 0;
			continue;
		}
		const struct colour ground = stained(p, first + (size_t)x, tint(s, height));
		const struct colour c = shine(ground, p->shade[first + (size_t)x], p->flat_shade);
		pixel[0] = (png_byte)lrintf(c.red);
		pixel[1] = (png_byte)lrintf(c.green);
		pixel[2] = (png_byte)lrintf(c.blue);
		pixel[3] = 255;
	}
}

/* Cells need not be square: the file tells the shape of its pixels, as how many of them a unit has each way. */
static void set_header(png_structp png, png_infop info, const struct picture *p)
{
	const double unit = 10000 / fmin(p->dx, p->dy);

	png_set_IHDR(png, info, (png_uint_32)p->cols, (png_uint_32)p->rows, 8, PNG_COLOR_TYPE_RGBA,
		     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_set_pHYs(png, info, (png_uint_32)lrint(p->dy * unit), (png_uint_32)lrint(p->dx * unit),
		     PNG_RESOLUTION_UNKNOWN);
	png_write_info(png, info);
}

/* On any failure libpng jumps back to setjmp; no variable that is used afterwards has changed by then. */
static int write_png(png_structp png, png_infop info, FILE *file, const struct picture *p, png_byte *row)
{
	const struct span s = span_of(p);

	if (setjmp(png_jmpbuf(png)))
		return -1;
	png_init_io(png, file);
	png_set_compression_level(png, 4);
	set_header(png, info, p);
	for (int y = 0; y < p->rows; y++) {
		paint_row(p, s, y, row);
		png_write_row(png, row);
	}
	png_write_end(png, info);
	return 0;
}

static int write_open(FILE *file, const struct picture *p)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	png_byte *const row = malloc(4 * (size_t)p->cols);
	const int failed = !info || !row || write_png(png, info, file, p, row);

	free(row);
	png_destroy_write_struct(&png, &info);
	return failed;
}

const char *picture_refusal(const char *path)
{
	return output_refusal(path);
}

const char *picture_write(const struct picture *p, const char *path)
{
	struct output output;
	FILE *const file = output_open(&output, path);

	return file ? output_close(&output, write_open(file, p)) : strerror(errno);
}

#endif
