/* program.c - programs from source and binary, their building, and what they hold. */
#include "cl/check.h"
#include "cl/query.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

het_status het__cl_program_source(cl_context context, const char *text, size_t length, const char *device,
                                  cl_program *program_p)
{
	cl_int code;
	const cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &code);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clCreateProgramWithSource", device, "program of %zu characters",
		                      length);
	*program_p = program;
	return HET_OK;
}

het_status het__cl_program_binary(cl_context context, cl_device_id id, const void *binary, size_t bytes,
                                  const char *device, cl_program *program_p)
{
	const unsigned char *image = binary;
	cl_int code, verdict = CL_SUCCESS;
	const cl_program program = clCreateProgramWithBinary(context, 1, &id, &bytes, &image, &verdict, &code);

	if (code == CL_SUCCESS && verdict == CL_SUCCESS) {
		*program_p = program;
		return HET_OK;
	}
	if (code == CL_SUCCESS) {
		clReleaseProgram(program);
		code = verdict;
	}
	if (code == CL_OUT_OF_HOST_MEMORY)
		return het__cl_failed(code, "clCreateProgramWithBinary", device, "program binary");
	return het__fail_cl(HET_ERR_BUILD, code, "clCreateProgramWithBinary", device,
	                    "program binary of %zu bytes", bytes);
}

char *het__cl_program_log(cl_program program, cl_device_id id)
{
	size_t bytes = 0;
	char *log;

	if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS ||
	    bytes < 2)
		return NULL;
	log = het__alloc_zeroed(bytes + 1, 1);
	if (log && clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) == CL_SUCCESS)
		return log;
	het__free(log);
	return NULL;
}

static bool build_broke(cl_program program, cl_device_id id)
{
	cl_build_status status = CL_BUILD_NONE;

	return clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL) ==
	               CL_SUCCESS &&
	       status == CL_BUILD_ERROR;
}

/* The device whose build broke; where the driver does not say, the first. */
static cl_device_id broken_one(cl_program program, cl_uint count, const cl_device_id *ids)
{
	for (cl_uint i = 0; i < count; i++)
		if (build_broke(program, ids[i]))
			return ids[i];
	return ids[0];
}

/* PoCL takes options apart at blanks, quoted or not. Others understand quotes. */
static bool lost_folder(const char *options, const char *log)
{
	return options && strstr(options, "-I\"") && strstr(log, "not found");
}

/* The text is `head`, perhaps with a hint, and the compiler's words. */
static het_status build_broken(cl_int code, const char *options, const char *device, const char *head,
                               const char *log)
{
	char hinted[2048];

	if (!lost_folder(options, log))
		return het__fail_cl_text(HET_ERR_BUILD, code, "clBuildProgram", device, head, log);
	snprintf(hinted, sizeof hinted,
		 "%s (this driver may not find files in a folder with blanks in its name)", head);
	return het__fail_cl_text(HET_ERR_BUILD, code, "clBuildProgram", device, hinted, log);
}

static het_status build_failed(cl_int code, cl_program program, cl_device_id id, const char *options,
                               const char *device, const char *head)
{
	char *const log = het__cl_program_log(program, id);
	het_status status;

	if (log)
		status = build_broken(code, options, device, head, log);
	else
		status = het__fail_cl(HET_ERR_BUILD, code, "clBuildProgram", device, "%s", head);
	het__free(log);
	return status;
}

het_status het__cl_program_build(cl_program program, cl_uint count, const cl_device_id *ids,
                                 const char *options, const char *device, const char *head)
{
	const cl_int code = clBuildProgram(program, count, ids, options, NULL, NULL);

	switch (code) {
	case CL_SUCCESS:
		/* Some drivers return success and keep the bad news in the build status. */
		for (cl_uint i = 0; i < count; i++)
			if (build_broke(program, ids[i]))
				return build_failed(CL_BUILD_PROGRAM_FAILURE, program, ids[i], options,
				                    device, head);
		return HET_OK;
	case CL_BUILD_PROGRAM_FAILURE:
	case CL_INVALID_BUILD_OPTIONS:
	case CL_INVALID_BINARY:
	case CL_COMPILE_PROGRAM_FAILURE:
	case CL_LINK_PROGRAM_FAILURE:
	case CL_COMPILER_NOT_AVAILABLE:
		return build_failed(code, program, broken_one(program, count, ids), options, device,
		                    head);
	default:
		return het__cl_failed(code, "clBuildProgram", device, "%s", head);
	}
}

