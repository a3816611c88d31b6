/* test_calibration.c - what is decided from what was measured: on cost curves written by hand, exactly. */
#include <string.h>

#include "curves.h"
#include "suite.h"

/* ---- the envelope ------------------------------------------------------------------------------ */

START_TEST(the_cheapest_route_is_taken_at_every_size)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "staged", 4 * KIB, 1000, 0);
	point(&pair, "staged", 16 * KIB, 2000, 0);
	point(&pair, "staged", 64 * KIB, 8000, 0);
	point(&pair, "copy", 4 * KIB, 3000, 0);
	point(&pair, "copy", 16 * KIB, 3000, 0);
	point(&pair, "copy", 64 * KIB, 4000, 0);
	ck_assert_str_eq(decided(&pair), "staged 0, copy 65536");
	point(&pair, "mapped", 16 * KIB, 500, 0);
	point(&pair, "mapped", 64 * KIB, 5000, 0);
	ck_assert_str_eq(decided(&pair), "staged 0, mapped 16384, copy 65536");
}
END_TEST

START_TEST(a_change_must_win_by_more_than_five_percent)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "staged", 4 * KIB, 1000, 0);
	point(&pair, "copy", 4 * KIB, 2000, 0);
	point(&pair, "staged", 16 * KIB, 1050, 0);
	point(&pair, "copy", 16 * KIB, 1000, 0); /* exactly 5 % */
	ck_assert_str_eq(decided(&pair), "staged 0");
	pair.curve[0].at[1].ns = 1051;
	ck_assert_str_eq(decided(&pair), "staged 0, copy 16384");
}
END_TEST

/* At 16 KiB copy is faster, by as much as the samples spread. */
static struct het__cal_pair blurred(void)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "staged", 4 * KIB, 1000, 0);
	point(&pair, "copy", 4 * KIB, 2000, 0);
	point(&pair, "staged", 16 * KIB, 1500, 500);
	point(&pair, "copy", 16 * KIB, 1000, 0);
	return pair;
}

START_TEST(a_change_must_win_by_more_than_the_spread)
{
	struct het__cal_pair pair = blurred();

	ck_assert_str_eq(decided(&pair), "staged 0");
	pair.curve[0].at[1].spread_ns = 499;
	ck_assert_str_eq(decided(&pair), "staged 0, copy 16384");
	pair.curve[1].at[1].spread_ns = 500; /* that of the other counts as well */
	ck_assert_str_eq(decided(&pair), "staged 0");
}
END_TEST

/* What noise hides at one size and the next one shows is believed of both, but for less than five percent. */
START_TEST(a_change_is_believed_where_the_next_size_shows_it)
{
	struct het__cal_pair pair = blurred();

	point(&pair, "staged", 64 * KIB, 3500, 500);
	point(&pair, "copy", 64 * KIB, 2999, 0);
	ck_assert_str_eq(decided(&pair), "staged 0, copy 16384");
	pair.curve[0].at[1].ns = 1050;
	ck_assert_str_eq(decided(&pair), "staged 0, copy 65536");
	pair.curve[0].at[1].ns = 1500;
	pair.curve[0].at[2].spread_ns = 501; /* it is not plain there either */
	ck_assert_str_eq(decided(&pair), "staged 0");
}
END_TEST

/* Faster at one size only, which the next one takes back. */
START_TEST(a_change_must_last)
{
	struct het__cal_pair pair = {.choice_count = 0};

	for (int i = 0; i < 4; i++) {
		point(&pair, "copy", 4 * KIB << i, UINT64_C(1000) << i, 0);
		point(&pair, "staged", 4 * KIB << i, (i == 1 ? UINT64_C(500) : 1100) << i, 0);
	}
	ck_assert_str_eq(decided(&pair), "copy 0");
	pair.curve[1].at[2].ns = pair.curve[0].at[2].ns; /* even then is enough */
	ck_assert_str_eq(decided(&pair), "copy 0, staged 8192, copy 32768");
	pair.curve[1].at[3].ns = 1;
	ck_assert_str_eq(decided(&pair), "copy 0, staged 8192");
}
END_TEST

