/* test_file.c - files that are replaced whole, and what must not be replaced. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "suite.h"

static char folder[] = "/tmp/hetero-file-XXXXXX";

static void go_there(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void leave(void)
{
	unlink("a");
	unlink("link");
	unlink("pipe");
	rmdir("folder");
	ck_assert_int_eq(rmdir(folder), 0); /* so nothing temporary was left */
}

static void holds(const char *path, const char *text)
{
	char found[64] = "";
	FILE *const file = fopen(path, "r");

	ck_assert_ptr_nonnull(file);
	found[fread(found, 1, sizeof found - 1, file)] = '\0';
	fclose(file);
	ck_assert_str_eq(found, text);
}

static bool replace(const char *path, const char *text)
{
	return het__file_replace(path, text, strlen(text));
}

START_TEST(test_file__is_made_and_replaced)
{
	struct stat facts;

	umask(022);
	ck_assert(het__file_may_replace("a"));
	ck_assert_int_ne(access("a", F_OK), 0);
	ck_assert(replace("a", "long before"));
	ck_assert(het__file_may_replace("a"));
	ck_assert(replace("a", "now"));
	holds("a", "now");
	ck_assert_int_eq(stat("a", &facts), 0);
	ck_assert_uint_eq(facts.st_mode & 0777, 0644);
}
END_TEST

/* The new file is looked at under a name of its own; what it may replace is still there. */
static bool look(int file, const char *name, void *user)
{
	struct stat opened, named;

	ck_assert(fstat(file, &opened) == 0 && stat(name, &named) == 0);
	ck_assert_uint_eq(opened.st_ino, named.st_ino);
	holds(name, "new");
	holds("a", "old");
	return *(const bool *)user;
}

START_TEST(test_file__is_replaced_if)
{
	bool good = false;

	ck_assert(replace("a", "old"));
	ck_assert(!het__file_replace_if("a", "new", 3, look, &good));
	holds("a", "old");
	good = true;
	ck_assert(het__file_replace_if("a", "new", 3, look, &good));
	holds("a", "new");
}
END_TEST

START_TEST(test_file__link_stays)
{
	struct stat facts;

	ck_assert(replace("a", "before"));
	ck_assert_int_eq(symlink("a", "link"), 0);
	ck_assert(het__file_may_replace("link") && replace("link", "now"));
	ck_assert(lstat("link", &facts) == 0 && S_ISLNK(facts.st_mode));
	holds("a", "now");
}
END_TEST

/* Nobody reads yet: it is not waited for. Then somebody does. */
START_TEST(test_file__pipe_is_written_to)
{
	struct stat facts;
	char found[8] = "";
	int reader;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert(het__file_may_replace("pipe"));
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	ck_assert(het__file_may_replace("pipe")); /* who reads does not come to an end by that */
	ck_assert_int_eq(poll(&(struct pollfd){reader, POLLIN, 0}, 1, 0), 0);
	ck_assert_int_ge(reader, 0);
	ck_assert(replace("pipe", "now"));
	ck_assert_int_eq(read(reader, found, sizeof found), 3);
	ck_assert_str_eq(found, "now");
	close(reader);
	ck_assert(stat("pipe", &facts) == 0 && S_ISFIFO(facts.st_mode));
}
END_TEST

