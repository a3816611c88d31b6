/* test_cache_entries.c - the files in which built kernels are kept, without OpenCL. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "kernel/cache.h"
#include "kernel/signature.h"
#include "suite.h"

static char folder[] = "/tmp/hetero-test-XXXXXX";
static char path[512]; /* of the one entry in the folder */

static const struct het__cache_key key = {.kernel = "k", .source = "source", .options = "-DX",
                                          .platform = "p", .device = "d", .driver = "1"};

static const unsigned char binary[] = {1, 2, 3, 0, 5, 255, 7};

/* The name of a file in the folder; the number of files. */
static int list_folder(char *name, size_t bytes)
{
	DIR *const dir = opendir(folder);
	int count = 0;

	ck_assert_ptr_nonnull(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, bytes, "%s/%s", folder, e->d_name);
		count++;
	}
	closedir(dir);
	return count;
}

static void make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
	char name[512];

	while (list_folder(name, sizeof(name)) > 0)
		ck_assert_int_eq(unlink(name), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* An entry with `params` parameters. */
static struct het__cache_entry new_entry(int params)
{
	struct het__cache_entry entry = {.binary_bytes = sizeof(binary)};

	entry.signature = het__signature_new(params);
	entry.binary = het__alloc(sizeof(binary));
	ck_assert(entry.signature && entry.binary);
	memcpy(entry.binary, binary, sizeof(binary));
	for (int i = 0; i < params; i++) {
		entry.signature->param[i].kind = HET__PARAM_BUFFER;
		entry.signature->param[i].align_bytes = (size_t)(i + 1);
		snprintf(entry.signature->param[i].name, sizeof(entry.signature->param[i].name), "arg%d", i);
	}
	return entry;
}

static void drop_entry(struct het__cache_entry *entry)
{
	het__free(entry->binary);
	het__free(entry->signature);
}

static void assert_entry(const struct het__cache_entry *got, int params)
{
	struct het__cache_entry want = new_entry(params);

	ck_assert_uint_eq(got->binary_bytes, want.binary_bytes);
	ck_assert_mem_eq(got->binary, want.binary, want.binary_bytes);
	ck_assert_int_eq(got->signature->count, params);
	ck_assert_mem_eq(got->signature->param, want.signature->param,
	                 (size_t)params * sizeof(struct het__param));
	drop_entry(&want);
}

static void store(const struct het__cache_key *k, int params)
{
	struct het__cache_entry entry = new_entry(params);

	ck_assert(het__cache_store(NULL, HET_LOG_WARN, folder, k, &entry));
	drop_entry(&entry);
}

static bool loads(const struct het__cache_key *k, int params)
{
	struct het__cache_entry entry;

	if (!het__cache_load(NULL, folder, k, &entry))
		return false;
	assert_entry(&entry, params);
	drop_entry(&entry);
	return true;
}

START_TEST(test_entry_comes_back)
{
	ck_assert(!loads(&key, 0));
	store(&key, 0);
	ck_assert(loads(&key, 0));
	store(&key, 3); /* replaces it */
	ck_assert(loads(&key, 3));
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
}
END_TEST

/* Every part of the key counts, and no two parts run into each other. */
START_TEST(test_key_is_compared_whole)
{
	struct het__cache_key other[10];

	for (int i = 0; i < 10; i++)
		other[i] = key;
	other[0].kernel = "k2";
	other[1].source = "source2";
	other[2].options = "-DY";
	other[3].platform = "q";
	other[4].device = "e";
	other[5].driver = "2";
	other[6].kernel = "k-DX";
	other[6].options = "";
	other[7].kernel = "";
	other[7].options = "k-DX";
	other[8].added = "-DY";
	other[9].options = "";
	other[9].added = "-DX";
	store(&key, 1);
	for (int i = 0; i < 10; i++)
		ck_assert_msg(!loads(&other[i], 1), "key %d found another's entry", i);
	for (int i = 0; i < 10; i++)
		store(&other[i], i + 2);
	for (int i = 0; i < 10; i++)
		ck_assert(loads(&other[i], i + 2));
	ck_assert(loads(&key, 1));
	ck_assert_int_eq(list_folder(path, sizeof(path)), 11);
}
END_TEST

/* A file that was renamed by hand, or a collision of the hash: whole and sound, but not ours. */
START_TEST(test_entry_of_another_key_is_refused)
{
	struct het__cache_key other = key;
	char mine[512], aside[64];

	snprintf(aside, sizeof(aside), "%s/.aside", folder);
	other.source = "sourcf";
	store(&key, 1);
	ck_assert_int_eq(list_folder(mine, sizeof(mine)), 1);
	ck_assert_int_eq(rename(mine, aside), 0);
	store(&other, 1);
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
	ck_assert_int_eq(rename(aside, path), 0);
	ck_assert(!loads(&other, 1));
	ck_assert(!loads(&key, 1));
}
END_TEST

static size_t read_entry(char *data, size_t room)
{
	FILE *const file = fopen(path, "r");
	size_t bytes;

	ck_assert_ptr_nonnull(file);
	bytes = fread(data, 1, room, file);
	ck_assert(bytes > 0 && bytes < room);
	fclose(file);
	return bytes;
}

static void write_entry(const char *data, size_t bytes)
{
	FILE *const file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_no_damage_goes_unseen)
{
	static char data[4096], bad[4097];
	size_t bytes;

	store(&key, 2);
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
	bytes = read_entry(data, sizeof(data));
	for (size_t i = 0; i < bytes; i++) {
		write_entry(data, i);
		ck_assert_msg(!loads(&key, 2), "cut to %zu of %zu bytes", i, bytes);
		for (int bit = 0; bit < 8; bit++) {
			memcpy(bad, data, bytes);
			bad[i] = (char)(bad[i] ^ (1 << bit));
			write_entry(bad, bytes);
			ck_assert_msg(!loads(&key, 2), "bit %d of byte %zu of %zu flipped", bit, i, bytes);
		}
	}
	memcpy(bad, data, bytes);
	bad[bytes] = 0;
	write_entry(bad, bytes + 1);
	ck_assert(!loads(&key, 2));
	write_entry(data, bytes);
	ck_assert(loads(&key, 2));
}
END_TEST

/* What is no file at all neither hangs nor crashes a load. */
START_TEST(test_odd_files)
{
	store(&key, 1);
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!loads(&key, 1));
	store(&key, 1); /* takes its place */
	ck_assert(loads(&key, 1));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(!loads(&key, 1));
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

/* A folder may be shared: who may read what is kept there is for the umask to say, but others write nothing. */
START_TEST(test_whom_entries_are_for)
{
	static const struct {
		mode_t umask, mode;
	} cases[] = {{077, 0600}, {027, 0640}, {022, 0644}, {002, 0664}, {0, 0664}};
	const mode_t before = umask(0);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stat facts;

		umask(cases[i].umask);
		store(&key, 1);
		ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
		ck_assert_int_eq(stat(path, &facts), 0);
		ck_assert_uint_eq(facts.st_mode & 0777, cases[i].mode);
		ck_assert(loads(&key, 1));
	}
	umask(before);
}
END_TEST

