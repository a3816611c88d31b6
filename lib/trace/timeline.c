/* timeline.c - see timeline.h. */
#include "trace/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/fork.h"
#include "system/system.h"

#define WRITE_ABOVE ((size_t)64 << 10)
#define WRITE_AFTER_NS 100000000u
#define BUFFER_MOST ((size_t)16 << 20) /* reached only when the disk is much slower than the program */

#define OPENING "[\n"
#define CLOSING "\n]\n"

struct het__timeline {
	struct het__timeline *next; /* of the process; kept when closed, so that it can be continued */
	char *path;                 /* as it was first opened */
	dev_t device;
	ino_t inode;
	unsigned generation; /* of the process that opened it */
	int users, systems;  /* open ones; all there were */

	pthread_mutex_t write_lock; /* taken before `lock`; held while writing */
	int file;                   /* -1: closed, or nothing can be written any more */
	off_t end;                  /* where the closing bracket stands */

	pthread_mutex_t lock; /* guards what is below */
	struct het__text events;
	size_t good; /* bytes of whole events */
	bool any;    /* an event has been written */
	uint64_t arrows, dropped, dropped_told;
	uint64_t written_ns;
	atomic_bool wanted; /* by het__timeline_flush; read without the lock */
};

static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER; /* taken before all others here */
static struct het__timeline *files;

/* ---- events ------------------------------------------------------------------------------------ */

struct het__text *het__timeline_begin(struct het__timeline *t)
{
	pthread_mutex_lock(&t->lock);
	t->good = t->events.length;
	if (t->any)
		het__text_add(&t->events, ",\n");
	return &t->events;
}

bool het__timeline_end(struct het__timeline *t)
{
	const bool kept = !t->events.lost;

	if (!kept) {
		t->events.length = t->good;
		t->events.lost = false;
		t->dropped++;
	} else {
		t->any = true;
	}
	if (t->events.length >= WRITE_ABOVE || het__host_ns() - t->written_ns > WRITE_AFTER_NS)
		atomic_store_explicit(&t->wanted, true, memory_order_relaxed);
	pthread_mutex_unlock(&t->lock);
	return kept;
}

void het__timeline_drop(struct het__timeline *t)
{
	pthread_mutex_lock(&t->lock);
	t->dropped++;
	pthread_mutex_unlock(&t->lock);
}

uint64_t het__timeline_arrow(struct het__timeline *t)
{
	uint64_t arrow;

	pthread_mutex_lock(&t->lock);
	arrow = ++t->arrows;
	pthread_mutex_unlock(&t->lock);
	return arrow;
}

