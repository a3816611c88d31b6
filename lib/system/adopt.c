/* adopt.c - het_open_context: a system over a context that the program made itself. */
#include <stdio.h>

#include <hetero/opencl.h>

#include "base/alloc.h"
#include "system/setup.h"
#include "system/untold.h"

#define NAME_BYTES 256

/* Which of the found devices this is, or -1. */
static int find_device(const struct het__found *found, cl_device_id id)
{
	for (int i = 0; i < found->device_count; i++)
		if (found->devices[i].id == id)
			return i;
	return -1;
}

/* Which of the found devices this is, or is a part of. */
static het_status find_root(const struct het__found *found, cl_device_id id, int *which_p)
{
	het_status status = HET_OK;
	int which = find_device(found, id);

	while (which < 0 && id && !status) {
		status = het__cl_device_parent(id, &id);
		which = status ? -1 : find_device(found, id);
	}
	if (!status && which < 0)
		status =
			het__fail(HET_ERR_NO_DEVICE,
				  "het_open_context: the context has a device that its platform does not list");
	*which_p = which;
	return status;
}

/* A part gets a number, not a stable name: nobody can tell how the program cut its device. */
static void name_part(const het_system *system, const struct het__found_device *root, char name[NAME_BYTES])
{
	int before = 0;

	for (int i = 0; i < system->device_count; i++)
		before += system->devices[i]->is_part && system->devices[i]->root == root->id;
	snprintf(name, NAME_BYTES, "%s.part%d", root->name, before);
}

static het_status adopt_device(het_system *system, const struct het__found *found, cl_device_id id,
                               struct het__context **context_p, int room)
{
	char name[NAME_BYTES];
	het_device *device = NULL;
	int which = -1;
	het_status status = find_root(found, id, &which);

	if (status)
		return status;
	const struct het__found_device *const root = &found->devices[which];
	if (id == root->id)
		snprintf(name, sizeof name, "%s", root->name);
	else
		name_part(system, root, name);
	if (!*context_p)
		*context_p = het__setup_context(system, &found->platforms[root->platform], room);
	if (!*context_p)
		return het__fail(HET_ERR_MEMORY, "no memory to adopt a context");
	status = het__setup_device(system, found, which, name, &device);
	if (!status && id != root->id) {
		het__cl_device_retain(id);
		status = het__setup_part(device, id);
	}
	if (!status)
		het__setup_join(device, *context_p);
	return status;
}

static het_status adopt_devices(het_system *system, cl_context cl, cl_uint count, const cl_device_id *ids)
{
	struct het__context *context = NULL;
	struct het__found found;
	het_status status = het__discover(system->logger, &found);

	if (status)
		return status;
	status = het__setup_room(system, (int)count);
	for (cl_uint i = 0; i < count && !status; i++)
		status = adopt_device(system, &found, ids[i], &context, (int)count);
	if (!status) {
		het__cl_context_retain(cl);
		context->cl = cl;
	}
	het__found_free(&found);
	return status;
}

static bool is_among(cl_uint count, const cl_device_id *ids, cl_device_id id)
{
	for (cl_uint i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Is a device the context's, or cut from one of them? PoCL's contexts know only the roots of what they were
 * made of. */
static het_status check_device(cl_uint own_count, const cl_device_id *own, cl_uint index, cl_device_id id)
{
	het_status status = HET_OK;
	cl_device_id root = id;
	char *name;

	while (root && !is_among(own_count, own, root) && !status)
		status = het__cl_device_parent(root, &root);
	if (root || status)
		return status;
	status = het__cl_device_text(id, CL_DEVICE_NAME, &name);
	if (status)
		return status;
	status = het__fail(HET_ERR_ARGUMENT, "het_open_context: device %u (%s) is none of the context's",
			   (unsigned)index, name);
	het__free(name);
	return status;
}

static het_status adopt(het_system *system, cl_context cl, cl_uint count, const cl_device_id *ids)
{
	cl_device_id *own = NULL;
	cl_uint own_count = 0;
	het_status status =
		het__cl_context_devices(cl, &own, &own_count); /* also the test whether it is a context */

	for (cl_uint i = 0; i < count && !status; i++)
		status = check_device(own_count, own, i, ids[i]);
	if (!status)
		status =
			ids ? adopt_devices(system, cl, count, ids) : adopt_devices(system, cl, own_count, own);
	het__free(own);
	return status;
}

static het_status check(cl_context context, cl_uint count, const cl_device_id *ids,
			const struct het_options *options, het_system *const *system_p)
{
	if (!system_p)
		return het__fail(HET_ERR_ARGUMENT, "het_open_context: nowhere to put the system (NULL)");
	if (!context)
		return het__fail(HET_ERR_HANDLE, "het_open_context: the context is NULL");
	if (options->devices)
		return het__fail(HET_ERR_ARGUMENT,
		                 "het_open_context: device selection '%s': a context brings its own devices",
		                 options->devices);
	if ((count == 0) != (ids == NULL))
		return het__fail(HET_ERR_ARGUMENT, "het_open_context: %u devices at %p", (unsigned)count,
		                 (const void *)ids);
	for (cl_uint i = 0; i < count; i++) {
		if (!ids[i])
			return het__fail(HET_ERR_ARGUMENT, "het_open_context: device %u is NULL", (unsigned)i);
		for (cl_uint k = 0; k < i; k++)
			if (ids[k] == ids[i])
				return het__fail(HET_ERR_ARGUMENT,
						 "het_open_context: device %u is device %u again", (unsigned)i,
						 (unsigned)k);
	}
	return HET_OK;
}

static het_status open_context(cl_context context, cl_uint count, const cl_device_id *devices,
			       const struct het_options *options, het_system **system_p)
{
	het_system *system = NULL;
	het_status status = het__setup_system(options, &system);

	if (status)
		return status;
	status = adopt(system, context, count, devices);
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

het_status het_open_context(cl_context context, cl_uint count, const cl_device_id *devices,
                            const struct het_options *given, het_system **system_p)
{
	struct het_options options;
	het_status status = het__options_read("het_open_context", given, &options);

	if (!status)
		status = check(context, count, devices, &options, system_p);
	if (!status)
		status = open_context(context, count, devices, &options, system_p);
	return status ? het__open_refuse(&options, status) : HET_OK;
}
