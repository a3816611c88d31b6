/* shadow.c - images of arrays for rehearsals, and what can be seen of them afterwards. */

#include "launch/shadow.h"

#include <string.h>

#include "base/type.h"
#include "launch/args.h"

/* ---- elements ----------------------------------------------------------------------------------- */

static int64_t cells_of(const struct het__shadow *s, int64_t rows)
{
	int64_t cells = rows;

	for (int d = 1; d < s->rank; d++)
		cells *= het__shadow_across(s, d);
	return cells;
}

int64_t het__shadow_cells(const struct het__shadow *s)
{
	return cells_of(s, s->front + s->rows);
}

int64_t het__shadow_front_cells(const struct het__shadow *s)
{
	return cells_of(s, s->front);
}

size_t het__shadow_bytes(const struct het__shadow *s)
{
	return (size_t)het__shadow_cells(s) * s->element_bytes;
}

size_t het__shadow_front_bytes(const struct het__shadow *s)
{
	return (size_t)het__shadow_front_cells(s) * s->element_bytes;
}

struct het__seen het__shadow_cell(const struct het__shadow *s, int64_t cell)
{
	struct het__seen seen = {.count = 1};

	for (int d = s->rank - 1; d > 0; d--) {
		seen.first[d] = cell % het__shadow_across(s, d);
		cell /= het__shadow_across(s, d);
	}
	seen.first[0] = cell - s->front;
	seen.is_before = seen.first[0] < 0;
	seen.is_behind = seen.first[0] >= s->extent[0];
	seen.is_between = s->rank > 1 && seen.first[s->rank - 1] >= s->extent[s->rank - 1];
	return seen;
}

/* A walk over all elements of an image, in their order. */
struct walk {
	int64_t index[HET_MAX_RANK];
	int64_t cell, cells;            /* its number, and how many there are */
	size_t at;                      /* its first byte */
	bool inside;                    /* of the box */
};

static bool is_inside(const struct het__shadow *s, const int64_t *index)
{
	for (int d = 0; d < s->rank; d++)
		if (index[d] < s->box.lo[d] || index[d] >= s->box.hi[d])
			return false;
	return true;
}

static struct walk begin(const struct het__shadow *s)
{
	struct walk walk = {.index = {-s->front}, .cells = het__shadow_cells(s)};

	walk.inside = is_inside(s, walk.index);
	return walk;
}

static void step(const struct het__shadow *s, struct walk *walk)
{
	int d = s->rank - 1;

	for (walk->index[d]++; d > 0 && walk->index[d] == het__shadow_across(s, d); walk->index[d]++)
		walk->index[d--] = 0;
	walk->cell++;
	walk->at += s->element_bytes;
	walk->inside = is_inside(s, walk->index);
}

/* ---- fillers ------------------------------------------------------------------------------------ */

/* Neighbours, arguments, and inside and outside of a box have numbers of their own: what is made of several
 * does not cancel out. */
