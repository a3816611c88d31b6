/* test_calibration_found.c - which calibration a system finds, and which ones it refuses. */
#include "cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fakes.h"
#include "platforms.h"

/* ---- refusals ------------------------------------------------------------------------------------ */

START_TEST(a_changed_driver_is_refused)
{
	struct het__calibration c = of_cards();
	het_system *system;

	crossing(&c);
	het__cal_text(c.device[1].driver, HET__CAL_TEXT_BYTES, "an older one");
	use_calibration(&c, path_of("driver.ini"));
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
	use_calibration(&c, path_of("memory.ini"));
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
	use_calibration(&c, path_of("foreign.ini"));
	system = open_cards();
	ck_assert_ptr_null(system->calibration);
	assert_said("unknown device: it is of other devices: none of those in use, of which pocl:gpu0 is the "
		    "first, is in it");
	ok(het_close(system));
}
END_TEST

/* A device in parts of which nothing was measured: the file is of this machine, nothing is wrong. */
START_TEST(parts_of_a_known_device_take_the_defaults)
{
	struct het_options options = HET_OPTIONS_INIT;
	struct het__calibration c;
	het_system *system;

	setenv("HETERO_CALIBRATION", "off", 1);
	ck_assert(het_test_fake_driver("cut-cpu"));
	ok(het_open(&options, &system));
	c = calibration_of(system, 0);
	ok(het_close(system));
	use_calibration(&c, path_of("whole.ini"));
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
	use_calibration(&c, path_of("one.ini"));
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
	use_calibration(&c, path);
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
		a_changed_driver_is_refused,
		changed_hardware_is_refused,
		a_foreign_file_is_refused,
		a_device_that_is_new_takes_the_defaults,
		parts_of_a_known_device_take_the_defaults,
		rubbish_never_breaks_a_program,
		it_is_found_in_the_users_folder,
	};

	return run_fake_tests("calibration_found", (int)(sizeof tests / sizeof tests[0]), tests);
}
