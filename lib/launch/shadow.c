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

/* A walk over all elements of an image, in their order. It goes by stretches, each so short that it stays in
 * a cache while several images are looked at. All of a stretch is inside of the box, or nothing; of the array
 * likewise. */
struct walk {
	int last;                       /* the dimension it goes along; in those behind it the box is all */
	int64_t unit;                   /* elements of each index there */
	int64_t index[HET_MAX_RANK];    /* in the dimensions before that one; */
	int64_t along;                  /* in that one, in elements */
	int64_t cell, cells;            /* the number of a stretch's first element, and how many there are */
	int64_t count;                  /* elements of the stretch */
	size_t at;                      /* its first byte */
	bool inside, of_array;
};

enum { STRETCH_MOST = 1024 };

/* Ends the stretch at an edge that lies within it. */
static void stop_at(struct walk *walk, int64_t edge)
{
	const int64_t left = edge * walk->unit - walk->along;

	if (left > 0 && left < walk->count)
		walk->count = left;
}

static bool is_in(const struct walk *walk, const int64_t *lo, const int64_t *hi)
{
	const int last = walk->last;

	for (int d = 0; d < last; d++)
		if (walk->index[d] < lo[d] || walk->index[d] >= hi[d])
			return false;
	return walk->along >= lo[last] * walk->unit && walk->along < hi[last] * walk->unit;
}

static int64_t end_of(const struct het__shadow *s, int d)
{
	return d ? het__shadow_across(s, d) : s->rows;
}

static void look_ahead(const struct het__shadow *s, struct walk *walk)
{
	static const int64_t origin[HET_MAX_RANK];
	const int last = walk->last;

	walk->count = STRETCH_MOST;
	stop_at(walk, 0);
	stop_at(walk, s->box.lo[last]);
	stop_at(walk, s->box.hi[last]);
	if (s->wraps) {
		stop_at(walk, s->across.lo[last]);
		stop_at(walk, s->across.hi[last]);
	}
	stop_at(walk, s->extent[last]);
	stop_at(walk, end_of(s, last));
	walk->inside = is_in(walk, s->box.lo, s->box.hi) ||
		       (s->wraps && is_in(walk, s->across.lo, s->across.hi));
	walk->of_array = is_in(walk, origin, s->extent);
}

static bool is_all_across(const struct het__shadow *s, int d)
{
	const int64_t across = het__shadow_across(s, d);

	return s->box.lo[d] == 0 && s->box.hi[d] == across && s->extent[d] == across;
}

static struct walk begin(const struct het__shadow *s)
{
	struct walk walk = {.last = s->rank - 1, .unit = 1, .cells = het__shadow_cells(s)};

	for (; walk.last > 0 && is_all_across(s, walk.last); walk.last--)
		walk.unit *= het__shadow_across(s, walk.last);
	if (walk.last > 0)
		walk.index[0] = -s->front;
	else
		walk.along = -(s->front * walk.unit);
	look_ahead(s, &walk);
	return walk;
}

/* At most to the end of the stretch. */
static void step(const struct het__shadow *s, struct walk *walk, int64_t count)
{
	int d = walk->last;

	walk->cell += count;
	walk->at += (size_t)count * s->element_bytes;
	walk->along += count;
	if (walk->along == end_of(s, d) * walk->unit && d > 0) {
		walk->along = 0;
		for (walk->index[--d]++; d > 0 && walk->index[d] == het__shadow_across(s, d); walk->index[d]++)
			walk->index[d--] = 0;
	}
	look_ahead(s, walk);
}

static size_t stretch_bytes(const struct het__shadow *s, const struct walk *walk)
{
	return (size_t)walk->count * s->element_bytes;
}

/* ---- fillers ------------------------------------------------------------------------------------ */

/* Neighbours, arguments, and inside and outside of a box have numbers of their own: what is made of several
 * does not cancel out. The next element's number is a step more. */
#define MIXTURE UINT64_C(0x9e3779b97f4a7c15)
#define MIXTURE_STEP (2 * HET__ARGS_MOST * MIXTURE)

static uint64_t mixture(const struct het__shadow *s, int64_t cell, bool inside)
{
	return (uint64_t)cell * MIXTURE_STEP + ((uint64_t)s->arg * 2 + inside + 1) * MIXTURE;
}

static unsigned mixed(uint64_t mix)
{
	return (unsigned)(mix >> 52);
}

/* From a million up, or from minus three millions down, so that sums, products and comparisons tell. In half
 * precision thousands. */
