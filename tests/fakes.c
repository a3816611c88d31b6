/* fakes.c - see fakes.h. */
#include "fakes.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakecl/fakecl.h"
#include "platforms.h"
#include "suite.h"

/* ---- a machine ---------------------------------------------------------------------------------- */

struct seat seat_open(const char *machine)
{
	struct seat seat = {.devices = 0};
	cl_int code;

	ck_assert(het_test_fake_driver(machine));
	done(clGetPlatformIDs(1, &seat.platform, NULL));
	done(clGetDeviceIDs(seat.platform, CL_DEVICE_TYPE_ALL, DEVICES, seat.device, &seat.devices));
	seat.context = clCreateContext(NULL, seat.devices, seat.device, NULL, NULL, &code);
	done(code);
	for (cl_uint d = 0; d < seat.devices; d++) {
		seat.queue[d] =
			clCreateCommandQueue(seat.context, seat.device[d], CL_QUEUE_PROFILING_ENABLE, &code);
		done(code);
	}
	return seat;
}

void seat_close(struct seat *seat)
{
	for (cl_uint d = 0; d < seat->devices; d++)
		done(clReleaseCommandQueue(seat->queue[d]));
	done(clReleaseContext(seat->context));
	ck_assert_int_eq(control("alive all"), 0);
	ck_assert_int_eq(control("count violations"), 0);
}

long control(const char *format, ...)
{
	fakecl_control_fn function;
	cl_platform_id platform;
	char command[256];
	void *address;
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof command, format, args);
	va_end(args);
	done(clGetPlatformIDs(1, &platform, NULL));
	address = clGetExtensionFunctionAddressForPlatform(platform, FAKECL_CONTROL);
	ck_assert_ptr_nonnull(address);
	memcpy(&function, &address, sizeof function);
	return function(command);
}

/* ---- objects ------------------------------------------------------------------------------------ */

cl_mem buffer(const struct seat *seat, size_t bytes)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(seat->context, CL_MEM_READ_WRITE, bytes, NULL, &code);

	done(code);
	return mem;
}

cl_kernel kernel_of(const struct seat *seat, const char *text, const char *name)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(seat->context, 1, &text, NULL, &code);
	cl_kernel kernel;

	done(code);
	done(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	kernel = clCreateKernel(program, name, &code);
	done(code);
	done(clReleaseProgram(program));
	return kernel;
}

void set_mem(cl_kernel kernel, cl_uint index, cl_mem mem)
{
	done(clSetKernelArg(kernel, index, sizeof mem, &mem));
}

void set_int(cl_kernel kernel, cl_uint index, int value)
{
	done(clSetKernelArg(kernel, index, sizeof value, &value));
}

void launch(cl_command_queue queue, cl_kernel kernel, size_t items, cl_event *event_p)
{
	done(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, event_p));
}

int element_of(cl_command_queue queue, cl_mem mem, size_t index)
{
	int value;

	done(clEnqueueReadBuffer(queue, mem, CL_TRUE, index * sizeof value, sizeof value, &value, 0, NULL,
				 NULL));
	return value;
}

cl_int status_of(cl_event event)
{
	cl_int status;

	done(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	return status;
}

/* ---- children ----------------------------------------------------------------------------------- */

const char *said_by(void (*function)(void), int *status_p)
{
	static char text[8192];
	const char *const path = het_test_file("said", "");
	pid_t child = fork();
	FILE *file;
	size_t got;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if (dup2(open(path, O_WRONLY | O_TRUNC), 2) < 0)
			_exit(99);
		function();
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, status_p, 0), child);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	got = fread(text, 1, sizeof text - 1, file);
	text[got] = '\0';
	fclose(file);
	return text;
}

void assert_dies(void (*function)(void), const char *words)
{
	int status;
	const char *const said = said_by(function, &status);

	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "ended with %x instead of abort: %s",
		      status, said);
	ck_assert_msg(strstr(said, words) != NULL, "\"%s\" is not in: %s", words, said);
}

/* ---- all tests ---------------------------------------------------------------------------------- */

static bool have_fake_driver(void)
{
	(void)het_test_folder();
	if (het_test_fake_driver("one-gpu") && system("clang --version >/dev/null 2>&1") == 0)
		return true;
	fprintf(stderr, "the fake driver or clang is missing: not tested\n");
	return false;
}

int run_fake_tests(const char *name, int count, const TTest *const *tests)
{
	TCase *tcase;

	if (!have_fake_driver())
		return 77;
	tcase = tcase_create(name);
	unsetenv("FAKECL_ORDER");
	tcase_set_timeout(tcase, 60);
	for (int i = 0; i < count; i++)
		tcase_add_test(tcase, tests[i]);
	return run_case(name, tcase);
}

int run_fake_loop(const char *name, const TTest *test, int rounds, int limit_s)
{
	TCase *tcase;

	if (!have_fake_driver())
		return 77;
	tcase = tcase_create(name);
	tcase_set_timeout(tcase, limit_s);
	tcase_add_loop_test(tcase, test, 0, rounds);
	return run_case(name, tcase);
}
