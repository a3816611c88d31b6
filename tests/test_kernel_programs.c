/* test_kernel_programs.c - kernels on real platforms: options, and which of them share a compiled program. */
#include <check.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hetero.h>

#include "base/alloc.h"
#include "kernel/wording.h"
#include "kernels.h"
#include "platforms.h"
#include "threads.h"

/* ---- options ---- */

START_TEST(test_options)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	het_kernel *const one = source_kernel(system, answer, "k", "-DANSWER=11");
	het_kernel *const two = source_kernel(system, answer, "k", "-DANSWER=MORE");

	assert_ok(het_kernel_options(two, device, "-DMORE=bad"));
	assert_ok(het_kernel_options(two, device, NULL));
	assert_ok(het_kernel_options(two, device, "-DMORE=22"));
	ck_assert_int_eq(result_of(one, device), 11);
	ck_assert_int_eq(result_of(two, device), 22);
	assert_fails(het_kernel_options(two, device, "-DMORE=3"), HET_ERR_ARGUMENT, "kernel k", device->name);
	ck_assert_int_eq(result_of(two, device), 22);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_options_per_device)
{
	het_system *const system = open_parts();
	het_kernel *kernel;

	if (!system)
		return;
	kernel = source_kernel(system, answer, "k", "-DUNUSED");
	assert_ok(het_kernel_options(kernel, het_device(system, 0), "-DANSWER=5"));
	assert_ok(het_kernel_options(kernel, het_device(system, 1), "-DANSWER=6"));
	ck_assert_int_eq(result_of(kernel, het_device(system, 0)), 5);
	ck_assert_int_eq(result_of(kernel, het_device(system, 1)), 6);
	assert_not_logged("like device");
	assert_ok(het_close(system));
}
END_TEST

/* ---- shared programs ---- */

static const char both[] = "__kernel void one(__global int *out) { out[0] = ANSWER; }\n"
			   "__kernel void ten(__global int *out) { out[0] = 10 * ANSWER; }\n";

/* Two kernels of one text are compiled together; of another text, or with other options, they are not. */
START_TEST(test_kernels_of_one_text_share_the_program)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	het_kernel *const one = source_kernel(system, both, "one", "-DANSWER=3");

	ck_assert_int_eq(setenv("HETERO_CACHE", "off", 1), 0);
	ck_assert_int_eq(result_of(one, device), 3);
	ck_assert_int_eq(result_of(source_kernel(system, both, "ten", "-DANSWER=3"), device), 30);
	ck_assert_int_eq(count_logged("made from source"), 1);
	ck_assert_int_eq(count_logged("made from the program of another kernel"), 1);
	ck_assert_int_eq(result_of(source_kernel(system, both, "ten", "-DANSWER=4"), device), 40);
	ck_assert_int_eq(result_of(source_kernel(system, answer, "k", "-DANSWER=3"), device), 3);
	ck_assert_int_eq(count_logged("made from source"), 3);
	assert_fails(het_kernel_build(source_kernel(system, both, "two", "-DANSWER=3"), device), HET_ERR_KERNEL,
		     "kernel two", "one;ten");
	assert_ok(het_kernel_free(one));
	ck_assert_int_eq(result_of(source_kernel(system, both, "ten", "-DANSWER=3"), device), 30);
	ck_assert_int_eq(count_logged("made from source"), 3);
	assert_ok(het_close(system));
}
END_TEST

static int length_of_name(het_system *system, const char *path, const char *options)
{
	het_kernel *kernel;

	assert_ok(het_kernel_from_file(system, path, "k", options, &kernel));
	return result_of(kernel, het_device(system, 0));
}

/* A text that says where it stands, itself or by an option, is not what another file's text is. */
static void say_file(int platform, const char *text, const char *options)
{
	const char *const one = write_text("one.cl", text), *const eleven = write_text("eleven.cl", text);

	for (int again = 0; again < 2; again++) {
		het_system *const system = open_platform(platform);
		const int length = length_of_name(system, one, options);

		ck_assert_int_eq(length, (int)strlen(one) + 1);
		ck_assert_int_eq(length_of_name(system, eleven, options), length + 3);
		assert_ok(het_close(system));
	}
}

