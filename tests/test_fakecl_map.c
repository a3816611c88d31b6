/* test_fakecl_map.c - the fake driver: maps, and who touches what the host has mapped. */
#include "fakes.h"

#define N 64

static const char set_text[] = "kernel void set(global int *x, int v) { x[get_global_id(0)] = v; }";

/* A card keeps its own copy of wrapped memory from creation on; only maps bring the two together. */
START_TEST(wrapped_memory_of_a_card_is_a_copy)
{
	struct seat seat = seat_open("one-gpu");
	int host[N] = {1, 2, 3}, *mapped;
	cl_int code;
	cl_mem mem = clCreateBuffer(seat.context, CL_MEM_USE_HOST_PTR, sizeof host, host, &code);
	cl_kernel set = kernel_of(&seat, set_text, "set");

	done(code);
	host[1] = 20;
	ck_assert_int_eq(element_of(seat.queue[0], mem, 1), 2);
	set_mem(set, 0, mem);
	set_int(set, 1, 7);
	launch(seat.queue[0], set, N, NULL);
	done(clFinish(seat.queue[0]));
	ck_assert_int_eq(host[1], 20);
	mapped = clEnqueueMapBuffer(seat.queue[0], mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof host, 0,
				    NULL, NULL, &code);
	done(code);
	ck_assert_ptr_eq(mapped, host);
	ck_assert_int_eq(host[1], 7);
	host[1] = 30;
	done(clEnqueueUnmapMemObject(seat.queue[0], mem, mapped, 0, NULL, NULL));
	ck_assert_int_eq(element_of(seat.queue[0], mem, 1), 30);
	done(clReleaseKernel(set));
	done(clReleaseMemObject(mem));
	seat_close(&seat);
}
END_TEST

START_TEST(maps_of_a_card_are_copies)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	const int one = 1, two = 2;
	cl_int code;
	int *at;

	done(clEnqueueFillBuffer(seat.queue[0], mem, &one, sizeof one, 0, N * sizeof(int), 0, NULL, NULL));
	at = clEnqueueMapBuffer(seat.queue[0], mem, CL_TRUE, CL_MAP_READ, 16, 16, 0, NULL, NULL, &code);
	done(code);
	control("violations count"); /* nobody may do what comes now */
	done(clEnqueueFillBuffer(seat.queue[0], mem, &two, sizeof two, 0, N * sizeof(int), 0, NULL, NULL));
	done(clFinish(seat.queue[0]));
	ck_assert_int_eq(at[0], 1);
	done(clEnqueueUnmapMemObject(seat.queue[0], mem, at, 0, NULL, NULL));
	ck_assert_int_eq(element_of(seat.queue[0], mem, 4), 2); /* a map to read takes nothing back */
	ck_assert_int_eq(clEnqueueUnmapMemObject(seat.queue[0], mem, at, 0, NULL, NULL), CL_INVALID_VALUE);
	ck_assert_int_eq(control("count violations"), 1);
}
END_TEST

static void *map(struct seat *seat, cl_mem mem, cl_map_flags flags, size_t offset, size_t bytes)
{
	cl_int code;
	void *const at = clEnqueueMapBuffer(seat->queue[0], mem, CL_TRUE, flags, offset, bytes, 0, NULL, NULL,
					    &code);

	done(code);
	return at;
}

static void unmap(struct seat *seat, cl_mem mem, void *at)
{
	done(clEnqueueUnmapMemObject(seat->queue[0], mem, at, 0, NULL, NULL));
	done(clFinish(seat->queue[0]));
}

