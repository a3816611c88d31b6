/* options.c - see options.h. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "system/setup.h"
#include "tool.h"

const char program[] = "hetero-calibrate";
const char usage[] =
	"usage: hetero-calibrate [OPTION...]\n"
	"Measures every way to move bytes between the memories of this machine; writes down which to take.\n"
	"  --quick                 few sizes: seconds on ordinary devices, instead of a minute\n"
	"  --only FROM,TO          only this pair of memories (names of devices, host)\n"
	"  --separate              every device as if it had a memory of its own\n"
	"  --output FILE           to write, or to look at; else the file that the library reads first\n"
	"  --plot FILE.svg         draws what was measured: bandwidth against size\n"
	"  --explain SRC DST BYTES which route the library takes, and what others would cost (1M: 1048576)\n"
	"  --check                 does the file fit this machine?\n"
	"  --dry-run               what would be measured\n"
	"  --format text|json      of what is printed\n"
	"  --help, --version\n"
	"HETERO_DEVICES chooses devices. Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static bool read_pair(char *pair, struct options *options)
{
	char *const comma = strchr(pair, ',');

	if (!comma || comma == pair || !comma[1])
		return wrong("a pair is FROM,TO", pair);
	*comma = '\0';
	options->from = pair;
	options->to = comma + 1;
	return true;
}

static bool read_path(const char *path, struct options *options)
{
	if (strlen(path) >= PATH_MAX - 8 || *path == '\0')
		return wrong("no name for a file", path);
	snprintf(options->path, PATH_MAX, "%s%s", het__env_is_off(path) ? "./" : "", path); /* off: none */
	return true;
}

/* Where to write: $HETERO_CALIBRATION, else the user's own place. */
static bool default_path(struct options *options)
{
	const char *const given = het__env("HETERO_CALIBRATION");

	if (het__env_is_off(given))
		return wrong("HETERO_CALIBRATION is off: --output says where to write", NULL);
	if (given)
		return read_path(given, options);
	if (!het__setup_own_calibration(options->path))
		return wrong("neither HOME nor XDG_CONFIG_HOME says where to write: --output does", NULL);
	options->own_place = true;
	return true;
}

/* 1048576, or 1024K, 1M, of 1024 each. */
static bool read_bytes(const char *given, struct options *options)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;

	errno = 0;
	options->bytes = strtoull(given, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (given[0] < '0' || given[0] > '9' || (*end && (!unit || end[1])))
		return wrong("--explain takes a number of bytes, as 1048576, 1024K or 1M; this is none", given);
	for (ptrdiff_t k = unit ? unit - units + 1 : 0; k > 0 && errno == 0; k--)
		if (__builtin_mul_overflow(options->bytes, 1024, &options->bytes))
			errno = ERANGE;
	if (errno == ERANGE || options->bytes > INT64_MAX)
		return wrong("BYTES is more than any memory has", given);
	return true;
}

static bool read_explained(int argc, char **argv, struct options *options)
{
	if (argc != 3)
		return wrong("--explain takes SRC DST BYTES", NULL);
	if (options->from)
		return wrong("--explain names its memories itself, without --only", NULL);
	options->from = argv[0];
	options->to = argv[1];
	return read_bytes(argv[2], options);
}

enum { QUICK = 1, ONLY, SEPARATE, OUTPUT, PLOT, EXPLAINED, CHECKED, DRY, FORMAT, HELPED, VERSIONED };

static const struct option table[] = {
	{"quick", no_argument, NULL, QUICK},
	{"only", required_argument, NULL, ONLY},
	{"separate", no_argument, NULL, SEPARATE},
	{"output", required_argument, NULL, OUTPUT},
	{"plot", required_argument, NULL, PLOT},
	{"explain", no_argument, NULL, EXPLAINED},
	{"check", no_argument, NULL, CHECKED},
	{"dry-run", no_argument, NULL, DRY},
	{"format", required_argument, NULL, FORMAT},
	{"help", no_argument, NULL, HELPED},
	{"version", no_argument, NULL, VERSIONED},
	{NULL, 0, NULL, 0},
};

static bool take(int option, struct options *options)
{
	static const enum action actions[] = {
		[EXPLAINED] = EXPLAIN, [CHECKED] = CHECK,     [DRY] = DRY_RUN,
		[HELPED] = HELP,       [VERSIONED] = VERSION,
	};

	switch (option) {
	case QUICK:
		return options->quick = true;
	case SEPARATE:
		return options->separate = true;
	case ONLY:
		return read_pair(optarg, options);
	case OUTPUT:
		return read_path(optarg, options);
	case PLOT:
		options->plot = optarg;
		if (strcmp(optarg, "-") == 0)
			return wrong("a drawing goes to a file, to a pipe as /dev/stdout", "--plot");
		return *optarg ? true : wrong("no name for a file", "--plot");
	case FORMAT:
		return read_format(optarg, &options->json);
	case EXPLAINED:
	case CHECKED:
	case DRY:
	case HELPED:
	case VERSIONED:
		if (options->action != MEASURE && options->action != actions[option])
			return wrong("one of --explain, --check, --dry-run, --help, --version", NULL);
		options->action = actions[option];
		return true;
	default:
		return wrong(NULL, NULL); /* getopt has said what */
	}
}

bool options_read(int argc, char **argv, struct options *options)
{
	int option;

	memset(options, 0, sizeof *options);
	while ((option = next_option(argc, argv, table)) != -1)
		if (!take(option, options))
			return false;
	if (options->action == HELP || options->action == VERSION)
		return true;
	if (options->quick && options->action != MEASURE && options->action != DRY_RUN)
		return wrong("--quick measures fewer sizes; --check and --explain measure nothing", NULL);
	if (options->action == EXPLAIN && !read_explained(argc - optind, argv + optind, options))
		return false;
	if (options->plot && options->action != MEASURE)
		return wrong("--plot draws what is measured now; hetero-info --plot draws a file", NULL);
	if (options->action != EXPLAIN && optind < argc)
		return wrong("what is this", argv[optind]);
	if (options->action == MEASURE && !options->path[0] && !default_path(options))
		return false;
	if (options->plot && is_one_file(options->plot, options->path))
		return wrong("--plot and --output would write the same file", options->plot);
	return true;
}
