/* error.c - the last failure of each thread, and failures that outlive their call. */
#include "base/error.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/format.h"

#define BRIEF_BYTES 4096

/* Where a failure comes from: what a record and a kept failure have in common, besides the text. Room for
 * every OpenCL function's name; a device's stable name that is longer is cut. */
struct origin {
	het_status status;
	int cl_code;
	char cl_call[64]; /* "": OpenCL was not involved */
	char device[128]; /* "": no device */
	bool was_taken;   /* by het__error_news */
};

/* The text is in `brief`, unless it is too long for it: then it is in `lengthy`, which the thread owns. */
struct record {
	struct origin origin;
	char *lengthy;
	char brief[BRIEF_BYTES];
};

static _Thread_local struct record last;

static const char *last_text(void)
{
	return last.lengthy ? last.lengthy : last.brief;
}

/* ---- long texts -------------------------------------------------------------------------------- */

/* A thread's long text dies with the thread, so a pthread key has it too. */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/* Other keys' destructors may still ask for the message, hence the empty text that is left. */
static void drop_at_exit(void *lengthy)
{
	if (!lengthy)
		return;
	last.lengthy = NULL;
	last.brief[0] = '\0';
	het__free(lengthy);
}

static void make_key(void)
{
	has_key = pthread_key_create(&key, drop_at_exit) == 0;
}

/* When the library is unloaded, threads that end later must not call drop_at_exit. */
__attribute__((destructor)) static void drop_key(void)
{
	(void)pthread_once(&key_once, make_key);
	if (!has_key)
		return;
	drop_at_exit(last.lengthy);
	(void)pthread_key_delete(key);
	has_key = false;
}

/* Memory for a text of `bytes` that will be freed when the thread ends; NULL when there is none. */
static char *new_lengthy(size_t bytes)
{
	(void)pthread_once(&key_once, make_key);
	char *lengthy = has_key ? het__alloc(bytes) : NULL;
	if (lengthy && pthread_setspecific(key, lengthy) != 0) {
		het__free(lengthy);
		return NULL;
	}
	return lengthy;
}

/* Frees a long text. The key is cleared only if it holds this one. */
static void free_lengthy(char *lengthy)
{
	if (lengthy && pthread_getspecific(key) == lengthy)
		(void)pthread_setspecific(key, NULL);
	het__free(lengthy);
}

/* ---- origins ----------------------------------------------------------------------------------- */

/* The names are copied; NULL or "" where there is none. */
static struct origin origin_of(het_status status, int cl_code, const char *cl_call, const char *device)
{
	struct origin origin = {.status = status, .cl_code = cl_code};

	(void)snprintf(origin.cl_call, sizeof origin.cl_call, "%s", cl_call ? cl_call : "");
	(void)snprintf(origin.device, sizeof origin.device, "%s", device ? device : "");
	return origin;
}

/* ---- making records ---------------------------------------------------------------------------- */

/* Both setters first make the new text and then let the old one go: the pieces may be parts of it. */

static void set_brief(const char *text, size_t length)
{
	memmove(last.brief, text, length);
	last.brief[length] = '\0';
	free_lengthy(last.lengthy);
	last.lengthy = NULL;
}

/* The text becomes head, separator and body: all of it, unless memory is short. */
static void set_joined(const char *head, const char *separator, const char *body)
{
	const size_t bytes = strlen(head) + strlen(separator) + strlen(body) + 1;
	char *lengthy = bytes > BRIEF_BYTES ? new_lengthy(bytes) : NULL;
	if (lengthy) {
		(void)snprintf(lengthy, bytes, "%s%s%s", head, separator, body);
		char *old = last.lengthy;
		last.lengthy = lengthy;
		free_lengthy(old);
		return;
	}
	char brief[BRIEF_BYTES];
	(void)snprintf(brief, sizeof brief, "%s%s%s", head, separator, body);
	set_brief(brief, strlen(brief));
}

