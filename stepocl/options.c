/* options.c - see options.h. */
#include "options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/tool.h"

const char program[] = "hetero-stepocl";
const char usage[] =
	"usage: hetero-stepocl [OPTION...] DESCRIPTION.xml [KERNEL.cl]\n"
	"Runs a stencil's kernel, written for one device, on all devices.\n"
	"  --in NAME=FILE          an array's elements before the first iteration, as raw bytes;\n"
	"                          -: from standard input\n"
	"  --fill NAME=VALUE       the same value everywhere; of a number: its value\n"
	"  --fill NAME=VALUE:STEPX[:STEPY[:STEPZ]]   and so much more from one element to the next\n"
	"  --out NAME=FILE         the elements after the last iteration; -: to standard output, and what\n"
	"                          is reported to standard error\n"
	"  --iterations N          instead of the description's\n"
	"  --devices SELECTION     these devices, as HETERO_DEVICES chooses them\n"
	"  --plan N                how N devices would share the work in a grid; runs nothing\n"
	"  --emit-c FILE.c         writes a C program that does the same; runs nothing\n"
	"  --help, --version\n"
	"KERNEL.cl: without it the file that the description names, beside it.\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

bool wrong_wish(const struct wish *wish, const char *format, ...)
{
	static const char *const option[] = {[IN] = "in", [OUT] = "out", [FILL] = "fill"};
	va_list list;

	fprintf(stderr, "%s: --%s %s: ", program, option[wish->kind], wish->given);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	return wrong(NULL, NULL);
}

static bool read_number(const char *what, const char *given, long long most, int64_t *number_p)
{
	char *end;
	const long long number = strtoll(given, &end, 10);

	if (end == given || *end || number < 1 || number > most)
		return wrong(what, given);
	*number_p = number;
	return true;
}

static bool read_plan(const char *given, struct options *options)
{
	int64_t devices;

	if (!read_number("N is a number of devices, 1 to 1024", given, 1024, &devices))
		return false;
	options->action = PLAN;
	options->devices_planned = (int)devices;
	return true;
}

static bool read_wish(enum wish_kind kind, const char *given, struct options *options)
{
	const char *const equals = strchr(given, '=');
	struct wish wish = {kind, given, equals ? equals + 1 : ""};

	if (equals == given || !*wish.text)
		return wrong_wish(&wish, "it is NAME=, then a file or a value");
	if (kind != FILL && strcmp(wish.text, "-") == 0)
		wish.text = kind == IN ? STANDARD_INPUT : STANDARD_OUTPUT;
	if (options->wishes == MOST_WISHES)
		return wrong_wish(&wish, "there are more than %d of --in, --out and --fill", MOST_WISHES);
	options->wish[options->wishes++] = wish;
	return true;
}

/* The command that is printed needs a name that compilers take for C. Without .c it is the program's, and must
 * not be a folder's (. or ..). */
static bool read_program(const char *given, struct options *options)
{
	const char *const slash = strrchr(given, '/'), *const name = slash ? slash + 1 : given;
	const size_t length = strlen(name);

	if (length < 2 || strcmp(name + length - 2, ".c") != 0 || strspn(name, ".") == length - 1)
		return wrong("--emit-c: it is no name of a C program, such as run.c", given);
	options->program = given;
	return true;
}

enum { WISH = 1, PLANNED = WISH + FILL + 1, EMITTED, ITERATED, DEVICES, HELPED, VERSIONED };

static const struct option table[] = {
	{"in", required_argument, NULL, WISH + IN},     {"out", required_argument, NULL, WISH + OUT},
	{"fill", required_argument, NULL, WISH + FILL}, {"plan", required_argument, NULL, PLANNED},
	{"emit-c", required_argument, NULL, EMITTED},   {"iterations", required_argument, NULL, ITERATED},
	{"devices", required_argument, NULL, DEVICES},  {"help", no_argument, NULL, HELPED},
	{"version", no_argument, NULL, VERSIONED},      {NULL, 0, NULL, 0},
};

static bool take(int option, struct options *options)
{
	switch (option) {
	case WISH + IN:
		return read_wish(IN, optarg, options);
	case WISH + OUT:
		return read_wish(OUT, optarg, options);
	case WISH + FILL:
		return read_wish(FILL, optarg, options);
	case PLANNED:
		return read_plan(optarg, options);
	case EMITTED:
		return read_program(optarg, options);
	case ITERATED:
		return read_number("N is a number of iterations, 1 to 2147483647", optarg, INT32_MAX,
				   &options->iterations);
	case DEVICES:
		options->devices = optarg;
		return true;
	case HELPED:
		options->action = HELP;
		return true;
	case VERSIONED:
		options->action = VERSION;
		return true;
	default:
		return wrong(NULL, NULL); /* getopt has said what */
	}
}

bool options_read(int argc, char **argv, struct options *options)
{
	int option;

	*options = (struct options){.action = RUN};
	while ((option = next_option(argc, argv, table)) != -1)
		if (!take(option, options))
			return false;
	if (options->action == HELP || options->action == VERSION)
		return true;
	if (options->action == PLAN && options->program)
		return wrong("--plan prints, --emit-c writes: one of them", NULL);
	if (options->program)
		options->action = EMIT;
	if (optind == argc)
		return wrong("no description", NULL);
	if (optind + 2 < argc)
		return wrong("what is this", argv[optind + 2]);
	options->description = argv[optind];
	options->kernel = optind + 1 < argc ? argv[optind + 1] : NULL;
	return true;
}
