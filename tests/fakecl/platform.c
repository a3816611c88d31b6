/* platform.c - what platforms and devices say of themselves, and devices cut into parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static cl_int platform_info(cl_platform_id platform, cl_platform_info what, size_t room, void *to,
			    size_t *bytes_p)
{
	if (!fake_is(platform, PLATFORM))
		return CL_INVALID_PLATFORM;
	switch (what) {
	case CL_PLATFORM_PROFILE:
		return fake_answer_text("FULL_PROFILE", room, to, bytes_p);
	case CL_PLATFORM_VERSION:
		return fake_answer_text("OpenCL 1.2 fakecl", room, to, bytes_p);
	case CL_PLATFORM_NAME:
		return fake_answer_text(platform->name, room, to, bytes_p);
	case CL_PLATFORM_VENDOR:
		return fake_answer_text("Hetero's tests", room, to, bytes_p);
	case CL_PLATFORM_EXTENSIONS:
		return fake_answer_text("cl_khr_icd", room, to, bytes_p);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return fake_answer_text("FAKE", room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what,
						       size_t room, void *to, size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetPlatformInfo);

	if (!code)
		code = platform_info(platform, what, room, to, bytes_p);
	return fake_leave(code);
}

static cl_int device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
			 cl_uint *count_p)
{
	cl_uint count = 0;

	if (!fake_is(platform, PLATFORM))
		return CL_INVALID_PLATFORM;
	if ((devices && room == 0) || (!devices && !count_p))
		return CL_INVALID_VALUE;
	for (int d = 0; d < platform->device_count; d++) {
		const bool is_default = (type & CL_DEVICE_TYPE_DEFAULT) && d == 0;

		if (!is_default && !(platform->devices[d]->type & type))
			continue;
		if (devices && count < room)
			devices[count] = platform->devices[d];
		count++;
	}
	if (count_p)
		*count_p = count;
	return count > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
						    cl_device_id *devices, cl_uint *count_p)
{
	cl_int code = fake_enter(CALL_clGetDeviceIDs);

	if (!code)
		code = device_ids(platform, type, room, devices, count_p);
	return fake_leave(code);
}

/* ---- one device --------------------------------------------------------------------------------- */

