/* test_log_lines.c - what a program is told that looks at no status, and asks no device what it can. */
#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hetero.h>
#include <hetero/opencl.h>

#include "platforms.h"
#include "suite.h"
#include "systems.h"

static char failed_calls[8192];

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

struct forbidden {
	het_system *system;
	het_array *wrapped;
};

static het_status waits(void *user, int count, const struct het_host_arg *args)
{
	const struct forbidden *const f = user;

	(void)count;
	(void)args;
	ck_assert_int_eq(het_wait_all(f->system), HET_ERR_CONTEXT);
	ck_assert_int_eq(het_array_free(f->wrapped), HET_ERR_CONTEXT);
	return HET_OK;
}

/* What fails before the system's lock is taken, too: a line for each of `count` calls. */
static void assert_lines(int count)
{
	int lines = 0;

	for (const char *at = failed_calls; (at = strstr(at, "a call failed: ")) != NULL; at++)
		lines++;
	ck_assert_msg(lines == count, "%d lines of %d calls: %s", lines, count, failed_calls);
}

START_TEST(test_calls_refused_at_once_are_logged)
{
	static const char text[] = "kernel void set(global int *out) { out[get_global_id(0)] = 1; }";
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	het_device *device;
	het_array *array;
	het_kernel *set, *none;
	het_team *team, *everyone;
	struct forbidden forbidden;
	int *at, host[4] = {0};

	options.log = keep_failed_calls;
	options.log_level = HET_LOG_INFO;
	ok(het_open(&options, &system));
	device = het_device(system, 0);
	everyone = het_everyone(system);
	ok(het_team_new(system, 1, &device, NULL, &team));
	ok(het_array_new(system, HET_INT, het_shape(1, 100), &array));
	ok(het_kernel_from_source(system, text, "set", NULL, &set));
	ok(het_launch(set, device, het_grid(1, 100), HET_OUT(array)));
	const het_status refused[] = {
		het_launch(set, device, het_local(het_grid(1, 100), 7), HET_OUT(array)),
		het_launch(set, NULL, het_grid(1, 100), HET_OUT(array)),
		het_launch_args(set, device, het_grid(1, 100), NULL, 1),
		het_spread(set, everyone, het_grid(1, 100), HET_OUT(array)),
		het_spread(set, NULL, het_grid(1, 100), HET_OUT(HET_EACH(array))),
		het_map(array, (enum het_map_mode)7, &at),
		het_call(system, NULL, NULL, HET_OUT(array)),
		het_native(device, NULL, NULL, HET_OUT(array)),
		het_kernel_from_source(system, NULL, "set", NULL, &none),
		het_kernel_from_source(system, "set", text, NULL, &none), /* the wrong way round */
		het_kernel_from_binary(device, text, 0, "set", &none),
		het_team_new(system, 1, NULL, NULL, &team),
		het_team_set_shares(team, &(double){-1.5}),
		het_team_rebalance(team, -1),
		het_team_overlap(team, (enum het_overlap)77),
		het_stats(system, NULL),
		het_flow_at(system, -1, &(struct het_flow)HET_FLOW_INIT),
		het_device_stats(device, NULL),
	};
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		ck_assert_msg(refused[i] != HET_OK, "call %zu", i);
	assert_lines((int)(sizeof refused / sizeof refused[0]));
	forbidden.system = system;
	ok(het_array_wrap(system, HET_INT, het_shape(1, 4), host, &forbidden.wrapped));
	ok(het_call(system, waits, &forbidden, HET_IN(array)));
	ok(het_wait_all(system));
	assert_lines((int)(sizeof refused / sizeof refused[0]) + 2);
	ok(het_close(system));
}
END_TEST

static void count_lost(void *count, enum het_log_level level, const char *line)
{
	static const char both[] = "kernel both: all its arrays are given by HET_IN; what it writes to those "
				   "that it may write to is lost: argument 1 (int* b)";
	static const char many[] = ": argument 0 (int* b), argument 2 (int* d), argument 3 (int* e) and "
				   "others";
	const char *const at = strstr(line, both);

	if (level == HET_LOG_WARN && (at ? at[strlen(both)] == '\0' : strstr(line, many) != NULL))
		++*(int *)count;
}

/* Whoever takes HET_IN for an argument has no result, and no error. */
START_TEST(test_kernel_without_a_result)
{
	static const char text[] = "kernel void both(global const int *a, global int *b) "
				   "{ if (b) b[0] = a[0]; }"
				   "kernel void many(global int *b, global const int *c, global int *d, "
				   "global int *e, global int *f) { b[0] = d[0] = e[0] = f[0] = c[0]; }"
				   "kernel void reads(global const int *a) { if (a[0] == 9) printf(\"9\"); }";
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	het_device *device;
	het_kernel *both, *many, *reads;
	het_array *a, *b;
	int count = 0, zero = 0;

	options.log = count_lost;
	options.log_user = &count;
	ok(het_open(&options, &system));
	device = het_device(system, 0);
	ok(het_array_new(system, HET_INT, het_shape(1, 8), &a));
	ok(het_array_new(system, HET_INT, het_shape(1, 8), &b));
	ok(het_fill(het_view(a, het_whole()), &zero));
	ok(het_fill(het_view(b, het_whole()), &zero));
	ok(het_kernel_from_source(system, text, "both", NULL, &both));
	ok(het_kernel_from_source(system, text, "reads", NULL, &reads));
	ok(het_launch(reads, device, het_grid(1, 1), HET_IN(a)));
	ok(het_launch(both, device, het_grid(1, 1), HET_IN(a), HET_INOUT(b)));
	ok(het_launch(both, device, het_grid(1, 1), HET_IN(a), HET_NULL));
	ok(het_wait_all(system));
	ck_assert_int_eq(count, 0);
	for (int i = 0; i < 3; i++)
		ok(het_launch(both, device, het_grid(1, 1), HET_IN(a), HET_IN(b)));
	ck_assert_int_eq(count, 1);
	ok(het_kernel_from_source(system, text, "many", NULL, &many));
	ok(het_launch(many, device, het_grid(1, 1), HET_IN(a), HET_IN(b), HET_IN(a), HET_IN(a), HET_IN(b)));
	ok(het_close(system));
	ck_assert_int_eq(count, 2);
}
END_TEST

