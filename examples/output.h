/* output.h - files that programs write: whether they can be, and what becomes of them when they cannot. */
#ifndef EXAMPLES_OUTPUT_H
#define EXAMPLES_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Takes a file away that could not be written to its end. What is none, a device or a pipe that was to be
 *  written to, stays, and so does a link, but not the file that it leads to. */
static inline void output_remove(const char *path)
{
	char *const file = realpath(path, NULL);
	struct stat facts;

	if (file && !stat(file, &facts) && S_ISREG(facts.st_mode))
		remove(file);
	free(file);
}

/** Why the file cannot be written, or NULL: asked before the work. Opens it as if to add something, which
 *  changes nothing of a file that is there; a new one is taken away. */
static inline const char *output_refusal(const char *path)
{
	const int is_new = access(path, F_OK) != 0;
	FILE *const file = fopen(path, "ab");

	if (!file)
		return strerror(errno);
	fclose(file);
	if (is_new)
		output_remove(path);
	return NULL;
}

#endif
