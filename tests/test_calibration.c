/* test_calibration.c - what is decided from what was measured: on cost curves written by hand, exactly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/calibration.h"
#include "checks.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

static int route(const char *name)
{
	const int number = het__cal_route_of(name);

	ck_assert_int_ge(number, 0);
	return number;
}

/* Adds a point to the curve of a route, which is made at its first one. */
static void point(struct het__cal_pair *pair, const char *name, uint64_t bytes, uint64_t ns, uint64_t spread)
{
	struct het__cal_curve *curve = het__cal_curve(pair, route(name));

	if (!curve) {
		curve = &pair->curve[pair->curve_count++];
		curve->route = route(name);
	}
	curve->at[curve->count++] = (struct het__cal_point){bytes, ns, spread};
}

static void bar(struct het__cal_pair *pair, const char *name)
{
	pair->bar[pair->bar_count].route = route(name);
	het__cal_text(pair->bar[pair->bar_count++].why, HET__CAL_TEXT_BYTES, "wrong bytes");
}

/* "staged 0, copy 4096": the choices of a pair. */
static const char *choices(const struct het__cal_pair *pair)
{
	static char text[1024];
	size_t length = 0;

	text[0] = '\0';
	for (int i = 0; i < pair->choice_count; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %llu", i ? ", " : "",
					   het__cal_route_name(pair->choice[i].route),
					   (unsigned long long)pair->choice[i].from_bytes);
	return text;
}

static const char *decided(struct het__cal_pair *pair)
{
	het__cal_decide(pair);
	return choices(pair);
}

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

START_TEST(a_change_must_win_by_more_than_the_spread)
{
	struct het__cal_pair pair = {.choice_count = 0};

	point(&pair, "staged", 4 * KIB, 1000, 0);
	point(&pair, "copy", 4 * KIB, 2000, 0);
	point(&pair, "staged", 16 * KIB, 1500, 500);
	point(&pair, "copy", 16 * KIB, 1000, 0);
	ck_assert_str_eq(decided(&pair), "staged 0");
	pair.curve[0].at[1].spread_ns = 499;
	ck_assert_str_eq(decided(&pair), "staged 0, copy 16384");
	pair.curve[1].at[1].spread_ns = 500; /* that of the other counts as well */
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

	for (int i = 0; i < HET__CAL_POINTS; i++)
		point(&pair, i % 2 ? "copy" : "staged", 4 * KIB << i, 100, 0);
	het__cal_decide(&pair);
	ck_assert_int_eq(pair.choice_count, HET__CAL_CHOICES);
	ck_assert_uint_eq(pair.choice[HET__CAL_CHOICES - 1].from_bytes, 4 * KIB << (HET__CAL_CHOICES - 1));
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

static double predicted(const struct het__cal_pair *pair, const char *name, uint64_t bytes)
{
	double ns = -1;

	ck_assert(het__cal_predict(pair, route(name), bytes, &ns));
	return ns;
}

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

/* ---- what a user wrote ------------------------------------------------------------------------- */

static struct het__cal_pair *pair_of(struct het__calibration *calibration)
{
	struct het__cal_pair *pair = het__calibration_add_pair(calibration);

	ck_assert_ptr_nonnull(pair);
	strcpy(pair->from, "host");
	strcpy(pair->to, "gpu");
	return pair;
}

static void put_choice(struct het__cal_pair *pair, uint64_t from, const char *name, enum het__cal_origin origin)
{
	pair->choice[pair->choice_count++] =
		(struct het__cal_choice){.from_bytes = from, .route = route(name), .origin = origin};
}

START_TEST(a_users_choice_keeps_its_range)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};
	struct het__cal_pair *pair = pair_of(&fresh), *old = pair_of(&older);

	point(pair, "staged", 4 * KIB, 1, 0);
	point(pair, "copy", 4 * KIB, 9, 0);
	point(pair, "staged", 2 * MIB, 9, 0);
	point(pair, "copy", 2 * MIB, 1, 0);
	put_choice(old, 0, "copy", HET__CAL_MEASURED);
	put_choice(old, MIB, "mapped", HET__CAL_USER);
	put_choice(old, 4 * MIB, "copy", HET__CAL_MEASURED);
	het__calibration_keep_user(&fresh, &older);
	ck_assert_str_eq(choices(pair), "staged 0, mapped 1048576, copy 4194304");
	ck_assert_int_eq(pair->choice[1].origin, HET__CAL_USER);
	ck_assert_int_eq(pair->choice[2].origin, HET__CAL_MEASURED);
	het__calibration_free(&fresh);
	het__calibration_free(&older);
}
END_TEST

