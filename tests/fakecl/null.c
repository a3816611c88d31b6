/* null.c - FAKECL_NULL=1: commands are complete at once and do nothing, and neither they nor their
 * arguments are checked. What is left is the cheapest driver there can be: instructions counted on it are the
 * library's own.
 */
#include <stdlib.h>

#include "fake.h"

/* An event is just a count of references; those given back are used again by the same thread. */
static __thread struct object *unused;

static inline cl_int done(cl_event *event_p)
{
	struct object *event = unused;

	if (!event_p)
		return CL_SUCCESS;
	if (event) {
		unused = event->next;
	} else {
		event = fake_alloc(sizeof(struct _cl_event));
		event->dispatch = &fake_null_dispatch;
		event->kind = EVENT;
	}
	event->refs = 1;
	*event_p = (cl_event)event;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL retain_event(cl_event event)
{
	event->object.refs++;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_event(cl_event event)
{
	if (--event->object.refs == 0) {
		event->object.next = unused;
		unused = &event->object;
	}
	return CL_SUCCESS;
}

static cl_int CL_API_CALL event_info(cl_event event, cl_event_info what, size_t room, void *to, size_t *bytes_p)
{
	(void)event;
	(void)room;
	(void)bytes_p;
	if (what != CL_EVENT_COMMAND_EXECUTION_STATUS || !to)
		return CL_INVALID_VALUE;
	*(cl_int *)to = CL_COMPLETE;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info what, size_t room, void *to,
					 size_t *bytes_p)
{
	(void)event;
	(void)what;
	(void)room;
	(void)to;
	(void)bytes_p;
	return CL_PROFILING_INFO_NOT_AVAILABLE;
}

static cl_int CL_API_CALL wait_for(cl_uint count, const cl_event *events)
{
	(void)count;
	(void)events;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
	(void)queue;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	(void)kernel;
	(void)index;
	(void)bytes;
	(void)value;
	return CL_SUCCESS;
}

/* A command, whatever stands between its queue and its event. */
#define COMMAND(name, ...)                                                                                     \
	static cl_int CL_API_CALL name(cl_command_queue queue, __VA_ARGS__, cl_uint count,                     \
				       const cl_event *waits, cl_event *event_p)                               \
	{                                                                                                      \
		return (void)queue, (void)count, (void)waits, done(event_p);                                   \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"
COMMAND(launch, cl_kernel kernel, cl_uint rank, const size_t *offset, const size_t *global, const size_t *local)
COMMAND(read_buffer, cl_mem mem, cl_bool blocking, size_t offset, size_t bytes, void *to)
COMMAND(write_buffer, cl_mem mem, cl_bool blocking, size_t offset, size_t bytes, const void *from)
COMMAND(copy_buffer, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes)
COMMAND(fill_buffer, cl_mem mem, const void *pattern, size_t pattern_bytes, size_t offset, size_t bytes)
COMMAND(read_rect, cl_mem mem, cl_bool blocking, const size_t *mem_origin, const size_t *host_origin,
	const size_t *region, size_t mem_row, size_t mem_slice, size_t host_row, size_t host_slice, void *to)
COMMAND(write_rect, cl_mem mem, cl_bool blocking, const size_t *mem_origin, const size_t *host_origin,
	const size_t *region, size_t mem_row, size_t mem_slice, size_t host_row, size_t host_slice,
	const void *from)
COMMAND(copy_rect, cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
	const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice)

static cl_int CL_API_CALL marker(cl_command_queue queue, cl_uint count, const cl_event *waits,
				 cl_event *event_p)
{
	return done(event_p);
}

cl_icd_dispatch fake_null_dispatch;

void fake_null_begin(void)
{
	fake_null_dispatch = fake_dispatch;
	fake_null_dispatch.clRetainEvent = retain_event;
	fake_null_dispatch.clReleaseEvent = release_event;
	fake_null_dispatch.clGetEventInfo = event_info;
	fake_null_dispatch.clGetEventProfilingInfo = profiling_info;
	fake_null_dispatch.clWaitForEvents = wait_for;
	fake_null_dispatch.clFlush = flush;
	fake_null_dispatch.clFinish = flush;
	fake_null_dispatch.clSetKernelArg = set_arg;
	fake_null_dispatch.clEnqueueNDRangeKernel = launch;
	fake_null_dispatch.clEnqueueReadBuffer = read_buffer;
	fake_null_dispatch.clEnqueueWriteBuffer = write_buffer;
	fake_null_dispatch.clEnqueueCopyBuffer = copy_buffer;
	fake_null_dispatch.clEnqueueFillBuffer = fill_buffer;
	fake_null_dispatch.clEnqueueReadBufferRect = read_rect;
	fake_null_dispatch.clEnqueueWriteBufferRect = write_rect;
	fake_null_dispatch.clEnqueueCopyBufferRect = copy_rect;
	fake_null_dispatch.clEnqueueMarkerWithWaitList = marker;
	fake_null_dispatch.clEnqueueBarrierWithWaitList = marker;
	fake.null = true;
}
