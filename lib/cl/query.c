/* query.c - what platforms and devices say of themselves. */
#include "cl/query.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "cl/check.h"

/* From cl_ext.h: the loader found no driver at all. */
#define PLATFORM_NOT_FOUND (-1001)

/* Devices may have more dimensions than the three that kernels use. */
#define ITEM_DIMENSIONS 16

het_status het__cl_platforms(cl_platform_id **platforms_p, cl_uint *count_p)
{
	cl_platform_id *ids = NULL;
	cl_uint count = 0;
	cl_int code = clGetPlatformIDs(0, NULL, &count);

	if (code == PLATFORM_NOT_FOUND)
		count = 0;
	else if (code != CL_SUCCESS)
		return het__cl_failed(code, "clGetPlatformIDs", NULL, "list of platforms");
	if (count > 0) {
		ids = het__alloc_zeroed(count, sizeof(*ids));
		if (!ids)
			return het__fail(HET_ERR_MEMORY, "no memory for a list of %u platforms",
			                 (unsigned)count);
		code = clGetPlatformIDs(count, ids, NULL);
		if (code != CL_SUCCESS) {
			het__free(ids);
			return het__cl_failed(code, "clGetPlatformIDs", NULL, "list of platforms");
		}
	}
	*platforms_p = ids;
	*count_p = count;
	return HET_OK;
}

het_status het__cl_devices(cl_platform_id platform, cl_device_id **devices_p, cl_uint *count_p)
{
	cl_device_id *ids = NULL;
	cl_uint count = 0;
	cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);

	if (code == CL_DEVICE_NOT_FOUND)
		count = 0;
	else if (code != CL_SUCCESS)
		return het__cl_failed(code, "clGetDeviceIDs", NULL, "list of a platform's devices");
	if (count > 0) {
		ids = het__alloc_zeroed(count, sizeof(*ids));
		if (!ids)
			return het__fail(HET_ERR_MEMORY, "no memory for a list of %u devices", (unsigned)count);
		code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL);
		if (code != CL_SUCCESS) {
			het__free(ids);
			return het__cl_failed(code, "clGetDeviceIDs", NULL, "list of a platform's devices");
		}
	}
	*devices_p = ids;
	*count_p = count;
	return HET_OK;
}

static void trim(char *text)
{
	size_t length = strlen(text);
	const size_t lead = strspn(text, " \t\r\n");

	memmove(text, text + lead, length - lead + 1);
	length -= lead;
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
}

/* The one shape of both text queries: ask the length, then the text. */
typedef cl_int (*text_fn)(const void *object, cl_uint what, size_t bytes, char *text, size_t *bytes_p);

static cl_int platform_text(const void *object, cl_uint what, size_t bytes, char *text, size_t *bytes_p)
{
	return clGetPlatformInfo(*(const cl_platform_id *)object, what, bytes, text, bytes_p);
}

static cl_int device_text(const void *object, cl_uint what, size_t bytes, char *text, size_t *bytes_p)
{
	return clGetDeviceInfo(*(const cl_device_id *)object, what, bytes, text, bytes_p);
}

static het_status get_text(text_fn ask, const void *object, cl_uint what, const char *call, char **text_p)
{
	size_t bytes = 0;
	cl_int code = ask(object, what, 0, NULL, &bytes);
	char *text;

	if (code != CL_SUCCESS)
		return het__cl_failed(code, call, NULL, "text property 0x%x", (unsigned)what);
	text = het__alloc_zeroed(bytes + 1, 1);
	if (!text)
		return het__fail(HET_ERR_MEMORY, "no memory for a text of %zu bytes", bytes);
	code = ask(object, what, bytes, text, NULL);
	if (code != CL_SUCCESS) {
		het__free(text);
		return het__cl_failed(code, call, NULL, "text property 0x%x", (unsigned)what);
	}
	trim(text);
	het__utf8_clean(text, bytes + 1, text);
	*text_p = text;
	return HET_OK;
}

het_status het__cl_platform_text(cl_platform_id platform, cl_platform_info what, char **text_p)
{
	return get_text(platform_text, &platform, what, "clGetPlatformInfo", text_p);
}

het_status het__cl_device_text(cl_device_id id, cl_device_info what, char **text_p)
{
	return get_text(device_text, &id, what, "clGetDeviceInfo", text_p);
}

