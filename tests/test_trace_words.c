/* test_trace_words.c - what HETERO_STATS and HETERO_TRACE say on stderr: the table, and what is wrong with a
 * file. */
#include "face.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakes.h"
#include "platforms.h"

enum { N = 64 };

static het_system *work(int launches)
{
	het_system *system;
	het_array *a, *b;
	het_kernel *add;

	ok(het_open(NULL, &system));
	add = common_kernel(system, "add");
	a = counting_array(system, N);
	b = zero_array(system, N);
	for (int i = 0; i < launches; i++)
		ok(het_launch(add, het_device(system, i % het_device_count(system)), het_grid(1, N), HET_OUT(b),
			      HET_IN(a), HET_VAL(i)));
	ck_assert_int_eq(element(b, 1), launches);
	return system;
}

static void work_and_close(void)
{
	ok(het_close(work(3)));
}

static void work_and_exit(void)
{
	(void)work(3);
}

/* Two launches are before kernels are timed. */
static void work_and_balance(void)
{
	het_system *const system = work(2);
	het_array *const b = zero_array(system, N);

	ok(het_team_rebalance(het_everyone(system), 1));
	ok(het_spread(common_kernel(system, "add"), het_everyone(system), het_grid(1, N), HET_OUT(HET_EACH(b)),
		      HET_IN(HET_EACH(counting_array(system, N))), HET_VAL(1)));
	ok(het_close(system));
}

static const char *said_on(const char *machine, void (*function)(void))
{
	const char *said;
	int status;

	ck_assert(het_test_fake_driver(machine));
	said = said_by(function, &status);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x: %s", status, said);
	return said;
}

static const char table[] =
	"hetero: system 1 has done:\n"
	"  device                                   launches  kernels, ms       bytes in      bytes out\n"
	"  pocl:gpu0                                       2            -            256              4\n"
	"  pocl:gpu1                                       1            -            256              0\n"
	"  kernel                                   launches           ms\n"
	"  add                                             3            -\n"
	"  from -> to                                  route       copies          bytes\n"
	"  host -> pocl:gpu0                          staged            1            256\n"
	"  host -> pocl:gpu1                          staged            1            256\n"
	"  pocl:gpu0 -> host                          staged            1              4\n"
	"  3 launches, 0 fills, 0 host functions, 1 maps; 0 tasks held back, 0 failed\n";

static const char lines[] =
	"hetero: trace: [task] array 0 [8:16] host -> fake:gpu0, mapped, because add arg 1 uses it (held)\n"
	"hetero: trace: [task] add on fake:gpu0: out array 1, in array 0 [8:16] (held)\n"
	"hetero: trace: [task] sum fake:gpu0 -> host, mapped, because het_call arg 0 uses it (held)\n"
	"hetero: trace: [task] host function on the host: in sum (held)\n"
	"hetero: trace: [task] sum host -> fake:gpu1, mapped, because bump arg 0 uses it (held)\n"
	"hetero: trace: [task] bump on fake:gpu1: inout sum (held)\n"
	"hetero: trace: [task] fill on fake:gpu1: out sum [0:8]\n";

START_TEST(test_table)
{
	setenv("HETERO_STATS", "1", 1);
	ck_assert_str_eq(said_on("one-context", _i ? work_and_exit : work_and_close), table);
}
END_TEST

static void assert_line_ends(const char *said, const char *begin, const char *end)
{
	const char *const line = strstr(said, begin);
	const size_t length = line ? strcspn(line + 1, "\n") + 1 : 0, wanted = strlen(end);

	ck_assert_msg(length > wanted && strncmp(line + length - wanted, end, wanted) == 0, "%s", said);
}

START_TEST(test_table_of_some_times)
{
	const char *said;

	setenv("HETERO_STATS", "1", 1);
	said = said_on("one-context", work_and_balance);
	assert_line_ends(said, "\n  add ", " of 2");
	assert_line_ends(said, "\n  pocl:gpu0 ", "; ms of 1");
	assert_line_ends(said, "\n  pocl:gpu1 ", "; ms of 1");
}
END_TEST

