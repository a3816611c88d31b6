/* test_proof.c - which devices may use the host's memory, and what the trials of that find out. Some tests put
 * a worse driver between the library and the real ones: the functions of OpenCL at the end of this file come
 * before the loader's. */
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms.h"
#include "suite.h"
#include "system/system.h"
#include "systems.h"

/* Opens every device of a new system and counts those with the host's memory. */
static int count_sharing(const char *devices)
{
	het_system *const system = open_devices(devices);
	int count = 0;

	for (int i = 0; i < het_device_count(system); i++)
		count += info_of(het_device(system, i)).memory == 0;
	ok(het_close(system));
	return count;
}

static int launches; /* that went through the driver below */

/* Changes every verdict file: `expression` is sed's. */
static void edit_verdicts(const char *expression)
{
	char command[1024];

	snprintf(command, sizeof command, "sed -i '%s' '%s'/share-*", expression, getenv("HETERO_CACHE"));
	ck_assert_int_eq(system(command), 0);
}

/* Pipes, on which nobody writes, in the place of all verdict files. */
static void make_pipes(void)
{
	char command[1024];

	snprintf(command, sizeof command, "for f in '%s'/share-*; do rm \"$f\" && mkfifo \"$f\"; done",
		 getenv("HETERO_CACHE"));
	ck_assert_int_eq(system(command), 0);
}

START_TEST(test_proof__verdict_is_kept)
{
	unsetenv("HETERO_SHARE");
	setenv("HETERO_CACHE", het_test_subfolder("verdicts"), 1);
	const int sharing = count_sharing("*");
	ck_assert_int_gt(sharing, 0);
	ck_assert_int_gt(launches, 0);
	launches = 0;
	ck_assert_int_eq(count_sharing("*"), sharing);
	ck_assert_int_eq(launches, 0); /* nothing was tried again */
	edit_verdicts("s/shares yes/shares no/");
	ck_assert_int_eq(count_sharing("*"), 0); /* it is the file that counts */
	ck_assert_int_eq(launches, 0);
	edit_verdicts("s/shares no/shares perhaps/");
	ck_assert_int_eq(count_sharing("*"), sharing);
	ck_assert_int_gt(launches, 0); /* tried again, and written anew */
	launches = 0;
	make_pipes();
	ck_assert_int_eq(count_sharing("*"), sharing);
	ck_assert_int_gt(launches, 0);
	launches = 0;
	ck_assert_int_eq(count_sharing("*"), sharing);
	ck_assert_int_eq(launches, 0);
}
END_TEST

START_TEST(test_proof__without_disk)
{
	unsetenv("HETERO_SHARE");
	setenv("HETERO_CACHE", "off", 1);
	const int sharing = count_sharing("*");
	ck_assert_int_gt(sharing, 0);
	launches = 0;
	ck_assert_int_eq(count_sharing("*"), sharing);
	ck_assert_int_gt(launches, 0);
}
END_TEST

/* Two parts of a device are opened by the verdict on the first pair. */
START_TEST(test_proof__parts_are_alike)
{
	if (!has_pocl_parts())
		return;
	unsetenv("HETERO_SHARE");
	setenv("HETERO_CACHE", het_test_subfolder("parts"), 1);
	ck_assert_int_eq(count_sharing("pocl:cpu0.0,pocl:cpu0.1"), 2);
	launches = 0;
	ck_assert_int_eq(count_sharing("pocl:cpu0.1,pocl:cpu0.0"), 2);
	ck_assert_int_eq(launches, 0);
}
END_TEST

/* ---- worse drivers ----------------------------------------------------------------------------- */

static enum behaviour {
	HONEST,      /* the real driver */
	COPIES_ONCE, /* takes the host's bytes when the buffer is made, and keeps its own */
	COPIES_BACK, /* copies whole buffers in at a launch and out when somebody waits for it */
	LOSES_ONE,   /* forgets a launch while another one runs */
	FAILS,       /* no launch succeeds */
	NO_COMPILER, /* no program builds */
} behaviour;

/* Takes the driver's part for all devices. Each must then have a memory of its own. */
static void check_unshared(enum behaviour worse)
{
	unsetenv("HETERO_SHARE");
	setenv("HETERO_CACHE", "off", 1);
	setenv("HETERO_LOG", "error", 1);
	behaviour = worse;
	ck_assert_int_eq(count_sharing("*"), 0);
	behaviour = HONEST;
	ck_assert_int_gt(count_sharing("*"), 0);
}

START_TEST(test_proof__driver_that_copies_once)
{
	check_unshared(COPIES_ONCE);
}
END_TEST

