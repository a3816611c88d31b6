/* command.c - commands that compute or order: launch, fill, marker, barrier. */
#include "cl/check.h"

#include <stdint.h>

#include "base/error.h"

/* Hands a new event to a caller who may not want it; drivers are asked for one only when it is wanted. */
static inline het_status made(cl_event event, cl_event *event_p)
{
	if (event_p)
		*event_p = event;
	return HET_OK;
}

het_status het__cl_launch_failed(cl_int code, const char *kernel_name, const char *device)
{
	return het__cl_failed(code, "clEnqueueNDRangeKernel", device, "launch of kernel '%s'", kernel_name);
}

het_status het__cl_set_arg_failed(cl_int code, int argument, size_t bytes, const char *kernel_name,
				  const char *device)
{
	if (code == CL_INVALID_ARG_SIZE)
		return het__fail_cl(HET_ERR_SIGNATURE, code, "clSetKernelArg", device,
				    "kernel %s: argument %d was given %zu bytes, which is not its size",
				    kernel_name, argument, bytes);
	return het__cl_failed(code, "clSetKernelArg", device, "kernel %s: argument %d (%zu bytes)", kernel_name,
			      argument, bytes);
}

size_t het__cl_fill_most = (size_t)1 << 30;

het_status het__cl_fill(const struct het__queue *queue, cl_mem target, const void *pattern,
                        size_t pattern_bytes, size_t offset, size_t bytes, struct het__after after,
                        cl_event *event_p)
{
	cl_event event = NULL;
	const cl_int code = clEnqueueFillBuffer(queue->cl, target, pattern, pattern_bytes, offset, bytes,
	                                        after.count, after.events, event_p ? &event : NULL);

	if (code != CL_SUCCESS)
		return het__cl_buffer_failed(code, "clEnqueueFillBuffer", queue->device,
		                             "fill of %zu bytes at %zu with a pattern of %zu", bytes, offset,
		                             pattern_bytes);
	return made(event, event_p);
}

het_status het__cl_marker(const struct het__queue *queue, struct het__after after, cl_event *event_p)
{
	cl_event event = NULL;
	const cl_int code = clEnqueueMarkerWithWaitList(queue->cl, after.count, after.events,
	                                                event_p ? &event : NULL);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clEnqueueMarkerWithWaitList", queue->device, "marker");
	return made(event, event_p);
}

het_status het__cl_barrier(const struct het__queue *queue, struct het__after after)
{
	const cl_int code = clEnqueueBarrierWithWaitList(queue->cl, after.count, after.events, NULL);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clEnqueueBarrierWithWaitList", queue->device, "barrier");
	return HET_OK;
}
