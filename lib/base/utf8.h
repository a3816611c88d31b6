/* utf8.h - which bytes are text (RFC 3629). */
#ifndef HETERO_LIB_BASE_UTF8_H
#define HETERO_LIB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** How many bytes the UTF-8 character at `text` has; 0 where there is none, or only its beginning. */
size_t het__utf8_bytes(const char *text);

/** Whether a character that has bytes is a control character (C0, DEL or C1). */
bool het__utf8_is_control(const char *text);

/** A driver's text as others take it: what is no UTF-8, or a control character but a newline, becomes a
 *  question mark. Written to `out`, which may be `text`, and returned; what does not fit into `room` is left
 *  out, by whole characters. */
const char *het__utf8_clean(char *out, size_t room, const char *text);

#endif