static void keep_warning(void *text, enum het_log_level level, const char *line)
{
	if (level == HET_LOG_WARN && strstr(line, "never asked why"))
		snprintf(text, 256, "%s", line);
}

/* True where het_close warned. */
static bool warns(bool asks)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	struct het_flow flow = HET_FLOW_INIT;
	het_array *array;
	char text[256] = "";

	options.log = keep_warning;
	options.log_user = text;
	if (het_open(&options, &system) || het_array_new(system, HET_INT, het_shape(1, 8), &array) ||
	    het_array_name(array, "first"))
		return false;
	(void)het_write(het_view(array, het_rows(4, 9)), &asks);
	(void)het_write(het_view(array, het_rows(4, 10)), &asks);
	for (int i = 0; het_flow_at(system, i, &flow) == HET_OK; i++) /* its end is no failure */
		continue;
	if (asks)
		(void)het_message();
	(void)het_close(system);
	return strstr(text, "[system] 2 calls failed") && strstr(text, "the first: het_write: box [4, 9)");
}

/* Processes of their own, because "never" is of a whole process. */
START_TEST(test_close_tells_of_failures_that_nobody_asked_about)
{
	for (int asks = 0; asks < 2; asks++) {
		const pid_t child = fork();
		int status;

		ck_assert_int_ge(child, 0);
		if (child == 0) {
			execl("/proc/self/exe", "test_log_lines", asks ? "asks" : "is silent", NULL);
			_exit(30);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFEXITED(status));
		ck_assert_int_eq(WEXITSTATUS(status), asks ? 20 : 10);
	}
}
END_TEST

/* A locale of the test's own with a decimal comma; skipped where there is nothing to make one of. */
START_TEST(test_numbers_have_a_point_in_every_locale)
{
	char folder[] = "/tmp/hetero-locale-XXXXXX", command[256], decimal[8];
	het_system *machine = NULL;
	het_team *team;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null", folder);
	if (system(command) == 0) {
		setenv("LOCPATH", folder, 1);
		ck_assert_ptr_nonnull(setlocale(LC_ALL, "de_DE.UTF-8"));
		snprintf(decimal, sizeof decimal, "%.1f", 0.5);
		ck_assert_str_eq(decimal, "0,5");
		ok(het_open(NULL, &machine));
		team = het_everyone(machine);
		ck_assert_int_eq(het_team_set_shares(team, (double[64]){-1.5}), HET_ERR_ARGUMENT);
		ck_assert_ptr_nonnull(strstr(het_message(), "share 0 is -1.5"));
		ok(het_close(machine));
		snprintf(decimal, sizeof decimal, "%.1f", 0.5);
		ck_assert_str_eq(decimal, "0,5");
	}
	snprintf(command, sizeof command, "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
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

static het_status refuse(void *user, int count, const struct het_host_arg *args)
{
	(void)user, (void)count, (void)args;
	return HET_ERR_DEVICE;
}

static void note_too_many(void *told, enum het_log_level level, const char *line)
{
	if (level == HET_LOG_ERROR && strstr(line, "one of too many failures"))
		atomic_store((atomic_bool *)told, true);
}

/* A line of a thread of the library's own does not wait for the program's next call. */
START_TEST(test_lines_of_other_threads)
{
	enum { FAILURES = 65 };
	const struct timespec while_ = {.tv_nsec = 1000000};
	struct het_options options = HET_OPTIONS_INIT;
	static atomic_bool told;
	het_system *system;

	options.log = note_too_many;
	options.log_user = &told;
	ok(het_open(&options, &system));
	for (int i = 0; i < FAILURES; i++) {
		het_array *array;

		ok(het_array_new(system, HET_INT, het_shape(1, 8), &array));
		ok(het_call(system, refuse, NULL, HET_OUT(array)));
	}
	for (int i = 0; i < 20000 && !atomic_load(&told); i++)
		nanosleep(&while_, NULL);
	ck_assert(atomic_load(&told));
	ck_assert_int_eq(het_close(system), HET_ERR_LOST);
}
END_TEST

int main(int argc, char **argv)
{
	TCase *all;

	if (argc > 1)
		return warns(strcmp(argv[1], "asks") == 0) ? 10 : 20;
	all = tcase_create("all");
	tcase_set_timeout(all, 60); /* a locale takes seconds to make */
	tcase_add_test(all, test_failed_calls_are_logged);
	tcase_add_test(all, test_calls_refused_at_once_are_logged);
	tcase_add_test(all, test_close_tells_of_failures_that_nobody_asked_about);
	tcase_add_test(all, test_numbers_have_a_point_in_every_locale);
	tcase_add_test(all, test_device_that_ends_loops);
	tcase_add_test(all, test_kernel_without_a_result);
	tcase_add_test(all, test_lines_of_other_threads);
	return run_case("log lines", all);
}