START_TEST(what_is_mapped_is_left_alone)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	cl_kernel set = kernel_of(&seat, set_text, "set");
	const int value = 5;
	void *at = map(&seat, mem, CL_MAP_READ, 16, 16);

	set_mem(set, 0, mem);
	set_int(set, 1, 7);
	control("violations count");
	done(clEnqueueWriteBuffer(seat.queue[0], mem, CL_TRUE, 12, 4, &value, 0, NULL, NULL));
	done(clEnqueueWriteBuffer(seat.queue[0], mem, CL_TRUE, 32, 4, &value, 0, NULL, NULL));
	(void)element_of(seat.queue[0], mem, 4);
	launch(seat.queue[0], set, 1, NULL); /* of a part nobody knows that a kernel touches it */
	done(clFinish(seat.queue[0]));
	ck_assert_int_eq(control("count violations"), 0);
	done(clEnqueueWriteBuffer(seat.queue[0], mem, CL_TRUE, 28, 4, &value, 0, NULL, NULL));
	ck_assert_int_eq(control("count violations"), 1);
	unmap(&seat, mem, at);
	at = map(&seat, mem, CL_MAP_WRITE, 0, N * sizeof(int));
	(void)element_of(seat.queue[0], mem, 4);
	ck_assert_int_eq(control("count violations"), 2);
	launch(seat.queue[0], set, N, NULL);
	done(clEnqueueFillBuffer(seat.queue[0], mem, &value, sizeof value, 0, 8, 0, NULL, NULL));
	done(clFinish(seat.queue[0]));
	ck_assert_int_eq(control("count violations"), 4);
	unmap(&seat, mem, at);
	launch(seat.queue[0], set, N, NULL);
	ck_assert_int_eq(element_of(seat.queue[0], mem, 4), 7);
	ck_assert_int_eq(control("count violations"), 4);
}
END_TEST

static cl_int code_of_map(struct seat *seat, cl_mem mem, cl_map_flags flags, size_t offset, size_t bytes)
{
	cl_int code;

	(void)clEnqueueMapBuffer(seat->queue[0], mem, CL_FALSE, flags, offset, bytes, 0, NULL, NULL, &code);
	return code;
}

START_TEST(maps_to_write_do_not_overlap)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	void *low = map(&seat, mem, CL_MAP_WRITE, 0, 16), *high;

	ck_assert_int_eq(code_of_map(&seat, mem, CL_MAP_WRITE, 12, 8), CL_INVALID_OPERATION);
	ck_assert_int_eq(code_of_map(&seat, mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, 64), CL_INVALID_OPERATION);
	high = map(&seat, mem, CL_MAP_WRITE, 16, 16);
	unmap(&seat, mem, low);
	unmap(&seat, mem, high);
	low = map(&seat, mem, CL_MAP_READ, 0, 16); /* may be read by many */
	high = map(&seat, mem, CL_MAP_READ, 8, 16);
	unmap(&seat, mem, high);
	unmap(&seat, mem, low);
	done(control("fail map 1 -5"));
	done(code_of_map(&seat, mem, CL_MAP_WRITE, 0, 16));
	done(clFinish(seat.queue[0]));
	done(code_of_map(&seat, mem, CL_MAP_WRITE, 0, 16)); /* the one that failed has nothing */
	ck_assert_int_eq(control("count violations"), 0);
}
END_TEST

START_TEST(what_is_mapped_to_write_is_not_seen)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	void *written = map(&seat, mem, CL_MAP_WRITE, 0, 16), *seen;

	control("violations count");
	seen = map(&seat, mem, CL_MAP_READ, 16, 16);
	unmap(&seat, mem, seen);
	ck_assert_int_eq(control("count violations"), 0);
	seen = map(&seat, mem, CL_MAP_READ, 12, 16);
	ck_assert_int_eq(control("count violations"), 1);
	unmap(&seat, mem, written);
	ck_assert_int_eq(control("count violations"), 2);
	unmap(&seat, mem, seen);
	ck_assert_int_eq(control("count violations"), 2);
}
END_TEST

