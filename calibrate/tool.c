/* tool.c - see tool.h. */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hetero.h>

#include "base/file.h"

/* Open the wrong way round: to use one fails, as if it were closed. */
void hold_streams(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
		const int flags = file == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(file, F_GETFD) < 0 && open("/dev/null", flags) != file)
			exit(EXIT_FAILURE);
	}
}

bool wrong(const char *what, const char *which)
{
	if (what)
		fprintf(stderr, "%s: %s%s%s\n", program, what, which ? ": " : "", which ? which : "");
	fprintf(stderr, "%s --help lists the options\n", program);
	return false;
}

int next_option(int argc, char **argv, const struct option *table)
{
	static char name[32];

	snprintf(name, sizeof name, "%s", program);
	if (argc > 0)
		argv[0] = name;
	return getopt_long(argc, argv, "", table, NULL);
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

/* The real name of what a path leads to; of what is not there yet, its folder is made real. */
static const char *place_of(const char *path, char real[PATH_MAX])
{
	char target[PATH_MAX], folder[PATH_MAX] = ".";
	const char *slash;
	size_t length;

	if (realpath(path, real))
		return real;
	path = het__file_behind_links(path, target);
	slash = strrchr(path, '/');
	if (slash)
		snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
	if (!realpath(folder, real))
		snprintf(real, PATH_MAX, "%s", folder);
	length = strlen(real);
	snprintf(real + length, PATH_MAX - length, "/%s", slash ? slash + 1 : path);
	return real;
}

bool is_one_file(const char *a, const char *b)
{
	char real_a[PATH_MAX], real_b[PATH_MAX];

	return strcmp(place_of(a, real_a), place_of(b, real_b)) == 0;
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
