/* open.c - het_open: from a selection to a system. */
#include "base/alloc.h"
#include "base/env.h"
#include "system/select.h"
#include "system/setup.h"
#include "system/untold.h"

#define NAME_BYTES 256

static het_status no_memory(void)
{
	return het__fail(HET_ERR_MEMORY, "no memory to open a system");
}

/* ---- devices ----------------------------------------------------------------------------------- */

/* A device that was cut: the parts that nobody has taken yet. */
struct cut {
	int device;
	cl_uint units, count;
	cl_device_id *parts; /* NULL where taken */
};

struct opening {
	het_system *system;
	const struct het__found *found;
	struct cut *cuts;
	int cut_count, cut_room;
};

static void drop_cuts(struct opening *opening)
{
	for (int c = 0; c < opening->cut_count; c++) {
		for (cl_uint i = 0; i < opening->cuts[c].count; i++)
			het__cl_device_release(opening->cuts[c].parts[i]);
		het__free(opening->cuts[c].parts);
	}
	het__free(opening->cuts);
}

/* Every device is cut once per size of its parts. */
static het_status cut_of(struct opening *opening, const struct het__choice *choice, struct cut **cut_p)
{
	const struct het__found_device *const device = &opening->found->devices[choice->device];
	struct cut *cut;
	het_status status;

	for (int c = 0; c < opening->cut_count; c++) {
		cut = &opening->cuts[c];
		if (cut->device == choice->device && cut->units == choice->units) {
			*cut_p = cut;
			return HET_OK;
		}
	}
	if (het__grow(&opening->cuts, &opening->cut_room, opening->cut_count + 1, sizeof *opening->cuts))
		return no_memory();
	cut = &opening->cuts[opening->cut_count];
	*cut = (struct cut){.device = choice->device, .units = choice->units};
	status = het__cl_device_cut(device->id, choice->units, device->name, &cut->parts, &cut->count);
	if (status)
		return status;
	opening->cut_count++;
	*cut_p = cut;
	return HET_OK;
}

static het_status take_part(struct opening *opening, const struct het__choice *choice, het_device *device)
{
	struct cut *cut = NULL;
	const het_status status = cut_of(opening, choice, &cut);

	if (status)
		return status;
	if ((cl_uint)choice->part >= cut->count)
		return het__fail(HET_ERR_SELECTION, "%s: the driver made only %u parts", device->name,
		                 (unsigned)cut->count);
	const cl_device_id id = cut->parts[choice->part];
	cut->parts[choice->part] = NULL;
	return het__setup_part(device, id);
}

/* The context that a new device belongs to: the platform's where the driver's contexts hold several
 * devices, else one of its own. */
static struct het__context *find_context(het_system *system, const struct het__found_platform *platform)
{
	if (platform->driver->one_context)
		for (int i = 0; i < system->context_count; i++)
			if (system->contexts[i]->platform == platform->id)
				return system->contexts[i];
	return NULL;
}

static het_status join_context(het_device *device, const struct het__found_platform *platform, int room)
{
	struct het__context *context = find_context(device->system, platform);

	if (!context)
		context = het__setup_context(device->system, platform, room);
	if (!context)
		return no_memory();
	het__setup_join(device, context);
	return HET_OK;
}

static het_status add_device(struct opening *opening, const struct het__choice *choice, int room)
{
	const struct het__found *const found = opening->found;
	het_device *device = NULL;
	char name[NAME_BYTES];
	het_status status;

	het__choice_name(found, choice, name, sizeof name);
	status = het__setup_device(opening->system, found, choice->device, name, &device);
	if (!status && choice->part >= 0)
		status = take_part(opening, choice, device);
	return status ? status
		      : join_context(device, &found->platforms[found->devices[choice->device].platform], room);
}

static het_status add_devices(het_system *system, const struct het__found *found,
                              const struct het__choices *choices)
{
	struct opening opening = {.system = system, .found = found};
	het_status status = het__setup_room(system, choices->count);

	for (int i = 0; i < choices->count && !status; i++)
		status = add_device(&opening, &choices->at[i], choices->count);
	drop_cuts(&opening);
	return status;
}

/* ---- opening ----------------------------------------------------------------------------------- */

static bool any_usable(const struct het__found *found)
{
	for (int i = 0; i < found->device_count; i++)
		if (found->devices[i].usable)
			return true;
	return false;
}

/* An error in a selection that is not the program's own says where it is from. */
static het_status select_devices(const struct het__found *found, const char *selection,
				 struct het__choices *choices)
{
	const char *const text = selection ? selection : het__env("HETERO_DEVICES");
	const het_status status = het__select(found, text, choices);

	if (status == HET_ERR_SELECTION && !selection)
		het__fail_within("HETERO_DEVICES");
	return status;
}

static het_status populate(het_system *system, const char *selection)
{
	struct het__found found;
	struct het__choices choices = {.at = NULL};
	het_status status = het__discover(system->logger, &found);

	if (status)
		return status;
	if (!any_usable(&found))
		status = het__no_device(&found);
	if (!status)
		status = select_devices(&found, selection, &choices);
	if (!status)
		status = add_devices(system, &found, &choices);
	het__free(choices.at);
	het__found_free(&found);
	return status;
}

static het_status open_system(const struct het_options *options, het_system **system_p)
{
	het_system *system = NULL;
	het_status status = het__setup_system(options, &system);

	if (status)
		return status;
	status = populate(system, options->devices);
	if (!status)
		status = het__setup_calibration(system);
	if (status) {
		het__system_free(system);
		return status;
	}
	het__setup_end(system);
	*system_p = system;
	return HET_OK;
}

het_status het_open(const struct het_options *given, het_system **system_p)
{
	struct het_options options;
	het_status status = het__options_read("het_open", given, &options);

	if (!status && !system_p)
		status = het__fail(HET_ERR_ARGUMENT, "het_open: nowhere to put the system (NULL)");
	if (!status)
		status = open_system(&options, system_p);
	return status ? het__open_refuse(&options, status) : HET_OK;
}