/* Formats into `text`, cutting what does not fit; returns the length. */
static size_t format_into(char *text, size_t room, const char *format, va_list arguments)
{
	const int wanted = het__format_list(text, room, format, arguments);
	if (wanted < 0) {
		text[0] = '\0';
		return 0;
	}
	return (size_t)wanted < room ? (size_t)wanted : room - 1;
}

/* The origin is a copy: what is formatted may be the record's own names. */
static void fail_with(struct origin origin, const char *format, va_list arguments)
{
	char text[BRIEF_BYTES];
	const size_t length = format_into(text, sizeof text, format, arguments);

	last.origin = origin;
	set_brief(text, length);
}

het_status het__fail(het_status status, const char *format, ...)
{
	assert(status != HET_OK);

	va_list arguments;
	va_start(arguments, format);
	fail_with((struct origin){.status = status}, format, arguments);
	va_end(arguments);
	return status;
}

het_status het__fail_on(het_status status, const char *device, const char *format, ...)
{
	assert(status != HET_OK);

	va_list arguments;
	va_start(arguments, format);
	fail_with(origin_of(status, 0, NULL, device), format, arguments);
	va_end(arguments);
	return status;
}

/* Says what OpenCL did: a part of the text of its own, so that a long message never pushes it out. */
static size_t format_cl(char *text, size_t room, const struct origin *origin)
{
	(void)snprintf(text, room, ": %s%s%s returned %s (%d)", origin->cl_call,
		       origin->device[0] ? " on " : "", origin->device, het__cl_code_name(origin->cl_code),
		       origin->cl_code);
	return strlen(text);
}

het_status het__fail_cl(het_status status, int cl_code, const char *cl_call, const char *device,
			const char *format, ...)
{
	assert(status != HET_OK);

	const struct origin origin = origin_of(status, cl_code, cl_call, device);
	char cl_text[sizeof origin + 128]; /* the names, the code's name and a few words */
	const size_t cl_length = format_cl(cl_text, sizeof cl_text, &origin);

	char text[BRIEF_BYTES];
	va_list arguments;
	va_start(arguments, format);
	const size_t length = format_into(text, sizeof text - cl_length, format, arguments);
	va_end(arguments);

	memcpy(text + length, cl_text, cl_length);
	last.origin = origin;
	set_brief(text, length + cl_length);
	return status;
}

/* Drivers end their logs with newlines, and a text ends without one. */
static void trim_newlines(char *text)
{
	size_t length = strlen(text);
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		text[--length] = '\0';
}

het_status het__fail_cl_text(het_status status, int cl_code, const char *cl_call, const char *device,
			     const char *head, const char *body)
{
	assert(status != HET_OK);

	const struct origin origin = origin_of(status, cl_code, cl_call, device);
	set_joined(head, "\n", body);
	trim_newlines(last.lengthy ? last.lengthy : last.brief);
	last.origin = origin;
	return status;
}

het_status het__fail_text(het_status status, const char *head, const char *body)
{
	return het__fail_cl_text(status, 0, NULL, NULL, head, body);
}

het_status het__fail_within(const char *format, ...)
{
	assert(last.origin.status != HET_OK);

	char context[BRIEF_BYTES];
	va_list arguments;
	va_start(arguments, format);
	(void)format_into(context, sizeof context, format, arguments);
	va_end(arguments);

	set_joined(context, ": ", last_text());
	return last.origin.status;
}

void het__fail_more(const char *text)
{
	set_joined(last_text(), "", text);
}

/* ---- asking ------------------------------------------------------------------------------------ */

/* Has the program ever asked? */
static atomic_bool was_asked;

bool het__error_was_asked(void)
{
	return atomic_load_explicit(&was_asked, memory_order_relaxed);
}

struct het_error het_error_last(void)
{
	atomic_store_explicit(&was_asked, true, memory_order_relaxed);
	return (struct het_error){
		.status = last.origin.status,
		.cl_code = last.origin.cl_code,
		.cl_call = last.origin.cl_call[0] ? last.origin.cl_call : NULL,
		.device = last.origin.device[0] ? last.origin.device : NULL,
		.text = last_text(),
	};
}

