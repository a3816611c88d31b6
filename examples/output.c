/* output.c - files that programs write: whole, or not at all. */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int leads_to_open(const char *path)
{
	return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
	       strncmp(path, "/proc/", 6) == 0;
}

/* Opens a temporary file beside the place of the output, with the permissions in `mode`. */
static FILE *open_beside(struct output *o, mode_t mode)
{
	FILE *file = NULL;
	int fd, code;

	snprintf(o->temporary, sizeof o->temporary, "%s.XXXXXX", o->place);
	fd = mkstemp(o->temporary);
	if (fd >= 0 && fchmod(fd, mode & 0777) == 0)
		file = fdopen(fd, "wb");
	if (file || fd < 0)
		return file;
	code = errno;
	close(fd);
	remove(o->temporary);
	errno = code;
	return NULL;
}

/* Opens the file to append first: that leaves a file that is there as it is, makes one that is not, also where
 * a link leads, and fails where it may not be written. */
FILE *output_open(struct output *o, const char *path)
{
	const int is_new = access(path, F_OK) != 0;
	struct stat facts;

	o->temporary[0] = '\0';
	o->file = fopen(path, "ab");
	if (!o->file || leads_to_open(path) || fstat(fileno(o->file), &facts) || !S_ISREG(facts.st_mode))
		return o->file;
	fclose(o->file);
	if (!realpath(path, o->place))
		return NULL;
	if (is_new)
		remove(o->place);
	o->file = open_beside(o, facts.st_mode);
	return o->file;
}

const char *output_close(struct output *o, int failed)
{
	failed |= ferror(o->file);
	failed |= fclose(o->file) != 0;
	if (!failed && *o->temporary)
		failed = rename(o->temporary, o->place) != 0;
	if (failed && *o->temporary)
		remove(o->temporary);
	return failed ? "could not be written" : NULL;
}

int output_is(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

const char *output_refusal(const char *path)
{
	struct output trial;
	struct stat facts;

	/* No pipe is opened to try it: whoever reads it would be at its end when it is closed. */
	if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
		return access(path, W_OK) ? strerror(errno) : NULL;
	if (!output_open(&trial, path))
		return strerror(errno);
	output_close(&trial, 1);
	return NULL;
}
