/* test_kernel.c - kernels on real platforms: signatures, messages, double precision, their lives. */
#include <check.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hetero.h>

#include "base/type.h"
#include "kernels.h"
#include "platforms.h"

/* ---- signatures ---- */

static const char many[] =
	"typedef struct { int a; float b[3]; } pair;\n"
	"typedef float real;\n"
	"__kernel void k(__global const float4 *a, __global unsigned int *b, uint c, __local int *d,\n"
	"                __constant float *e, __global pair *f, pair g, uchar3 h, unsigned char i,\n"
	"                __global real *j, const int k, unsigned long l, float3 m,\n"
	"                __global const volatile short * restrict n, __global uchar3 *o, char16 p,\n"
	"                __global void *q, int r)\n"
	"{\n"
	"	b[0] = c + d[0] + g.a + h.x + i + k + l + p.s0 + r + (uint)(a[0].x + e[0] + f[0].b[0] + j[0] + "
	"m.x);\n"
	"}\n";

static const struct het__param many_params[] = {
	{HET__PARAM_BUFFER, true, 0, HET_FLOAT4, 0, 16, 0, "float4*", "a"},
	{HET__PARAM_BUFFER, false, 0, HET_UINT, 1, 4, 0, "uint*", "b"},
	{HET__PARAM_VALUE, false, 0, HET_UINT, 2, 4, 0, "uint", "c"},
	{HET__PARAM_LOCAL, false, 0, HET_INT, 3, 4, 0, "int*", "d"},
	{HET__PARAM_BUFFER, true, 0, HET_FLOAT, 4, 4, 0, "float*", "e"},
	{HET__PARAM_BUFFER, false, 0, HET_STRUCT(16), 5, 4, 0, "pair*", "f"},
	{HET__PARAM_VALUE, false, 0, HET_STRUCT(16), 6, 4, 0, "pair", "g"},
	{HET__PARAM_VALUE, false, 0, HET_UCHAR3, 7, 4, 0, "uchar3", "h"},
	{HET__PARAM_VALUE, false, 0, HET_UCHAR, 8, 1, 0, "uchar", "i"},
	{HET__PARAM_BUFFER, false, 0, HET_FLOAT, 9, 4, 0, "real*", "j"},
	{HET__PARAM_VALUE, false, 0, HET_INT, 10, 4, 0, "int", "k"},
	{HET__PARAM_VALUE, false, 0, HET_ULONG, 11, 8, 0, "ulong", "l"},
	{HET__PARAM_VALUE, false, 0, HET_FLOAT3, 12, 16, 0, "float3", "m"},
	{HET__PARAM_BUFFER, true, 0, HET_SHORT, 13, 2, 0, "short*", "n"},
	{HET__PARAM_BUFFER, false, 0, HET_UCHAR3, 14, 4, 0, "uchar3*", "o"},
	{HET__PARAM_VALUE, false, 0, HET_CHAR16, 15, 16, 0, "char16", "p"},
	{HET__PARAM_BUFFER, false, 0, 0, 16, 128, 0, "void*", "q"},
	{HET__PARAM_VALUE, false, 0, HET_INT, 17, 4, 0, "int", "r"},
};

#define MANY ((int)(sizeof(many_params) / sizeof(many_params[0])))

static void assert_param(const struct het__param *got, const struct het__param *want, const char *device)
{
	const bool is_buffer = want->kind == HET__PARAM_BUFFER;

	ck_assert_msg(got->kind == want->kind, "%s: %s: kind %d", device, want->name, (int)got->kind);
	ck_assert_msg(strcmp(got->name, want->name) == 0, "%s: %s: name %s", device, want->name, got->name);
	ck_assert_msg(got->is_const == want->is_const, "%s: %s: const %d", device, want->name, got->is_const);
	ck_assert_msg(got->type == want->type, "%s: %s: type %#x (%s)", device, want->name, got->type,
		      got->type_name);
	ck_assert_msg(got->align_bytes == want->align_bytes, "%s: %s: alignment %zu", device, want->name,
		      got->align_bytes);
	ck_assert_msg(got->needs == (is_buffer ? het__needs(want->type, want->align_bytes) : 0),
		      "%s: %s: needs %#llx", device, want->name, (unsigned long long)got->needs);
	ck_assert_msg(got->at == want->at, "%s: %s: number %d", device, want->name, got->at);
}

