/* output.h - files that programs write: whole, or not at all. */
#ifndef EXAMPLES_OUTPUT_H
#define EXAMPLES_OUTPUT_H

#include <limits.h>
#include <stdio.h>

/** A file that is being written. It takes its place when it is complete; until then what was there stays. What
 *  is no regular file, a device or a pipe, and what is open already (/dev/stdout) is written directly. */
struct output {
	FILE *file;
	char place[PATH_MAX];         /* behind all links */
	char temporary[PATH_MAX + 8]; /* beside it; "": written directly */
};

/** Begins a file. Returns what to write to, or NULL with errno. */
FILE *output_open(struct output *output, const char *path);

/** Ends a file: it takes its place, or, where not all could be written or `failed` says so, nothing changes.
 *  Returns NULL, or why. */
const char *output_close(struct output *output, int failed);

/** Are these two names of one regular file that is there? Then what is written to the one may replace what is
 *  read from the other (unless they are hard links). */
int output_is(const char *path, const char *other);

/** Why the file cannot be written, or NULL: asked before the work. What is there stays as it is. */
const char *output_refusal(const char *path);

#endif
