/* test_fakecl_program.c - the fake driver: kernels, their builds and binaries, what they compute. */
#include "fakes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "platforms.h"

static cl_program program_of(const struct seat *seat, const char *text)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(seat->context, 1, &text, NULL, &code);

	done(code);
	return program;
}

static cl_int build(cl_program program, const char *options)
{
	return clBuildProgram(program, 0, NULL, options, NULL, NULL);
}

static const char *log_of(const struct seat *seat, cl_program program)
{
	static char log[8192];

	done(clGetProgramBuildInfo(program, seat->device[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
	return log;
}

static void assert_refused(const struct seat *seat, const char *text, const char *options, const char *words)
{
	cl_program program = program_of(seat, text);
	cl_build_status status;

	ck_assert_int_eq(build(program, options), CL_BUILD_PROGRAM_FAILURE);
	done(clGetProgramBuildInfo(program, seat->device[0], CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
				   NULL));
	ck_assert_int_eq(status, CL_BUILD_ERROR);
	ck_assert_msg(strstr(log_of(seat, program), words) != NULL, "\"%s\" is not in: %s", words,
		      log_of(seat, program));
	done(clReleaseProgram(program));
}

/* ---- values ------------------------------------------------------------------------------------- */

struct pair {
	int a;
	double b;
};

START_TEST(arguments_of_every_kind_arrive)
{
	static const char text[] =
		"typedef struct { int a; double b; } pair;\n"
		"kernel void take(global long *out, pair p, float4 v, local int *s, constant int *c, uchar u, "
		"const ulong w, global const short *none)\n"
		"{ s[0] = p.a; out[0] = s[0]; out[1] = (long)p.b; out[2] = (long)(v.x + v.w); out[3] = c[1];\n"
		"  out[4] = u; out[5] = w; out[6] = none == 0; }\n";
	struct seat seat = seat_open("cut-cpu");
	cl_kernel take = kernel_of(&seat, text, "take");
	cl_mem out = buffer(&seat, 64), constants = buffer(&seat, 16);
	const struct pair p = {11, 22.5};
	const float v[4] = {1, 2, 3, 4};
	const int c[4] = {7, 8, 9, 10};
	const cl_uchar u = 200;
	const cl_ulong w = (cl_ulong)1 << 40;
	cl_long got[7], expected[7] = {11, 22, 5, 8, 200, (cl_long)w, 1};

	done(clEnqueueWriteBuffer(seat.queue[0], constants, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
	set_mem(take, 0, out);
	done(clSetKernelArg(take, 1, sizeof p, &p));
	done(clSetKernelArg(take, 2, sizeof v, v));
	done(clSetKernelArg(take, 3, 64, NULL));
	set_mem(take, 4, constants);
	done(clSetKernelArg(take, 5, sizeof u, &u));
	done(clSetKernelArg(take, 6, sizeof w, &w));
	done(clSetKernelArg(take, 7, sizeof(cl_mem), NULL));
	launch(seat.queue[0], take, 1, NULL);
	done(clEnqueueReadBuffer(seat.queue[0], out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
	for (int i = 0; i < 7; i++)
		ck_assert_int_eq(got[i], expected[i]);
	done(clReleaseMemObject(out));
	done(clReleaseMemObject(constants));
	done(clReleaseKernel(take));
	seat_close(&seat);
}
END_TEST

START_TEST(work_items_know_their_place)
{
	static const char text[] =
		"kernel void place(global int *out)\n"
		"{ int x = get_global_id(0), y = get_global_id(1);\n"
		"  out[(y - 5) * 6 + x - 2] = x + 10 * y + 100 * get_local_id(0) + 1000 * get_group_id(1)\n"
		"    + 10000 * get_local_size(0) + 100000 * get_num_groups(1) + 1000000 * get_work_dim(); }\n";
	struct seat seat = seat_open("one-gpu");
	cl_kernel place = kernel_of(&seat, text, "place");
	cl_mem out = buffer(&seat, 24 * sizeof(int));
	const size_t offset[2] = {2, 5}, global[2] = {6, 4}, local[2] = {3, 2};

	for (int late = 0; late < 2; late++) {
		int got[24];

		control(late ? "order late" : "order fifo");
		set_mem(place, 0, out);
		done(clEnqueueNDRangeKernel(seat.queue[0], place, 2, offset, global, local, 0, NULL, NULL));
		done(clEnqueueReadBuffer(seat.queue[0], out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
		for (int i = 0; i < 24; i++) {
			const int x = i % 6, y = i / 6;

			ck_assert_int_eq(got[i], x + 2 + 10 * (y + 5) + 100 * (x % 3) + 1000 * (y / 2) + 30000 +
							 200000 + 2000000);
		}
	}
	done(clReleaseMemObject(out));
	done(clReleaseKernel(place));
	seat_close(&seat);
}
END_TEST

/* Every item puts a value into local memory, and after the barrier takes its mirror's. */
START_TEST(barriers_work)
{
	static const char text[] =
		"kernel void mirror(global int *io, local int *s)\n"
		"{ local int more[16]; int i = get_local_id(0), n = get_local_size(0), g = get_global_id(0);\n"
		"  for (int k = 0; k < 3; k++) {\n"
		"    s[i] = io[g]; more[i] = k; barrier(CLK_LOCAL_MEM_FENCE);\n"
		"    io[g] = s[n - 1 - i] + more[n - 1 - i]; barrier(CLK_LOCAL_MEM_FENCE); } }\n";
	struct seat seat = seat_open("one-gpu");
	cl_kernel mirror = kernel_of(&seat, text, "mirror");
	cl_mem io = buffer(&seat, 64 * sizeof(int));
	const size_t global = 64, local = 16;
	int values[64];

	for (int i = 0; i < 64; i++)
		values[i] = i;
	done(clEnqueueWriteBuffer(seat.queue[0], io, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
	set_mem(mirror, 0, io);
	done(clSetKernelArg(mirror, 1, local * sizeof(int), NULL));
	done(clEnqueueNDRangeKernel(seat.queue[0], mirror, 1, NULL, &global, &local, 0, NULL, NULL));
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(element_of(seat.queue[0], io, (size_t)i), i / 16 * 16 + 15 - i % 16 + 3);
	done(clReleaseMemObject(io));
	done(clReleaseKernel(mirror));
	seat_close(&seat);
}
END_TEST

START_TEST(products_and_sums_are_rounded_apart)
{
	static const char text[] =
		"kernel void fma_(global float *x, float a, float b, float c) { x[0] = a * b + c; }";
	struct seat seat = seat_open("one-gpu");
	cl_kernel kernel = kernel_of(&seat, text, "fma_");
	cl_mem mem = buffer(&seat, sizeof(float));
	const float a = 1.0f + 0x1p-12f, c = -1.0f - 0x1p-11f;
	float got;

	set_mem(kernel, 0, mem);
	done(clSetKernelArg(kernel, 1, sizeof a, &a));
	done(clSetKernelArg(kernel, 2, sizeof a, &a));
	done(clSetKernelArg(kernel, 3, sizeof c, &c));
	launch(seat.queue[0], kernel, 1, NULL);
	done(clEnqueueReadBuffer(seat.queue[0], mem, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
	ck_assert(got == 0.0f); /* 0x1p-24 with a fused operation */
	done(clReleaseMemObject(mem));
	done(clReleaseKernel(kernel));
	seat_close(&seat);
}
END_TEST

/* ---- building ----------------------------------------------------------------------------------- */

START_TEST(mistakes_are_in_the_log)
{
	struct seat seat = seat_open("one-gpu");
	cl_program program = program_of(&seat, "kernel void k(global int *x) { x[0] = VALUE; }");

	assert_refused(&seat, "\nkernel void k(global int *x) { x[0] = missing; }", "",
		       ":2:39: error: use of undeclared");
	assert_refused(&seat, "kernel void k(global float *x) { x[0] = erfc(x[0]); }", "", "erfc(float)");
	assert_refused(&seat, "kernel void k(global double *x) { x[0] = 1; }", "", "cl_khr_fp64");
	ck_assert_int_eq(build(program, "-O7"), CL_INVALID_BUILD_OPTIONS);
	done(build(program, "-cl-std=CL1.2 -D 'VALUE=1 + 1' -w"));
	done(clReleaseProgram(program));
	seat_close(&seat);
}
END_TEST

static int count_files(void)
{
	char command[512], line[32] = "";
	FILE *pipe;

	snprintf(command, sizeof command, "ls -i %s | cksum", getenv("FAKECL_CACHE"));
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof line, pipe));
	pclose(pipe);
	return atoi(line);
}

static void build_once(void)
{
	struct seat seat = seat_open("one-gpu");
	cl_kernel kernel = kernel_of(&seat, "kernel void k(global int *x) { x[0] = 1; }", "k");

	done(clReleaseKernel(kernel));
	seat_close(&seat);
}

/* The second process finds the first one's kernel: nothing in the folder changes. */
START_TEST(builds_are_kept)
{
	int status, before;

	setenv("FAKECL_CACHE", het_test_subfolder("builds"), 1);
	before = count_files();
	(void)said_by(build_once, &status);
	ck_assert_int_eq(status, 0);
	ck_assert_int_ne(count_files(), before);
	before = count_files();
	(void)said_by(build_once, &status);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(count_files(), before);
}
END_TEST

static cl_program from_binary(const struct seat *seat, const unsigned char *binary, size_t bytes,
			      cl_int *code_p)
{
	return clCreateProgramWithBinary(seat->context, 1, seat->device, &bytes, &binary, NULL, code_p);
}

START_TEST(binaries_go_round)
{
	struct seat seat = seat_open("one-gpu");
	cl_program program = program_of(&seat, "kernel void k(global int *x) { x[0] = 42; }"), again;
	cl_mem mem = buffer(&seat, sizeof(int));
	unsigned char *binary;
	cl_kernel kernel;
	size_t bytes;
	cl_int code;

	done(build(program, ""));
	done(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
	binary = malloc(bytes);
	done(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
	again = from_binary(&seat, binary, bytes, &code);
	done(code);
	ck_assert_ptr_null(clCreateKernel(again, "k", &code));
	ck_assert_int_eq(code, CL_INVALID_PROGRAM_EXECUTABLE);
	done(build(again, ""));
	kernel = clCreateKernel(again, "k", &code);
	done(code);
	set_mem(kernel, 0, mem);
	launch(seat.queue[0], kernel, 1, NULL);
	ck_assert_int_eq(element_of(seat.queue[0], mem, 0), 42);
	ck_assert_ptr_null(from_binary(&seat, (const unsigned char *)"junk", 4, &code));
	ck_assert_int_eq(code, CL_INVALID_BINARY);
	ck_assert_ptr_null(from_binary(&seat, binary, bytes - 1, &code));
	ck_assert_int_eq(code, CL_INVALID_BINARY);
	free(binary);
	done(clReleaseMemObject(mem));
	done(clReleaseKernel(kernel));
	done(clReleaseProgram(program));
	done(clReleaseProgram(again));
	seat_close(&seat);
}
END_TEST

/* ---- what is known of kernels ------------------------------------------------------------------- */

static const char known_text[] =
	"kernel void other(global int *x) { x[0] = 1; }\n"
	"kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global const float4 *restrict a,\n"
	"    constant int *b, local uint *c, unsigned int d, global volatile long *e) { e[0] = d; }\n";

START_TEST(parameters_are_described)
{
	static const struct {
		cl_kernel_arg_address_qualifier address;
		cl_kernel_arg_type_qualifier qualifier;
		const char *type, *name;
	} expected[] = {
		{CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT,
		 "float4*", "a"},
		{CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST, "int*", "b"},
		{CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE, "uint*", "c"},
		{CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE, "uint", "d"},
		{CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE, "long*", "e"},
	};
	struct seat seat = seat_open("one-gpu");
	cl_program program = program_of(&seat, known_text);
	char text[64];
	size_t group[3];
	cl_kernel kernel;
	cl_int code;

	done(build(program, "-cl-kernel-arg-info"));
	done(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
	ck_assert_str_eq(text, "other;k");
	ck_assert_ptr_null(clCreateKernel(program, "missing", &code));
	ck_assert_int_eq(code, CL_INVALID_KERNEL_NAME);
	kernel = clCreateKernel(program, "k", &code);
	done(code);
	for (cl_uint i = 0; i < 5; i++) {
		cl_kernel_arg_address_qualifier address;
		cl_kernel_arg_type_qualifier qualifier;

		done(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address,
					NULL));
		ck_assert_uint_eq(address, expected[i].address);
		done(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier,
					NULL));
		ck_assert_uint_eq(qualifier, expected[i].qualifier);
		done(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
		ck_assert_str_eq(text, expected[i].type);
		done(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
		ck_assert_str_eq(text, expected[i].name);
	}
	done(clGetKernelWorkGroupInfo(kernel, seat.device[0], CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group,
				      group, NULL));
	ck_assert(group[0] == 4 && group[1] == 2 && group[2] == 1);
	ck_assert_int_eq(build(program, ""), CL_INVALID_OPERATION); /* it has a kernel */
	done(clReleaseKernel(kernel));
	done(build(program, ""));
	kernel = clCreateKernel(program, "k", &code);
	done(code);
	ck_assert_int_eq(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL),
			 CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
	done(clReleaseKernel(kernel));
	done(clReleaseProgram(program));
	seat_close(&seat);
}
END_TEST

START_TEST(arguments_are_checked)
{
	struct seat seat = seat_open("one-gpu");
	cl_kernel kernel = kernel_of(&seat, known_text, "k");
	cl_mem mem = buffer(&seat, 256);
	const size_t global[2] = {8, 2}, good[2] = {4, 2}, bad[2] = {2, 2}, long_[2] = {6, 2};
	const int value = 1;

	ck_assert_int_eq(clSetKernelArg(kernel, 5, sizeof mem, &mem), CL_INVALID_ARG_INDEX);
	ck_assert_int_eq(clSetKernelArg(kernel, 0, 4, &mem), CL_INVALID_ARG_SIZE);
	ck_assert_int_eq(clSetKernelArg(kernel, 2, 16, &value), CL_INVALID_ARG_VALUE);
	ck_assert_int_eq(clSetKernelArg(kernel, 2, 0, NULL), CL_INVALID_ARG_SIZE);
	ck_assert_int_eq(clSetKernelArg(kernel, 3, 8, &value), CL_INVALID_ARG_SIZE);
	ck_assert_int_eq(clSetKernelArg(kernel, 3, 4, NULL), CL_INVALID_ARG_VALUE);
	set_mem(kernel, 0, mem);
	set_mem(kernel, 1, mem);
	done(clSetKernelArg(kernel, 2, 16, NULL));
	set_int(kernel, 3, 1);
#define LAUNCH(local) clEnqueueNDRangeKernel(seat.queue[0], kernel, 2, NULL, global, local, 0, NULL, NULL)
	ck_assert_int_eq(LAUNCH(good), CL_INVALID_KERNEL_ARGS);
	set_mem(kernel, 4, mem);
	ck_assert_int_eq(LAUNCH(bad), CL_INVALID_WORK_GROUP_SIZE);
	ck_assert_int_eq(LAUNCH(long_), CL_INVALID_WORK_GROUP_SIZE);
	done(LAUNCH(good));
	done(LAUNCH(NULL));
	done(clFinish(seat.queue[0]));
	done(clReleaseMemObject(mem));
	done(clReleaseKernel(kernel));
	seat_close(&seat);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		arguments_of_every_kind_arrive,
		work_items_know_their_place,
		barriers_work,
		products_and_sums_are_rounded_apart,
		mistakes_are_in_the_log,
		builds_are_kept,
		binaries_go_round,
		parameters_are_described,
		arguments_are_checked,
	};

	return run_fake_tests("fake driver: programs", (int)(sizeof tests / sizeof tests[0]), tests);
}
