/* number.h - numbers in options. */
#ifndef COMMON_NUMBER_H
#define COMMON_NUMBER_H

#include <math.h>
#include <stdlib.h>

#define NUMBER_TEXT_(number) #number
/** A macro's number as a literal, for what help says of it. */
#define NUMBER_TEXT(number) NUMBER_TEXT_(number)

/** A whole number from `low` to `high` that a text begins with. Returns what follows; NULL: there is none. */
static inline const char *number_before(const char *text, long low, long high, int *value)
{
	char *end;
	const long number = strtol(text, &end, 10);

	if (end == text || number < low || number > high)
		return NULL;
	*value = (int)number;
	return end;
}

/** The same, where nothing may follow. Returns 0, or -1: it is no such number. */
static inline int number_read(const char *text, long low, long high, int *value)
{
	int number;
	const char *const rest = number_before(text, low, high, &number);

	if (!rest || *rest)
		return -1;
	*value = number;
	return 0;
}

/** Numbers >= 0 with commas between, at most `most`, whose sum is finite and not 0. Returns 0, or -1: it is no
 *  such list. */
static inline int shares_read(const char *text, int most, double *share, int *count)
{
	double sum = 0;
	char *end;

	for (*count = 0; *count < most; text = end + 1) {
		const double one = strtod(text, &end);

		if (end == text || !isfinite(one) || one < 0)
			return -1;
		share[(*count)++] = one;
		sum += one;
		if (*end != ',')
			return *end || !(sum > 0) || !isfinite(sum) ? -1 : 0;
	}
	return -1;
}

#endif
