/* discover.c - platforms and devices, and the names that stay theirs. */
#include "system/discover.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "system/system.h"

#define NAME_BYTES 64

static het_status no_memory(void)
{
	return het__fail(HET_ERR_MEMORY, "no memory for the list of devices");
}

/* ---- names ------------------------------------------------------------------------------------- */

/* The first word of a platform's name in lower case, without what would not parse in a selection. */
static void first_word(const char *name, char *label, size_t bytes)
{
	size_t n = 0;

	for (; *name && !isspace((unsigned char)*name) && n + 1 < bytes; name++)
		if (isalnum((unsigned char)*name))
			label[n++] = (char)tolower((unsigned char)*name);
	label[n] = '\0';
}

static bool label_taken(const struct het__found *found, const char *label)
{
	for (int i = 0; i < found->platform_count; i++)
		if (strcmp(found->platforms[i].label, label) == 0)
			return true;
	return false;
}

/* The driver's short name, or, where the driver is unknown, the first word of the platform's name. The second
 * platform of one name gets a number: "pocl-2". */
static char *new_label(const struct het__found *found, const struct het__driver *driver, const char *name)
{
	char base[NAME_BYTES], label[NAME_BYTES + 16];

	snprintf(base, sizeof base, "%s", driver->short_name);
	if (!driver->match)
		first_word(name, base, sizeof base);
	if (!base[0])
		snprintf(base, sizeof base, "%s", driver->short_name);
	snprintf(label, sizeof label, "%s", base);
	for (int n = 2; label_taken(found, label); n++)
		snprintf(label, sizeof label, "%s-%d", base, n);
	return het__strdup(label);
}

/* A simulator may claim several types at once: CPU comes first. */
static const char *kind_of(cl_device_type type)
{
	if (type & CL_DEVICE_TYPE_CPU)
		return "cpu";
	if (type & CL_DEVICE_TYPE_GPU)
		return "gpu";
	if (type & CL_DEVICE_TYPE_ACCELERATOR)
		return "accelerator";
	return "other";
}

/* Devices are numbered within platform and kind, unusable ones included: so a device keeps its name when
 * another one is switched off. */
static char *new_device_name(const struct het__found *found, const struct het__found_device *device)
{
	char name[2 * NAME_BYTES];
	int number = 0;

	for (int i = 0; i < found->device_count; i++)
		if (found->devices[i].platform == device->platform && found->devices[i].kind == device->kind)
			number++;
	snprintf(name, sizeof name, "%s:%s%d", found->platforms[device->platform].label, device->kind, number);
	return het__strdup(name);
}

/* ---- asking ------------------------------------------------------------------------------------ */

static void device_free(struct het__found_device *device)
{
	het__free(device->name);
	het__free(device->hardware);
}

static het_status add_device(struct het__found *found, int platform, cl_device_id id)
{
	struct het__found_device device = {.id = id, .platform = platform};
	het_status status = het__cl_device_facts(id, &device.facts);

	if (!status)
		status = het__cl_device_text(id, CL_DEVICE_NAME, &device.hardware);
	if (status)
		return status;
	device.kind = kind_of(device.facts.type);
	device.usable = device.facts.available && device.facts.compiler;
	device.name = new_device_name(found, &device);
	if (!device.name ||
	    het__grow(&found->devices, &found->device_room, found->device_count + 1, sizeof *found->devices)) {
		device_free(&device);
		return no_memory();
	}
	found->devices[found->device_count++] = device;
	return HET_OK;
}

static het_status add_devices(struct het__found *found, int platform)
{
	cl_device_id *ids = NULL;
	cl_uint count = 0;
	het_status status = het__cl_devices(found->platforms[platform].id, &ids, &count);

	for (cl_uint i = 0; i < count && !status; i++)
		status = add_device(found, platform, ids[i]);
	het__free(ids);
	return status;
}

/* Leaves a platform that did not answer without devices, so that the others can be used. */
static het_status write_off(struct het__logger *logger, struct het__found *found, int platform)
{
	struct het__found_platform *const p = &found->platforms[platform];

	while (found->device_count > 0 && found->devices[found->device_count - 1].platform == platform)
		device_free(&found->devices[--found->device_count]);
	p->trouble = het__strdup(het__message());
	if (!p->trouble)
		return no_memory();
	het__log(logger, HET_LOG_WARN, "system", "platform '%s' is left out: %s", p->name, p->trouble);
	return HET_OK;
}

static het_status add_platform(struct het__logger *logger, struct het__found *found, cl_platform_id id)
{
	struct het__found_platform platform = {.id = id};
	const int index = found->platform_count;
	het_status status = het__cl_platform_text(id, CL_PLATFORM_NAME, &platform.name);

	if (status == HET_ERR_MEMORY)
		return status;
	if (status) {
		het__log(logger, HET_LOG_WARN, "system", "a platform without a name is left out: %s",
		         het__message());
		return HET_OK;
	}
	platform.driver = het__driver_of(platform.name);
	platform.label = new_label(found, platform.driver, platform.name);
	if (!platform.label ||
	    het__grow(&found->platforms, &found->platform_room, index + 1, sizeof *found->platforms)) {
		het__free(platform.label);
		het__free(platform.name);
		return no_memory();
	}
	found->platforms[found->platform_count++] = platform;
	status = add_devices(found, index);
	return status && status != HET_ERR_MEMORY ? write_off(logger, found, index) : status;
}

/* The fork generation, plus 1, of the process that first looked for platforms; 0: none has yet. */
static atomic_uint came_up;

static void note_coming_up(void)
{
	unsigned none = 0;

	(void)atomic_compare_exchange_strong(&came_up, &none, het__fork_generation() + 1);
}

bool het__drivers_came_up_elsewhere(void)
{
	return atomic_load(&came_up) != het__fork_generation() + 1;
}

/* With coming_up. */
static het_status discover(struct het__logger *logger, struct het__found *found)
{
	cl_platform_id *ids = NULL;
	cl_uint count = 0;
	het_status status;

	*found = (struct het__found){.platforms = NULL};
	status = het__cl_platforms(&ids, &count);
	for (cl_uint i = 0; i < count && !status; i++)
		status = add_platform(logger, found, ids[i]);
	het__free(ids);
	if (status)
		het__found_free(found);
	return status;
}

/* Drivers come up when they are first asked for devices. PoCL (3.1) does not survive it if two threads ask at
 * once. */
static pthread_mutex_t coming_up = PTHREAD_MUTEX_INITIALIZER;

het_status het__discover(struct het__logger *logger, struct het__found *found)
{
	het_status status;

	note_coming_up();
	het__fork_lock(&coming_up);
	status = discover(logger, found);
	het__fork_unlock(&coming_up);
	return status;
}

void het__found_free(struct het__found *found)
{
	for (int i = 0; i < found->device_count; i++)
		device_free(&found->devices[i]);
	for (int i = 0; i < found->platform_count; i++) {
		het__free(found->platforms[i].name);
		het__free(found->platforms[i].label);
		het__free(found->platforms[i].trouble);
	}
	het__free(found->devices);
	het__free(found->platforms);
	*found = (struct het__found){.platforms = NULL};
}
