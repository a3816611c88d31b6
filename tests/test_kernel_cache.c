/* test_kernel_cache.c - binaries of kernels, and the cache of them, on real platforms. */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hetero.h>

#include "base/alloc.h"
#include "checks.h"
#include "kernel/cache.h"
#include "kernels.h"
#include "platforms.h"

/* ---- binaries ---- */

/* malloc'd */
static void *binary_of(het_kernel *kernel, het_device *device, size_t *bytes)
{
	void *binary;
	size_t again = 0;

	assert_ok(het_kernel_binary(kernel, device, NULL, 0, bytes));
	ck_assert_uint_gt(*bytes, 0);
	binary = malloc(*bytes);
	ck_assert_ptr_nonnull(binary);
	assert_fails(het_kernel_binary(kernel, device, binary, *bytes - 1, &again), HET_ERR_ARGUMENT, "bytes");
	ck_assert_uint_eq(again, *bytes);
	assert_ok(het_kernel_binary(kernel, device, binary, *bytes, &again));
	ck_assert_uint_eq(again, *bytes);
	return binary;
}

START_TEST(test_binary_round_trip)
{
	het_system *system = open_platform(_i);
	het_kernel *kernel = source_kernel(system, answer, "k", "-DANSWER=33");
	const struct het__signature *signature;
	size_t bytes, again;
	void *binary = binary_of(kernel, het_device(system, 0), &bytes), *copy;

	assert_ok(het_close(system));
	system = open_platform(_i);
	assert_ok(het_kernel_from_binary(het_device(system, 0), binary, bytes, "k", &kernel));
	ck_assert_int_eq(result_of(kernel, het_device(system, 0)), 33);
	signature = built_on(kernel, het_device(system, 0))->signature;
	ck_assert_int_eq(signature->count, 1);
	ck_assert(signature->param[0].kind == HET__PARAM_UNKNOWN || signature->param[0].type == HET_INT);
	copy = binary_of(kernel, het_device(system, 0), &again);
	ck_assert_uint_eq(again, bytes);
	ck_assert_mem_eq(copy, binary, bytes);
	free(copy);
	assert_fails(het_kernel_from_binary(het_device(system, 0), binary, bytes, "nix", &kernel),
		     HET_ERR_KERNEL, "nix", "k");
	free(binary);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_binary_is_for_one_device)
{
	het_system *const system = open_parts();
	het_kernel *kernel;
	size_t bytes;
	void *binary;

	if (!system)
		return;
	kernel = source_kernel(system, answer, "k", "-DANSWER=1");
	binary = binary_of(kernel, het_device(system, 0), &bytes);
	assert_ok(het_kernel_from_binary(het_device(system, 0), binary, bytes, "k", &kernel));
	assert_fails(het_kernel_build(kernel, het_device(system, 1)), HET_ERR_UNSUPPORTED, "kernel k",
		     het_device(system, 0)->name, het_device(system, 1)->name);
	ck_assert_str_eq(het_error_last().device, het_device(system, 1)->name);
	free(binary);
	assert_ok(het_close(system));
}
END_TEST

static het_status made_of(het_device *device, const void *binary, size_t bytes, het_kernel **kernel_p)
{
	return het_kernel_from_binary(device, binary, bytes, "k", kernel_p);
}

/* Refused on this device of PoCL: another one has it. */
static void assert_second(het_device *device, const void *binary, size_t bytes)
{
	het_kernel *kernel = NULL;

	assert_fails(made_of(device, binary, bytes, &kernel), HET_ERR_UNSUPPORTED, "kernel k", device->name,
		     "another device", device->platform);
	ck_assert_ptr_null(kernel);
	ck_assert_str_eq(het_error_last().device, device->name);
}

