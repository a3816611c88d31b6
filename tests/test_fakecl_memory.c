/* test_fakecl_memory.c - the fake driver: machines from files, separate memories, what OpenCL forbids. */
#include "fakes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "platforms.h"

#define N 64
#define POISON 0xDBDBDBDB

static const char set_text[] = "kernel void set(global int *x, int v) { x[get_global_id(0)] = v; }";

/* ---- machines ----------------------------------------------------------------------------------- */

static cl_ulong number(cl_device_id device, cl_device_info what, size_t bytes)
{
	cl_ulong value = 0;

	done(clGetDeviceInfo(device, what, bytes, &value, NULL));
	return value;
}

START_TEST(machine_is_as_its_file_says)
{
	cl_platform_id platforms[4];
	cl_device_id cpu, card;
	cl_uint count;
	char name[64];

	ck_assert(het_test_fake_driver("three-platforms"));
	done(clGetPlatformIDs(4, platforms, &count));
	ck_assert_uint_eq(count, 3);
	for (cl_uint p = 0; p < 3; p++) {
		done(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL));
		if (strcmp(name, "Fake Works") == 0)
			done(clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_CPU, 1, &cpu, NULL));
		if (strcmp(name, "Mock Brothers") == 0)
			done(clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_GPU, 1, &card, NULL));
	}
	ck_assert_int_eq(clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ACCELERATOR, 1, &cpu, NULL),
			 CL_DEVICE_NOT_FOUND);
	ck_assert_uint_eq(number(cpu, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)), 1);
	ck_assert_uint_eq(number(cpu, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)), 2);
	ck_assert_uint_ne(number(cpu, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_ulong)), 0);
	ck_assert_uint_eq(number(card, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)), 0);
	ck_assert_uint_eq(number(card, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_ulong)), 0);
	ck_assert_uint_eq(number(card, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong)), 32 << 20);
	ck_assert_uint_eq(number(card, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong)), 8 << 20);
	ck_assert_uint_eq(number(card, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)), 64);
	ck_assert_uint_eq(number(card, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(cl_uint)), 128 * 8);
}
END_TEST

static const char *machine_text;

static void read_machine(void)
{
	cl_uint count;
	const char *const path = het_test_file("bad.machine", machine_text);

	ck_assert(het_test_fake_driver(path));
	ck_assert_int_ne(clGetPlatformIDs(0, NULL, &count), CL_SUCCESS);
}

START_TEST(machine_files_with_mistakes_are_refused)
{
	static const struct {
		const char *text, *words;
	} files[] = {
		{"# none\ndevice gpu\n", "bad.machine:2: a device before the first platform"},
		{"platform A\n\ndevice gpu\n colour red\n", "bad.machine:4: no such setting: 'colour'"},
		{"platform A\ndevice gpu\nsize 3X\n", "bad.machine:3: not a number: '3X'"},
		{"platform A\ndevice gpu\nalign 96\n", "bad.machine:3: not a power of two: '96'"},
		{"platform A\ndevice abacus\n", "bad.machine:2: a device is cpu, gpu or accelerator"},
		{"platform A\nunits 3\n", "bad.machine:2: a setting outside of a device"},
		{"platform A\ndevice gpu\nfp64 perhaps\n", "bad.machine:3: neither yes nor no"},
		{"platform\n", "bad.machine:1: nothing is said about 'platform'"},
	};

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		const char *said;
		int status;

		machine_text = files[i].text;
		said = said_by(read_machine, &status);
		ck_assert_int_eq(status, 0);
		ck_assert_msg(strstr(said, files[i].words) != NULL, "\"%s\" is not in: %s", files[i].words,
			      said);
	}
}
END_TEST