/* Of routes that are alike at the smallest size the simplest one is taken. */
START_TEST(the_first_must_win_too)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "copy", 4 * KIB, 1050, 0);
	point(&pair, "staged", 4 * KIB, 1000, 0);
	ck_assert_str_eq(decided(&pair), "copy 0");
	pair.curve[0].at[0].ns = 1051;
	ck_assert_str_eq(decided(&pair), "staged 0");
}
END_TEST

/* Curves that cross again and again by a little make no change; without hysteresis it would be eight. */
START_TEST(noise_makes_no_changes)
{
	struct het__cal_pair pair = {.choice_count = 0};

	for (int i = 0; i < 9; i++) {
		const uint64_t ns = UINT64_C(1000) << i;

		point(&pair, "copy", 4 * KIB << i, ns + (i % 2 ? ns / 25 : 0), 0);
		point(&pair, "staged", 4 * KIB << i, ns + (i % 2 ? 0 : ns / 25), 0);
	}
	ck_assert_str_eq(decided(&pair), "copy 0");
}
END_TEST

START_TEST(equally_cheap_routes_go_by_their_order)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "mapped", 4 * KIB, 1000, 0);
	point(&pair, "staged", 4 * KIB, 1000, 0);
	ck_assert_str_eq(decided(&pair), "staged 0");
	point(&pair, "copy", 4 * KIB, 1000, 0);
	ck_assert_str_eq(decided(&pair), "copy 0");
}
END_TEST

/* A route that was dropped, because others were cheaper, is not taken beyond its last size. */
START_TEST(a_route_ends_where_it_was_not_measured)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "copy", 4 * KIB, 1000, 0);
	point(&pair, "staged", 4 * KIB, 1010, 0);
	point(&pair, "staged", 16 * KIB, 4000, 100000);
	ck_assert_str_eq(decided(&pair), "copy 0, staged 16384");
}
END_TEST

START_TEST(a_barred_route_is_never_chosen)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "copy", 4 * KIB, 1, 0);
	point(&pair, "staged", 4 * KIB, 1000, 0);
	bar(&pair, "copy");
	ck_assert_str_eq(decided(&pair), "staged 0");
	bar(&pair, "staged");
	ck_assert_str_eq(decided(&pair), "");
}
END_TEST

START_TEST(choices_end_where_there_is_no_room)
{
	struct het__cal_pair pair = {.choice_count = 0};

	for (uint64_t i = 0; i < HET__CAL_POINTS; i++) { /* each has its turn, for two sizes */
		point(&pair, "staged", (i + 1) * 1024 * KIB, i % 2 ? 1000 : 100, 0);
		point(&pair, "copy", (i + 1) * 1024 * KIB + 1, 500, 0);
	}
	het__cal_decide(&pair);
	ck_assert_int_eq(pair.choice_count, HET__CAL_CHOICES);
	ck_assert_uint_eq(pair.choice[HET__CAL_CHOICES - 1].from_bytes, HET__CAL_CHOICES * 1024 * KIB);
}
END_TEST

/* A user's curve has sizes of its own: there the others are what lies between their points. */
START_TEST(curves_of_different_sizes_are_compared)
{
	struct het__cal_pair pair = {.choice_count = 0}, late = {.choice_count = 0};

	for (int i = 0; i < 10; i++)
		point(&pair, "mapped", 4 * KIB << i, 50000 + ((uint64_t)4096 << i), 10);
	for (int i = 0; i < 10; i += 3)
		point(&pair, "staged", 4 * KIB << i, 10000 + ((uint64_t)4096 << i) / 8, 10);
	ck_assert_str_eq(decided(&pair), "staged 0");
	point(&late, "staged", 4 * KIB, 10000, 0);
	point(&late, "mapped", 100000, 900000000, 0);
	point(&late, "staged", 1024 * KIB, 100000, 0);
	ck_assert_str_eq(decided(&late), "staged 0");
}
END_TEST

