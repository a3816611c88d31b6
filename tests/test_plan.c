/* test_plan.c - plans of copies against a copy element by element. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "box/plan.h"
#include "random.h"
#include "suite.h"

#define CASES 30000
#define ROOM 60000 /* bytes of each side; more than any random window needs */

static unsigned char source[ROOM], wanted[ROOM], got[ROOM];

/* Check's own assertions report to their parent each time, far too slow for this many. */
static void expect(int is_so, const char *what)
{
	if (!is_so)
		ck_abort_msg("%s", what);
}

/* ---- random copies ----------------------------------------------------------------------------- */

/* A copy of a box of one window to an equally large box of another. */
struct copy {
	int rank;
	size_t element_bytes;
	struct het__box a_box;
	int64_t b_lo[HET_MAX_RANK];
	struct het__layout a, b;
};

/* The extents of a box of `rank` dimensions, many of them 1, small enough together. */
static void random_extents(int rank, int *extent)
{
	int most = 240;
	for (int d = 0; d < rank; d++) {
		const int limit = most < 9 ? most : 9;
		extent[d] = random_once_in(3) ? 1 : random_in(1, limit);
		most /= extent[d];
	}
}

/* A row-major layout of a window that holds the box [lo, lo + extent). In some dimensions the window is
 * just as large as the box, and rows may be padded. */
static struct het__layout random_layout(const struct copy *c, const int *extent, const int64_t *lo)
{
	struct het__layout layout = {.offset_bytes = (size_t)random_in(0, 20)};
	size_t pitch = c->element_bytes;
	const int dense = random_once_in(2), exact = random_once_in(2);
	for (int d = c->rank - 1; d >= 0; d--) {
		const int before = exact || random_once_in(3) ? 0 : random_in(0, 1);
		const int after = exact || random_once_in(3) ? 0 : random_in(0, 1);
		layout.lo[d] = lo[d] - before;
		layout.pitch_bytes[d] = pitch;
		pitch *= (size_t)(before + extent[d] + after);
		if (!dense && random_once_in(3))
			pitch += (size_t)random_in(1, 5);
	}
	return layout;
}

static struct copy random_copy(void)
{
	static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16};
	struct copy c = {.rank = random_in(1, random_once_in(3) ? 8 : 4)};
	int extent[HET_MAX_RANK];

	c.element_bytes = sizes[random_in(0, 6)];
	random_extents(c.rank, extent);
	for (int d = 0; d < c.rank; d++) {
		c.a_box.lo[d] = random_in(-5, 5);
		c.a_box.hi[d] = c.a_box.lo[d] + extent[d];
		c.b_lo[d] = random_in(-5, 5);
	}
	c.a = random_layout(&c, extent, c.a_box.lo);
	c.b = random_layout(&c, extent, c.b_lo);
	return c;
}

/* Bytes up to the end of the last element of the box in the layout. */
static size_t end_of(const struct copy *c, const struct het__layout *layout, const int64_t *lo)
{
	size_t at = layout->offset_bytes + c->element_bytes;
	for (int d = 0; d < c->rank; d++) {
		const int64_t last = lo[d] + (c->a_box.hi[d] - c->a_box.lo[d]) - 1;
		at += (size_t)(last - layout->lo[d]) * layout->pitch_bytes[d];
	}
	return at;
}

static int fits(const struct copy *c)
{
	return end_of(c, &c->a, c->a_box.lo) <= ROOM && end_of(c, &c->b, c->b_lo) <= ROOM;
}

/* The reference: walks over all indices of the box and copies one element at a time. */
static void copy_by_element(const struct copy *c, const unsigned char *from, unsigned char *to)
{
	const uint64_t cells = het__box_cells(c->rank, &c->a_box);
	for (uint64_t cell = 0; cell < cells; cell++) {
		size_t a_at = c->a.offset_bytes, b_at = c->b.offset_bytes;
		uint64_t rest = cell;
		for (int d = 0; d < c->rank; d++) {
			const uint64_t extent = (uint64_t)(c->a_box.hi[d] - c->a_box.lo[d]);
			const int64_t i = (int64_t)(rest % extent);
			rest /= extent;
			a_at += (size_t)(c->a_box.lo[d] + i - c->a.lo[d]) * c->a.pitch_bytes[d];
			b_at += (size_t)(c->b_lo[d] + i - c->b.lo[d]) * c->b.pitch_bytes[d];
		}
		for (size_t k = 0; k < c->element_bytes; k++)
			to[b_at + k] = from[a_at + k];
	}
}

