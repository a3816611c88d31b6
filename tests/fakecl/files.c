/* files.c - the folder of compiled kernels, and files as a whole. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"

/* $FAKECL_CACHE, or a folder in the kernel cache of the test that runs. */
static void find_folder(char path[PATH_MAX])
{
	const char *const given = getenv("FAKECL_CACHE"), *const het = getenv("HETERO_CACHE");
	const char *const temporary = getenv("TMPDIR");

	if (given && *given)
		snprintf(path, PATH_MAX, "%s", given);
	else if (het && *het)
		snprintf(path, PATH_MAX, "%s/fakecl", het);
	else
		snprintf(path, PATH_MAX, "%s/fakecl-%ld", temporary && *temporary ? temporary : "/tmp",
			 (long)getuid());
}

static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		fprintf(stderr, "fakecl: folder %s: %s\n", path, strerror(errno));
}

char *fake_cache_path(const char *key, const char *ending)
{
	char folder[PATH_MAX], *path;
	size_t room;

	find_folder(folder);
	make_folders(folder);
	room = strlen(folder) + strlen(key) + strlen(ending) + 2;
	path = fake_alloc(room);
	snprintf(path, room, "%s/%s%s", folder, key, ending);
	return path;
}

char *fake_read_file(const char *path, size_t *bytes_p)
{
	FILE *const file = fopen(path, "r");
	struct stat facts;
	char *text;
	size_t got;

	if (!file)
		return NULL;
	if (fstat(fileno(file), &facts) != 0) {
		fclose(file);
		return NULL;
	}
	text = fake_alloc((size_t)facts.st_size + 1);
	got = fread(text, 1, (size_t)facts.st_size, file);
	fclose(file);
	if (bytes_p)
		*bytes_p = got;
	return text;
}

/* Whoever reads the file meanwhile sees the old one or the new one. */
bool fake_write_file(const char *path, const char *text, size_t bytes)
{
	const size_t room = strlen(path) + 32;
	char *const other = fake_alloc(room);
	bool good;
	FILE *file;

	snprintf(other, room, "%s.%ld", path, (long)getpid());
	file = fopen(other, "w");
	good = file && fwrite(text, 1, bytes, file) == bytes;
	if (file)
		good = fclose(file) == 0 && good;
	good = good && rename(other, path) == 0;
	free(other);
	return good;
}

static uint64_t hash(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return (h ^ 0x1F) * 1099511628211u;
}

/* This driver, whose functions kernels are linked to: where it lies and when it was made. */
uint64_t fake_driver_hash(void)
{
	char text[PATH_MAX + 64] = "";
	struct stat facts;
	Dl_info self;

	if (dladdr(&fake, &self) && stat(self.dli_fname, &facts) == 0)
		snprintf(text, sizeof text, "%s %lld %lld.%ld", self.dli_fname, (long long)facts.st_size,
			 (long long)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
	return hash(14695981039346656037u, text);
}

/* Whether the text includes others: has such a line, not just the word. Not seen are lines behind a comment,
 * lines that begin with %:, and joined ones: a text that has those and changes is not for this driver. */
static bool includes(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, " \t\n");
		if (*line == '#' && !strncmp(line + 1 + strspn(line + 1, " \t"), "include", 7))
			return true;
	}
	return false;
}

/* What a build depends on. A text that includes others is never found again: nobody knows whether they have
 * changed. */
void fake_key(char key[40], const char *text, const char *options, unsigned more)
{
	static unsigned serial;
	uint64_t one = hash(hash(fake_driver_hash(), text), options);
	uint64_t two = hash(hash(1469598103934665603u + more, options), text);

	if (includes(text)) {
		one += (uint64_t)getpid() * 7919 + ++serial;
		two ^= fake_now_ns();
	}
	snprintf(key, 40, "%016llx%016llx", (unsigned long long)one, (unsigned long long)two);
}
