/* test_calibration_use.c - a system obeys its calibration and HETERO_ROUTE; the log of routes. */
#include "cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakes.h"
#include "platforms.h"
#include "route/choose.h"

/* ---- what it decides ----------------------------------------------------------------------------- */

START_TEST(the_library_takes_what_the_file_says)
{
	struct het__calibration c = of_cards();
	het_system *system;

	crossing(&c);
	use_calibration(&c, path_of("good.ini"));
	system = open_cards();
	ck_assert_ptr_nonnull(system->calibration);
	ck_assert_str_eq(route_of(system, 0, 1, 1, false), "copy");
	ck_assert_str_eq(route_of(system, 0, 1, 64 * KIB - 1, false), "copy");
	ck_assert_str_eq(route_of(system, 0, 1, 64 * KIB, false), "staged");
	ck_assert_str_eq(route_of(system, 0, 1, 64 * KIB, true), "copy"); /* not measured: the default */
	ck_assert_str_eq(route_of(system, 1, 0, 64 * KIB, false), "copy");
	ck_assert_str_eq(route_of(system, -1, 0, 64 * KIB, false), "staged");
	ck_assert_str_eq(said.text, "");
	ok(het_close(system));
}
END_TEST

/* Not only the choice: the bytes go that way, and are right. */
START_TEST(bytes_go_that_way)
{
	struct het__calibration c = of_cards();
	struct het_stats stats;
	het_system *system;
	het_kernel *set;
	het_array *x;

	crossing(&c);
	use_calibration(&c, path_of("good.ini"));
	system = open_cards();
	set = common_kernel(system, "set");
	for (int round = 0; round < 2; round++) {
		const int count = round ? 32 * 1024 : 1024;
		const uint64_t before = stats_of(system).transfers;

		x = zero_array(system, count);
		ok(het_launch(set, het_device(system, 0), het_grid(1, count), HET_OUT(x), HET_VAL(7)));
		ok(het_prefetch(het_view(x, het_whole()), het_device(system, 1)));
		ok(het_wait(x));
		stats = stats_of(system);
		ck_assert_uint_eq(stats.transfers - before, round ? 2 : 1);
		assert_counts(x, 7, 0);
		het_array_free(x);
	}
	close_face(system);
}
END_TEST

/* What is missing decides, not what it is missing of. */
START_TEST(a_small_rest_goes_as_what_is_small)
{
	enum { COUNT = 64 * 1024, REST = 1024 };
	struct het__calibration c = of_cards();
	struct het_flow flow = HET_FLOW_INIT;
	het_system *system;
	het_array *x;
	uint64_t copied = 0;

	crossing(&c);
	use_calibration(&c, path_of("rest.ini"));
	system = open_cards();
	x = zero_array(system, COUNT);
	ok(het_launch(common_kernel(system, "set"), het_device(system, 0), het_grid(1, COUNT), HET_OUT(x),
		      HET_VAL(7)));
	ok(het_prefetch(het_view(x, het_rows(0, COUNT - REST)), het_device(system, 1)));
	ck_assert_uint_eq(stats_of(system).transfers, 2);
	ok(het_prefetch(het_view(x, het_whole()), het_device(system, 1)));
	ck_assert_uint_eq(stats_of(system).transfers, 3);
	for (int i = 0; !het_flow_at(system, i, &flow); i++)
		copied += strcmp(flow.route, "copy") ? 0 : flow.bytes;
	ck_assert_uint_eq(copied, REST * sizeof(int));
	assert_counts(x, 7, 0);
	het_array_free(x);
	close_face(system);
}
END_TEST

/* Columns go as was chosen for strided boxes: here by the host, in two hops. */
START_TEST(columns_go_their_own_way)
{
	struct het__calibration c = of_cards();
	struct het__cal_pair *pair = add_pair(&c, c.device[0].name, c.device[1].name, HET__CAL_CONTIGUOUS);
	het_system *system;
	het_array *x;

	add_point(pair, "mapped", 4 * KIB, 1000);
	het__cal_decide(pair);
	pair = add_pair(&c, c.device[0].name, c.device[1].name, HET__CAL_STRIDED);
	add_point(pair, "staged", 4 * KIB, 1000);
	het__cal_decide(pair);
	pair->bar[0].route = het__cal_route_of("mapped");
	strcpy(pair->bar[0].why, "it is slow");
	pair->bar_count = 1;
	use_calibration(&c, path_of("columns.ini"));
	system = open_cards();
	ok(het_array_new(system, HET_INT, het_shape(2, 64, 64), &x));
	ok(het_launch(common_kernel(system, "set"), het_device(system, 0), het_grid(1, 64 * 64), HET_OUT(x),
		      HET_VAL(7)));
	ok(het_prefetch(het_view(x, het_box(2, 0, 64, 8, 24)), het_device(system, 1)));
	ck_assert_uint_eq(stats_of(system).transfers, 2);
	ok(het_prefetch(het_view(x, het_box(2, 32, 64, 0, 64)), het_device(system, 1)));
	ok(het_wait(x));
	ck_assert_uint_ge(stats_of(system).transfers, 3);
	for (int i = 0;; i++) {
		struct het_flow flow = HET_FLOW_INIT;

		if (het_flow_at(system, i, &flow))
			break;
		ck_assert_str_eq(flow.route, flow.from && flow.to ? "mapped" : "staged");
	}
	assert_counts(x, 7, 0);
	close_face(system);
}
END_TEST

