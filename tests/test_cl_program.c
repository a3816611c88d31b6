/* test_cl_program.c - programs, kernels, launches and events, on every device of every platform. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "platforms.h"
#include "seats.h"
#include "suite.h"

/* ---- programs and kernels ---------------------------------------------------------------------- */

static const char add_source[] =
	"__kernel void add(__global float *y, __global const float *x, float a, __local float *scratch)\n"
	"{ size_t i = get_global_id(0); scratch[get_local_id(0)] = a * x[i]; y[i] += scratch[get_local_id(0)]; "
	"}\n"
	"__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(__global int *y)\n"
	"{ y[get_global_id(0)] = 1; }\n";

static void check_program(struct seat *seat)
{
	const cl_program program = build(seat, add_source, "-cl-kernel-arg-info");
	struct het__cl_kernel_limits limits;
	cl_kernel kernel = NULL;
	cl_uint count;
	char *names;

	ok(het__cl_program_kernels(program, seat->name, &names));
	ck_assert_ptr_nonnull(strstr(names, "add"));
	ck_assert_ptr_nonnull(strstr(names, "fixed"));
	het__free(names);
	ck_assert_int_eq(het__cl_kernel_create(program, "subtract", seat->name, &kernel), HET_ERR_KERNEL);
	ck_assert_ptr_nonnull(strstr(het_message(), "'subtract'"));
	ck_assert_ptr_nonnull(strstr(het_message(), "fixed"));
	ck_assert_ptr_null(kernel);
	ok(het__cl_kernel_create(program, "fixed", seat->name, &kernel));
	ok(het__cl_kernel_arg_count(kernel, seat->name, &count));
	ck_assert_uint_eq(count, 1);
	ok(het__cl_kernel_limits(kernel, seat->id, seat->name, &limits));
	ck_assert_uint_eq(limits.required_local[0], 4);
	ck_assert_uint_eq(limits.required_local[1], 2);
	ck_assert_uint_ge(limits.work_group, 8);
	het__cl_kernel_release(kernel);
	het__cl_kernel_release(NULL);
	het__cl_program_release(program);
	het__cl_program_release(NULL);
}

START_TEST(test_program__kernels)
{
	everywhere(check_program);
}
END_TEST

static void check_params(struct seat *seat)
{
	const cl_program program = build(seat, add_source, "-cl-kernel-arg-info");
	struct het__cl_param param[4];
	cl_kernel kernel;

	ok(het__cl_kernel_create(program, "add", seat->name, &kernel));
	for (cl_uint i = 0; i < 4; i++) {
		ok(het__cl_kernel_param(kernel, i, seat->name, &param[i]));
		ck_assert(param[i].known);
	}
	ck_assert_str_eq(param[0].name, "y");
	ck_assert_str_eq(param[1].type, "float*");
	ck_assert_str_eq(param[2].type, "float");
	ck_assert(!param[0].is_const && param[1].is_const);
	ck_assert_uint_eq(param[1].address, CL_KERNEL_ARG_ADDRESS_GLOBAL);
	ck_assert_uint_eq(param[2].address, CL_KERNEL_ARG_ADDRESS_PRIVATE);
	ck_assert_uint_eq(param[3].address, CL_KERNEL_ARG_ADDRESS_LOCAL);
	ck_assert_int_eq(het__cl_kernel_param(kernel, 4, seat->name, &param[0]), HET_ERR_DEVICE);
	het__cl_kernel_release(kernel);
	het__cl_program_release(program);
}

START_TEST(test_program__params)
{
	everywhere(check_params);
}
END_TEST

static void check_broken_source(struct seat *seat)
{
	const char *const text = "__kernel void broken(__global int *y) { y[0] = not_there; }\n";
	cl_program program;

	ok(het__cl_program_source(seat->context, text, strlen(text), seat->name, &program));
	ck_assert_int_eq(het__cl_program_build(program, 1, &seat->id, "", seat->name, "kernel 'broken'"),
	                 HET_ERR_BUILD);
	ck_assert_int_eq(strncmp(het_message(), "kernel 'broken'", 15), 0);
	ck_assert_ptr_nonnull(strstr(het_message(), "not_there"));
	het__cl_program_release(program);
}

