/* box.c - the algebra of boxes. */
#include "box/box.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

bool het__box_intersect(int rank, const struct het__box *a, const struct het__box *b, struct het__box *out)
{
	bool any = true;
	for (int d = 0; d < rank; d++) {
		out->lo[d] = larger(a->lo[d], b->lo[d]);
		out->hi[d] = smaller(a->hi[d], b->hi[d]);
		any &= out->lo[d] < out->hi[d];
	}
	return any;
}

/* Slabs are cut off `rest` on both sides of b, one dimension after the other; what then remains of it is
 * the intersection. */
int het__box_subtract(int rank, const struct het__box *a, const struct het__box *b,
		      struct het__box out[HET__BOX_PIECES])
{
	struct het__box rest = *a;
	int count = 0;

	if (het__box_empty(rank, a))
		return 0;
	if (!het__box_overlaps(rank, a, b)) {
		out[0] = rest;
		return 1;
	}
	for (int d = 0; d < rank; d++) {
		if (rest.lo[d] < b->lo[d]) {
			out[count] = rest;
			out[count++].hi[d] = b->lo[d];
			rest.lo[d] = b->lo[d];
		}
		if (b->hi[d] < rest.hi[d]) {
			out[count] = rest;
			out[count++].lo[d] = b->hi[d];
			rest.hi[d] = b->hi[d];
		}
	}
	return count;
}

/* The only dimension in which the bounds differ; -1 when there is none or more than one. */
static int only_difference(int rank, const struct het__box *a, const struct het__box *b)
{
	int found = -1;
	for (int d = 0; d < rank; d++) {
		if (a->lo[d] == b->lo[d] && a->hi[d] == b->hi[d])
			continue;
		if (found >= 0)
			return -1;
		found = d;
	}
	return found;
}

void het__box_cover(int rank, struct het__box *a, const struct het__box *b)
{
	for (int d = 0; d < rank; d++) {
		a->lo[d] = smaller(a->lo[d], b->lo[d]);
		a->hi[d] = larger(a->hi[d], b->hi[d]);
	}
}

bool het__box_join(int rank, const struct het__box *a, const struct het__box *b, struct het__box *out)
{
	if (het__box_empty(rank, a) || het__box_empty(rank, b)) {
		*out = het__box_empty(rank, a) ? *b : *a;
		return true;
	}
	const int d = only_difference(rank, a, b);
	if (d < 0 || (a->hi[d] != b->lo[d] && b->hi[d] != a->lo[d]))
		return false;

	const int64_t lo = smaller(a->lo[d], b->lo[d]), hi = larger(a->hi[d], b->hi[d]);
	*out = *a;
	out->lo[d] = lo;
	out->hi[d] = hi;
	return true;
}

/* Bounds of opposite signs may be further apart than an int64_t tells: the difference is unsigned. */
uint64_t het__box_cells(int rank, const struct het__box *b)
{
	uint64_t cells = 1;
	if (het__box_empty(rank, b))
		return 0;
	for (int d = 0; d < rank; d++)
		cells *= (uint64_t)b->hi[d] - (uint64_t)b->lo[d];
	return cells;
}

const char *het__box_format(int rank, const struct het__box *b, char text[HET__BOX_TEXT])
{
	char *end = text;
	assert(rank >= 1 && rank <= HET_MAX_RANK);

	for (int d = 0; d < rank; d++) {
		const size_t room = (size_t)(text + HET__BOX_TEXT - end);
		end += snprintf(end, room, "%s%" PRId64 ":%" PRId64, d ? ", " : "[", b->lo[d], b->hi[d]);
	}
	*end++ = ']';
	*end = '\0';
	return text;
}

const char *het__point_format(int rank, const int64_t *index, char text[HET__POINT_TEXT])
{
	char *end = text;

	for (int d = 0; d < rank; d++)
		end += snprintf(end, (size_t)(text + HET__POINT_TEXT - end), "%s%" PRId64, d ? ", " : "(",
				index[d]);
	*end++ = ')';
	*end = '\0';
	return text;
}

const char *het__cells_format(const struct het__cells *cells, char text[HET__CELLS_TEXT])
{
	const int length = snprintf(text, HET__LABEL, "%s", cells->label);

	text[length] = ' ';
	het__box_format(cells->rank, &cells->box, text + length + 1);
	return text;
}

/* ---- parts ------------------------------------------------------------------------------------- */

/* Parts are runs of `run` indices of dimension `dim`, with all of the dimensions inside it. */
struct cut {
	int dim;
	uint64_t run, runs;
};

static uint64_t extent(const struct het__box *b, int d)
{
	return (uint64_t)(b->hi[d] - b->lo[d]);
}

static struct cut cut_of(int rank, const struct het__box *b, uint64_t most)
{
	struct cut cut = {.dim = rank - 1};
	uint64_t inner = 1;

	while (cut.dim > 0 && inner * extent(b, cut.dim) <= most)
		inner *= extent(b, cut.dim--);
	cut.run = most / inner < extent(b, cut.dim) ? most / inner : extent(b, cut.dim);
	cut.runs = (extent(b, cut.dim) + cut.run - 1) / cut.run;
	return cut;
}

uint64_t het__box_parts(int rank, const struct het__box *b, uint64_t most)
{
	struct cut cut;
	uint64_t parts;

	if (het__box_empty(rank, b))
		return 0;
	cut = cut_of(rank, b, most);
	parts = cut.runs;
	for (int d = 0; d < cut.dim; d++)
		parts *= extent(b, d);
	return parts;
}

void het__box_part(int rank, const struct het__box *b, uint64_t most, uint64_t index, struct het__box *out)
{
	const struct cut cut = cut_of(rank, b, most);
	const int64_t first = (int64_t)(index % cut.runs * cut.run);
	const int64_t left = b->hi[cut.dim] - b->lo[cut.dim] - first;

	*out = *b;
	out->lo[cut.dim] = b->lo[cut.dim] + first;
	out->hi[cut.dim] = out->lo[cut.dim] + (left < (int64_t)cut.run ? left : (int64_t)cut.run);
	index /= cut.runs;
	for (int d = cut.dim; d-- > 0; index /= extent(b, d)) {
		out->lo[d] = b->lo[d] + (int64_t)(index % extent(b, d));
		out->hi[d] = out->lo[d] + 1;
	}
}
