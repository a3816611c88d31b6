/* test_given_back.c - memory of the program's that was wrapped, on a driver that refuses transfers or holds a
 * kernel: all that can be brought is brought, and nobody has a buffer over it any more. */
#include "face.h"
#include "fakes.h"
#include "platforms.h"

#include <stdbool.h>

enum { N = 1024 };

/* Its halves were set to 7 by two cards, each of them one. */
static het_array *halves(het_system *system, int *memory)
{
	het_kernel *const set = common_kernel(system, "set");
	het_array *array;

	ok(het_array_wrap(system, HET_INT, het_shape(1, N), memory, &array));
	for (int d = 0; d < 2; d++)
		ok(het_launch(set, het_device(system, d), het_range(1, d * N / 2, (d + 1) * N / 2),
			      HET_OUT(HET_EACH(array)), HET_VAL(7)));
	ok(het_wait_all(system));
	return array;
}

static bool is_back(const int *memory, int half)
{
	int count = 0;

	for (int i = half * N / 2; i < (half + 1) * N / 2; i++)
		count += memory[i] == 7;
	ck_assert_int_eq(count % (N / 2), 0);
	return count > 0;
}

/* The first card's half is refused each time it is asked for: with the other one, by itself, and at last. */
static void refuse_first_half(const char *status)
{
	ck_assert_int_eq(control("forget"), 0);
	ck_assert_int_eq(control("fail clEnqueueReadBuffer 1 %s", status), 0);
	ck_assert_int_eq(control("fail clEnqueueReadBuffer 2 %s", status), 0);
	ck_assert_int_eq(control("fail clEnqueueReadBuffer 4 %s", status), 0);
}

START_TEST(one_half_is_refused)
{
	het_system *system;
	int memory[N] = {0}, second[N] = {0}, third[N] = {0};
	het_array *array;

	ck_assert(het_test_fake_driver("two-gpus"));
	ok(het_open(NULL, &system));
	array = halves(system, memory);
	refuse_first_half("-5"); /* CL_OUT_OF_RESOURCES */
	fails(het_array_free(array), HET_ERR_LOST, "array 0 is not written back whole", "CL_OUT_OF_RESOURCES");
	ck_assert(!is_back(memory, 0) && is_back(memory, 1));

	array = halves(system, second);
	refuse_first_half("-4"); /* CL_MEM_OBJECT_ALLOCATION_FAILURE: another try may succeed */
	fails(het_array_free(array), HET_ERR_DEVICE_MEMORY, "array 1", "clEnqueueReadBuffer");
	ck_assert(!is_back(second, 0) && is_back(second, 1));
	ok(het_array_free(array));
	ck_assert(is_back(second, 0) && is_back(second, 1));

	array = halves(system, third);
	ck_assert_int_eq(control("forget"), 0);
	ck_assert_int_eq(control("fail clEnqueueReadBuffer 1 -5"), 0);
	ok(het_array_free(array));
	ck_assert(is_back(third, 0) && is_back(third, 1));
	ck_assert_uint_eq(stats_of(system).live_arrays, 0);
	ok(het_close(system));
}
END_TEST

/* There the array goes, whatever fails. */
START_TEST(closing_gives_back_what_it_can)
{
	static const char *const statuses[] = {"-5", "-4"};
	static const het_status told[] = {HET_ERR_LOST, HET_ERR_DEVICE_MEMORY};

	for (int i = 0; i < 2; i++) {
		het_system *system;
		int memory[N] = {0};

		ck_assert(het_test_fake_driver("two-gpus"));
		ok(het_open(NULL, &system));
		(void)halves(system, memory);
		refuse_first_half(statuses[i]);
		fails(het_close(system), told[i], "array 0");
		ck_assert(!is_back(memory, 0) && is_back(memory, 1));
	}
}
END_TEST

/* A processor had a buffer over the memory, and a card is still at work with a copy when the array is freed. */
START_TEST(no_buffer_is_left)
{
	for (int way = 0; way < 2; way++) {
		het_system *system;
		het_array *array, *result;
		het_kernel *add;
		het_device *cpu, *gpu;
		long buffers;
		static int memory[N] __attribute__((aligned(4096)));

		ck_assert(het_test_fake_driver("two-platforms"));
		ok(het_open(NULL, &system));
		gpu = het_device(system, 0);
		cpu = het_device(system, 1);
		ck_assert(is_separate(gpu) && !is_separate(cpu));
		add = common_kernel(system, "add");
		ok(het_kernel_build(add, gpu));
		ok(het_array_wrap(system, HET_INT, het_shape(1, N), memory, &array));
		ok(het_array_new(system, HET_INT, het_shape(1, N), &result));
		ok(het_launch(add, cpu, het_grid(1, N), HET_OUT(result), HET_IN(array), HET_VAL(1)));
		ok(het_prefetch(het_view(array, het_whole()), gpu));
		ok(het_wait_all(system));
		if (way == 1)
			ck_assert_int_eq(control("stop 1 1"), 0);
		ok(het_launch(add, gpu, het_grid(1, N), HET_OUT(result), HET_IN(array), HET_VAL(1)));
		buffers = control("alive cl_mem");
		ok(het_array_free(array));
		ck_assert_int_lt(control("alive cl_mem"), buffers);
		ck_assert_int_eq(control("go 1"), 0);
		ok(het_array_free(result));
		ok(het_close(system));
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {one_half_is_refused, closing_gives_back_what_it_can, no_buffer_is_left};

	return run_fake_tests("given back", (int)(sizeof tests / sizeof tests[0]), tests);
}