START_TEST(devices_are_cut_into_parts)
{
	const cl_device_partition_property by_two[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0},
					   by_eight[] = {CL_DEVICE_PARTITION_EQUALLY, 8, 0};
	struct seat seat = seat_open("cut-cpu");
	cl_device_id parts[4], parent;
	cl_uint count;

	ck_assert_int_eq(clCreateSubDevices(seat.device[0], by_eight, 4, parts, &count),
			 CL_DEVICE_PARTITION_FAILED);
	done(clCreateSubDevices(seat.device[0], by_two, 4, parts, &count));
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(number(parts[1], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)), 2);
	done(clGetDeviceInfo(parts[1], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
	ck_assert_ptr_eq(parent, seat.device[0]);
	for (cl_uint i = 0; i < count; i++)
		done(clReleaseDevice(parts[i]));
	seat_close(&seat);
}
END_TEST

/* ---- memories ----------------------------------------------------------------------------------- */

START_TEST(fresh_memory_is_poisoned)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));

	for (size_t i = 0; i < N; i++)
		ck_assert_uint_eq((unsigned)element_of(seat.queue[0], mem, i), POISON);
	done(clReleaseMemObject(mem));
	seat_close(&seat);
}
END_TEST

START_TEST(wrapped_memory_of_a_cpu_is_the_hosts)
{
	struct seat seat = seat_open("cut-cpu");
	int host[N] = {1, 2, 3};
	cl_int code;
	cl_mem mem = clCreateBuffer(seat.context, CL_MEM_USE_HOST_PTR, sizeof host, host, &code);

	done(code);
	host[1] = 20;
	ck_assert_int_eq(element_of(seat.queue[0], mem, 1), 20);
	done(clReleaseMemObject(mem));
	seat_close(&seat);
}
END_TEST

START_TEST(copies_go_between_memories)
{
	struct seat seat = seat_open("one-context");
	cl_mem from = buffer(&seat, N * sizeof(int)), to = buffer(&seat, N * sizeof(int));
	const int value = 5;

	done(clEnqueueFillBuffer(seat.queue[0], from, &value, sizeof value, 0, N * sizeof(int), 0, NULL, NULL));
	done(clEnqueueCopyBuffer(seat.queue[0], from, to, 0, 8, 16, 0, NULL, NULL));
	done(clFinish(seat.queue[0]));
	ck_assert_int_eq(element_of(seat.queue[1], to, 2), 5); /* at home with the second card now */
	ck_assert_uint_eq((unsigned)element_of(seat.queue[1], to, 6), POISON);
	done(clEnqueueCopyBuffer(seat.queue[1], to, from, 0, 0, 4, 0, NULL, NULL));
	done(clFinish(seat.queue[1]));
	ck_assert_uint_eq((unsigned)element_of(seat.queue[0], from, 0), POISON);
	done(clReleaseMemObject(from));
	done(clReleaseMemObject(to));
	seat_close(&seat);
}
END_TEST

/* What was copied to before it had a home keeps that when it finds one, be it the host's own bytes. */
START_TEST(copies_are_kept_in_wrapped_memory)
{
	static const char machine[] = "platform A\ndevice cpu\ndevice gpu\nmemory own\nsize 64M\n";
	struct seat seat = seat_open(het_test_file("mixed.machine", machine));
	const cl_uint card =
		number(seat.device[0], CL_DEVICE_TYPE, sizeof(cl_device_type)) == CL_DEVICE_TYPE_CPU;
	int host[N] = {1, 2, 3};
	const int value = 5;
	cl_int code;
	cl_mem from = buffer(&seat, sizeof host);
	cl_mem to = clCreateBuffer(seat.context, CL_MEM_USE_HOST_PTR, sizeof host, host, &code);

	done(code);
	done(clEnqueueFillBuffer(seat.queue[card], from, &value, sizeof value, 0, sizeof host, 0, NULL, NULL));
	done(clEnqueueCopyBuffer(seat.queue[card], from, to, 0, 4, 4, 0, NULL, NULL));
	done(clFinish(seat.queue[card]));
	ck_assert_int_eq(element_of(seat.queue[1 - card], to, 1), 5);
	ck_assert_int_eq(element_of(seat.queue[1 - card], to, 2), 3);
	done(clReleaseMemObject(from));
	done(clReleaseMemObject(to));
	seat_close(&seat);
}
END_TEST