void het__timeline_hurry(struct het__timeline *t)
{
	atomic_store_explicit(&t->wanted, true, memory_order_relaxed);
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* Takes the events that have gathered, and one that tells of events dropped since the last time. */
static struct het__text take(struct het__timeline *t)
{
	struct het__text full;

	pthread_mutex_lock(&t->lock);
	if (t->dropped > t->dropped_told) {
		t->good = t->events.length;
		het__text_add(
			&t->events,
			"%s{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":0,\"name\":\"events were dropped: no "
			"memory\",\"args\":{\"dropped\":%llu},\"ts\":",
			t->any ? ",\n" : "", (unsigned long long)t->dropped);
		het__text_us(&t->events, het__host_ns());
		het__text_add(&t->events, "}");
		t->any |= !t->events.lost;
		t->dropped_told = t->events.lost ? t->dropped_told : t->dropped;
		t->events.length = t->events.lost ? t->good : t->events.length;
		t->events.lost = false;
	}
	full = t->events;
	t->events = (struct het__text){.most = BUFFER_MOST};
	t->written_ns = het__host_ns();
	atomic_store_explicit(&t->wanted, false, memory_order_relaxed);
	pthread_mutex_unlock(&t->lock);
	return full;
}

/* A program may close files that it did not open, as daemons do; then another file may have the number. */
static bool is_still_open(const struct het__timeline *t)
{
	struct stat is;

	return fstat(t->file, &is) == 0 && is.st_dev == t->device && is.st_ino == t->inode;
}

/* What was half written is taken back: the file stays as it was before. */
static const char *give_up(struct het__timeline *t)
{
	const char *const reason = strerror(errno);

	if (ftruncate(t->file, t->end) == 0)
		(void)het__file_write(t->file, CLOSING, strlen(CLOSING), t->end);
	close(t->file);
	t->file = -1;
	return reason;
}

/* Events and the bracket behind them, which is not counted in `bytes`; NULL, or why they are not written. */
static const char *put(struct het__timeline *t, const struct het__text *full, size_t bytes)
{
	if (!is_still_open(t)) {
		t->file = -1;
		return "the program has closed the file";
	}
	/* without memory for the bracket in `full` it is written apart */
	if (!het__file_write(t->file, full->at, full->length, t->end) ||
	    (full->lost && !het__file_write(t->file, CLOSING, strlen(CLOSING), t->end + (off_t)bytes)))
		return give_up(t);
	t->end += (off_t)bytes;
	return NULL;
}

const char *het__timeline_flush(struct het__timeline *t, bool all)
{
	const char *reason = NULL;
	struct het__text full;
	size_t bytes;

	if (!all && !atomic_load_explicit(&t->wanted, memory_order_relaxed))
		return NULL;
	pthread_mutex_lock(&t->write_lock);
	full = take(t);
	bytes = full.length;
	full.most = 0;
	het__text_add(&full, CLOSING);
	if (t->file >= 0 && bytes > 0)
		reason = put(t, &full, bytes);
	pthread_mutex_unlock(&t->write_lock);
	het__free(full.at);
	return reason;
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* Puts the number of the process in the place of %p. */
static bool complete_path(const char *given, char *path, size_t bytes)
{
	size_t at = 0;

	for (; *given; given++) {
		const bool number = given[0] == '%' && given[1] == 'p';
		const int length = number ? snprintf(path + at, bytes - at, "%ld", (long)getpid())
					  : snprintf(path + at, bytes - at, "%c", *given);

		at += (size_t)length;
		given += number;
		if (at >= bytes)
			return false;
	}
	path[at] = '\0';
	return true;
}

static struct het__timeline *find(const struct stat *is)
{
	for (struct het__timeline *t = files; t; t = t->next)
		if (t->device == is->st_dev && t->inode == is->st_ino)
			return t;
	return NULL;
}

/* With files_lock. */
static struct het__timeline *find_or_new(const char *path, const struct stat *is)
{
	struct het__timeline *t = find(is);

	if (t)
		return t;
	t = het__alloc_zeroed(1, sizeof *t);
	if (!t)
		return NULL;
	t->path = het__strdup(path);
	if (!t->path) {
		het__free(t);
		return NULL;
	}
	t->device = is->st_dev;
	t->inode = is->st_ino;
	t->generation = het__fork_generation();
	t->file = -1;
	t->events.most = BUFFER_MOST;
	pthread_mutex_init(&t->write_lock, NULL);
	pthread_mutex_init(&t->lock, NULL);
	t->next = files;
	files = t;
	return t;
}

/* A file that is as this process left it is continued; any other is begun anew. `any` is set anew, because
 * events that were given up are not in the file. */
static bool begin_file(struct het__timeline *t, int file, const struct stat *is)
{
	if (t->systems > 0 && is->st_size == t->end + (off_t)strlen(CLOSING)) {
		t->any = t->end > (off_t)strlen(OPENING);
		return true;
	}
	t->any = false;
	t->systems = 0;
	t->end = (off_t)strlen(OPENING);
	return ftruncate(file, 0) == 0 && het__file_write(file, "[\n\n]\n", 5, 0);
}

/* Makes a forked child's copy usable, if the parent had closed the file when it forked. The locks are as they
 * were then, perhaps in the hands of a thread that is not there. */
static bool inherit(struct het__timeline *t)
{
	if (t->users > 0)
		return false;
	pthread_mutex_init(&t->write_lock, NULL);
	pthread_mutex_init(&t->lock, NULL);
	t->generation = het__fork_generation();
	t->systems = 0;
	return true;
}

/* For as long as the file is open. A file system without locks is no reason to have no timeline. */
static bool lock(int file)
{
	return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static bool is_given_up(struct het__timeline *t)
{
	bool given_up;

	pthread_mutex_lock(&t->write_lock);
	given_up = t->file < 0;
	pthread_mutex_unlock(&t->write_lock);
	return given_up;
}

/* Where a shell has sent what the program prints. */
static bool is_output(const struct stat *is)
{
	struct stat output;

	for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++)
		if (fstat(file, &output) == 0 && output.st_dev == is->st_dev && output.st_ino == is->st_ino)
			return true;
	return false;
}

/* With files_lock. */
static struct het__timeline *open_file(const char *path, int file, int *number_p, const char **reason)
{
	struct het__timeline *t;
	struct stat is;

	if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode)) {
		*reason = "it is no regular file";
		return NULL;
	}
	*reason = "what the program prints goes there";
	if (is_output(&is))
		return NULL;
	t = find_or_new(path, &is);
	*reason = "no host memory";
	if (!t)
		return NULL;
	*reason = "the process from which this one was forked writes it: have %p in its name";
	if (t->generation != het__fork_generation() && !inherit(t))
		return NULL;
	*reason = "another process writes it: have %p in its name";
	if (t->users == 0 && !lock(file))
		return NULL;
	*reason = "it is gone";
	if (fstat(file, &is) != 0) /* anew: until now another process may have written it */
		return NULL;
	*reason = "another system of this process could not write it";
	if (t->users > 0 && is_given_up(t))
		return NULL;
	if (t->users > 0) {
		close(file);
	} else if (begin_file(t, file, &is)) {
		t->file = file;
	} else {
		*reason = strerror(errno);
		return NULL;
	}
	t->users++;
	*number_p = ++t->systems;
	return t;
}

/* Not among the first three descriptors: if the program has closed them, what it prints would go there. */
static int above_output(int file)
{
	int above;

	if (file < 0 || file > STDERR_FILENO)
		return file;
	above = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(file);
	return above;
}

struct het__timeline *het__timeline_open(const char *given, int *number_p, const char **reason)
{
	struct het__timeline *t = NULL;
	char path[4096];
	int file;

	*reason = "its name is too long";
	if (!complete_path(given, path, sizeof path))
		return NULL;
	/* not to hang on a pipe nobody reads, nor to take a terminal */
	file = above_output(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666));
	*reason = strerror(errno);
	if (file < 0)
		return NULL;
	het__fork_guards(&files_lock);
	pthread_mutex_lock(&files_lock);
	t = open_file(path, file, number_p, reason);
	pthread_mutex_unlock(&files_lock);
	if (!t)
		close(file);
	return t;
}

void het__timeline_close(struct het__timeline *t)
{
	pthread_mutex_lock(&files_lock);
	if (--t->users == 0) {
		pthread_mutex_lock(&t->write_lock);
		if (t->file >= 0 && is_still_open(t)) {
			if (t->generation == het__fork_generation())
				(void)flock(t->file, LOCK_UN); /* a child may have the file open still */
			close(t->file);
		}
		t->file = -1;
		pthread_mutex_unlock(&t->write_lock);
	}
	pthread_mutex_unlock(&files_lock);
}

const char *het__timeline_path(const struct het__timeline *t)
{
	return t->path;
}
