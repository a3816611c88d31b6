/* test_calibration_use.c - a system and its calibration: found, refused, obeyed; HETERO_ROUTE; the log of
 * routes. On a fake machine of two cards with one context: bytes can be copied or go by the host. */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibration/file.h"
#include "fakes.h"
#include "platforms.h"
#include "route/choose.h"
#include "system/setup.h"

#define KIB ((size_t)1024)

/* ---- systems ----------------------------------------------------------------------------------- */

struct lines {
	char text[65536]; /* all of the log, a line each */
};

static struct lines said;

static void keep_line(void *user, enum het_log_level level, const char *line)
{
	struct lines *lines = user;
	const size_t length = strlen(lines->text);

	if (level <= HET_LOG_WARN || strncmp(line, "[route]", 7) == 0)
		snprintf(lines->text + length, sizeof lines->text - length, "%d %s\n", (int)level, line);
}

static het_system *open_cards(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	ck_assert(het_test_fake_driver("one-context"));
	said.text[0] = '\0';
	options.log = keep_line;
	options.log_user = &said;
	options.log_level = HET_LOG_TRACE;
	ok(het_open(&options, &system));
	for (int d = 0; d < het_device_count(system); d++)
		ok(het__device_open(het_device(system, d)));
	return system;
}

static void assert_said(const char *words)
{
	ck_assert_msg(strstr(said.text, words) != NULL, "\"%s\" is not in: %s", words, said.text);
}

static int times_said(const char *words)
{
	int times = 0;

	for (const char *at = strstr(said.text, words); at; at = strstr(at + 1, words))
		times++;
	return times;
}

/* ---- calibrations ------------------------------------------------------------------------------- */

/* One that knows the cards and nothing else. */
static struct het__calibration of_cards(void)
{
	struct het__calibration c = {.format = HET__CAL_FORMAT};
	het_system *system;

	setenv("HETERO_CALIBRATION", "off", 1);
	system = open_cards();
	het__cal_text(c.library, sizeof c.library, het_version());
	het__cal_text(c.date, sizeof c.date, "2026-01-31T10:22:05Z");
	for (int d = 0; d < het_device_count(system); d++)
		ok(het__setup_identity(het_device(system, d), het__calibration_add_device(&c)));
	ok(het_close(system));
	return c;
}

static struct het__cal_pair *add_pair(struct het__calibration *c, const char *from, const char *to,
				      enum het__cal_shape shape)
{
	struct het__cal_pair *const pair = het__calibration_add_pair(c);

	strcpy(pair->from, from);
	strcpy(pair->to, to);
	pair->shape = shape;
	return pair;
}

static void add_point(struct het__cal_pair *pair, const char *route, size_t bytes, uint64_t ns)
{
	struct het__cal_curve *curve = het__cal_curve(pair, het__cal_route_of(route));

	if (!curve) {
		curve = &pair->curve[pair->curve_count++];
		curve->route = het__cal_route_of(route);
	}
	curve->at[curve->count++] = (struct het__cal_point){bytes, ns, 0};
}

/* From card to card: copy below 64 KiB, by the host from there on. */
static struct het__cal_pair *crossing(struct het__calibration *c)
{
	struct het__cal_pair *const pair =
		add_pair(c, c->device[0].name, c->device[1].name, HET__CAL_CONTIGUOUS);

	add_point(pair, "copy", 4 * KIB, 1000);
	add_point(pair, "copy", 64 * KIB, 100000);
	add_point(pair, "staged", 4 * KIB, 5000);
	add_point(pair, "staged", 64 * KIB, 50000);
	het__cal_decide(pair);
	ck_assert_int_eq(pair->choice_count, 2);
	return pair;
}

static void put(struct het__calibration *c, const char *path)
{
	struct het__cal_refusal refusal;

	ck_assert(het__calibration_write(path, c, &refusal));
	het__calibration_free(c);
	setenv("HETERO_CALIBRATION", path, 1);
}

static const char *path_of(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/%s", het_test_folder(), name);
	return path;
}

