/* test_log_lines.c - what a program is told that looks at no status, and asks no device what it can. */
#include <stdio.h>
#include <string.h>

#include <hetero/array.h>

#include "platforms.h"
#include "suite.h"
#include "systems.h"

static char failed_calls[2048];

static void keep_failed_calls(void *user, enum het_log_level level, const char *line)
{
	const size_t at = strlen(failed_calls);

	(void)user;
	if (level == HET_LOG_INFO && strstr(line, "a call failed: "))
		snprintf(failed_calls + at, sizeof failed_calls - at, "%s;", line);
}

/* Each once, also where a call makes the device ready first; not what a failure's text is asked for. */
START_TEST(test_failed_calls_are_logged)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	char wanted[sizeof failed_calls] = "";
	het_array *array;
	int x = 0;

	options.log = keep_failed_calls;
	options.log_level = HET_LOG_INFO;
	ok(het_open(&options, &system));
	ok(het_array_new(system, HET_INT, het_shape(1, 8), &array));
	for (int i = 0; i < 4; i++) {
		const struct het_view outside = het_view(array, het_rows(4, 9 + i));
		const het_status st =
			i % 2 ? het_prefetch(outside, het_device(system, 0)) : het_write(outside, &x);
		const size_t at = strlen(wanted);

		ck_assert_int_ne(st, HET_OK);
		snprintf(wanted + at, sizeof wanted - at, "[system] a call failed: %s;", het_message());
		ok(het_array_name(array, "named"));
	}
	ck_assert_str_eq(failed_calls, wanted);
	ok(het_close(system));
	ck_assert_str_eq(failed_calls, wanted);
}
END_TEST

static void count_warnings(void *count, enum het_log_level level, const char *line)
{
	if (level == HET_LOG_WARN && strstr(line, "rusticl:cpu0 is Mesa's llvmpipe") && strstr(line, "65535"))
		++*(int *)count;
}

/* Said once, when the device is first used. */
START_TEST(test_device_that_ends_loops)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	het_device *device;
	int count = 0;

	if (!het_test_is_there("rusticl:*"))
		return;
	options.devices = "rusticl:*";
	options.log = count_warnings;
	options.log_user = &count;
	ok(het_open(&options, &system));
	device = het_device(system, 0);
	ck_assert_int_eq(count, 0);
	for (int i = 0; i < 2; i++) {
		het_array *array;

		ok(het_array_new(system, HET_INT, het_shape(1, 8), &array));
		ok(het_prefetch(het_view(array, het_whole()), device));
	}
	ck_assert_int_eq(count, strncmp(info_of(device).hardware, "llvmpipe", 8) == 0);
	ok(het_close(system));
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("all");

	tcase_add_test(all, test_failed_calls_are_logged);
	tcase_add_test(all, test_device_that_ends_loops);
	return run_case("log lines", all);
}
