/* test_box.c - the algebra of boxes against a bitmap that knows only single cells. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "box/box.h"
#include "random.h"
#include "suite.h"

/* Random boxes lie on a grid of side^rank cells whose first index is ORIGIN in every dimension. */
#define ORIGIN (-3)
#define MOST_CELLS 1300
#define CASES_PER_RANK 12000

static const int side_of_rank[] = {0, 30, 14, 9, 6};

struct grid {
	int rank, side, cells;
	int hits[MOST_CELLS]; /* how many of the painted boxes hold the cell */
};

static struct grid grid_of(int rank)
{
	struct grid g = {.rank = rank, .side = side_of_rank[rank], .cells = 1};
	for (int d = 0; d < rank; d++)
		g.cells *= g.side;
	return g;
}

static int holds(const struct grid *g, const struct het__box *b, int cell)
{
	for (int d = 0; d < g->rank; d++) {
		const int at = ORIGIN + cell % g->side;
		if (at < b->lo[d] || at >= b->hi[d])
			return 0;
		cell /= g->side;
	}
	return 1;
}

static void paint(struct grid *g, const struct het__box *b)
{
	for (int i = 0; i < g->cells; i++)
		g->hits[i] += holds(g, b, i);
}

static int cells_painted(const struct grid *g)
{
	int painted = 0;
	for (int i = 0; i < g->cells; i++)
		painted += g->hits[i] > 0;
	return painted;
}

/* Mostly proper boxes; now and then an empty or inverted one. What is beyond the rank is rubbish, which
 * nobody may look at. */
static struct het__box random_box(const struct grid *g)
{
	struct het__box b;
	memset(&b, 0x5a, sizeof b);
	for (int d = 0; d < g->rank; d++) {
		const int x = random_in(0, g->side), y = random_in(0, g->side);
		const int inverted = random_once_in(12 * g->rank);
		b.lo[d] = ORIGIN + (inverted || x < y ? x : y);
		b.hi[d] = ORIGIN + (inverted || x < y ? y : x);
		if (x == y && !random_once_in(4))
			b.hi[d] += b.hi[d] < ORIGIN + g->side ? 1 : 0;
	}
	return b;
}

static const char *text_of(int rank, const struct het__box *b)
{
	static char texts[4][HET__BOX_TEXT];
	static int turn;
	turn = (turn + 1) % 4;
	return het__box_format(rank, b, texts[turn]);
}

/* Check's own assertions report to their parent each time, far too slow for millions of cells. */
static void expect(int is_so, const char *what, int rank, const struct het__box *a, const struct het__box *b)
{
	if (!is_so)
		ck_abort_msg("%s: rank %d, a = %s, b = %s", what, rank, text_of(rank, a), text_of(rank, b));
}

/* ---- against the bitmap ------------------------------------------------------------------------ */

static void check_predicates(int rank, const struct het__box *a, const struct het__box *b)
{
	struct grid in_a = grid_of(rank), in_b = grid_of(rank);
	int both = 0, only_b = 0, of_a = 0;
	paint(&in_a, a);
	paint(&in_b, b);
	for (int i = 0; i < in_a.cells; i++) {
		both += in_a.hits[i] && in_b.hits[i];
		only_b += !in_a.hits[i] && in_b.hits[i];
		of_a += in_a.hits[i];
	}
	expect(het__box_empty(rank, a) == (of_a == 0), "empty", rank, a, b);
	expect(het__box_cells(rank, a) == (uint64_t)of_a, "cells", rank, a, b);
	expect(het__box_overlaps(rank, a, b) == (both > 0), "overlaps", rank, a, b);
	expect(het__box_contains(rank, a, b) == (only_b == 0), "contains", rank, a, b);
	expect(het__box_equal(rank, a, a), "equal", rank, a, b);
	if (of_a > 0)
		expect(het__box_equal(rank, a, b) == (both == of_a && only_b == 0), "equal", rank, a, b);
}

static void check_intersect(int rank, const struct het__box *a, const struct het__box *b)
{
	struct grid in_a = grid_of(rank), in_b = grid_of(rank), in_out = grid_of(rank);
	struct het__box out, into_a = *a, into_b = *b;
	const bool any = het__box_intersect(rank, a, b, &out);
	paint(&in_a, a);
	paint(&in_b, b);
	if (any)
		paint(&in_out, &out);
	for (int i = 0; i < in_a.cells; i++)
		expect(in_out.hits[i] == (in_a.hits[i] && in_b.hits[i]), "intersect", rank, a, b);
	expect(any == (cells_painted(&in_out) > 0), "intersect", rank, a, b);

	expect(het__box_intersect(rank, &into_a, b, &into_a) == any, "intersect in place", rank, a, b);
	expect(het__box_intersect(rank, a, &into_b, &into_b) == any, "intersect in place", rank, a, b);
	if (!any)
		return;
	expect(het__box_equal(rank, &into_a, &out), "intersect in place", rank, a, b);
	expect(het__box_equal(rank, &into_b, &out), "intersect in place", rank, a, b);
}