START_TEST(test_no_table)
{
	static const struct {
		const char *value, *said;
	} cases[] = {
		{"0", ""},
		{"", ""},
		{"yes", "hetero: warn: [system] HETERO_STATS is 'yes': it must be 0 or 1\n"},
		{"2", "hetero: warn: [system] HETERO_STATS is '2': it must be 0 or 1\n"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		setenv("HETERO_STATS", cases[i].value, 1);
		ck_assert_str_eq(said_on("one-context", work_and_close), cases[i].said);
	}
}
END_TEST

static het_status take_part(void *user, int count, const struct het_host_arg *arg)
{
	(void)user;
	(void)count;
	(void)arg;
	return HET_OK;
}

static void work_of_all_kinds(void)
{
	const int zero = 0;
	het_system *system;
	het_array *a, *b;

	ok(het_open(NULL, &system));
	a = counting_array(system, N);
	b = zero_array(system, N);
	ok(het_launch(common_kernel(system, "add"), first_device(system), het_grid(1, 8), HET_OUT(b),
		      HET_IN(het_view(a, het_rows(8, 16))), HET_VAL(1)));
	ok(het_array_name(b, "sum"));
	ok(het_call(system, take_part, NULL, HET_IN(b)));
	ok(het_wait_all(system));
	ok(het_launch(common_kernel(system, "bump"), last_device(system), het_grid(1, N), HET_INOUT(b),
		      HET_VAL(1)));
	ok(het_wait_all(system));
	ok(het_fill(het_view(b, het_rows(0, 8)), &zero));
	ok(het_close(system));
}

/* $HETERO_LOG=task: a line for every task that is started, and of transfers for each whole one. */
START_TEST(test_lines)
{
	setenv("HETERO_LOG", "task", 1);
	setenv("HETERO_ROUTE", "mapped", 1);
	ck_assert_str_eq(said_on("two-gpus", work_of_all_kinds), lines);
}
END_TEST

static const char *warning(const char *path, const char *reason)
{
	static char text[512];

	snprintf(text, sizeof text, "hetero: warn: [system] HETERO_TRACE: %s cannot be written: %s\n", path,
		 reason);
	return text;
}

/* One warning, and the program does its work. */
START_TEST(test_unwritable)
{
	char folder[300];

	snprintf(folder, sizeof folder, "%s", het_test_folder());
	setenv("HETERO_TRACE", "/nowhere/at/all.json", 1);
	ck_assert_str_eq(said_on("one-gpu", work_and_close),
			 warning("/nowhere/at/all.json", "No such file or directory"));
	setenv("HETERO_TRACE", folder, 1);
	ck_assert_str_eq(said_on("one-gpu", work_and_close), warning(folder, "Is a directory"));
	setenv("HETERO_TRACE", "/dev/null", 1);
	ck_assert_str_eq(said_on("one-gpu", work_and_close), warning("/dev/null", "it is no regular file"));
}
END_TEST

static int descriptor; /* of a file with one line */

static void work_and_print(void)
{
	ck_assert_int_ge(dup2(descriptor, STDOUT_FILENO), 0);
	work_and_close();
}

static void work_and_complain(void)
{
	ck_assert_int_ge(dup2(descriptor, STDERR_FILENO), 0);
	work_and_close();
}

static const char *text_of(const char *path)
{
	static char text[20000];
	FILE *const file = fopen(path, "r");

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* A timeline does not take the place of what is in a file that the program's output goes to. */
START_TEST(test_output)
{
	static const char line[] = "precious\n";
	const char *const reason = "what the program prints goes there";
	char file[300], both[600];

	snprintf(file, sizeof file, "%s", het_test_file("output", line));
	descriptor = open(file, O_RDWR | O_APPEND);
	ck_assert_int_ge(descriptor, 0);
	setenv("HETERO_TRACE", "/dev/stdout", 1);
	ck_assert_str_eq(said_on("one-gpu", work_and_print), warning("/dev/stdout", reason));
	setenv("HETERO_TRACE", file, 1);
	ck_assert_str_eq(said_on("one-gpu", work_and_print), warning(file, reason));
	ck_assert_str_eq(text_of(file), line);
	ck_assert_str_eq(said_on("one-gpu", work_and_complain), "");
	snprintf(both, sizeof both, "%s%s", line, warning(file, reason));
	ck_assert_str_eq(text_of(file), both);
	close(descriptor);
}
END_TEST

static void work_without_output(void)
{
	static const char noise[] = "noise\n";
	het_system *system;

	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	system = work(3);
	if (write(STDOUT_FILENO, noise, sizeof noise - 1) > 0 ||
	    write(STDERR_FILENO, noise, sizeof noise - 1) > 0)
		_exit(1);
	ok(het_close(system));
}

/* Nor does its file become what is printed to, where there was none. */
START_TEST(test_no_output)
{
	char file[300];

	snprintf(file, sizeof file, "%s", het_test_file("unprinted.json", ""));
	setenv("HETERO_TRACE", file, 1);
	ck_assert_str_eq(said_on("one-gpu", work_without_output), "");
	ck_assert_ptr_nonnull(strstr(text_of(file), "\"name\":\"add\""));
}
END_TEST

static void work_with_full_disk(void)
{
	struct rlimit before, most;
	het_system *system;

	signal(SIGXFSZ, SIG_IGN);
	ok(het_open(NULL, &system)); /* kernels are built, and kept on disk, before the limit */
	ok(het_close(system));
	system = work(1);
	/* No assertions from here on: they write to a file of libcheck's, which may be cut within a word. */
	if (getrlimit(RLIMIT_FSIZE, &before))
		_exit(1);
	most = (struct rlimit){300, before.rlim_max};
	if (setrlimit(RLIMIT_FSIZE, &most) || het_close(system) || setrlimit(RLIMIT_FSIZE, &before))
		_exit(1); /* else what gcov writes at the end would be cut, too */
}

/* The file stays as it was at the last write that went well. */
START_TEST(test_full_disk)
{
	char path[300], text[400] = "";
	const char *said;
	FILE *file;

	snprintf(path, sizeof path, "%s", het_test_file("full.json", ""));
	setenv("HETERO_TRACE", path, 1);
	said = said_on("one-gpu", work_with_full_disk);
	ck_assert_msg(strstr(said, "HETERO_TRACE: the timeline in ") != NULL, "%s", said);
	ck_assert_msg(strstr(said, " ends here: File too large\n") != NULL, "%s", said);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert(fread(text, 1, sizeof text - 1, file) > 0);
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "\n]\n"));
	ck_assert_str_eq(strstr(text, "\n]\n"), "\n]\n");
}
END_TEST

