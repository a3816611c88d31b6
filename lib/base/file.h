/* file.h - files that are replaced whole. */
#ifndef HETERO_LIB_BASE_FILE_H
#define HETERO_LIB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/** Writes a file beside the place, syncs it and renames it, so that there is never half a one; a link stays
 *  one. What is there and is no regular file, or lies in /dev or /proc, is written to. False with errno;
 *  nothing has changed then, but what such a one got. */
bool het__file_replace(const char *path, const char *text, size_t bytes);

/** Could it be? Tries, and leaves nothing behind. False with errno. */
bool het__file_may_replace(const char *path);

#endif
