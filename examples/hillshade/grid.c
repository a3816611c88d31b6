/* grid.c - terrain from ESRI ASCII grids. */
#include "grid.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../output.h"

#define MAX_CELLS (1 << 30)

/* The file as a sequence of words. `word` is the last one read, `line` where it stands. */
struct reader {
	FILE *file;
	const char *path;
	int line, next_line;
	char word[64];
	char *why;
	size_t why_size;
};

__attribute__((format(printf, 2, 3))) static int refuse(struct reader *r, const char *format, ...)
{
	const int prefix = snprintf(r->why, r->why_size, "%s:%d: ", r->path, r->line);
	va_list args;

	if (prefix < 0 || (size_t)prefix >= r->why_size)
		return -1;
	va_start(args, format);
	vsnprintf(r->why + prefix, r->why_size - (size_t)prefix, format, args);
	va_end(args);
	return -1;
}

static int refuse_file(struct reader *r)
{
	snprintf(r->why, r->why_size, "%s: %s", r->path, strerror(errno));
	return -1;
}

/* Returns 1 with a word, 0 at the end of the file, -1 on failure. */
static int next_word(struct reader *r)
{
	size_t length = 0;
	int c = getc(r->file);

	for (; c != EOF && isspace(c); c = getc(r->file))
		r->next_line += c == '\n';
	r->line = r->next_line;
	for (; c != EOF && !isspace(c) && length < sizeof r->word - 1; c = getc(r->file))
		r->word[length++] = (char)c;
	r->word[length] = '\0';
	if (ferror(r->file))
		return refuse_file(r);
	if (memchr(r->word, '\0', length))
		return refuse(r, "a NUL byte");
	if (c != EOF && !isspace(c))
		return refuse(r, "a word of more than %zu characters", sizeof r->word - 1);
	r->next_line += c == '\n';
	return length > 0;
}

/* `may_be_any`: also a number that is not finite. As NODATA some files have "nan", and some the lowest double,
 * which is beyond all doubles where its digits were rounded. */
static int need_number(struct reader *r, const char *name, int may_be_any, double *value)
{
	char *end;
	const int got = next_word(r);

	if (got < 0)
		return -1;
	if (got == 0)
		return refuse(r, "the file ends where the value of %s should be", name);
	*value = strtod(r->word, &end);
	if (*end || end == r->word || !(isfinite(*value) || may_be_any))
		return refuse(r, "%s is \"%s\", which is not a number", name, r->word);
	return 0;
}

/* ---- header ------------------------------------------------------------------------------------ */

enum { NCOLS, NROWS, CELLSIZE, DX, DY, NODATA, XLLCORNER, YLLCORNER, XLLCENTER, YLLCENTER, KEYS };

static const char *const key_names[KEYS] = {"ncols",        "nrows",     "cellsize",  "dx",        "dy",
					    "NODATA_value", "xllcorner", "yllcorner", "xllcenter", "yllcenter"};

struct header {
	int is_given[KEYS];
	double value[KEYS];
	int line[KEYS];
};

#define NODATA_DEFAULT (-9999)

static int key_of(const char *word)
{
	for (int k = 0; k < KEYS; k++)
		if (strcasecmp(word, key_names[k]) == 0)
			return k;
	return -1;
}

static int is_key(const char *word)
{
	return isalpha((unsigned char)*word) && strcasecmp(word, "nan") != 0 && strcasecmp(word, "inf") != 0 &&
	       strcasecmp(word, "infinity") != 0;
}

/* Reads up to the first word that is no key: the first height, or none at the end. It stays in r->word. */
static int read_header(struct reader *r, struct header *h)
{
	int got = next_word(r), key;

	for (; got > 0 && is_key(r->word); got = next_word(r)) {
		key = key_of(r->word);
		if (key < 0)
			return refuse(r, "unknown word \"%s\" in the header", r->word);
		if (h->is_given[key])
			return refuse(r, "%s is given twice", key_names[key]);
		h->is_given[key] = 1;
		if (need_number(r, key_names[key], key == NODATA, &h->value[key]))
			return -1;
		h->line[key] = r->line;
	}
	if (!h->is_given[NODATA])
		h->value[NODATA] = NODATA_DEFAULT;
	return got < 0 ? -1 : 0;
}

static int refuse_end(struct reader *r)
{
	return refuse(r, "the file ends before the first height");
}

static int take_extent(struct reader *r, const struct header *h, int key, int *extent)
{
	const double value = h->value[key];

	if (!h->is_given[key])
		return *r->word ? refuse(r, "the header has no %s", key_names[key]) : refuse_end(r);
	if (value < 2 || value > MAX_CELLS || value != floor(value)) {
		r->line = h->line[key];
		return refuse(r, "%s is %.10g; it is to be a whole number from 2 to %d", key_names[key], value,
		              MAX_CELLS);
	}
	*extent = (int)value;
	return 0;
}

static int take_step(struct reader *r, const struct header *h, int key, double *step)
{
	if (!h->is_given[key])
		key = CELLSIZE;
	if (!h->is_given[key])
		return refuse(r, "the header has neither cellsize nor both of dx and dy");
	if (h->value[key] <= 0) {
		r->line = h->line[key];
		return refuse(r, "%s is %g; it is to be positive", key_names[key], h->value[key]);
	}
	*step = h->value[key];
	return 0;
}

