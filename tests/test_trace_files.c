/* test_trace_files.c - HETERO_TRACE: the file of programs that end without a word, and of several systems. */
#include "face.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakes.h"
#include "platforms.h"

#ifdef HAVE_JANSSON
#include "scene.h"
#include "timeline.h"

/* ---- ends of programs --------------------------------------------------------------------------- */

static void leave_open(void)
{
	struct scene s = open_scene();

	act(&s);
	ok(het_launch(s.bump, first_device(s.system), het_grid(1, N), HET_INOUT(s.b), HET_VAL(1)));
}

START_TEST(test_exit_without_close)
{
	json_t *events;
	int status;

	timeline_to("exit.json");
	start_on("two-gpus", "late");
	(void)said_by(leave_open, &status);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	events = timeline_load_checked();
	ck_assert_int_eq(slices(events, "kernel", NULL), 4);
	ck_assert_int_eq(slices(events, "wait", "het_map right"), 1);
	json_decref(events);
}
END_TEST

static void leave_a_stopped_device(void)
{
	struct scene s = open_scene();

	act(&s);
	ok(het_wait_all(s.system));
	control("stop 0 1");
	for (int i = 0; i < 4; i++)
		ok(het_launch(s.bump, first_device(s.system), het_grid(1, N), HET_INOUT(s.b), HET_VAL(1)));
}

/* The first of them goes on until the end; the others have not begun. */
START_TEST(test_exit_with_a_stopped_device)
{
	json_t *events;
	const json_t *event;
	int status, unfinished = 0, lasting = 0;
	size_t i;

	timeline_to("stopped.json");
	setenv("HETERO_PATIENCE", "1", 1);
	start_on("two-gpus", "fifo");
	(void)said_by(leave_a_stopped_device, &status);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	events = timeline_load_checked();
	json_array_foreach(events, i, event) {
		if (!*word(args(event), "unfinished"))
			continue;
		unfinished++;
		lasting += number(event, "dur") > 0;
	}
	ck_assert_int_eq(unfinished, 4);
	ck_assert_int_eq(lasting, 1);
	json_decref(events);
}
END_TEST

static void leave_at_once(void)
{
	struct scene s = open_scene();

	act(&s);
	ok(het_wait_all(s.system)); /* nothing is left to wait for: the file need not be complete yet */
	ok(het_launch(s.bump, first_device(s.system), het_grid(1, N), HET_INOUT(s.b), HET_VAL(1)));
	ok(het_wait_all(s.system));
	ok(het_launch(s.bump, first_device(s.system), het_grid(1, N), HET_INOUT(s.b), HET_VAL(1)));
	_exit(0);
}

START_TEST(test_exit_at_once)
{
	json_t *events;
	int status;

	timeline_to("at_once.json");
	start_on("one-context", "late");
	(void)said_by(leave_at_once, &status);
	events = timeline_load_checked();
	ck_assert_int_eq(slices(events, "kernel", NULL), 4);
	json_decref(events);
}
END_TEST

/* ---- systems ------------------------------------------------------------------------------------ */

START_TEST(test_systems_share_a_file)
{
	struct scene s, t;
	json_t *events;
	int of[4] = {0};
	const json_t *event;
	size_t i;

	timeline_to("systems.json");
	start_on("two-gpus", "fifo");
	s = open_scene();
	t = open_scene();
	act(&t);
	act(&s);
	ok(het_close(s.system));
	ok(het_close(t.system));
	s = open_scene(); /* the file is gone on with */
	act(&s);
	act(&s);
	ok(het_close(s.system));
	events = timeline_load_checked();
	json_array_foreach(events, i, event)
		if (is_slice(event, "kernel"))
			of[(int)number(event, "pid")]++;
	ck_assert_int_eq(of[1], 3);
	ck_assert_int_eq(of[2], 3);
	ck_assert_int_eq(of[3], 6);
	json_decref(events);
}
END_TEST

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* No event of the first system gets into the file, as on a full disk; those of the next are the first there. */
START_TEST(test_file_that_was_given_up)
{
	struct scene s;
	json_t *events;

	timeline_to("full.json");
	start_on("one-gpu", "fifo");
	signal(SIGXFSZ, SIG_IGN);
	limit_files(strlen("[\n\n]\n"));
	s = open_scene();
	act(&s);
	ok(het_close(s.system));
	limit_files(RLIM_INFINITY);
	events = timeline_load_checked();
	ck_assert_uint_eq(json_array_size(events), 0);
	json_decref(events);
	s = open_scene();
	act(&s);
	ok(het_close(s.system));
	events = timeline_load_checked();
	ck_assert_int_eq(slices(events, "kernel", NULL), 3);
	json_decref(events);
}
END_TEST

START_TEST(test_number_of_process)
{
	char name[600];
	struct scene s;

	timeline_to("number.%p.json");
	start_on("one-gpu", "fifo");
	s = open_scene();
	ok(het_close(s.system));
	snprintf(name, sizeof name, "%.*s%ld.json", (int)(strlen(timeline_path) - strlen("%p.json")),
		 timeline_path, (long)getpid());
	strcpy(timeline_path, name);
	json_decref(timeline_load_checked());
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		test_exit_without_close,   test_exit_with_a_stopped_device, test_exit_at_once,
		test_systems_share_a_file, test_number_of_process,          test_file_that_was_given_up};
	const int count = (int)(sizeof tests / sizeof tests[0]);

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_tests("trace files", count, tests);
}

#else

int main(void)
{
	fprintf(stderr, "libjansson is missing: not tested\n");
	return 77;
}

#endif