START_TEST(test_program__broken_source)
{
	everywhere(check_broken_source);
}
END_TEST

static void check_launch_result(struct seat *seat, cl_program program);

/* Whatever was refused: at once, or when it is built. Not on rusticl 22.3, which ends the process. */
static void check_garbage(struct seat *seat)
{
	unsigned char garbage[4096];
	cl_program program = NULL;
	het_status status;

	if (strstr(seat->name, "rusticl"))
		return;
	memset(garbage, 0x5a, sizeof garbage);
	status = het__cl_program_binary(seat->context, seat->id, garbage, sizeof garbage, seat->name, &program);
	if (!status) {
		status = het__cl_program_build(program, 1, &seat->id, "", seat->name, "build of a binary");
		het__cl_program_release(program);
	}
	ck_assert_int_eq(status, HET_ERR_BUILD);
}

START_TEST(test_program__garbage)
{
	everywhere(check_garbage);
}
END_TEST

static void check_binary(struct seat *seat)
{
	const cl_program first = build(seat, add_source, "");
	cl_program second = NULL;
	void *binary;
	size_t bytes;

	ok(het__cl_program_get_binary(first, seat->id, seat->name, &binary, &bytes));
	ck_assert_uint_gt(bytes, 16);
	het__cl_program_release(first);
	ok(het__cl_program_binary(seat->context, seat->id, binary, bytes, seat->name, &second));
	ok(het__cl_program_build(second, 1, &seat->id, "", seat->name, "build of a binary"));
	check_launch_result(seat, second);
	het__cl_program_release(second);
	het__free(binary);
}

START_TEST(test_program__binary)
{
	everywhere(check_binary);
}
END_TEST

/* ---- launches ---------------------------------------------------------------------------------- */

#define CELLS 64

static void set_add_args(struct seat *seat, cl_kernel kernel, cl_mem y, cl_mem x, float a)
{
	ok(het__cl_set_arg(kernel, 0, sizeof y, &y, "add", seat->name));
	ok(het__cl_set_arg(kernel, 1, sizeof x, &x, "add", seat->name));
	ok(het__cl_set_arg(kernel, 2, sizeof a, &a, "add", seat->name));
	ok(het__cl_set_arg(kernel, 3, 16 * sizeof(float), NULL, "add", seat->name));
}

