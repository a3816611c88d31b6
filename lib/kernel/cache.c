/* cache.c - the files of the program cache.
 *
 * A file is a head, the key, the parameters and the binary, each in the machine's own representation: the
 * key names the device, so no other kind of machine ever finds the entry.
 */
#include "kernel/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/file.h"
#include "kernel/signature.h"

/* Larger entries than this are neither written nor believed. */
#define ENTRY_MOST ((size_t)256 << 20)
#define SUFFIX     ".program"

static const char format[16] = "hetero program 8";

struct hash {
	uint64_t a, b;
};

/* Everything behind `check` is covered by it. */
struct head {
	char format[sizeof(format)];
	struct hash check;
	uint64_t key_bytes, params, binary_bytes;
};

#define CHECKED_FROM offsetof(struct head, key_bytes)

/* Two unlike 64-bit hashes side by side. Each step maps one-to-one, so that no change of one byte is lost. */
static struct hash hash_of(const void *data, size_t bytes)
{
	const unsigned char *const p = data;
	struct hash h = {0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};

	for (size_t i = 0; i < bytes; i++) {
		h.a = (h.a ^ p[i]) * 0x100000001b3u;
		h.b = (h.b + p[i]) * 0xff51afd7ed558ccdu;
		h.b ^= h.b >> 32;
	}
	return h;
}

/* The key as one block: its texts one after another, each with its final 0. NULL without memory. */
static char *key_block(const struct het__cache_key *key, size_t *bytes)
{
	const char *const prelude = key->prelude ? key->prelude : "";
	const char *const added = key->added ? key->added : "";
	const char *const text[] = {het_version(), key->kernel, key->options, added,      key->platform,
				    key->device,   key->driver, prelude,      key->source};
	const size_t count = sizeof(text) / sizeof(text[0]);
	char *block, *end;

	*bytes = 0;
	for (size_t i = 0; i < count; i++)
		*bytes += strlen(text[i]) + 1;
	block = end = het__alloc(*bytes);
	for (size_t i = 0; block && i < count; i++)
		end = stpcpy(end, text[i]) + 1;
	return block;
}

/* "folder/0123...cdef.program"; false when the name is too long. */
static bool entry_path(const char *folder, const char *key, size_t key_bytes, char path[PATH_MAX])
{
	const struct hash h = hash_of(key, key_bytes);
	const int length =
		snprintf(path, PATH_MAX, "%s/%016" PRIx64 "%016" PRIx64 SUFFIX, folder, h.a, h.b);

	return length > 0 && length < PATH_MAX;
}