static void assert_many(const struct het__kernel_on *on, const het_device *device)
{
	ck_assert_int_eq(on->signature->count, MANY);
	for (int i = 0; i < MANY; i++)
		assert_param(&on->signature->param[i], &many_params[i], device->name);
	ck_assert(!on->uses_double);
	ck_assert_uint_ge(on->limits.work_group, 1);
}

START_TEST(test_signature)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);

	assert_many(built_on(source_kernel(system, many, "k", NULL), device), device);
	assert_logged("made from source");
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_signature_from_cache_is_the_same)
{
	het_system *system = open_platform(_i);
	struct het__signature *fresh;
	struct het__kernel_on *on = built_on(source_kernel(system, many, "k", NULL), het_device(system, 0));
	const size_t bytes = sizeof(*fresh) + MANY * sizeof(fresh->param[0]);

	fresh = malloc(bytes);
	ck_assert_ptr_nonnull(fresh);
	memcpy(fresh, on->signature, bytes);
	assert_ok(het_close(system));
	system = open_platform(_i);
	on = built_on(source_kernel(system, many, "k", NULL), het_device(system, 0));
	assert_logged("made from the cache");
	ck_assert_mem_eq(on->signature, fresh, bytes);
	assert_many(on, het_device(system, 0));
	free(fresh);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_required_local_size)
{
	het_system *const system = open_platform(_i);
	const struct het__kernel_on *const on = built_on(
		source_kernel(system,
			    "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(__global int *a)\n"
			    "{ __local int l[16]; l[get_local_id(0)] = 1; a[0] = l[0]; }",
			    "k", NULL),
		het_device(system, 0));

	ck_assert_uint_eq(on->limits.required_local[0], 4);
	ck_assert_uint_eq(on->limits.required_local[1], 2);
	ck_assert_uint_eq(on->limits.required_local[2], 1);
	assert_ok(het_close(system));
}
END_TEST

/* ---- what goes wrong ---- */

static const char wrong[] = "/* one */\n__kernel void k(__global int *a)\n{\n	a[0] = mistake;\n}\n";

/* What the record has besides the text; `call` NULL where OpenCL was not asked. */
static void assert_record(const char *call, const char *device)
{
	const struct het_error e = het_error_last();

	ck_assert(call ? e.cl_call && strcmp(e.cl_call, call) == 0 : !e.cl_call && e.cl_code == 0);
	ck_assert_ptr_nonnull(e.device);
	ck_assert_str_eq(e.device, device);
}

START_TEST(test_build_error_from_text)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	het_kernel *const kernel = source_kernel(system, wrong, "k", "-DX=1");
	char head[256];

	assert_ok(het_device_info(device, &info));
	snprintf(head, sizeof(head), "kernel k does not build for %s with options \"-DX=1\"\n", info.name);
	for (int again = 0; again < 2; again++)
		assert_fails(het_kernel_build(kernel, device), HET_ERR_BUILD, head, "k:4", "mistake");
	ck_assert_int_eq(strncmp(het_message(), head, strlen(head)), 0);
	assert_record("clBuildProgram", info.name);
	ck_assert_int_ne(het_error_last().cl_code, CL_SUCCESS);
	assert_ok(het_close(system));
}
END_TEST

/* Editors put the mark there unseen; lines behind it are counted as they are. */
START_TEST(test_byte_order_mark)
{
	het_system *const system = open_platform(_i);
	het_kernel *kernel = NULL;

	assert_ok(het_kernel_from_source(system, "\xef\xbb\xbf#define FOUR 4\n"
						 "kernel void k(global int *out) { out[0] = FOUR; }\n",
					 "k", NULL, &kernel));
	ck_assert_int_eq(result_of(kernel, het_device(system, 0)), 4);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_build_error_from_file)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	const char *const path = write_text("wrong.cl", wrong);
	char title[256], line[256];
	het_kernel *kernel;

	snprintf(title, sizeof(title), "kernel k (%s) does not build for %s", path, device->name);
	snprintf(line, sizeof(line), "%s:4", path);
	assert_ok(het_kernel_from_file(system, path, "k", NULL, &kernel));
	assert_fails(het_kernel_build(kernel, device), HET_ERR_BUILD, title, line, "mistake");
	ck_assert_ptr_null(strstr(het_message(), "options"));
	assert_ok(het_close(system));
}
END_TEST

