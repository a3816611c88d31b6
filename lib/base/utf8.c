/* utf8.c - see utf8.h. */
#include "base/utf8.h"

#include <string.h>

/* How many bytes follow the first one of a character; -1: it is none. */
static int followers(unsigned char first)
{
	if (first < 0x80)
		return 0;
	if (first >= 0xc2 && first <= 0xdf)
		return 1;
	if (first >= 0xe0 && first <= 0xef)
		return 2;
	return first >= 0xf0 && first <= 0xf4 ? 3 : -1;
}

/* Overlong forms, surrogates, and what lies beyond the last code point. */
static bool is_forbidden(unsigned char first, unsigned char second)
{
	return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
	       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
}

size_t het__utf8_bytes(const char *text)
{
	const unsigned char *const at = (const unsigned char *)text;
	const int more = followers(at[0]);

	if (at[0] == '\0' || more < 0)
		return 0;
	for (int i = 1; i <= more; i++)
		if ((at[i] & 0xc0) != 0x80 || (i == 1 && is_forbidden(at[0], at[1])))
			return 0;
	return (size_t)more + 1;
}

bool het__utf8_is_control(const char *text)
{
	const unsigned char *const at = (const unsigned char *)text;

	return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

const char *het__utf8_clean(char *out, size_t room, const char *text)
{
	size_t used = 0;

	while (*text) {
		const size_t length = het__utf8_bytes(text);
		const bool good = length > 0 && (*text == '\n' || !het__utf8_is_control(text));

		if (used + (good ? length : 1) >= room)
			break;
		if (good)
			memmove(out + used, text, length);
		else
			out[used] = '?';
		used += good ? length : 1;
		text += length ? length : 1;
	}
	out[used] = '\0';
	return out;
}
