/* test_cache_size.c - the cache of built programs stays below its limit, and keeps what is used. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hetero.h>

#include "base/alloc.h"
#include "kernel/cache.h"
#include "kernel/signature.h"
#include "platforms.h"
#include "suite.h"

enum { BIG = 100000 }; /* bytes of a binary: ten entries to the MiB */

static char folder[PATH_MAX], path[PATH_MAX + 64];

static void compose(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
}

static int count_files(void)
{
	DIR *const dir = opendir(folder);
	int count = 0;

	ck_assert_ptr_nonnull(dir);
	for (const struct dirent *e; (e = readdir(dir));)
		count += e->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void make_folder(void)
{
	char name[32];

	snprintf(name, sizeof(name), "cache-%ld", (long)getpid());
	snprintf(folder, sizeof(folder), "%s", het_test_subfolder(name));
}

static struct het__cache_key numbered_key(int number)
{
	static char source[32];
	struct het__cache_key k = {.kernel = "k", .options = "", .platform = "p", .device = "d", .driver = "1"};

	snprintf(source, sizeof(source), "source %d", number);
	k.source = source;
	return k;
}

static void store_big(int number)
{
	const struct het__cache_key k = numbered_key(number);
	struct het__cache_entry entry = {.binary_bytes = BIG, .binary = het__alloc_zeroed(BIG, 1)};

	entry.signature = het__signature_new(0);
	ck_assert(entry.binary && entry.signature);
	ck_assert(het__cache_store(NULL, HET_LOG_WARN, folder, &k, &entry));
	het__free(entry.binary);
	het__free(entry.signature);
}

static bool loads_big(int number)
{
	const struct het__cache_key k = numbered_key(number);
	struct het__cache_entry entry;

	if (!het__cache_load(NULL, folder, &k, &entry))
		return false;
	ck_assert_uint_eq(entry.binary_bytes, BIG);
	het__free(entry.binary);
	het__free(entry.signature);
	return true;
}

/* Makes every file of the folder older, so that what is used next is later whatever the clock's step. */
static void make_older(long seconds)
{
	DIR *const dir = opendir(folder);

	ck_assert_ptr_nonnull(dir);
	for (const struct dirent *e; (e = readdir(dir));) {
		struct stat about;
		struct timespec times[2];

		if (e->d_name[0] == '.' || fstatat(dirfd(dir), e->d_name, &about, 0) != 0)
			continue;
		times[0] = times[1] = about.st_mtim;
		times[0].tv_sec = times[1].tv_sec = about.st_mtim.tv_sec - seconds;
		ck_assert_int_eq(utimensat(dirfd(dir), e->d_name, times, 0), 0);
	}
	closedir(dir);
}

/* One MiB holds ten of these; when the eleventh comes, all but the seven used last go. */
START_TEST(test_least_used_entries_go)
{
	setenv("HETERO_CACHE_MIB", "1", 1);
	for (int i = 0; i < 10; i++) {
		store_big(i);
		make_older(10);
	}
	for (int i = 0; i < 10; i++)
		ck_assert(loads_big(i));
	make_older(10);
	ck_assert(loads_big(0)); /* the oldest is the one used last */
	make_older(10);
	ck_assert_int_eq(count_files(), 10);
	store_big(10);
	ck_assert_int_eq(count_files(), 7);
	ck_assert(loads_big(0) && loads_big(10));
}
END_TEST

START_TEST(test_size_may_be_chosen)
{
	static const char *const not_numbers[] = {"", "many", "-1", "3x", "99999999999999999999"};

	for (int i = 0; i < 5; i++) {
		setenv("HETERO_CACHE_MIB", not_numbers[i], 1);
		for (int k = 0; k < 15; k++)
			store_big(k);
		ck_assert_int_eq(count_files(), 15);
	}
	setenv("HETERO_CACHE_MIB", "0", 1); /* then not even the last stays */
	store_big(0);
	ck_assert_int_eq(count_files(), 0);
}
END_TEST

static char said[256];
static int lines;

static void hear(void *user, enum het_log_level level, const char *line)
{
	(void)user;
	ck_assert_int_eq(level, HET_LOG_WARN);
	snprintf(said, sizeof(said), "%s", line);
	lines++;
}

static void open_and_close(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.log = hear;
	options.log_level = HET_LOG_WARN;
	ck_assert_msg(het_open(&options, &system) == HET_OK, "%s", het_message());
	ck_assert_int_eq(het_close(system), HET_OK);
}

/* By the first system, whether or not anything is kept; not about what is right. */
START_TEST(test_wrong_size_is_said_once)
{
	static const char *const right[] = {"0", "1", "256", ""};

	for (int i = 0; i < 4; i++) {
		setenv("HETERO_CACHE_MIB", right[i], 1);
		open_and_close();
	}
	ck_assert_int_eq(lines, 0);
	for (int i = 0; i < 3; i++) {
		setenv("HETERO_CACHE_MIB", i ? "-1" : "1 GiB", 1);
		open_and_close();
		ck_assert_int_eq(lines, 1);
	}
	ck_assert_str_eq(said, "[kernel] HETERO_CACHE_MIB is '1 GiB', which is no whole number of MiB: "
			       "the cache may have 256");
}
END_TEST

/* What is no entry stays, but for files that a killed process did not finish. */
START_TEST(test_other_files_stay)
{
#define KEY "0123456789abcdef0123456789abcdef"
	static const char *const stay[] = {"verdict",      "x.program.AbCdEf",         "notes.programs.txt",
					   "mine.program", "0123456789abcdef.program", KEY ".program.backup.1",
					   KEY ".programs"};
	static const char *const unfinished = KEY ".program.AbCdEf", *const new_one = KEY ".program.ZyXwVu";

	for (int i = 0; i < 7; i++) {
		compose(stay[i]);
		fclose(fopen(path, "w"));
	}
	compose(unfinished);
	fclose(fopen(path, "w"));
	make_older(7200);
	compose(new_one);
	fclose(fopen(path, "w"));
	setenv("HETERO_CACHE_MIB", "0", 1);
	store_big(0);
	ck_assert_int_eq(count_files(), 8);
	compose(unfinished);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

/* Four processes store and load in one folder that is too small for them: whatever is read is whole. */
START_TEST(test_many_processes)
{
	pid_t child[4];
	int status;

	setenv("HETERO_CACHE_MIB", "1", 1);
	for (int p = 0; p < 4; p++) {
		child[p] = fork();
		ck_assert_int_ge(child[p], 0);
		for (int i = 0; child[p] == 0 && i < 100; i++) {
			store_big((p * 5 + i) % 20);
			(void)loads_big((p * 7 + i) % 20);
		}
		if (child[p] == 0)
			_exit(0);
	}
	for (int p = 0; p < 4; p++) {
		ck_assert_int_eq(waitpid(child[p], &status, 0), child[p]);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_le(count_files(), 10 + 4);
	store_big(0);
	ck_assert_int_le(count_files(), 10);
}
END_TEST

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_platforms();
	(void)het_test_folder(); /* before the tests' processes are forked */
	tcase_add_checked_fixture(all, make_folder, NULL);
	tcase_set_timeout(all, 60);
	tcase_add_test(all, test_least_used_entries_go);
	tcase_add_test(all, test_size_may_be_chosen);
	tcase_add_test(all, test_wrong_size_is_said_once);
	tcase_add_test(all, test_other_files_stay);
	tcase_add_test(all, test_many_processes);
	return run_case("cache size", all);
}
