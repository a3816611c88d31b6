/* test_pieces.c - where spreads are cut that nobody gave a work-group: on a driver that compiles for every size
 * of one, and on others. On fake machines. */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>

#include "fakes.h"
#include "platforms.h"

enum { LONG = 262144 }; /* 256 pieces of 1024 */

static het_system *sys;
static het_kernel *add;
static het_team *team;

/* Two devices alone in their platforms: `first` and `second` name these. */
static void open_two(const char *first, const char *second, double share)
{
	static const char machine[] = "platform %s\n%splatform %s\n%s";
	static const char cpu[] = "device cpu\n\tname Fake CPU\n\tmemory host\n\tsize 1G\n\tunits 2\n";
	char text[512];

	snprintf(text, sizeof text, machine, first, cpu, second, cpu);
	ck_assert(het_test_fake_driver(het_test_file("two.machine", text)));
	ok(het_open(NULL, &sys));
	add = common_kernel(sys, "add");
	ok(het_team_new(sys, 2, (het_device *const[]){het_device(sys, 0), het_device(sys, 1)},
			(const double[]){share, 1 - share}, &team));
}

static void open_parts(double share)
{
	open_two("Portable Computing Language (fake)", "Fake Works", share);
}

/* Where a range of one dimension is cut. */
static int64_t cut_of(struct het_range range)
{
	het_array *const a = counting_array(sys, LONG + 2), *const b = zero_array(sys, LONG + 2);
	struct het_part part[2];
	int64_t cut;
	int d;

	for (int i = 0; i < 2; i++) { /* found, and found again */
		ok(het_spread_plan(add, team, range, part, &d, HET_OUT(HET_EACH(a)), HET_IN(HET_EACH(b)),
				   HET_VAL(1)));
		ck_assert_int_eq(d, 0);
		ck_assert_int_eq(part[0].range.hi[0], part[1].range.lo[0]);
		if (i)
			ck_assert_int_eq(part[0].range.hi[0], cut);
		cut = part[0].range.hi[0];
	}
	ok(het_array_free(a));
	ok(het_array_free(b));
	return cut;
}

/* 0.302 of it is 79167.5. */
START_TEST(pieces_are_as_large_as_groups)
{
	open_parts(0.302);
	ck_assert_int_eq(cut_of(het_grid(1, LONG)), 79360); /* 155 times 512: there are less than 424 of 1024 */
	ck_assert_int_eq(cut_of(het_range(1, 1, LONG + 1)), 79361);
	ck_assert_int_eq(cut_of(het_local(het_grid(1, LONG), 32)), 79168);
	ck_assert_int_eq(cut_of(het_grid(1, 20000)), 6040);
	close_face(sys);
}
END_TEST

START_TEST(other_drivers_are_cut_anywhere)
{
	open_two("Fake Works", "Faux Industries", 0.302);
	ck_assert_int_eq(cut_of(het_grid(1, LONG)), 79167);
	close_face(sys);
}
END_TEST

/* A small part is not lost, nor doubled. */
START_TEST(small_shares_are_met)
{
	open_parts(0.998);
	ck_assert_int_eq(cut_of(het_grid(1, LONG)), 261620);
	ok(het_team_set_shares(team, (const double[]){0.99, 0.01}));
	ck_assert_int_eq(cut_of(het_grid(1, LONG)), 259523);
	ok(het_team_set_shares(team, (const double[]){0.5, 0.5}));
	ck_assert_int_eq(cut_of(het_grid(1, LONG)), LONG / 2);
	close_face(sys);
}
END_TEST

/* What mappers want comes first. */
START_TEST(blocks_stay_whole)
{
	static const struct {
		int64_t block, step;
	} cases[] = {{64, 1024}, {100, 100}, {1000, 1000}, {1023, 1023}, {8, 1024}};

	open_parts(0.5);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		het_array *const a = zero_array(sys, (int)((LONG + cases[i].block - 1) / cases[i].block));
		het_array *const b = zero_array(sys, LONG);
		struct het_part part[2];
		int64_t cut;
		int d;

		ok(het_spread_plan(add, team, het_grid(1, LONG), part, &d,
				   HET_OUT(HET_BLOCKS(a, cases[i].block)), HET_IN(HET_EACH(b)), HET_VAL(1)));
		cut = part[0].range.hi[0];
		ck_assert_int_eq(cut % cases[i].step, 0);
		ck_assert_int_le(llabs(cut - LONG / 2), cases[i].step);
		ok(het_array_free(a));
		ok(het_array_free(b));
	}
	close_face(sys);
}
END_TEST

/* Rows are cut anywhere, columns at pieces. */
START_TEST(only_the_last_dimension)
{
	enum { WIDE = 65536, ROWS = 4 };
	het_array *a, *b;
	struct het_part part[2];
	int d;

	open_parts(0.3);
	ok(het_array_new(sys, HET_INT, het_shape(2, ROWS, WIDE), &a));
	ok(het_array_new(sys, HET_INT, het_shape(2, WIDE, ROWS), &b));
	ok(het_spread_plan(add, team, het_grid(2, ROWS, WIDE), part, &d, HET_OUT(HET_COLS_OF(a)), HET_NULL,
			   HET_VAL(1)));
	ck_assert_int_eq(d, 1);
	ck_assert_int_eq(part[0].range.hi[1], 19712); /* 0.3 of it is 19660.8; 154 times 128 */
	ok(het_spread_plan(add, team, het_grid(2, WIDE, ROWS), part, &d, HET_OUT(HET_ROWS_OF(b)), HET_NULL,
			   HET_VAL(1)));
	ck_assert_int_eq(d, 0);
	ck_assert_int_eq(part[0].range.hi[0], 19661);
	close_face(sys);
}
END_TEST

/* The dimension in which so many rows of so many columns are cut that read beside them. */
static int cut_dimension(int64_t rows, int64_t columns)
{
	struct het_part part[2];
	het_array *a, *b;
	int d;

	ok(het_array_new(sys, HET_INT, het_shape(2, rows, columns), &a));
	ok(het_array_new(sys, HET_INT, het_shape(2, rows, columns), &b));
	ok(het_spread_plan(add, team, het_grid(2, rows, columns), part, &d, HET_OUT(HET_EACH(a)),
			   HET_IN(HET_HALO(b, 1, 1)), HET_VAL(1)));
	ok(het_array_free(a));
	ok(het_array_free(b));
	return d;
}

/* Columns share a quarter of what rows do, or less; cut between groups they count four times. */
START_TEST(rows_where_columns_have_groups_of_any_size)
{
	open_parts(0.5);
	ck_assert_int_eq(cut_dimension(64, 2000), 0);
	ck_assert_int_eq(cut_dimension(60, 2000), 1);
	ck_assert_int_eq(cut_dimension(64, 32768), 1);
	close_face(sys);
}
END_TEST

START_TEST(columns_where_groups_are_the_drivers)
{
	open_two("Fake Works", "Faux Industries", 0.5);
	ck_assert_int_eq(cut_dimension(64, 2000), 1);
	close_face(sys);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {pieces_are_as_large_as_groups, other_drivers_are_cut_anywhere,
				      small_shares_are_met, blocks_stay_whole, only_the_last_dimension,
				      rows_where_columns_have_groups_of_any_size,
				      columns_where_groups_are_the_drivers};

	return run_fake_tests("pieces", (int)(sizeof tests / sizeof tests[0]), tests);
}
