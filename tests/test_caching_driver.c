/* test_caching_driver.c - a driver that keeps copies of wrapped host memory, as discrete GPUs may.
 *
 * The program puts its own clCreateBuffer before the loader's: what is asked for with CL_MEM_USE_HOST_PTR is
 * copied once and never looked at again. Nothing that moves inside the host's memory may then go through a
 * device that does not share that memory. */
#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>

#include <hetero.h>

#include "cl/cl.h"
#include "platforms.h"
#include "suite.h"

#define ELEMENTS (1 << 20)
#define assert_ok(call) ck_assert_msg((call) == HET_OK, "%s: %s", #call, het_message())

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
	cl_mem (*create)(cl_context, cl_mem_flags, size_t, void *, cl_int *);

	*(void **)&create = dlsym(RTLD_NEXT, "clCreateBuffer");
	if (flags & CL_MEM_USE_HOST_PTR)
		flags = (flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR) | CL_MEM_COPY_HOST_PTR;
	return create(context, flags, bytes, host, code);
}

static het_system *open_system(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.devices = "pocl:cpu0";
	options.share = HET_SHARE_OFF;
	assert_ok(het_open(&options, &system));
	return system;
}

/* The home is being read by the device while the host copies it. */
START_TEST(test_host_copies_beside_a_transfer)
{
	het_system *system = open_system();
	het_array *a, *b;
	int *p, *out = calloc(ELEMENTS, sizeof *out);

	ck_assert_ptr_nonnull(out);
	assert_ok(het_array_new(system, HET_INT, het_shape(1, ELEMENTS), &a));
	assert_ok(het_array_new(system, HET_INT, het_shape(1, ELEMENTS), &b));
	assert_ok(het_map(a, HET_WRITE, &p));
	for (int i = 0; i < ELEMENTS; i++)
		p[i] = i + 1;
	assert_ok(het_unmap(a));
	assert_ok(het_prefetch(het_view(a, het_whole()), het_device(system, 0)));
	assert_ok(het_copy(het_view(b, het_whole()), het_view(a, het_whole())));
	assert_ok(het_read_async(het_view(a, het_whole()), out));
	assert_ok(het_wait(a));
	assert_ok(het_map(b, HET_READ, &p));
	for (int i = 0; i < ELEMENTS; i++)
		ck_assert(p[i] == i + 1 && out[i] == i + 1);
	assert_ok(het_unmap(b));
	assert_ok(het_close(system));
	free(out);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("host copies");

	het_test_platforms();
	tcase_add_test(tests, test_host_copies_beside_a_transfer);
	tcase_set_timeout(tests, 120);
	return run_case("caching driver", tests);
}
