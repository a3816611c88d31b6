/* context.c - contexts and command queues. */
#include "cl/check.h"

het_status het__cl_context_create(cl_platform_id platform, cl_uint count, const cl_device_id *devices,
                                  const char *device, cl_context *context_p)
{
	const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
	cl_int code;
	const cl_context context = clCreateContext(properties, count, devices, NULL, NULL, &code);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clCreateContext", device, "context of %u device%s",
		                      (unsigned)count, count == 1 ? "" : "s");
	*context_p = context;
	return HET_OK;
}

void het__cl_context_retain(cl_context context)
{
	clRetainContext(context);
}

void het__cl_context_release(cl_context context)
{
	if (context)
		clReleaseContext(context);
}

het_status het__cl_queue_create(cl_context context, cl_device_id id, const char *device, bool profile,
                                struct het__queue *queue)
{
	const cl_command_queue_properties properties = profile ? CL_QUEUE_PROFILING_ENABLE : 0;
	cl_int code;
	const cl_command_queue cl = clCreateCommandQueue(context, id, properties, &code);

	if (code != CL_SUCCESS)
		return het__cl_failed(code, "clCreateCommandQueue", device, "command queue");
	queue->cl = cl;
	queue->device = device;
	return HET_OK;
}

void het__cl_queue_retain(const struct het__queue *queue)
{
	clRetainCommandQueue(queue->cl);
}

void het__cl_queue_release(struct het__queue *queue)
{
	if (queue->cl)
		clReleaseCommandQueue(queue->cl);
	queue->cl = NULL;
}

int het__cl_flush_code(const struct het__queue *queue)
{
	return clFlush(queue->cl);
}

het_status het__cl_not_flushed(const struct het__queue *queue, int code)
{
	return het__cl_failed(code, "clFlush", queue->device, "flushing a queue");
}

het_status het__cl_flush(const struct het__queue *queue)
{
	const int code = het__cl_flush_code(queue);

	return code == CL_SUCCESS ? HET_OK : het__cl_not_flushed(queue, code);
}

het_status het__cl_finish(const struct het__queue *queue)
{
	const cl_int code = clFinish(queue->cl);

	return code == CL_SUCCESS ? HET_OK
	                          : het__cl_failed(code, "clFinish", queue->device, "finishing a queue");
}