/* PoCL may end the process where two devices run one program, and a binary is one. */
START_TEST(test_binary_on_two_devices)
{
	het_system *const system = open_parts();
	het_kernel *source, *kernel, *again, *other;
	size_t bytes, other_bytes;
	void *binary, *other_binary;

	if (!system)
		return;
	source = source_kernel(system, answer, "k", "-DANSWER=1");
	binary = binary_of(source, het_device(system, 0), &bytes);
	assert_ok(made_of(het_device(system, 0), binary, bytes, &kernel));
	assert_ok(made_of(het_device(system, 0), binary, bytes, &again));
	assert_second(het_device(system, 1), binary, bytes);
	other_binary = binary_of(source, het_device(system, 1), &other_bytes); /* its own */
	assert_ok(made_of(het_device(system, 1), other_binary, other_bytes, &other));
	ck_assert_int_eq(result_of(other, het_device(system, 1)), 1);
	assert_ok(het_kernel_free(kernel));
	assert_ok(het_kernel_free(again));
	assert_second(het_device(system, 1), binary, bytes); /* where the text's kernel runs is its place */
	assert_ok(het_kernel_free(source));
	assert_ok(made_of(het_device(system, 1), binary, bytes, &kernel));
	ck_assert_int_eq(result_of(kernel, het_device(system, 1)), 1);
	assert_second(het_device(system, 0), binary, bytes);
	source = source_kernel(system, answer, "k", "-DANSWER=1");
	assert_fails(het_kernel_build(source, het_device(system, 0)), HET_ERR_UNSUPPORTED, "kernel k",
		     "another device has its program");
	assert_ok(het_kernel_free(kernel));
	assert_ok(het_kernel_build(source, het_device(system, 0)));
	free(other_binary);
	free(binary);
	assert_ok(het_close(system));
}
END_TEST

/* The driver's table is the process's. */
START_TEST(test_binary_in_two_systems)
{
	het_system *const first = open_parts(), *const second = first ? open_parts() : NULL;
	het_kernel *kernel;
	size_t bytes;
	void *binary;

	if (!first)
		return;
	binary = binary_of(source_kernel(second, answer, "k", "-DANSWER=7"), het_device(second, 1), &bytes);
	assert_second(het_device(second, 0), binary, bytes);
	assert_second(het_device(first, 0), binary, bytes);
	assert_ok(het_close(second));
	assert_ok(made_of(het_device(first, 0), binary, bytes, &kernel));
	ck_assert_int_eq(result_of(kernel, het_device(first, 0)), 7);
	assert_second(het_device(first, 1), binary, bytes);
	free(binary);
	assert_ok(het_close(first));
}
END_TEST

/* rusticl aborts the process when it is given something that is no binary of its own. */
static bool dies_of_junk(const het_device *device)
{
	return strcmp(device->driver->short_name, "rusticl") == 0;
}

START_TEST(test_no_binary)
{
	het_system *const system = open_platform(_i);
	char junk[300];
	het_kernel *kernel = NULL;

	if (dies_of_junk(het_device(system, 0))) {
		assert_ok(het_close(system));
		return;
	}
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = (char)(i * 7);
	assert_fails(het_kernel_from_binary(het_device(system, 0), junk, sizeof(junk), "k", &kernel),
		     HET_ERR_BUILD, "kernel k", het_device(system, 0)->name);
	ck_assert_ptr_null(kernel);
	assert_ok(het_close(system));
}
END_TEST

/* ---- the cache ---- */

/* The answer of a new process's worth of system; the log stays to be looked at. */
static int answer_anew(int platform, const char *options)
{
	het_system *const system = open_platform(platform);
	const int result = result_of(source_kernel(system, answer, "k", options), het_device(system, 0));

	assert_ok(het_close(system));
	return result;
}

START_TEST(test_cache_hit)
{
	char path[1024];

	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	assert_logged("made from source");
	ck_assert_int_eq(list_cache(path, sizeof(path)), 1);
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	assert_logged("made from the cache");
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=2"), 2);
	assert_logged("made from source");
	ck_assert_int_eq(list_cache(path, sizeof(path)), 2);
}
END_TEST

