/* file.h - files that are written, and replaced, whole. */
#ifndef HETERO_LIB_BASE_FILE_H
#define HETERO_LIB_BASE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Writes all of the bytes to an open file, at the offset `at`; -1: where the file stands. False with errno,
 *  also where the process may write no more to a file (EFBIG): then no signal comes. */
bool het__file_write(int file, const void *bytes, size_t count, off_t at);

/** A new file, open, in the folder of `path`, for whom `mode` and the process's umask allow. `temporary`
 *  becomes its name: that of `path`, a dot and six digits. -1 with errno. */
int het__file_beside(const char *path, mode_t mode, char temporary[PATH_MAX]);

/** Writes a file beside `path`, syncs it and renames it, so that there is never half a file; a link stays a
 *  link, and permissions stay. What is special (het__file_is_special) is written to instead. False with errno;
 *  nothing has changed then, except that something special may have got a part. */
bool het__file_replace(const char *path, const char *text, size_t bytes);

/** Looks at a file that has been written, open for reading too and with a name of its own, before it takes its
 *  place. False with errno: it must not. */
typedef bool het__file_accept(int file, const char *name, void *user);

/** The same for a file that `accept` accepts; it is not asked about what is special. */
bool het__file_replace_if(const char *path, const char *text, size_t bytes, het__file_accept *accept,
			  void *user);

/** Where a link leads, there or not yet, in `target`; or the path itself. */
const char *het__file_behind_links(const char *path, char target[PATH_MAX]);

/** Is it something that a file must not take the place of: what is no regular file, or leads to an open one? */
bool het__file_is_special(const char *path);

/** Could het__file_replace do its work there? Tries, and leaves nothing behind. False with errno. */
bool het__file_may_replace(const char *path);

#endif
