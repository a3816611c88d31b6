/* pixels.c - pixels as a PNG file. */

#include "path/pixels.h"

#ifndef HAVE_PNG

int pixels_can_save(void)
{
	return 0;
}

const char *pixels_refusal(const char *path)
{
	(void)path;
	return "built without libpng";
}

const char *pixels_save(const char *path, int width, int height, const unsigned char *rgba)
{
	(void)width, (void)height, (void)rgba;
	return pixels_refusal(path);
}

#else

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

int pixels_can_save(void)
{
	return 1;
}

const char *pixels_refusal(const char *path)
{
	return output_refusal(path);
}

/* libpng jumps back to here on any failure. */
static int write_rows(png_structp png, png_infop info, FILE *file, int width, int height,
		      const unsigned char *rgba)
{
	if (setjmp(png_jmpbuf(png)))
		return -1;
	png_init_io(png, file);
	png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGBA,
		     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (int y = 0; y < height; y++)
		png_write_row(png, rgba + 4 * (size_t)width * (size_t)y);
	png_write_end(png, info);
	return 0;
}

const char *pixels_save(const char *path, int width, int height, const unsigned char *rgba)
{
	struct output output;
	FILE *const file = output_open(&output, path);
	png_structp png = file ? png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL) : NULL;
	png_infop info = png ? png_create_info_struct(png) : NULL;
	int failed;

	if (!file)
		return strerror(errno);
	failed = !info || write_rows(png, info, file, width, height, rgba);
	png_destroy_write_struct(&png, &info);
	return output_close(&output, failed);
}

#endif
