/* words.c - see words.h. */
#include "words.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

const char *size_words(char *text, uint64_t bytes)
{
	if (bytes >= GIB && bytes % GIB == 0)
		snprintf(text, WORDS_BYTES, "%" PRIu64 " GiB", bytes / GIB);
	else if (bytes >= MIB && bytes % MIB == 0)
		snprintf(text, WORDS_BYTES, "%" PRIu64 " MiB", bytes / MIB);
	else if (bytes >= KIB && bytes % KIB == 0)
		snprintf(text, WORDS_BYTES, "%" PRIu64 " KiB", bytes / KIB);
	else
		snprintf(text, WORDS_BYTES, "%" PRIu64 " B", bytes);
	return text;
}

const char *amount_words(char *text, uint64_t bytes)
{
	const uint64_t unit = bytes >= GIB ? GIB : bytes >= MIB ? MIB : KIB;
	const double count = (double)bytes / (double)unit;
	const char *const name = unit == GIB ? "GiB" : unit == MIB ? "MiB" : "KiB";

	snprintf(text, WORDS_BYTES, bytes % unit == 0 || count >= 100 ? "%.0f %s" : "%.1f %s", count, name);
	return text;
}

const char *rate_words(char *text, double bytes, double ns)
{
	const double rate = ns > 0 ? bytes / ns : 0;

	if (rate >= 0.1)
		snprintf(text, WORDS_BYTES, rate >= 100 ? "%.0f GB/s" : "%.2f GB/s", rate);
	else
		snprintf(text, WORDS_BYTES, rate >= 0.01 ? "%.1f MB/s" : "%.2f MB/s", rate * 1e3);
	return text;
}

/* ---- text of drivers --------------------------------------------------------------------------- */

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

size_t character_bytes(const char *text)
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

const char *clean_words(char *out, size_t room, const char *text)
{
	size_t used = 0;

	while (*text) {
		const size_t length = character_bytes(text);
		const unsigned char first = (unsigned char)*text;
		const bool good = length > 0 && (first >= ' ' || first == '\n') && first != 0x7f;

		if (used + (good ? length : 1) >= room)
			break;
		if (good)
			memcpy(out + used, text, length);
		else
			out[used] = '?';
		used += good ? length : 1;
		text += length ? length : 1;
	}
	out[used] = '\0';
	return out;
}