/* Alone each device passes; beside one that shares already none does. */
START_TEST(test_proof__drivers_that_do_not_agree)
{
	unsetenv("HETERO_SHARE");
	setenv("HETERO_CACHE", "off", 1);
	const char *const devices = has_pocl_parts() ? "*,pocl:cpu0/1" : "*";
	if (count_sharing(devices) < 2) {
		ck_assert(!has_pocl_parts());
		return;
	}
	behaviour = LOSES_ONE;
	ck_assert_int_eq(count_sharing(devices), 1);
}
END_TEST

START_TEST(test_proof__driver_that_copies_back)
{
	check_unshared(COPIES_BACK);
}
END_TEST

/* What kept a trial from being held is no verdict: it is tried again when the driver is better. */
START_TEST(test_proof__driver_that_fails)
{
	check_unshared(FAILS);
	setenv("HETERO_CACHE", het_test_subfolder("fails"), 1);
	behaviour = FAILS;
	ck_assert_int_eq(count_sharing("*"), 0);
	behaviour = HONEST;
	ck_assert_int_gt(count_sharing("*"), 0);
}
END_TEST

START_TEST(test_proof__driver_without_compiler)
{
	check_unshared(NO_COMPILER);
}
END_TEST

/* ------------------------------------------------------------------------------------------------ */

int main(void)
{
	TCase *const all = tcase_create("all");

	het_test_platforms();
	tcase_set_timeout(all, 300);
	tcase_add_test(all, test_proof__verdict_is_kept);
	tcase_add_test(all, test_proof__without_disk);
	tcase_add_test(all, test_proof__parts_are_alike);
	tcase_add_test(all, test_proof__driver_that_copies_once);
	tcase_add_test(all, test_proof__drivers_that_do_not_agree);
	tcase_add_test(all, test_proof__driver_that_copies_back);
	tcase_add_test(all, test_proof__driver_that_fails);
	tcase_add_test(all, test_proof__driver_without_compiler);
	return run_case("proof", all);
}

/* ---- between the library and the loader -------------------------------------------------------- */

/* The loader's function, of the type of the one that stands before it. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Buffers that only pretend to lie over the host's memory, and the last queue that used each. */
static struct shadow {
	cl_mem mem;
	unsigned char *host;
	size_t bytes;
	cl_command_queue queue;
	int launched; /* since somebody waited */
} shadows[64];

static int shadow_count;
static int running; /* launches since somebody waited */

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
	const bool wrap = (flags & CL_MEM_USE_HOST_PTR) != 0;
	cl_mem mem;

	if (!wrap || (behaviour != COPIES_ONCE && behaviour != COPIES_BACK))
		return REAL(clCreateBuffer)(context, flags, bytes, host, code);
	flags = (flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR) | CL_MEM_COPY_HOST_PTR;
	mem = REAL(clCreateBuffer)(context, flags, bytes, host, code);
	if (mem && behaviour == COPIES_BACK && shadow_count < 64)
		shadows[shadow_count++] = (struct shadow){mem, host, bytes, NULL, 0};
	return mem;
}

cl_int clReleaseMemObject(cl_mem mem)
{
	for (int i = 0; i < shadow_count; i++)
		if (shadows[i].mem == mem)
			shadows[i--] = shadows[--shadow_count];
	return REAL(clReleaseMemObject)(mem);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint rank, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *events,
                              cl_event *event_p)
{
	launches++;
	if (behaviour == FAILS)
		return CL_OUT_OF_RESOURCES;
	if (running++ > 0 && behaviour == LOSES_ONE)
		return clEnqueueMarkerWithWaitList(queue, count, events, event_p);
	for (int i = 0; i < shadow_count; i++) {
		struct shadow *const s = &shadows[i];
		if (s->launched ||
		    clEnqueueWriteBuffer(queue, s->mem, CL_TRUE, 0, s->bytes, s->host, 0, NULL, NULL))
			continue; /* of another context */
		s->queue = queue;
		s->launched = 1;
	}
	return REAL(clEnqueueNDRangeKernel)(queue, kernel, rank, offset, global, local, count, events, event_p);
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
	const cl_int code = REAL(clWaitForEvents)(count, events);

	running = 0;
	for (int i = 0; i < shadow_count; i++)
		if (shadows[i].launched) {
			shadows[i].launched = 0;
			clEnqueueReadBuffer(shadows[i].queue, shadows[i].mem, CL_TRUE, 0, shadows[i].bytes,
			                    shadows[i].host, 0, NULL, NULL);
		}
	return code;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *ids, const char *options,
                      void(CL_CALLBACK *done)(cl_program, void *), void *user)
{
	if (behaviour == NO_COMPILER)
		return CL_COMPILER_NOT_AVAILABLE;
	return REAL(clBuildProgram)(program, count, ids, options, done, user);
}