static struct het__plan plan_of(const struct copy *c)
{
	struct het__plan plan;
	het__plan_copy(c->rank, c->element_bytes, &c->a, &c->a_box, &c->b, c->b_lo, &plan);
	return plan;
}

/* ---- what must hold of every plan -------------------------------------------------------------- */

/* Nothing in the plan could be merged with its neighbour, and it copies as many bytes as the box has. */
static void check_minimal(const struct copy *c, const struct het__plan *p)
{
	size_t total = p->bytes;
	for (int d = 0; d < p->dims; d++) {
		expect(p->count[d] > 1, "a dimension of one index");
		total *= p->count[d];
	}
	for (int d = 0; d + 1 < p->dims; d++)
		expect(p->a_pitch[d] != p->count[d + 1] * p->a_pitch[d + 1] ||
			       p->b_pitch[d] != p->count[d + 1] * p->b_pitch[d + 1],
		       "two dimensions that are one");
	if (p->dims > 0)
		expect(p->a_pitch[p->dims - 1] != p->bytes || p->b_pitch[p->dims - 1] != p->bytes,
		       "a dimension that belongs to the run");
	expect(p->total_bytes == total, "total_bytes is not that of the runs");
	expect(total == het__box_cells(c->rank, &c->a_box) * c->element_bytes, "total_bytes is not the box's");
}

static void check_slices(const struct het__plan *plan, int inner, size_t end)
{
	const size_t slices = het__plan_slices(plan, inner);
	size_t total = 0;

	expect(plan->dims > inner || slices == 1, "a plan that fits is cut");
	memset(got, 0xee, end);
	for (size_t i = 0; i < slices; i++) {
		struct het__plan slice;
		het__plan_slice(plan, inner, i, &slice);
		expect(slice.dims <= inner, "a slice of too many dimensions");
		total += slice.total_bytes;
		het__plan_run(&slice, source, got);
	}
	expect(total == plan->total_bytes, "slices copy more or less than the plan");
	expect(memcmp(got, wanted, end) == 0, "slices copy other bytes than the plan");
}

/* The smallest number of slices: over all choices of dimensions to take apart. */
static size_t fewest_slices(const struct het__plan *plan, int inner)
{
	size_t best = SIZE_MAX;
	for (unsigned kept = 0; kept < 1u << plan->dims; kept++) {
		size_t slices = 1;
		if (__builtin_popcount(kept) > inner)
			continue;
		for (int d = 0; d < plan->dims; d++)
			slices *= kept >> d & 1u ? 1 : plan->count[d];
		best = slices < best ? slices : best;
	}
	return best;
}

static void fill_source(void)
{
	for (size_t i = 0; i < ROOM; i++)
		source[i] = (unsigned char)random_in(0, 255);
}

START_TEST(test_plan__copies_what_elements_do)
{
	int done = 0;
	random_start("test_plan");
	fill_source();
	for (int i = 0; i < CASES; i++) {
		const struct copy c = random_copy();
		if (!fits(&c))
			continue;
		const struct het__plan plan = plan_of(&c);
		const size_t end = end_of(&c, &c.b, c.b_lo) + 32 < ROOM ? end_of(&c, &c.b, c.b_lo) + 32 : ROOM;
		check_minimal(&c, &plan);

		memset(wanted, 0xee, end);
		copy_by_element(&c, source, wanted);
		memset(got, 0xee, end);
		het__plan_run(&plan, source, got);
		expect(memcmp(got, wanted, end) == 0, "a plan copies other bytes than its elements");

		for (int inner = 0; inner <= 3; inner++) {
			check_slices(&plan, inner, end);
			expect(het__plan_slices(&plan, inner) == fewest_slices(&plan, inner),
			       "too many slices");
		}
		done++;
	}
	ck_assert_int_ge(done, CASES / 2);
}
END_TEST