START_TEST(test_nowhere_to_keep)
{
	struct het__cache_entry entry = new_entry(1);

	ck_assert(!het__cache_store(NULL, HET_LOG_WARN, "/nonexistent/hetero", &key, &entry));
	ck_assert(!het__cache_load(NULL, "/nonexistent/hetero", &key, &entry));
	drop_entry(&entry);
}
END_TEST

/* Each allocation fails in turn: the answer is no, never a crash, and no half file stays. */
START_TEST(test_without_memory)
{
	struct het__cache_entry entry = new_entry(2);
	long after = 0;

	for (; after < 100; after++) {
		bool kept;

		het__alloc_fail_after(after, 0);
		kept = het__cache_store(NULL, HET_LOG_WARN, folder, &key, &entry);
		het__alloc_fail_after(-1, 0);
		if (kept)
			break;
		ck_assert_int_eq(list_folder(path, sizeof(path)), 0);
	}
	ck_assert_int_gt(after, 0);
	ck_assert_int_lt(after, 100);
	drop_entry(&entry);
	for (after = 0; after < 100; after++) {
		bool found;

		het__alloc_fail_after(after, 0);
		found = het__cache_load(NULL, folder, &key, &entry);
		het__alloc_fail_after(-1, 0);
		if (found)
			break;
	}
	ck_assert_int_gt(after, 1);
	ck_assert_int_lt(after, 100);
	assert_entry(&entry, 2);
	drop_entry(&entry);
}
END_TEST

static void write_and_read(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		struct het__cache_entry entry = new_entry(3);

		if (!het__cache_store(NULL, HET_LOG_WARN, folder, &key, &entry))
			_exit(1);
		drop_entry(&entry);
		if (!loads(&key, 3))
			_exit(2);
	}
	_exit(0);
}

/* While others replace the entry, every load finds a whole one. */
START_TEST(test_many_processes)
{
	pid_t child[4];

	for (int i = 0; i < 4; i++) {
		child[i] = fork();
		ck_assert_int_ge(child[i], 0);
		if (child[i] == 0)
			write_and_read(200);
	}
	for (int i = 0; i < 4; i++) {
		int status = -1;

		ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
		ck_assert_msg(status == 0, "process %d ended with %#x", i, (unsigned)status);
	}
	ck_assert_int_eq(list_folder(path, sizeof(path)), 1);
}
END_TEST

int main(void)
{
	TCase *const files = tcase_create("files");

	tcase_add_checked_fixture(files, make_folder, remove_folder);
	tcase_set_timeout(files, 60);
	tcase_add_test(files, test_entry_comes_back);
	tcase_add_test(files, test_key_is_compared_whole);
	tcase_add_test(files, test_entry_of_another_key_is_refused);
	tcase_add_test(files, test_no_damage_goes_unseen);
	tcase_add_test(files, test_odd_files);
	tcase_add_test(files, test_whom_entries_are_for);
	tcase_add_test(files, test_nowhere_to_keep);
	tcase_add_test(files, test_without_memory);
	tcase_add_test(files, test_many_processes);
	return run_case("cache entries", files);
}
