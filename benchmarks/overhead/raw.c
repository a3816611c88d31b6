/* raw.c - the same work by hand, in OpenCL. */

#include "overhead/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cl_int code, const char *call)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "overhead: %s returned %d\n", call, (int)code);
	exit(1);
}

/* Two one-unit parts of the platform's first CPU; 0 where it has none. */
static int cut_cpu(cl_platform_id platform, cl_device_id parts[2])
{
	const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_device_id cpu, all[64];
	cl_uint most = 0, count = 0;

	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &cpu, &count) != CL_SUCCESS || count == 0)
		return 0;
	clGetDeviceInfo(cpu, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL);
	if (most < 2 || most > 64 || clCreateSubDevices(cpu, equally, most, all, &count) != CL_SUCCESS || count < 2)
		return 0;
	parts[0] = all[0];
	parts[1] = all[1];
	return 1;
}

static void find_devices(struct raw *raw)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;

	check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
	for (cl_uint i = 0; i < count && i < 16; i++)
		if (cut_cpu(platforms[i], raw->device))
			return;
	fprintf(stderr, "overhead: no platform has a CPU that can be cut into two parts\n");
	exit(77);
}

static void build(struct raw *raw, const char *source)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(raw->context, 1, &source, NULL, &code);

	check(code, "clCreateProgramWithSource");
	check(clBuildProgram(program, 2, raw->device, "", NULL, NULL), "clBuildProgram");
	raw->add = clCreateKernel(program, "add", &code);
	check(code, "clCreateKernel");
	for (int i = 0; i < 2; i++) {
		raw->step[i] = clCreateKernel(program, "increment", &code);
		check(code, "clCreateKernel");
	}
	clReleaseProgram(program);
}

static cl_mem over_host(struct raw *raw, int which, size_t bytes)
{
	cl_int code;
	cl_mem mem;

	raw->host[which] = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	if (!raw->host[which])
		check(CL_OUT_OF_HOST_MEMORY, "aligned_alloc");
	memset(raw->host[which], 0, bytes);
	mem = clCreateBuffer(raw->context, CL_MEM_USE_HOST_PTR, bytes, raw->host[which], &code);
	check(code, "clCreateBuffer");
	return mem;
}

void raw_open(struct raw *raw, const char *source, size_t chain_bytes, size_t hop_bytes)
{
	cl_int code;

	memset(raw, 0, sizeof *raw);
	find_devices(raw);
	raw->context = clCreateContext(NULL, 2, raw->device, NULL, NULL, &code);
	check(code, "clCreateContext");
	for (int i = 0; i < 2; i++) {
		raw->queue[i] = clCreateCommandQueue(raw->context, raw->device[i], 0, &code);
		check(code, "clCreateCommandQueue");
		raw->own[i] = clCreateBuffer(raw->context, CL_MEM_READ_WRITE, hop_bytes, NULL, &code);
		check(code, "clCreateBuffer");
	}
	for (int i = 0; i < 3; i++)
		raw->small[i] = over_host(raw, i, chain_bytes);
	raw->shared = over_host(raw, 3, hop_bytes);
	build(raw, source);
}

void raw_close(struct raw *raw)
{
	for (int i = 0; i < 2; i++) {
		clReleaseMemObject(raw->own[i]);
		clReleaseKernel(raw->step[i]);
		clReleaseCommandQueue(raw->queue[i]);
	}
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(raw->small[i]);
	clReleaseMemObject(raw->shared);
	clReleaseKernel(raw->add);
	clReleaseContext(raw->context);
	for (int i = 0; i < 4; i++)
		free(raw->host[i]);
}

cl_event raw_chain(struct raw *raw, int launches, size_t items)
{
	cl_event last = NULL;

	for (int i = 0; i < launches; i++) {
		cl_event event;

		for (cl_uint a = 0; a < 3; a++)
			check(clSetKernelArg(raw->add, a, sizeof(cl_mem), &raw->small[a]), "clSetKernelArg");
		check(clEnqueueNDRangeKernel(raw->queue[0], raw->add, 1, NULL, &items, &items, 0, NULL, &event),
		      "clEnqueueNDRangeKernel");
		if (last)
			clReleaseEvent(last);
		last = event;
	}
	return last;
}

void raw_wait(struct raw *raw, cl_event last)
{
	check(clFlush(raw->queue[0]), "clFlush");
	check(clWaitForEvents(1, &last), "clWaitForEvents");
	clReleaseEvent(last);
}

static cl_event raw_step(struct raw *raw, int device, cl_mem mem, size_t items, cl_event after)
{
	cl_event event;

	check(clSetKernelArg(raw->step[device], 0, sizeof mem, &mem), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(raw->queue[device], raw->step[device], 1, NULL, &items, NULL, after != NULL,
	                             after ? &after : NULL, &event),
	      "clEnqueueNDRangeKernel");
	check(clFlush(raw->queue[device]), "clFlush");
	if (after)
		clReleaseEvent(after);
	return event;
}

void raw_hops(struct raw *raw, enum raw_hop kind, int hops, size_t items, size_t bytes)
{
	cl_event last = NULL;

	for (int i = 0; i < 2 * hops; i++) {
		int device = i % 2;
		cl_mem mem = kind == RAW_SHARED ? raw->shared : raw->own[device];

		if (kind == RAW_COPY) { /* also at first: the data are where the last round left them */
			cl_event copied;

			check(clEnqueueCopyBuffer(raw->queue[device], raw->own[1 - device], mem, 0, 0, bytes, last != NULL,
			                          last ? &last : NULL, &copied),
			      "clEnqueueCopyBuffer");
			if (last)
				clReleaseEvent(last);
			last = copied;
		}
		last = raw_step(raw, device, mem, items, last);
	}
	check(clWaitForEvents(1, &last), "clWaitForEvents");
	clReleaseEvent(last);
}