/* Also where standard output is a file: what is written goes there, behind what is in it. */
START_TEST(test_file__standard_output_stays)
{
	struct stat before, after;

	if (lstat("/dev/stdout", &before) != 0)
		return;
	ck_assert_ptr_nonnull(freopen("a", "w", stdout));
	printf("before ");
	fflush(stdout);
	ck_assert(het__file_may_replace("/dev/stdout") && replace("/dev/stdout", "now"));
	ck_assert_int_eq(lstat("/dev/stdout", &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	printf(" after");
	ck_assert(replace("/dev/stdout", " all"));
	holds("a", "before now after all");
}
END_TEST

static mode_t mode_of(const char *path)
{
	struct stat facts;

	ck_assert_int_eq(stat(path, &facts), 0);
	return facts.st_mode & 0777;
}

/* Who may read a file may read what takes its place. */
START_TEST(test_file__permissions_stay)
{
	umask(022);
	ck_assert(replace("a", "mine"));
	ck_assert_uint_eq(mode_of("a"), 0644);
	for (mode_t mode = 0600; mode <= 0666; mode += 0033) {
		ck_assert_int_eq(chmod("a", mode), 0);
		ck_assert(replace("a", "still"));
		ck_assert_uint_eq(mode_of("a"), mode);
	}
	holds("a", "still");
}
END_TEST

/* As many letters as a file's name can have. */
START_TEST(test_file__long_names)
{
	char name[NAME_MAX + 2];

	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	ck_assert(het__file_may_replace(name) && replace(name, "first") && replace(name, "second"));
	holds(name, "second");
	unlink(name);
	memcpy(name + NAME_MAX, "n", 2);
	ck_assert(!het__file_may_replace(name) && errno == ENAMETOOLONG);
	ck_assert(!replace(name, "third") && errno == ENAMETOOLONG);
}
END_TEST

/* What is in memory only is a file all the same. */
START_TEST(test_file__in_shared_memory)
{
	char path[64], text[16] = "";
	FILE *file;

	if (access("/dev/shm", W_OK) != 0)
		return;
	snprintf(path, sizeof path, "/dev/shm/hetero-test-file-%ld", (long)getpid());
	ck_assert(replace(path, "longer") && replace(path, "new"));
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
	fclose(file);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_str_eq(text, "new");
}
END_TEST

START_TEST(test_file__devices_stay)
{
	struct stat facts;

	ck_assert(het__file_may_replace("/dev/null") && replace("/dev/null", "gone"));
	ck_assert(stat("/dev/null", &facts) == 0 && S_ISCHR(facts.st_mode));
	if (access("/dev/full", W_OK) == 0) {
		ck_assert(!replace("/dev/full", "no room"));
		ck_assert_int_eq(errno, ENOSPC);
	}
}
END_TEST

START_TEST(test_file__what_cannot_be)
{
	char name[300];

	ck_assert(mkdir("folder", 0700) == 0);
	ck_assert(!het__file_may_replace("folder") && errno == EISDIR);
	ck_assert(!replace("folder", "") && errno == EISDIR);
	ck_assert(!het__file_may_replace("nowhere/a") && errno == ENOENT);
	ck_assert(!replace("nowhere/a", "") && errno == ENOENT);
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	ck_assert(!het__file_may_replace(name) && errno == ENAMETOOLONG);
	ck_assert(!replace(name, "") && errno == ENAMETOOLONG);
}
END_TEST

/* The signal that comes of writing more than a process may would end it. */
START_TEST(test_file__as_large_as_may_be)
{
	struct rlimit limit, few;
	sigset_t pending;
	bool set, ten, eleven;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	few = (struct rlimit){10, limit.rlim_max};
	ck_assert(replace("a", "old"));
	/* Check has a file, too, in which it notes what is asserted. */
	set = setrlimit(RLIMIT_FSIZE, &few) == 0;
	ten = replace("a", "just  ten.");
	eleven = !replace("a", "eleven now.") && errno == EFBIG;
	set = setrlimit(RLIMIT_FSIZE, &limit) == 0 && set;
	ck_assert(set && ten && eleven);
	holds("a", "just  ten.");
	ck_assert(sigpending(&pending) == 0 && !sigismember(&pending, SIGXFSZ));
}
END_TEST

int main(void)
{
	TCase *const tc = tcase_create("file");

	tcase_add_checked_fixture(tc, go_there, leave);
	tcase_add_test(tc, test_file__is_made_and_replaced);
	tcase_add_test(tc, test_file__is_replaced_if);
	tcase_add_test(tc, test_file__link_stays);
	tcase_add_test(tc, test_file__pipe_is_written_to);
	tcase_add_test(tc, test_file__standard_output_stays);
	tcase_add_test(tc, test_file__permissions_stay);
	tcase_add_test(tc, test_file__long_names);
	tcase_add_test(tc, test_file__in_shared_memory);
	tcase_add_test(tc, test_file__devices_stay);
	tcase_add_test(tc, test_file__what_cannot_be);
	tcase_add_test(tc, test_file__as_large_as_may_be);
	return run_case("file", tc);
}
