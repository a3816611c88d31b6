/* check.c - codes of OpenCL to statuses of Hetero. */
#include "cl/check.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

#define WHAT_BYTES 512

static het_status status_of(cl_int code)
{
	switch (code) {
	case CL_OUT_OF_HOST_MEMORY:
		return HET_ERR_MEMORY;
	case CL_MEM_OBJECT_ALLOCATION_FAILURE:
	case CL_INVALID_BUFFER_SIZE:
		return HET_ERR_DEVICE_MEMORY;
	default:
		return HET_ERR_DEVICE;
	}
}

static het_status fail(het_status status, cl_int code, const char *call, const char *device, const char *format,
                       va_list args) __attribute__((format(printf, 5, 0)));

static het_status fail(het_status status, cl_int code, const char *call, const char *device, const char *format,
                       va_list args)
{
	char what[WHAT_BYTES];

	vsnprintf(what, sizeof(what), format, args);
	return het__fail_cl(status, code, call, device, "%s", what);
}

het_status het__cl_failed(cl_int code, const char *call, const char *device, const char *format, ...)
{
	va_list args;
	het_status status;

	va_start(args, format);
	status = fail(status_of(code), code, call, device, format, args);
	va_end(args);
	return status;
}

het_status het__cl_buffer_failed(cl_int code, const char *call, const char *device, const char *format, ...)
{
	va_list args;
	het_status status = code == CL_OUT_OF_RESOURCES ? HET_ERR_DEVICE_MEMORY : status_of(code);

	va_start(args, format);
	status = fail(status, code, call, device, format, args);
	va_end(args);
	return status;
}
