/* refuse.h - what measuring programs that do not share the benchmarks' options say of a wrong option. */
#ifndef COMMON_REFUSE_H
#define COMMON_REFUSE_H

#include <stdio.h>
#include <string.h>

/* Is it an option, and a whole word of the help? */
static inline int refuse_is_option(const char *help, const char *name)
{
	const size_t length = strlen(name);

	for (const char *hit = help; length > 2 && (hit = strstr(hit, name)); hit += length)
		if (!strncmp(name, "--", 2) && strchr(" ]:", hit[length]))
			return 1;
	return 0;
}

/** Says on stderr what is wrong with an option that could not be read: there is none of that name in the help,
 *  its value is missing (NULL), or is not possible; then the help. Returns 2, for main. --help among others is
 *  no error, and returns 0. */
static inline int refuse(const char *program, const char *help, const char *name, const char *value)
{
	if (!strcmp(name, "--help")) {
		fputs(help, stdout);
		return 0;
	}
	if (!refuse_is_option(help, name))
		fprintf(stderr, "%s: there is no option %s\n", program, name);
	else if (!value || !*value)
		fprintf(stderr, "%s: %s: its value is missing\n", program, name);
	else
		fprintf(stderr, "%s: %s %s is not possible\n", program, name, value);
	fputs(help, stderr);
	return 2;
}

#endif