/* Reads to the end of `bytes` bytes. */
static bool read_all(int file, char *data, size_t bytes)
{
	while (bytes > 0) {
		const ssize_t got = read(file, data, bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		data += got;
		bytes -= (size_t)got;
	}
	return true;
}

/* An open file's content, het__alloc'd; NULL, with the reason in *why. */
static char *file_content(int file, size_t *bytes, const char **why)
{
	struct stat about;
	char *data;

	*why = "it is no regular file of a fitting size";
	if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
		return NULL;
	if (about.st_size < (off_t)sizeof(struct head) || about.st_size > (off_t)ENTRY_MOST)
		return NULL;
	*bytes = (size_t)about.st_size;
	data = het__alloc(*bytes);
	*why = "there is no memory for it";
	if (data && !read_all(file, data, *bytes)) {
		*why = "it cannot be read";
		het__free(data);
		return NULL;
	}
	return data;
}

static size_t params_bytes(uint64_t count)
{
	return count * sizeof(struct het__param);
}

/* NULL when the content is a whole entry of this key, else what is wrong with it. */
static const char *fault_of(const char *data, size_t bytes, const char *key, size_t key_bytes)
{
	const size_t room = bytes - sizeof(struct head);
	struct head head;
	struct hash check;

	memcpy(&head, data, sizeof(head));
	if (memcmp(head.format, format, sizeof(format)) != 0)
		return "it is not of this format";
	check = hash_of(data + CHECKED_FROM, bytes - CHECKED_FROM);
	if (check.a != head.check.a || check.b != head.check.b)
		return "its checksum is wrong";
	if (head.key_bytes != key_bytes || key_bytes > room || memcmp(data + sizeof(head), key, key_bytes) != 0)
		return "it is of something else";
	/* Refuses 0 bytes of binary as well: 0 - 1 is the largest number. */
	if (head.params > room / sizeof(struct het__param) || head.binary_bytes - 1 >= room ||
	    key_bytes + params_bytes(head.params) + head.binary_bytes != room)
		return "its parts do not add up";
	return NULL;
}

/* From the content of a file without fault. */
static bool entry_from(const char *data, struct het__cache_entry *entry)
{
	struct head head;
	const char *at = data + sizeof(head);

	memcpy(&head, data, sizeof(head));
	entry->binary_bytes = head.binary_bytes;
	entry->binary = het__alloc(head.binary_bytes);
	entry->signature = het__signature_new((int)head.params);
	if (!entry->binary || !entry->signature) {
		het__free(entry->binary);
		het__free(entry->signature);
		return false;
	}
	at += head.key_bytes;
	if (head.params > 0)
		memcpy(entry->signature->param, at, params_bytes(head.params));
	at += params_bytes(head.params);
	memcpy(entry->binary, at, head.binary_bytes);
	return true;
}

/* NULL when the entry was read, else why not. */
static const char *load_file(const char *path, const char *key, size_t key_bytes,
			     struct het__cache_entry *entry)
{
	/* Not to hang on a pipe of that name. */
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *why;
	size_t bytes;
	char *data;

	if (file < 0)
		return errno == ENOENT ? "there is none" : "it cannot be opened";
	data = file_content(file, &bytes, &why);
	(void)futimens(file,
		       NULL); /* the time of the last use; without the right to set it, that of the making */
	close(file);
	if (!data)
		return why;
	why = fault_of(data, bytes, key, key_bytes);
	if (!why && !entry_from(data, entry))
		why = "there is no memory for it";
	het__free(data);
	return why;
}

bool het__cache_load(struct het__logger *logger, const char *folder, const struct het__cache_key *key,
		     struct het__cache_entry *entry)
{
	char path[PATH_MAX] = "";
	size_t key_bytes;
	char *const block = key_block(key, &key_bytes);
	const char *why = "its name is too long";

	if (!block)
		return false;
	if (entry_path(folder, block, key_bytes, path))
		why = load_file(path, block, key_bytes, entry);
	het__free(block);
	het__log(logger, HET_LOG_DEBUG, "kernel", "cache: kernel %s: entry %s %s%s", key->kernel, path,
		 why ? "not used: " : "used", why ? why : "");
	return why == NULL;
}

/* The content of an entry's file, het__alloc'd; NULL, with errno, without memory or for too much of it. */
static char *content_of(const char *key, size_t key_bytes, const struct het__cache_entry *entry, size_t *bytes)
{
	const size_t params = params_bytes((uint64_t)entry->signature->count);
	struct head head = {.key_bytes = key_bytes, .binary_bytes = entry->binary_bytes};
	char *data, *at;

	errno = EFBIG;
	if (key_bytes > ENTRY_MOST / 4 || params > ENTRY_MOST / 4 ||
	    entry->binary_bytes > ENTRY_MOST - sizeof(head) - key_bytes - params)
		return NULL;
	errno = ENOMEM;
	memcpy(head.format, format, sizeof(format));
	head.params = (uint64_t)entry->signature->count;
	*bytes = sizeof(head) + key_bytes + params + entry->binary_bytes;
	data = het__alloc(*bytes);
	if (!data)
		return NULL;
	at = data + sizeof(head);
	memcpy(data, &head, sizeof(head));
	memcpy(at, key, key_bytes);
	if (params > 0)
		memcpy(at + key_bytes, entry->signature->param, params);
	memcpy(at + key_bytes + params, entry->binary, entry->binary_bytes);
	head.check = hash_of(data + CHECKED_FROM, *bytes - CHECKED_FROM);
	memcpy(data, &head, sizeof(head));
	return data;
}

/* Writes a file beside `path` and renames it: readers see the old entry or the new one, whole. Not synced:
 * what a crash of the machine leaves fails its checksum. errno tells of a failure. */
static bool replace_file(const char *path, const char *data, size_t bytes)
{
	char name[PATH_MAX];
	const int file = het__file_beside(path, 0664, name); /* a folder may be a group's */
	bool done;

	if (file < 0)
		return false;
	done = het__file_write(file, data, bytes, -1);
	done = close(file) == 0 && done && rename(name, path) == 0;
	if (!done) {
		const int reason = errno;

		unlink(name);
		errno = reason;
	}
	return done;
}

/* ---- the size of all ---------------------------------------------------------------------------- */

#define STALE_SECONDS 3600 /* after which an unfinished file is one that a killed process left */

struct kept {
	char name[64];
	int64_t bytes;
	struct timespec used;
};

struct folder {
	struct kept *at;
	int count, room;
	int64_t bytes;
};

/* A value that is no number was reported when the system was opened. */
static int64_t bytes_allowed(void)
{
	int64_t bytes = HET__CACHE_MIB << 20;

	(void)het__env_mib("HETERO_CACHE_MIB", &bytes);
	return bytes;
}

#define KEY_DIGITS 32

/* What kind of file a name is of: entry_path's "0123...cdef.program", what replace_file left of it
 * ("....program.XXXXXX"), or, in a folder that is not only ours, somebody else's. */
enum whose { OTHERS, ENTRY, UNFINISHED };

static enum whose whose_file(const char *name)
{
	const char *rest = name + strspn(name, "0123456789abcdef");

	if (rest - name != KEY_DIGITS || strncmp(rest, SUFFIX, strlen(SUFFIX)) != 0)
		return OTHERS;
	rest += strlen(SUFFIX);
	if (*rest == '\0')
		return ENTRY;
	return *rest == '.' && strlen(rest) == strlen(".XXXXXX") ? UNFINISHED : OTHERS;
}

/* Takes one name of the folder into the list: entries, and what replace_file did not finish. Without memory an
 * entry is left out, and stays. */
static void note_file(DIR *dir, const char *name, struct folder *folder)
{
	const enum whose whose = whose_file(name);
	struct stat about;
	struct kept *kept;

	if (whose == OTHERS)
		return;
	if (fstatat(dirfd(dir), name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
		return;
	if (whose == UNFINISHED) {
		if (time(NULL) - about.st_mtim.tv_sec > STALE_SECONDS)
			(void)unlinkat(dirfd(dir), name, 0);
		return;
	}
	if (het__grow(&folder->at, &folder->room, folder->count + 1, sizeof(*folder->at)))
		return;
	kept = &folder->at[folder->count++];
	memcpy(kept->name, name, strlen(name) + 1);
	kept->bytes = about.st_size;
	kept->used = about.st_mtim;
	folder->bytes += about.st_size;
}

static int by_use(const void *a, const void *b)
{
	const struct kept *const x = a, *const y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Many processes may do this at once: a file that is gone already is as good as removed, and who has it open
 * reads on. */
static void remove_least_used(DIR *dir, struct folder *folder, int64_t most)
{
	qsort(folder->at, (size_t)folder->count, sizeof(*folder->at), by_use);
	for (int i = 0; i < folder->count && folder->bytes > most; i++)
		if (unlinkat(dirfd(dir), folder->at[i].name, 0) == 0 || errno == ENOENT)
			folder->bytes -= folder->at[i].bytes;
}

static void keep_small(struct het__logger *logger, const char *path)
{
	const int64_t allowed = bytes_allowed();
	struct folder folder = {NULL, 0, 0, 0};
	DIR *const dir = opendir(path);
	int64_t before;

	if (!dir)
		return;
	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
		note_file(dir, entry->d_name, &folder);
	before = folder.bytes;
	if (before > allowed)
		remove_least_used(dir, &folder, allowed - allowed / 4);
	closedir(dir);
	het__free(folder.at);
	if (before > allowed)
		het__log(logger, HET_LOG_INFO, "kernel", "cache %s: %" PRId64 " bytes of %" PRId64 " removed",
			 path, before - folder.bytes, before);
}

bool het__cache_store(struct het__logger *logger, enum het_log_level trouble, const char *folder,
		      const struct het__cache_key *key, const struct het__cache_entry *entry)
{
	char path[PATH_MAX] = "";
	size_t key_bytes, bytes;
	char *const block = key_block(key, &key_bytes);
	char *data = NULL;
	bool kept = false;

	errno = ENOMEM;
	if (block)
		data = content_of(block, key_bytes, entry, &bytes);
	if (data && entry_path(folder, block, key_bytes, path))
		kept = replace_file(path, data, bytes);
	else if (data)
		errno = ENAMETOOLONG;
	if (kept)
		het__log(logger, HET_LOG_DEBUG, "kernel", "cache: kernel %s: entry %s kept", key->kernel, path);
	else
		het__log(logger, trouble, "kernel", "kernel %s cannot be kept in the cache %s: %s", key->kernel,
			 folder, strerror(errno));
	het__free(data);
	het__free(block);
	if (kept)
		keep_small(logger, folder);
	return kept;
}
