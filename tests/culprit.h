/* culprit.h - for tests in which something fails on a fake machine, once: the k-th call of a function of
 * OpenCL, the k-th execution of a kind ("ndrange", "read"...), or the k-th allocation of host memory
 * ("memory").
 */
#ifndef HETERO_TESTS_CULPRIT_H
#define HETERO_TESTS_CULPRIT_H

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "fakes.h"

/** What the library calls when a device is used for the first time, and kernels are built. */
#define CULPRITS_AT_FIRST \
	"clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", \
	"clCreateProgramWithBinary", "clBuildProgram", "clCreateKernel", "clGetKernelWorkGroupInfo"
/** What it calls from then on, and, in small letters, what is executed. */
#define CULPRITS_AT_WORK \
	"clCreateBuffer", "clCreateSubBuffer", "clSetKernelArg", "clWaitForEvents", "clGetEventInfo", \
	"clFlush", "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer", \
	"clEnqueueReadBufferRect", "clEnqueueWriteBufferRect", "clEnqueueCopyBufferRect", \
	"clEnqueueFillBuffer", "clEnqueueMapBuffer", "clEnqueueUnmapMemObject", \
	"clEnqueueNDRangeKernel", "clEnqueueMarkerWithWaitList", "ndrange", "read", "write", "copy", \
	"fill", "map", "unmap", "marker"

static inline bool culprit_is_memory(const char *culprit)
{
	return strcmp(culprit, "memory") == 0;
}

/** From now on; what OpenCL does fails with CL_OUT_OF_RESOURCES. */
static inline void culprit_fails_in(const char *culprit, long turn)
{
	if (culprit_is_memory(culprit))
		(void)het__alloc_fail_after(turn - 1, 0);
	else
		ck_assert_int_eq(control("fail %s %ld -5", culprit, turn), 0);
}

/** No more failures. Tells whether there was the one of this turn. */
static inline bool culprit_has_failed(const char *culprit, long turn)
{
	bool struck;

	if (culprit_is_memory(culprit))
		return het__alloc_fail_after(-1, 0) >= turn;
	struck = control("pending") == 0;
	ck_assert_int_eq(control("forget"), 0);
	return struck;
}

#endif
