/* test_faults.c - what other libraries are known to get wrong, one test for each.
 *
 * Where a test needs a kernel that is certainly still running, the kernel waits at a gate: a word of this
 * process, whose address it is given and which devices that are CPUs can read. Where a test needs a command
 * that fails, the call of OpenCL is caught here and answered with the event of a command that has failed.
 */
#include "face.h"

#include <dlfcn.h>
#include <stdlib.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "platforms.h"
#include "suite.h"

/* ---- systems ------------------------------------------------------------------------------------ */

static const struct {
	const char *devices; /* on_cpu */
	enum het_share share;
} machines[] = {
	{"cpu/1", HET_SHARE_PROVED},
	{"cpu/1", HET_SHARE_OFF},
	{"cpu/1,rusticl:*", HET_SHARE_PROVED},
	{"cpu/1,rusticl:*", HET_SHARE_OFF},
};
#define MACHINES ((int)(sizeof machines / sizeof machines[0]))

/* What these have is for their files, or for who has named them, to say. */
static bool is_other_machine(void)
{
	return getenv("HETERO_TEST_FAKE") || getenv("HETERO_TEST_DRIVER");
}

/* Asked before there are tests. */
static bool is_there(int i)
{
	return is_other_machine() ||
	       (het_test_units_aside(HET_TEST_POCL) > 1 &&
		(!strstr(machines[i].devices, "rusticl") || het_test_units_aside("rusticl") > 0));
}

/* On other machines a test whose devices are not there, or only one, or that do not see the host's gate,
 * passes. Devices are opened here: at the first use of one the library tries out whose memory it shares, and
 * that waits for the others. */
static het_system *open_machine(int i)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	het_status st;

	options.devices = on_cpu(machines[i].devices);
	options.share = machines[i].share;
	st = het_open(&options, &system);
	if (is_other_machine() && (st == HET_ERR_SELECTION || st == HET_ERR_NO_DEVICE))
		exit(EXIT_SUCCESS);
	ok(st);
	if (is_other_machine() && (het_device_count(system) < 2 || !all_are_cpus(system)))
		exit(EXIT_SUCCESS);
	ck_assert_int_ge(het_device_count(system), 2);
	for (int d = 0; d < het_device_count(system); d++)
		(void)is_separate(het_device(system, d));
	return system;
}

/* ---- a kernel that runs until it is told to end ------------------------------------------------- */

/* Nothing but the host ends it: a library that waits for it where it must not hangs there, and the test runner
 * ends the test. So no time matters, however slow the machine or the build is. */
static const char gate_text[] = "kernel void hold(global int *out, ulong gate, int value)\n"
				"{ volatile global int *g = (volatile global int *)gate;\n"
				"  while (!*g) ;\n"
				"  out[get_global_id(0)] = value; }\n";

static volatile int gate; /* open */

/* Writes `value` to all of `out` when the gate is opened. Only on CPU drivers with threads of their own: the
 * fake one runs kernels in whoever waits; tests/test_hazards.c and tests/test_stopped_device.c hold its
 * devices. And llvmpipe cuts such loops short. */
static void launch_held(het_kernel *hold, het_device *device, het_array *out, int value)
{
	const uint64_t address = (uint64_t)(uintptr_t)&gate;
	struct het_array_info info = HET_ARRAY_INFO_INIT;

	ok(het_array_info(out, &info));
	gate = 0;
	ok(het_launch(hold, device, het_local(het_grid(1, (int64_t)info.elements), 1), HET_OUT(out),
		      HET_VAL(address), HET_VAL(value)));
}

static void open_gate(void)
{
	gate = 1;
}

/* ---- ordering ----------------------------------------------------------------------------------- */

/* HPL: a copy is no reader of its source, and a later write of the source overtakes it. */
START_TEST(copy_is_not_overtaken_by_a_write_of_its_source)
{
	het_system *system = open_machine(_i);
	het_kernel *hold = text_kernel(system, gate_text, "hold"), *set = common_kernel(system, "set");
	het_array *from = zero_array(system, 64), *to = zero_array(system, 64);

	for (int d = 0; d < het_device_count(system); d++) {
		launch_held(hold, first_device(system), from, 5);
		ok(het_copy(het_view(to, het_whole()), het_view(from, het_whole())));
		ok(het_launch(set, het_device(system, d), het_grid(1, 64), HET_OUT(from), HET_VAL(7)));
		open_gate();
		assert_counts(to, 5, 0);
		assert_counts(from, 7, 0);
	}
	close_face(system);
}
END_TEST

