/* advice.c - what is wrong with a machine, and what can be done about it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/folder.h"
#include "base/log.h"
#include "machine.h"
#include "system/discover.h"

/* ---- drivers ----------------------------------------------------------------------------------- */

static void tell_link(void *user, enum het__link state, const char *text)
{
	struct machine *const machine = user;

	if (state == HET__LINK_BROKEN)
		problem_add(machine, WARNING, NULL, "%s", text);
	else if (state == HET__LINK_EMPTY)
		problem_add(machine, NOTE, NULL, "%s", text);
}

static bool is_used(const struct machine *machine, const char *root)
{
	const size_t length = strlen(root);

	for (int d = 0; d < machine->device_count; d++) {
		const char *const name = machine->device[d].name;

		if (strncmp(name, root, length) == 0 && (name[length] == '\0' || name[length] == '.'))
			return true;
	}
	return false;
}

static void tell_unused(struct machine *machine, const struct het__found *found)
{
	for (int i = 0; i < found->device_count && machine->device_count > 0; i++)
		if (found->devices[i].usable && !is_used(machine, found->devices[i].name))
			problem_add(machine, NOTE, NULL, "%s (%s) is there and not among the devices chosen",
				    found->devices[i].name, found->devices[i].hardware);
}

static void tell_clocks(struct machine *machine)
{
	const het_system *const system = machine->system;

	for (int d = 0; system && d < system->device_count; d++) {
		if (system->devices[d]->driver->clock_wrong)
			problem_add(machine, NOTE, "Measure with a clock of the host's.",
				    "%s: this driver's kernel times are wrong", system->devices[d]->name);
		if (system->devices[d]->driver->runs_in_caller)
			problem_add(machine, NOTE, "It is for finding faults in kernels.",
				    "%s is a simulator: its times say nothing about any device",
				    system->devices[d]->name);
	}
}

/* A driver that the library takes for one that starts by itself, and that was measured not to. */
static void tell_starts(struct machine *machine)
{
	const het_system *const system = machine->system;

	for (int d = 0; system && system->calibration && d < system->device_count; d++) {
		const het_device *const device = system->devices[d];
		const struct het__cal_figure *figure;

		if (device->known <= 0 || device->driver->flush != HET__FLUSH_LAZY)
			continue;
		figure = &system->calibration->device[device->known - 1].figure[HET__CAL_STARTS_UNFLUSHED];
		if (figure->known && figure->value == 0)
			problem_add(machine, WARNING,
				    "Devices may idle until a program waits. Please report driver and version.",
				    "%s: kernels were measured not to start until they are flushed, and the "
				    "library does not flush this driver's",
				    device->name);
	}
}

/* Asks anew, without a log: het_open has said what it left out. */
static void look_at_drivers(struct machine *machine)
{
	struct het__found found;

	if (het__discover(NULL, &found)) {
		problem_add(machine, ERROR, NULL, "%s", het_message());
		return;
	}
	tell_unused(machine, &found);
	het__look_at_chain(&found, tell_link, machine);
	het__found_free(&found);
}

static bool is_any_driver_there(void)
{
	struct het__found found;
	bool any;

	if (het__discover(NULL, &found))
		return false;
	any = found.platform_count > 0;
	het__found_free(&found);
	return any;
}

/* A driver that is there but offers no device needs no advice here: the text says what is known. */
static void tell_opening(struct machine *machine, het_status status, const char *opening)
{
	const char *advice = NULL;

	if (status == HET_ERR_NO_DEVICE && !is_any_driver_there())
		advice = "Install a driver: pocl-opencl-icd makes a device of the CPU; a GPU's comes from its "
			 "vendor.";
	else if (status == HET_ERR_SELECTION)
		advice = "hetero-info without a selection shows every device.";
	/* Only the first line of a longer text: its links are told one by one afterwards. */
	problem_add(machine, ERROR, advice, "%.*s", (int)strcspn(opening, "\n"), opening);
}

/* ---- calibration ------------------------------------------------------------------------------- */

/* With the selection, if it can stand in a shell's quotes. */
static void advise_to_measure(struct machine *machine)
{
	const char *const devices = machine->devices;
	const bool quoted = devices && !strchr(devices, '\'') && strlen(devices) < sizeof machine->measure / 2;

	snprintf(machine->measure, sizeof machine->measure,
		 "Run %s%s%shetero-calibrate: it takes a minute, with --quick seconds.",
		 quoted ? "HETERO_DEVICES='" : "", quoted ? devices : "", quoted ? "' " : "");
}

