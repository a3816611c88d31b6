/* open.c - het_open and het_close: from a selection to a system, and back. */
#include "base/alloc.h"
#include "base/env.h"
#include "system/handle.h"
#include "system/proof.h"
#include "system/select.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES 256

static het_status no_memory(void)
{
	return het__fail(HET_ERR_MEMORY, "no memory to open a system");
}

/* ---- options ----------------------------------------------------------------------------------- */

/* The caller may have been compiled with an older header, whose struct ended earlier. */
static het_status read_options(const struct het_options *given, struct het_options *options)
{
	*options = (struct het_options)HET_OPTIONS_INIT;
	if (!given)
		return HET_OK;
	if (given->size < sizeof given->size || given->size > sizeof *options)
		return het__fail(HET_ERR_ARGUMENT,
		                 "het_open: options of %zu bytes; this version of the library knows %zu",
		                 given->size, sizeof *options);
	memcpy(options, given, given->size);
	if (options->share < HET_SHARE_DEFAULT || options->share > HET_SHARE_OFF)
		return het__fail(HET_ERR_ARGUMENT, "het_open: no such way to share: %d", (int)options->share);
	return HET_OK;
}

static het_status read_share(enum het_share wanted, bool *share_p)
{
	const char *const text = het__env("HETERO_SHARE");

	*share_p = wanted != HET_SHARE_OFF;
	if (wanted != HET_SHARE_DEFAULT || !text)
		return HET_OK;
	*share_p = strcasecmp(text, "on") == 0;
	if (!*share_p && strcasecmp(text, "off") != 0)
		return het__fail(HET_ERR_ARGUMENT, "HETERO_SHARE is '%s': it must be on or off", text);
	return HET_OK;
}

/* ---- the system without devices ---------------------------------------------------------------- */

static het_status add_host_memory(het_system *system)
{
	struct het__memory *const host = het__alloc_zeroed(1, sizeof *host);

	if (!host)
		return no_memory();
	system->memories[0] = host;
	system->memory_count = 1;
	return HET_OK;
}

/* Room for all that the choices may need is made here, so that nothing moves later. */
static het_status make_room(het_system *system, int devices)
{
	const size_t count = (size_t)devices;

	system->devices = het__alloc_zeroed(count, sizeof(het_device *));
	system->contexts = het__alloc_zeroed(count, sizeof(struct het__context *));
	system->memories = het__alloc_zeroed(count + 1, sizeof(struct het__memory *));
	if (!system->devices || !system->contexts || !system->memories)
		return no_memory();
	return add_host_memory(system);
}

