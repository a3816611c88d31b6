/* calibrate.c - hetero-calibrate: measures how bytes are best moved on this machine, and writes it down. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "calibration/file.h"
#include "measure.h"
#include "options.h"
#include "place.h"
#include "plot.h"
#include "report.h"
#include "system/setup.h"
#include "tool.h"

/* ---- what went wrong --------------------------------------------------------------------------- */

static int failed(const char *what)
{
	fprintf(stderr, "hetero-calibrate: %s\n", what);
	return EXIT_FAILURE;
}

/* ---- systems ----------------------------------------------------------------------------------- */

/* `calibration`: the file to use, or "off"; "": what programs use. */
static het_status open_system(const struct options *options, const char *calibration, het_system **system_p)
{
	struct het_options how = HET_OPTIONS_INIT;

	how.share = options->separate ? HET_SHARE_OFF : HET_SHARE_DEFAULT;
	if ((*calibration && setenv("HETERO_CALIBRATION", calibration, 1)) || unsetenv("HETERO_ROUTE"))
		return het__fail(HET_ERR_MEMORY, "no memory");
	return het_open(&how, system_p);
}

static het_status open_memories(const struct options *options, const char *calibration, het_system **system_p,
				struct memories *memories)
{
	het_status status = open_system(options, calibration, system_p);

	if (status)
		return status;
	status = memories_open(*system_p, memories);
	if (status)
		het_close(*system_p);
	return status;
}

static int close_memories(struct memories *memories, int result)
{
	het_system *const system = memories->system;

	memories_free(memories);
	if (het_close(system) != HET_OK && result == EXIT_SUCCESS)
		return failed(het_message());
	return result;
}

static const struct het__memory *memory_named(const struct memories *memories, const char *name)
{
	for (int i = 0; i < memories->count; i++)
		if (strcmp(het__memory_name(memories->at[i]), name) == 0)
			return memories->at[i];
	return NULL;
}

static bool shares_the_hosts(const struct memories *memories, const char *name)
{
	for (int d = 0; d < het_device_count(memories->system); d++) {
		const het_device *const device = het_device(memories->system, d);

		if (strcmp(device->name, name) == 0)
			return !device->memory->owner;
	}
	return false;
}

static bool are_memories(const struct memories *memories, const struct options *options)
{
	const char *const names[] = {options->from, options->to};

	for (int i = 0; i < 2; i++)
		if (names[i] && !memory_named(memories, names[i])) {
			const bool shares = shares_the_hosts(memories, names[i]);

			fprintf(stderr, "hetero-calibrate: %s%s; there are",
				shares ? "nothing has to be moved for a device that uses the host's memory, as "
				       : "no memory is called ",
				names[i]);
			for (int m = 0; m < memories->count; m++)
				fprintf(stderr, " %s", het__memory_name(memories->at[m]));
			fputc('\n', stderr);
			return false;
		}
	return true;
}

/* ---- progress ---------------------------------------------------------------------------------- */

static void show_progress(const char *what, double part)
{
	static time_t began;
	const time_t now = time(NULL);

	if (!began)
		began = now;
	fprintf(stderr, "\r%3.0f %%  %.60s", part * 100, what);
	if (part > 0.02 && now > began)
		fprintf(stderr, "  about %.0f s left", difftime(now, began) / part * (1 - part));
	fputs("\033[K", stderr);
}

static void warn(const char *what)
{
	fprintf(stderr, "%shetero-calibrate: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", what);
}

/* ---- measuring --------------------------------------------------------------------------------- */

/* What the library decides with the file is what the file says: of every pair at every size where it was
 * measured, and at both sides of every change. */
static bool agrees_on(const struct memories *memories, const struct het__cal_pair *pair, size_t bytes)
{
	const struct het__hop hop = {memory_named(memories, pair->from), memory_named(memories, pair->to),
				     bytes, pair->shape == HET__CAL_STRIDED};
	const struct het__cal_choice *const choice = het__cal_choice(pair, bytes);

	if (!hop.from || !hop.to || !choice || het__cal_bar(pair, choice->route))
		return true;
	if (strcmp(het__route_choose(&hop)->name, het__cal_route_name(choice->route)) == 0)
		return true;
	/* A user's choice may name what does not apply here. */
	return choice->origin == HET__CAL_USER;
}

static bool agrees(const struct memories *memories, const struct het__calibration *calibration)
{
	bool good = memories->system->calibration != NULL;

	for (int i = 0; i < calibration->pair_count && good; i++) {
		const struct het__cal_pair *const pair = &calibration->pair[i];

		for (int c = 0; c < pair->choice_count; c++) {
			const size_t from = pair->choice[c].from_bytes;

			good &= agrees_on(memories, pair, from ? from - 1 : 1) &&
				agrees_on(memories, pair, from + 1);
		}
		for (size_t bytes = 1; bytes < (size_t)1 << 30; bytes *= 2)
			good &= agrees_on(memories, pair, bytes);
	}
	return good;
}

static int compare_with_library(const struct options *options, const struct het__calibration *calibration)
{
	struct memories memories;
	het_system *system;
	bool good;

	if (open_memories(options, options->path, &system, &memories))
		return failed(het_message());
	good = agrees(&memories, calibration);
	return close_memories(&memories,
			      good ? EXIT_SUCCESS : failed("the library does not decide as the file says"));
}

/* A route that is wrong is bad news, even where another takes its place. */
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

static bool draw(const char *path, const struct het__calibration *calibration)
{
	bool good;

	place_hold();
	good = plot_write(calibration, path);
	place_release();
	return good;
}