/* A box is contiguous exactly when its elements, one after the other, have successive places. */
START_TEST(test_plan__contiguous_when_places_follow)
{
	int contiguous = 0;
	random_start("test_plan");
	for (int i = 0; i < CASES; i++) {
		const struct copy c = random_copy();
		const size_t bytes = het__box_cells(c.rank, &c.a_box) * c.element_bytes;
		size_t offset = SIZE_MAX, first = c.a.offset_bytes;
		for (int d = 0; d < c.rank; d++)
			first += (size_t)(c.a_box.lo[d] - c.a.lo[d]) * c.a.pitch_bytes[d];
		const bool is_run = end_of(&c, &c.a, c.a_box.lo) - first == bytes;

		expect(het__layout_contiguous(c.rank, c.element_bytes, &c.a, &c.a_box, &offset) == is_run,
		       "contiguous");
		expect(offset == (is_run ? first : SIZE_MAX), "the offset of a contiguous box");
		contiguous += is_run;
	}
	ck_assert_int_gt(contiguous, CASES / 50);
	ck_assert_int_lt(contiguous, CASES);
}
END_TEST

/* ---- plain cases, spelled out ------------------------------------------------------------------ */

static struct het__box box2(int64_t lo0, int64_t hi0, int64_t lo1, int64_t hi1)
{
	return (struct het__box){.lo = {lo0, lo1}, .hi = {hi0, hi1}};
}

START_TEST(test_plan__dense_layout)
{
	const struct het__box window = {.lo = {1, -2, 3}, .hi = {5, 4, 10}};
	struct het__layout layout;
	het__layout_dense(3, &window, 8, &layout);
	ck_assert_uint_eq(layout.offset_bytes, 0);
	ck_assert_uint_eq(layout.pitch_bytes[2], 8);
	ck_assert_uint_eq(layout.pitch_bytes[1], 8 * 7);
	ck_assert_uint_eq(layout.pitch_bytes[0], 8 * 7 * 6);
	for (int d = 0; d < 3; d++)
		ck_assert_int_eq(layout.lo[d], window.lo[d]);
}
END_TEST

START_TEST(test_plan__rows_are_one_run)
{
	const struct het__box whole = box2(0, 100, 0, 40), rows = box2(10, 20, 0, 40);
	struct het__layout layout;
	struct het__plan plan;
	size_t offset;
	het__layout_dense(2, &whole, 4, &layout);
	het__plan_copy(2, 4, &layout, &rows, &layout, rows.lo, &plan);
	ck_assert_int_eq(plan.dims, 0);
	ck_assert_uint_eq(plan.bytes, 10 * 40 * 4);
	ck_assert_uint_eq(plan.total_bytes, plan.bytes);
	ck_assert_uint_eq(plan.a_offset, 10 * 40 * 4);
	ck_assert(het__layout_contiguous(2, 4, &layout, &rows, &offset));
	ck_assert_uint_eq(offset, 10 * 40 * 4);
}
END_TEST

START_TEST(test_plan__columns_are_one_dimension)
{
	const struct het__box whole = box2(0, 100, 0, 40), columns = box2(5, 95, 3, 6);
	struct het__layout a, b;
	struct het__plan plan;
	size_t offset;
	het__layout_dense(2, &whole, 4, &a);
	het__layout_dense(2, &columns, 4, &b);
	het__plan_copy(2, 4, &a, &columns, &b, columns.lo, &plan);
	ck_assert_int_eq(plan.dims, 1);
	ck_assert_uint_eq(plan.bytes, 3 * 4);
	ck_assert_uint_eq(plan.count[0], 90);
	ck_assert_uint_eq(plan.a_pitch[0], 40 * 4);
	ck_assert_uint_eq(plan.b_pitch[0], 3 * 4);
	ck_assert_uint_eq(plan.a_offset, (5 * 40 + 3) * 4);
	ck_assert_uint_eq(plan.b_offset, 0);
	ck_assert(!het__layout_contiguous(2, 4, &a, &columns, &offset));
}
END_TEST