/* Every cell of a that is not in b lies in exactly one piece, every other cell in none. */
static void check_subtract(int rank, const struct het__box *a, const struct het__box *b)
{
	struct grid in_a = grid_of(rank), in_b = grid_of(rank), in_pieces = grid_of(rank);
	struct het__box pieces[HET__BOX_PIECES];
	const int count = het__box_subtract(rank, a, b, pieces);
	expect(count >= 0 && count <= 2 * rank, "subtract", rank, a, b);
	for (int i = 0; i < count; i++) {
		expect(!het__box_empty(rank, &pieces[i]), "subtract", rank, a, b);
		paint(&in_pieces, &pieces[i]);
	}
	paint(&in_a, a);
	paint(&in_b, b);
	for (int i = 0; i < in_a.cells; i++)
		expect(in_pieces.hits[i] == (in_a.hits[i] && !in_b.hits[i]), "subtract", rank, a, b);
}

/* The union is a box exactly when its bounding box has no further cells. */
static void check_join(int rank, const struct het__box *a, const struct het__box *b)
{
	struct grid in_either = grid_of(rank), in_bounding = grid_of(rank), in_out = grid_of(rank);
	struct het__box bounding = *a, out, into_a = *a, into_b = *b;
	for (int d = 0; d < rank; d++) {
		bounding.lo[d] = a->lo[d] < b->lo[d] ? a->lo[d] : b->lo[d];
		bounding.hi[d] = a->hi[d] > b->hi[d] ? a->hi[d] : b->hi[d];
	}
	paint(&in_either, a);
	paint(&in_either, b);
	paint(&in_bounding, &bounding);
	const bool empty = het__box_empty(rank, a) || het__box_empty(rank, b);
	const bool is_box = empty || cells_painted(&in_either) == cells_painted(&in_bounding);

	expect(het__box_join(rank, a, b, &out) == is_box, "join", rank, a, b);
	expect(het__box_join(rank, &into_a, b, &into_a) == is_box, "join in place", rank, a, b);
	expect(het__box_join(rank, a, &into_b, &into_b) == is_box, "join in place", rank, a, b);
	if (!is_box)
		return;
	paint(&in_out, &out);
	for (int i = 0; i < in_out.cells; i++)
		expect(in_out.hits[i] == in_either.hits[i], "join", rank, a, b);
	expect(het__box_equal(rank, &into_a, &out), "join in place", rank, a, b);
	expect(het__box_equal(rank, &into_b, &out), "join in place", rank, a, b);
}

/* Two disjoint boxes that often make one: a box cut in two, one half now and then changed. */
static void random_halves(const struct grid *g, struct het__box *a, struct het__box *b)
{
	const int d = random_in(0, g->rank - 1);
	*a = random_box(g);
	*b = *a;
	const int64_t cut = a->lo[d] + random_in(0, g->side);
	a->hi[d] = cut < a->hi[d] ? cut : a->hi[d];
	b->lo[d] = a->hi[d];
	if (random_once_in(3)) {
		const int e = random_in(0, g->rank - 1);
		b->lo[e]++;
	}
	if (random_once_in(2)) {
		const struct het__box swapped = *a;
		*a = *b;
		*b = swapped;
	}
}

START_TEST(test_box__agrees_with_bitmap)
{
	const int rank = _i;
	const struct grid g = grid_of(rank);
	random_start("test_box");
	for (int i = 0; i < CASES_PER_RANK; i++) {
		struct het__box a = random_box(&g), b = random_box(&g);
		check_predicates(rank, &a, &b);
		check_intersect(rank, &a, &b);
		check_subtract(rank, &a, &b);
		random_halves(&g, &a, &b);
		check_join(rank, &a, &b);
	}
}
END_TEST

/* ---- what a bitmap cannot show ----------------------------------------------------------------- */

static struct het__box cube(int64_t lo, int64_t hi)
{
	struct het__box b;
	for (int d = 0; d < HET_MAX_RANK; d++) {
		b.lo[d] = lo;
		b.hi[d] = hi;
	}
	return b;
}