/* The log of a program with hundreds of mistakes is longer than a plain message may be. */
START_TEST(test_long_log)
{
	het_system *const system = open_platform(_i);
	char source[8192], tail[301];
	size_t at = 0;

	memset(tail, 'x', sizeof(tail) - 1);
	tail[sizeof(tail) - 1] = '\0';
	for (int i = 0; i < 15; i++)
		at += (size_t)snprintf(source + at, sizeof(source) - at,
				       "int f%d(void) { return mistake%d%s; }\n", i, i, tail);
	snprintf(source + at, sizeof(source) - at, "__kernel void k(__global int *a) { a[0] = 1; }\n");
	assert_fails(het_kernel_build(source_kernel(system, source, "k", NULL), het_device(system, 0)),
		     HET_ERR_BUILD, "mistake0", "mistake14", "k:15");
	ck_assert_uint_gt(strlen(het_message()), 4500);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_no_such_kernel)
{
	het_system *const system = open_platform(_i);
	het_kernel *const kernel = source_kernel(system,
					       "__kernel void first(__global int *a) { a[0] = 1; }\n"
					       "__kernel void second(__global int *a) { a[0] = 2; }\n",
					       "third", NULL);

	assert_fails(het_kernel_build(kernel, het_device(system, 0)), HET_ERR_KERNEL, "third", "first",
		     "second");
	assert_ok(het_close(system));
}
END_TEST

/* Other drivers than PoCL 3 take it, or not even compile it. */
START_TEST(test_kernel_with_the_name_of_a_function)
{
	het_system *const system = open_platform(_i);
	het_kernel *const kernel =
		source_kernel(system, "kernel void step(global int *a) { a[0] = 1; }\n", "step", NULL);
	const het_status st = het_kernel_build(kernel, het_device(system, 0));

	if (st == HET_ERR_KERNEL || (st && strstr(het_message(), "_cl_step")))
		assert_fails(st, HET_ERR_KERNEL, "no kernel 'step'", "a function of OpenCL C has that name");
	assert_ok(het_close(system));
}
END_TEST

