/* verdict.c - what trials showed, so that each is held once. */
#include "system/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/folder.h"
#include "system/proof.h"

/* A verdict's file: a head, the key, a last line. */
#define FILE_BYTES 4096

struct het__verdicts {
	struct het__verdicts *next;
	enum het__verdict verdict;
	char about[];
};

/* ---- on disk ----------------------------------------------------------------------------------- */

/* The whole file, so that reading one back is a comparison. False when it would be too long. */
static bool compose(const char *about, enum het__verdict verdict, char text[FILE_BYTES])
{
	const int length = snprintf(text, FILE_BYTES,
	                            "hetero: does a device see the host's memory in place?\n"
	                            "library %s\n%sshares %s\n",
	                            het_version(), about, verdict == HET__VERDICT_YES ? "yes" : "no");

	return length > 0 && length < FILE_BYTES;
}

/* FNV-1a. Two keys of one hash only push each other's file out: the file is compared in full. */
static unsigned long long hash(const char *text)
{
	unsigned long long value = 0xcbf29ce484222325u;

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 0x100000001b3u;
	return value;
}

static bool file_of(const char *about, char path[PATH_MAX])
{
	char folder[PATH_MAX];
	int length;

	if (!het__cache_folder(folder, sizeof folder))
		return false;
	length = snprintf(path, PATH_MAX, "%s/share-%016llx", folder, hash(about));
	return length > 0 && length < PATH_MAX;
}

/* Reads a whole small file as text; a longer one is cut. False also where it has a NUL. */
static bool read_text(const char *path, char text[FILE_BYTES])
{
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not to hang on a pipe */
	const ssize_t length = file < 0 ? -1 : read(file, text, FILE_BYTES - 1);

	if (file >= 0)
		close(file);
	if (length < 0)
		return false;
	text[length] = '\0';
	return strlen(text) == (size_t)length;
}

static enum het__verdict find_on_disk(het_system *system, const char *about)
{
	char path[PATH_MAX], found[FILE_BYTES], right[FILE_BYTES];

	if (!file_of(about, path) || !read_text(path, found))
		return HET__VERDICT_NONE;
	for (enum het__verdict v = HET__VERDICT_NO; v <= HET__VERDICT_YES; v++)
		if (compose(about, v, right) && strcmp(found, right) == 0)
			return v;
	het__log(system->logger, HET_LOG_DEBUG, "system", "%s is not what was written there; trying again",
	         path);
	return HET__VERDICT_NONE;
}

static void keep_on_disk(het_system *system, const char *about, enum het__verdict verdict)
{
	char path[PATH_MAX], text[FILE_BYTES];
	struct stat facts;

	if (!file_of(about, path) || !compose(about, verdict, text))
		return;
	if (lstat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) /* into a pipe it would be written for ever */
		(void)unlink(path);
	if (!het__file_replace(path, text, strlen(text)))
		het__log(system->logger, HET_LOG_INFO, "system", "%s cannot be written: %s", path,
		         strerror(errno));
}

/* ---- in the system ----------------------------------------------------------------------------- */

static void remember(het_system *system, const char *about, enum het__verdict verdict)
{
	struct het__verdicts *const entry = het__alloc(sizeof *entry + strlen(about) + 1);

	if (!entry)
		return;
	entry->next = system->verdicts;
	entry->verdict = verdict;
	strcpy(entry->about, about);
	system->verdicts = entry;
}

enum het__verdict het__verdict_find(het_system *system, const char *about)
{
	enum het__verdict verdict;

	for (const struct het__verdicts *v = system->verdicts; v; v = v->next)
		if (strcmp(v->about, about) == 0)
			return v->verdict;
	verdict = find_on_disk(system, about);
	if (verdict != HET__VERDICT_NONE)
		remember(system, about, verdict);
	return verdict;
}

void het__verdict_keep(het_system *system, const char *about, enum het__verdict verdict, bool lasting)
{
	remember(system, about, verdict);
	if (lasting)
		keep_on_disk(system, about, verdict);
}

void het__verdicts_free(het_system *system)
{
	for (struct het__verdicts *v = system->verdicts, *next; v; v = next) {
		next = v->next;
		het__free(v);
	}
	system->verdicts = NULL;
}
