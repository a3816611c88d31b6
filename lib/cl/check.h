/* check.h - how this room turns a code of OpenCL into a status and an error record. Private to lib/cl. */
#ifndef HETERO_LIB_CL_CHECK_H
#define HETERO_LIB_CL_CHECK_H

#include "cl/cl.h"

/** Records that `call` returned `code` on `device` (NULL: none in particular) and returns the status that
 *  fits. The format says what was being done, naming the thing. */
het_status het__cl_failed(cl_int code, const char *call, const char *device, const char *format, ...)
	__attribute__((cold, format(printf, 4, 5)));

/** The same for calls that make or fill buffers, where CL_OUT_OF_RESOURCES means HET_ERR_DEVICE_MEMORY. */
het_status het__cl_buffer_failed(cl_int code, const char *call, const char *device, const char *format, ...)
	__attribute__((cold, format(printf, 4, 5)));

#endif
