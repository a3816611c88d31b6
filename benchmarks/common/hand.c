/* hand.c - devices, kernels and errors of the versions written by hand. */

#include "common/hand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "must.h"

#define MANY 64
#define HUGE_FROM ((size_t)4 << 20)

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "by hand: %s %s\n", what, name);
	exit(EXIT_FAILURE);
}

void hand_check(cl_int code, const char *call)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "by hand: %.*s returned %d\n", (int)strcspn(call, "("), call, (int)code);
	exit(EXIT_FAILURE);
}

/* ---- devices ----------------------------------------------------------------------------------- */

static cl_platform_id find_platform(const char *name)
{
	cl_platform_id platforms[MANY];
	cl_uint count = 0;
	char text[256];

	CL(clGetPlatformIDs(MANY, platforms, &count));
	for (cl_uint i = 0; i < count && i < MANY; i++) {
		CL(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL));
		if (!strcmp(text, name))
			return platforms[i];
	}
	fail("no platform is called", name);
	return NULL;
}

static cl_device_type type_of(const struct het_device_info *info)
{
	switch (info->type) {
	case HET_DEVICE_CPU:
		return CL_DEVICE_TYPE_CPU;
	case HET_DEVICE_GPU:
		return CL_DEVICE_TYPE_GPU;
	case HET_DEVICE_ACCELERATOR:
		return CL_DEVICE_TYPE_ACCELERATOR;
	default:
		return CL_DEVICE_TYPE_ALL;
	}
}

/* Cuts a device into equal parts, and returns the one of this number. */
static cl_device_id cut(cl_device_id whole, const struct het_device_info *info, unsigned part)
{
	const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY,
							(cl_device_partition_property)info->compute_units, 0};
	cl_device_id parts[HAND_DEVICES_MOST];
	cl_uint count = 0;

	CL(clCreateSubDevices(whole, equally, HAND_DEVICES_MOST, parts, &count));
	if (part >= count)
		fail("no such part:", info->name);
	for (unsigned i = 0; i < count; i++)
		if (i != part)
			clReleaseDevice(parts[i]);
	return parts[part];
}

/* By the numbers at the end of a stable name, "pocl:cpu0.1": of the platform's device, and of its part. */
static cl_device_id find_device(const struct het_device_info *info)
{
	const char *const kind = strchr(info->name, ':') ? strchr(info->name, ':') : info->name;
	const char *const digits = strpbrk(kind, "0123456789");
	cl_device_id devices[MANY];
	cl_uint count = 0;
	unsigned number = 0, part = 0;
	int found;

	if (!digits)
		fail("a device without a number:", info->name);
	found = sscanf(digits, "%u.%u", &number, &part);
	CL(clGetDeviceIDs(find_platform(info->platform), type_of(info), MANY, devices, &count));
	if (number >= count || number >= MANY)
		fail("no device", info->name);
	return found == 2 ? cut(devices[number], info, part) : devices[number];
}

static cl_platform_id platform_of(cl_device_id device)
{
	cl_platform_id platform = NULL;

	CL(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
	return platform;
}

/* One context for all devices of the platform of device number `d`. */
static void make_context(struct hand *hand, int d)
{
	cl_device_id devices[HAND_DEVICES_MOST];
	cl_uint count = 0;
	cl_context context;
	cl_int code;

	for (int i = 0; i < hand->count; i++)
		if (platform_of(hand->device[i]) == platform_of(hand->device[d]))
			devices[count++] = hand->device[i];
	context = clCreateContext(NULL, count, devices, NULL, NULL, &code);
	hand_check(code, "clCreateContext");
	hand->contexts++;
	for (int i = 0; i < hand->count; i++)
		if (platform_of(hand->device[i]) == platform_of(hand->device[d]))
			hand->context[i] = context;
}

cl_command_queue hand_queue(const struct hand *hand, int d)
{
	cl_int code;
	const cl_command_queue queue = clCreateCommandQueue(hand->context[d], hand->device[d], 0, &code);

	hand_check(code, "clCreateCommandQueue");
	return queue;
}

void hand_open(struct hand *hand, het_system *like)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	memset(hand, 0, sizeof *hand);
	hand->count = het_device_count(like);
	if (hand->count > HAND_DEVICES_MOST)
		fail("too many devices:", "at most 256");
	for (int d = 0; d < hand->count; d++) {
		must(het_device_info(het_device(like, d), &info));
		hand->device[d] = find_device(&info);
	}
	for (int d = 0; d < hand->count; d++) {
		if (!hand->context[d])
			make_context(hand, d);
		hand->queue[d] = hand_queue(hand, d);
	}
}

