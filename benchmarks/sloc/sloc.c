/* sloc.c - counts lines, statements and effort of C programs: see count.h. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "printed.h"
#include "sloc/count.h"

#define EXIT_USAGE 2

static const char help[] =
	"usage: sloc [--together] FILE...\n"
	"\n"
	"Counts, for each C file, or with --together for all of them as one program:\n"
	"  lines          with anything but blanks and comments\n"
	"  statements     lines, when a line is a statement, a brace, a label or a directive\n"
	"  operators, operands, and how many different ones\n"
	"  effort         by Halstead: for ratios, absolute values mean nothing\n"
	"\n"
	"Exit status: 0 good; 1 a file cannot be read; 2 wrong usage.\n";

static void print_row(const struct count *count, const char *what)
{
	const struct count_result r = count_result(count);

	printf("%7d %10d %9d %9d %8d %8d %12.0f  %s\n", r.lines, r.statements, r.operators,
	       r.different_operators, r.operands, r.different_operands, r.effort, what);
}

static int add_file(struct count *count, const char *path)
{
	if (count && !count_file(count, path))
		return 0;
	fprintf(stderr, "sloc: %s: %s\n", path, count ? strerror(errno) : "no memory");
	return -1;
}

static int count_each(char **paths)
{
	for (; *paths; paths++) {
		struct count *const count = count_new();

		if (add_file(count, *paths))
			return count_free(count), 1;
		print_row(count, *paths);
		count_free(count);
	}
	return 0;
}

static int count_together(char **paths)
{
	struct count *const count = count_new();
	int status = 0;

	for (; *paths && !status; paths++)
		status = add_file(count, *paths) != 0;
	if (!status)
		print_row(count, "together");
	count_free(count);
	return status;
}

int main(int argc, char **argv)
{
	const int together = argc > 1 && !strcmp(argv[1], "--together");

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(help, stdout);
		return printed("sloc", 0);
	}
	if (argc < 2 + together || (!together && argv[1][0] == '-')) {
		fprintf(stderr, "sloc: %s\nsloc --help tells how to use it\n",
			argc < 2 + together ? "no file is named" : "there is no such option");
		return EXIT_USAGE;
	}
	printf("%7s %10s %9s %9s %8s %8s %12s\n", "lines", "statements", "operators", "different", "operands",
	       "different", "effort");
	return printed("sloc", together ? count_together(argv + 2) : count_each(argv + 1));
}