START_TEST(test_a_text_that_says_its_file)
{
	say_file(_i, "__kernel void k(__global int *out) { out[0] = sizeof __FILE__; }\n", NULL);
	say_file(_i, "__kernel void k(__global int *out) { out[0] = sizeof WHERE; }\n", "-DWHERE=__FILE__");
}
END_TEST

/* One that says when it was compiled is compiled each time. */
static void say_time(int platform, const char *text, const char *options)
{
	for (int again = 0; again < 2; again++) {
		het_system *const system = open_platform(platform);
		het_kernel *const kernel = source_kernel(system, text, "k", options);

		ck_assert_int_gt(result_of(kernel, het_device(system, 0)), 5);
		ck_assert_int_eq(count_logged("made from source"), 1);
		assert_ok(het_close(system));
	}
}

START_TEST(test_a_text_that_says_its_time)
{
	say_time(_i, "__kernel void k(__global int *out) { out[0] = sizeof __TIME__; }\n", NULL);
	say_time(_i, "__kernel void k(__global int *out) { out[0] = sizeof(__DATE__); }\n", NULL);
	say_time(_i, "__kernel void k(__global int *out) { out[0] = sizeof __TIMESTAMP__; }\n", NULL);
	say_time(_i, "__kernel void k(__global int *out) { out[0] = sizeof WHEN; }\n", "-DWHEN=__TIME__");
	say_time(_i, "__kernel void k(__global int *out) { out[0] = sizeof WHEN; }\n", "-DWHEN=__DATE__");
}
END_TEST

/* Its own entry of the cache is written all the same, and has the signature. */
START_TEST(test_shared_program_is_kept)
{
	for (int again = 0; again < 2; again++) {
		het_system *const system = open_platform(_i);
		het_device *const device = het_device(system, 0);

		ck_assert_int_eq(result_of(source_kernel(system, both, "one", "-DANSWER=3"), device), 3);
		ck_assert_int_eq(result_of(source_kernel(system, both, "ten", "-DANSWER=3"), device), 30);
		ck_assert_int_eq(count_logged("made from the cache"), again ? 2 : 0);
		assert_ok(het_close(system));
	}
}
END_TEST

static const char slow[] = "__kernel void k(__global int *p)\n"
			   "{\n"
			   "	int x = p[get_global_id(0)];\n"
			   "	for (int i = 0; i < ANSWER; i++)\n"
			   "		x = x * 1103515245 + 12345;\n"
			   "	p[get_global_id(0)] = x;\n"
			   "}\n";

enum { BAND = 4096, SYSTEMS = 4 };

/* Band `band` of the array. */
static het_status launch_band(het_kernel *kernel, het_device *device, het_array *array, int band)
{
	const int first = band * BAND, end = first + BAND;

	return het_launch(kernel, device, het_local(het_range(1, first, end), 64),
			  HET_INOUT_PART(array, het_rows(first, end)));
}

static het_kernel *slow_kernel(het_system *system, int round)
{
	char options[32];

	snprintf(options, sizeof options, "-DANSWER=%d", 5000 + round);
	return source_kernel(system, slow, "k", options);
}

/* Bands of one array, the first of which begins at 0, on five devices at once: PoCL ended the process. */
START_TEST(test_many_parts_at_once)
{
	het_system *system;
	het_array *array;

	setenv("HETERO_CACHE", "off", 1);
	system = open_parts();
	if (!system)
		return;
	const int devices = het_device_count(system);
	assert_ok(het_array_new(system, HET_INT, het_shape(1, devices * BAND), &array));
	for (int round = 0; round < 8; round++) {
		het_kernel *const kernel = slow_kernel(system, round);

		for (int d = 0; d < devices; d++)
			assert_ok(het_kernel_build(kernel, het_device(system, d)));
		for (int d = 0; d < devices; d++)
			assert_ok(launch_band(kernel, het_device(system, d), array, d));
		assert_ok(het_wait_all(system));
	}
	ck_assert_int_eq(count_logged("made from source"), 8 * devices);
	assert_ok(het_close(system));
}
END_TEST

