/* test_log.c - log lines: what is shown, on stderr and to a callback, and when. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/log.h"
#include "base/stray.h"
#include "suite.h"
#include "threads.h"

/* ---- stderr ------------------------------------------------------------------------------------ */

static FILE *captured;
static int real_stderr;

static void capture_stderr(void)
{
	captured = tmpfile();
	real_stderr = dup(STDERR_FILENO);
	ck_assert_ptr_nonnull(captured);
	ck_assert_int_ge(real_stderr, 0);
	ck_assert_int_ge(dup2(fileno(captured), STDERR_FILENO), 0);
}

/* What was written to stderr since capture_stderr. */
static const char *release_stderr(void)
{
	static char text[8192];
	ck_assert_int_ge(dup2(real_stderr, STDERR_FILENO), 0);
	(void)close(real_stderr);
	rewind(captured);
	text[fread(text, 1, sizeof text - 1, captured)] = '\0';
	(void)fclose(captured);
	return text;
}

static struct het__logger *new_stderr_logger(const char *setting)
{
	if (setting)
		ck_assert_int_eq(setenv("HETERO_LOG", setting, 1), 0);
	else
		ck_assert_int_eq(unsetenv("HETERO_LOG"), 0);
	struct het__logger *logger = het__logger_new(NULL, NULL, HET_LOG_TRACE);
	ck_assert_ptr_nonnull(logger);
	return logger;
}

START_TEST(test_log__stderr_lines)
{
	capture_stderr();
	struct het__logger *logger = new_stderr_logger(NULL);
	het__log(logger, HET_LOG_WARN, "route", "%s is slow", "copy");
	het__log(logger, HET_LOG_ERROR, "kernel", "two\nlines\n");
	het__log(logger, HET_LOG_INFO, "route", "not shown");
	het__log_flush(logger);
	het__logger_free(logger);
	ck_assert_str_eq(release_stderr(), "hetero: warn: [route] copy is slow\n"
					   "hetero: error: [kernel] two\n"
					   "hetero: error: [kernel] lines\n");
}
END_TEST

/* The highest level shown of a topic; -1 when nothing is. */
static int shown(const struct het__logger *logger, const char *topic)
{
	int level = -1;
	while (level < HET_LOG_TRACE && het__log_wants(logger, (enum het_log_level)(level + 1), topic))
		level++;
	return level;
}

START_TEST(test_log__setting)
{
	static const struct {
		const char *setting;
		int route, task; /* highest level shown */
	} cases[] = {
		{NULL, HET_LOG_WARN, HET_LOG_WARN},
		{"", HET_LOG_WARN, HET_LOG_WARN},
		{"error", HET_LOG_ERROR, HET_LOG_ERROR},
		{"debug", HET_LOG_DEBUG, HET_LOG_DEBUG},
		{"TRACE", HET_LOG_TRACE, HET_LOG_TRACE},
		{"route", HET_LOG_TRACE, HET_LOG_WARN},
		{"error,task", HET_LOG_ERROR, HET_LOG_TRACE},
		{" Task , info ,", HET_LOG_INFO, HET_LOG_TRACE},
		{"route,error,task", HET_LOG_TRACE, HET_LOG_TRACE},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		capture_stderr();
		struct het__logger *logger = new_stderr_logger(cases[i].setting);
		const int route = shown(logger, "route"), task = shown(logger, "task");
		het__logger_free(logger);
		ck_assert_str_eq(release_stderr(), "");
		ck_assert_int_eq(route, cases[i].route);
		ck_assert_int_eq(task, cases[i].task);
	}
}
END_TEST

START_TEST(test_log__unknown_words_once)
{
	capture_stderr();
	struct het__logger *first = new_stderr_logger("inf,error,rout,task,routes");
	struct het__logger *second = new_stderr_logger("nonsense");
	const int level = shown(first, "route"), of_task = shown(first, "task");
	het__logger_free(first);
	het__logger_free(second);
	const char *text = release_stderr();
	ck_assert_int_eq(level, HET_LOG_ERROR);
	ck_assert_int_eq(of_task, HET_LOG_TRACE);
	ck_assert_ptr_nonnull(strstr(text, "[system] HETERO_LOG: unknown word \"inf\""));
	ck_assert_ptr_nonnull(strstr(text, "\"rout\""));
	ck_assert_ptr_nonnull(strstr(text, "\"routes\""));
	ck_assert_ptr_null(strstr(text, "\"task\""));
	ck_assert_ptr_null(strstr(text, "nonsense"));
}
END_TEST

