/* file.c - see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One write: `at` -1 is where the file stands. Beyond `ulimit -f` it fails with EFBIG, and the thread would get
 * a signal which ends the process: that one is taken away. */
static ssize_t write_some(int file, const void *bytes, size_t count, off_t at)
{
	static const struct timespec at_once = {0, 0};
	sigset_t limit, before, pending;
	ssize_t done;
	int code;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	sigpending(&pending);
	done = at < 0 ? write(file, bytes, count) : pwrite(file, bytes, count, at);
	code = errno;
	if (done < 0 && code == EFBIG && !sigismember(&pending, SIGXFSZ))
		while (sigtimedwait(&limit, NULL, &at_once) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = code;
	return done;
}

bool het__file_write(int file, const void *bytes, size_t count, off_t at)
{
	const char *left = bytes;

	while (count > 0) {
		const ssize_t done = write_some(file, left, count, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done == 0)
			errno = EIO;
		if (done <= 0)
			return false;
		left += done;
		count -= (size_t)done;
		at += at < 0 ? 0 : done;
	}
	return true;
}

static bool fill(int file, const char *text, size_t bytes)
{
	return het__file_write(file, text, bytes, -1) && fsync(file) == 0;
}

static unsigned any_number(void)
{
	static atomic_uint turn;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((unsigned)now.tv_nsec ^ ((unsigned)getpid() << 10)) + atomic_fetch_add(&turn, 1);
}

/* Not by mkostemp: its files are for the owner only, and to ask for the umask is to change it, for other
 * threads' files too. Of a name as long as a file's may be the end gives way. */
int het__file_beside(const char *path, mode_t mode, char temporary[PATH_MAX])
{
	enum { SUFFIX = 7 };
	const char *const slash = strrchr(path, '/');
	const size_t folder = slash ? (size_t)(slash - path) + 1 : 0, all = strlen(path);
	const size_t kept = all - folder > NAME_MAX - SUFFIX ? folder + NAME_MAX - SUFFIX : all;
	int file = -1;

	if (all - folder > NAME_MAX || kept + SUFFIX >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}

	errno = EEXIST;
	for (int tries = 0; tries < 100 && file < 0 && errno == EEXIST; tries++) {
		snprintf(temporary, PATH_MAX, "%.*s.%06x", (int)kept, path, any_number() & 0xffffff);
		file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	}
	return file;
}

static bool accept_all(int file, const char *name, void *user)
{
	(void)file;
	(void)name;
	(void)user;
	return true;
}

/* Who may read what was there may read what takes its place, and nobody else, as far as the file system has
 * permissions. */
static void give_permissions(int file, const struct stat *as)
{
	const bool has_group = fchown(file, (uid_t)-1, as->st_gid) == 0;

	(void)fchmod(file, as->st_mode & (has_group ? 0777 : 0707));
}

static bool write_beside(const char *path, const char *text, size_t bytes, het__file_accept *accept,
			 void *user)
{
	char temporary[PATH_MAX];
	struct stat before;
	const bool replaces = stat(path, &before) == 0;
	const int file = het__file_beside(path, replaces ? 0600 : 0666, temporary);
	bool good;
	int code;

	if (file < 0)
		return false;
	good = fill(file, text, bytes) && accept(file, temporary, user);
	if (replaces)
		give_permissions(file, &before);
	good = close(file) == 0 && good;
	good = good && rename(temporary, path) == 0;
	code = errno;
	if (!good)
		unlink(temporary);
	errno = code;
	return good;
}

/* Does it lead to a file that is open? Files in /dev/shm are like any others. */
static bool leads_to_open(const char *path)
{
	return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
	       strncmp(path, "/proc/", 6) == 0;
}

/* The process's own open file of such a name; -1: another one. To open it again would begin at its start. */
static int own_file(const char *path)
{
	const char *const digits = strncmp(path, "/dev/fd/", 8) == 0	      ? path + 8
				   : strncmp(path, "/proc/self/fd/", 14) == 0 ? path + 14
									      : "";
	char *end;
	long number;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	if (*digits < '0' || *digits > '9')
		return -1;
	number = strtol(digits, &end, 10);
	return *end || number > INT_MAX ? -1 : (int)number;
}

bool het__file_is_special(const char *path)
{
	struct stat facts;

	return stat(path, &facts) == 0 && (!S_ISREG(facts.st_mode) || leads_to_open(path));
}

/* Replaces a link's name by what it names; false where it is no link. */
static bool follow(char path[PATH_MAX])
{
	char link[PATH_MAX], next[PATH_MAX];
	const ssize_t length = readlink(path, link, sizeof link - 1);
	const char *const slash = strrchr(path, '/');
	const int folder = slash ? (int)(slash - path) + 1 : 0;
	int wanted;

	if (length < 0)
		return false;
	link[length] = '\0';
	wanted = snprintf(next, sizeof next, "%.*s%s", link[0] == '/' ? 0 : folder, path, link);
	if (wanted < 0 || (size_t)wanted >= sizeof next)
		return false;
	memcpy(path, next, (size_t)wanted + 1);
	return true;
}

const char *het__file_behind_links(const char *path, char target[PATH_MAX])
{
	const size_t bytes = strlen(path) + 1;

	if (realpath(path, target))
		return target;
	if (errno != ENOENT || bytes > PATH_MAX)
		return path;
	memcpy(target, path, bytes);
	for (int links = 0; links < 40 && follow(target); links++)
		;
	return target;
}

bool het__file_replace(const char *path, const char *text, size_t bytes)
{
	return het__file_replace_if(path, text, bytes, accept_all, NULL);
}

bool het__file_replace_if(const char *path, const char *text, size_t bytes, het__file_accept *accept,
			  void *user)
{
	char target[PATH_MAX];
	int file;
	bool good;

	if (!het__file_is_special(path))
		return write_beside(het__file_behind_links(path, target), text, bytes, accept, user);
	file = own_file(path);
	if (file >= 0) {
		(void)fflush(stdout); /* what the program has printed comes first */
		return het__file_write(file, text, bytes, -1);
	}
	file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (file < 0)
		return false;
	good = het__file_write(file, text, bytes, -1);
	return close(file) == 0 && good;
}

static bool is_written_by(int file)
{
	const int flags = fcntl(file, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
		errno = EBADF;
	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/* A pipe is not opened: to close it again would end it for its reader, and one without a reader may get one
 * later. */
static bool may_write_to(const char *path)
{
	const int own = own_file(path);
	struct stat facts;
	int file;

	if (own >= 0)
		return is_written_by(own);
	if (stat(path, &facts) == 0 && S_ISFIFO(facts.st_mode))
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
	file = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	return file >= 0 && close(file) == 0;
}

bool het__file_may_replace(const char *path)
{
	char target[PATH_MAX], temporary[PATH_MAX];
	int file;

	if (het__file_is_special(path))
		return may_write_to(path);
	file = het__file_beside(het__file_behind_links(path, target), 0600, temporary);
	if (file < 0)
		return false;
	unlink(temporary);
	return close(file) == 0;
}