static const char answer_or_1[] = "#ifndef ANSWER\n#define ANSWER 1\n#endif\n"
				  "__kernel void k(__global int *out) { out[0] = ANSWER; }\n"
				  "__kernel void twice(__global int *out) { out[0] = 2 * ANSWER; }\n";

/* In a process of its own, where PoCL adds these options to all. */
static void assert_added(int platform, const char *added, int wanted, const char *origin)
{
	const pid_t child = fork();
	int status = -1;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		het_system *const system = open_platform(platform);
		het_kernel *const kernel = source_kernel(system, answer_or_1, "k", NULL);
		int right = setenv("POCL_EXTRA_BUILD_FLAGS", added, 1) == 0;

		right = right && result_of(kernel, het_device(system, 0)) == wanted;
		right = right && count_logged(origin) == 1 && het_close(system) == HET_OK;
		_exit(right ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(status == 0, "%s: not %d %s", added, wanted, origin);
}

/* A program that these are part of is another one, also for kernels of the same text. (The fake driver adds
 * nothing.) */
START_TEST(test_options_that_the_driver_adds)
{
	het_system *system;
	het_device *device;

	if (getenv("HETERO_TEST_FAKE") || !het_test_is_there("pocl:*"))
		return;
	assert_added(_i, "", 1, "made from source");
	assert_added(_i, "-DANSWER=3", 3, "made from source");
	assert_added(_i, "-DANSWER=3", 3, "made from the cache");
	assert_added(_i, "", 1, "made from the cache");
	for (int again = 0; again < 2; again++)
		assert_added(_i, "-DANSWER=sizeof(__DATE__)", 12, "made from source");

	system = open_platform(_i);
	device = het_device(system, 0);
	ck_assert_int_eq(result_of(source_kernel(system, answer_or_1, "k", NULL), device), 1);
	ck_assert_int_eq(setenv("POCL_EXTRA_BUILD_FLAGS", "-DANSWER=4", 1), 0);
	ck_assert_int_eq(result_of(source_kernel(system, answer_or_1, "twice", NULL), device), 8);
	assert_ok(het_close(system));
}
END_TEST

START_TEST(test_cache_off)
{
	char path[1024];

	for (int again = 0; again < 2; again++) {
		ck_assert_int_eq(setenv("HETERO_CACHE", again ? "OFF" : "off", 1), 0);
		ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
		assert_logged("made from source");
	}
	ck_assert_int_eq(list_cache(path, sizeof(path)), 0);
}
END_TEST

/* Nothing is lost but time, and the log says why. */
START_TEST(test_cache_unusable)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/below", write_text("plain", "not a folder"));
	ck_assert_int_eq(setenv("HETERO_CACHE", path, 1), 0);
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	assert_logged("kernels cannot be kept in the cache");
	assert_logged("Not a directory");
	assert_logged("made from source");
}
END_TEST

START_TEST(test_cache_of_a_long_name)
{
	char path[6000];

	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	ck_assert_int_eq(setenv("HETERO_CACHE", path, 1), 0);
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	assert_logged("kernels cannot be kept in the cache /aaa");
	assert_logged("aaa...: File name too long");
	assert_logged("made from source");
}
END_TEST

/* What others may have written does not run. */
START_TEST(test_cache_of_others)
{
	const char *const folder = getenv("HETERO_CACHE");

	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	assert_logged("made from the cache");
	ck_assert_int_eq(chmod(folder, 0777), 0);
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	assert_logged("kernels cannot be kept in the cache");
	assert_logged("everybody may write there");
	assert_logged("made from source");
	ck_assert_int_eq(chmod(folder, 0775), 0); /* a user's own group */
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(folder, 1, 1), 0);
		ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
		assert_logged("it is another user's");
		ck_assert_int_eq(chown(folder, 0, 0), 0);
	}
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	assert_logged("made from the cache");
}
END_TEST

/* From now on permissions are for this process too, also root's. */
static void obey_permissions(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) != 0)
		return;
	data[0].effective &= ~(1u << CAP_DAC_OVERRIDE);
	data[0].permitted &= ~(1u << CAP_DAC_OVERRIDE);
	(void)syscall(SYS_capset, &head, data);
}

