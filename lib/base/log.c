/* log.c - log lines: at once to stderr, or kept until the user's callback may run. */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/callback.h"
#include "base/env.h"
#include "base/error.h"
#include "base/format.h"

#define MOST_WAITING 1000

static const char *const level_names[] = {"error", "warn", "info", "debug", "trace"};
static const char *const topic_names[] = {"system", "kernel", "task", "route", "spread"};

#define COUNT_OF(names) ((int)(sizeof(names) / sizeof(names)[0]))

/* A line that waits for the callback. */
struct line {
	struct line *next;
	enum het_log_level level;
	bool is_own; /* caused by the callback */
	char text[];
};

/* What is above `lock` never changes once the logger is made. */
struct het__logger {
	het_log_fn fn; /* NULL: stderr */
	void *user;
	enum het_log_level level;
	unsigned topics; /* bit i: topic_names[i] is shown at every level */

	pthread_mutex_t lock; /* guards what is below; never held while the callback runs */
	struct line *first, **end;
	int waiting;
	long dropped;
	bool delivering;      /* some thread is handing out lines: they come one at a time, in order */
	atomic_bool has_news; /* lines wait or were dropped; changed under the lock, read without */
};

/* What the log function of this thread has been given: nothing, a line, or a line that it caused itself by a
 * call. During the last its calls log nothing: each line might make the next. */
enum given { NO_LINE, OTHERS_LINE, OWN_LINE };
static _Thread_local enum given given;

/* How many locks this thread has that make lines wait. */
static _Thread_local int deferred;

/* ---- what is shown ----------------------------------------------------------------------------- */

/* The place of a word (not ended by a NUL) in a list of names, or -1. */
static int place_of(const char *word, size_t length, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strlen(names[i]) == length && strncasecmp(word, names[i], length) == 0)
			return i;
	return -1;
}

int het__log_wants(const struct het__logger *logger, enum het_log_level level, const char *topic)
{
	if (!logger)
		return 0;
	if (level <= logger->level)
		return 1;
	if (!logger->topics)
		return 0;
	const int i = place_of(topic, strlen(topic), topic_names, COUNT_OF(topic_names));
	return i >= 0 && (logger->topics >> i & 1u);
}

/* Moves *list past its next word, which is returned with its length; NULL at the end. */
static const char *next_word(const char **list, size_t *length)
{
	const char *word = *list + strspn(*list, ", \t");
	*length = strcspn(word, ", \t");
	*list = word + *length;
	return *length ? word : NULL;
}

/* Takes one word of $HETERO_LOG. False when it means nothing. */
static bool obey(struct het__logger *logger, const char *word, size_t length)
{
	const int level = place_of(word, length, level_names, COUNT_OF(level_names));
	if (level >= 0) {
		logger->level = (enum het_log_level)level;
		return true;
	}
	const int topic = place_of(word, length, topic_names, COUNT_OF(topic_names));
	if (topic >= 0)
		logger->topics |= 1u << topic;
	return topic >= 0;
}

const char *het__log_unknown(const char **list, size_t *length)
{
	const char *word;

	while ((word = next_word(list, length)) != NULL)
		if (place_of(word, *length, level_names, COUNT_OF(level_names)) < 0 &&
		    place_of(word, *length, topic_names, COUNT_OF(topic_names)) < 0)
			break;
	return word;
}

/* Unknown words are reported by the first logger of the process that meets any, not by every system: as errors,
 * because every level shows those. */
static void obey_environment(struct het__logger *logger)
{
	static atomic_flag reported = ATOMIC_FLAG_INIT;
	const char *const value = het__env("HETERO_LOG");
	if (!value)
		return;

	bool all_known = true;
	size_t length;
	const char *list = value, *word;
	while ((word = next_word(&list, &length)) != NULL)
		all_known &= obey(logger, word, length);
	if (all_known || atomic_flag_test_and_set(&reported))
		return;

	list = value;
	while ((word = het__log_unknown(&list, &length)) != NULL)
		het__log(logger, HET_LOG_ERROR, "system",
			 "HETERO_LOG: unknown word \"%.*s\" (" HET__LOG_WORDS ")", (int)length, word);
}

/* ---- life -------------------------------------------------------------------------------------- */

struct het__logger *het__logger_new(het_log_fn fn, void *user, enum het_log_level level)
{
	struct het__logger *logger = het__alloc_zeroed(1, sizeof *logger);
	if (!logger)
		return NULL;
	if (pthread_mutex_init(&logger->lock, NULL) != 0) {
		het__free(logger);
		return NULL;
	}
	logger->fn = fn;
	logger->user = user;
	logger->level = fn ? level : HET_LOG_WARN;
	logger->end = &logger->first;
	if (!fn)
		obey_environment(logger);
	return logger;
}

void het__logger_free(struct het__logger *logger)
{
	if (!logger)
		return;
	het__log_flush(logger);
	(void)pthread_mutex_destroy(&logger->lock);
	het__free(logger);
}

/* ---- lines in -------------------------------------------------------------------------------------- */

static struct line *new_line(enum het_log_level level, const char *topic, const char *text, size_t length)
{
	const size_t room = strlen(topic) + length + sizeof "[] ";
	struct line *line = het__alloc(sizeof *line + room);
	if (!line)
		return NULL;
	line->next = NULL;
	line->level = level;
	line->is_own = given != NO_LINE;
	(void)snprintf(line->text, room, "[%s] %.*s", topic, (int)length, text);
	return line;
}