/* ---- callback ---------------------------------------------------------------------------------- */

#define MOST_LINES 1200

/* What a callback has received. */
struct heard {
	int count;
	enum het_log_level level[MOST_LINES];
	char text[MOST_LINES][128];
	atomic_int inside;           /* calls in progress */
	int overlapped;              /* whether two ever were */
	struct het__logger *answers; /* when set, the callback logs and flushes */
	bool answers_all;            /* ... for every line, not only the first */
};

static struct heard heard;

static void hear(void *user, enum het_log_level level, const char *line)
{
	struct heard *h = user;
	if (atomic_fetch_add(&h->inside, 1) > 0)
		h->overlapped = 1;
	if (h->count < MOST_LINES) {
		h->level[h->count] = level;
		(void)snprintf(h->text[h->count], sizeof h->text[0], "%s", line);
		h->count++;
	}
	if (h->answers) {
		struct het__logger *logger = h->answers;
		if (!h->answers_all)
			h->answers = NULL;
		het__log(logger, HET_LOG_INFO, "task", "answer");
		het__log_flush(logger);
	}
	(void)atomic_fetch_sub(&h->inside, 1);
}

static struct het__logger *new_hearing_logger(enum het_log_level level)
{
	memset(&heard, 0, sizeof heard);
	struct het__logger *logger = het__logger_new(hear, &heard, level);
	ck_assert_ptr_nonnull(logger);
	return logger;
}

START_TEST(test_log__callback_waits_for_flush)
{
	capture_stderr();
	struct het__logger *logger = new_hearing_logger(HET_LOG_INFO);
	het__log(logger, HET_LOG_INFO, "route", "line %d", 1);
	het__log(logger, HET_LOG_ERROR, "kernel", "line %d\n\nline %d\n", 2, 3);
	het__log(logger, HET_LOG_DEBUG, "kernel", "not passed");
	ck_assert_int_eq(heard.count, 0);
	het__log_flush(logger);
	ck_assert_int_eq(heard.count, 3);
	ck_assert_str_eq(heard.text[0], "[route] line 1");
	ck_assert_str_eq(heard.text[1], "[kernel] line 2");
	ck_assert_str_eq(heard.text[2], "[kernel] line 3");
	ck_assert_int_eq(heard.level[0], HET_LOG_INFO);
	ck_assert_int_eq(heard.level[2], HET_LOG_ERROR);

	het__log_flush(logger);
	ck_assert_int_eq(heard.count, 3);
	het__log(logger, HET_LOG_WARN, "route", "last");
	het__logger_free(logger);
	ck_assert_int_eq(heard.count, 4);
	ck_assert_str_eq(release_stderr(), "");
}
END_TEST

/* With a callback the program decides, not the environment. */
START_TEST(test_log__callback_ignores_setting)
{
	ck_assert_int_eq(setenv("HETERO_LOG", "trace,task,gibberish", 1), 0);
	struct het__logger *logger = new_hearing_logger(HET_LOG_ERROR);
	ck_assert_int_eq(shown(logger, "task"), HET_LOG_ERROR);
	het__logger_free(logger);
	ck_assert_int_eq(heard.count, 0);
}
END_TEST

static char long_heard[5000];

static void hear_long(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	(void)level;
	(void)snprintf(long_heard, sizeof long_heard, "%s", line);
}

START_TEST(test_log__long_lines_are_whole)
{
	char text[4001];
	memset(text, 'x', 4000);
	text[3999] = '!';
	text[4000] = '\0';
	struct het__logger *logger = het__logger_new(hear_long, NULL, HET_LOG_WARN);
	het__log(logger, HET_LOG_WARN, "system", "%s", text);
	het__logger_free(logger);
	ck_assert_int_eq(strncmp(long_heard, "[system] ", 9), 0);
	ck_assert_str_eq(long_heard + 9, text);
}
END_TEST