START_TEST(test_box__rank_8_hole_leaves_16_pieces)
{
	const struct het__box whole = cube(0, 7), hole = cube(3, 4);
	struct het__box pieces[HET__BOX_PIECES];
	uint64_t cells = 0;
	const int count = het__box_subtract(8, &whole, &hole, pieces);
	ck_assert_int_eq(count, 16);
	for (int i = 0; i < count; i++) {
		cells += het__box_cells(8, &pieces[i]);
		ck_assert(!het__box_overlaps(8, &pieces[i], &hole));
		ck_assert(het__box_contains(8, &whole, &pieces[i]));
		for (int j = 0; j < i; j++)
			ck_assert(!het__box_overlaps(8, &pieces[i], &pieces[j]));
	}
	ck_assert_uint_eq(cells, UINT64_C(7) * 7 * 7 * 7 * 7 * 7 * 7 * 7 - 1);
}
END_TEST

/* The outermost dimension is cut first: its slabs are whole in all the others. */
START_TEST(test_box__subtract_cuts_outermost_first)
{
	const struct het__box whole = cube(0, 10), hole = cube(4, 6);
	struct het__box pieces[HET__BOX_PIECES];
	for (int rank = 1; rank <= HET_MAX_RANK; rank++) {
		ck_assert_int_eq(het__box_subtract(rank, &whole, &hole, pieces), 2 * rank);
		for (int i = 0; i < 2 * rank; i++)
			for (int d = 0; d < rank; d++) {
				const int64_t lo = d < i / 2 ? 4 : d == i / 2 && i % 2 ? 6 : 0;
				const int64_t hi = d < i / 2 ? 6 : d == i / 2 && i % 2 == 0 ? 4 : 10;
				ck_assert_int_eq(pieces[i].lo[d], lo);
				ck_assert_int_eq(pieces[i].hi[d], hi);
			}
	}
}
END_TEST

START_TEST(test_box__subtract_trivial)
{
	const struct het__box whole = cube(0, 5), far = cube(5, 9), empty = cube(2, 2), inverted = cube(4, 1);
	struct het__box pieces[HET__BOX_PIECES];
	ck_assert_int_eq(het__box_subtract(8, &whole, &whole, pieces), 0);
	ck_assert_int_eq(het__box_subtract(8, &empty, &whole, pieces), 0);
	ck_assert_int_eq(het__box_subtract(8, &inverted, &whole, pieces), 0);
	ck_assert_int_eq(het__box_subtract(8, &empty, &empty, pieces), 0);
	const struct het__box *const others[] = {&far, &empty, &inverted};
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(het__box_subtract(8, &whole, others[i], pieces), 1);
		ck_assert(het__box_equal(8, &pieces[0], &whole));
	}
}
END_TEST

START_TEST(test_box__empty_is_in_everything)
{
	const struct het__box small = cube(0, 2), empty = cube(7, 7), inverted = cube(9, -9);
	for (int rank = 1; rank <= HET_MAX_RANK; rank++) {
		struct het__box flat = cube(0, 2);
		flat.lo[rank - 1] = flat.hi[rank - 1] = 40;
		ck_assert(het__box_contains(rank, &small, &empty));
		ck_assert(het__box_contains(rank, &small, &inverted));
		ck_assert(het__box_contains(rank, &small, &flat));
		ck_assert(het__box_contains(rank, &empty, &inverted));
		ck_assert(!het__box_contains(rank, &empty, &small));
		ck_assert(!het__box_overlaps(rank, &small, &inverted));
		ck_assert(!het__box_overlaps(rank, &inverted, &inverted));
	}
}
END_TEST

START_TEST(test_box__join_wants_one_shared_face)
{
	struct het__box a = cube(0, 4), b = cube(0, 4), out;
	b.lo[7] = 4;
	b.hi[7] = 6;
	ck_assert(het__box_join(8, &a, &b, &out));
	ck_assert_int_eq(out.lo[7], 0);
	ck_assert_int_eq(out.hi[7], 6);
	ck_assert(het__box_join(8, &b, &a, &out));
	ck_assert_int_eq(out.hi[7], 6);

	b.hi[0] = 5;
	ck_assert(!het__box_join(8, &a, &b, &out));
	b = cube(4, 8);
	ck_assert(!het__box_join(8, &a, &b, &out));
	ck_assert(!het__box_join(8, &a, &a, &out));

	het__box_cover(8, &b, &a);
	ck_assert(het__box_contains(8, &b, &a));
	ck_assert_int_eq(b.lo[0], 0);
	ck_assert_int_eq(b.hi[0], 8);

	const struct het__box empty = cube(3, 3);
	ck_assert(het__box_join(8, &a, &empty, &out) && het__box_equal(8, &out, &a));
	ck_assert(het__box_join(8, &empty, &a, &out) && het__box_equal(8, &out, &a));
}
END_TEST