/* Two equal times at the end are noise: more bytes take as much more as they did before. */
START_TEST(more_bytes_take_more)
{
	struct het__cal_pair pair = {.choice_count = 0};
	double ns;

	point(&pair, "chunked", 4 * KIB, 80000, 0);
	point(&pair, "chunked", 1024 * KIB, 3000000, 0);
	point(&pair, "chunked", 2048 * KIB, 3000000, 0);
	ck_assert(het__cal_predict(&pair, het__cal_route_of("chunked"), 65536 * KIB, &ns));
	ck_assert_double_gt(ns, 90e6);
	ck_assert_double_lt(ns, 100e6);
}
END_TEST

START_TEST(the_choice_for_a_size_is_the_last_one_that_begins_below)
{
	struct het__cal_pair pair = {.choice_count = 0};

	ck_assert_ptr_null(het__cal_choice(&pair, 5));
	point(&pair, "staged", 4 * KIB, 1000, 0);
	point(&pair, "copy", 4 * KIB, 2000, 0);
	point(&pair, "staged", MIB, 9000, 0);
	point(&pair, "copy", MIB, 1000, 0);
	het__cal_decide(&pair);
	ck_assert_int_eq(het__cal_choice(&pair, 0)->route, route("staged"));
	ck_assert_int_eq(het__cal_choice(&pair, MIB - 1)->route, route("staged"));
	ck_assert_int_eq(het__cal_choice(&pair, MIB)->route, route("copy"));
	ck_assert_int_eq(het__cal_choice(&pair, UINT64_MAX)->route, route("copy"));
}
END_TEST

/* ---- prediction -------------------------------------------------------------------------------- */

START_TEST(times_are_predicted_by_interpolation)
{
	struct het__cal_pair pair = {.choice_count = 0};
	double ns;

	point(&pair, "copy", 1000, 500, 0);
	ck_assert_double_eq(predicted(&pair, "copy", 1), 500);
	ck_assert_double_eq(predicted(&pair, "copy", 1000), 500);
	ck_assert_double_eq(predicted(&pair, "copy", 3000), 1500); /* of one point: in proportion */
	point(&pair, "copy", 2000, 700, 0);
	point(&pair, "copy", 4000, 2700, 0);
	ck_assert_double_eq(predicted(&pair, "copy", 1500), 600);
	ck_assert_double_eq(predicted(&pair, "copy", 2000), 700);
	ck_assert_double_eq(predicted(&pair, "copy", 3000), 1700);
	ck_assert_double_eq(predicted(&pair, "copy", 5000), 3700);
	ck_assert(!het__cal_predict(&pair, route("staged"), 1000, &ns));
}
END_TEST

START_TEST(more_bytes_are_never_predicted_to_take_less_than_the_last_point)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "copy", 1000, 900, 0);
	point(&pair, "copy", 2000, 700, 0);
	ck_assert_double_eq(predicted(&pair, "copy", 100 * MIB), 700);
}
END_TEST

/* ---- names ------------------------------------------------------------------------------------- */

START_TEST(texts_become_what_a_file_can_hold)
{
	char out[8];

	het__cal_text(out, sizeof out, " \ta\"b\\c\n ");
	ck_assert_str_eq(out, "a'b'c");
	het__cal_text(out, sizeof out, "1\n2\x01" "34567890");
	ck_assert_str_eq(out, "1?2?345");
	het__cal_text(out, sizeof out, "123456 8");
	ck_assert_str_eq(out, "123456");
	het__cal_text(out, sizeof out, "  ");
	ck_assert_str_eq(out, "-");
}
END_TEST

START_TEST(names_and_numbers_belong_together)
{
	for (int i = 0; i < HET__CAL_ROUTES; i++)
		ck_assert_int_eq(het__cal_route_of(het__cal_route_name(i)), i);
	ck_assert_ptr_null(het__cal_route_name(-1));
	ck_assert_ptr_null(het__cal_route_name(HET__CAL_ROUTES));
	ck_assert_int_eq(het__cal_route_of("pigeon"), -1);
	for (int i = 0; i < HET__CAL_FIGURES; i++)
		ck_assert_int_eq(het__cal_figure_of(het__cal_figure_name(i)), i);
	ck_assert_ptr_null(het__cal_figure_name(HET__CAL_FIGURES));
	ck_assert_int_eq(het__cal_figure_of("pigeon"), -1);
	ck_assert_int_eq(het__cal_shape_of("strided"), HET__CAL_STRIDED);
	ck_assert_int_eq(het__cal_origin_of("user"), HET__CAL_USER);
}
END_TEST