/* Puts a line (NULL: there was no memory for it) at the end of the queue, if there is room. */
static void enqueue(struct het__logger *logger, struct line *line)
{
	(void)pthread_mutex_lock(&logger->lock);
	const bool fits = line && logger->waiting < MOST_WAITING;
	if (fits) {
		*logger->end = line;
		logger->end = &line->next;
		logger->waiting++;
	} else {
		logger->dropped++;
	}
	atomic_store_explicit(&logger->has_news, true, memory_order_release);
	(void)pthread_mutex_unlock(&logger->lock);
	if (!fits)
		het__free(line);
}

static struct iovec piece(const char *text, size_t length)
{
	return (struct iovec){(void *)(uintptr_t)text, length};
}

/* In one call, so that threads' lines do not mix; and not through stdio, whose lock one thread of the program
 * may have while it waits for the system's, which this one has. */
static void write_line(enum het_log_level level, const char *topic, const char *text, size_t length)
{
	const char *const name = level_names[level];
	const struct iovec line[] = {piece("hetero: ", 8),  piece(name, strlen(name)), piece(": [", 3),
				     piece(topic, strlen(topic)), piece("] ", 2),          piece(text, length),
				     piece("\n", 1)};
	ssize_t written;

	do
		written = writev(STDERR_FILENO, line, COUNT_OF(line));
	while (written < 0 && errno == EINTR);
}

/* Logs one line without a newline. */
static void emit(struct het__logger *logger, enum het_log_level level, const char *topic, const char *text,
		 size_t length)
{
	if (logger->fn && given != OWN_LINE)
		enqueue(logger, new_line(level, topic, text, length));
	else if (!logger->fn)
		write_line(level, topic, text, length);
}

/* A text with newlines (a build log, say) becomes several lines; empty ones are left out. */
static void emit_lines(struct het__logger *logger, enum het_log_level level, const char *topic,
		       const char *text)
{
	for (const char *line = text; *line;) {
		const size_t length = strcspn(line, "\n");
		if (length)
			emit(logger, level, topic, line, length);
		line += length + (line[length] == '\n');
	}
}

void het__log(struct het__logger *logger, enum het_log_level level, const char *topic, const char *format, ...)
{
	if (!het__log_wants(logger, level, topic))
		return;

	char brief[1024];
	va_list arguments;
	va_start(arguments, format);
	const int length = het__format_list(brief, sizeof brief, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;

	const size_t bytes = (size_t)length + 1;
	char *lengthy = bytes > sizeof brief ? het__alloc(bytes) : NULL;
	if (lengthy) {
		va_start(arguments, format);
		(void)het__format_list(lengthy, bytes, format, arguments);
		va_end(arguments);
	}
	emit_lines(logger, level, topic, lengthy ? lengthy : brief); /* without memory: its beginning */
	het__free(lengthy);
}

/* ---- lines out ----------------------------------------------------------------------------------- */

/* Takes all that waits, or ends the delivery when nothing does. */
static bool take_batch(struct het__logger *logger, struct line **first, long *dropped)
{
	(void)pthread_mutex_lock(&logger->lock);
	*first = logger->first;
	*dropped = logger->dropped;
	logger->first = NULL;
	logger->end = &logger->first;
	logger->waiting = 0;
	logger->dropped = 0;
	atomic_store_explicit(&logger->has_news, false, memory_order_relaxed);
	logger->delivering = *first || *dropped;
	const bool any = logger->delivering;
	(void)pthread_mutex_unlock(&logger->lock);
	return any;
}

/* True when the calling thread is now the one that delivers. */
static bool start_delivery(struct het__logger *logger)
{
	(void)pthread_mutex_lock(&logger->lock);
	const bool mine = !logger->delivering;
	logger->delivering = true;
	(void)pthread_mutex_unlock(&logger->lock);
	return mine;
}

struct line_for {
	const struct het__logger *logger;
	enum het_log_level level;
	const char *text;
};

static void call_function(const void *about)
{
	const struct line_for *const l = about;

	l->logger->fn(l->logger->user, l->level, l->text);
}

static void give(const struct het__logger *logger, enum het_log_level level, const char *text, bool is_own)
{
	const struct line_for line = {logger, level, text};
	const enum given outer = given; /* inside another system's function */

	given = is_own || outer == OWN_LINE ? OWN_LINE : OTHERS_LINE;
	het__callback_begin();
	het__error_aside(call_function, &line);
	het__callback_end();
	given = outer;
}

/* Lines are dropped when the queue is full, so those that wait are older than the dropped ones. */
static void deliver(struct het__logger *logger, struct line *first, long dropped)
{
	while (first) {
		struct line *next = first->next;
		give(logger, first->level, first->text, first->is_own);
		het__free(first);
		first = next;
	}
	if (dropped) {
		char text[64];
		(void)snprintf(text, sizeof text, "[system] log lines dropped: %ld", dropped);
		give(logger, HET_LOG_WARN, text, false);
	}
}

/* A flush during another thread's delivery, or from inside the callback, leaves its lines to that one. */
static __attribute__((noinline)) void hand_out(struct het__logger *logger)
{
	struct line *first;
	long dropped;

	if (deferred || !start_delivery(logger))
		return;
	while (take_batch(logger, &first, &dropped))
		deliver(logger, first, dropped);
}

void het__log_defer(void)
{
	deferred++;
}

void het__log_resume(void)
{
	deferred--;
}

bool het__log_is_deferred(void)
{
	return deferred > 0;
}

const atomic_bool *het__log_news(const struct het__logger *logger)
{
	static const atomic_bool never = false;

	return logger ? &logger->has_news : &never;
}

void het__log_flush(struct het__logger *logger)
{
	if (atomic_load_explicit(het__log_news(logger), memory_order_acquire))
		hand_out(logger);
}