/* A number that the driver does not know is 0: nothing depends on its being known. */
static cl_uint ask_uint(cl_device_id id, cl_device_info what)
{
	cl_uint value = 0;

	return clGetDeviceInfo(id, what, sizeof(value), &value, NULL) == CL_SUCCESS ? value : 0;
}

static cl_ulong ask_ulong(cl_device_id id, cl_device_info what)
{
	cl_ulong value = 0;

	return clGetDeviceInfo(id, what, sizeof(value), &value, NULL) == CL_SUCCESS ? value : 0;
}

static size_t ask_size(cl_device_id id, cl_device_info what)
{
	size_t value = 0;

	return clGetDeviceInfo(id, what, sizeof(value), &value, NULL) == CL_SUCCESS ? value : 0;
}

static bool ask_bool(cl_device_id id, cl_device_info what)
{
	cl_bool value = CL_FALSE;

	return clGetDeviceInfo(id, what, sizeof(value), &value, NULL) == CL_SUCCESS && value;
}

static void ask_max_items(cl_device_id id, size_t items[3])
{
	size_t all[ITEM_DIMENSIONS] = {0};

	if (clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(all), all, NULL) == CL_SUCCESS)
		memcpy(items, all, 3 * sizeof(items[0]));
}

static bool ask_parts_equally(cl_device_id id)
{
	cl_device_partition_property kinds[8] = {0};
	size_t bytes = 0;

	if (clGetDeviceInfo(id, CL_DEVICE_PARTITION_PROPERTIES, sizeof(kinds), kinds, &bytes) != CL_SUCCESS)
		return false;
	for (size_t i = 0; i < bytes / sizeof(kinds[0]); i++)
		if (kinds[i] == CL_DEVICE_PARTITION_EQUALLY)
			return true;
	return false;
}

/* Is `name` one of the words of `list`? */
static bool has_word(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = strstr(list, name); at; at = strstr(at + length, name))
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