/* The timeline's descriptor becomes a file of the program's, as where that closes all that it did not open. */
static void take_descriptor(void)
{
	struct stat timeline, is;
	het_system *const system = work(1);
	const int own = open(het_test_file("own.txt", "my own"), O_RDWR | O_CLOEXEC);
	int file = 3;

	ck_assert_int_ge(own, 0);
	ck_assert_int_eq(stat(getenv("HETERO_TRACE"), &timeline), 0);
	while (file < 100 &&
	       (fstat(file, &is) || is.st_dev != timeline.st_dev || is.st_ino != timeline.st_ino))
		file++;
	ck_assert_int_eq(dup2(own, file), file);
	ok(het_close(system));
	ck_assert_int_eq(fstat(file, &is), 0);
	ck_assert_int_eq(is.st_size, 6);
	ck_assert_int_eq(close(file), 0);
	ck_assert_int_eq(close(own), 0);
}

static void assert_timeline_ends(const char *name, void (*act)(void), const char *reason)
{
	const char *said;

	setenv("HETERO_TRACE", het_test_file(name, ""), 1);
	said = said_on("one-gpu", act);
	assert_line_ends(said, "HETERO_TRACE: the timeline in ", reason);
}

/* It is not written to, nor closed. */
START_TEST(test_closed_descriptor)
{
	assert_timeline_ends("taken.json", take_descriptor, " ends here: the program has closed the file");
}
END_TEST

static struct rlimit unlimited;

static void lift_limit(void)
{
	(void)setrlimit(RLIMIT_FSIZE, &unlimited);
}

/* The limit is there when the library writes at the end, and gone when gcov does. */
static void end_with_full_disk(void)
{
	struct rlimit most;

	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &unlimited) || atexit(lift_limit))
		_exit(1);
	(void)work(1);
	most = (struct rlimit){300, unlimited.rlim_max};
	if (setrlimit(RLIMIT_FSIZE, &most))
		_exit(1);
}