/* Four parts of the size that the file says, each in two hops. */
START_TEST(parts_are_as_large_as_the_file_says)
{
	struct het__calibration c = of_cards();
	struct het__cal_pair *const pair = crossing(&c);
	het_system *system;
	het_kernel *set;
	het_array *x;

	pair->choice[1].route = het__cal_route_of("chunked");
	pair->choice[1].chunk_bytes = 32 * KIB;
	pair->choice[1].origin = HET__CAL_USER;
	use_calibration(&c, path_of("parts.ini"));
	system = open_cards();
	set = common_kernel(system, "set");
	x = zero_array(system, 32 * 1024);
	ok(het_launch(set, het_device(system, 0), het_grid(1, 32 * 1024), HET_OUT(x), HET_VAL(7)));
	ok(het_prefetch(het_view(x, het_whole()), het_device(system, 1)));
	ok(het_wait(x));
	ck_assert_uint_eq(stats_of(system).transfers, 2 * 4);
	assert_counts(x, 7, 0);
	close_face(system);
	ck_assert_int_eq(times_said(", in parts of 32768 bytes, the user's choice"), 1);
}
END_TEST

/* A timeline compares what was predicted with what it took; without a calibration it predicts nothing. */
START_TEST(a_timeline_has_the_prediction)
{
	struct het__calibration c = of_cards();
	char path[4096], text[16384] = "";
	het_system *system;
	het_array *x;
	FILE *file;

	crossing(&c);
	use_calibration(&c, path_of("good.ini"));
	snprintf(path, sizeof path, "%s", path_of("trace.json"));
	setenv("HETERO_TRACE", path, 1);
	system = open_cards();
	x = zero_array(system, KIB);
	ok(het_launch(common_kernel(system, "set"), het_device(system, 0), het_grid(1, KIB), HET_OUT(x),
		      HET_VAL(7)));
	ok(het_prefetch(het_view(x, het_whole()), het_device(system, 1)));
	assert_counts(x, 7, 0);
	close_face(system);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert(fread(text, 1, sizeof text - 1, file) > 0);
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "\"predicted_us\":1.000,"));
	ck_assert_ptr_nonnull(strstr(text, "copy, because het_prefetch asks for it; last written by set; "
					   "predicted 1.0 us, took "));
	ck_assert_ptr_nonnull(strstr(text, "staged, because het_map reads it; last written by set; took "));
}
END_TEST

START_TEST(a_barred_route_is_not_taken)
{
	struct het__calibration c = of_cards();
	struct het__cal_pair *const pair = crossing(&c);
	het_system *system;

	pair->bar[pair->bar_count].route = het__cal_route_of("copy");
	het__cal_text(pair->bar[pair->bar_count++].why, HET__CAL_TEXT_BYTES, "wrong bytes");
	use_calibration(&c, path_of("barred.ini"));
	system = open_cards();
	ck_assert_str_eq(route_of(system, 0, 1, 1, false), "staged"); /* though the choice says copy */
	ck_assert_str_eq(route_of(system, 0, 1, 64 * KIB, false), "staged");
	ck_assert_str_eq(route_of(system, 1, 0, 1, false), "copy");
	ok(het_close(system));
}
END_TEST

/* The route that the file names does not exist or apply here: the cheapest one of what there is. */
START_TEST(a_route_that_does_not_apply_is_passed_over)
{
	struct het__calibration c = of_cards();
	struct het__cal_pair *const pair = add_pair(&c, "host", c.device[0].name, HET__CAL_CONTIGUOUS);
	het_system *system;

	add_point(pair, "copy", 4 * KIB, 1);
	het__cal_decide(pair);
	use_calibration(&c, path_of("odd.ini"));
	system = open_cards();
	ck_assert_str_eq(route_of(system, -1, 0, 4 * KIB, false), "staged");
	ok(het_close(system));
}
END_TEST

/* A host's route that is barred is taken where there is no other. */
START_TEST(what_has_no_other_way_goes_all_the_same)
{
	struct het__calibration c = of_cards();
	struct het__cal_pair *const pair = add_pair(&c, "host", c.device[0].name, HET__CAL_CONTIGUOUS);
	het_system *system;

	for (int route = 0; route < HET__CAL_ROUTES; route++) {
		pair->bar[pair->bar_count].route = route;
		het__cal_text(pair->bar[pair->bar_count++].why, HET__CAL_TEXT_BYTES, "wrong bytes");
	}
	use_calibration(&c, path_of("all.ini"));
	system = open_cards();
	ck_assert_str_eq(route_of(system, -1, 0, 4 * KIB, false), "staged");
	ok(het_close(system));
}
END_TEST