/* The name of the route that the library takes between two devices (-1: the host). */
static const char *route_of(het_system *system, int from, int to, size_t bytes, bool strided)
{
	const struct het__memory *const host = system->memories[0];
	const struct het__hop hop = {from < 0 ? host : het_device(system, from)->memory,
				     to < 0 ? host : het_device(system, to)->memory, bytes, strided};

	return het__route_choose(&hop)->name;
}

/* ---- what it decides ----------------------------------------------------------------------------- */

START_TEST(the_library_takes_what_the_file_says)
{
	struct het__calibration c = of_cards();
	het_system *system;

	crossing(&c);
	put(&c, path_of("good.ini"));
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
	put(&c, path_of("good.ini"));
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
	put(&c, path_of("rest.ini"));
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
	put(&c, path_of("columns.ini"));
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
	put(&c, path_of("parts.ini"));
	system = open_cards();
	set = common_kernel(system, "set");
	x = zero_array(system, 32 * 1024);
	ok(het_launch(set, het_device(system, 0), het_grid(1, 32 * 1024), HET_OUT(x), HET_VAL(7)));
	ok(het_prefetch(het_view(x, het_whole()), het_device(system, 1)));
	ok(het_wait(x));
	ck_assert_uint_eq(stats_of(system).transfers, 2 * 4);
	assert_counts(x, 7, 0);
	close_face(system);
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
	put(&c, path_of("good.ini"));
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
	put(&c, path_of("barred.ini"));
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
	put(&c, path_of("odd.ini"));
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
	put(&c, path_of("all.ini"));
	system = open_cards();
	ck_assert_str_eq(route_of(system, -1, 0, 4 * KIB, false), "staged");
	ok(het_close(system));
}
END_TEST