static het_status new_system(const struct het_options *options, het_system **system_p)
{
	het_system *const system = het__alloc_zeroed(1, sizeof *system);
	het_status status;

	if (!system)
		return no_memory();
	system->magic = HET__MAGIC_SYSTEM;
	system->fork_generation = het__fork_generation();
	system->profile = options->profile != 0;
	pthread_mutex_init(&system->lock, NULL);
	pthread_mutex_init(&system->open_lock, NULL);
	system->logger = het__logger_new(options->log, options->log_user, options->log_level);
	status = system->logger ? read_share(options->share, &system->share) : no_memory();
	if (status) {
		het__system_free(system);
		return status;
	}
	*system_p = system;
	return HET_OK;
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
	device->id = cut->parts[choice->part];
	device->is_part = true;
	cut->parts[choice->part] = NULL;
	return het__cl_device_facts(device->id, &device->facts);
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

static struct het__context *new_context(het_system *system, const struct het__found_platform *platform,
                                        int room)
{
	struct het__context *const context = het__alloc_zeroed(1, sizeof *context);

	if (!context)
		return NULL;
	context->devices = het__alloc_zeroed((size_t)room, sizeof *context->devices);
	if (!context->devices) {
		het__free(context);
		return NULL;
	}
	context->index = system->context_count;
	context->system = system;
	context->driver = platform->driver;
	context->platform = platform->id;
	system->contexts[system->context_count++] = context;
	return context;
}

static het_status join_context(het_device *device, const struct het__found_platform *platform, int room)
{
	struct het__context *context = find_context(device->system, platform);

	if (!context)
		context = new_context(device->system, platform, room);
	if (!context)
		return no_memory();
	context->devices[context->device_count++] = device;
	device->context = context;
	return HET_OK;
}

static het_status describe(het_device *device, const struct het__found_device *found, const char *platform,
                           const char *name)
{
	het_status status;

	device->name = het__strdup(name);
	device->hardware = het__strdup(found->hardware);
	device->platform = het__strdup(platform);
	if (!device->name || !device->hardware || !device->platform)
		return no_memory();
	status = het__cl_device_text(found->id, CL_DRIVER_VERSION, &device->driver_version);
	return status ? status : het__cl_device_text(found->id, CL_DEVICE_VERSION, &device->opencl);
}

/* The device is in the system's list from the start: on failure the system frees what is there of it. */
static het_status add_device(struct opening *opening, const struct het__choice *choice, int room)
{
	const struct het__found_device *const found = &opening->found->devices[choice->device];
	const struct het__found_platform *const platform = &opening->found->platforms[found->platform];
	het_system *const system = opening->system;
	het_device *const device = het__alloc_zeroed(1, sizeof *device);
	char name[NAME_BYTES];
	het_status status;

	if (!device)
		return no_memory();
	device->magic = HET__MAGIC_DEVICE;
	device->index = system->device_count;
	device->system = system;
	device->driver = platform->driver;
	device->id = device->root = found->id;
	device->facts = found->facts;
	system->devices[system->device_count++] = device;
	het__choice_name(opening->found, choice, name, sizeof name);
	status = describe(device, found, platform->name, name);
	if (!status && choice->part >= 0)
		status = take_part(opening, choice, device);
	return status ? status : join_context(device, platform, room);
}

static het_status add_devices(het_system *system, const struct het__found *found,
                              const struct het__choices *choices)
{
	struct opening opening = {.system = system, .found = found};
	het_status status = make_room(system, choices->count);

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
		status = het__select(&found, selection, &choices);
	if (!status)
		status = add_devices(system, &found, &choices);
	het__free(choices.at);
	het__found_free(&found);
	return status;
}

het_status het_open(const struct het_options *given, het_system **system_p)
{
	struct het_options options;
	het_system *system = NULL;
	het_status status;

	if (!system_p)
		return het__fail(HET_ERR_ARGUMENT, "het_open: nowhere to put the system (NULL)");
	status = read_options(given, &options);
	if (!status)
		status = new_system(&options, &system);
	if (status)
		return status;
	status = populate(system, options.devices ? options.devices : het__env("HETERO_DEVICES"));
	if (status) {
		het__system_free(system);
		return status;
	}
	for (int i = 0; i < system->device_count; i++)
		het__log(system->logger, HET_LOG_INFO, "system", "device %d is %s: %s", i,
		         system->devices[i]->name, system->devices[i]->hardware);
	het__log_flush(system->logger);
	*system_p = system;
	return HET_OK;
}

/* ---- closing ----------------------------------------------------------------------------------- */

/* Keeps the first failure of all: later rooms overwrite the thread's record. */
static void settle(het_system *system, enum het__room room, struct het__failure **first)
{
	het_status (*const fn)(het_system *) = system->room[room].settle;

	if (fn && fn(system) && !*first)
		*first = het__failure_capture();
}

het_status het_close(het_system *system)
{
	struct het__failure *first = NULL;
	het_status status;

	if (!system)
		return HET_OK;
	status = het__system_check(system, "het_close");
	if (!status)
		status = het__may_wait("het_close");
	if (status)
		return status;
	for (int room = HET__ROOMS; room-- > 0;)
		settle(system, (enum het__room)room, &first);
	for (int room = HET__ROOMS; room-- > 0;)
		if (system->room[room].free)
			system->room[room].free(system);
	het__system_free(system);
	if (first)
		status = het__fail_because(het__failure_status(first), first, "het_close");
	het__failure_release(first);
	return status;
}

static void free_device(het_device *device)
{
	if (device->is_part)
		het__cl_device_release(device->id);
	het__free(device->name);
	het__free(device->hardware);
	het__free(device->platform);
	het__free(device->driver_version);
	het__free(device->opencl);
	device->magic = HET__MAGIC_DEAD;
	het__free(device);
}

static void free_context(struct het__context *context)
{
	het__cl_context_release(context->cl);
	het__free(context->devices);
	het__free(context);
}

void het__system_free(het_system *system)
{
	for (int i = 0; i < system->context_count; i++)
		free_context(system->contexts[i]);
	for (int i = 0; i < system->device_count; i++)
		free_device(system->devices[i]);
	for (int i = 0; i < system->memory_count; i++)
		het__free(system->memories[i]);
	het__free(system->contexts);
	het__free(system->devices);
	het__free(system->memories);
	het__free(system->flows);
	het__verdicts_free(system);
	het__graveyard_clear(system);
	het__logger_free(system->logger);
	pthread_mutex_destroy(&system->open_lock);
	pthread_mutex_destroy(&system->lock);
	het__system_bury(system);
}