START_TEST(test_log__too_many_waiting)
{
	struct het__logger *logger = new_hearing_logger(HET_LOG_WARN);
	for (int i = 0; i < 1017; i++)
		het__log(logger, HET_LOG_WARN, "task", "%d", i);
	het__log_flush(logger);
	ck_assert_int_eq(heard.count, 1001);
	ck_assert_str_eq(heard.text[0], "[task] 0");
	ck_assert_str_eq(heard.text[999], "[task] 999");
	ck_assert_str_eq(heard.text[1000], "[system] log lines dropped: 17");
	ck_assert_int_eq(heard.level[1000], HET_LOG_WARN);

	het__log(logger, HET_LOG_WARN, "task", "again");
	het__logger_free(logger);
	ck_assert_int_eq(heard.count, 1002);
	ck_assert_str_eq(heard.text[1001], "[task] again");
}
END_TEST

START_TEST(test_log__without_memory)
{
	struct het__logger *logger = new_hearing_logger(HET_LOG_WARN);
	het__alloc_fail_after(0, 1);
	ck_assert_ptr_null(het__logger_new(hear, &heard, HET_LOG_WARN));
	het__log(logger, HET_LOG_WARN, "task", "lost");
	het__alloc_fail_after(-1, 0);
	het__logger_free(logger);
	ck_assert_int_eq(heard.count, 1);
	ck_assert_str_eq(heard.text[0], "[system] log lines dropped: 1");
}
END_TEST

/* A line logged by the callback is handed out after the callback has returned, not inside it. */
START_TEST(test_log__callback_may_log)
{
	struct het__logger *logger = new_hearing_logger(HET_LOG_INFO);
	heard.answers = logger;
	het__log(logger, HET_LOG_INFO, "task", "question");
	het__log(logger, HET_LOG_INFO, "task", "second");
	het__log_flush(logger);
	ck_assert_int_eq(heard.overlapped, 0);
	ck_assert_int_eq(heard.count, 3);
	ck_assert_str_eq(heard.text[0], "[task] question");
	ck_assert_str_eq(heard.text[1], "[task] second");
	ck_assert_str_eq(heard.text[2], "[task] answer");
	het__logger_free(logger);
}
END_TEST

/* Each answer to an answer would be another one's cause. */
START_TEST(test_log__callback_answers_others_only)
{
	struct het__logger *logger = new_hearing_logger(HET_LOG_INFO);
	heard.answers = logger;
	heard.answers_all = true;
	het__log(logger, HET_LOG_INFO, "task", "question");
	het__log(logger, HET_LOG_INFO, "task", "second");
	het__log_flush(logger);
	ck_assert_int_eq(heard.count, 4);
	ck_assert_str_eq(heard.text[2], "[task] answer");
	ck_assert_str_eq(heard.text[3], "[task] answer");
	het__log(logger, HET_LOG_INFO, "task", "third");
	het__log_flush(logger);
	ck_assert_int_eq(heard.count, 6);
	het__logger_free(logger);
	ck_assert_int_eq(heard.count, 6);
}
END_TEST

#define LINES_PER_THREAD 240 /* all together never too many waiting */

static struct het__logger *shared_logger;

static void *log_often(void *number)
{
	for (int i = 0; i < LINES_PER_THREAD; i++) {
		het__log(shared_logger, HET_LOG_INFO, "task", "%d %d", (int)(intptr_t)number, i);
		if (i % 3 == 0)
			het__log_flush(shared_logger);
	}
	return NULL;
}

/* Every line arrives, those of one thread in their order, and never two at a time. */
START_TEST(test_log__threads)
{
	int next[THREADS] = {0};
	shared_logger = new_hearing_logger(HET_LOG_INFO);
	in_threads(log_often);
	het__logger_free(shared_logger);
	ck_assert_int_eq(heard.overlapped, 0);
	ck_assert_int_eq(heard.count, THREADS * LINES_PER_THREAD);
	for (int i = 0; i < heard.count; i++) {
		int thread, line;
		ck_assert_int_eq(sscanf(heard.text[i], "[task] %d %d", &thread, &line), 2);
		ck_assert_int_eq(line, next[thread]++);
	}
}
END_TEST

