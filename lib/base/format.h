/* format.h - numbers in messages have a point, whatever the program's locale: programs read them, too. */
#ifndef HETERO_LIB_BASE_FORMAT_H
#define HETERO_LIB_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/** As snprintf and vsnprintf, in the C locale. Any thread. */
int het__format(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
int het__format_list(char *text, size_t room, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

#endif
