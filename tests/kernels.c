/* kernels.c - see kernels.h. */
#include "kernels.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platforms.h"
#include "suite.h"

char kernel_folder[256];
static char log_text[1 << 16];

static void keep_line(void *user, enum het_log_level level, const char *line)
{
	const size_t length = strlen(log_text);

	(void)user;
	(void)level;
	snprintf(log_text + length, sizeof(log_text) - length, "%s\n", line);
}

char *path_of(const char *name)
{
	static char path[4][512];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", kernel_folder, name);
	return path[turn];
}

static void make_folder(void)
{
	snprintf(kernel_folder, sizeof(kernel_folder), "%s/XXXXXX", het_test_folder());
	ck_assert_ptr_nonnull(mkdtemp(kernel_folder));
	ck_assert_int_eq(setenv("HETERO_CACHE", path_of("cache"), 1), 0);
}

/* The path of an entry of the cache; the number of entries. */
int list_cache(char *path, size_t bytes)
{
	DIR *const dir = opendir(path_of("cache"));
	int count = 0;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (!strstr(e->d_name, ".program"))
			continue;
		snprintf(path, bytes, "%s/cache/%s", kernel_folder, e->d_name);
		count++;
	}
	if (dir)
		closedir(dir);
	return count;
}

void empty_cache(void)
{
	char path[1024];

	while (list_cache(path, sizeof(path)) > 0)
		ck_assert_int_eq(unlink(path), 0);
}

void write_file(const char *path, const void *data, size_t bytes)
{
	FILE *const file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
	ck_assert_int_eq(fclose(file), 0);
}

char *write_text(const char *name, const char *text)
{
	char *const path = path_of(name);

	write_file(path, text, strlen(text));
	return path;
}

het_system *open_selection(const char *devices)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.devices = devices;
	options.log = keep_line;
	options.log_level = HET_LOG_DEBUG;
	log_text[0] = '\0';
	ck_assert_msg(het_open(&options, &system) == HET_OK, "%s", het_message());
	return system;
}

/* Those of these that are there. */
static const char *platforms[] = {"pocl:*", "rusticl:*", "oclgrind:*", "nvidia:*"};
static int platform_count = sizeof(platforms) / sizeof(platforms[0]);

/* The platform of a loop test. */
het_system *open_platform(int i)
{
	return open_selection(platforms[i]);
}

int count_logged(const char *part)
{
	int count = 0;

	for (const char *hit = log_text; (hit = strstr(hit, part)); hit++)
		count++;
	return count;
}

void assert_logged(const char *part)
{
	ck_assert_msg(count_logged(part) > 0, "no \"%s\" in the log:\n%s", part, log_text);
}

void assert_not_logged(const char *part)
{
	ck_assert_msg(count_logged(part) == 0, "\"%s\" in the log:\n%s", part, log_text);
}

het_kernel *source_kernel(het_system *system, const char *source, const char *name, const char *options)
{
	het_kernel *kernel = NULL;

	assert_ok(het_kernel_from_source(system, source, name, options, &kernel));
	ck_assert_ptr_nonnull(kernel);
	return kernel;
}

struct het__kernel_on *built_on(het_kernel *kernel, het_device *device)
{
	struct het__kernel_on *on;

	assert_ok(het_kernel_build(kernel, device));
	assert_ok(het__kernel_on(kernel, device, &on));
	return on;
}

/* Runs `kernel void k(global int *out)` by one work-item, and returns *out. */
int result_of(het_kernel *kernel, het_device *device)
{
	struct het__kernel_on *const on = built_on(kernel, device);
	const struct het__after none = {0, NULL};
	const struct het__plan plan = {.bytes = sizeof(int), .total_bytes = sizeof(int)};
	const size_t one[1] = {1}, zero[1] = {0};
	struct het__queue queue;
	cl_event event;
	cl_mem mem;
	int value = -1;

	assert_ok(het__cl_queue_create(device->context->cl, device->id, device->name, false, &queue));
	assert_ok(het__cl_buffer_create(device->context->cl, sizeof(int), device->name, &mem));
	assert_ok(het__cl_set_arg(on->cl, 0, sizeof(mem), &mem, "k", device->name));
	assert_ok(het__cl_launch(&queue, on->cl, "k", 1, zero, one, one, none, NULL));
	assert_ok(het__cl_read(&queue, mem, &value, &plan, none, &event));
	assert_ok(het__cl_flush(&queue));
	het__cl_event_wait(event);
	ck_assert_int_eq(het__cl_event_poll(event, NULL), HET__EVENT_DONE);
	het__cl_event_release(event);
	het__cl_buffer_release(mem);
	het__cl_queue_release(&queue);
	return value;
}

const char answer[] = "__kernel void k(__global int *out) { out[0] = ANSWER; }\n";

het_system *open_parts(void)
{
	het_system *const system = strncmp(platforms[0], "pocl", 4) == 0 ? open_selection("pocl:cpu/1") : NULL;

	if (system && het_device_count(system) < 2) {
		ck_assert(!het_test_can_cut());
		het_close(system);
		return NULL;
	}
	return system;
}

static void find_platforms(void)
{
	int there = 0;

	for (int i = 0; i < platform_count; i++)
		if (het_test_is_there(platforms[i]))
			platforms[there++] = platforms[i];
		else
			printf("no platform %s: not tested\n", platforms[i]);
	platform_count = there;
}

int run_kernel_tests(const char *name, int count, const struct kernel_test *tests)
{
	het_test_platforms();
	find_platforms();
	if (platform_count == 0)
		return 77;
	TCase *const tcase = tcase_create("platforms");
	tcase_add_checked_fixture(tcase, make_folder, NULL);
	tcase_set_timeout(tcase, 300);
	for (int i = 0; i < count; i++)
		tcase_add_loop_test(tcase, *tests[i].test, 0, tests[i].on_each ? platform_count : 1);
	return run_case(name, tcase);
}
