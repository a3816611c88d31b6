/* words.c - see words.h. */
#include "words.h"

#include <inttypes.h>
#include <stdio.h>

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