START_TEST(a_device_that_changed_is_told_by_what)
{
	struct het__cal_device a = {.memory_bytes = 5}, b;

	strcpy(a.driver, "1");
	b = a;
	ck_assert_ptr_null(het__cal_device_differs(&a, &b));
	b.memory_bytes = 6;
	ck_assert_str_eq(het__cal_device_differs(&a, &b), "memory");
	strcpy(a.name, "pocl:cpu0.1");
	strcpy(b.name, a.name);
	ck_assert_ptr_null(het__cal_device_differs(&a, &b)); /* of the host's there is more or less now */
	strcpy(b.driver, "2");
	ck_assert_str_eq(het__cal_device_differs(&a, &b), "driver");
	strcpy(b.id, "2");
	ck_assert_str_eq(het__cal_device_differs(&a, &b), "id");
	strcpy(b.hardware, "2");
	ck_assert_str_eq(het__cal_device_differs(&a, &b), "hardware");
	strcpy(b.platform, "2");
	ck_assert_str_eq(het__cal_device_differs(&a, &b), "platform");
}
END_TEST

/* ---- parts ------------------------------------------------------------------------------------- */

START_TEST(the_first_setting_stays_unless_another_wins)
{
	const struct het__cal_point alike[] = {{MIB, 1000, 10}, {MIB, 960, 10}, {MIB, 1100, 10}};
	const struct het__cal_point spread[] = {{MIB, 1000, 10}, {MIB, 900, 200}};
	const struct het__cal_point better[] = {
		{MIB, 1000, 10}, {MIB, 900, 10}, {MIB, 800, 10}, {MIB, 850, 10}};

	ck_assert_int_eq(het__cal_best(alike, 3), 0);
	ck_assert_int_eq(het__cal_best(spread, 2), 0);
	ck_assert_int_eq(het__cal_best(better, 4), 2);
}
END_TEST

START_TEST(parts_outlive_another_decision)
{
	struct het__cal_pair pair = {.curve_count = 0};

	point(&pair, "copy", 4 * KIB, 100, 1);
	point(&pair, "copy", MIB, 10000, 1);
	point(&pair, "pinned", 4 * KIB, 1000, 1);
	point(&pair, "pinned", MIB, 1000, 1);
	ck_assert_str_eq(decided(&pair), "copy 0, pinned 1048576");
	het__cal_set_parts(&pair, route("pinned"), 65536, 3);
	ck_assert_uint_eq(pair.choice[0].chunk_bytes, 0);
	ck_assert_str_eq(decided(&pair), "copy 0, pinned 1048576");
	ck_assert_uint_eq(pair.choice[1].chunk_bytes, 65536);
	ck_assert_int_eq(pair.choice[1].depth, 3);
	ck_assert_int_eq(pair.choice[0].depth, 0);
	pair.choice[1].origin = HET__CAL_USER; /* whose lines are kept by themselves */
	ck_assert_str_eq(decided(&pair), "copy 0, pinned 1048576");
	ck_assert_uint_eq(pair.choice[1].chunk_bytes, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_cheapest_route_is_taken_at_every_size,
		a_change_must_win_by_more_than_five_percent,
		a_change_must_win_by_more_than_the_spread,
		a_change_is_believed_where_the_next_size_shows_it,
		a_change_must_last,
		the_first_must_win_too,
		noise_makes_no_changes,
		equally_cheap_routes_go_by_their_order,
		a_route_ends_where_it_was_not_measured,
		a_barred_route_is_never_chosen,
		choices_end_where_there_is_no_room,
		curves_of_different_sizes_are_compared,
		more_bytes_take_more,
		the_first_setting_stays_unless_another_wins,
		parts_outlive_another_decision,
		the_choice_for_a_size_is_the_last_one_that_begins_below,
		times_are_predicted_by_interpolation,
		more_bytes_are_never_predicted_to_take_less_than_the_last_point,
		texts_become_what_a_file_can_hold,
		names_and_numbers_belong_together,
		a_device_that_changed_is_told_by_what,
	};

	return run_list("calibration", tests, sizeof tests / sizeof tests[0]);
}
