/* context.c - contexts and the making of queues. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* ---- contexts ----------------------------------------------------------------------------------- */

static cl_int check_devices(cl_uint count, const cl_device_id *devices)
{
	if (count == 0 || !devices)
		return CL_INVALID_VALUE;
	for (cl_uint d = 0; d < count; d++) {
		if (!fake_is(devices[d], DEVICE))
			return CL_INVALID_DEVICE;
		if (devices[d]->platform != devices[0]->platform)
			return CL_INVALID_DEVICE;
	}
	return CL_SUCCESS;
}

static cl_int check_properties(const cl_context_properties *properties, const cl_device_id *devices)
{
	for (; properties && properties[0]; properties += 2) {
		if (properties[0] != CL_CONTEXT_PLATFORM)
			return CL_INVALID_PROPERTY;
		if ((cl_platform_id)properties[1] != devices[0]->platform)
			return CL_INVALID_PLATFORM;
	}
	return CL_SUCCESS;
}

static cl_context context_new(cl_uint count, const cl_device_id *devices)
{
	cl_context const context = fake_object_new(CONTEXT, sizeof *context);

	context->device_count = count;
	context->devices = fake_alloc(count * sizeof(cl_device_id));
	context->memory = devices[0]->memory;
	context->align_bytes = 128;
	for (cl_uint d = 0; d < count; d++) {
		context->devices[d] = devices[d];
		fake_hold(devices[d]);
		if (devices[d]->align_bytes > context->align_bytes)
			context->align_bytes = devices[d]->align_bytes;
		if (devices[d]->memory != context->memory)
			context->memory = NOWHERE;
	}
	return context;
}

CL_API_ENTRY cl_context CL_API_CALL fake_clCreateContext(
	const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *code_p)
{
	cl_context context = NULL;
	cl_int code = fake_enter(CALL_clCreateContext);

	(void)notify;
	(void)user;
	if (!code)
		code = check_devices(count, devices);
	if (!code)
		code = check_properties(properties, devices);
	if (!code)
		context = context_new(count, devices);
	return fake_leave_with(context, code, code_p);
}

void fake_context_drop(cl_context context)
{
	for (cl_uint d = 0; d < context->device_count; d++)
		fake_unhold(context->devices[d]);
	free(context->devices);
}

bool fake_context_has(cl_context context, cl_device_id device)
{
	for (cl_uint d = 0; d < context->device_count; d++)
		if (context->devices[d] == device)
			return true;
	return false;
}

CL_API_ENTRY cl_int CL_API_CALL fake_clRetainContext(cl_context context)
{
	cl_int code = fake_enter(CALL_clRetainContext);

	return fake_leave(code ? code : fake_retain(context, CONTEXT, CL_INVALID_CONTEXT));
}

CL_API_ENTRY cl_int CL_API_CALL fake_clReleaseContext(cl_context context)
{
	cl_int code = fake_enter(CALL_clReleaseContext);

	return fake_leave(code ? code : fake_release(context, CONTEXT, CL_INVALID_CONTEXT));
}

static cl_int context_info(cl_context context, cl_context_info what, size_t room, void *to, size_t *bytes_p)
{
	if (!fake_is(context, CONTEXT))
		return CL_INVALID_CONTEXT;
	switch (what) {
	case CL_CONTEXT_REFERENCE_COUNT:
		return FAKE_ANSWER(context->object.refs, room, to, bytes_p);
	case CL_CONTEXT_NUM_DEVICES:
		return FAKE_ANSWER(context->device_count, room, to, bytes_p);
	case CL_CONTEXT_DEVICES:
		return fake_answer(context->devices, context->device_count * sizeof(cl_device_id), room, to,
				   bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetContextInfo(cl_context context, cl_context_info what, size_t room,
						      void *to, size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetContextInfo);

	return fake_leave(code ? code : context_info(context, what, room, to, bytes_p));
}

/* ---- queues ------------------------------------------------------------------------------------- */

static cl_int make_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
			 cl_command_queue *queue_p)
{
	cl_command_queue queue;

	if (!fake_is(context, CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!fake_is(device, DEVICE) || !fake_context_has(context, device))
		return CL_INVALID_DEVICE;
	if (properties & ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE)
		return CL_INVALID_QUEUE_PROPERTIES;
	queue = fake_object_new(QUEUE, sizeof *queue);
	queue->context = context;
	queue->device = device;
	queue->properties = properties;
	fake_hold(context);
	queue->next = fake.queues;
	fake.queues = queue;
	*queue_p = queue;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_command_queue CL_API_CALL fake_clCreateCommandQueue(cl_context context, cl_device_id device,
								    cl_command_queue_properties properties,
								    cl_int *code_p)
{
	cl_command_queue queue = NULL;
	cl_int code = fake_enter(CALL_clCreateCommandQueue);

	if (!code)
		code = make_queue(context, device, properties, &queue);
	return fake_leave_with(queue, code, code_p);
}

void fake_queue_drop(cl_command_queue queue)
{
	cl_command_queue *at = &fake.queues;

	while (*at != queue)
		at = &(*at)->next;
	*at = queue->next;
	fake_unhold(queue->context);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clRetainCommandQueue(cl_command_queue queue)
{
	cl_int code = fake_enter(CALL_clRetainCommandQueue);

	return fake_leave(code ? code : fake_retain(queue, QUEUE, CL_INVALID_COMMAND_QUEUE));
}

/* Flushes; commands that are left keep the queue. */
CL_API_ENTRY cl_int CL_API_CALL fake_clReleaseCommandQueue(cl_command_queue queue)
{
	cl_int code = fake_enter(CALL_clReleaseCommandQueue);

	if (!code && fake_is(queue, QUEUE))
		fake_flush(queue);
	return fake_leave(code ? code : fake_release(queue, QUEUE, CL_INVALID_COMMAND_QUEUE));
}

static cl_int queue_info(cl_command_queue queue, cl_command_queue_info what, size_t room, void *to,
			 size_t *bytes_p)
{
	if (!fake_is(queue, QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	switch (what) {
	case CL_QUEUE_CONTEXT:
		return FAKE_ANSWER(queue->context, room, to, bytes_p);
	case CL_QUEUE_DEVICE:
		return FAKE_ANSWER(queue->device, room, to, bytes_p);
	case CL_QUEUE_REFERENCE_COUNT:
		return FAKE_ANSWER(queue->object.refs, room, to, bytes_p);
	case CL_QUEUE_PROPERTIES:
		return FAKE_ANSWER(queue->properties, room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what,
							   size_t room, void *to, size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetCommandQueueInfo);

	return fake_leave(code ? code : queue_info(queue, what, room, to, bytes_p));
}
