/* fakes.h - for the tests of the fake driver: a machine opened with plain OpenCL, and children that come to a
 * bad end.
 */
#ifndef HETERO_TESTS_FAKES_H
#define HETERO_TESTS_FAKES_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <stdbool.h>

#include "checks.h"

#define DEVICES 8

#define done(call) ck_assert_int_eq((call), CL_SUCCESS)

/* The first platform of a machine: one context over its devices and a queue (with profiling) for each. */
struct seat {
	cl_platform_id platform;
	cl_uint devices;
	cl_device_id device[DEVICES];
	cl_context context;
	cl_command_queue queue[DEVICES];
};

/** Opens a machine of tests/fakecl/machines. Once per process, which has not used OpenCL before. */
struct seat seat_open(const char *machine);
/** Releases everything that seat_open made; nothing is left alive then. */
void seat_close(struct seat *seat);

/** A command for the driver: see tests/fakecl/fakecl.h. */
long control(const char *format, ...) __attribute__((format(printf, 1, 2)));

cl_mem buffer(const struct seat *seat, size_t bytes);
cl_kernel kernel_of(const struct seat *seat, const char *text, const char *name);
void set_mem(cl_kernel kernel, cl_uint index, cl_mem mem);
void set_int(cl_kernel kernel, cl_uint index, int value);
void launch(cl_command_queue queue, cl_kernel kernel, size_t items, cl_event *event_p);
/** An element of a buffer of int; waits. */
int element_of(cl_command_queue queue, cl_mem mem, size_t index);
cl_int status_of(cl_event event);

/** Runs a function in a child; `status_p` as waitpid has it. Returns what it said on stderr, until the next. */
const char *said_by(void (*function)(void), int *status_p);
/** The function ends with abort, after a line with these words on stderr. */
void assert_dies(void (*function)(void), const char *words);

/** Runs tests that each begin without OpenCL; skips (77) where the driver is not built or there is no clang. */
int run_fake_tests(const char *name, int count, const TTest *const *tests);
/** Runs a test for _i of 0 .. rounds - 1, each of which has so much time. */
int run_fake_loop(const char *name, const TTest *test, int rounds, int limit_s);

#endif
