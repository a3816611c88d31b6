/* text.h - a text that is put together in memory.
 *
 * JSON has a streaming writer of our own: libjansson makes a tree of a whole document before it writes it, and
 * is optional. What does not fit is not written in part: the text is marked as lost, and its owner goes back to
 * where it was good.
 */
#ifndef HETERO_LIB_BASE_TEXT_H
#define HETERO_LIB_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct het__text {
	char *at;      /* het__free'd by its owner; ended by a NUL if het__text_add came last */
	size_t length, room;
	size_t most;   /* bytes; 0: as much as there is memory */
	bool lost;     /* something did not fit */
};

/** As printf; for what needs no quotes. No numbers with decimals: they would follow the locale. */
void het__text_add(struct het__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** As vprintf. */
void het__text_add_list(struct het__text *text, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
/** What another text holds; lost if that is. */
void het__text_copy(struct het__text *text, const struct het__text *other);
/** A JSON string: quotes, escapes, and U+FFFD for what is no UTF-8. */
void het__text_quote(struct het__text *text, const char *words);
/** Microseconds, to the nanosecond: 12.345. */
void het__text_us(struct het__text *text, uint64_t ns);

#endif
