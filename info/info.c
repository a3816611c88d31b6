/* info.c - hetero-info: shows what Hetero finds on this machine, and what is wrong with it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "calibrate/plot.h"
#include "calibrate/tool.h"
#include "machine.h"
#include "options.h"
#include "patience.h"
#include "show.h"
#include "system/watch.h"

static bool failed(const char *what, const char *why)
{
	fprintf(stderr, "hetero-info: %s%s%s\n", what, why ? ": " : "", why ? why : "");
	return false;
}

/* Before anything is looked at: finding devices may take a while. */
static bool may_write(const char *path)
{
	char what[PATH_MAX + 32];

	if (!path || het__file_may_replace(path))
		return true;
	snprintf(what, sizeof what, "%s cannot be written", path);
	return failed(what, strerror(errno));
}

static bool look(struct machine *machine, const struct options *options)
{
	if (!options->calibration)
		return machine_look(machine, options->devices) || failed("no memory", NULL);
	return machine_read(machine, options->calibration) || failed(machine->refusal.text, NULL);
}

/* A drawing does not take the place of the calibration that was found. */
static bool spares(const struct machine *machine, const char *path)
{
	if (!path || machine->state == NOT_THERE || !is_one_file(machine->path, path))
		return true;
	return failed("a drawing would write over the calibration", machine->path);
}

static bool draw(const struct machine *machine, const struct options *options)
{
	char what[PATH_MAX + 32];

	if (options->picture && !show_picture(machine, options->picture)) {
		snprintf(what, sizeof what, "%s cannot be written", options->picture);
		return failed(what, strerror(errno));
	}
	if (!options->plot)
		return true;
	if (!machine->calibration)
		return failed("there is no calibration to be plotted: run hetero-calibrate", NULL);
	if (plot_write(machine->calibration, options->plot))
		return true;
	snprintf(what, sizeof what, "%s cannot be written", options->plot);
	return failed(what, strerror(errno));
}

static bool print(const struct machine *machine, const struct options *options)
{
	if (!options->json)
		show_text(machine, options->brief);
	else if (!show_json(machine))
		return failed("the report could not be made", "no memory");
	return true;
}

static int show(const struct options *options)
{
	struct machine machine = {.state = NOT_THERE};
	bool good;

	patience_set(options->patience_s);
	good = may_write(options->picture) && may_write(options->plot) && look(&machine, options) &&
	       spares(&machine, options->picture) && spares(&machine, options->plot);

	if (good) {
		/* before the text: whoever reads that may have enough before its end, and that ends us */
		good = draw(&machine, options);
		good = print(&machine, options) && good;
		if (good && !options->calibration && !machine.usable)
			good = failed("no device can be used", NULL);
	}
	machine_free(&machine);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct options options;

	hold_streams();
	het__watch_only_log();
	if (!options_read(argc, argv, &options))
		return 2;
	switch (options.action) {
	case HELP:
		print_usage();
		return printed(EXIT_SUCCESS);
	case VERSION:
		print_version();
		return printed(EXIT_SUCCESS);
	default:
		return printed(show(&options));
	}
}