/* What goes to the program's memory is pinned only where it fits into a part; other bytes take another way,
 * which is none that is barred. The log tells which. */
START_TEST(what_the_choice_cannot_carry_takes_no_barred_route)
{
	enum { COUNT = 2 << 20 };
	struct het__calibration c = of_cards();
	struct het__cal_pair *const pair = add_pair(&c, c.device[0].name, "host", HET__CAL_CONTIGUOUS);
	static const char *const barred[] = {"staged", "chunked"};
	int *const values = malloc(COUNT * sizeof *values);
	struct het_flow flow = HET_FLOW_INIT;
	het_system *system;
	het_array *x;
	uint64_t mapped = 0;

	ck_assert_ptr_nonnull(values);
	add_point(pair, "pinned", 4 * KIB, 1000);
	het__cal_decide(pair);
	for (int i = 0; i < 2; i++) {
		pair->bar[pair->bar_count].route = het__cal_route_of(barred[i]);
		het__cal_text(pair->bar[pair->bar_count++].why, HET__CAL_TEXT_BYTES, "wrong bytes");
	}
	use_calibration(&c, path_of("pinned.ini"));
	system = open_cards();
	x = zero_array(system, COUNT);
	ok(het_launch(common_kernel(system, "set"), het_device(system, 0), het_grid(1, COUNT), HET_OUT(x),
		      HET_VAL(7)));
	ok(het_read(het_view(x, het_whole()), values));
	for (int i = 0; i < COUNT; i++)
		ck_assert_int_eq(values[i], 7);
	for (int i = 0; !het_flow_at(system, i, &flow); i++)
		mapped += strcmp(flow.route, "mapped") ? 0 : flow.bytes;
	ck_assert_uint_eq(mapped, COUNT * sizeof(int));
	close_face(system);
	ck_assert_int_eq(times_said("pocl:gpu0 to host, 8388608 bytes: mapped"), 1);
	assert_said("in place of one that cannot make this copy; staged barred");
	free(values);
}
END_TEST

START_TEST(a_route_can_be_forced)
{
	struct het__calibration c = of_cards();
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	crossing(&c);
	use_calibration(&c, path_of("good.ini"));
	setenv("HETERO_ROUTE", "staged", 1);
	system = open_cards();
	ck_assert_str_eq(route_of(system, 0, 1, 1, false), "staged");
	ok(het_close(system));
	setenv("HETERO_ROUTE", "copy", 1);
	system = open_cards();
	ck_assert_str_eq(route_of(system, 0, 1, 64 * KIB, false), "copy");
	ck_assert_str_eq(route_of(system, -1, 1, 64 * KIB, false), "staged"); /* does not apply */
	ok(het_close(system));
	setenv("HETERO_ROUTE", "pigeon", 1);
	fails(het_open(&options, &system), HET_ERR_ARGUMENT, "HETERO_ROUTE", "pigeon");
}
END_TEST

/* Every route of the library has a name that files may use. */
START_TEST(routes_have_names_in_files)
{
	for (size_t row = 0; het__route_at(row); row++)
		if (strcmp(het__route_at(row)->name, "repack") != 0)
			ck_assert_msg(het__cal_route_of(het__route_at(row)->name) >= 0, "%s",
				      het__route_at(row)->name);
}
END_TEST

/* ---- the log ------------------------------------------------------------------------------------- */

START_TEST(decisions_are_told_once_for_each_size)
{
	struct het__calibration c = of_cards();
	het_system *system;
	het_kernel *set;

	crossing(&c);
	use_calibration(&c, path_of("good.ini"));
	system = open_cards();
	set = common_kernel(system, "set");
	for (int round = 0; round < 6; round++) {
		const int count = round < 3 ? 1024 : 32 * 1024;
		het_array *const x = zero_array(system, count);

		ok(het_launch(set, het_device(system, 0), het_grid(1, count), HET_OUT(x), HET_VAL(7)));
		ok(het_prefetch(het_view(x, het_whole()), het_device(system, 1)));
		ok(het_wait(x));
		het_array_free(x);
	}
	close_face(system);
	ck_assert_int_eq(times_said("pocl:gpu0 to pocl:gpu1, 4096 bytes: copy 1.0 us measured, the "
				    "fastest measured; staged 5.0 us measured"),
			 1);
	ck_assert_int_eq(times_said("pocl:gpu0 to pocl:gpu1, 131072 bytes: staged"), 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_library_takes_what_the_file_says,
		bytes_go_that_way,
		a_small_rest_goes_as_what_is_small,
		columns_go_their_own_way,
		parts_are_as_large_as_the_file_says,
		a_timeline_has_the_prediction,
		a_barred_route_is_not_taken,
		what_the_choice_cannot_carry_takes_no_barred_route,
		a_route_that_does_not_apply_is_passed_over,
		what_has_no_other_way_goes_all_the_same,
		a_route_can_be_forced,
		routes_have_names_in_files,
		decisions_are_told_once_for_each_size,
	};

	return run_fake_tests("calibration_use", (int)(sizeof tests / sizeof tests[0]), tests);
}