/* Where the grid begins: the header gives its corner, or the middle of its corner cell, or neither (0). */
static int take_place(struct reader *r, const struct header *h, int corner, int center, double step,
		      double *place)
{
	if (h->is_given[corner] && h->is_given[center]) {
		r->line = h->line[corner] > h->line[center] ? h->line[corner] : h->line[center];
		return refuse(r, "both %s and %s are given", key_names[corner], key_names[center]);
	}
	*place = h->is_given[center] ? h->value[center] - step / 2 : h->value[corner];
	return 0;
}

static int take_header(struct reader *r, const struct header *h, struct grid *g)
{
	if (take_extent(r, h, NCOLS, &g->cols) || take_extent(r, h, NROWS, &g->rows) ||
	    take_step(r, h, DX, &g->dx) || take_step(r, h, DY, &g->dy) ||
	    take_place(r, h, XLLCORNER, XLLCENTER, g->dx, &g->west) ||
	    take_place(r, h, YLLCORNER, YLLCENTER, g->dy, &g->south))
		return -1;
	if (g->rows > MAX_CELLS / g->cols)
		return refuse(r, "%d rows of %d columns are more than %d cells", g->rows, g->cols, MAX_CELLS);
	return *r->word ? 0 : refuse_end(r);
}

/* ---- heights ----------------------------------------------------------------------------------- */

/* The height in r->word. It is compared with NODATA in float, for some writers round NODATA and some do not. */
static int take_height(struct reader *r, const struct header *h, float *height)
{
	const int has_nan = isnan(h->value[NODATA]);
	char *end;

	*height = strtof(r->word, &end);
	if (*end || end == r->word || (isnan(*height) && !has_nan))
		return refuse(r, "\"%s\" is not a number", r->word);
	if (*height == (float)h->value[NODATA])
		*height = NAN;
	else if (isinf(*height))
		return refuse(r, "the height %s is too large", r->word);
	return 0;
}

static int read_heights(struct reader *r, const struct header *h, struct grid *g)
{
	const size_t cells = (size_t)g->rows * (size_t)g->cols;
	int got = 1; /* read_header left the first */

	for (size_t i = 0; i < cells; i++) {
		if (got == 0)
			return refuse(r, "the file ends after %zu of %zu heights (row %zu, column %zu)", i,
				      cells, i / (size_t)g->cols + 1, i % (size_t)g->cols + 1);
		if (got < 0 || take_height(r, h, &g->height[i]))
			return -1;
		got = next_word(r);
	}
	if (got > 0)
		return refuse(r, "more than %zu heights (%d rows of %d)", cells, g->rows, g->cols);
	return got;
}

static int read_all(struct reader *r, struct grid *g)
{
	struct header header = {.is_given = {0}};

	if (read_header(r, &header) || take_header(r, &header, g))
		return -1;
	g->height = malloc((size_t)g->rows * (size_t)g->cols * sizeof *g->height);
	if (!g->height)
		return refuse(r, "no memory for %d rows of %d columns", g->rows, g->cols);
	if (read_heights(r, &header, g) == 0)
		return 0;
	grid_free(g);
	return -1;
}

/* Some editors begin a file with the mark of UTF-8. */
static int skip_mark(struct reader *r)
{
	static const unsigned char mark[] = {0xEF, 0xBB, 0xBF};
	int c = getc(r->file);

	if (c != mark[0])
		return c == EOF || ungetc(c, r->file) == c ? 0 : refuse_file(r);
	for (size_t i = 1; i < sizeof mark; i++)
		if (getc(r->file) != mark[i])
			return refuse(r, "no text");
	return 0;
}

int grid_read(const char *path, struct grid *grid, char *why, size_t why_size)
{
	struct reader r = {.path = path, .line = 1, .next_line = 1, .why = why, .why_size = why_size};
	struct grid made = {0};
	int failed;

	r.file = fopen(path, "r");
	if (!r.file)
		return refuse_file(&r);
	failed = skip_mark(&r) || read_all(&r, &made) ? -1 : 0;
	fclose(r.file);
	if (!failed)
		*grid = made;
	return failed;
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void write_open(FILE *file, const struct grid *g)
{
	fprintf(file, "ncols %d\nnrows %d\nxllcorner %.15g\nyllcorner %.15g\n", g->cols, g->rows, g->west,
		g->south);
	if (g->dx == g->dy)
		fprintf(file, "cellsize %.15g\n", g->dx);
	else
		fprintf(file, "dx %.15g\ndy %.15g\n", g->dx, g->dy);
	fprintf(file, "NODATA_value %d\n", NODATA_DEFAULT);
	for (int y = 0; y < g->rows; y++)
		for (int x = 0; x < g->cols; x++) {
			const float height = g->height[(size_t)y * (size_t)g->cols + (size_t)x];

			fprintf(file, "%.6g%c", isnan(height) ? NODATA_DEFAULT : (double)height,
				x < g->cols - 1 ? ' ' : '\n');
		}
}

const char *grid_write(const struct grid *grid, const char *path)
{
	struct output output;
	FILE *const file = output_open(&output, path);

	if (!file)
		return strerror(errno);
	write_open(file, grid);
	return output_close(&output, 0);
}

void grid_free(struct grid *grid)
{
	free(grid->height);
	grid->height = NULL;
}