static unsigned mixed(const struct het__shadow *s, int64_t cell, bool inside)
{
	const uint64_t number = (uint64_t)cell * 2 * HET__ARGS_MOST + (uint64_t)s->arg * 2 + inside + 1;

	return (unsigned)(number * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

/* A million and more, or minus three millions and more, so that sums, products and comparisons tell. In half
 * precision thousands. */
static void real_filler(unsigned mix, int kind, size_t bytes, unsigned char *out)
{
	const double real = kind ? -3e6 - 256.0 * mix : 1e6 + 256.0 * mix;
	const float single = (float)real;
	const uint16_t half = (uint16_t)((kind ? 0xec00 : 0x6400) + mix % 512);

	memcpy(out, bytes == 8 ? (const void *)&real : bytes == 4 ? (const void *)&single : &half, bytes);
}

/* They may be indices, or numbers of iterations: 0 and 1, inside of a box 2 and 3; of the other kind 1 or 2
 * more, never less: a sum of however many tells. */
static void integer_filler(unsigned mix, bool inside, int kind, size_t bytes, unsigned char *out)
{
	const uint64_t number = (mix & 1) + 2U * inside + (kind ? 1 + (mix >> 1 & 1) : 0);
	const uint32_t int_number = (uint32_t)number;
	const uint16_t short_number = (uint16_t)number;
	const uint8_t char_number = (uint8_t)number;

	memcpy(out,
	       bytes == 8   ? (const void *)&number
	       : bytes == 4 ? (const void *)&int_number
	       : bytes == 2 ? (const void *)&short_number
			    : &char_number,
	       bytes);
}

static void filler(const struct het__shadow *s, int64_t cell, bool inside, int kind, unsigned char *out)
{
	const unsigned mix = mixed(s, cell, inside);
	const size_t bytes = het__type_number_bytes(s->type);

	if (HET_TYPE_BASE(s->type) == HET_BASE_STRUCT) {
		memset(out, kind ? (mix & 1 ? 0x41 : 0x3f) : (mix & 1 ? 0x20 : 0), s->element_bytes);
		return;
	}
	for (size_t at = 0; at < s->element_bytes; at += bytes)
		if (HET_TYPE_BASE(s->type) == HET_BASE_REAL)
			real_filler(mix, kind, bytes, out + at);
		else
			integer_filler(mix, inside, kind, bytes, out + at);
}

/* ---- images ------------------------------------------------------------------------------------- */

static bool is_of_array(const struct het__shadow *s, const int64_t *index)
{
	for (int d = 0; d < s->rank; d++)
		if (index[d] < 0 || index[d] >= s->extent[d])
			return false;
	return true;
}

/* What an element of all images is: of each `content`, or else what those kinds have that are made of the
 * array. NULL: nothing. */
struct fillers {
	const unsigned char *content, *truth, *moved;
};

static void fill(const struct het__shadow *s, const struct walk *walk, const struct fillers *with)
{
	for (int kind = 0; kind < HET__FILLERS; kind++) {
		const unsigned char *const from = with->content		      ? with->content
						  : kind == HET__TRUE_FILLER  ? with->truth
						  : kind == HET__MOVED_FILLER ? with->moved
									      : NULL;
		unsigned char *const out = s->before[kind] + walk->at;

		if (from)
			memcpy(out, from, s->element_bytes);
		else
			filler(s, walk->cell, walk->inside, kind < HET__TRUE_FILLER ? kind : HET__FILLER, out);
	}
}

/* Of an array's element: another one's, in large arrays neither a neighbour nor one in the middle. */
static size_t moved(size_t element, size_t elements)
{
	return (element + elements / 3 + 1) % elements;
}

void het__shadow_fill(struct het__shadow *s)
{
	const size_t bytes = s->element_bytes;
	size_t elements = 1, element = 0;
	const unsigned char *content = s->content;

	for (int d = 0; d < s->rank; d++)
		elements *= (size_t)s->extent[d];
	for (struct walk walk = begin(s); walk.cell < walk.cells; step(s, &walk)) {
		struct fillers with = {NULL, NULL, NULL};

		if (s->knows_truth && is_of_array(s, walk.index)) {
			with.truth = s->now + element * bytes;
			with.moved = s->now + moved(element++, elements) * bytes;
		}
		if (walk.inside && s->reads) {
			with.content = content;
			content += bytes;
		}
		fill(s, &walk, &with);
	}
}

void het__shadow_share(struct het__shadow *s, const struct het__shadow *other)
{
	for (struct walk walk = begin(s); walk.cell < walk.cells; step(s, &walk))
		if (!walk.inside && is_inside(other, walk.index))
			for (int kind = 0; kind < HET__FILLERS; kind++)
				memcpy(s->before[kind] + walk.at, other->before[kind] + walk.at,
				       s->element_bytes);
}

void het__shadow_compose(struct het__shadow *s, int kind, const struct het__change *change)
{
	memcpy(s->now, s->before[kind], het__shadow_bytes(s));
	for (struct walk walk = begin(s); change && walk.cell < change->to; step(s, &walk))
		if (walk.cell >= change->from)
			memcpy(s->now + walk.at,
			       s->before[walk.inside ? change->inside : change->outside] + walk.at,
			       s->element_bytes);
}

/* ---- what is seen ------------------------------------------------------------------------------- */

/* What is looked for in an element: of run `which`, or of fillers of that kind. */
typedef bool sight(const struct het__shadow *s, const struct walk *walk, int which);

static struct het__seen see(const struct het__shadow *s, sight *is, int which)
{
	struct het__seen seen = {.count = 0};
	int64_t count = 0;

	for (struct walk walk = begin(s); walk.cell < walk.cells; step(s, &walk)) {
		if (!is(s, &walk, which))
			continue;
		if (count++ == 0)
			seen = het__shadow_cell(s, walk.cell);
	}
	seen.count = count;
	return seen;
}

static bool is_kept(const struct het__shadow *s, const struct walk *walk, int run)
{
	return memcmp(s->before[s->kind[run]] + walk->at, s->after[run] + walk->at, s->element_bytes) == 0;
}

static bool is_written_outside(const struct het__shadow *s, const struct walk *walk, int run)
{
	return !(walk->inside && s->writes) && !is_kept(s, walk, run);
}

struct het__seen het__shadow_written_outside(const struct het__shadow *s, int run)
{
	return see(s, is_written_outside, run);
}

/* Have both runs left this lane as it was? */
static bool is_left(const struct het__shadow *s, const struct walk *walk, int lane)
{
	const size_t bytes = het__type_number_bytes(s->type), at = walk->at + (size_t)lane * bytes;

	return memcmp(s->before[0] + at, s->after[0] + at, bytes) == 0 &&
	       memcmp(s->before[1] + at, s->after[1] + at, bytes) == 0;
}

/* A struct when nothing of it was written. (Of three lanes the room of a fourth does not count.) */
static bool is_unwritten(const struct het__shadow *s, const struct walk *walk, int which)
{
	const int lanes = (int)HET_TYPE_LANES(s->type);
	int left = 0;

	(void)which;
	if (HET_TYPE_BASE(s->type) == HET_BASE_STRUCT)
		return walk->inside && is_kept(s, walk, 0) && is_kept(s, walk, 1);
	for (int lane = 0; lane < lanes && walk->inside; lane++)
		left += is_left(s, walk, lane);
	return left > 0;
}

struct het__seen het__shadow_unwritten(const struct het__shadow *s)
{
	return s->writes && !s->reads ? see(s, is_unwritten, 0) : (struct het__seen){.count = 0};
}

/* Have the runs made something else of a lane, which is not what each was given? Of a struct, of a byte: those
 * between its members stay as they were. */
static bool is_other(const struct het__shadow *s, const struct walk *walk, int which)
{
	const unsigned char *const a = s->after[0], *const b = s->after[1];
	const size_t bytes = het__type_number_bytes(s->type);
	const size_t end = walk->inside ? walk->at + s->element_bytes : walk->at;

	(void)which;
	for (size_t at = walk->at; at < end; at += bytes)
		if (memcmp(a + at, b + at, bytes) != 0 && (memcmp(a + at, s->before[0] + at, bytes) != 0 ||
							   memcmp(b + at, s->now + at, bytes) != 0))
			return true;
	return false;
}

struct het__seen het__shadow_differs(const struct het__shadow *s)
{
	return s->writes && !s->is_const ? see(s, is_other, 1) : (struct het__seen){.count = 0};
}
