/* test_untold.c - what stderr has when a program has ended that asked for no message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hetero.h>
#include <hetero/opencl.h>

#include "suite.h"

#define OPENING "het_open: nowhere to put the system (NULL)"
#define WARNING "and the program never asked why (het_message); the first: "

/* ---- the programs ------------------------------------------------------------------------------ */

static het_system *machine;

static void close_machine(void)
{
	(void)het_close(machine);
}

/* Two calls that fail, on a system that stays open. */
static void fail_twice(void)
{
	het_array *array;

	if (het_open(NULL, &machine) || het_array_new(machine, HET_INT, het_shape(1, 8), &array) ||
	    het_array_name(array, "first"))
		exit(30);
	(void)het_write(het_view(array, het_rows(4, 9)), &array);
	(void)het_write(het_view(array, het_rows(4, 10)), &array);
}

static void exit_in_child(void)
{
	const pid_t child = fork();

	if (child == 0)
		exit(0);
	(void)waitpid(child, NULL, 0);
}

/* A word for each step. The end is a return from main. */
static int run_program(int count, char **steps)
{
	for (int i = 0; i < count; i++) {
		const char *const step = steps[i];

		if (strcmp(step, "opens") == 0)
			(void)het_open(NULL, NULL);
		else if (strcmp(step, "adopts") == 0)
			(void)het_open_context(NULL, 0, NULL, NULL, &machine);
		else if (strcmp(step, "fails") == 0)
			fail_twice();
		else if (strcmp(step, "asks") == 0)
			(void)het_message();
		else if (strcmp(step, "closes") == 0)
			close_machine();
		else if (strcmp(step, "closes-at-exit") == 0)
			(void)atexit(close_machine);
		else if (strcmp(step, "forks") == 0)
			exit_in_child();
		else if (strcmp(step, "exits") == 0)
			exit(0);
		else
			return 31;
	}
	return 0;
}

/* ---- what they have said ----------------------------------------------------------------------- */

static void become_program(const char *level, const char *steps, int to)
{
	char words[128], *argv[8] = {words};
	int argc = 1;

	(void)snprintf(words, sizeof words, "test_untold %s", steps);
	(void)strtok(words, " ");
	while (argc < 7 && (argv[argc] = strtok(NULL, " ")) != NULL)
		argc++;
	if (level)
		setenv("HETERO_LOG", level, 1);
	else
		unsetenv("HETERO_LOG");
	(void)dup2(to, STDERR_FILENO);
	execv("/proc/self/exe", argv);
	_exit(32);
}

static const char *stderr_of(const char *level, const char *steps)
{
	static char text[16384];
	FILE *const file = tmpfile();
	const pid_t child = fork();
	int status;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(child, 0);
	if (child == 0)
		become_program(level, steps, fileno(file));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %d", steps, status);
	rewind(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	(void)fclose(file);
	return text;
}

static int count_of(const char *part, const char *text)
{
	int count = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		count++;
	return count;
}

START_TEST(test_end_tells_of_failures_that_nobody_asked_about)
{
	static const struct {
		const char *steps;
		int opening, calls; /* warnings of either */
	} programs[] = {
		{"opens", 1, 0},
		{"opens exits", 1, 0},
		{"opens asks", 0, 0},
		{"opens opens", 0, 0}, /* "2 calls" */
		{"opens forks", 1, 0},
		{"fails", 0, 1},
		{"fails exits", 0, 1},
		{"fails asks", 0, 0},
		{"fails closes", 0, 1},
		{"closes-at-exit fails exits", 0, 1},
		{"fails forks", 0, 1},
		{"opens fails", 1, 1},
	};

	for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
		const char *const text = stderr_of(NULL, programs[i].steps);
		const int opening = count_of("warn: [system] 1 call failed, " WARNING OPENING, text);
		const int calls =
			count_of("warn: [system] 2 calls failed, " WARNING "het_write: box [4, 9)", text);

		ck_assert_msg(opening == programs[i].opening && calls == programs[i].calls, "%s: %s",
			      programs[i].steps, text);
	}
	ck_assert_int_eq(count_of("2 calls failed, " WARNING OPENING, stderr_of(NULL, "opens opens")), 1);
	ck_assert_str_eq(stderr_of("error", "opens fails"), "");
}
END_TEST

START_TEST(test_openings_that_failed_are_logged)
{
	const char *text = stderr_of("info", "opens asks");

	ck_assert_msg(count_of("info: [system] a call failed: " OPENING, text) == 1, "%s", text);
	text = stderr_of("info", "adopts asks");
	ck_assert_msg(strstr(text, "info: [system] a call failed: het_open_context: the context is NULL"), "%s",
		      text);
	ck_assert_str_eq(stderr_of("warn", "opens asks"), "");
}
END_TEST

static void keep(void *lines, enum het_log_level level, const char *line)
{
	if (level == HET_LOG_INFO && strstr(line, "a call failed"))
		strncat(lines, line, 255);
}

/* The program's log function gets the line, as far as the options can be read. */
START_TEST(test_log_function_gets_the_opening)
{
	char lines[512] = "", wanted[512];
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.log = keep;
	options.log_user = lines;
	options.log_level = HET_LOG_INFO;
	options.devices = "no such device";
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_SELECTION);
	(void)snprintf(wanted, 256, "[system] a call failed: %.*s", (int)strcspn(het_message(), "\n"),
		       het_message());
	ck_assert_msg(strncmp(lines, wanted, strlen(wanted)) == 0, "%s, not %s", lines, wanted);
	lines[0] = '\0';
	options.log_level = (enum het_log_level)77;
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_ARGUMENT);
	ck_assert_str_eq(lines, "[system] a call failed: het_open: no such level of log lines: 77");
	lines[0] = '\0';
	options.log_level = HET_LOG_WARN;
	ck_assert_int_eq(het_open(&options, &system), HET_ERR_SELECTION);
	ck_assert_str_eq(lines, "");
}
END_TEST

int main(int argc, char **argv)
{
	TCase *all;

	if (argc > 1)
		return run_program(argc - 1, argv + 1);
	all = tcase_create("all");
	tcase_set_timeout(all, 60);
	tcase_add_test(all, test_end_tells_of_failures_that_nobody_asked_about);
	tcase_add_test(all, test_openings_that_failed_are_logged);
	tcase_add_test(all, test_log_function_gets_the_opening);
	return run_case("untold", all);
}