/* StarPU: of parts that overlap "no coherency is enforced". */
START_TEST(overlapping_views_are_coherent)
{
	het_system *system = open_machine(_i);
	het_kernel *hold = text_kernel(system, gate_text, "hold"), *bump = common_kernel(system, "bump");
	het_array *x = zero_array(system, 100);
	het_device *a = first_device(system), *b = last_device(system);
	const int *at;

	launch_held(hold, a, x, 1);
	ok(het_launch(bump, b, het_range(1, 10, 60), HET_INOUT_PART(x, het_rows(10, 60)), HET_VAL(10)));
	ok(het_launch(bump, a, het_grid(1, 50), HET_INOUT(het_view(x, het_rows(33, 83))), HET_VAL(100)));
	ok(het_launch(bump, b, het_grid(1, 30), HET_INOUT(het_view(x, het_rows(50, 80))), HET_VAL(1000)));
	open_gate();
	ok(het_map(x, HET_READ, &at));
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(at[i], 1 + (i >= 10 && i < 60 ? 10 : 0) + (i >= 33 && i < 83 ? 100 : 0) +
						(i >= 50 && i < 80 ? 1000 : 0));
	ok(het_unmap(x));
	close_face(system);
}
END_TEST

/* ---- the host is not blocked -------------------------------------------------------------------- */

/* HPL: the launch of a kernel that needs another device's result waits for it in the host. */
START_TEST(dependent_launch_does_not_block_the_host)
{
	het_system *system = open_machine(_i);
	het_kernel *hold = text_kernel(system, gate_text, "hold"), *add = common_kernel(system, "add");
	het_array *x = zero_array(system, 64), *y = zero_array(system, 64), *z = zero_array(system, 64);

	ok(het_launch(add, last_device(system), het_grid(1, 64), HET_OUT(z), HET_IN(y),
		      HET_VAL(0))); /* compiled */
	ok(het_wait_all(system));
	launch_held(hold, first_device(system), x, 3);
	ok(het_launch(add, last_device(system), het_grid(1, 64), HET_OUT(y), HET_IN(x), HET_VAL(4)));
	ok(het_launch(add, first_device(system), het_grid(1, 64), HET_OUT(z), HET_IN(y), HET_VAL(5)));
	ok(het_fill(het_view(y, het_whole()), &(int){9}));
	ok(het_copy(het_view(x, het_whole()), het_view(y, het_whole())));
	ck_assert_uint_gt(stats_of(system).unfinished, 3);
	open_gate();
	assert_counts(z, 12, 0);
	assert_counts(x, 9, 0);
	close_face(system);
}
END_TEST

/* HPL: the first upload to a device waits until whatever runs there has ended. */
START_TEST(first_upload_to_a_busy_device_does_not_block_the_host)
{
	het_system *system = open_machine(_i);
	het_kernel *hold = text_kernel(system, gate_text, "hold"), *bump = common_kernel(system, "bump");
	het_array *x = zero_array(system, 64), *other = counting_array(system, 5000),
		  *third = counting_array(system, 300);

	ok(het_kernel_build(bump, first_device(system)));
	launch_held(hold, first_device(system), x, 3);
	ok(het_launch(bump, first_device(system), het_grid(1, 5000), HET_INOUT(other), HET_VAL(1)));
	ok(het_prefetch(het_view(third, het_whole()), first_device(system)));
	open_gate();
	assert_counts(other, 1, 1);
	assert_counts(third, 0, 1);
	close_face(system);
}
END_TEST

/* Parts of Intel's runtime share its threads: on few cores none is left for the second. */
static int parts_run_side_by_side(void)
{
	const char *const driver = getenv("HETERO_TEST_DRIVER");

	return !driver || strcmp(driver, "intel") != 0;
}

