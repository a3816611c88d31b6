/* must.h - how the examples treat a failure: they say what it was and end. A program that has a way to go on
 * looks at the status instead. */
#ifndef EXAMPLES_MUST_H
#define EXAMPLES_MUST_H

#include <hetero.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(het_status status)
{
	if (status == HET_OK)
		return;
	fprintf(stderr, "%s\n", het_message());
	exit(EXIT_FAILURE);
}

#endif