void hand_close(struct hand *hand)
{
	for (int d = 0; d < hand->count; d++) {
		int first = 1;

		clReleaseCommandQueue(hand->queue[d]);
		if (hand->program[d])
			clReleaseProgram(hand->program[d]);
		for (int i = 0; i < d; i++)
			first = first && hand->context[i] != hand->context[d];
		if (first)
			clReleaseContext(hand->context[d]);
	}
	for (int d = 0; d < hand->count; d++)
		clReleaseDevice(hand->device[d]);
}

/* ---- kernels and memory ------------------------------------------------------------------------ */

static char *read_text(const char *path)
{
	FILE *const file = fopen(path, "rb");
	long bytes = -1;
	char *text = NULL;

	if (file && !fseek(file, 0, SEEK_END))
		bytes = ftell(file);
	if (bytes >= 0 && !fseek(file, 0, SEEK_SET))
		text = calloc((size_t)bytes + 1, 1);
	if (!text || fread(text, 1, (size_t)bytes, file) != (size_t)bytes)
		fail("cannot read", path);
	fclose(file);
	return text;
}

/* An option makes each device's program its own: PoCL 3.1 sometimes ends the process where two run one. */
static void build(cl_program program, cl_device_id device, int d, const char *path)
{
	char options[32], *log;
	size_t bytes = 0;

	snprintf(options, sizeof options, "-DDEVICE_NUMBER=%d", d);
	if (clBuildProgram(program, 1, &device, options, NULL, NULL) == CL_SUCCESS)
		return;
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
	log = calloc(bytes + 1, 1);
	if (log && clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) == CL_SUCCESS)
		fprintf(stderr, "%s\n", log);
	fail("cannot build", path);
}

/* Gives a device the program of another file, in place of the one that it has. */
static void take_program(struct hand *hand, int d, const char *path)
{
	char *const text = read_text(path);
	const char *source = text;
	cl_int code;

	if (hand->program[d])
		clReleaseProgram(hand->program[d]);
	hand->program[d] = clCreateProgramWithSource(hand->context[d], 1, &source, NULL, &code);
	hand_check(code, "clCreateProgramWithSource");
	hand->path[d] = path;
	build(hand->program[d], hand->device[d], d, path);
	free(text);
}

cl_kernel hand_kernel(struct hand *hand, int d, const char *path, const char *name)
{
	cl_kernel kernel;
	cl_int code;

	if (!hand->program[d] || strcmp(hand->path[d], path))
		take_program(hand, d, path);
	kernel = clCreateKernel(hand->program[d], name, &code);
	hand_check(code, "clCreateKernel");
	return kernel;
}

cl_mem hand_buffer(const struct hand *hand, int d, cl_mem_flags flags, size_t bytes, void *host)
{
	cl_int code;
	const cl_mem mem = clCreateBuffer(hand->context[d], flags, bytes, host, &code);

	hand_check(code, "clCreateBuffer");
	return mem;
}

void hand_spoil_memory(void *memory, size_t bytes)
{
	memset(memory, 0xff, bytes);
}

void hand_spoil(const struct hand *hand, int d, cl_mem mem, size_t bytes)
{
	const double nan = NAN;

	CL(clEnqueueFillBuffer(hand->queue[d], mem, &nan, sizeof nan, 0, bytes, 0, NULL, NULL));
	CL(clFinish(hand->queue[d]));
}

/* What is large is asked for in huge pages, as the library's is. */
void *hand_memory(size_t bytes)
{
	const size_t whole = (bytes + 4095) / 4096 * 4096;
	void *const memory = aligned_alloc(4096, whole);

	if (!memory)
		fail("no memory", "");
	if (bytes >= HUGE_FROM)
		(void)madvise(memory, whole, MADV_HUGEPAGE);
	memset(memory, 0, bytes);
	return memory;
}
