/* printed.h - did all that was printed get out? Users whose disk is full must hear of it. */
#ifndef EXAMPLES_PRINTED_H
#define EXAMPLES_PRINTED_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The exit status of a program that ended with `status`: where not all that it printed got out, a failure,
 *  with a line on stderr. */
static inline int printed(const char *program, int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "%s: the results could not be printed: %s\n", program, strerror(errno));
	return status ? status : EXIT_FAILURE;
}

#endif