static inline void real_filler(unsigned mix, int kind, size_t bytes, unsigned char *out)
{
	const double real = kind ? -3e6 - 256.0 * mix : 1e6 + 256.0 * mix;
	const float single = (float)real;
	const uint16_t half = (uint16_t)((kind ? 0xec00 : 0x6400) + mix % 512);

	if (bytes == 8)
		memcpy(out, &real, 8);
	else if (bytes == 4)
		memcpy(out, &single, 4);
	else
		memcpy(out, &half, 2);
}

/* They may be indices, or numbers of iterations: 0 and 1, inside of a box 2 and 3; of the other kind 1 or 2
 * more, never less: a sum of however many tells. */
static inline void integer_filler(unsigned mix, bool inside, int kind, size_t bytes, unsigned char *out)
{
	const uint64_t number = (mix & 1) + 2U * inside + (kind ? 1 + (mix >> 1 & 1) : 0);
	const uint32_t int_number = (uint32_t)number;
	const uint16_t short_number = (uint16_t)number;

	if (bytes == 8)
		memcpy(out, &number, 8);
	else if (bytes == 4)
		memcpy(out, &int_number, 4);
	else if (bytes == 2)
		memcpy(out, &short_number, 2);
	else
		*out = (unsigned char)number;
}

/* Fills all numbers of one element. */
static void filler(const struct het__shadow *s, unsigned mix, bool inside, int kind, unsigned char *out)
{
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

/* The most frequent elements have loops of their own. */
static void fillers(const struct het__shadow *s, const struct walk *walk, int kind, unsigned char *out)
{
	const size_t bytes = s->element_bytes;
	const unsigned char *const end = out + stretch_bytes(s, walk);
	uint64_t mix = mixture(s, walk->cell, walk->inside);

	if (s->type == HET_FLOAT)
		for (; out < end; out += 4, mix += MIXTURE_STEP)
			real_filler(mixed(mix), kind, 4, out);
	else if (s->type == HET_DOUBLE)
		for (; out < end; out += 8, mix += MIXTURE_STEP)
			real_filler(mixed(mix), kind, 8, out);
	else if (s->type == HET_INT || s->type == HET_UINT)
		for (; out < end; out += 4, mix += MIXTURE_STEP)
			integer_filler(mixed(mix), walk->inside, kind, 4, out);
	else
		for (; out < end; out += bytes, mix += MIXTURE_STEP)
			filler(s, mixed(mix), walk->inside, kind, out);
}

/* ---- images ------------------------------------------------------------------------------------- */

/* What the elements of a stretch are: `content` in all images, or else `truth` and `moved` in those of the
 * kinds made of the array. NULL: not so. After moved_bytes of `moved` the array ends, and begins anew. */
struct fillers {
	const unsigned char *content, *truth, *moved;
	size_t moved_bytes;
};

static void fill_moved(const struct het__shadow *s, const struct walk *walk, const struct fillers *with)
{
	unsigned char *const out = s->before[HET__MOVED_FILLER] + walk->at;
	const size_t bytes = stretch_bytes(s, walk);
	const size_t first = bytes < with->moved_bytes ? bytes : with->moved_bytes;

	memcpy(out, with->moved, first);
	memcpy(out + first, s->now, bytes - first);
}

static void fill(const struct het__shadow *s, const struct walk *walk, const struct fillers *with)
{
	for (int kind = 0; kind < HET__FILLERS; kind++) {
		unsigned char *const out = s->before[kind] + walk->at;

		if (with->content)
			memcpy(out, with->content, stretch_bytes(s, walk));
		else if (kind == HET__TRUE_FILLER && with->truth)
			memcpy(out, with->truth, stretch_bytes(s, walk));
		else if (kind == HET__MOVED_FILLER && with->moved)
			fill_moved(s, walk, with);
		else if (kind < HET__TRUE_FILLER)
			fillers(s, walk, kind, out);
		else
			memcpy(out, s->before[HET__FILLER] + walk->at, stretch_bytes(s, walk));
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
	for (struct walk walk = begin(s); walk.cell < walk.cells; step(s, &walk, walk.count)) {
		struct fillers with = {NULL, NULL, NULL, 0};

		if (s->knows_truth && walk.of_array) {
			with.truth = s->now + element * bytes;
			with.moved = s->now + moved(element, elements) * bytes;
			with.moved_bytes = (elements - moved(element, elements)) * bytes;
			element += (size_t)walk.count;
		}
		if (walk.inside && s->reads) {
			with.content = s->knows_truth ? with.truth : content;
			content += stretch_bytes(s, &walk);
		}
		fill(s, &walk, &with);
	}
}

void het__shadow_share(struct het__shadow *s, const struct het__shadow *other)
{
	struct walk walk = begin(s), others = begin(other);

	while (walk.cell < walk.cells) {
		const int64_t count = walk.count < others.count ? walk.count : others.count;
		const size_t bytes = (size_t)count * s->element_bytes;

		for (int kind = 0; kind < HET__FILLERS && !walk.inside && others.inside; kind++)
			memcpy(s->before[kind] + walk.at, other->before[kind] + walk.at, bytes);
		step(s, &walk, count);
		step(other, &others, count);
	}
}

bool het__shadow_is_same(const struct het__shadow *s, int kind, int other)
{
	return memcmp(s->before[kind], s->before[other], het__shadow_bytes(s)) == 0;
}

/* Takes the elements of some indices of a dimension from another image. */
static void take_back(struct het__shadow *s, const unsigned char *from, int d, int64_t lo, int64_t hi)
{
	const int64_t cells = het__shadow_cells(s);
	int64_t across = 1, step; /* elements of an index, and from one time to the next */

	for (int k = d + 1; k < s->rank; k++)
		across *= het__shadow_across(s, k);
	step = d ? across * het__shadow_across(s, d) : cells;
	if (lo >= hi)
		return;
	for (int64_t cell = ((d ? 0 : s->front) + lo) * across; cell < cells; cell += step) {
		const size_t at = (size_t)cell * s->element_bytes;

		memcpy(s->now + at, from + at, (size_t)((hi - lo) * across) * s->element_bytes);
	}
}

static void take_band_back(struct het__shadow *s, const unsigned char *from, const struct het__band *band)
{
	const int d = band->dimension;
	const int64_t end = s->extent[d], lo = band->lo, hi = band->hi;

	take_back(s, from, d, lo > 0 ? lo : 0, hi < end ? hi : end);
	if (band->wraps && lo < 0)
		take_back(s, from, d, lo + end > 0 ? lo + end : 0, end);
	if (band->wraps && hi > end)
		take_back(s, from, d, 0, hi - end < end ? hi - end : end);
}

/* What is read of the box may be an index. So integers become other small ones, and elements of other types
 * become others of their stretch. */
static void turn(struct het__shadow *s, const struct walk *walk, const unsigned char *from)
{
	const bool is_integer = HET_TYPE_BASE(s->type) != HET_BASE_REAL &&
				HET_TYPE_BASE(s->type) != HET_BASE_STRUCT;
	const size_t bytes = stretch_bytes(s, walk), by = (size_t)(walk->count / 3 + 1) % (size_t)walk->count;
	const size_t first = bytes - by * s->element_bytes;

	if (is_integer) {
		fillers(s, walk, HET__OTHER_FILLER, s->now + walk->at);
		return;
	}
	memcpy(s->now + walk->at, from + walk->at + by * s->element_bytes, first);
	memcpy(s->now + walk->at + first, from + walk->at, bytes - first);
}

void het__shadow_compose(struct het__shadow *s, int kind, const struct het__change *change)
{
	s->given_to_run = s->before[kind];
	if (!change)
		return;
	memcpy(s->now, s->before[kind], het__shadow_bytes(s));
	for (struct walk walk = begin(s); walk.cell < walk.cells && change->is_all; step(s, &walk, walk.count))
		if (walk.inside)
			turn(s, &walk, s->before[kind]);
	for (struct walk walk = begin(s); walk.cell < change->to; step(s, &walk, walk.count)) {
		const int64_t skipped = change->from > walk.cell ? change->from - walk.cell : 0;
		const int64_t end = walk.cell + walk.count < change->to ? walk.cell + walk.count : change->to;
		const size_t at = walk.at + (size_t)skipped * s->element_bytes;

		if (walk.cell + skipped < end && !(walk.inside && change->is_all))
			memcpy(s->now + at, s->before[walk.inside ? change->inside : change->outside] + at,
			       (size_t)(end - walk.cell - skipped) * s->element_bytes);
	}
	if (change->but)
		take_band_back(s, s->before[kind], change->but);
	s->given_to_run = s->now;
}

/* ---- what is seen ------------------------------------------------------------------------------- */

/* Is what is looked for in any element of the stretch? `which`: the run, where one is looked at. */
typedef bool sight(const struct het__shadow *s, const struct walk *walk, int which);

/* In a stretch that has some of it: counts the elements that have, and keeps the first of all. */
static void see_each(const struct het__shadow *s, struct walk one, sight *is, int which, struct het__seen *seen)
{
	const int64_t end = one.cell + one.count;

	for (one.count = 1; one.cell < end; one.cell++, one.at += s->element_bytes) {
		const int64_t count = seen->count;

		if (!is(s, &one, which))
			continue;
		if (count == 0)
			*seen = het__shadow_cell(s, one.cell);
		seen->count = count + 1;
	}
}

static struct het__seen see(const struct het__shadow *s, sight *is, int which)
{
	struct het__seen seen = {.count = 0};

	for (struct walk walk = begin(s); walk.cell < walk.cells; step(s, &walk, walk.count))
		if (is(s, &walk, which))
			see_each(s, walk, is, which, &seen);
	return seen;
}

static bool is_changed(const struct het__shadow *s, const struct walk *walk, int run)
{
	const unsigned char *const before = s->before[s->kind[run]];

	return memcmp(before + walk->at, s->after[run] + walk->at, stretch_bytes(s, walk)) != 0;
}

static bool is_written_outside(const struct het__shadow *s, const struct walk *walk, int run)
{
	return !(walk->inside && s->writes) && is_changed(s, walk, run);
}

struct het__seen het__shadow_written_outside(const struct het__shadow *s, int run)
{
	return see(s, is_written_outside, run);
}

static inline bool is_same_number(const unsigned char *a, const unsigned char *b, size_t bytes)
{
	switch (bytes) {
	case 1: return *a == *b;
	case 2: return memcmp(a, b, 2) == 0;
	case 4: return memcmp(a, b, 4) == 0;
	default: return memcmp(a, b, 8) == 0;
	}
}

/* Have both runs left this number as it was? */
static bool is_left(const struct het__shadow *s, size_t at, size_t bytes)
{
	return is_same_number(s->before[0] + at, s->after[0] + at, bytes) &&
	       is_same_number(s->before[1] + at, s->after[1] + at, bytes);
}

/* Has any of these structs been left as a whole? */
static bool is_struct_left(const struct het__shadow *s, const struct walk *walk)
{
	const size_t bytes = s->element_bytes, end = walk->at + stretch_bytes(s, walk);

	for (size_t at = walk->at; at < end; at += bytes)
		if (memcmp(s->before[0] + at, s->after[0] + at, bytes) == 0 &&
		    memcmp(s->before[1] + at, s->after[1] + at, bytes) == 0)
			return true;
	return false;
}

/* (In a vector of three lanes, the room of the fourth does not count.) */
static bool is_unwritten(const struct het__shadow *s, const struct walk *walk, int which)
{
	const size_t bytes = het__type_number_bytes(s->type), used = HET_TYPE_LANES(s->type) * bytes;
	const size_t end = walk->at + stretch_bytes(s, walk);

	(void)which;
	if (!walk->inside)
		return false;
	if (HET_TYPE_BASE(s->type) == HET_BASE_STRUCT)
		return is_struct_left(s, walk);
	for (size_t element = walk->at; element < end; element += s->element_bytes)
		for (size_t at = element; at < element + used; at += bytes)
			if (is_left(s, at, bytes))
				return true;
	return false;
}

struct het__seen het__shadow_unwritten(const struct het__shadow *s)
{
	return s->writes && !s->reads ? see(s, is_unwritten, 0) : (struct het__seen){.count = 0};
}

/* Have the runs made different things of a lane, other than what each was given? Structs are compared by bytes,
 * because those between members stay as they were. */
static bool is_other(const struct het__shadow *s, const struct walk *walk, int which)
{
	const unsigned char *const a = s->after[0], *const b = s->after[1];
	const size_t bytes = het__type_number_bytes(s->type), end = walk->at + stretch_bytes(s, walk);

	(void)which;
	if (!walk->inside || memcmp(a + walk->at, b + walk->at, end - walk->at) == 0)
		return false;
	for (size_t at = walk->at; at < end; at += bytes)
		if (!is_same_number(a + at, b + at, bytes) &&
		    (!is_same_number(a + at, s->before[0] + at, bytes) ||
		     !is_same_number(b + at, s->given_to_run + at, bytes)))
			return true;
	return false;
}

struct het__seen het__shadow_differs(const struct het__shadow *s)
{
	return s->writes && !s->is_const ? see(s, is_other, 1) : (struct het__seen){.count = 0};
}
