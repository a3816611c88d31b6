/* check.c - see check.h. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "report.h"
#include "system/setup.h"
#include "systems.h"

/* ---- the file ---------------------------------------------------------------------------------- */

static bool refuse(struct verdict *v, const char *reason, const char *text)
{
	v->reason = reason;
	snprintf(v->text, sizeof v->text, "%s", text);
	return false;
}

/* Every place is named: a measurement would go to the first. */
static bool is_missing(struct verdict *v, const char *last)
{
	char own[PATH_MAX];

	v->path[0] = '\0';
	v->reason = het__cal_reason_name(HET__CAL_MISSING);
	if (het__setup_own_calibration(own))
		snprintf(v->text, sizeof v->text, "missing: no calibration in %s, nor in %s", own, last);
	else
		snprintf(v->text, sizeof v->text, "missing: no calibration in %s", last);
	return false;
}

static bool find_file(const struct options *options, struct verdict *v)
{
	char path[PATH_MAX];

	if (options->path[0]) {
		strcpy(v->path, options->path);
		return true;
	}
	if (het__setup_find_calibration(path)) {
		strcpy(v->path, path);
		return true;
	}
	if (strcmp(path, "off") == 0)
		return refuse(v, "off", "HETERO_CALIBRATION is off: programs use no calibration");
	return is_missing(v, path);
}

/* ---- what it does not tell of ------------------------------------------------------------------ */

static bool has_figures(const struct het__cal_device *device)
{
	for (int i = 0; i < HET__CAL_FIGURES; i++)
		if (device->figure[i].known)
			return true;
	return false;
}

/* A device that uses the host's memory is in no pair, but needs figures: shares go by them. Those of a whole
 * device say nothing of its parts. */
static bool is_measured(const het_device *device, const struct het__calibration *calibration)
{
	return device->known > 0 &&
	       (device->memory->owner || has_figures(&calibration->device[device->known - 1]));
}

static bool is_told(const struct het__calibration *calibration, const struct het__memory *from,
		    const struct het__memory *to, enum het__cal_shape shape)
{
	const struct het__cal_pair *const pair =
		het__calibration_between(calibration, from->known, to->known, shape);

	return pair && (pair->choice_count > 0 || pair->curve_count > 0);
}

static void find_gap(struct verdict *v, const struct het__memory *from, const struct het__memory *to)
{
	struct gap *const gap = &v->gap[v->gap_count];
	int told = 0;

	*gap = (struct gap){NULL, het__memory_name(from), het__memory_name(to), HET__CAL_SHAPES};
	for (int shape = 0; shape < HET__CAL_SHAPES; shape++)
		if (is_told(v->calibration, from, to, (enum het__cal_shape)shape))
			told++;
		else
			gap->shape = (enum het__cal_shape)shape;
	if (told == 0)
		gap->shape = HET__CAL_SHAPES;
	v->gap_count += told < HET__CAL_SHAPES;
}

/* A device that the file does not know is named, and its pairs are not named besides. */
static het_status find_gaps(const struct memories *memories, const struct plan *plan, struct verdict *v)
{
	const int devices = het_device_count(memories->system);
	struct planned pair = {.next = 0};

	v->gap = calloc((size_t)(devices + memories->count * memories->count), sizeof *v->gap);
	if (!v->gap)
		return het__fail(HET_ERR_MEMORY, "no memory for a list of what was not measured");
	for (int d = 0; d < devices; d++) {
		const het_device *const device = het_device(memories->system, d);

		if (is_planned_device(plan, device) && !is_measured(device, v->calibration))
			v->gap[v->gap_count++].device = device->name;
	}
	while (next_planned(plan, memories, &pair))
		if (pair.from->known >= 0 && pair.to->known >= 0)
			find_gap(v, pair.from, pair.to);
	return HET_OK;
}

/* ---- what is said ------------------------------------------------------------------------------ */

static void say_gap(const struct verdict *v, const struct gap *gap)
{
	fprintf(stderr, "hetero-calibrate: %s: nothing was measured ", v->path);
	if (gap->device)
		fprintf(stderr, "with %s\n", gap->device);
	else
		fprintf(stderr, "from %s to %s%s%s\n", gap->from, gap->to,
			gap->shape < HET__CAL_SHAPES ? ", " : "",
			gap->shape < HET__CAL_SHAPES ? het__cal_shape_name(gap->shape) : "");
}

static int say(const struct options *options, const struct verdict *v)
{
	const bool good = v->calibration && v->gap_count == 0;

	if (v->reason)
		failed(v->text);
	for (int i = 0; i < v->gap_count; i++)
		say_gap(v, &v->gap[i]);
	if (options->json && !report_checked(v))
		return failed("the report could not be made: no memory");
	if (!options->json && good)
		printf("%s fits this machine; it was measured at %s with version %s\n", v->path,
		       v->calibration->date, v->calibration->library);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Without devices this fails: nobody can say whether the file fits them. The file is read here rather than by
 * het_open, which tells only the log why it refuses one; and before the devices are opened, because what is
 * known of a device is noted when it is. */
int check(const struct options *options)
{
	const struct plan plan = {.only_from = options->from, .only_to = options->to};
	struct verdict v = {.reason = NULL};
	struct het__cal_refusal refusal;
	struct memories memories;
	het_system *system;
	het_status status;
	int result;

	if (!find_file(options, &v))
		return say(options, &v);
	if (open_system(options, "off", &system))
		return failed(het_message());
	if (!het__setup_read_calibration(system, v.path, &refusal)) {
		refuse(&v, het__cal_reason_name(refusal.reason), refusal.text);
		result = say(options, &v);
		return het_close(system) ? failed(het_message()) : result;
	}
	v.calibration = system->calibration;
	status = memories_open(system, &memories);
	if (!status && !are_memories(&memories, options))
		return close_memories(&memories, EXIT_FAILURE);
	if (!status)
		status = find_gaps(&memories, &plan, &v);
	result = status ? failed(het_message()) : say(options, &v);
	free(v.gap);
	return close_memories(&memories, result);
}
