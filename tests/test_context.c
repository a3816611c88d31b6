/* test_context.c - systems over contexts that the program made itself. */
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include <hetero/opencl.h>

#include "face.h"
#include "platforms.h"

#define COUNT 1000

/* PoCL's first CPU device. */
static cl_device_id find_cpu(void)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;

	if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
		return NULL;
	for (cl_uint p = 0; p < count && p < 16; p++) {
		char name[128] = "";
		cl_device_id id;

		clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (strstr(name, "Portable Computing Language") &&
		    clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_CPU, 1, &id, NULL) == CL_SUCCESS)
			return id;
	}
	return NULL;
}

static cl_context make_context(cl_uint count, const cl_device_id *ids)
{
	cl_int code;
	const cl_context context = clCreateContext(NULL, count, ids, NULL, NULL, &code);

	ck_assert_int_eq(code, CL_SUCCESS);
	return context;
}

static cl_uint references(cl_context context)
{
	cl_uint count = 0;

	ck_assert_int_eq(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL),
			 CL_SUCCESS);
	return count;
}

/* Once all of the library's are released, only `count` references are left. PoCL's worker lets go of an event,
 * and so of its context, a moment after it has told whoever waits that the command has ended: when it comes to
 * it. */
static void check_references_left(cl_context context, cl_uint count)
{
	const struct timespec moment = {.tv_nsec = 1000 * 1000};

	for (int ms = 0; ms < 10 * 1000 && references(context) > count; ms++)
		nanosleep(&moment, NULL);
	ck_assert_uint_eq(references(context), count);
}

static const char *name_of(het_device *device)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	ok(het_device_info(device, &info));
	return info.name;
}

/* Both devices write the half of an array; the host reads it. */
static void compute(het_system *system)
{
	het_kernel *const add = common_kernel(system, "add");
	het_array *const in = counting_array(system, COUNT), *const out = zero_array(system, COUNT);
	const int parts = het_device_count(system);

	for (int d = 0; d < parts; d++) {
		const int lo = COUNT * d / parts, hi = COUNT * (d + 1) / parts;
		ok(het_launch(add, het_device(system, d), het_range(1, lo, hi),
			      HET_OUT_PART(out, het_rows(lo, hi)), HET_IN_PART(in, het_rows(lo, hi)),
			      HET_VAL(7)));
	}
	assert_counts(out, 7, 1);
	ok(het_array_free(in));
	ok(het_array_free(out));
	ok(het_kernel_free(add));
}

static het_status same_context(void *user, const struct het_native_info *info)
{
	return info->context == user ? HET_OK : HET_ERR_DEVICE;
}

/* A system over a context of the CPU that was referred to `before` times; false without a CPU. */
static bool adopt_cpu(het_system **system, cl_context *context, cl_uint *before)
{
	const cl_device_id id = find_cpu();

	if (!id)
		return false;
	*context = make_context(1, &id);
	*before = references(*context);
	ok(het_open_context(*context, 0, NULL, NULL, system));
	return true;
}

START_TEST(adopts_a_context)
{
	het_system *system;
	cl_context context;
	cl_uint before;

	if (!adopt_cpu(&system, &context, &before))
		return;
	ck_assert_int_eq(het_device_count(system), 1);
	ck_assert_ptr_nonnull(strstr(name_of(het_device(system, 0)), "cpu"));
	ck_assert_ptr_eq(het_device_named(system, name_of(het_device(system, 0))), het_device(system, 0));
	compute(system);
	het_array *const array = zero_array(system, COUNT);
	ok(het_native(het_device(system, 0), same_context, context, HET_INOUT(array)));
	ok(het_wait(array));
	ck_assert_uint_gt(references(context), before);
	ok(het_close(system));
	check_references_left(context, before);
	clReleaseContext(context);
}
END_TEST

/* Queues that time kernels take the place of the first ones, which go too. */
START_TEST(a_team_that_is_measured_leaves_no_queue)
{
	het_system *system;
	cl_context context;
	cl_uint before;

	if (!adopt_cpu(&system, &context, &before))
		return;
	compute(system);
	ok(het_team_rebalance(het_everyone(system), 1));
	compute(system);
	ok(het_close(system));
	check_references_left(context, before);
	clReleaseContext(context);
}
END_TEST

