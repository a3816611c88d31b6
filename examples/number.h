/* number.h - whole numbers on the command line. */
#ifndef EXAMPLES_NUMBER_H
#define EXAMPLES_NUMBER_H

#include <stdlib.h>

/** Is a text a whole number of `least` to `most`? *value_p is set if it is. */
static inline int is_whole(const char *text, long least, long most, int *value_p)
{
	char *end;
	const long value = strtol(text, &end, 10);

	if (end == text || *end || value < least || value > most)
		return 0;
	*value_p = (int)value;
	return 1;
}

#endif
