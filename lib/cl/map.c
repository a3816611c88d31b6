/* map.c - buffers mapped into the host's memory. */
#include "cl/check.h"

het_status het__cl_map(const struct het__queue *queue, cl_mem mem, enum het__map_for use, size_t offset,
                       size_t bytes, struct het__after after, void **at_p, cl_event *event_p)
{
	const cl_map_flags flags = use == HET__MAP_TO_READ ? CL_MAP_READ : CL_MAP_WRITE_INVALIDATE_REGION;
	cl_event event = NULL;
	cl_int code;
	void *const at = clEnqueueMapBuffer(queue->cl, mem, CL_FALSE, flags, offset, bytes, after.count,
	                                    after.events, &event, &code);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clEnqueueMapBuffer", queue->device, "map of %zu bytes at %zu",
		                      bytes, offset);
	*at_p = at;
	*event_p = event;
	return HET_OK;
}

het_status het__cl_unmap(const struct het__queue *queue, cl_mem mem, void *at, struct het__after after,
                         cl_event *event_p)
{
	cl_event event = NULL;
	const cl_int code = clEnqueueUnmapMemObject(queue->cl, mem, at, after.count, after.events,
	                                            event_p ? &event : NULL);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clEnqueueUnmapMemObject", queue->device, "unmap of a buffer");
	if (event_p)
		*event_p = event;
	return HET_OK;
}