/* y += 2 x over cells 16 to 47 only: the offset and both sizes count. */
static void check_launch_result(struct seat *seat, cl_program program)
{
	const size_t offset = 16, global = 32, local = 16;
	float x[CELLS], y[CELLS];
	cl_kernel kernel;
	cl_event event;
	cl_mem mx, my;

	for (int i = 0; i < CELLS; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	ok(het__cl_buffer_create(seat->context, sizeof x, seat->name, &mx));
	ok(het__cl_buffer_create(seat->context, sizeof y, seat->name, &my));
	put(seat, mx, x, sizeof x);
	put(seat, my, y, sizeof y);
	ok(het__cl_kernel_create(program, "add", seat->name, &kernel));
	set_add_args(seat, kernel, my, mx, 2);
	ok(het__cl_launch(&seat->queue, kernel, "add", 1, &offset, &global, &local, nothing, &event));
	finish(seat, event);
	get(seat, my, y, sizeof y);
	for (int i = 0; i < CELLS; i++)
		ck_assert_float_eq(y[i], i >= 16 && i < 48 ? 1 + 2 * (float)i : 1);
	het__cl_kernel_release(kernel);
	het__cl_buffer_release(my);
	het__cl_buffer_release(mx);
}

static void check_launch(struct seat *seat)
{
	const cl_program program = build(seat, add_source, "");

	check_launch_result(seat, program);
	het__cl_program_release(program);
}

START_TEST(test_launch__result)
{
	everywhere(check_launch);
}
END_TEST

static void check_launch_errors(struct seat *seat)
{
	const cl_program program = build(seat, add_source, "");
	const size_t global = 64, local = 128;
	cl_event event = NULL;
	cl_kernel kernel;
	cl_mem mem;
	double wrong = 0;

	ok(het__cl_buffer_create(seat->context, 4096, seat->name, &mem));
	ok(het__cl_kernel_create(program, "add", seat->name, &kernel));
	ck_assert_int_eq(het__cl_set_arg(kernel, 2, sizeof wrong, &wrong, "add", seat->name),
	                 HET_ERR_SIGNATURE);
	ck_assert_ptr_nonnull(strstr(het_message(), "kernel add: argument 2 was given 8 bytes"));
	ck_assert_ptr_nonnull(strstr(het_message(), "CL_INVALID_ARG_SIZE"));
	ck_assert_int_eq(het__cl_set_arg(kernel, 9, sizeof mem, &mem, "add", seat->name), HET_ERR_DEVICE);
	ck_assert_ptr_nonnull(strstr(het_message(), "argument 9"));
	set_add_args(seat, kernel, mem, mem, 1);
	ck_assert_int_eq(het__cl_launch(&seat->queue, kernel, "add", 1, NULL, &global, &local, nothing, &event),
	                 HET_ERR_DEVICE);
	ck_assert_ptr_nonnull(strstr(het_message(), "kernel 'add'"));
	ck_assert_ptr_nonnull(strstr(het_message(), seat->name));
	ck_assert_ptr_null(event);
	het__cl_kernel_release(kernel);
	het__cl_buffer_release(mem);
	het__cl_program_release(program);
}

START_TEST(test_launch__errors)
{
	everywhere(check_launch_errors);
}
END_TEST

/* ---- events ------------------------------------------------------------------------------------ */

/* A chain over two queues: each step waits for the other queue's, by event, barrier and marker in turn. */
static void check_order(struct seat *seat)
{
	struct het__queue other;
	unsigned char bytes[64], back[64];
	cl_event event, next;
	cl_mem mem;

	ok(het__cl_buffer_create(seat->context, sizeof bytes, seat->name, &mem));
	ok(het__cl_queue_create(seat->context, seat->id, seat->name, false, &other));
	for (int i = 0; i < 20; i++) {
		const struct het__plan plan = run_of(0, 0, sizeof bytes);
		const unsigned char value = (unsigned char)(i + 1);

		ok(het__cl_fill(&seat->queue, mem, &value, 1, 0, sizeof bytes, nothing, &event));
		ok(het__cl_flush(&seat->queue));
		if (i % 3 == 0) {
			ok(het__cl_barrier(&other, (struct het__after){1, &event}));
		} else if (i % 3 == 1) {
			ok(het__cl_marker(&other, (struct het__after){1, &event}, &next));
			het__cl_event_release(next);
		}
		ok(het__cl_read(&other, mem, back, &plan, i % 3 == 2 ? (struct het__after){1, &event} : nothing,
		                &next));
		ok(het__cl_flush(&other));
		het__cl_event_wait(next);
		ck_assert_int_eq(het__cl_event_poll(next, NULL), HET__EVENT_DONE);
		memset(bytes, value, sizeof bytes);
		ck_assert_mem_eq(back, bytes, sizeof bytes);
		het__cl_event_release(next);
		het__cl_event_release(event);
	}
	het__cl_queue_release(&other);
	het__cl_buffer_release(mem);
}

START_TEST(test_event__order)
{
	everywhere(check_order);
}
END_TEST

static void check_events(struct seat *seat)
{
	cl_int code;
	cl_event event = clCreateUserEvent(seat->context, &code);
	int found = 0;

	ck_assert_int_eq(code, CL_SUCCESS);
	ck_assert_int_eq(het__cl_event_poll(event, NULL), HET__EVENT_PENDING);
	het__cl_event_retain(event);
	het__cl_event_release(event);
	ck_assert_int_eq(clSetUserEventStatus(event, CL_OUT_OF_RESOURCES), CL_SUCCESS);
	het__cl_event_wait(event);
	ck_assert_int_eq(het__cl_event_poll(event, &found), HET__EVENT_FAILED);
	ck_assert_int_eq(found, CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(het__cl_event_poll(event, NULL), HET__EVENT_FAILED);
	ck_assert_uint_eq(het__cl_event_ns(event), 0);
	het__cl_event_release(event);
	het__cl_event_release(NULL);
	ck_assert_int_eq(het__cl_event_poll(NULL, &found), HET__EVENT_UNKNOWN);
	ck_assert_int_eq(found, CL_INVALID_EVENT);
}

START_TEST(test_event__states)
{
	everywhere(check_events);
}
END_TEST

/* ---- memory runs out --------------------------------------------------------------------------- */

/* Makes each allocation of `fn` fail in turn, until it meets none that does. */
static void starve(het_status (*fn)(struct seat *seat), struct seat *seat)
{
	long allowed = 0, asked;

	do {
		het__alloc_fail_after(allowed, 0);
		const het_status status = fn(seat);
		asked = het__alloc_fail_after(-1, 0);
		ck_assert_int_eq(status, asked > allowed ? HET_ERR_MEMORY : HET_OK);
	} while (asked > allowed++);
	ck_assert_int_gt(allowed, 1);
}

static het_status list_all(struct seat *seat)
{
	cl_platform_id *platforms = NULL;
	cl_device_id *ids = NULL;
	cl_uint count;
	char *text = NULL;
	het_status status = het__cl_platforms(&platforms, &count);

	if (!status)
		status = het__cl_devices(seat->platform, &ids, &count);
	if (!status)
		status = het__cl_device_text(seat->id, CL_DEVICE_NAME, &text);
	if (!status)
		status = het__cl_device_facts(seat->id, &seat->facts);
	het__free(text);
	het__free(ids);
	het__free(platforms);
	return status;
}

static het_status cut_one(struct seat *seat)
{
	cl_device_id *parts;
	cl_uint count;
	const het_status status = het__cl_device_cut(seat->id, 1, seat->name, &parts, &count);

	if (status)
		return status;
	for (cl_uint i = 0; i < count; i++)
		het__cl_device_release(parts[i]);
	het__free(parts);
	return HET_OK;
}

static cl_program built;

static het_status study_program(struct seat *seat)
{
	struct het__cl_param param;
	cl_kernel kernel = NULL;
	void *binary = NULL;
	size_t bytes;
	het_status status = het__cl_program_get_binary(built, seat->id, seat->name, &binary, &bytes);

	if (!status)
		status = het__cl_kernel_create(built, "add", seat->name, &kernel);
	if (!status)
		status = het__cl_kernel_param(kernel, 0, seat->name, &param);
	het__cl_kernel_release(kernel);
	het__free(binary);
	return status;
}

static void check_starving(struct seat *seat)
{
	starve(list_all, seat);
	if (seat->facts.can_part_equally && seat->facts.max_parts > 1)
		starve(cut_one, seat);
	built = build(seat, add_source, "-cl-kernel-arg-info");
	starve(study_program, seat);
	het__cl_program_release(built);
}

START_TEST(test_memory_runs_out)
{
	everywhere(check_starving);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ */

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_platforms();
	tcase_set_timeout(all, 300);
	tcase_add_test(all, test_program__kernels);
	tcase_add_test(all, test_program__params);
	tcase_add_test(all, test_program__broken_source);
	tcase_add_test(all, test_program__garbage);
	tcase_add_test(all, test_program__binary);
	tcase_add_test(all, test_launch__result);
	tcase_add_test(all, test_launch__errors);
	tcase_add_test(all, test_event__order);
	tcase_add_test(all, test_event__states);
	tcase_add_test(all, test_memory_runs_out);
	return run_case("cl_program", all);
}