/* What has nothing to do with the busy device is there for the host at once. */
START_TEST(unrelated_values_can_be_mapped_meanwhile)
{
	if (!parts_run_side_by_side())
		return;
	het_system *system = open_machine(_i);
	het_kernel *hold = text_kernel(system, gate_text, "hold"), *add = common_kernel(system, "add");
	het_array *x = zero_array(system, 64), *y = counting_array(system, 64), *z = zero_array(system, 64);

	ok(het_kernel_build(add, last_device(system)));
	launch_held(hold, first_device(system), x, 3);
	ok(het_launch(add, last_device(system), het_grid(1, 64), HET_OUT(z), HET_IN(y), HET_VAL(4)));
	assert_counts(z, 4, 1);
	open_gate();
	assert_counts(x, 3, 0);
	close_face(system);
}
END_TEST

/* ---- cost --------------------------------------------------------------------------------------- */

/* StarPU, with its defaults: one transfer per task on data that stay where they are. */
START_TEST(nothing_is_written_back_unasked)
{
	het_system *system = open_machine(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *x[20];
	uint64_t expected = is_separate(first_device(system)) ? 20 : 0;

	for (int i = 0; i < 20; i++)
		x[i] = counting_array(system, 32);
	for (int i = 0; i < 640; i++)
		ok(het_launch(bump, first_device(system), het_grid(1, 32), HET_INOUT(x[i % 20]), HET_VAL(1)));
	ok(het_wait_all(system));
	ck_assert_uint_eq(stats_of(system).transfers, expected);
	ck_assert_uint_eq(stats_of(system).transfer_bytes, expected * 128);
	ck_assert_uint_eq(stats_of(system).repacks, 0);
	for (int i = 0; i < 20; i++)
		assert_counts(x[i], 32, 1);
	close_face(system);
}
END_TEST

/* StarPU, PaRSEC: copies that are in use push each other out. An array has room for 64; each of these is the
 * only holder of its window when it has to give way. */
START_TEST(more_windows_than_an_array_has_room_for)
{
	het_system *system = open_machine(_i);
	het_kernel *set = common_kernel(system, "set");
	het_array *x;
	const int *at;

	ok(het_array_new(system, HET_INT, het_shape(2, 200, 5), &x));
	for (int row = 0; row < 200; row++)
		ok(het_launch(set, het_device(system, row % 2), het_grid(1, 5),
			      HET_OUT(het_view(x, het_rows(row, row + 1))), HET_VAL(row)));
	ok(het_map(x, HET_READ, &at));
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(at[i], i / 5);
	ok(het_unmap(x));
	close_face(system);
}
END_TEST

/* ---- values ------------------------------------------------------------------------------------- */

/* HPL: what a device made of an array is gone with the array. */
START_TEST(freed_wrapped_array_is_written_back)
{
	het_system *system = open_machine(_i);
	het_kernel *hold = text_kernel(system, gate_text, "hold"), *bump = common_kernel(system, "bump");
	int memory[100];
	het_array *x;

	for (int i = 0; i < 100; i++)
		memory[i] = -1;
	ok(het_array_wrap(system, HET_INT, het_shape(1, 100), memory, &x));
	launch_held(hold, first_device(system), x, 20);
	ok(het_launch(bump, last_device(system), het_range(1, 50, 100), HET_INOUT_PART(x, het_rows(50, 100)),
		      HET_VAL(2)));
	open_gate();
	ok(het_array_free(x));
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(memory[i], i < 50 ? 20 : 22);
	close_face(system);
}
END_TEST

/* PoCL ends the process where vectors lie at addresses that are no multiple of their size. */
START_TEST(vector_kernel_on_misaligned_memory)
{
	static const char text[] = "kernel void twice(global float4 *x) { x[get_global_id(0)] *= 2.0f; }\n";
	het_system *system = open_machine(_i);
	het_kernel *twice = text_kernel(system, text, "twice");
	float *memory = aligned_alloc(128, 1024);
	het_array *x;

	for (int d = 0; d < het_device_count(system); d++) {
		for (int i = 0; i < 129; i++)
			memory[i] = (float)i;
		ok(het_array_wrap(system, HET_FLOAT, het_shape(1, 128), memory + 1, &x));
		ok(het_launch(twice, het_device(system, d), het_grid(1, 32), HET_INOUT(x)));
		ok(het_launch(twice, het_device(system, d), het_grid(1, 10),
			      HET_INOUT(het_view(x, het_rows(3, 43)))));
		ok(het_array_free(x));
		for (int i = 0; i < 128; i++)
			ck_assert(memory[1 + i] == (float)(i + 1) * (i >= 3 && i < 43 ? 4.0f : 2.0f));
	}
	free(memory);
	close_face(system);
}
END_TEST

/* ---- failing commands --------------------------------------------------------------------------- */

static int failures_left; /* of the transfers to come */

/* The event of a command that has failed while running. */
static cl_event failed_event(cl_command_queue queue)
{
	cl_context context = NULL;
	cl_event event;
	cl_int code;

	clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
	event = clCreateUserEvent(context, &code);
	clSetUserEventStatus(event, CL_OUT_OF_RESOURCES);
	return event;
}

/* True when this command is to fail: then *event has its event. */
static int fails_now(cl_command_queue queue, cl_event *event)
{
	if (failures_left == 0)
		return 0;
	failures_left--;
	if (event)
		*event = failed_event(queue);
	return 1;
}

static void *next_of(const char *name)
{
	void *next = dlsym(RTLD_NEXT, name);

	if (!next)
		abort();
	return next;
}

/* The library's calls come here first: a program's own functions take precedence over a shared library's. */
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem source, cl_bool wait, size_t offset, size_t bytes,
			   void *to, cl_uint count, const cl_event *after, cl_event *event)
{
	cl_int (*next)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,
		       cl_event *);

	*(void **)&next = next_of("clEnqueueReadBuffer");
	return fails_now(queue, event) ? CL_SUCCESS
				       : next(queue, source, wait, offset, bytes, to, count, after, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem target, cl_bool wait, size_t offset, size_t bytes,
			    const void *from, cl_uint count, const cl_event *after, cl_event *event)
{
	cl_int (*next)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
		       const cl_event *, cl_event *);

	*(void **)&next = next_of("clEnqueueWriteBuffer");
	return fails_now(queue, event) ? CL_SUCCESS
				       : next(queue, target, wait, offset, bytes, from, count, after, event);
}

