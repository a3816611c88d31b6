/* tool.c - see tool.h. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

#include <hetero.h>

bool wrong(const char *what, const char *which)
{
	fprintf(stderr, "%s: %s%s%s\n%s", program, what, which ? ": " : "", which ? which : "", usage);
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

void print_version(void)
{
	printf("%s %s\n", program, het_version());
}