START_TEST(test_box__extreme_bounds)
{
	const struct het__box all = cube(INT64_MIN, INT64_MAX), right = cube(0, INT64_MAX);
	struct het__box out, pieces[HET__BOX_PIECES];
	ck_assert(het__box_contains(8, &all, &right));
	ck_assert(het__box_intersect(8, &all, &right, &out) && het__box_equal(8, &out, &right));
	ck_assert_int_eq(het__box_subtract(1, &all, &right, pieces), 1);
	ck_assert(pieces[0].lo[0] == INT64_MIN && pieces[0].hi[0] == 0);
	ck_assert(het__box_cells(1, &all) == UINT64_MAX);
	const struct het__box large = cube(-(INT64_C(1) << 30), INT64_C(1) << 30);
	ck_assert(het__box_cells(2, &large) == UINT64_C(1) << 62);
}
END_TEST

/* Parts are disjoint, cover the box, are as large as asked for, and come row by row. */
START_TEST(test_box__parts_tile_it)
{
	random_start("parts");
	for (int i = random_rounds(2000); i-- > 0;) {
		struct grid g = grid_of(_i);
		const struct het__box b = random_box(&g);
		const uint64_t cells = het__box_cells(g.rank, &b), most = (uint64_t)random_in(1, 40);
		const uint64_t parts = het__box_parts(g.rank, &b, most);
		int64_t before = INT64_MIN;

		ck_assert_uint_eq(parts == 0, het__box_empty(g.rank, &b));
		for (uint64_t p = 0; p < parts; p++) {
			struct het__box part;

			het__box_part(g.rank, &b, most, p, &part);
			ck_assert_uint_le(het__box_cells(g.rank, &part), most);
			ck_assert(!het__box_empty(g.rank, &part));
			ck_assert_int_ge(part.lo[0], before);
			before = part.lo[0];
			paint(&g, &part);
		}
		for (int c = 0; c < g.cells; c++)
			ck_assert_int_eq(g.hits[c], parts > 0 && holds(&g, &b, c));
		if (most >= cells && cells > 0)
			ck_assert_uint_eq(parts, 1);
	}
}
END_TEST

START_TEST(test_box__format)
{
	char text[HET__BOX_TEXT];
	struct het__box b = {.lo = {0, 3}, .hi = {64, 7}};
	ck_assert_str_eq(het__box_format(2, &b, text), "[0:64, 3:7]");
	ck_assert_str_eq(het__box_format(1, &b, text), "[0:64]");

	b = cube(INT64_MIN, INT64_MIN);
	het__box_format(8, &b, text);
	ck_assert_uint_eq(strlen(text), 2 + 8 * (20 + 1 + 20) + 7 * 2);
	ck_assert_str_eq(text + strlen(text) - 22, ":-9223372036854775808]");
}
END_TEST

START_TEST(test_cells__format)
{
	char text[HET__CELLS_TEXT];
	struct het__cells cells = {.label = "residual", .rank = 2, .box = {.lo = {0, 3}, .hi = {64, 7}}};
	ck_assert_str_eq(het__cells_format(&cells, text), "residual [0:64, 3:7]");

	memset(cells.label, 'x', HET__LABEL - 1);
	cells.rank = 8;
	cells.box = cube(INT64_MIN, INT64_MIN);
	het__cells_format(&cells, text);
	ck_assert_uint_eq(strlen(text), HET__LABEL + 2 + 8 * (20 + 1 + 20) + 7 * 2);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("box");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_box__agrees_with_bitmap, 1, 5);
	tcase_add_test(tc, test_box__rank_8_hole_leaves_16_pieces);
	tcase_add_test(tc, test_box__subtract_cuts_outermost_first);
	tcase_add_test(tc, test_box__subtract_trivial);
	tcase_add_test(tc, test_box__empty_is_in_everything);
	tcase_add_test(tc, test_box__join_wants_one_shared_face);
	tcase_add_test(tc, test_box__extreme_bounds);
	tcase_add_loop_test(tc, test_box__parts_tile_it, 1, 5);
	tcase_add_test(tc, test_box__format);
	tcase_add_test(tc, test_cells__format);
	return run_case("box", tc);
}
