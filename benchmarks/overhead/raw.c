/* raw.c - the same work by hand, in OpenCL. */

#include "overhead/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hand.h"

/* ---- devices ----------------------------------------------------------------------------------- */

/* Two one-unit parts of the platform's first CPU; 0 where it has none. */
static int cut_cpu(cl_platform_id platform, cl_device_id parts[2])
{
	const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_device_id cpu, all[64];
	cl_uint most = 0, count = 0;

	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &cpu, &count) != CL_SUCCESS || count == 0)
		return 0;
	clGetDeviceInfo(cpu, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL);
	if (most < 2 || most > 64 || clCreateSubDevices(cpu, equally, most, all, &count) != CL_SUCCESS ||
	    count < 2)
		return 0;
	parts[0] = all[0];
	parts[1] = all[1];
	return 1;
}

static void find_parts(cl_device_id parts[2])
{
	cl_platform_id platforms[16];
	cl_uint count = 0;

	CL(clGetPlatformIDs(16, platforms, &count));
	for (cl_uint i = 0; i < count && i < 16; i++)
		if (cut_cpu(platforms[i], parts))
			return;
	fprintf(stderr, "overhead: no platform has a CPU that can be cut into two parts\n");
	exit(77);
}

static cl_context make_context(cl_uint count, const cl_device_id *ids)
{
	cl_int code;
	const cl_context context = clCreateContext(NULL, count, ids, NULL, NULL, &code);

	hand_check(code, "clCreateContext");
	return context;
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
	cl_int code;
	const cl_kernel kernel = clCreateKernel(program, name, &code);

	hand_check(code, "clCreateKernel");
	return kernel;
}

/* Makes the rest of a device whose id and context are set. An option makes its program its own: PoCL 3.1
 * sometimes ends the process where two devices run one. */
static void open_device(struct raw_device *device, const char *source, const char *options)
{
	cl_int code;
	cl_program program;

	device->queue = clCreateCommandQueue(device->context, device->id, 0, &code);
	hand_check(code, "clCreateCommandQueue");
	program = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
	hand_check(code, "clCreateProgramWithSource");
	CL(clBuildProgram(program, 1, &device->id, options, NULL, NULL));
	device->add = kernel_of(program, "add");
	device->step = kernel_of(program, "increment");
	device->blur = kernel_of(program, "blur");
	device->settle = kernel_of(program, "settle");
	clReleaseProgram(program);
}

static void close_device(struct raw_device *device)
{
	clReleaseKernel(device->add);
	clReleaseKernel(device->step);
	clReleaseKernel(device->blur);
	clReleaseKernel(device->settle);
	clReleaseCommandQueue(device->queue);
}

void raw_open(struct raw *raw, const char *source)
{
	cl_device_id parts[2];

	find_parts(parts);
	raw->part[0].context = raw->part[1].context = make_context(2, parts);
	for (int i = 0; i < 2; i++) {
		raw->part[i].id = parts[i];
		open_device(&raw->part[i], source, i ? "-DSECOND" : "");
	}
}

void raw_close(struct raw *raw)
{
	close_device(&raw->part[0]);
	close_device(&raw->part[1]);
	clReleaseContext(raw->part[0].context);
}

static cl_platform_id platform_of(cl_device_id id)
{
	cl_platform_id platform = NULL;

	CL(clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
	return platform;
}

int raw_other_open(const struct raw *raw, const char *source, struct raw_device *other)
{
	const cl_platform_id own = platform_of(raw->part[0].id);
	cl_platform_id platforms[16];
	cl_uint count = 0, devices = 0;

	CL(clGetPlatformIDs(16, platforms, &count));
	for (cl_uint i = 0; i < count && i < 16 && devices == 0; i++)
		if (platforms[i] != own &&
		    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &other->id, &devices))
			devices = 0;
	if (devices == 0)
		return 0;
	other->context = make_context(1, &other->id);
	open_device(other, source, "-DOTHER");
	return 1;
}

void raw_other_close(struct raw_device *other)
{
	close_device(other);
	clReleaseContext(other->context);
}

void raw_name(const struct raw_device *device, char *name, size_t bytes)
{
	char platform[128] = "", hardware[128] = "";

	clGetPlatformInfo(platform_of(device->id), CL_PLATFORM_NAME, sizeof platform, platform, NULL);
	clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof hardware, hardware, NULL);
	hardware[strcspn(hardware, ",/")] = '\0'; /* which mean something in a selection */
	snprintf(name, bytes, "%s:%s", platform, hardware);
}

/* ---- memory ------------------------------------------------------------------------------------ */

cl_mem raw_over_host(cl_context context, size_t bytes, void **host_p)
{
	cl_int code;
	cl_mem mem;

	*host_p = hand_memory(bytes);
	mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes, *host_p, &code);
	hand_check(code, "clCreateBuffer");
	return mem;
}

cl_mem raw_own(cl_context context, size_t bytes)
{
	cl_int code;
	const cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);

	hand_check(code, "clCreateBuffer");
	return mem;
}

/* ---- launches ---------------------------------------------------------------------------------- */

static void set_mem(cl_kernel kernel, cl_uint index, cl_mem mem)
{
	CL(clSetKernelArg(kernel, index, sizeof mem, &mem));
}

/* `event` is NULL where nobody is going to wait for it. */
static void launch(const struct raw_device *device, cl_kernel kernel, size_t offset, size_t items,
		   const size_t *group, cl_event after, cl_event *event)
{
	CL(clEnqueueNDRangeKernel(device->queue, kernel, 1, &offset, &items, group, after != NULL,
				  after ? &after : NULL, event));
}

