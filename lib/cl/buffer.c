/* buffer.c - memory objects: a device's own, over host memory, and parts of one. */
#include "cl/check.h"

#include <stdio.h>

/* What even the least device of the specification allows. */
#define SURELY_ALLOWED ((size_t)1 << 20)

#define MOST_DEVICES 64

/* What the most generous of a context's devices allows; 0 where that cannot be learnt. */
static cl_ulong most_bytes(cl_context context)
{
	cl_device_id ids[MOST_DEVICES];
	cl_ulong most = 0;
	size_t got = 0;

	if (clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(ids), ids, &got) != CL_SUCCESS)
		return 0;
	for (size_t i = 0; i < got / sizeof(ids[0]); i++) {
		cl_ulong limit = 0;
		(void)clGetDeviceInfo(ids[i], CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(limit), &limit, NULL);
		if (limit == 0)
			return 0;
		most = limit > most ? limit : most;
	}
	return most;
}

/* Drivers should refuse what is larger than any of the context's devices allows; Oclgrind ends the process
 * instead. Where the limit is not known the driver decides. */
static bool too_large(cl_context context, size_t bytes)
{
	const cl_ulong most = bytes <= SURELY_ALLOWED ? 0 : most_bytes(context);

	return most > 0 && bytes > most;
}

/* What to add to a message: the largest size that is possible, or "". */
static const char *limit_text(cl_context context, cl_int code, char text[64])
{
	const cl_ulong most = code == CL_INVALID_BUFFER_SIZE ? most_bytes(context) : 0;

	text[0] = '\0';
	if (most)
		snprintf(text, 64, ", the largest has %llu", (unsigned long long)most);
	return text;
}

static cl_mem create(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
	if (too_large(context, bytes)) {
		*code = CL_INVALID_BUFFER_SIZE;
		return NULL;
	}
	return clCreateBuffer(context, flags, bytes, host, code);
}

static het_status create_own(cl_context context, cl_mem_flags flags, size_t bytes, const char *device,
			     cl_mem *mem_p)
{
	cl_int code;
	char limit[64];
	const cl_mem mem = create(context, CL_MEM_READ_WRITE | flags, bytes, NULL, &code);

	if (code != CL_SUCCESS)
		return het__cl_buffer_failed(code, "clCreateBuffer", device, "buffer of %zu bytes%s", bytes,
					     limit_text(context, code, limit));
	*mem_p = mem;
	return HET_OK;
}

het_status het__cl_buffer_create(cl_context context, size_t bytes, const char *device, cl_mem *mem_p)
{
	return create_own(context, 0, bytes, device, mem_p);
}

het_status het__cl_buffer_pinned(cl_context context, size_t bytes, const char *device, cl_mem *mem_p)
{
	return create_own(context, CL_MEM_ALLOC_HOST_PTR, bytes, device, mem_p);
}

het_status het__cl_buffer_wrap(cl_context context, void *host, size_t bytes, const char *device, cl_mem *mem_p)
{
	cl_int code;
	char limit[64];
	const cl_mem mem = create(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, &code);

	if (code != CL_SUCCESS)
		return het__cl_buffer_failed(code, "clCreateBuffer", device,
					     "buffer over %zu bytes of host memory%s", bytes,
					     limit_text(context, code, limit));
	*mem_p = mem;
	return HET_OK;
}

het_status het__cl_buffer_part(cl_mem root, size_t offset, size_t bytes, const char *device, cl_mem *mem_p)
{
	const cl_buffer_region region = {.origin = offset, .size = bytes};
	cl_int code;
	const cl_mem mem = clCreateSubBuffer(root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
	                                     &code);

	if (code != CL_SUCCESS)
		return het__cl_buffer_failed(code, "clCreateSubBuffer", device, "part [%zu, +%zu) of a buffer",
		                             offset, bytes);
	*mem_p = mem;
	return HET_OK;
}

void het__cl_buffer_retain(cl_mem mem)
{
	if (mem)
		clRetainMemObject(mem);
}

void het__cl_buffer_release(cl_mem mem)
{
	if (mem)
		clReleaseMemObject(mem);
}