START_TEST(adopts_a_context_of_parts)
{
	const unsigned units = het_test_units(HET_TEST_POCL);
	const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, units / 2, 0};
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	const cl_device_id id = find_cpu();
	cl_device_id parts[3]; /* three of three units, else two */
	het_system *system;
	cl_context context;
	cl_uint count, most = 0;

	if (units < 2)
		return;
	clGetDeviceInfo(id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL);
	if (most < 2)
		return;
	ck_assert_int_eq(clCreateSubDevices(id, how, 3, parts, &count), CL_SUCCESS);
	ck_assert_uint_ge(count, 2);
	context = make_context(2, parts);
	ok(het_open_context(context, 2, parts, NULL, &system));
	for (cl_uint i = 0; i < count; i++)
		clReleaseDevice(parts[i]);
	ck_assert_int_eq(het_device_count(system), 2);
	ck_assert_ptr_nonnull(strstr(name_of(het_device(system, 0)), ".part0"));
	ck_assert_ptr_nonnull(strstr(name_of(het_device(system, 1)), ".part1"));
	ok(het_device_info(het_device(system, 1), &info));
	ck_assert_int_ne(info.is_part, 0);
	ck_assert_uint_eq(info.compute_units, units / 2);
	compute(system);
	ok(het_close(system));
	clReleaseContext(context);
}
END_TEST

START_TEST(refuses_what_is_no_context)
{
	struct het_options options = HET_OPTIONS_INIT;
	const cl_device_id id = find_cpu(), nothing = NULL, twice[] = {id, id};
	het_system *system = NULL;
	cl_context context;

	fails(het_open_context(NULL, 0, NULL, NULL, &system), HET_ERR_HANDLE, "het_open_context", "NULL");
	if (!id)
		return;
	context = make_context(1, &id);
	fails(het_open_context(context, 0, NULL, NULL, NULL), HET_ERR_ARGUMENT, "het_open_context");
	fails(het_open_context(context, 1, NULL, NULL, &system), HET_ERR_ARGUMENT, "1 devices");
	fails(het_open_context(context, 1, &nothing, NULL, &system), HET_ERR_ARGUMENT, "device 0 is NULL");
	fails(het_open_context(context, 2, twice, NULL, &system), HET_ERR_ARGUMENT,
	      "device 1 is device 0 again");
	options.devices = "gpu";
	fails(het_open_context(context, 0, NULL, &options, &system), HET_ERR_ARGUMENT, "gpu",
	      "its own devices");
	ck_assert_ptr_null(system);
	options.devices = NULL;
	options.share = HET_SHARE_OFF;
	ok(het_open_context(context, 0, NULL, &options, &system));
	ck_assert(is_separate(het_device(system, 0)));
	compute(system);
	ok(het_close(system));
	clReleaseContext(context);
}
END_TEST

/* A device of another platform than this one's, or NULL. */
static cl_device_id find_stranger(cl_device_id id)
{
	cl_platform_id own, platforms[16];
	cl_uint count = 0;

	ck_assert_int_eq(clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof own, &own, NULL), CL_SUCCESS);
	ck_assert_int_eq(clGetPlatformIDs(16, platforms, &count), CL_SUCCESS);
	for (cl_uint p = 0; p < count && p < 16; p++)
		if (platforms[p] != own &&
		    clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &id, NULL) == CL_SUCCESS)
			return id;
	return NULL;
}

START_TEST(refuses_devices_of_others)
{
	const cl_device_id id = find_cpu(), stranger = id ? find_stranger(id) : NULL;
	const cl_device_id both[] = {id, stranger};
	char hardware[256] = "";
	het_system *system = NULL;
	cl_context context;
	cl_uint before;

	if (!stranger)
		return;
	clGetDeviceInfo(stranger, CL_DEVICE_NAME, sizeof hardware, hardware, NULL);
	context = make_context(1, &id);
	before = references(context);
	fails(het_open_context(context, 1, &stranger, NULL, &system), HET_ERR_ARGUMENT, "het_open_context",
	      "device 0", hardware, "none of the context's");
	fails(het_open_context(context, 2, both, NULL, &system), HET_ERR_ARGUMENT, "device 1", hardware);
	ck_assert_ptr_null(system);
	ck_assert_uint_eq(references(context), before);
	clReleaseContext(context);
}
END_TEST

int main(void)
{
	static const struct face_test tests[] = {
		{&adopts_a_context, 0}, {&adopts_a_context_of_parts, 0},
		{&a_team_that_is_measured_leaves_no_queue, 0}, {&refuses_what_is_no_context, 0},
		{&refuses_devices_of_others, 0}};

	return run_face_tests("context", sizeof tests / sizeof tests[0], tests);
}