START_TEST(a_users_curves_and_bars_are_kept_and_count)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};
	struct het__cal_pair *pair = pair_of(&fresh), *old = pair_of(&older);

	point(pair, "staged", 4 * KIB, 10, 0);
	point(pair, "copy", 4 * KIB, 5, 0);
	point(old, "mapped", 4 * KIB, 7, 0);
	old->curve[0].origin = HET__CAL_USER;
	point(old, "staged", 4 * KIB, 1, 0);
	bar(old, "copy");
	old->bar[0].origin = HET__CAL_USER;
	bar(old, "staged"); /* measured then; not now */
	het__calibration_keep_user(&fresh, &older);
	ck_assert_str_eq(choices(pair), "mapped 0");
	ck_assert_int_eq(pair->choice[0].origin, HET__CAL_ASSUMED);
	ck_assert_int_eq(pair->bar_count, 1);
	ck_assert_double_eq(predicted(pair, "staged", 4 * KIB), 10);
	het__calibration_free(&fresh);
	het__calibration_free(&older);
}
END_TEST

START_TEST(without_a_users_word_everything_is_new)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};
	struct het__cal_pair *pair = pair_of(&fresh), *old = pair_of(&older);

	point(pair, "staged", 4 * KIB, 10, 0);
	put_choice(old, 0, "copy", HET__CAL_MEASURED);
	put_choice(old, MIB, "mapped", HET__CAL_ASSUMED);
	het__calibration_keep_user(&fresh, &older);
	ck_assert_str_eq(choices(pair), "staged 0");
	strcpy(old->to, "another");
	old->choice[0].origin = HET__CAL_USER;
	het__calibration_keep_user(&fresh, &older);
	ck_assert_str_eq(choices(pair), "staged 0");
	ck_assert_int_eq(fresh.pair_count, 1);
	het__calibration_free(&fresh);
	het__calibration_free(&older);
}
END_TEST

static void add_device(struct het__calibration *c, const char *name, const char *driver)
{
	struct het__cal_device *const device = het__calibration_add_device(c);

	het__cal_text(device->name, sizeof device->name, name);
	het__cal_text(device->driver, sizeof device->driver, driver);
}

static struct het__cal_pair *pair_between(struct het__calibration *c, const char *from, const char *to)
{
	struct het__cal_pair *const pair = het__calibration_add_pair(c);

	strcpy(pair->from, from);
	strcpy(pair->to, to);
	return pair;
}

/* Of four pairs two were measured now, one of them in vain, and one device has changed since. */
START_TEST(what_was_not_measured_is_kept)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};
	struct het__cal_pair *pair;
	int left_out;

	for (int d = 0; d < 3; d++) {
		add_device(&older, (const char *const[]){"a", "b", "c"}[d], "1");
		add_device(&fresh, (const char *const[]){"a", "b", "c"}[d], d == 2 ? "2" : "1");
	}
	add_device(&older, "gone", "1");
	point(pair_between(&older, "host", "a"), "staged", 4 * KIB, 7, 0);
	point(pair_between(&older, "a", "host"), "staged", 4 * KIB, 7, 0);
	point(pair_between(&older, "host", "b"), "staged", 4 * KIB, 7, 0);
	point(pair_between(&older, "c", "b"), "staged", 4 * KIB, 7, 0);
	point(pair_between(&older, "gone", "b"), "staged", 4 * KIB, 7, 0);
	pair = pair_between(&older, "b", "c");
	point(pair, "staged", 4 * KIB, 7, 0);
	bar(pair, "copy");
	bar(pair, "mapped");
	pair->bar[1].origin = HET__CAL_USER;
	point(pair_between(&fresh, "host", "a"), "staged", 4 * KIB, 1, 0);
	(void)pair_between(&fresh, "a", "host"); /* in vain */
	ck_assert(het__calibration_keep_others(&fresh, &older, &left_out));
	het__calibration_keep_user(&fresh, &older);
	ck_assert_int_eq(left_out, 0);
	ck_assert_int_eq(fresh.pair_count, 4);
	ck_assert_double_eq(predicted(&fresh.pair[0], "staged", 4 * KIB), 1);
	ck_assert_double_eq(predicted(&fresh.pair[1], "staged", 4 * KIB), 7);
	ck_assert_double_eq(predicted(&fresh.pair[2], "staged", 4 * KIB), 7);
	pair = het__calibration_pair(&fresh, "b", "c", HET__CAL_CONTIGUOUS);
	ck_assert_ptr_nonnull(pair);
	ck_assert_int_eq(pair->curve_count, 0);
	ck_assert_int_eq(pair->bar_count, 1);
	ck_assert_int_eq(pair->bar[0].route, route("mapped"));
	het__calibration_free(&fresh);
	het__calibration_free(&older);
}
END_TEST