/* A system for each of so many parts; false where there are fewer. */
static bool open_each_part(het_system *systems[SYSTEMS])
{
	het_system *const all = open_parts();
	const bool enough = all && het_device_count(all) >= SYSTEMS;
	char part[32];

	assert_ok(het_close(all));
	for (int i = 0; i < SYSTEMS && enough; i++) {
		snprintf(part, sizeof part, "pocl:cpu0.%d/1", i);
		systems[i] = open_selection(part);
	}
	return enough;
}

/* So it did where these devices are of different systems. */
START_TEST(test_many_systems_at_once)
{
	het_system *system[SYSTEMS];
	het_kernel *kernel[SYSTEMS];
	het_array *array[SYSTEMS];

	setenv("HETERO_CACHE", "off", 1);
	if (!open_each_part(system))
		return;
	for (int i = 0; i < SYSTEMS; i++)
		assert_ok(het_array_new(system[i], HET_INT, het_shape(1, SYSTEMS * BAND), &array[i]));
	for (int round = 0; round < 8; round++) {
		for (int i = 0; i < SYSTEMS; i++)
			kernel[i] = slow_kernel(system[i], 100 + round);
		for (int i = 0; i < SYSTEMS; i++)
			assert_ok(het_kernel_build(kernel[i], het_device(system[i], 0)));
		for (int i = 0; i < SYSTEMS; i++)
			assert_ok(launch_band(kernel[i], het_device(system[i], 0), array[i], i));
		for (int i = 0; i < SYSTEMS; i++)
			assert_ok(het_wait_all(system[i]));
	}
	for (int i = 0; i < SYSTEMS; i++)
		assert_ok(het_close(system[i]));
}
END_TEST

/* Whether the compiler gets the same for both devices. */
static bool are_compiled_alike(het_device *one, het_device *other)
{
	het_kernel *const mine = source_kernel(one->system, answer, "k", NULL);
	het_kernel *const its = source_kernel(other->system, answer, "k", NULL);
	char *const options = het__options_whole(mine, one, "");
	char *const others = het__options_whole(its, other, "");
	const bool alike = strcmp(options, others) == 0;

	het__free(options);
	het__free(others);
	assert_ok(het_kernel_free(mine));
	assert_ok(het_kernel_free(its));
	return alike;
}

/* No two devices, of whatever systems; those of a system that comes after another as that's: the cache finds
 * what it has. */
START_TEST(test_programs_apart)
{
	het_system *const first = open_parts(), *const second = first ? open_parts() : NULL;
	het_device *const device = first ? het_device(first, 0) : NULL;
	het_system *third;

	if (!first)
		return;
	ck_assert(!are_compiled_alike(device, het_device(first, 1)));
	for (int d = 0; d < het_device_count(second); d++)
		ck_assert(!are_compiled_alike(device, het_device(second, d)));
	assert_ok(het_close(second));
	third = open_parts();
	ck_assert(!are_compiled_alike(device, het_device(third, 0)));
	assert_ok(het_close(third));
	assert_ok(het_close(first));
}
END_TEST

/* What one thread launches while another builds. */
struct launcher {
	het_system *system;
	het_kernel *kernel;
	het_device *device;
	het_array *array[2]; /* by turns, so that the driver gets an argument each time */
	atomic_bool stop;
	atomic_int launches;
};

static void *launch_on(void *argument)
{
	struct launcher *const l = argument;

	for (int i = 0; !atomic_load(&l->stop); i++) {
		must(!het_launch(l->kernel, l->device, het_grid(1, 64), HET_INOUT(l->array[i % 2])));
		must(!het_wait_all(l->system));
		atomic_fetch_add(&l->launches, 1);
	}
	return NULL;
}

/* The fake driver's compiler is a process of its own. */
static int builds_tried(void)
{
	if (getenv("HETERO_TEST_LONG"))
		return 600;
	return getenv("HETERO_TEST_SHORT") || getenv("HETERO_TEST_FAKE") ? 10 : 100;
}