START_TEST(a_route_can_be_forced)
{
	struct het__calibration c = of_cards();
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	crossing(&c);
	put(&c, path_of("good.ini"));
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
	put(&c, path_of("good.ini"));
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
	ck_assert_int_eq(times_said("pocl:gpu0 to pocl:gpu1, 4096 bytes: copy 1.0 us measured; staged 5.0 us "
				    "measured"),
			 1);
	ck_assert_int_eq(times_said("pocl:gpu0 to pocl:gpu1, 131072 bytes: staged"), 1);
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------------ */

START_TEST(a_changed_driver_is_refused)
{
	struct het__calibration c = of_cards();
	het_system *system;

	crossing(&c);
	het__cal_text(c.device[1].driver, HET__CAL_TEXT_BYTES, "an older one");
	put(&c, path_of("driver.ini"));
	system = open_cards();
	ck_assert_ptr_null(system->calibration);
	ck_assert_str_eq(route_of(system, 0, 1, 64 * KIB, false), "copy");
	assert_said("changed driver: of pocl:gpu1: measured with 'an older one'");
	ck_assert_int_eq(times_said("hetero-calibrate makes a new one"), 1);
	ok(het_close(system));
	system = open_cards(); /* the advice is given once, the reason each time */
	assert_said("changed driver");
	ck_assert_int_eq(times_said("hetero-calibrate makes a new one"), 0);
	ok(het_close(system));
}
END_TEST

START_TEST(changed_hardware_is_refused)
{
	struct het__calibration c = of_cards();
	het_system *system;

	c.device[0].memory_bytes++;
	put(&c, path_of("memory.ini"));
	system = open_cards();
	ck_assert_ptr_null(system->calibration);
	assert_said("changed device: the memory of pocl:gpu0");
	ok(het_close(system));
}
END_TEST

START_TEST(a_foreign_file_is_refused)
{
	struct het__calibration c = of_cards();
	het_system *system;

	strcpy(c.device[0].name, "elsewhere:gpu0");
	strcpy(c.device[1].name, "elsewhere:gpu1");
	put(&c, path_of("foreign.ini"));
	system = open_cards();
	ck_assert_ptr_null(system->calibration);
	assert_said("unknown device: it tells of no device that is used here, not of pocl:gpu0");
	ok(het_close(system));
}
END_TEST

/* A device in parts of which nothing was measured: the file is of this machine, nothing is wrong. */
START_TEST(parts_of_a_known_device_take_the_defaults)
{
	struct het_options options = HET_OPTIONS_INIT;
	struct het__calibration c = {.format = HET__CAL_FORMAT};
	het_system *system;

	setenv("HETERO_CALIBRATION", "off", 1);
	ck_assert(het_test_fake_driver("cut-cpu"));
	ok(het_open(&options, &system));
	het__cal_text(c.library, sizeof c.library, het_version());
	het__cal_text(c.date, sizeof c.date, "2026-01-31T10:22:05Z");
	ok(het__setup_identity(het_device(system, 0), het__calibration_add_device(&c)));
	ok(het_close(system));
	put(&c, path_of("whole.ini"));
	said.text[0] = '\0';
	options.devices = "cpu0/1";
	options.log = keep_line;
	options.log_user = &said;
	options.log_level = HET_LOG_TRACE;
	ok(het_open(&options, &system));
	ck_assert_int_gt(het_device_count(system), 1);
	ck_assert_str_eq(said.text, "");
	ok(het_close(system));
}
END_TEST

/* Of one device the file may say nothing: it is used for the others. */
START_TEST(a_device_that_is_new_takes_the_defaults)
{
	struct het__calibration c = of_cards();
	struct het__cal_pair *pair;
	het_system *system;

	pair = add_pair(&c, c.device[0].name, "host", HET__CAL_CONTIGUOUS);
	add_point(pair, "staged", 4 * KIB, 1);
	het__cal_decide(pair);
	c.device_count = 1;
	put(&c, path_of("one.ini"));
	system = open_cards();
	ck_assert_ptr_nonnull(system->calibration);
	ck_assert_str_eq(route_of(system, 0, 1, 64 * KIB, false), "copy");
	ck_assert_str_eq(said.text, "");
	ok(het_close(system));
}
END_TEST

START_TEST(rubbish_never_breaks_a_program)
{
	het_system *system;

	setenv("HETERO_CALIBRATION", het_test_file("rubbish.ini", "rubbish\n"), 1);
	system = open_cards();
	assert_said("rubbish.ini:1: bad line");
	ok(het_close(system));
	setenv("HETERO_CALIBRATION", path_of("nowhere.ini"), 1);
	system = open_cards();
	assert_said("nowhere.ini: missing"); /* this file was asked for */
	ok(het_close(system));
}
END_TEST

/* ---- where it is looked for ------------------------------------------------------------------------ */

START_TEST(it_is_found_in_the_users_folder)
{
	struct het__calibration c = of_cards();
	char config[4096], path[4200];
	het_system *system;

	snprintf(config, sizeof config, "%s", het_test_subfolder("config/hetero"));
	snprintf(path, sizeof path, "%s/calibration.ini", config);
	crossing(&c);
	put(&c, path);
	unsetenv("HETERO_CALIBRATION");
	*strrchr(config, '/') = '\0';
	setenv("XDG_CONFIG_HOME", config, 1);
	system = open_cards();
	ck_assert_ptr_nonnull(system->calibration);
	ok(het_close(system));
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", het_test_subfolder("home"), 1);
	snprintf(config, sizeof config, "%s", het_test_subfolder("home/.config/hetero"));
	ck_assert_int_eq(rename(path, strcat(config, "/calibration.ini")), 0);
	system = open_cards();
	ck_assert_ptr_nonnull(system->calibration);
	ok(het_close(system));
	ck_assert_int_eq(unlink(config), 0);
	system = open_cards();
	ck_assert_msg(!strstr(said.text, config), "%s", said.text); /* none there: not a word */
	ok(het_close(system));
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
		a_route_that_does_not_apply_is_passed_over,
		what_has_no_other_way_goes_all_the_same,
		a_route_can_be_forced,
		routes_have_names_in_files,
		decisions_are_told_once_for_each_size,
		a_changed_driver_is_refused,
		changed_hardware_is_refused,
		a_foreign_file_is_refused,
		a_device_that_is_new_takes_the_defaults,
		parts_of_a_known_device_take_the_defaults,
		rubbish_never_breaks_a_program,
		it_is_found_in_the_users_folder,
	};

	return run_fake_tests("calibration_use", (int)(sizeof tests / sizeof tests[0]), tests);
}