static void launch_in_second_memory(void)
{
	struct seat seat = seat_open("one-context");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	cl_kernel set = kernel_of(&seat, set_text, "set");

	(void)element_of(seat.queue[0], mem, 0);
	set_mem(set, 0, mem);
	set_int(set, 1, 7);
	launch(seat.queue[1], set, N, NULL);
}

static void read_in_second_memory(void)
{
	struct seat seat = seat_open("one-context");
	cl_mem mem = buffer(&seat, N * sizeof(int));

	(void)element_of(seat.queue[0], mem, 0);
	(void)element_of(seat.queue[1], mem, 0);
}

START_TEST(second_memory_is_trapped)
{
	assert_dies(launch_in_second_memory, "fakecl: clEnqueueNDRangeKernel: cl_mem #");
	assert_dies(read_in_second_memory, "is used by 'Fake card 1', whose memory is 'own 1'");
}
END_TEST

START_TEST(second_memory_may_be_counted)
{
	struct seat seat = seat_open("one-context");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	const int value = 5;

	ck_assert_int_eq(control("violations count"), 0);
	done(clEnqueueWriteBuffer(seat.queue[0], mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
	ck_assert_int_eq(control("count violations"), 0);
	ck_assert_uint_eq((unsigned)element_of(seat.queue[1], mem, 0), POISON);
	ck_assert_int_eq(element_of(seat.queue[0], mem, 0), 5);
	ck_assert_int_eq(control("count violations"), 1);
}
END_TEST

/* ---- regions and alignment ---------------------------------------------------------------------- */

START_TEST(parts_of_buffers_are_aligned)
{
	struct seat seat = seat_open("one-context"); /* 128 and 512 */
	cl_mem mem = buffer(&seat, 4096), part;
	cl_buffer_region region = {64, 64};
	cl_int code;
	int value;

	part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	ck_assert_ptr_null(part);
	ck_assert_int_eq(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
	region.origin = 128;
	part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	done(code);
	ck_assert_int_eq(clEnqueueReadBuffer(seat.queue[1], part, CL_TRUE, 0, 4, &value, 0, NULL, NULL),
			 CL_MISALIGNED_SUB_BUFFER_OFFSET);
	done(clEnqueueReadBuffer(seat.queue[0], part, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
	ck_assert_int_eq(clEnqueueReadBuffer(seat.queue[0], part, CL_TRUE, 62, 4, &value, 0, NULL, NULL),
			 CL_INVALID_VALUE);
	region.size = 4096;
	ck_assert_ptr_null(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
	ck_assert_int_eq(code, CL_INVALID_VALUE);
	done(clReleaseMemObject(part));
	done(clReleaseMemObject(mem));
	seat_close(&seat);
}
END_TEST

START_TEST(flags_agree)
{
	static const struct {
		cl_mem_flags whole, part;
		cl_int code;
		cl_mem_flags flags; /* of the part */
	} cases[] = {
		{CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE, 0},
		{CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, CL_INVALID_VALUE, 0},
		{CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE, 0},
		{CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE, 0},
		{0, CL_MEM_ALLOC_HOST_PTR, CL_INVALID_VALUE, 0},
		{0, CL_MEM_READ_ONLY, CL_SUCCESS, CL_MEM_READ_ONLY},
		{CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, CL_MEM_HOST_NO_ACCESS, CL_SUCCESS,
		 CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR | CL_MEM_HOST_NO_ACCESS},
	};
	const cl_buffer_region all = {0, N};
	struct seat seat = seat_open("one-gpu");
	cl_mem_flags flags;
	cl_int code;

	ck_assert_ptr_null(
		clCreateBuffer(seat.context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, N, NULL, &code));
	ck_assert_int_eq(code, CL_INVALID_VALUE);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		cl_mem whole = clCreateBuffer(seat.context, cases[i].whole, N, NULL, &code), part;

		done(code);
		part = clCreateSubBuffer(whole, cases[i].part, CL_BUFFER_CREATE_TYPE_REGION, &all, &code);
		ck_assert_int_eq(code, cases[i].code);
		if (part) {
			done(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
			ck_assert_uint_eq(flags, cases[i].flags);
			done(clReleaseMemObject(part));
		}
		done(clReleaseMemObject(whole));
	}
	seat_close(&seat);
}
END_TEST

/* Memory is aligned as the device says, and no better. */
START_TEST(memory_is_aligned_no_better_than_promised)
{
	static const char text[] = "kernel void where(global ulong *x) { x[0] = (ulong)x; }";
	struct seat seat = seat_open("one-gpu"); /* 512 */
	cl_kernel where = kernel_of(&seat, text, "where");

	for (size_t bytes = 8; bytes < 40000; bytes = bytes * 3 + 5) {
		cl_mem mem = buffer(&seat, bytes);
		cl_ulong address;

		set_mem(where, 0, mem);
		launch(seat.queue[0], where, 1, NULL);
		done(clEnqueueReadBuffer(seat.queue[0], mem, CL_TRUE, 0, 8, &address, 0, NULL, NULL));
		ck_assert_uint_eq(address % 1024, 512);
		done(clReleaseMemObject(mem));
	}
	done(clReleaseKernel(where));
	seat_close(&seat);
}
END_TEST

static cl_int copy_columns(const struct seat *seat, cl_mem mem, size_t from, size_t to, size_t width)
{
	const size_t from_at[3] = {from, 0, 0}, to_at[3] = {to, 0, 0}, region[3] = {width, 4, 1};

	return clEnqueueCopyBufferRect(seat->queue[0], mem, mem, from_at, to_at, region, 16, 64, 16, 64, 0,
				       NULL, NULL);
}

START_TEST(overlapping_copies_are_refused)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, 4096);
	cl_command_queue queue = seat.queue[0];

	ck_assert_int_eq(clEnqueueCopyBuffer(queue, mem, mem, 0, 15, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
	ck_assert_int_eq(clEnqueueCopyBuffer(queue, mem, mem, 15, 0, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
	done(clEnqueueCopyBuffer(queue, mem, mem, 0, 16, 16, 0, NULL, NULL));
	done(copy_columns(&seat, mem, 0, 8, 8));
	done(copy_columns(&seat, mem, 8, 0, 8));
	ck_assert_int_eq(copy_columns(&seat, mem, 0, 7, 8), CL_MEM_COPY_OVERLAP);
	ck_assert_int_eq(copy_columns(&seat, mem, 4, 12, 9), CL_MEM_COPY_OVERLAP);
	done(clFinish(queue));
	done(clReleaseMemObject(mem));
	seat_close(&seat);
}
END_TEST

START_TEST(regions_stay_inside)
{
	static const size_t start[3] = {0, 0, 0}, region[3] = {8, 4, 2}, empty[3] = {8, 0, 2};
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, 120); /* just enough: (1 * 64 + 3 * 16 + 8) */
	cl_command_queue queue = seat.queue[0];
	const cl_uchar zero = 0;
	char host[256];

#define READ(what, row, slice)                                                                                 \
	clEnqueueReadBufferRect(queue, mem, CL_TRUE, start, start, what, row, slice, 8, 32, host, 0, NULL, NULL)
	done(READ(region, 16, 64));
	ck_assert_int_eq(READ(region, 16, 80), CL_INVALID_VALUE);
	ck_assert_int_eq(READ(region, 7, 64), CL_INVALID_VALUE);
	ck_assert_int_eq(READ(region, 12, 64), CL_INVALID_VALUE); /* slices are whole rows */
	ck_assert_int_eq(READ(empty, 16, 64), CL_INVALID_VALUE);
	ck_assert_int_eq(clEnqueueReadBuffer(queue, mem, CL_TRUE, 100, 21, host, 0, NULL, NULL),
			 CL_INVALID_VALUE);
	ck_assert_int_eq(clEnqueueFillBuffer(queue, mem, &zero, 3, 0, 30, 0, NULL, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(clEnqueueFillBuffer(queue, mem, "abcd", 4, 2, 8, 0, NULL, NULL), CL_INVALID_VALUE);
	done(clReleaseMemObject(mem));
	seat_close(&seat);
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------------- */

START_TEST(memory_can_be_full)
{
	struct seat seat = seat_open("one-gpu"); /* 64 MiB, 32 at once */
	cl_mem one, two;
	cl_int code;

	ck_assert_ptr_null(clCreateBuffer(seat.context, 0, (32 << 20) + 1, NULL, &code));
	ck_assert_int_eq(code, CL_INVALID_BUFFER_SIZE);
	one = buffer(&seat, 32 << 20);
	two = buffer(&seat, 30 << 20);
	ck_assert_int_eq(control("used 1"), 62 << 20);
	ck_assert_ptr_null(clCreateBuffer(seat.context, 0, 3 << 20, NULL, &code));
	ck_assert_int_eq(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
	done(clReleaseMemObject(two));
	two = buffer(&seat, 3 << 20);
	done(clReleaseMemObject(two));
	done(clReleaseMemObject(one));
	ck_assert_int_eq(control("used 1"), 0);
	seat_close(&seat);
}
END_TEST

/* In one context with a device that has room for it. */
START_TEST(a_buffer_can_be_too_large_for_one_device)
{
	struct seat seat = seat_open("small-mixed"); /* 48 and 32 KiB at once */
	cl_mem mem = buffer(&seat, 40 << 10);
	const int value = 5;

	ck_assert_int_eq(clEnqueueWriteBuffer(seat.queue[1], mem, CL_TRUE, 0, sizeof value, &value, 0, NULL,
					      NULL),
			 CL_MEM_OBJECT_ALLOCATION_FAILURE);
	done(clEnqueueWriteBuffer(seat.queue[0], mem, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
	done(clReleaseMemObject(mem));
	seat_close(&seat);
}
END_TEST

static void write_outside(void)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	cl_kernel set = kernel_of(&seat, set_text, "set");

	set_mem(set, 0, mem);
	set_int(set, 1, 7);
	launch(seat.queue[0], set, N + 1, NULL);
	done(clFinish(seat.queue[0]));
	done(clReleaseKernel(set));
	done(clReleaseMemObject(mem));
}

/* Only host memory can be misaligned: it is the caller's. */
static void misaligned_vector(void)
{
	static const char text[] = "kernel void four(global float4 *x) { x[0] = 0; }";
	_Alignas(16) static char host[64];
	struct seat seat = seat_open("cut-cpu");
	cl_kernel four = kernel_of(&seat, text, "four");
	cl_int code;
	cl_mem mem = clCreateBuffer(seat.context, CL_MEM_USE_HOST_PTR, 32, host + 4, &code);

	set_mem(four, 0, mem);
	launch(seat.queue[0], four, 1, NULL);
	done(clFinish(seat.queue[0]));
}

START_TEST(kernels_are_watched)
{
	assert_dies(write_outside, "something wrote outside of cl_mem #");
	assert_dies(misaligned_vector,
		    "kernel 'four', argument 1: a pointer to 'float4*' that is not aligned to 16");
}
END_TEST

/* ---- lives of objects --------------------------------------------------------------------------- */

static void release_twice(void)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, 64);

	done(clReleaseMemObject(mem));
	(void)clReleaseMemObject(mem);
}

static void wait_for_released(void)
{
	struct seat seat = seat_open("one-gpu");
	cl_event event;

	done(clEnqueueMarkerWithWaitList(seat.queue[0], 0, NULL, &event));
	done(clReleaseEvent(event));
	(void)clWaitForEvents(1, &event);
}

static void launch_with_released(void)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, 4096);
	cl_kernel set = kernel_of(&seat, set_text, "set");

	set_mem(set, 0, mem);
	set_int(set, 1, 7);
	done(clReleaseMemObject(mem));
	launch(seat.queue[0], set, N, NULL);
}

START_TEST(use_after_release_is_trapped)
{
	assert_dies(release_twice, "fakecl: clReleaseMemObject: cl_mem #");
	assert_dies(wait_for_released, "fakecl: clWaitForEvents: cl_event #");
	assert_dies(launch_with_released, "fakecl: clEnqueueNDRangeKernel: cl_mem #");
}
END_TEST

/* What commands need lives until they have run. */
START_TEST(commands_keep_what_they_need)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	cl_kernel set = kernel_of(&seat, set_text, "set");
	int host[N] = {0};
	cl_event event;

	set_mem(set, 0, mem);
	set_int(set, 1, 7);
	launch(seat.queue[0], set, N, NULL);
	set_int(set, 1, 8); /* too late for the launch */
	done(clReleaseKernel(set));
	done(clEnqueueReadBuffer(seat.queue[0], mem, CL_FALSE, 0, sizeof host, host, 0, NULL, &event));
	done(clReleaseMemObject(mem));
	ck_assert_int_eq(control("alive cl_mem"), 0);
	ck_assert_int_gt(control("used 1"), 0);
	done(clWaitForEvents(1, &event));
	ck_assert_int_eq(host[N - 1], 7);
	ck_assert_int_eq(control("used 1"), 0);
	done(clReleaseEvent(event));
	seat_close(&seat);
}
END_TEST

static void leave_things_alive(void)
{
	setenv("FAKECL_REPORT", "1", 1);
	struct seat seat = seat_open("one-gpu");

	(void)buffer(&seat, 64);
	(void)buffer(&seat, 64);
}

static void call_something_else(void)
{
	struct seat seat = seat_open("one-gpu");

	ck_assert_int_eq(clEnqueueMigrateMemObjects(seat.queue[0], 0, NULL, 0, 0, NULL, NULL),
			 CL_INVALID_OPERATION);
}

START_TEST(what_is_left_is_reported)
{
	const char *said;
	int status;

	said = said_by(leave_things_alive, &status);
	ck_assert_msg(strstr(said, "2 cl_mem made, 2 not released") != NULL, "%s", said);
	ck_assert_msg(strstr(said, "2 calls of clCreateBuffer") != NULL, "%s", said);
	said = said_by(call_something_else, &status);
	ck_assert_msg(status == 0 && strstr(said, "clEnqueueMigrateMemObjects is not a call"), "%s", said);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		machine_is_as_its_file_says,
		machine_files_with_mistakes_are_refused,
		devices_are_cut_into_parts,
		fresh_memory_is_poisoned,
		wrapped_memory_of_a_cpu_is_the_hosts,
		copies_go_between_memories,
		copies_are_kept_in_wrapped_memory,
		second_memory_is_trapped,
		second_memory_may_be_counted,
		parts_of_buffers_are_aligned,
		flags_agree,
		memory_is_aligned_no_better_than_promised,
		overlapping_copies_are_refused,
		regions_stay_inside,
		memory_can_be_full,
		a_buffer_can_be_too_large_for_one_device,
		kernels_are_watched,
		use_after_release_is_trapped,
		commands_keep_what_they_need,
		what_is_left_is_reported,
	};

	return run_fake_tests("fake driver: memory", (int)(sizeof tests / sizeof tests[0]), tests);
}
