/* face.c - see face.h. */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>

#include "platforms.h"
#include "suite.h"

static const char common_text[] =
	"kernel void set(global int *out, int value) { out[get_global_id(0)] = value; }\n"
	"kernel void add(global int *out, global const int *in, int value)\n"
	"{ size_t i = get_global_id(0); out[i] = in[i] + value; }\n"
	"kernel void bump(global int *io, int value) { io[get_global_id(0)] += value; }\n"
	"kernel void three_rows(global int *out, global const int *in, int columns, int rows)\n"
	"{ int x = get_global_id(0), y = get_global_id(1), sum = 0;\n"
	"  for (int k = max(y - 1, 0); k <= min(y + 1, rows - 1); k++) sum += in[k * columns + x];\n"
	"  out[y * columns + x] = sum; }\n";

const char *on_cpu(const char *devices)
{
	static _Thread_local char selection[256];

	if (getenv("HETERO_TEST_FAKE"))
		return NULL;
	het_test_selection(selection, sizeof selection, devices, "");
	return selection;
}

static het_system *open_with(int face, int profile)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system = NULL;
	het_status st;

	options.devices = getenv("HETERO_TEST_FAKE") || face != FACE_RUSTICL ? on_cpu("cpu/1") : "rusticl:*";
	options.share = face == FACE_SHARED ? HET_SHARE_PROVED : HET_SHARE_OFF;
	options.profile = profile;
	st = het_open(&options, &system);
	if (st == HET_ERR_SELECTION && face != FACE_RUSTICL && !het_test_can_cut()) { /* it has one core */
		options.devices = on_cpu("cpu");
		st = het_open(&options, &system);
	}
	ok(st);
	return system;
}

het_system *open_face(int face)
{
	return open_with(face, 0);
}

het_system *open_face_profiling(int face)
{
	return open_with(face, 1);
}

het_system *open_face_checking(int face)
{
	het_system *system;

	ck_assert_int_eq(setenv("HETERO_CHECK", "1", 1), 0);
	system = open_with(face, 0);
	ck_assert_int_eq(unsetenv("HETERO_CHECK"), 0);
	return system;
}

void close_face(het_system *system)
{
	ok(het_wait_all(system));
	ck_assert_uint_eq(stats_of(system).unfinished, 0);
	ck_assert_uint_eq(stats_of(system).live_events, 0);
	ok(het_close(system));
}

het_device *first_device(het_system *system)
{
	return het_device(system, 0);
}

het_device *last_device(het_system *system)
{
	return het_device(system, het_device_count(system) - 1);
}

int is_separate(het_device *device)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	ok(het_device_info(device, &info));
	return info.memory != 0;
}

int all_are_cpus(het_system *system)
{
	for (int d = 0; d < het_device_count(system); d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;

		ok(het_device_info(het_device(system, d), &info));
		if (info.type != HET_DEVICE_CPU)
			return 0;
	}
	return 1;
}

het_kernel *text_kernel(het_system *system, const char *text, const char *name)
{
	het_kernel *kernel = NULL;

	ok(het_kernel_from_source(system, text, name, NULL, &kernel));
	return kernel;
}

het_kernel *common_kernel(het_system *system, const char *name)
{
	return text_kernel(system, common_text, name);
}

het_array *zero_array(het_system *system, int count)
{
	het_array *array = NULL;

	ok(het_array_new(system, HET_INT, het_shape(1, count), &array));
	return array;
}

het_array *counting_array(het_system *system, int count)
{
	het_array *array = zero_array(system, count);
	int *at;

	ok(het_map(array, HET_WRITE, &at));
	for (int i = 0; i < count; i++)
		at[i] = i;
	ok(het_unmap(array));
	return array;
}

void assert_counts(het_array *array, int first, int step)
{
	struct het_array_info info = HET_ARRAY_INFO_INIT;
	const int *at;

	ok(het_array_info(array, &info));
	ok(het_map(array, HET_READ, &at));
	for (int i = 0; i < (int)info.elements; i++)
		ck_assert_msg(at[i] == first + i * step, "element %d is %d instead of %d", i, at[i],
			      first + i * step);
	ok(het_unmap(array));
}

int element(het_array *array, int index)
{
	int value;

	ok(het_read(het_view(array, het_box(1, index, index + 1)), &value));
	return value;
}

struct het_stats stats_of(het_system *system)
{
	struct het_stats stats = HET_STATS_INIT;

	ok(het_stats(system, &stats));
	return stats;
}

/* A tenth of the time buys PoCL's faces. On a fake machine the last one would be the one before it once more,
 * and with another driver in PoCL's place nothing of that. Tests may share a process (replay.sh), which none of
 * them can end because a platform is missing: none without the CPU's driver, two faces without Mesa's. */
static int count_faces(void)
{
	if (getenv("HETERO_TEST_FAKE"))
		return FACE_RUSTICL;
	if (!het_test_is_there(on_cpu("cpu")))
		return 0;
	return getenv("HETERO_TEST_SHORT") || getenv("HETERO_TEST_DRIVER") || !het_test_is_there("rusticl:*")
		       ? FACE_RUSTICL
		       : FACES;
}

uint64_t bytes_into_devices(het_system *system)
{
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;
	uint64_t bytes = 0;

	for (int i = 0; i < het_device_count(system); i++) {
		ok(het_device_stats(het_device(system, i), &stats));
		bytes += stats.bytes_in;
	}
	return bytes;
}

int run_face_tests(const char *name, int count, const struct face_test *tests)
{
	het_test_platforms();
	const int faces = count_faces();
	if (faces == 0) {
		printf("%s: no device %s: not tested\n", name, on_cpu("cpu"));
		return 77;
	}
	TCase *const tcase = tcase_create(name);
	tcase_set_timeout(tcase, getenv("HETERO_TEST_LONG") ? 900 : 60);
	for (int i = 0; i < count; i++)
		tcase_add_loop_test(tcase, *tests[i].test, 0, tests[i].looped ? faces : 1);
	return run_case(name, tcase);
}