/* What somebody has put there is used where nothing can be added. */
START_TEST(test_cache_read_only)
{
	const char *const folder = getenv("HETERO_CACHE");

	ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
	ck_assert_int_eq(chmod(folder, 0555), 0);
	obey_permissions();
	if (access(folder, W_OK) != 0) {
		ck_assert_int_eq(answer_anew(_i, "-DANSWER=1"), 1);
		assert_logged("made from the cache");
		assert_not_logged("cannot be kept");
		ck_assert_int_eq(answer_anew(_i, "-DANSWER=2"), 2);
		assert_logged("made from source");
		ck_assert_int_eq(count_logged("cannot be kept in the cache"), 1);
		assert_logged("Permission denied");
	}
	ck_assert_int_eq(chmod(folder, 0755), 0);
}
END_TEST

static size_t read_whole(const char *path, char *data, size_t room)
{
	FILE *const file = fopen(path, "r");
	size_t bytes;

	ck_assert_ptr_nonnull(file);
	bytes = fread(data, 1, room, file);
	fclose(file);
	return bytes;
}

/* Damage of every kind is seen, and repaired by the way. */
START_TEST(test_damaged_entry_is_rebuilt)
{
	static char data[1 << 20], bad[1 << 20];
	char path[1024];
	size_t bytes;

	ck_assert_int_eq(answer_anew(_i, "-DANSWER=7"), 7);
	ck_assert_int_eq(list_cache(path, sizeof(path)), 1);
	bytes = read_whole(path, data, sizeof(data));
	for (int damage = 0; damage < 6; damage++) {
		const size_t at = bytes / 6 * (size_t)damage;

		memcpy(bad, data, bytes);
		bad[at] = (char)(bad[at] ^ 0x10);
		write_file(path, bad, damage % 2 ? at : bytes);
		ck_assert_int_eq(answer_anew(_i, "-DANSWER=7"), 7);
		assert_logged("made from source");
		ck_assert_int_eq(answer_anew(_i, "-DANSWER=7"), 7);
		assert_logged("made from the cache");
	}
	ck_assert_int_eq(list_cache(path, sizeof(path)), 1);
}
END_TEST

/* A sound entry whose binary the driver does not want. */
START_TEST(test_refused_entry_is_rebuilt)
{
	struct het__cache_key key;
	struct het__cache_entry entry;
	char make[256];
	het_system *system = open_platform(_i);
	het_device *const device = het_device(system, 0);

	if (dies_of_junk(device)) {
		assert_ok(het_close(system));
		return;
	}
	assert_ok(het__device_open(device));
	snprintf(make, sizeof(make), "%s, %u units", device->hardware, (unsigned)device->facts.compute_units);
	key = (struct het__cache_key){.kernel = "k",
				      .source = answer,
				      .options = "-DANSWER=7 -cl-kernel-arg-info",
				      .platform = device->platform,
				      .device = make,
				      .driver = device->driver_version};
	entry = (struct het__cache_entry){.binary = "no binary at all", .binary_bytes = 16};
	entry.signature = calloc(1, sizeof(*entry.signature) + sizeof(entry.signature->param[0]));
	ck_assert_ptr_nonnull(entry.signature);
	entry.signature->count = 1;
	mkdir(path_of("cache"), 0700);
	ck_assert(het__cache_store(NULL, HET_LOG_WARN, path_of("cache"), &key, &entry));
	free(entry.signature);
	assert_ok(het_close(system));
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=7"), 7);
	assert_logged("refused");
	assert_logged("made from source");
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=7"), 7);
	assert_logged("made from the cache");
}
END_TEST