static void tell_calibration(struct machine *machine)
{
	advise_to_measure(machine);
	if (machine->state == REFUSED)
		problem_add(machine, WARNING, machine->measure, "the calibration is not used: %s",
			    machine->refusal.text);
	else if (machine->memory_count > 1 && machine->state == NOT_THERE && strcmp(machine->path, "off") == 0)
		problem_add(machine, WARNING, "Unset it, and what hetero-calibrate measured is used.",
			    "HETERO_CALIBRATION is off: which route is fast is assumed");
	else if (machine->memory_count > 1 && machine->state == NOT_THERE)
		problem_add(machine, WARNING, machine->measure,
			    "nothing was measured on this machine: which route is fast is assumed");
	for (int m = 1; m < machine->memory_count && machine->state == FITS; m++)
		if (!machine->device[machine->memory[m].owner].fits)
			problem_add(machine, WARNING, machine->measure,
				    "nothing was measured with %s: its routes are assumed",
				    machine->memory[m].name);
	for (int d = 0; d < machine->device_count && machine->state == FITS; d++)
		if (!machine->device[d].fits && machine->device[d].memory == 0 && machine->device_count > 1)
			problem_add(machine, WARNING, machine->measure,
				    "nothing was measured with %s: its share is assumed",
				    machine->device[d].name);
}

static void tell_bars(struct machine *machine)
{
	for (int w = 0; w < machine->way_count; w++) {
		const struct way *const way = &machine->way[w];

		for (int b = 0; way->measured && b < way->measured->bar_count; b++) {
			if (way->shape != HET__CAL_CONTIGUOUS)
				continue;
			problem_add(machine, WARNING,
				    "It is not taken. A newer driver may be right: measure again after its "
				    "installation.",
				    "from %s to %s the route %s is barred: %s", machine->memory[way->from].name,
				    machine->memory[way->to].name,
				    het__cal_route_name(way->measured->bar[b].route),
				    way->measured->bar[b].why);
		}
	}
}

/* ---- settings ---------------------------------------------------------------------------------- */

/* Programs say it, on stderr; here the log is ours. */
static void tell_log_words(struct machine *machine)
{
	const char *list = het__env("HETERO_LOG"), *word;
	size_t length;

	while (list && (word = het__log_unknown(&list, &length)) != NULL)
		problem_add(machine, WARNING, NULL, "HETERO_LOG: unknown word \"%.*s\" (" HET__LOG_WORDS ")",
			    (int)length, word);
}

static bool keeps_kernels(char path[PATH_MAX])
{
	return het__cache_folder(path, PATH_MAX) && access(path, W_OK) == 0;
}

static void tell_settings(struct machine *machine)
{
	const char *const route = het__env("HETERO_ROUTE"), *const share = het__env("HETERO_SHARE");
	const char *const cache = het__env("HETERO_CACHE");
	char path[PATH_MAX];

	if (machine->system && route)
		problem_add(machine, WARNING, "It is for measuring: unset it.",
			    "HETERO_ROUTE=%s: bytes go this way wherever it is possible, fast or slow", route);
	if (machine->system && share && !machine->system->share)
		problem_add(machine, NOTE, "It is for testing: unset it.",
			    "HETERO_SHARE=%s: devices that could use the host's memory copy from it", share);
	if (machine->system && machine->system->queues && machine->system->calibration)
		problem_add(machine, NOTE, "Unset it, and devices have as many as was measured to be good.",
			    "HETERO_QUEUES=%d: what was measured of devices' queues does not count",
			    machine->system->queues);
	if (het__env_is_off(cache))
		problem_add(machine, NOTE, NULL,
			    "HETERO_CACHE is off: kernels are built anew in every program");
	else if (!keeps_kernels(path) && path[0])
		problem_add(machine, WARNING, "Let HETERO_CACHE name a folder that only you can write to.",
			    "kernels cannot be kept in the cache %s: %s", path, het__cache_trouble(errno));
	else if (!path[0])
		problem_add(machine, WARNING, "Let HETERO_CACHE name a folder that can be written to.",
			    "there is no folder for built kernels: neither HOME nor XDG_CACHE_HOME names one");
}

/* ---- what the library said --------------------------------------------------------------------- */

/* Is a line among the problems, in the same words or with another beginning and the same reason? */
static bool is_told(const struct machine *machine, const char *line)
{
	if (machine->state == REFUSED && strstr(line, machine->refusal.text))
		return true;
	for (int p = 0; p < machine->problem_count; p++) {
		const char *const text = machine->problem[p].text, *const why = strstr(text, ": ");

		if (strstr(line, text) || (why && strstr(line, why)))
			return true;
	}
	return false;
}

/* "[system] text" */
static void tell_log(struct machine *machine)
{
	char *line = machine->log.text, *end;

	for (; line && *line; line = end + 1) {
		end = line + strcspn(line, "\n");
		*end = '\0';
		if (!is_told(machine, line)) {
			const char *const text = *line == '[' ? strstr(line, "] ") : NULL;

			problem_add(machine, WARNING, NULL, "%s", text ? text + 2 : line);
		}
	}
	machine->log.length = 0;
}

void advise(struct machine *machine, het_status status, const char *opening)
{
	if (status)
		tell_opening(machine, status, opening);
	look_at_drivers(machine);
	tell_clocks(machine);
	tell_starts(machine);
	if (machine->system) {
		tell_calibration(machine);
		tell_bars(machine);
	}
	tell_settings(machine);
	tell_log_words(machine);
	tell_log(machine);
}