/* A block of the inner two dimensions of a rank 8 array: six dimensions merge into one, two into the run. */
START_TEST(test_plan__rank_8_merges)
{
	struct het__box whole, part;
	struct het__layout a;
	struct het__plan plan;
	for (int d = 0; d < 8; d++) {
		whole.lo[d] = part.lo[d] = 0;
		whole.hi[d] = part.hi[d] = 3;
	}
	part.hi[5] = 2;
	het__layout_dense(8, &whole, 2, &a);
	het__plan_copy(8, 2, &a, &part, &a, part.lo, &plan);
	ck_assert_int_eq(plan.dims, 1);
	ck_assert_uint_eq(plan.bytes, 2 * 3 * 3 * 2);
	ck_assert_uint_eq(plan.count[0], 3 * 3 * 3 * 3 * 3);
	ck_assert_uint_eq(plan.a_pitch[0], 2 * 3 * 3 * 3);
}
END_TEST

START_TEST(test_plan__single_cell)
{
	const struct het__box whole = box2(0, 9, 0, 9), cell = box2(4, 5, 7, 8);
	struct het__layout layout;
	struct het__plan plan;
	het__layout_dense(2, &whole, 12, &layout);
	het__plan_copy(2, 12, &layout, &cell, &layout, cell.lo, &plan);
	ck_assert_int_eq(plan.dims, 0);
	ck_assert_uint_eq(plan.bytes, 12);
	ck_assert_uint_eq(plan.a_offset, (4 * 9 + 7) * 12);
}
END_TEST

START_TEST(test_plan__empty_box)
{
	const struct het__box whole = box2(0, 9, 0, 9), empties[] = {box2(4, 4, 0, 9), box2(0, 9, 5, 2)};
	struct het__layout layout;
	struct het__plan plan;
	size_t offset = 1;
	het__layout_dense(2, &whole, 4, &layout);
	for (int i = 0; i < 2; i++) {
		het__plan_copy(2, 4, &layout, &empties[i], &layout, empties[i].lo, &plan);
		ck_assert_int_eq(plan.dims, 0);
		ck_assert_uint_eq(plan.total_bytes, 0);
		ck_assert_uint_eq(het__plan_slices(&plan, 2), 0);
		het__plan_run(&plan, NULL, NULL);
		ck_assert(het__layout_contiguous(2, 4, &layout, &empties[i], &offset));
		ck_assert_uint_eq(offset, 0);
	}
}
END_TEST

/* What a rectangle call of OpenCL cannot do at once is cut along the dimension with the fewest indices. */
START_TEST(test_plan__slices_are_few)
{
	const struct het__box whole = {.lo = {0}, .hi = {50, 4, 50, 50}};
	const struct het__box inside = {.lo = {1, 1, 1, 1}, .hi = {49, 3, 49, 49}};
	struct het__layout layout;
	struct het__plan plan, slice;
	het__layout_dense(4, &whole, 4, &layout);
	het__plan_copy(4, 4, &layout, &inside, &layout, inside.lo, &plan);
	ck_assert_int_eq(plan.dims, 3);
	ck_assert_uint_eq(het__plan_slices(&plan, 3), 1);
	ck_assert_uint_eq(het__plan_slices(&plan, 2), 2);
	ck_assert_uint_eq(het__plan_slices(&plan, 1), 2 * 48);
	ck_assert_uint_eq(het__plan_slices(&plan, 0), 2 * 48 * 48);

	het__plan_slice(&plan, 2, 1, &slice);
	ck_assert_int_eq(slice.dims, 2);
	ck_assert_uint_eq(slice.count[0], 48);
	ck_assert_uint_eq(slice.count[1], 48);
	ck_assert_uint_eq(slice.a_pitch[0], 4 * 50 * 50 * 4);
	ck_assert_uint_eq(slice.b_pitch[1], 50 * 4);
	ck_assert_uint_eq(slice.a_offset, plan.a_offset + 50 * 50 * 4);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("plan");
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, test_plan__copies_what_elements_do);
	tcase_add_test(tc, test_plan__contiguous_when_places_follow);
	tcase_add_test(tc, test_plan__dense_layout);
	tcase_add_test(tc, test_plan__rows_are_one_run);
	tcase_add_test(tc, test_plan__columns_are_one_dimension);
	tcase_add_test(tc, test_plan__rank_8_merges);
	tcase_add_test(tc, test_plan__single_cell);
	tcase_add_test(tc, test_plan__empty_box);
	tcase_add_test(tc, test_plan__slices_are_few);
	return run_case("plan", tc);
}