/* Oclgrind's compiler writes where its launches read: one of some hundred builds had an argument refused. */
START_TEST(test_launches_while_others_are_built)
{
	const int builds = builds_tried();
	struct launcher l = {.launches = 0};
	pthread_t thread;

	setenv("HETERO_CACHE", "off", 1);
	l.system = open_platform(_i);
	l.device = het_device(l.system, 0);
	l.kernel = source_kernel(l.system, slow, "k", "-DANSWER=1");
	for (int i = 0; i < 2; i++)
		assert_ok(het_array_new(l.system, HET_INT, het_shape(1, 64), &l.array[i]));
	assert_ok(het_kernel_build(l.kernel, l.device));
	ck_assert_int_eq(pthread_create(&thread, NULL, launch_on, &l), 0);
	for (int i = 0; i < builds; i++) {
		const int before = atomic_load(&l.launches);
		char options[32];

		snprintf(options, sizeof options, "-DANSWER=%d", 2 + i);
		assert_ok(het_kernel_build(source_kernel(l.system, slow, "k", options), l.device));
		while (atomic_load(&l.launches) == before) /* the other thread has its turn */
			sched_yield();
	}
	atomic_store(&l.stop, true);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	assert_ok(het_close(l.system));
}
END_TEST

/* Asked for such a binary while its kernel runs, PoCL ended the process. */
START_TEST(test_binary_of_a_running_kernel)
{
	het_system *system;
	het_device *device;
	het_array *array;

	setenv("HETERO_CACHE", "off", 1);
	system = open_platform(_i);
	device = het_device(system, 0);
	assert_ok(het_array_new(system, HET_INT, het_shape(1, 4), &array));
	for (int i = 0; i < 20; i++) {
		const struct het_range four = het_local(het_range(1, 0, 4), 4);
		het_kernel *kernel;
		char text[200];
		size_t bytes;

		snprintf(text, sizeof text,
			 "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *x)"
			 "{ x[get_global_id(0)] = %d; }", i);
		kernel = source_kernel(system, text, "k", NULL);
		for (int launch = 0; launch < 40; launch++)
			assert_ok(het_launch(kernel, device, four, HET_OUT(array)));
		assert_ok(het_kernel_binary(kernel, device, NULL, 0, &bytes));
	}
	assert_ok(het_close(system));
}
END_TEST

/* What a beginner has meant. */
START_TEST(test_hints)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	het_kernel *by_header = NULL;

	assert_fails(het_kernel_build(source_kernel(system, "kernels.cl", "k", NULL), device), HET_ERR_BUILD,
		     "is the text a file's name? het_kernel_from_file reads files");
	assert_fails(het_kernel_build(source_kernel(system, "void k(global int *x) { x[0] = 1; }", "k", NULL),
				      device),
		     HET_ERR_KERNEL,
		     "the program has no kernel, so no 'k' either; a function is a kernel if it begins with "
		     "the word `kernel`: clCreateKernel on");
	het_test_file("hints/header.h", "#include \"het.clh\"\n");
	assert_ok(het_kernel_from_file(system,
				       het_test_file("hints/k.cl", "#include \"header.h\"\n"
								   "kernel void k(HET_WINDOW(global int, x))\n"
								   "{ HET_AT1(x, 0) = 1; }\n"),
				       "k", NULL, &by_header));
	assert_fails(het_kernel_build(by_header, device), HET_ERR_BUILD, "het.clh",
		     "for a text that itself has the line #include \"het.clh\", not for files");
	assert_ok(het_close(system));
}
END_TEST

/* A compiler's warnings are in the log, by their place in the text. Nothing is said where it says nothing, nor
 * where it is not asked. */
START_TEST(test_warnings)
{
	static const char bad[] = "kernel void k(global int *out)\n{\n#warning beware\n\tout[0] = ANSWER;\n}\n";
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	/* rusticl and the fake driver have no words then. */
	const bool tells = strcmp(device->driver->short_name, "pocl") == 0 && !getenv("HETERO_TEST_FAKE");
	char head[256];

	snprintf(head, sizeof head, "[kernel] kernel k for %s: the compiler says:", device->name);
	assert_ok(het_kernel_build(source_kernel(system, answer, "k", "-DANSWER=1"), device));
	assert_not_logged("the compiler says");
	assert_ok(het_kernel_build(source_kernel(system, bad, "k", "-DANSWER=1"), device));
	if (tells)
		assert_logged("[kernel] warning: k:3:2: beware");
	assert_ok(het_kernel_build(source_kernel(system, bad, "k", "-DANSWER=1"), device));
	ck_assert_int_le(count_logged(head), 1);
	ck_assert(count_logged(head) == 1 || !tells);
	assert_ok(het_close(system));
}
END_TEST