static void figure(struct het__cal_device *device, int which, uint64_t value, enum het__cal_origin origin)
{
	device->figure[which] = (struct het__cal_figure){value, 0, origin, 1};
}

/* One device is as it was, the other has another driver. */
START_TEST(figures_are_kept_of_what_did_not_change_and_as_the_user_wrote)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};

	for (int d = 0; d < 2; d++) {
		add_device(&older, d ? "b" : "a", "1");
		add_device(&fresh, d ? "b" : "a", d ? "2" : "1");
		figure(&older.device[d], HET__CAL_LAUNCH_NS, 10, HET__CAL_MEASURED);
		figure(&older.device[d], HET__CAL_TRIAD_BYTES_PER_S, 20, HET__CAL_MEASURED);
		figure(&older.device[d], HET__CAL_SINGLE_FLOP_PER_S, 30, HET__CAL_USER);
		figure(&fresh.device[d], HET__CAL_LAUNCH_NS, 1, HET__CAL_MEASURED);
		figure(&fresh.device[d], HET__CAL_SINGLE_FLOP_PER_S, 3, HET__CAL_MEASURED);
	}
	het__calibration_keep_user(&fresh, &older);
	for (int d = 0; d < 2; d++) {
		const struct het__cal_figure *const of = fresh.device[d].figure;

		ck_assert_uint_eq(of[HET__CAL_LAUNCH_NS].value, 1);
		ck_assert_int_eq(of[HET__CAL_TRIAD_BYTES_PER_S].known, d == 0);
		ck_assert_uint_eq(of[HET__CAL_TRIAD_BYTES_PER_S].value, d == 0 ? 20 : 0);
		ck_assert_uint_eq(of[HET__CAL_SINGLE_FLOP_PER_S].value, 30);
		ck_assert_int_eq(of[HET__CAL_SINGLE_FLOP_PER_S].origin, HET__CAL_USER);
		ck_assert_int_eq(of[HET__CAL_DOUBLE_FLOP_PER_S].known, 0);
	}
	het__calibration_free(&fresh);
	het__calibration_free(&older);
}
END_TEST

START_TEST(what_there_is_no_room_for_is_counted)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};
	int left_out;

	add_device(&fresh, "a", "1");
	add_device(&older, "a", "1");
	point(pair_between(&older, "host", "a"), "staged", 4 * KIB, 7, 0);
	point(pair_between(&older, "a", "host"), "staged", 4 * KIB, 7, 0);
	for (int i = 1; i < HET__CAL_MOST_PAIRS; i++)
		(void)pair_between(&fresh, "a", "elsewhere");
	ck_assert(het__calibration_keep_others(&fresh, &older, &left_out));
	ck_assert_int_eq(left_out, 1);
	ck_assert_int_eq(fresh.pair_count, HET__CAL_MOST_PAIRS);
	het__calibration_free(&fresh);
	het__calibration_free(&older);
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
		a_change_must_last,
		the_first_must_win_too,
		noise_makes_no_changes,
		equally_cheap_routes_go_by_their_order,
		a_route_ends_where_it_was_not_measured,
		a_barred_route_is_never_chosen,
		choices_end_where_there_is_no_room,
		the_first_setting_stays_unless_another_wins,
		parts_outlive_another_decision,
		the_choice_for_a_size_is_the_last_one_that_begins_below,
		times_are_predicted_by_interpolation,
		more_bytes_are_never_predicted_to_take_less_than_the_last_point,
		a_users_choice_keeps_its_range,
		a_users_curves_and_bars_are_kept_and_count,
		without_a_users_word_everything_is_new,
		what_was_not_measured_is_kept,
		figures_are_kept_of_what_did_not_change_and_as_the_user_wrote,
		what_there_is_no_room_for_is_counted,
		texts_become_what_a_file_can_hold,
		names_and_numbers_belong_together,
		a_device_that_changed_is_told_by_what,
	};
	Suite *const suite = suite_create("calibration");
	TCase *const tcase = tcase_create("calibration");
	SRunner *runner;
	int failed;

	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