/* Neither the cache nor an earlier build may hide that an included file has changed. */
START_TEST(test_include)
{
	char path[1024];

	write_text("k.cl", "#include \"h.h\"\n__kernel void k(__global int *out) { out[0] = ANSWER; }\n");
	for (int value = 1; value <= 2; value++) {
		char text[64];
		het_system *const system = open_platform(_i);
		het_kernel *kernel;

		snprintf(text, sizeof(text), "#define ANSWER %d\n", value);
		write_text("h.h", text);
		assert_ok(het_kernel_from_file(system, path_of("k.cl"), "k", NULL, &kernel));
		ck_assert_int_eq(result_of(kernel, het_device(system, 0)), value);
		assert_ok(het_close(system));
	}
	ck_assert_int_eq(list_cache(path, sizeof(path)), 0);
}
END_TEST

/* Processes that start before any of them has used OpenCL. */
START_TEST(test_processes_at_once)
{
	char path[1024];
	pid_t child[2];

	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		ck_assert_int_ge(child[i], 0);
		if (child[i] == 0) {
			int right = answer_anew(_i, "-DANSWER=4") == 4 && answer_anew(_i, "-DANSWER=5") == 5;

			_exit(right ? 0 : 1);
		}
	}
	for (int i = 0; i < 2; i++) {
		int status = -1;

		ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_eq(list_cache(path, sizeof(path)), 2);
	ck_assert_int_eq(answer_anew(_i, "-DANSWER=5"), 5);
	assert_logged("made from the cache");
}
END_TEST

/* ---- without memory ---- */

/* One attempt whose allocation number `after` fails; false when there was no such allocation. */
static bool try_without_memory(het_system *system, const char *path, long after)
{
	het_device *const device = het_device(system, 0);
	het_kernel *kernel = NULL;
	het_status status;
	long made;

	het__alloc_fail_after(after, 0);
	status = het_kernel_from_file(system, path, "k", "-DANSWER=8", &kernel);
	if (!status)
		status = het_kernel_build(kernel, device);
	made = het__alloc_fail_after(-1, 0);
	ck_assert_msg(status == HET_OK || status == HET_ERR_MEMORY, "allocation %ld: %d %s", after, (int)status,
		      het_message());
	if (kernel)
		ck_assert_int_eq(result_of(kernel, device), 8);
	assert_ok(het_kernel_free(kernel));
	return made > after;
}

/* Each allocation fails in turn: HET_ERR_MEMORY, or success where it can be done without; and the next try
 * is as good as new. First from source, then from the cache. */
START_TEST(test_without_memory)
{
	het_system *const system = open_platform(_i);
	char path[512];
	long after = 0;

	strcpy(path, write_text("a.cl", answer));
	built_on(source_kernel(system, answer, "k", "-DANSWER=1"),
		 het_device(system, 0)); /* opens the device */
	for (; try_without_memory(system, path, after) && after < 400; after++)
		empty_cache();
	ck_assert(after > 10 && after < 400);
	for (after = 0; try_without_memory(system, path, after) && after < 400; after++)
		;
	ck_assert(after > 10 && after < 400);
	assert_logged("made from the cache");
	assert_ok(het_close(system));
}
END_TEST

static const struct kernel_test tests[] = {
	{&test_binary_round_trip, true},
	{&test_binary_is_for_one_device, false},
	{&test_binary_on_two_devices, false},
	{&test_binary_in_two_systems, false},
	{&test_no_binary, true},
	{&test_cache_hit, true},
	{&test_options_that_the_driver_adds, false},
	{&test_cache_off, true},
	{&test_cache_unusable, true},
	{&test_cache_of_a_long_name, true},
	{&test_cache_of_others, true},
	{&test_cache_read_only, true},
	{&test_damaged_entry_is_rebuilt, true},
	{&test_refused_entry_is_rebuilt, true},
	{&test_include, true},
	{&test_processes_at_once, true},
	{&test_without_memory, true},
};

int main(void)
{
	setenv("POCL_MAX_PTHREAD_COUNT", "5", 1); /* so many parts, before PoCL starts */
	return run_kernel_tests("kernel cache", (int)(sizeof(tests) / sizeof(tests[0])), tests);
}