static int finish(const struct options *options, struct het__calibration *calibration)
{
	int result;

	if (!place_keep(options->path, calibration))
		return EXIT_FAILURE;
	tell_barred(calibration);
	if (!place_write(options->path, calibration))
		return EXIT_FAILURE;
	result = compare_with_library(options, calibration);
	if (result != EXIT_SUCCESS)
		return result;
	if (!options->json)
		report_text(calibration, options->path);
	else if (!report_json(calibration, options->path))
		return failed("the report could not be printed");
	return !options->plot || draw(options->plot, calibration) ? EXIT_SUCCESS : cannot_write(options->plot);
}

static struct plan plan_of(const struct options *options)
{
	return (struct plan){
		.quick = options->quick,
		.only_from = options->from,
		.only_to = options->to,
		.progress = isatty(STDERR_FILENO) ? show_progress : NULL,
		.warn = warn,
	};
}

static int calibrate(const struct options *options)
{
	const struct plan plan = plan_of(options);
	struct het__calibration calibration = {.format = 0};
	struct memories memories;
	het_system *system;
	int result;

	/* Now, not when everything has been measured. */
	if (!place_is_good(options->path))
		return EXIT_FAILURE;
	if (options->plot && !het__file_may_replace(options->plot))
		return cannot_write(options->plot);
	if (open_memories(options, "off", &system, &memories))
		return failed(het_message());
	result = are_memories(&memories, options) ? EXIT_SUCCESS : EXIT_FAILURE;
	if (result == EXIT_SUCCESS && measure(&memories, &plan, &calibration))
		result = failed(het_message());
	if (plan.progress)
		fputs("\r\033[K", stderr);
	result = close_memories(&memories, result);
	if (result == EXIT_SUCCESS)
		result = finish(options, &calibration);
	het__calibration_free(&calibration);
	return result;
}

/* ---- without measuring ------------------------------------------------------------------------- */

static void print_plan(const struct memories *memories, const struct options *options,
		       const struct het__memory *from)
{
	const struct plan plan = plan_of(options);

	for (int i = 0; i < memories->count; i++) {
		const struct het__memory *const to = memories->at[i];
		const char *name;

		if (!is_planned(&plan, from, to))
			continue;
		printf("%s to %s:", het__memory_name(from), het__memory_name(to));
		for (int n = 0; (name = route_between(from, to, HET__CAL_CONTIGUOUS, n)) != NULL; n++)
			printf(" %s", name);
		putchar('\n');
	}
}

static int explain(const struct memories *memories, const struct options *options)
{
	struct het__hop hop = {memory_named(memories, options->from), memory_named(memories, options->to),
			       options->bytes, false};
	char text[512];

	if (options->json)
		return report_explained(hop.from, hop.to, hop.bytes)
			       ? EXIT_SUCCESS
			       : failed("the report could not be printed");
	for (int shape = 0; shape < HET__CAL_SHAPES; shape++) {
		hop.strided = shape == HET__CAL_STRIDED;
		het__route_explain(&hop, het__route_choose(&hop), text, sizeof text);
		printf("%s to %s, %zu bytes, %s: %s\n", options->from, options->to, options->bytes,
		       het__cal_shape_name((enum het__cal_shape)shape), text);
	}
	return EXIT_SUCCESS;
}

static void print_all_plans(const struct memories *memories, const struct options *options)
{
	const struct plan plan = plan_of(options);

	for (int d = 0; d < het_device_count(memories->system); d++) {
		const het_device *const device = het_device(memories->system, d);

		if (is_planned_device(&plan, device))
			printf("%s: launches, memory, computing (single%s), queues\n", device->name,
			       device->facts.has_double ? ", double" : "");
	}
	for (int i = 0; i < memories->count; i++)
		print_plan(memories, options, memories->at[i]);
}

/* What needs devices, and no measuring. */
static int look(const struct options *options)
{
	struct memories memories;
	het_system *system;
	int result = EXIT_FAILURE;

	if (open_memories(options, options->action == EXPLAIN ? options->path : "off", &system, &memories))
		return failed(het_message());
	if (are_memories(&memories, options)) {
		result = EXIT_SUCCESS;
		if (options->action == EXPLAIN)
			result = explain(&memories, options);
		else
			print_all_plans(&memories, options);
	}
	return close_memories(&memories, result);
}

/* Which file is looked at; false, with a line on stderr, where there is none or none is wanted. */
static bool find_checked(const struct options *options, char path[PATH_MAX])
{
	if (options->path[0]) {
		strcpy(path, options->path);
		return true;
	}
	if (het__setup_find_calibration(path))
		return true;
	if (strcmp(path, "off") == 0)
		failed("HETERO_CALIBRATION is off: programs use no calibration");
	else
		fprintf(stderr, "hetero-calibrate: missing: no calibration anywhere, nor in %s\n", path);
	return false;
}

/* The library says itself, on stderr, why it refuses a file. */
static int check(const struct options *options)
{
	char path[PATH_MAX];
	het_system *system;
	bool good;

	if (!find_checked(options, path))
		return EXIT_FAILURE;
	if (open_system(options, path, &system))
		return failed(het_message());
	good = system->calibration != NULL;
	if (good)
		printf("%s fits this machine; it was measured at %s with version %s\n", path,
		       system->calibration->date, system->calibration->library);
	if (het_close(system))
		return failed(het_message());
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct options options;

	if (!options_read(argc, argv, &options))
		return 2;
	switch (options.action) {
	case HELP:
		print_usage();
		return EXIT_SUCCESS;
	case VERSION:
		print_version();
		return EXIT_SUCCESS;
	case CHECK:
		return check(&options);
	case MEASURE:
		return calibrate(&options);
	default:
		return look(&options);
	}
}