/* Who never closes the system is told, too. */
START_TEST(test_full_disk_at_the_end)
{
	assert_timeline_ends("end.json", end_with_full_disk, " ends here: File too large");
}
END_TEST

/* A child that opens systems of its own does not write over its parent's file. */
static void fork_and_open(void)
{
	het_system *system = work(1);
	int status;
	pid_t child = fork();

	if (child == 0) {
		ok(het_close(work(1)));
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ok(het_close(system));
}

START_TEST(test_fork)
{
	char path[300];

	snprintf(path, sizeof path, "%s", het_test_file("fork.json", ""));
	setenv("HETERO_TRACE", path, 1);
	ck_assert_str_eq(said_on("one-gpu", fork_and_open),
			 warning(path, "the process from which this one was forked writes it: have %p in its "
				       "name"));
}
END_TEST

/* Another process's file is left as it is while that has it, and may be had afterwards: by several systems,
 * too. */
static void work_and_work(void)
{
	het_system *system = work(3);

	work_and_close();
	ok(het_close(system));
}

START_TEST(test_other_process)
{
	char path[300], text[16] = "";
	int file;

	snprintf(path, sizeof path, "%s", het_test_file("other.json", "[\n\n]\n"));
	setenv("HETERO_TRACE", path, 1);
	file = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(flock(file, LOCK_EX), 0);
	ck_assert_str_eq(said_on("one-gpu", work_and_close),
			 warning(path, "another process writes it: have %p in its name"));
	ck_assert_int_eq(pread(file, text, sizeof text, 0), 5);
	ck_assert_int_eq(close(file), 0);
	ck_assert_str_eq(said_on("one-gpu", work_and_work), "");
	ck_assert_str_eq(said_on("one-gpu", work_and_close), "");
}
END_TEST

/* It goes on with a name that its parent has done with, and its own main thread is one. */
static void close_and_fork(void)
{
	int status;
	pid_t child;

	ok(het_close(work(1)));
	child = fork();
	if (child == 0) {
		ok(het_close(work(1)));
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

START_TEST(test_fork_after_closing)
{
	static char text[20000];
	char path[300];
	FILE *file;

	snprintf(path, sizeof path, "%s", het_test_file("closed.json", ""));
	setenv("HETERO_TRACE", path, 1);
	ck_assert_str_eq(said_on("one-gpu", close_and_fork), "");
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert(fread(text, 1, sizeof text - 1, file) > 0);
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "\"main thread (waits)\""));
}
END_TEST

#define LONG "a_kernel_whose_name_is_so_long_that_it_does_not_fit_into_a_line_of_the_table_"

static void launch_long_names(void)
{
	static const char text[] = "kernel void " LONG "one(global int *x) { x[get_global_id(0)] = 1; }"
				   "kernel void " LONG "two(global int *x) { x[get_global_id(0)] = 2; }";
	het_system *system;
	het_array *array;

	ok(het_open(NULL, &system));
	array = zero_array(system, N);
	for (int i = 0; i < 5; i++)
		ok(het_launch(text_kernel(system, text, i < 2 ? LONG "one" : LONG "two"), first_device(system),
			      het_grid(1, N), HET_OUT(array)));
	ok(het_close(system));
}

/* Each kernel has its line. */
START_TEST(test_long_names)
{
	const char *said;

	setenv("HETERO_STATS", "1", 1);
	said = said_on("one-gpu", launch_long_names);
	ck_assert_msg(strstr(said, LONG "one            2 "), "%s", said);
	ck_assert_msg(strstr(said, LONG "two            3 "), "%s", said);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		test_no_table, test_table_of_some_times, test_lines, test_unwritable, test_output,
		test_no_output, test_full_disk, test_full_disk_at_the_end, test_closed_descriptor, test_fork,
		test_fork_after_closing, test_long_names, test_other_process};
	int ended;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	ended = run_fake_tests("words of traces", (int)(sizeof tests / sizeof tests[0]), tests);
	return ended ? ended : run_fake_loop("table", test_table, 2, 60);
}
