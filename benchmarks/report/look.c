/* look.c - what machine this is, and which sets of devices are measured. hetero-info knows the devices. */

#include "report/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "report/program.h"

#define EXIT_SKIP 77

/* ---- machine ----------------------------------------------------------------------------------- */

static void find_processor(char *name, size_t bytes)
{
	FILE *const file = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(name, bytes, "unknown processor");
	while (file && fgets(line, sizeof line, file))
		if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
			snprintf(name, bytes, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"),
				 strchr(line, ':') + 2);
			break;
		}
	if (file)
		fclose(file);
}

static void find_machine(struct results *r)
{
	const time_t now = time(NULL);
	struct utsname system;
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(r->date, sizeof r->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	find_processor(r->processor, sizeof r->processor);
	r->processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (!uname(&system))
		snprintf(r->system, sizeof r->system, "%.30s %.60s %.30s", system.sysname, system.release,
			 system.machine);
}

/* ---- devices ----------------------------------------------------------------------------------- */

static json_t *ask_info(const char *selection)
{
	const char *const arguments[] = {BUILT "/info/hetero-info",      "--format", "json",
					 selection ? "--devices" : NULL, selection,  NULL};
	int status;
	json_t *const info = program_json(arguments, &status);

	if (info && status == 0)
		return info;
	json_decref(info);
	fprintf(stderr, "report: hetero-info finds no device%s%s\n", selection ? " for " : "",
		selection ? selection : "");
	return NULL;
}

static int has_double(const json_t *device)
{
	return json_is_true(json_object_get(device, "double"));
}

static const char *word(const json_t *object, const char *key)
{
	const char *const text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* The devices with double precision, by name; a CPU that is the only device, in parts of half its cores,
 * rounded down: three cores are three parts. */
static char *choose_devices(const json_t *info)
{
	const json_t *const devices = json_object_get(info, "devices"), *only = NULL;
	char *const selection = calloc(1, 4096);
	size_t i, length = 0;
	int count = 0;
	const json_t *device;

	if (!selection)
		return NULL;
	json_array_foreach(devices, i, device)
	{
		if (!has_double(device) || length + strlen(word(device, "name")) > 4000)
			continue;
		length += (size_t)sprintf(selection + length, "%s%s", count++ ? "," : "", word(device, "name"));
		only = device;
	}
	if (count == 1 && !strcmp(word(only, "type"), "cpu")) {
		const json_int_t units = json_integer_value(json_object_get(only, "compute_units"));
		if (units > 1)
			sprintf(selection + length, "/%d", (int)units / 2);
	}
	return selection;
}

static const char *first_name(const json_t *info)
{
	return word(json_array_get(json_object_get(info, "devices"), 0), "name");
}

static void add_set(struct results *r, const char *name, const char *selection, int share)
{
	struct set *const set = &r->set[r->sets++];

	snprintf(set->name, sizeof set->name, "%s", name);
	set->selection = selection;
	set->share = share;
}

static void add_sets(struct results *r)
{
	const size_t count = json_array_size(json_object_get(r->info, "devices"));
	char all[64];

	add_set(r, "1 device", first_name(r->info), 1);
	if (count > 1) {
		snprintf(all, sizeof all, "%zu devices", count);
		add_set(r, all, r->selection, 1);
		snprintf(all, sizeof all, "%zu devices, memories apart", count);
		add_set(r, all, r->selection, 0);
	} else {
		add_set(r, "1 device, memory apart", r->selection, 0);
	}
}

/* First with memories kept apart: figures of devices that share one come from the second run. */
static int calibrate(const char *selection, const char *file)
{
	const char *const ways[] = {"--separate", NULL};

	fprintf(stderr, "report: calibrating %s into %s\n", selection, file);
	if (selection != getenv("HETERO_DEVICES"))
		setenv("HETERO_DEVICES", selection, 1);
	for (int i = 0; i < 2; i++) {
		const char *const arguments[] = {
			BUILT "/calibrate/hetero-calibrate", "--quick", "--output", file, ways[i], NULL};

		if (program_quietly(arguments)) {
			fprintf(stderr, "report: %s was not calibrated\n", selection);
			return EXIT_FAILURE;
		}
	}
	setenv("HETERO_CALIBRATION", file, 1);
	return 0;
}

int results_look(struct results *r, const struct wish *wish)
{
	const char *selection = wish->devices ? wish->devices : getenv("HETERO_DEVICES");
	json_t *first;

	find_machine(r);
	if (!selection || !*selection) {
		first = ask_info(NULL);
		selection = first ? choose_devices(first) : NULL;
		json_decref(first);
	}
	if (!selection)
		return EXIT_FAILURE;
	if (!*selection) {
		fputs("report: no device has double precision\n", stderr);
		return EXIT_SKIP;
	}
	r->selection = selection;
	if (wish->calibrate && calibrate(selection, wish->calibrate))
		return EXIT_FAILURE;
	r->info = ask_info(selection);
	if (!r->info)
		return EXIT_FAILURE;
	add_sets(r);
	return 0;
}

/* ---- in words ---------------------------------------------------------------------------------- */

void results_device(const struct results *r, size_t index, char *text, size_t bytes)
{
	const json_t *const d = json_array_get(json_object_get(r->info, "devices"), index);

	snprintf(text, bytes, "%s: %s, %s, driver %s", word(d, "name"), word(d, "hardware"),
		 word(d, "platform"), word(d, "driver"));
}

void results_calibration(const struct results *r, char *text, size_t bytes)
{
	const json_t *const calibration = json_object_get(r->info, "calibration");
	const char *const state = word(calibration, "state"), *const file = word(calibration, "file");

	if (!strcmp(state, "none"))
		snprintf(text, bytes, "none (documented defaults)");
	else
		snprintf(text, bytes, "%s%s%s", state, *file ? ", " : "", file);
}