/* Names that begin like it are not double, and an error that is not about it is not for the lack of it. */
START_TEST(test_errors_that_are_not_of_double)
{
	static const struct {
		const char *text, *options, *says;
		het_status status;
	} wrong[] = {
		{"#define REAL double\nkernel void k(global int *a) { double_it(a) }", NULL, "double_it",
		 HET_ERR_BUILD},
		{"#define REAL double\nkernel void k(global int *a) { int double_2 = REAL_2; }", NULL, "REAL_2",
		 HET_ERR_BUILD},
		{"kernel void k(global int *a) { double_2(a) }", "-DNAME=doubles", "double_2", HET_ERR_BUILD},
		{"#define REAL double\nkernel void k(global int *a) { REAL d; d.x = 1; }", NULL,
		 "has no double precision", HET_ERR_UNSUPPORTED},
	};
	static const char right[] = "kernel void k(global int *a) { int double10 = 1; a[0] = double10; }";
	het_system *const system = open_platform(0);
	het_device *const device = het_device(system, 0);

	device->facts.has_double = false;
	built_on(source_kernel(system, right, "k", NULL), device);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		het_kernel *const kernel = source_kernel(system, wrong[i].text, "k", wrong[i].options);

		assert_fails(het_kernel_build(kernel, device), wrong[i].status, wrong[i].says);
	}
	assert_ok(het_close(system));
}
END_TEST

/* ---- files ---- */

/* A compiler looks beside the name that it is given, wherever that leads. */
START_TEST(test_linked_file)
{
	het_system *const system = open_platform(_i);
	char real[PATH_MAX], link[PATH_MAX];
	het_kernel *kernel = NULL;

	snprintf(real, sizeof real, "%s",
		 het_test_file("real/linked.cl", "#include \"beside.h\"\n"
						 "kernel void k(global int *out) { out[0] = BESIDE; }\n"));
	(void)het_test_file("real/beside.h", "#define BESIDE 5\n");
	snprintf(link, sizeof link, "%s", het_test_file("links/beside.h", "#define BESIDE 6\n"));
	strcpy(strrchr(link, '/'), "/k.cl");
	(void)unlink(link); /* of a test that failed */
	ck_assert_int_eq(symlink(real, link), 0);
	assert_ok(het_kernel_from_file(system, link, "k", NULL, &kernel));
	ck_assert_int_eq(result_of(kernel, het_device(system, 0)), 6);
	assert_ok(het_kernel_from_file(system, real, "k", NULL, &kernel));
	ck_assert_int_eq(result_of(kernel, het_device(system, 0)), 5);
	assert_ok(het_close(system));
	ck_assert_int_eq(unlink(link), 0);
}
END_TEST

static const struct kernel_test tests[] = {
	{&test_options, true},
	{&test_options_per_device, false},
	{&test_kernels_of_one_text_share_the_program, true},
	{&test_a_text_that_says_its_file, true},
	{&test_a_text_that_says_its_time, true},
	{&test_shared_program_is_kept, true},
	{&test_many_parts_at_once, false},
	{&test_many_systems_at_once, false},
	{&test_programs_apart, false},
	{&test_launches_while_others_are_built, true},
	{&test_hints, true},
	{&test_warnings, true},
	{&test_linked_file, true},
	{&test_errors_that_are_not_of_double, false},
	{&test_binary_of_a_running_kernel, true},
};

int main(void)
{
	setenv("POCL_MAX_PTHREAD_COUNT", "5", 1); /* so many parts, before PoCL starts */
	return run_kernel_tests("kernel programs", (int)(sizeof(tests) / sizeof(tests[0])), tests);
}