/* IRIS: after a failed read of the device's copy the host's is marked valid. */
START_TEST(failed_download_is_not_shown_as_the_value)
{
	het_system *system = open_face(FACE_SEPARATE);
	het_kernel *add = common_kernel(system, "add");
	het_array *x = counting_array(system, 64), *y = zero_array(system, 64);
	const int *at;

	ok(het_launch(add, first_device(system), het_grid(1, 64), HET_OUT(y), HET_IN(x), HET_VAL(50)));
	ok(het_wait_all(system));
	failures_left = 1;
	fails(het_map(y, HET_READ, &at), HET_ERR_DEVICE, "CL_OUT_OF_RESOURCES", "brought to the host");
	ck_assert_int_eq(failures_left, 0);
	assert_counts(y, 50, 1); /* the next try */
	close_face(system);
}
END_TEST

/* IRIS: after a failed write to the device its copy is marked valid. The kernel that reads it may run all the
 * same; what it makes is lost. What it read is not. */
START_TEST(failed_upload_is_not_shown_as_the_value)
{
	het_system *system = open_face(FACE_SEPARATE);
	het_kernel *add = common_kernel(system, "add");
	het_array *x = counting_array(system, 64), *y = zero_array(system, 64), *z = zero_array(system, 64);
	const int *at;

	failures_left = 1;
	ok(het_launch(add, first_device(system), het_grid(1, 64), HET_OUT(y), HET_IN(x), HET_VAL(50)));
	ok(het_launch(add, last_device(system), het_grid(1, 64), HET_OUT(z), HET_IN(y), HET_VAL(1)));
	fails(het_map(z, HET_READ, &at), HET_ERR_LOST, "CL_OUT_OF_RESOURCES", "transfer");
	fails(het_map(y, HET_READ, &at), HET_ERR_LOST, "CL_OUT_OF_RESOURCES", "transfer");
	ck_assert_int_eq(failures_left, 0);
	assert_counts(x, 0, 1);
	ok(het_launch(add, first_device(system), het_grid(1, 64), HET_OUT(y), HET_IN(x), HET_VAL(50)));
	assert_counts(y, 50, 1);
	close_face(system);
}
END_TEST