/* Files beside it are found, or it is told why they may not be. */
START_TEST(test_folder_with_blanks)
{
	het_system *const system = open_platform(_i);
	het_kernel *kernel = NULL;
	het_status st;
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s", het_test_file("with a blank/part.h", "#define PART 4\n"));
	snprintf(file, sizeof(file), "%s",
		 het_test_file("with a blank/k.cl", "#include \"part.h\"\n"
						    "kernel void k(global int *out) { out[0] = PART; }\n"));
	assert_ok(het_kernel_from_file(system, file, "k", NULL, &kernel));
	st = het_kernel_build(kernel, het_device(system, 0));
	if (st == HET_OK)
		ck_assert_int_eq(result_of(kernel, het_device(system, 0)), 4);
	else
		assert_fails(st, HET_ERR_BUILD, "with a blank/k.cl", "folder with blanks", "part.h");
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_bad_files)
{
	het_system *const system = open_platform(0);
	het_kernel *kernel = NULL;
	const char *const missing = path_of("missing.cl");

	assert_fails(het_kernel_from_file(system, missing, "k", NULL, &kernel), HET_ERR_FILE, missing,
		     "No such file");
	assert_fails(het_kernel_from_file(system, kernel_folder, "k", NULL, &kernel), HET_ERR_FILE,
		     kernel_folder, "Is a directory");
	write_file(path_of("zero.cl"), "int a;\0int b;", 13);
	assert_fails(het_kernel_from_file(system, path_of("zero.cl"), "k", NULL, &kernel), HET_ERR_FILE,
		     "zero.cl");
	assert_fails(het_kernel_from_file(system, "", "k", NULL, &kernel), HET_ERR_FILE,
		     "kernel k: cannot read '': No such file");
	ck_assert_ptr_null(kernel);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_wrong_arguments)
{
	het_system *const system = open_platform(0);
	het_device *const device = het_device(system, 0);
	struct het_kernel_times times = HET_KERNEL_TIMES_INIT;
	het_kernel *kernel = NULL;
	size_t bytes = 7;

	assert_fails(het_kernel_from_source(NULL, answer, "k", NULL, &kernel), HET_ERR_HANDLE, "");
	assert_fails(het_kernel_from_source(system, NULL, "k", NULL, &kernel), HET_ERR_ARGUMENT, "source");
	assert_fails(het_kernel_from_source(system, answer, NULL, NULL, &kernel), HET_ERR_ARGUMENT, "name");
	assert_fails(het_kernel_from_source(system, answer, "", NULL, &kernel), HET_ERR_ARGUMENT, "name");
	assert_fails(het_kernel_from_source(system, answer, "k", NULL, NULL), HET_ERR_ARGUMENT, "kernel_p");
	assert_fails(het_kernel_from_file(NULL, "a", "k", NULL, &kernel), HET_ERR_HANDLE, "");
	assert_fails(het_kernel_from_file(system, NULL, "k", NULL, &kernel), HET_ERR_ARGUMENT, "path");
	assert_fails(het_kernel_from_binary(NULL, "a", 1, "k", &kernel), HET_ERR_HANDLE, "");
	assert_fails(het_kernel_from_binary(device, NULL, 1, "k", &kernel), HET_ERR_ARGUMENT, "binary");
	assert_fails(het_kernel_from_binary(device, "a", 0, "k", &kernel), HET_ERR_ARGUMENT, "bytes");
	ck_assert_ptr_null(kernel);
	assert_fails(het_kernel_options(NULL, device, ""), HET_ERR_HANDLE, "kernel");
	assert_fails(het_kernel_build(NULL, device), HET_ERR_HANDLE, "kernel");
	assert_fails(het_kernel_binary(NULL, device, NULL, 0, &bytes), HET_ERR_HANDLE, "kernel");
	assert_fails(het_kernel_times(NULL, device, &times), HET_ERR_HANDLE, "kernel");
	assert_ok(het_kernel_free(NULL));
	kernel = source_kernel(system, answer, "k", "-DANSWER=1");
	assert_fails(het_kernel_options(kernel, NULL, ""), HET_ERR_HANDLE, "");
	assert_fails(het_kernel_build(kernel, NULL), HET_ERR_HANDLE, "");
	assert_fails(het_kernel_binary(kernel, NULL, NULL, 0, &bytes), HET_ERR_HANDLE, "");
	assert_fails(het_kernel_binary(kernel, device, NULL, 0, NULL), HET_ERR_ARGUMENT, "bytes");
	assert_fails(het_kernel_times(kernel, NULL, &times), HET_ERR_HANDLE, "");
	assert_fails(het_kernel_times(kernel, device, NULL), HET_ERR_ARGUMENT, "times");
	ck_assert_uint_eq(bytes, 7);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_devices_of_another_system)
{
	het_system *const one = open_platform(0), *const other = open_platform(0);
	het_kernel *const kernel = source_kernel(one, answer, "k", "-DANSWER=1");

	assert_fails(het_kernel_build(kernel, het_device(other, 0)), HET_ERR_HANDLE, "kernel k", "systems");
	assert_fails(het_kernel_options(kernel, het_device(other, 0), ""), HET_ERR_HANDLE, "systems");
	assert_ok(het_close(one));
	assert_ok(het_close(other));
}
END_TEST

/* ---- double precision ---- */

START_TEST(test_double)
{
	het_system *const system = open_platform(_i);
	het_device *const device = het_device(system, 0);
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	het_kernel *const surely =
		source_kernel(system, "__kernel void dbl(__global double *a) { a[0] *= 2; }", "dbl", NULL);
	het_kernel *const perhaps = source_kernel(system,
						"/* double */\n#ifdef cl_khr_fp64\ntypedef double real;\n"
						"#else\ntypedef float real;\n#endif\n"
						"__kernel void k(__global real *a) { a[0] *= 2; }",
						"k", NULL);
	het_kernel *const by_option = source_kernel(system,
						  "#ifdef X\n#define real double\n#else\n#define real float\n"
						  "#endif\n__kernel void k(__global real *a) { a[0] *= 2; }",
						  "k", "-DX");
	het_kernel *const only_option = source_kernel(system, "__kernel void k(__global REAL *a) { a[0] = 2; }",
						      "k", "-DREAL=double");

	assert_ok(het_device_info(device, &info));
	if (info.has_double) {
		ck_assert(built_on(surely, device)->uses_double);
		ck_assert(built_on(by_option, device)->uses_double);
		ck_assert(built_on(only_option, device)->uses_double);
	} else {
		assert_fails(het_kernel_build(surely, device), HET_ERR_UNSUPPORTED, "kernel dbl", info.name,
			     "double");
		assert_fails(het_kernel_build(by_option, device), HET_ERR_UNSUPPORTED, "kernel k", info.name,
			     "double");
		assert_fails(het_kernel_build(only_option, device), HET_ERR_UNSUPPORTED, "kernel k", info.name,
			     "double");
	}
	built_on(perhaps, device);
	assert_ok(het_close(system));
}
END_TEST