const char *het_message(void)
{
	atomic_store_explicit(&was_asked, true, memory_order_relaxed);
	return last_text();
}

int het__error_cl_code(void)
{
	return last.origin.cl_code;
}

const char *het__message(void)
{
	return last_text();
}

const char *het__error_news(void)
{
	if (last.origin.status == HET_OK || last.origin.was_taken)
		return NULL;
	last.origin.was_taken = true;
	return last_text();
}

/* ---- putting the record aside ---------------------------------------------------------------------- */

/* The key keeps the long text until what runs meanwhile makes another: a thread that ends in there then leaks
 * the first. Setting the key anew needs no memory. */
void het__error_aside(void (*run)(const void *), const void *about)
{
	struct record outer; /* so much of it as there is: most have a short text, or none */

	outer.origin = last.origin;
	outer.lengthy = last.lengthy;
	memcpy(outer.brief, last.brief, strlen(last.brief) + 1);
	last.origin = (struct origin){.status = HET_OK};
	last.lengthy = NULL;
	last.brief[0] = '\0';
	run(about);
	free_lengthy(last.lengthy);
	last.origin = outer.origin;
	last.lengthy = outer.lengthy;
	memcpy(last.brief, outer.brief, strlen(outer.brief) + 1);
	if (outer.lengthy)
		(void)pthread_setspecific(key, outer.lengthy);
}

/* ---- failures that are kept -------------------------------------------------------------------- */

struct het__failure {
	atomic_int references;
	atomic_bool told;
	bool of_move; /* set before others see it */
	struct origin origin;
	const char *text; /* behind the struct, in the same block */
};

/* Stands for every failure that could not be kept; nobody counts its references. */
static struct het__failure exhausted = {
	.origin = {.status = HET_ERR_MEMORY},
	.text = "host memory exhausted while a failure was being recorded",
};

struct het__failure *het__failure_capture(void)
{
	const char *text = last_text();
	const size_t bytes = strlen(text) + 1;
	struct het__failure *failure = het__alloc(sizeof *failure + bytes);
	if (!failure)
		return &exhausted;
	atomic_init(&failure->references, 1);
	atomic_init(&failure->told, false);
	failure->of_move = false;
	failure->origin = last.origin;
	failure->text = memcpy(failure + 1, text, bytes);
	return failure;
}

void het__failure_set_of_move(struct het__failure *failure)
{
	if (failure != &exhausted) /* which stands for many */
		failure->of_move = true;
}

bool het__failure_is_of_move(const struct het__failure *failure)
{
	return failure->of_move;
}

struct het__failure *het__failure_retain(struct het__failure *failure)
{
	if (failure && failure != &exhausted)
		(void)atomic_fetch_add_explicit(&failure->references, 1, memory_order_relaxed);
	return failure;
}

/* The last holder frees: acquire and release order everybody's reads before that. */
void het__failure_release(struct het__failure *failure)
{
	if (!failure || failure == &exhausted)
		return;
	if (atomic_fetch_sub_explicit(&failure->references, 1, memory_order_acq_rel) == 1)
		het__free(failure);
}

void het__failure_tell(struct het__failure *failure)
{
	if (failure != &exhausted) /* which stands for many */
		atomic_store_explicit(&failure->told, true, memory_order_relaxed);
}

bool het__failure_is_told(const struct het__failure *failure)
{
	return atomic_load_explicit(&failure->told, memory_order_relaxed);
}

het_status het__failure_status(const struct het__failure *failure)
{
	return failure->origin.status;
}

const char *het__failure_text(const struct het__failure *failure)
{
	return failure->text;
}

het_status het__fail_because(het_status status, const struct het__failure *failure, const char *format, ...)
{
	assert(status != HET_OK);

	char context[BRIEF_BYTES];
	va_list arguments;
	va_start(arguments, format);
	(void)format_into(context, sizeof context, format, arguments);
	va_end(arguments);

	set_joined(context, ": ", failure->text);
	last.origin = failure->origin;
	last.origin.status = status;
	last.origin.was_taken = false;
	return status;
}