static cl_int device_text(cl_device_id device, cl_device_info what, size_t room, void *to, size_t *bytes_p)
{
	switch (what) {
	case CL_DEVICE_NAME:
		return fake_answer_text(device->name, room, to, bytes_p);
	case CL_DEVICE_VENDOR:
		return fake_answer_text("Hetero's tests", room, to, bytes_p);
	case CL_DRIVER_VERSION:
		return fake_answer_text("1", room, to, bytes_p);
	case CL_DEVICE_PROFILE:
		return fake_answer_text("FULL_PROFILE", room, to, bytes_p);
	case CL_DEVICE_VERSION:
		return fake_answer_text("OpenCL 1.2 fakecl", room, to, bytes_p);
	case CL_DEVICE_OPENCL_C_VERSION:
		return fake_answer_text("OpenCL C 1.2 fakecl", room, to, bytes_p);
	case CL_DEVICE_EXTENSIONS:
		return fake_answer_text(device->fp64 ? "cl_khr_fp64" : "", room, to, bytes_p);
	case CL_DEVICE_BUILT_IN_KERNELS:
		return fake_answer_text("", room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int device_size(cl_device_id device, cl_device_info what, size_t room, void *to, size_t *bytes_p)
{
	const size_t items[3] = {device->max_group, device->max_group, device->max_group};

	switch (what) {
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return FAKE_ANSWER(device->max_group, room, to, bytes_p);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return FAKE_ANSWER(items, room, to, bytes_p);
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		return FAKE_ANSWER(device->alloc_bytes, room, to, bytes_p);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
		return FAKE_ANSWER(device->size_bytes, room, to, bytes_p);
	case CL_DEVICE_LOCAL_MEM_SIZE:
		return FAKE_ANSWER(device->local_bytes, room, to, bytes_p);
	default:
		return device_text(device, what, room, to, bytes_p);
	}
}

static cl_int device_object(cl_device_id device, cl_device_info what, size_t room, void *to, size_t *bytes_p)
{
	const cl_device_partition_property equally = device->parts > 1 ? CL_DEVICE_PARTITION_EQUALLY : 0;
	const cl_uint refs = device->parent ? (cl_uint)device->object.refs : 1;

	switch (what) {
	case CL_DEVICE_TYPE:
		return FAKE_ANSWER(device->type, room, to, bytes_p);
	case CL_DEVICE_PLATFORM:
		return FAKE_ANSWER(device->platform, room, to, bytes_p);
	case CL_DEVICE_PARENT_DEVICE:
		return FAKE_ANSWER(device->parent, room, to, bytes_p);
	case CL_DEVICE_PARTITION_PROPERTIES:
		return FAKE_ANSWER(equally, room, to, bytes_p);
	case CL_DEVICE_REFERENCE_COUNT:
		return FAKE_ANSWER(refs, room, to, bytes_p);
	default:
		return device_size(device, what, room, to, bytes_p);
	}
}

/* Numbers and flags of type cl_uint. */
static bool device_number(cl_device_id device, cl_device_info what, cl_uint *value_p)
{
	switch (what) {
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		*value_p = device->units;
		return true;
	case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
		*value_p = 3;
		return true;
	case CL_DEVICE_MAX_CLOCK_FREQUENCY:
		*value_p = 1000;
		return true;
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
		*value_p = (cl_uint)device->align_bytes * 8;
		return true;
	case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
		*value_p = device->parts;
		return true;
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
		*value_p = device->memory == 0;
		return true;
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_ENDIAN_LITTLE:
		*value_p = CL_TRUE;
		return true;
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_LINKER_AVAILABLE:
		*value_p = fake_have_compiler();
		return true;
	case CL_DEVICE_ADDRESS_BITS:
		*value_p = 64;
		return true;
	case CL_DEVICE_IMAGE_SUPPORT:
		*value_p = CL_FALSE;
		return true;
	default:
		return false;
	}
}

static cl_int device_info(cl_device_id device, cl_device_info what, size_t room, void *to, size_t *bytes_p)
{
	const cl_device_fp_config fp64 = device && device->fp64 ? CL_FP_DENORM | CL_FP_INF_NAN : 0;
	const cl_command_queue_properties queues = CL_QUEUE_PROFILING_ENABLE;
	cl_uint value = 0;

	if (!fake_is(device, DEVICE))
		return CL_INVALID_DEVICE;
	if (device_number(device, what, &value))
		return FAKE_ANSWER(value, room, to, bytes_p);
	if (what == CL_DEVICE_DOUBLE_FP_CONFIG)
		return FAKE_ANSWER(fp64, room, to, bytes_p);
	if (what == CL_DEVICE_QUEUE_PROPERTIES)
		return FAKE_ANSWER(queues, room, to, bytes_p);
	return device_object(device, what, room, to, bytes_p);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room,
						     void *to, size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetDeviceInfo);

	if (!code)
		code = device_info(device, what, room, to, bytes_p);
	return fake_leave(code);
}

/* ---- parts -------------------------------------------------------------------------------------- */

static cl_device_id new_part(cl_device_id whole, cl_uint units)
{
	cl_device_id const part = fake_object_new(DEVICE, sizeof *part);
	struct object object = part->object;

	*part = *whole;
	part->object = object;
	part->parent = whole;
	part->units = units;
	part->parts = 0;
	part->executed = 0;
	part->stop_after = -1;
	if (whole->parent)
		fake_hold(whole);
	return part;
}

static cl_int cut(cl_device_id whole, const cl_device_partition_property *how, cl_uint room,
		  cl_device_id *parts, cl_uint *count_p)
{
	cl_uint units, count;

	if (!fake_is(whole, DEVICE))
		return CL_INVALID_DEVICE;
	if (!how || how[0] != CL_DEVICE_PARTITION_EQUALLY || how[1] < 1 || whole->parts < 2)
		return CL_INVALID_VALUE;
	units = (cl_uint)how[1];
	count = whole->units / units;
	if (count < 1 || count > whole->parts)
		return CL_DEVICE_PARTITION_FAILED;
	if (parts && room < count)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; parts && i < count; i++)
		parts[i] = new_part(whole, units);
	if (count_p)
		*count_p = count;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL fake_clCreateSubDevices(cl_device_id whole,
							const cl_device_partition_property *how, cl_uint room,
							cl_device_id *parts, cl_uint *count_p)
{
	cl_int code = fake_enter(CALL_clCreateSubDevices);

	if (!code)
		code = cut(whole, how, room, parts, count_p);
	return fake_leave(code);
}

/* Root devices are not counted. */
CL_API_ENTRY cl_int CL_API_CALL fake_clRetainDevice(cl_device_id device)
{
	cl_int code = fake_enter(CALL_clRetainDevice);

	if (!code && fake_is(device, DEVICE) && device->parent)
		code = fake_retain(device, DEVICE, CL_INVALID_DEVICE);
	return fake_leave(code);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clReleaseDevice(cl_device_id device)
{
	cl_int code = fake_enter(CALL_clReleaseDevice);

	if (!code && fake_is(device, DEVICE) && device->parent)
		code = fake_release(device, DEVICE, CL_INVALID_DEVICE);
	return fake_leave(code);
}

void fake_device_drop(cl_device_id device)
{
	if (device->parent && device->parent->parent)
		fake_unhold(device->parent);
}

cl_device_id fake_root_device(cl_device_id device)
{
	while (device->parent)
		device = device->parent;
	return device;
}