/* A copy that cannot be written back does not give way: the launch that wants its place fails, and nothing is
 * lost. */
START_TEST(failed_write_back_keeps_the_copy)
{
	het_system *system = open_face(FACE_SEPARATE);
	het_kernel *set = common_kernel(system, "set");
	const struct het_box last = het_rows(63, 64);
	het_array *x;
	const int *at;

	ok(het_array_new(system, HET_INT, het_shape(2, 64, 5), &x));
	for (int row = 0; row < 63; row++)
		ok(het_launch(set, first_device(system), het_grid(1, 5),
			      HET_OUT(het_view(x, het_rows(row, row + 1))), HET_VAL(row)));
	failures_left = 1;
	fails(het_launch(set, first_device(system), het_grid(1, 5), HET_OUT(het_view(x, last)), HET_VAL(63)),
	      HET_ERR_DEVICE, "array 0", "written back");
	ck_assert_int_eq(failures_left, 0);
	ok(het_launch(set, first_device(system), het_grid(1, 5), HET_OUT(het_view(x, last)), HET_VAL(63)));
	ok(het_map(x, HET_READ, &at));
	for (int i = 0; i < 320; i++)
		ck_assert_int_eq(at[i], i / 5);
	ok(het_unmap(x));
	fails(het_wait_all(system), HET_ERR_LOST, "transfer");
	close_face(system);
}
END_TEST

/* A wrapped array whose last value cannot be fetched, nor at the second try, says so when it is freed. */
START_TEST(failed_write_back_is_told)
{
	het_system *system = open_face(FACE_SEPARATE);
	het_kernel *set = common_kernel(system, "set");
	int memory[64] = {0}, second[64] = {0};
	het_array *x;

	ok(het_array_wrap(system, HET_INT, het_shape(1, 64), second, &x));
	ok(het_launch(set, first_device(system), het_grid(1, 64), HET_OUT(x), HET_VAL(1)));
	ok(het_wait_all(system));
	failures_left = 1;
	ok(het_array_free(x));
	ck_assert_int_eq(failures_left, 0);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(second[i], 1);
	ok(het_array_wrap(system, HET_INT, het_shape(1, 64), memory, &x));
	ok(het_launch(set, first_device(system), het_grid(1, 64), HET_OUT(x), HET_VAL(1)));
	ok(het_wait_all(system));
	failures_left = 3;
	fails(het_array_free(x), HET_ERR_LOST, "array 1", "not written back", "CL_OUT_OF_RESOURCES");
	ck_assert_int_eq(failures_left, 0);
	ck_assert_uint_eq(stats_of(system).live_arrays, 0);
	(void)het_close(system);
}
END_TEST

int main(void)
{
	static const struct {
		const TTest *const *test;
		bool by_machine, with_gate;
	} all[] = {
		{&copy_is_not_overtaken_by_a_write_of_its_source, true, true},
		{&overlapping_views_are_coherent, true, true},
		{&dependent_launch_does_not_block_the_host, true, true},
		{&first_upload_to_a_busy_device_does_not_block_the_host, true, true},
		{&unrelated_values_can_be_mapped_meanwhile, true, true},
		{&nothing_is_written_back_unasked, true, false},
		{&more_windows_than_an_array_has_room_for, true, false},
		{&freed_wrapped_array_is_written_back, true, true},
		{&vector_kernel_on_misaligned_memory, true, false},
		{&failed_download_is_not_shown_as_the_value, false, false},
		{&failed_upload_is_not_shown_as_the_value, false, false},
		{&failed_write_back_keeps_the_copy, false, false},
		{&failed_write_back_is_told, false, false},
	};
	TCase *tcase = tcase_create("known faults");
	bool there[MACHINES];

	het_test_platforms();
	tcase_set_timeout(tcase, 120);
	for (int m = 0; m < MACHINES; m++)
		there[m] = is_there(m);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		for (int m = 0; m < (all[i].by_machine ? MACHINES : 1); m++)
			if ((there[m] || !all[i].by_machine) &&
			    !(all[i].with_gate && getenv("HETERO_TEST_FAKE")))
				tcase_add_loop_test(tcase, *all[i].test, m, m + 1);
	return run_case("known faults", tcase);
}