START_TEST(maps_are_as_buffers_and_flags_allow)
{
	static const struct {
		cl_mem_flags made;
		cl_map_flags mapped;
		cl_int code;
	} cases[] = {
		{CL_MEM_HOST_NO_ACCESS, CL_MAP_READ, CL_INVALID_OPERATION},
		{CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE, CL_INVALID_OPERATION},
		{CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE_INVALIDATE_REGION, CL_INVALID_OPERATION},
		{CL_MEM_HOST_READ_ONLY, CL_MAP_READ, CL_SUCCESS},
		{CL_MEM_HOST_WRITE_ONLY, CL_MAP_READ | CL_MAP_WRITE, CL_INVALID_OPERATION},
		{CL_MEM_HOST_WRITE_ONLY, CL_MAP_WRITE, CL_SUCCESS},
		{0, CL_MAP_READ | CL_MAP_WRITE, CL_SUCCESS},
		{0, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, CL_INVALID_VALUE},
		{0, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, CL_INVALID_VALUE},
	};
	struct seat seat = seat_open("one-gpu");

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		cl_int code;
		cl_mem mem = clCreateBuffer(seat.context, cases[i].made, N, NULL, &code);

		done(code);
		ck_assert_int_eq(code_of_map(&seat, mem, cases[i].mapped, 0, N), cases[i].code);
		if (cases[i].code)
			done(clReleaseMemObject(mem));
	}
}
END_TEST

START_TEST(what_was_mapped_is_unmapped)
{
	struct seat seat = seat_open("one-gpu");
	const cl_buffer_region all = {0, N * sizeof(int)};
	cl_int code;
	cl_mem mem = buffer(&seat, all.size), part;
	cl_context other = clCreateContext(NULL, 1, seat.device, NULL, NULL, &code);
	cl_command_queue queue;
	void *at = map(&seat, mem, CL_MAP_READ, 0, 16);

	done(code);
	queue = clCreateCommandQueue(other, seat.device[0], 0, &code);
	done(code);
	part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &all, &code);
	done(code);
	ck_assert_int_eq(clEnqueueUnmapMemObject(queue, mem, at, 0, NULL, NULL), CL_INVALID_CONTEXT);
	ck_assert_int_eq(clEnqueueUnmapMemObject(seat.queue[0], part, at, 0, NULL, NULL), CL_INVALID_VALUE);
	unmap(&seat, mem, at);
	done(clReleaseMemObject(part));
	done(clReleaseMemObject(mem));
	done(clReleaseCommandQueue(queue));
	done(clReleaseContext(other));
	seat_close(&seat);
}
END_TEST

static void unmap_too_early(void)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	cl_int code;
	cl_command_queue second = clCreateCommandQueue(seat.context, seat.device[0], 0, &code);
	void *at;

	done(code);
	at = clEnqueueMapBuffer(seat.queue[0], mem, CL_FALSE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code);
	done(code);
	done(clEnqueueUnmapMemObject(second, mem, at, 0, NULL, NULL));
	done(clFinish(second));
}

static void release_mapped_part(void)
{
	struct seat seat = seat_open("one-gpu");
	const cl_buffer_region all = {0, N * sizeof(int)};
	cl_int code;
	cl_mem part = clCreateSubBuffer(buffer(&seat, all.size), 0, CL_BUFFER_CREATE_TYPE_REGION, &all, &code);

	done(code);
	(void)map(&seat, part, CL_MAP_READ, 0, 16);
	done(clReleaseMemObject(part));
}

static void launch_on_mapped(void)
{
	struct seat seat = seat_open("one-gpu");
	cl_mem mem = buffer(&seat, N * sizeof(int));
	cl_kernel set = kernel_of(&seat, set_text, "set");

	(void)map(&seat, mem, CL_MAP_WRITE, 0, N * sizeof(int));
	set_mem(set, 0, mem);
	set_int(set, 1, 7);
	launch(seat.queue[0], set, N, NULL);
	done(clFinish(seat.queue[0]));
}

START_TEST(a_mistake_ends_the_program)
{
	assert_dies(launch_on_mapped, "a kernel has cl_mem #");
	assert_dies(release_mapped_part, "is released while it is mapped");
	assert_dies(unmap_too_early, "is unmapped by a command that does not wait for its map");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		wrapped_memory_of_a_card_is_a_copy,
		maps_of_a_card_are_copies,
		what_is_mapped_is_left_alone,
		maps_to_write_do_not_overlap,
		what_is_mapped_to_write_is_not_seen,
		maps_are_as_buffers_and_flags_allow,
		what_was_mapped_is_unmapped,
		a_mistake_ends_the_program,
	};

	return run_fake_tests("fake driver: maps", (int)(sizeof tests / sizeof tests[0]), tests);
}