/* The devices of a program and the sizes of its binaries for them, 0 where it has none. */
struct images {
	cl_uint count;
	cl_device_id *ids;
	size_t *bytes;
};

static void images_free(struct images *images)
{
	het__free(images->bytes);
	het__free(images->ids);
}

static het_status images_get(cl_program program, const char *device, struct images *images)
{
	cl_uint count = 0;
	cl_int code = clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(count), &count, NULL);

	images->count = count;
	images->ids = het__alloc_zeroed(count, sizeof(*images->ids));
	images->bytes = het__alloc_zeroed(count, sizeof(*images->bytes));
	if (!images->ids || !images->bytes)
		return het__fail(HET_ERR_MEMORY, "no memory for a list of %u devices", (unsigned)count);
	if (code == CL_SUCCESS)
		code = clGetProgramInfo(program, CL_PROGRAM_DEVICES, count * sizeof(*images->ids), images->ids,
		                        NULL);
	if (code == CL_SUCCESS)
		code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof(*images->bytes),
		                        images->bytes, NULL);
	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clGetProgramInfo", device, "sizes of a program's binaries");
	return HET_OK;
}

/* Asks for the binary at `place` only: a NULL entry tells the driver to leave that device out. */
static het_status image_get(cl_program program, const struct images *images, cl_uint place, const char *device,
                            void **binary_p)
{
	unsigned char **const wanted = het__alloc_zeroed(images->count, sizeof(*wanted));
	unsigned char *const binary = wanted ? het__alloc(images->bytes[place]) : NULL;
	cl_int code;

	if (!binary) {
		het__free(wanted);
		return het__fail(HET_ERR_MEMORY, "no memory for a program binary of %zu bytes",
		                 images->bytes[place]);
	}
	wanted[place] = binary;
	code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, images->count * sizeof(*wanted), wanted, NULL);
	het__free(wanted);
	if (code != CL_SUCCESS) {
		het__free(binary);
		return het__cl_failed(code, "clGetProgramInfo", device, "program binary");
	}
	*binary_p = binary;
	return HET_OK;
}

static bool has_image(const struct images *images, cl_device_id id, cl_uint *place_p)
{
	for (cl_uint i = 0; i < images->count; i++)
		if (images->ids[i] == id && images->bytes[i] > 0) {
			*place_p = i;
			return true;
		}
	return false;
}

het_status het__cl_program_get_binary(cl_program program, cl_device_id id, const char *device, void **binary_p,
                                      size_t *bytes_p)
{
	struct images images;
	het_status status = images_get(program, device, &images);
	cl_device_id owner = id;
	cl_uint place = 0;

	while (!status && !has_image(&images, owner, &place)) {
		/* PoCL keeps the program of a sub-device under the device it is a part of. */
		if (het__cl_device_parent(owner, &owner) || !owner)
			status = het__fail_on(HET_ERR_UNSUPPORTED, device,
			                      "the driver has no binary of the program for %s", device);
	}
	if (!status)
		status = image_get(program, &images, place, device, binary_p);
	if (!status)
		*bytes_p = images.bytes[place];
	images_free(&images);
	return status;
}

cl_program het__cl_program_retain(cl_program program)
{
	clRetainProgram(program);
	return program;
}

void het__cl_program_release(cl_program program)
{
	if (program)
		clReleaseProgram(program);
}

het_status het__cl_program_kernels(cl_program program, const char *device, char **names_p)
{
	size_t bytes = 0;
	cl_int code = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes);
	char *names;

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clGetProgramInfo", device, "kernel names");
	names = het__alloc_zeroed(bytes + 1, 1);
	if (!names)
		return het__fail(HET_ERR_MEMORY, "no memory for a program's kernel names");
	code = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, bytes, names, NULL);
	if (code != CL_SUCCESS) {
		het__free(names);
		return het__cl_failed(code, "clGetProgramInfo", device, "kernel names");
	}
	*names_p = names;
	return HET_OK;
}