static void replace(cl_event *event, cl_event later)
{
	if (*event)
		clReleaseEvent(*event);
	*event = later;
}

cl_event raw_chain(struct raw *raw, const cl_mem mem[3], int launches, size_t items, size_t group)
{
	const struct raw_device *const device = &raw->part[0];
	cl_event last = NULL;

	for (int i = 0; i < launches; i++) {
		for (cl_uint a = 0; a < 3; a++)
			set_mem(device->add, a, mem[a]);
		launch(device, device->add, 0, items, &group, NULL, i + 1 < launches ? NULL : &last);
	}
	return last;
}

cl_event raw_arrays(struct raw *raw, enum raw_arrays kind, const cl_mem *mem, int arrays, int first,
		    int launches, size_t items)
{
	const struct raw_device *const device = &raw->part[0];
	const int of_two = kind == RAW_CHAIN || kind == RAW_HALF_CHAIN;
	const int of_half = kind == RAW_HALF || kind == RAW_HALF_CHAIN;
	const cl_kernel kernel = of_two ? device->add : device->step;
	const size_t part = of_half ? items / 2 : items;
	cl_event last = NULL;

	for (int i = first; i < first + launches; i++) {
		const size_t from = of_half ? (size_t)(i / arrays % 2) * part : 0;

		set_mem(kernel, 0, mem[i % arrays]);
		for (int a = 1; a < 3 && of_two; a++)
			set_mem(kernel, (cl_uint)a, mem[(i + arrays - a) % arrays]);
		launch(device, kernel, from, part, &part, NULL, i + 1 < first + launches ? NULL : &last);
	}
	return last;
}

void raw_boxes(struct raw *raw, const cl_mem mem[2], int launches, size_t items, cl_event last[2])
{
	const size_t half = items / 2;

	last[0] = last[1] = NULL;
	for (int i = 0; i < launches; i += 2) {
		cl_event now[2];

		for (int d = 0; d < 2; d++) {
			const struct raw_device *const device = &raw->part[d];
			set_mem(device->blur, 0, mem[1 - i / 2 % 2]);
			set_mem(device->blur, 1, mem[i / 2 % 2]);
			launch(device, device->blur, 1 + (size_t)d * half, half, &half, last[1 - d], &now[d]);
		}
		for (int d = 0; d < 2; d++) {
			CL(clFlush(raw->part[d].queue));
			replace(&last[d], now[d]);
		}
	}
}

void raw_bands(struct raw *raw, const cl_mem mem[2], int bands, size_t items, cl_event last[2])
{
	const size_t group = RAW_BAND_GROUP;
	cl_event *const made = hand_memory((size_t)bands * sizeof *made);

	for (int d = 0; d < 2; d++) {
		const struct raw_device *const device = &raw->part[d];

		set_mem(device->settle, 0, mem[d]);
		set_mem(device->settle, 1, mem[1 - d]);
		for (int i = 0; i < bands; i++)
			launch(device, device->settle, (size_t)i * items, items, &group, d ? made[i] : NULL,
			       d == 0 ? &made[i] : i + 1 < bands ? NULL : &last[1]);
		CL(clFlush(device->queue));
	}
	for (int i = 0; i + 1 < bands; i++)
		clReleaseEvent(made[i]);
	last[0] = made[bands - 1];
	free(made);
}

void raw_wait(struct raw_device *device, cl_event last)
{
	CL(clFlush(device->queue));
	CL(clWaitForEvents(1, &last));
	clReleaseEvent(last);
}

/* ---- hops -------------------------------------------------------------------------------------- */

void raw_hops(struct raw *raw, enum raw_hop kind, const cl_mem mem[2], int steps, size_t items, size_t bytes)
{
	cl_event last = NULL;

	for (int i = 0; i < steps; i++) {
		const int d = i % 2;
		const struct raw_device *const device = &raw->part[d];
		cl_event now;

		if (kind == RAW_COPY) { /* also at first: the data are where the last round left them */
			cl_event copied;

			CL(clEnqueueCopyBuffer(device->queue, mem[1 - d], mem[d], 0, 0, bytes, last != NULL,
					       last ? &last : NULL, &copied));
			replace(&last, copied);
		}
		set_mem(device->step, 0, mem[kind == RAW_COPY ? d : 0]);
		launch(device, device->step, 0, items, &(size_t){RAW_HOP_GROUP}, last, &now);
		replace(&last, now);
		CL(clFlush(device->queue));
	}
	raw_wait(&raw->part[1 - steps % 2], last);
}

void raw_cross_hops(struct raw_device *const device[2], const cl_mem mem[2], int steps, size_t items,
		    size_t bytes, void *staging)
{
	cl_event last = NULL;

	for (int i = 0; i < steps; i++) {
		const int d = i % 2;

		CL(clEnqueueReadBuffer(device[1 - d]->queue, mem[1 - d], CL_TRUE, 0, bytes, staging, 0, NULL,
				       NULL));
		CL(clEnqueueWriteBuffer(device[d]->queue, mem[d], CL_FALSE, 0, bytes, staging, 0, NULL, NULL));
		set_mem(device[d]->step, 0, mem[d]);
		launch(device[d], device[d]->step, 0, items, &(size_t){RAW_HOP_GROUP}, NULL,
		       i + 1 < steps ? NULL : &last);
		CL(clFlush(device[d]->queue));
	}
	raw_wait(device[1 - steps % 2], last);
}