START_TEST(test_log__no_logger)
{
	ck_assert_int_eq(het__log_wants(NULL, HET_LOG_ERROR, "task"), 0);
	het__log(NULL, HET_LOG_ERROR, "task", "nobody hears this");
	het__log_flush(NULL);
	het__logger_free(NULL);
}
END_TEST

/* ---- the environment --------------------------------------------------------------------------- */

static struct het__logger *warned_logger(void)
{
	struct het__logger *logger = new_hearing_logger(HET_LOG_WARN);

	het__env_warn_of_strays(logger);
	het__log_flush(logger);
	return logger;
}

/* One slip and the variable is named that was meant. */
START_TEST(test_log__stray_variables)
{
	static const struct {
		const char *name, *meant;
	} cases[] = {
		{"HETERO_DEVICE", "HETERO_DEVICES"},   {"HETERO_DEVICEES", "HETERO_DEVICES"},
		{"HETERO_DEVIZES", "HETERO_DEVICES"},  {"HETERO_DEVCIES", "HETERO_DEVICES"},
		{"HETERO_CACHE_MB", "HETERO_CACHE_MIB"}, {"HETERO_log", "HETERO_LOG"},
		{"HETERO_GLO", NULL},                  {"HETERO_CACHE_DIR", NULL},
		{"HETERO_", NULL},                     {"HETERO_A_NAME_LONGER_THAN_ALL_OF_THEM", NULL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char wanted[64 + 48];

		ck_assert_int_eq(setenv(cases[i].name, "x", 1), 0);
		het__logger_free(warned_logger());
		ck_assert_int_eq(unsetenv(cases[i].name), 0);
		ck_assert_int_eq(heard.count, 1);
		ck_assert_int_eq(heard.level[0], HET_LOG_WARN);
		(void)snprintf(wanted, sizeof wanted,
			       "[system] %s is set in the environment and has no meaning", cases[i].name);
		ck_assert_int_eq(strncmp(heard.text[0], wanted, strlen(wanted)), 0);
		(void)snprintf(wanted, sizeof wanted, ": did you mean %s?",
			       cases[i].meant ? cases[i].meant : "");
		ck_assert_msg((strstr(heard.text[0], wanted) != NULL) == (cases[i].meant != NULL), "%s",
			      heard.text[0]);
		ck_assert_int_eq(strstr(heard.text[0], "mean ") != NULL, cases[i].meant != NULL);
	}
}
END_TEST

/* The library's own, empty ones, the tests', and what only looks a little like them. */
START_TEST(test_log__no_stray_variables)
{
#define SET(name, values, meaning) ck_assert_int_eq(setenv(#name, "x", 1), 0);
	HET__ENV_TABLE(SET)
#undef SET
	ck_assert_int_eq(setenv("HETERO_DEVICE", "", 1), 0);
	ck_assert_int_eq(setenv("HETERO_TEST_ANYTHING", "1", 1), 0);
	ck_assert_int_eq(setenv("HETERO_FAKE_ANYTHING", "1", 1), 0);
	ck_assert_int_eq(setenv("HETEROS", "1", 1), 0);
	ck_assert_int_eq(setenv("MY_HETERO_DEVICE", "1", 1), 0);
	het__logger_free(warned_logger());
	ck_assert_int_eq(heard.count, 0);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("log");
	tcase_add_test(tc, test_log__stderr_lines);
	tcase_add_test(tc, test_log__setting);
	tcase_add_test(tc, test_log__unknown_words_once);
	tcase_add_test(tc, test_log__callback_waits_for_flush);
	tcase_add_test(tc, test_log__callback_ignores_setting);
	tcase_add_test(tc, test_log__stray_variables);
	tcase_add_test(tc, test_log__no_stray_variables);
	tcase_add_test(tc, test_log__long_lines_are_whole);
	tcase_add_test(tc, test_log__too_many_waiting);
	tcase_add_test(tc, test_log__without_memory);
	tcase_add_test(tc, test_log__callback_may_log);
	tcase_add_test(tc, test_log__callback_answers_others_only);
	tcase_add_test(tc, test_log__threads);
	tcase_add_test(tc, test_log__no_logger);
	return run_case("log", tc);
}
