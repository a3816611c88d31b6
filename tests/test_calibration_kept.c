/* test_calibration_kept.c - what of an earlier calibration a new one keeps: what a user wrote, what was not
 * measured again. */
#include <string.h>

#include "curves.h"
#include "suite.h"

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

/* A user's eight choices with others between them are as many as there is room for; of what is measured anew
 * there is more than one in each of their gaps. */
START_TEST(no_choice_of_a_users_is_one_too_many)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};
	struct het__cal_pair *pair = pair_of(&fresh), *old = pair_of(&older);
	int users = 0;

	for (int i = 0; i < HET__CAL_CHOICES; i++) {
		point(pair, "staged", KIB << i, i % 2 ? 1 : 9, 0);
		point(pair, "copy", KIB << i, i % 2 ? 9 : 1, 0);
		put_choice(old, i ? (KIB << i) + 1 : 0, i % 2 ? "mapped" : "copy",
			   i % 2 ? HET__CAL_USER : HET__CAL_MEASURED);
	}
	ck_assert_int_eq(old->choice_count, HET__CAL_CHOICES);
	het__calibration_keep_user(&fresh, &older);
	ck_assert_int_le(pair->choice_count, HET__CAL_CHOICES);
	for (int i = 0; i < pair->choice_count; i++) {
		const struct het__cal_choice *const choice = &pair->choice[i];
		const uint64_t end = i + 1 < pair->choice_count ? choice[1].from_bytes : UINT64_MAX;

		if (choice->origin != HET__CAL_USER)
			continue;
		ck_assert_uint_eq(choice->from_bytes, old->choice[2 * users + 1].from_bytes);
		ck_assert_uint_eq(end, users < 7 ? old->choice[2 * users + 2].from_bytes : UINT64_MAX);
		users++;
	}
	ck_assert_int_eq(users, HET__CAL_CHOICES / 2);
	ck_assert_int_eq(pair->choice_count, HET__CAL_CHOICES);
	het__calibration_free(&fresh);
	het__calibration_free(&older);
}
END_TEST

/* Where nothing is known any more of the sizes around it. */
START_TEST(a_users_choice_keeps_its_range_alone)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0}, next = {.format = 0};
	struct het__cal_pair *pair = pair_of(&fresh), *old = pair_of(&older), *then = pair_of(&next);

	put_choice(old, 0, "copy", HET__CAL_MEASURED);
	put_choice(old, MIB, "mapped", HET__CAL_USER);
	put_choice(old, 2 * MIB, "copy", HET__CAL_MEASURED);
	het__calibration_keep_user(&fresh, &older);
	ck_assert_str_eq(choices(pair), "copy 0, mapped 1048576, copy 2097152");
	ck_assert_int_eq(pair->choice[0].origin, HET__CAL_ASSUMED);
	ck_assert_int_eq(pair->choice[1].origin, HET__CAL_USER);
	point(then, "staged", 4 * KIB, 1, 0);
	het__calibration_keep_user(&next, &fresh);
	ck_assert_str_eq(choices(then), "staged 0, mapped 1048576, staged 2097152");
	ck_assert_int_eq(then->choice[2].origin, HET__CAL_MEASURED);
	het__calibration_free(&fresh);
	het__calibration_free(&older);
	het__calibration_free(&next);
}
END_TEST

/* Also where the route fails now, too: afterwards it may not. */
START_TEST(a_users_bar_is_kept)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};
	struct het__cal_pair *pair = pair_of(&fresh), *old = pair_of(&older);

	bar(old, "mapped");
	old->bar[0].origin = HET__CAL_USER;
	bar(pair, "copy");
	bar(pair, "mapped");
	het__calibration_keep_user(&fresh, &older);
	ck_assert_int_eq(pair->bar_count, 2);
	ck_assert_int_eq(het__cal_bar(pair, route("mapped"))->origin, HET__CAL_USER);
	ck_assert_int_ne(het__cal_bar(pair, route("copy"))->origin, HET__CAL_USER);
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

/* Of a pair that has choices and no points, as somebody wrote it, nothing can be decided anew. */
START_TEST(choices_without_points_are_kept)
{
	struct het__calibration fresh = {.format = 0}, older = {.format = 0};
	struct het__cal_pair *pair;
	int left_out;

	for (int d = 0; d < 2; d++) {
		add_device(&older, d ? "b" : "a", "1");
		add_device(&fresh, d ? "b" : "a", "1");
	}
	put_choice(pair_between(&older, "a", "b"), 0, "pinned", HET__CAL_MEASURED);
	point(pair_between(&fresh, "host", "a"), "staged", 4 * KIB, 1, 0);
	ck_assert(het__calibration_keep_others(&fresh, &older, &left_out));
	het__calibration_keep_user(&fresh, &older);
	pair = het__calibration_pair(&fresh, "a", "b", HET__CAL_CONTIGUOUS);
	ck_assert_ptr_nonnull(pair);
	ck_assert(pair->kept);
	ck_assert_int_eq(pair->choice_count, 1);
	ck_assert_int_eq(pair->choice[0].route, route("pinned"));
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

int main(void)
{
	const TTest *const tests[] = {
		a_users_choice_keeps_its_range,
		a_users_choice_keeps_its_range_alone,
		a_users_bar_is_kept,
		no_choice_of_a_users_is_one_too_many,
		a_users_curves_and_bars_are_kept_and_count,
		without_a_users_word_everything_is_new,
		what_was_not_measured_is_kept,
		choices_without_points_are_kept,
		figures_are_kept_of_what_did_not_change_and_as_the_user_wrote,
		what_there_is_no_room_for_is_counted,
	};

	return run_list("calibration kept", tests, sizeof tests / sizeof tests[0]);
}
