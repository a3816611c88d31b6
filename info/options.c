/* options.c - see options.h. */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "calibrate/tool.h"

const char program[] = "hetero-info";
const char usage[] = "usage: hetero-info [OPTION...]\n"
		     "Shows what Hetero finds on this machine, which way bytes take, and what is wrong and "
		     "what to do about it.\n"
		     "  --short                 a line for each device, the calibration, the problems\n"
		     "  --devices SELECTION     these devices, as HETERO_DEVICES chooses them\n"
		     "  --calibration FILE      what was saved there, without looking at the machine\n"
		     "  --format text|json      of what is printed\n"
		     "  --picture FILE.svg      draws the machine: memories, devices, measured bandwidths\n"
		     "  --plot FILE.svg         draws the bandwidths that were measured against the size\n"
		     "  --patience SECONDS      after which a driver that does not answer is named (60)\n"
		     "  --help, --version\n"
		     "Exit status: 0 done, 1 failed (also: no device can be used), 2 wrong usage.\n";

/* `dash`: what is wrong with "-". */
static bool read_name(const char *option, const char *given, const char *dash, const char **name_p)
{
	if (*given == '\0')
		return wrong("no name for a file", option);
	if (strcmp(given, "-") == 0)
		return wrong(dash, option);
	*name_p = given;
	return true;
}

static bool read_drawing(const char *option, const char *given, const char **name_p)
{
	return read_name(option, given, "a drawing goes to a file, to a pipe as /dev/stdout", name_p);
}

static bool read_patience(const char *given, struct options *options)
{
	char *end;
	const unsigned long seconds = strtoul(given, &end, 10);

	if (*end || *given < '0' || *given > '9' || seconds > 86400)
		return wrong("SECONDS is a whole number, at most 86400", given);
	options->patience_s = (unsigned)seconds;
	return true;
}

enum { SHORT = 1, DEVICES, CALIBRATION, FORMAT, PICTURE, PLOT, PATIENCE, HELPED, VERSIONED };

static const struct option table[] = {
	{"short", no_argument, NULL, SHORT},
	{"devices", required_argument, NULL, DEVICES},
	{"calibration", required_argument, NULL, CALIBRATION},
	{"format", required_argument, NULL, FORMAT},
	{"picture", required_argument, NULL, PICTURE},
	{"plot", required_argument, NULL, PLOT},
	{"patience", required_argument, NULL, PATIENCE},
	{"help", no_argument, NULL, HELPED},
	{"version", no_argument, NULL, VERSIONED},
	{NULL, 0, NULL, 0},
};

static bool take(int option, struct options *options)
{
	switch (option) {
	case SHORT:
		return options->brief = true;
	case DEVICES:
		options->devices = optarg;
		return true;
	case CALIBRATION:
		return read_name("--calibration", optarg, "a calibration is a file, not standard input",
				 &options->calibration);
	case FORMAT:
		return read_format(optarg, &options->json);
	case PICTURE:
		return read_drawing("--picture", optarg, &options->picture);
	case PLOT:
		return read_drawing("--plot", optarg, &options->plot);
	case PATIENCE:
		return read_patience(optarg, options);
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

/* A drawing would take the calibration's place. */
static bool is_kept(const char *calibration, const char *drawing, const char *option)
{
	char what[80];

	if (!calibration || !drawing || !is_one_file(calibration, drawing))
		return true;
	snprintf(what, sizeof what, "%s would write over the calibration", option);
	return wrong(what, drawing);
}

bool options_read(int argc, char **argv, struct options *options)
{
	int option;

	*options = (struct options){.patience_s = 60};
	while ((option = next_option(argc, argv, table)) != -1)
		if (!take(option, options))
			return false;
	if (optind < argc)
		return wrong("what is this", argv[optind]);
	if (options->devices && options->calibration)
		return wrong("--devices is about the machine, --calibration looks at none", NULL);
	if (options->brief && options->json)
		return wrong("--short is text; JSON is whole", NULL);
	if (options->picture && options->plot && is_one_file(options->picture, options->plot))
		return wrong("--picture and --plot would write the same file", options->plot);
	return is_kept(options->calibration, options->picture, "--picture") &&
	       is_kept(options->calibration, options->plot, "--plot");
}