/* A driver that compiles double for a device that says it has none. Text that surely uses it never gets to
 * the compiler; of the rest the parameters tell. */
START_TEST(test_double_in_secret)
{
	het_system *const system = open_platform(0);
	het_device *const device = het_device(system, 0);
	het_kernel *const surely = source_kernel(
		system, "__kernel void k(__global int *a) { double d = a[0]; a[0] = d; }", "k", NULL);
	het_kernel *const hidden =
		source_kernel(system, "#define REAL double\n__kernel void k(__global REAL *a) {}", "k", NULL);

	device->facts.has_double = false;
	assert_fails(het_kernel_build(surely, device), HET_ERR_UNSUPPORTED, "kernel k", device->name, "double");
	assert_record(NULL, device->name);
	assert_not_logged("made from");
	assert_fails(het_kernel_build(hidden, device), HET_ERR_UNSUPPORTED, "kernel k", device->name, "double");
	assert_ok(het_close(system));
}
END_TEST

/* ---- lives ---- */

static void *build_in_thread(void *kernel)
{
	het_kernel *const k = kernel;

	return het_kernel_build(k, het_device(k->system, 0)) == HET_OK ? atomic_load(&k->on[0]) : NULL;
}

START_TEST(test_threads_build_once)
{
	het_system *const system = open_platform(_i);
	het_kernel *const kernel = source_kernel(system, answer, "k", "-DANSWER=1");
	pthread_t thread[4];
	void *on[4];

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, build_in_thread, kernel), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], &on[i]);
	ck_assert_ptr_nonnull(on[0]);
	for (int i = 1; i < 4; i++)
		ck_assert_ptr_eq(on[i], on[0]);
	ck_assert_int_eq(count_logged("made from"), 1);
	assert_ok(het_close(system));
}
END_TEST

struct caller {
	het_kernel *kernel;
	het_status (*call)(het_kernel *kernel, het_device *device);
	het_status status;
	char message[256];
};

static void *call_in_thread(void *argument)
{
	struct caller *const c = argument;

	c->status = c->call(c->kernel, het_device(c->kernel->system, 0));
	snprintf(c->message, sizeof c->message, "%s", het_message());
	return NULL;
}

static het_status ask_for_binary(het_kernel *kernel, het_device *device)
{
	size_t bytes;

	return het_kernel_binary(kernel, device, NULL, 0, &bytes);
}

static het_status give_options(het_kernel *kernel, het_device *device)
{
	return het_kernel_options(kernel, device, "-DANSWER=2");
}

static het_status launch_once(het_kernel *kernel, het_device *device)
{
	het_array *array;

	assert_ok(het_array_new(kernel->system, HET_INT, het_shape(1, 1), &array));
	return het_launch(kernel, device, het_grid(1, 1), HET_OUT(array));
}

static void wait_for_users(het_system *system, const het_kernel *kernel, int count)
{
	int users = 0;

	while (users < count) {
		assert_ok(het__enter(system, "test"));
		users = kernel->users;
		het__leave(system);
	}
}

/* A call that works on a kernel's program ends as one of a freed kernel, with nothing of the kernel missing
 * until then. Holding the lock stands for a build of another thread's that takes long. */
START_TEST(test_free_while_others_build)
{
	het_status (*const calls[])(het_kernel *, het_device *) = {het_kernel_build, ask_for_binary,
								   give_options, launch_once};
	het_system *const system = open_platform(_i);

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		struct caller c = {source_kernel(system, answer, "k", "-DANSWER=1"), calls[i], HET_OK, ""};
		pthread_t thread;

		pthread_mutex_lock(&c.kernel->build_lock);
		ck_assert_int_eq(pthread_create(&thread, NULL, call_in_thread, &c), 0);
		wait_for_users(system, c.kernel, 1);
		assert_ok(het_kernel_free(c.kernel));
		pthread_mutex_unlock(&c.kernel->build_lock);
		pthread_join(thread, NULL);
		ck_assert_int_eq(c.status, HET_ERR_HANDLE);
		ck_assert_msg(strstr(c.message, "freed") != NULL, "%s", c.message);
	}
	assert_ok(het_close(system));
}
END_TEST

