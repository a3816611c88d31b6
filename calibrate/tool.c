/* tool.c - see tool.h. */
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hetero.h>

bool wrong(const char *what, const char *which)
{
	if (what)
		fprintf(stderr, "%s: %s%s%s\n", program, what, which ? ": " : "", which ? which : "");
	fprintf(stderr, "%s --help lists the options\n", program);
	return false;
}

bool read_format(const char *format, bool *json_p)
{
	*json_p = strcmp(format, "json") == 0;
	if (!*json_p && strcmp(format, "text") != 0)
		return wrong("the format is text or json", format);
#ifndef HAVE_JSON
	if (*json_p)
		return wrong("built without jansson, which writes JSON", NULL);
#endif
	return true;
}

void print_usage(void)
{
	fputs(usage, stdout);
}

int printed(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "%s: what was found could not be printed: %s\n", program, strerror(errno));
	return status ? status : EXIT_FAILURE;
}

void print_version(void)
{
	printf("%s %s\n", program, het_version());
}