static het_status ask_precisions(cl_device_id id, struct het__cl_device_facts *facts)
{
	char *extensions = NULL;
	const het_status status = het__cl_device_text(id, CL_DEVICE_EXTENSIONS, &extensions);

	if (status)
		return status;
	facts->has_double = ask_ulong(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0 ||
	                    has_word(extensions, "cl_khr_fp64");
	facts->has_half = has_word(extensions, "cl_khr_fp16");
	het__free(extensions);
	return HET_OK;
}

het_status het__cl_device_facts(cl_device_id id, struct het__cl_device_facts *facts)
{
	struct het__cl_device_facts found = {
		.type = ask_ulong(id, CL_DEVICE_TYPE),
		.compute_units = ask_uint(id, CL_DEVICE_MAX_COMPUTE_UNITS),
		.clock_mhz = ask_uint(id, CL_DEVICE_MAX_CLOCK_FREQUENCY),
		.base_align_bits = ask_uint(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN),
		.max_parts = ask_uint(id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES),
		.can_part_equally = ask_parts_equally(id),
		.available = ask_bool(id, CL_DEVICE_AVAILABLE),
		.compiler = ask_bool(id, CL_DEVICE_COMPILER_AVAILABLE),
		.max_work_group = ask_size(id, CL_DEVICE_MAX_WORK_GROUP_SIZE),
		.memory_bytes = ask_ulong(id, CL_DEVICE_GLOBAL_MEM_SIZE),
		.max_alloc_bytes = ask_ulong(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
		.local_bytes = ask_ulong(id, CL_DEVICE_LOCAL_MEM_SIZE),
	};
	const het_status status = ask_precisions(id, &found);

	if (status)
		return status;
	ask_max_items(id, found.max_items);
	*facts = found;
	return HET_OK;
}

/* Of cl_khr_pci_bus_info and cl_khr_device_uuid, which older headers lack. */
#define PCI_BUS_INFO 0x410F
#define DEVICE_UUID 0x106A
#define UUID_BYTES 16

static bool ask_pci(cl_device_id id, char *text, size_t bytes)
{
	cl_uint bus[4]; /* domain, bus, device, function */

	if (clGetDeviceInfo(id, PCI_BUS_INFO, sizeof bus, bus, NULL) != CL_SUCCESS)
		return false;
	snprintf(text, bytes, "pci %04x:%02x:%02x.%x", (unsigned)bus[0], (unsigned)bus[1], (unsigned)bus[2],
	         (unsigned)bus[3]);
	return true;
}

static bool ask_uuid(cl_device_id id, char *text, size_t bytes)
{
	unsigned char uuid[UUID_BYTES];
	int at = snprintf(text, bytes, "uuid ");

	if (clGetDeviceInfo(id, DEVICE_UUID, sizeof uuid, uuid, NULL) != CL_SUCCESS)
		return false;
	for (int i = 0; i < UUID_BYTES; i++)
		at += snprintf(text + at, bytes - (size_t)at, "%02x", (unsigned)uuid[i]);
	return true;
}

het_status het__cl_device_identity(cl_device_id id, char *text, size_t bytes)
{
	char *extensions = NULL;
	const het_status status = het__cl_device_text(id, CL_DEVICE_EXTENSIONS, &extensions);

	if (status)
		return status;
	if (!(has_word(extensions, "cl_khr_pci_bus_info") && ask_pci(id, text, bytes)) &&
	    !(has_word(extensions, "cl_khr_device_uuid") && ask_uuid(id, text, bytes)))
		snprintf(text, bytes, "-");
	het__free(extensions);
	return HET_OK;
}

/* Refuses, with the reason, what the device cannot be cut into: some drivers crash when asked for it. */
static het_status check_cut(cl_device_id id, cl_uint units, const char *device)
{
	const cl_uint max_parts = ask_uint(id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES);
	const cl_uint all = ask_uint(id, CL_DEVICE_MAX_COMPUTE_UNITS);

	if (max_parts < 2 || !ask_parts_equally(id))
		return het__fail_on(HET_ERR_UNSUPPORTED, device, "%s cannot be cut into sub-devices", device);
	if (units == 0 || units > all || all / units > max_parts)
		return het__fail_on(HET_ERR_UNSUPPORTED, device,
		                    "%s has %u compute units and cannot be cut into parts of %u", device,
		                    (unsigned)all, (unsigned)units);
	return HET_OK;
}

het_status het__cl_device_cut(cl_device_id id, cl_uint units, const char *device, cl_device_id **parts_p,
                              cl_uint *count_p)
{
	const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY,
	                                            (cl_device_partition_property)units, 0};
	cl_uint count = 0;
	cl_device_id *parts;
	cl_int code;
	const het_status status = check_cut(id, units, device);

	if (status)
		return status;
	code = clCreateSubDevices(id, how, 0, NULL, &count);
	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clCreateSubDevices", device, "parts of %u compute units",
		                      (unsigned)units);
	parts = het__alloc_zeroed(count, sizeof(*parts));
	if (!parts)
		return het__fail(HET_ERR_MEMORY, "no memory for a list of %u sub-devices", (unsigned)count);
	code = clCreateSubDevices(id, how, count, parts, NULL);
	if (code != CL_SUCCESS) {
		het__free(parts);
		return het__cl_failed(code, "clCreateSubDevices", device, "parts of %u compute units",
		                      (unsigned)units);
	}
	*parts_p = parts;
	*count_p = count;
	return HET_OK;
}

void het__cl_device_release(cl_device_id id)
{
	if (id)
		clReleaseDevice(id);
}

void het__cl_device_retain(cl_device_id id)
{
	clRetainDevice(id);
}

het_status het__cl_device_parent(cl_device_id id, cl_device_id *parent_p)
{
	cl_device_id parent = NULL;
	const cl_int code = clGetDeviceInfo(id, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clGetDeviceInfo", NULL, "the device that a part was cut from");
	*parent_p = parent;
	return HET_OK;
}

het_status het__cl_context_devices(cl_context context, cl_device_id **devices_p, cl_uint *count_p)
{
	cl_device_id *ids;
	size_t bytes = 0;
	cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);

	if (code == CL_INVALID_CONTEXT)
		return het__fail_cl(HET_ERR_HANDLE, code, "clGetContextInfo", NULL, "that is no context");
	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clGetContextInfo", NULL, "a context's devices");
	ids = het__alloc_zeroed(bytes / sizeof *ids, sizeof *ids);
	if (!ids)
		return het__fail(HET_ERR_MEMORY, "no memory for a list of devices");
	code = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, ids, NULL);
	if (code != CL_SUCCESS) {
		het__free(ids);
		return het__cl_failed(code, "clGetContextInfo", NULL, "a context's devices");
	}
	*devices_p = ids;
	*count_p = (cl_uint)(bytes / sizeof *ids);
	return HET_OK;
}
