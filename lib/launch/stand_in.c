/* stand_in.c - images of arrays for rehearsals, and what can be seen of them afterwards. */

#include "launch/stand_in.h"

#include <string.h>

/* ---- elements ----------------------------------------------------------------------------------- */

int64_t het__stand_in_cells(const struct het__stand_in *s)
{
	int64_t cells = s->rows;

	for (int d = 1; d < s->rank; d++)
		cells *= s->extent[d];
	return cells;
}

size_t het__stand_in_bytes(const struct het__stand_in *s)
{
	return (size_t)het__stand_in_cells(s) * s->element_bytes;
}

/* A walk over all elements of an image, in their order. */
struct walk {
	int64_t index[HET_MAX_RANK];
	size_t at;                      /* its first byte */
	bool inside;                    /* of the box */
};

static bool is_inside(const struct het__stand_in *s, const int64_t *index)
{
	for (int d = 0; d < s->rank; d++)
		if (index[d] < s->box.lo[d] || index[d] >= s->box.hi[d])
			return false;
	return true;
}

static void begin(const struct het__stand_in *s, struct walk *walk)
{
	memset(walk, 0, sizeof *walk);
	walk->inside = is_inside(s, walk->index);
}

static void step(const struct het__stand_in *s, struct walk *walk)
{
	int d = s->rank - 1;

	for (walk->index[d]++; d > 0 && walk->index[d] == s->extent[d]; walk->index[d]++)
		walk->index[d--] = 0;
	walk->at += s->element_bytes;
	walk->inside = is_inside(s, walk->index);
}

/* ---- fillers ------------------------------------------------------------------------------------ */

/* Floating-point numbers so large that sums and comparisons with them tell, of both signs; each argument has
 * its own. */
static void real_filler(const struct het__stand_in *s, bool inside, int kind, size_t bytes, unsigned char *out)
{
	const double large = (inside ? 2097152 : 1048576) + 4096 * (s->arg + 1), real = kind ? -large : large;
	const float single = (float)real;
	const uint16_t half = (uint16_t)((inside ? 0x6800 : 0x6400) + s->arg + 1 + (kind ? 0x8000 : 0));

	memcpy(out, bytes == 8 ? (const void *)&real : bytes == 4 ? (const void *)&single : &half, bytes);
}

/* They may be indices outside of a box: 0, or 1. */
static void integer_filler(bool inside, int kind, size_t bytes, unsigned char *out)
{
	const uint64_t number = inside ? (kind ? 0xa5a5a5a5a5a5a5a5 : 0x5a5a5a5a5a5a5a5a) : (uint64_t)kind;
	const uint32_t int_number = (uint32_t)number;
	const uint16_t short_number = (uint16_t)number;
	const uint8_t char_number = (uint8_t)number;

	memcpy(out, bytes == 8   ? (const void *)&number
		    : bytes == 4 ? (const void *)&int_number
		    : bytes == 2 ? (const void *)&short_number
				 : &char_number,
	       bytes);
}

static void filler(const struct het__stand_in *s, bool inside, int kind, unsigned char *out)
{
	const unsigned base = HET_TYPE_BASE(s->type), lanes = HET_TYPE_LANES(s->type);
	const size_t bytes = s->element_bytes / (lanes == 3 ? 4 : lanes);

	if (base == HET_BASE_STRUCT) {
		memset(out, inside ? (kind ? 0xa5 : 0x5a) : (kind ? 0x3f : 0), s->element_bytes);
		return;
	}
	for (size_t at = 0; at < s->element_bytes; at += bytes)
		if (base == HET_BASE_REAL)
			real_filler(s, inside, kind, bytes, out + at);
		else
			integer_filler(inside, kind, bytes, out + at);
}

/* ---- images ------------------------------------------------------------------------------------- */

void het__stand_in_dress(struct het__stand_in *s)
{
	const int64_t cells = het__stand_in_cells(s);
	const unsigned char *content = s->content;
	struct walk walk;

	begin(s, &walk);
	for (int64_t cell = 0; cell < cells; cell++, step(s, &walk)) {
		const bool has_content = walk.inside && s->reads;

		for (int kind = 0; kind < 2; kind++)
			if (has_content)
				memcpy(s->before[kind] + walk.at, content, s->element_bytes);
			else
				filler(s, walk.inside, kind, s->before[kind] + walk.at);
		content += has_content ? s->element_bytes : 0;
	}
}

void het__stand_in_give(struct het__stand_in *s, int inside, int outside)
{
	const int64_t cells = het__stand_in_cells(s);
	struct walk walk;

	begin(s, &walk);
	for (int64_t cell = 0; cell < cells; cell++, step(s, &walk))
		memcpy(s->given + walk.at, s->before[walk.inside ? inside : outside] + walk.at,
		       s->element_bytes);
}

/* ---- what is seen ------------------------------------------------------------------------------- */

static void see(const struct het__stand_in *s, const struct walk *walk, struct het__seen *seen)
{
	if (seen->count++ > 0)
		return;
	memcpy(seen->first, walk->index, sizeof seen->first);
	seen->is_behind = walk->index[0] >= s->extent[0];
}

static bool is_same(const struct het__stand_in *s, const struct walk *walk, const unsigned char *a,
		    const unsigned char *b)
{
	return memcmp(a + walk->at, b + walk->at, s->element_bytes) == 0;
}

struct het__seen het__stand_in_strayed(const struct het__stand_in *s, int run)
{
	const int64_t cells = s->is_fixed ? 0 : het__stand_in_cells(s);
	struct het__seen seen = {.count = 0};
	struct walk walk;

	begin(s, &walk);
	for (int64_t cell = 0; cell < cells; cell++, step(s, &walk))
		if (!(walk.inside && s->writes) && !is_same(s, &walk, s->before[run], s->after[run]))
			see(s, &walk, &seen);
	return seen;
}

struct het__seen het__stand_in_left(const struct het__stand_in *s)
{
	const int64_t cells = s->writes && !s->reads ? het__stand_in_cells(s) : 0;
	struct het__seen seen = {.count = 0};
	struct walk walk;

	begin(s, &walk);
	for (int64_t cell = 0; cell < cells; cell++, step(s, &walk))
		if (walk.inside && is_same(s, &walk, s->before[0], s->after[0]) &&
		    is_same(s, &walk, s->before[1], s->after[1]))
			see(s, &walk, &seen);
	return seen;
}

struct het__seen het__stand_in_differs(const struct het__stand_in *s, const unsigned char *a, int a_kind,
				       const unsigned char *b, int b_kind)
{
	const unsigned char *const a_before = s->before[a_kind], *const b_before = s->before[b_kind];
	const int64_t cells = s->writes && !s->is_combined ? het__stand_in_cells(s) : 0;
	struct het__seen seen = {.count = 0};
	struct walk walk;

	begin(s, &walk);
	for (int64_t cell = 0; cell < cells; cell++, step(s, &walk)) {
		bool is_other = false;

		if (!walk.inside || is_same(s, &walk, a, b))
			continue;
		for (size_t i = walk.at; i < walk.at + s->element_bytes; i++)
			is_other |= a[i] != b[i] && (a[i] != a_before[i] || b[i] != b_before[i]);
		if (is_other)
			see(s, &walk, &seen);
	}
	return seen;
}
