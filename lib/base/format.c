/* format.c - printf in the C locale. */
#include "base/format.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t plain; /* glibc's own object: nothing to free; 0: there is none, the program's is used */

static void make_plain(void)
{
	plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int het__format_list(char *text, size_t room, const char *format, va_list arguments)
{
	locale_t before = (locale_t)0;
	int length;

	(void)pthread_once(&once, make_plain);
	if (plain)
		before = uselocale(plain);
	length = vsnprintf(text, room, format, arguments);
	if (before)
		(void)uselocale(before);
	return length;
}

int het__format(char *text, size_t room, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = het__format_list(text, room, format, arguments);
	va_end(arguments);
	return length;
}
