/* calibrate.c - hetero-calibrate: measures how bytes are best moved on this machine, and writes it down. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "check.h"
#include "look.h"
#include "measure.h"
#include "options.h"
#include "place.h"
#include "plot.h"
#include "report.h"
#include "system/watch.h"
#include "systems.h"
#include "tool.h"

/* ---- progress ---------------------------------------------------------------------------------- */

/* "[######........]  40 %  about 12 s left  host to pocl:cpu0, strided, 2 MiB", over what was there. */
static void show_progress(const char *what, double part)
{
	static const char done[] = "################", open[] = "................";
	static uint64_t began;
	const int width = (int)sizeof done - 1, marks = (int)(part * width);
	const double seconds = began ? (double)het__ns_since(began) * 1e-9 : 0;

	if (!began)
		began = het__host_ns();
	fprintf(stderr, "\r[%.*s%.*s] %3.0f %%", marks, done, width - marks, open, part * 100);
	if (seconds > 0.5 && part > 0)
		fprintf(stderr, "  about %.0f s left", ceil(seconds / part * (1 - part)));
	fprintf(stderr, "  %.60s\033[K", what);
}

static void warn(const char *what)
{
	fprintf(stderr, "%shetero-calibrate: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", what);
}

/* ---- measuring --------------------------------------------------------------------------------- */

/* Does the library decide as the file says? It is asked about every pair at every power of two below 1 GiB, as
 * all measured sizes are, and at both sides of every change. A choice that does not apply here, as a user's or
 * one that follows from a user's numbers may not, is passed over. */
static bool agrees_on(const struct memories *memories, const struct het__cal_pair *pair, size_t bytes)
{
	const struct het__hop hop = {memory_named(memories, pair->from), memory_named(memories, pair->to),
				     bytes, pair->shape == HET__CAL_STRIDED};
	const struct het__cal_choice *const choice = het__cal_choice(pair, bytes);
	const char *const wanted = choice ? het__cal_route_name(choice->route) : NULL;
	const struct het__route *route, *taken;

	if (!hop.from || !hop.to || !choice || het__cal_bar(pair, choice->route))
		return true;
	route = het__route_named(wanted);
	taken = het__route_choose(&hop);
	if (!route || !route->applies(&hop) || taken == route)
		return true;
	fprintf(stderr,
		"hetero-calibrate: from %s to %s, %zu bytes, %s: the file chooses %s, and the library %s\n",
		pair->from, pair->to, bytes, het__cal_shape_name(pair->shape), wanted, taken->name);
	return false;
}

static bool agrees(const struct memories *memories, const struct het__calibration *calibration)
{
	bool good = memories->system->calibration != NULL;

	for (int i = 0; i < calibration->pair_count && good; i++) {
		const struct het__cal_pair *const pair = &calibration->pair[i];

		for (int c = 0; c < pair->choice_count && good; c++) {
			const size_t from = pair->choice[c].from_bytes;

			good = agrees_on(memories, pair, from ? from - 1 : 1) &&
			       agrees_on(memories, pair, from + 1);
		}
		for (size_t bytes = 1; bytes < (size_t)1 << 30 && good; bytes *= 2)
			good = agrees_on(memories, pair, bytes);
	}
	return good;
}

static int compare_with_library(const struct options *options, const struct het__calibration *calibration)
{
	struct memories memories;
	bool good;

	if (open_memories(options, options->path, &memories))
		return failed(het_message());
	good = agrees(&memories, calibration);
	return close_memories(&memories,
			      good ? EXIT_SUCCESS : failed("the library does not decide as the file says"));
}

/* A route that is wrong is bad news, even where another takes its place. Called before older pairs are added,
 * so that only what was found now is told. Both shapes of a pair have the same bars. */
static void tell_barred(const struct het__calibration *calibration)
{
	for (int i = 0; i < calibration->pair_count; i++) {
		const struct het__cal_pair *const pair = &calibration->pair[i];

		for (int b = 0; b < pair->bar_count && pair->shape == HET__CAL_CONTIGUOUS; b++)
			fprintf(stderr, "hetero-calibrate: from %s to %s the route %s is barred: %s\n",
				pair->from, pair->to, het__cal_route_name(pair->bar[b].route),
				pair->bar[b].why);
	}
}

static int cannot_write(const char *path)
{
	fprintf(stderr, "hetero-calibrate: %s cannot be written: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

/* A pipe may wait for its reader for ever, so that a signal must be able to end it: none is held then. */
static bool draw(const char *path, const struct het__calibration *calibration)
{
	bool good;

	if (het__file_is_special(path))
		return plot_write(calibration, path);
	place_hold();
	good = plot_write(calibration, path);
	place_release();
	return good;
}

/* With the folder locked, so that what another process has written meanwhile is kept, too: one after another
 * they read, change and write the file, and look at what the library makes of it. */
static int keep_and_write(const struct options *options, struct het__calibration *calibration)
{
	const int lock = place_lock(options->path);
	int result = EXIT_FAILURE;

	if (place_keep(options->path, options->own_place, calibration) &&
	    place_write(options->path, calibration))
		result = compare_with_library(options, calibration);
	place_unlock(lock);
	return result;
}

static int finish(const struct options *options, struct het__calibration *calibration)
{
	int result;

	tell_barred(calibration);
	result = keep_and_write(options, calibration);
	if (result != EXIT_SUCCESS)
		return result;
	/* before the text: whoever reads that may have enough before its end, and that ends us */
	if (options->plot && !draw(options->plot, calibration))
		result = cannot_write(options->plot);
	if (!options->json)
		report_text(calibration, options->path);
	else if (!report_json(calibration, options->path))
		result = failed("the report could not be made: no memory");
	return result;
}

static int calibrate(const struct options *options)
{
	const struct plan plan = {
		.quick = options->quick,
		.only_from = options->from,
		.only_to = options->to,
		.progress = isatty(STDERR_FILENO) ? show_progress : NULL,
		.slow = isatty(STDERR_FILENO) ? NULL : warn,
		.warn = warn,
	};
	struct het__calibration calibration = {.format = 0};
	struct memories memories;
	int result;

	if (options->plot && !het__file_may_replace(options->plot))
		return cannot_write(options->plot);
	if (open_memories(options, "off", &memories))
		return failed(het_message());
	/* Now, not when everything has been measured. */
	result = are_memories(&memories, options) && place_is_good(options->path, options->own_place)
			 ? EXIT_SUCCESS
			 : EXIT_FAILURE;
	if (result == EXIT_SUCCESS) {
		const het_status st = measure(&memories, &plan, &calibration);

		if (plan.progress)
			fputs("\r\033[K", stderr);
		if (st)
			result = failed(het_message());
	}
	result = close_memories(&memories, result);
	if (result == EXIT_SUCCESS)
		result = finish(options, &calibration);
	het__calibration_free(&calibration);
	return result;
}

static int act(const struct options *options)
{
	switch (options->action) {
	case HELP:
		print_usage();
		return EXIT_SUCCESS;
	case VERSION:
		print_version();
		return EXIT_SUCCESS;
	case CHECK:
		return check(options);
	case MEASURE:
		return calibrate(options);
	default:
		return look(options);
	}
}

int main(int argc, char **argv)
{
	struct options options;

	hold_streams();
	het__watch_only_log(); /* kernels that are timed are slower */
	return options_read(argc, argv, &options) ? printed(act(&options)) : 2;
}
