/* error.h - the calling thread's last failure, and failures kept for later.
 *
 * The first function that decides on an error makes the record with het__fail; callers pass the status
 * on. A failure of something asynchronous is captured as a het__failure, shared by everything that was
 * lost to it, and made the last failure again when somebody asks for a lost value.
 */
#ifndef HETERO_LIB_BASE_ERROR_H
#define HETERO_LIB_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

#include <hetero/status.h>

/** Makes the calling thread's record and returns `status`. The message is truncated at 4095 bytes, except that
 *  het__fail_text keeps all of a long text (build logs). Never allocates on the short path.
 *  (These are `cold`: what leads to them is laid out apart from what succeeds.) */
het_status het__fail(het_status status, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

/** The same with the OpenCL call, its code and the device's stable name (NULL: none), which are added to
 *  the text: "...: clEnqueueReadBuffer on pocl:cpu0 returned CL_OUT_OF_RESOURCES (-5)". The strings are
 *  copied. */
het_status het__fail_cl(het_status status, int cl_code, const char *cl_call, const char *device,
                        const char *format, ...) __attribute__((cold, format(printf, 5, 6)));

/** As het__fail, about a device: the record has its stable name; the text has it only if `format` names it. */
het_status het__fail_on(het_status status, const char *device, const char *format, ...)
	__attribute__((cold, format(printf, 3, 4)));

/** As het__fail with a text of any length: `head`, a newline, `body`. */
het_status het__fail_text(het_status status, const char *head, const char *body) __attribute__((cold));

/** The same with the OpenCL call, its code and the device (build logs); the text does not get them. */
het_status het__fail_cl_text(het_status status, int cl_code, const char *cl_call, const char *device,
                             const char *head, const char *body) __attribute__((cold));

/** Puts a text behind that of the record. */
void het__fail_more(const char *text) __attribute__((cold));

/** The record's text, for the library itself: unlike het_message it does not count as asking. */
const char *het__message(void);
/** Its OpenCL code; 0: OpenCL was not involved. */
int het__error_cl_code(void);
/** Has any thread of the program called het_message or het_error_last? */
bool het__error_was_asked(void);
/** The record's text, once for each failure; else NULL. */
const char *het__error_news(void);

/** Runs run(about) with an empty record, and gives the thread its own back afterwards: for what may fail
 *  without that being the call's failure, such as code of the user's, or tidying up after an error. */
void het__error_aside(void (*run)(const void *about), const void *about);

/** Puts "context: " before the text of the record, keeping the rest. Returns the record's status. */
het_status het__fail_within(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));

/** "CL_OUT_OF_RESOURCES" for -5; "unknown OpenCL error" otherwise. Static text. */
const char *het__cl_code_name(int cl_code);

/** A failure that outlives the call in which it happened. Counted; immutable; any thread. */
struct het__failure;

/** Captures the calling thread's record. Never NULL: without memory a static "host memory exhausted"
 *  failure is returned. The caller owns one reference. */
struct het__failure *het__failure_capture(void);
/** The failure is one of a transfer: the value that was to move is where it was. */
void het__failure_set_of_move(struct het__failure *failure);
bool het__failure_is_of_move(const struct het__failure *failure);
struct het__failure *het__failure_retain(struct het__failure *failure); /* NULL is allowed */
void het__failure_release(struct het__failure *failure);                /* NULL is allowed */
/** Notes that a caller was told of it; asks. */
void het__failure_tell(struct het__failure *failure);
bool het__failure_is_told(const struct het__failure *failure);
het_status het__failure_status(const struct het__failure *failure);
const char *het__failure_text(const struct het__failure *failure);

/** Makes `failure` the calling thread's record with another status (HET_ERR_LOST, usually) and
 *  "context: " before its text. Returns `status`. */
het_status het__fail_because(het_status status, const struct het__failure *failure, const char *format, ...)
	__attribute__((cold, format(printf, 3, 4)));

#endif