static void use(het_system *system, het_kernel *kernel, int by)
{
	assert_ok(het__enter(system, "test"));
	if (by > 0)
		het__kernel_use(kernel);
	else
		het__kernel_unuse(kernel);
	het__leave(system);
}

/* A freed kernel stays for the launches that use it; what is left goes with the system. */
START_TEST(test_free)
{
	het_system *const system = open_platform(0);
	het_kernel *const used = source_kernel(system, answer, "k", "-DANSWER=1");
	het_kernel *const idle = source_kernel(system, answer, "k", "-DANSWER=1");
	struct het__kernels *const room = system->room[HET__ROOM_KERNEL].state;

	built_on(used, het_device(system, 0));
	use(system, used, 1);
	use(system, used, 1);
	assert_ok(het_kernel_free(used));
	assert_fails(het_kernel_build(used, het_device(system, 0)), HET_ERR_HANDLE, "het_kernel_build",
		     "freed");
	assert_fails(het_kernel_free(used), HET_ERR_HANDLE, "het_kernel_free");
	use(system, used, -1);
	ck_assert_ptr_eq(room->first, idle);
	ck_assert_ptr_eq(idle->next, used);
	use(system, used, -1);
	ck_assert_ptr_null(idle->next);
	use(system, idle, 1);
	use(system, idle, -1);
	ck_assert_ptr_eq(room->first, idle);
	source_kernel(system, answer, "k", NULL);
	ck_assert_ptr_eq(room->first->next, idle);
	assert_ok(het_kernel_free(idle));
	ck_assert_ptr_null(room->first->next);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_times)
{
	het_system *const system = open_platform(0);
	het_device *const device = het_device(system, 0);
	het_kernel *const kernel = source_kernel(system, answer, "k", "-DANSWER=1");
	struct het_kernel_times times = HET_KERNEL_TIMES_INIT, wrong_size = {.size = 0};
	struct het__kernel_on *on;

	assert_ok(het_kernel_times(kernel, device, &times));
	ck_assert_uint_eq(times.launches, 0);
	on = built_on(kernel, device);
	het__kernel_record(on, 30, false, 600, 1);
	het__kernel_record(on, 10, false, 100, 1);
	het__kernel_record(on, 20, true, 800, 1);
	ck_assert_double_eq_tol(het__kernel_rate(kernel, device, 1), 40, 1e-9); /* 10, 40: without the first */
	for (unsigned size = 2; size < 2 + HET__PACES; size++) {
		ck_assert(!(het__kernel_rate(kernel, device, size) > 0));
		het__pace_add(&on->paces, size, size);
		ck_assert_double_eq_tol(het__kernel_rate(kernel, device, size), size, 1e-9);
	}
	ck_assert(!(het__kernel_rate(kernel, device, 1) > 0)); /* the oldest gave way */
	ck_assert_double_eq_tol(het__kernel_rate(kernel, device, 2), 2, 1e-9);
	assert_ok(het_kernel_times(kernel, device, &times));
	ck_assert_uint_eq(times.size, sizeof(times));
	ck_assert_uint_eq(times.launches, 3);
	ck_assert_uint_eq(times.total_ns, 60);
	ck_assert_uint_eq(times.min_ns, 10);
	ck_assert_uint_eq(times.max_ns, 30);
	ck_assert_uint_eq(times.last_ns, 20);
	ck_assert_int_eq(times.by_host, 1);
	assert_fails(het_kernel_times(kernel, device, &wrong_size), HET_ERR_ARGUMENT, "size");
	assert_ok(het_close(system));
}
END_TEST

static const struct kernel_test tests[] = {
	{&test_signature, true},
	{&test_signature_from_cache_is_the_same, true},
	{&test_required_local_size, true},
	{&test_build_error_from_text, true},
	{&test_build_error_from_file, true},
	{&test_byte_order_mark, true},
	{&test_long_log, true},
	{&test_no_such_kernel, true},
	{&test_kernel_with_the_name_of_a_function, true},
	{&test_folder_with_blanks, true},
	{&test_bad_files, false},
	{&test_wrong_arguments, false},
	{&test_devices_of_another_system, false},
	{&test_double, true},
	{&test_double_in_secret, false},
	{&test_threads_build_once, true},
	{&test_free_while_others_build, true},
	{&test_free, false},
	{&test_times, false},
};

int main(void)
{
	return run_kernel_tests("kernel", (int)(sizeof(tests) / sizeof(tests[0])), tests);
}
