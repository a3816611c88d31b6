/* test_pack.c - boxes that are packed and unpacked by kernels on their way, on fake machines. */
#include "routing.h"

#define COLUMNS het_box(2, 0, 32, 8, 24)

/* Of 32 x 32, i + 1, on the first device only. */
static het_array *table_on_first(void)
{
	static int values[N];
	het_array *array;

	for (int i = 0; i < N; i++)
		values[i] = i;
	ok(het_array_wrap(sys, HET_INT, het_shape(2, 32, 32), values, &array));
	ok(het_launch(common_kernel(sys, "bump"), first, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait_all(sys));
	return array;
}

static void assert_table(het_array *array, int begin)
{
	const int *values;

	ok(het_map(array, HET_READ, &values));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(values[i], i + begin);
	ok(het_unmap(array));
}

/* A kernel for each part at either end, and reads and writes of one piece. */
START_TEST(test_pack_columns)
{
	het_array *array;

	open_machine("two-gpus", "pack");
	array = table_on_first();
	assert_flow(NULL, first, "staged", 1, BYTES); /* one piece */
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last)); /* all is open */
	ok(het_wait_all(sys));
	const long kernels = control("count ndrange"), reads = control("count clEnqueueReadBuffer");
	const long writes = control("count clEnqueueWriteBuffer");
	ok(het_prefetch(het_view(array, COLUMNS), last));
	ok(het_wait_all(sys));
	assert_flow(first, last, "pack", 1, BYTES / 2);
	ck_assert_int_eq(control("count ndrange") - kernels, PARTS);
	ck_assert_int_eq(control("count clEnqueueReadBuffer") - reads, PARTS / 2);
	ck_assert_int_eq(control("count clEnqueueWriteBuffer") - writes, PARTS / 2);
	ck_assert_int_eq(control("count clEnqueueReadBufferRect"), 0);
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_table(array, 2);
	close_machine();
}
END_TEST

/* In the host's memory the processor packs. */
START_TEST(test_pack_of_the_host)
{
	het_array *array;

	open_machine("two-gpus", "pack");
	array = table_on_first();
	ok(het_prefetch(het_view(array, COLUMNS), NULL));
	assert_flow(first, NULL, "pack", 1, BYTES / 2);
	ok(het_fill(het_view(array, COLUMNS), &(int){7}));
	ok(het_prefetch(het_view(array, COLUMNS), NULL));
	ok(het_prefetch(het_view(array, COLUMNS), last));
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(-7)));
	const int *values;
	ok(het_map(array, HET_READ, &values));
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(values[i], i % 32 >= 8 && i % 32 < 24 ? 0 : i - 6);
	ok(het_unmap(array));
	close_machine();
}
END_TEST

static const struct {
	het_type type;
	const char *kernel;
} widths[] = {
	{HET_CHAR, "kernel void next(global char *io) { io[get_global_id(0)]++; }"},
	{HET_SHORT, "kernel void next(global short *io) { io[get_global_id(0)]++; }"},
	{HET_FLOAT, "kernel void next(global float *io) { io[get_global_id(0)]++; }"},
	{HET_LONG, "kernel void next(global long *io) { io[get_global_id(0)]++; }"},
};
#define WIDTHS ((int)(sizeof widths / sizeof widths[0]))

static double element_at(het_type type, const void *values, int i)
{
	switch (type) {
	case HET_CHAR:
		return ((const cl_char *)values)[i];
	case HET_SHORT:
		return ((const cl_short *)values)[i];
	case HET_FLOAT:
		return ((const cl_float *)values)[i];
	default:
		return (double)((const cl_long *)values)[i];
	}
}

/* Elements of any size, in as many dimensions as take several commands, in units from one byte to eight. */
START_TEST(test_pack_widths)
{
	enum { CELLS = 3 * 5 * 4 * 10 };
	static cl_long zeros[CELLS];
	const het_type type = widths[_i % WIDTHS].type;
	const int lo = _i / WIDTHS;
	const void *values;
	het_kernel *next;
	het_array *array;

	open_machine("two-gpus", "pack");
	next = text_kernel(sys, widths[_i % WIDTHS].kernel, "next");
	ok(het_array_wrap(sys, type, het_shape(4, 3, 5, 4, 10), zeros, &array));
	for (int round = 0; round < 3; round++)
		ok(het_launch(next, first, het_grid(1, CELLS), HET_INOUT(array)));
	ok(het_prefetch(het_view(array, het_box(4, 1, 3, 1, 4, 1, 3, lo, lo + 8)), last));
	ck_assert_uint_gt(flow_by(first->memory->index, last->memory->index, "pack").bytes, 0);
	ok(het_launch(next, last, het_grid(1, CELLS), HET_INOUT(array)));
	ok(het_map(array, HET_READ, &values));
	for (int i = 0; i < CELLS; i++)
		ck_assert_double_eq(element_at(type, values, i), 4);
	ok(het_unmap(array));
	close_machine();
}
END_TEST

/* Whatever fails, the box is fetched again. */
START_TEST(test_pack_fails)
{
	static const char *const culprits[] = {"ndrange",
					       "read",
					       "write",
					       "clSetKernelArg",
					       "clEnqueueNDRangeKernel",
					       "clEnqueueReadBuffer",
					       "clEnqueueWriteBuffer"};
	het_array *array;

	open_machine("two-gpus", "pack");
	array = table_on_first();
	ok(het_prefetch(het_view(array_on_first(), het_whole()), last)); /* all is open */
	ok(het_wait_all(sys));
	ck_assert_int_eq(control("fail %s %d -5", culprits[_i / 2], 1 + _i % 2), 0);
	ck_assert(het_prefetch(het_view(array, COLUMNS), last) | het_wait_all(sys));
	(void)het_wait_all(sys);
	ok(het_launch(common_kernel(sys, "bump"), last, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_table(array, 2);
	close_machine();
}
END_TEST

static const char *chosen_of_rows(const het_device *from, const het_device *to)
{
	const struct het__hop hop = {from->memory, to->memory, 100, true};

	return het__route_choose(&hop)->name;
}

/* Only where it is asked for is its kernel built; where it cannot be the bytes go another way. */
START_TEST(test_pack_is_ready)
{
	char said[200] = "";

	open_machine("two-gpus", _i ? "pack" : NULL);
	het__logger_free(sys->logger);
	sys->logger = het__logger_new(keep_line, said, HET_LOG_WARN);
	sys->log_news = het__log_news(sys->logger);
	if (_i == 2)
		ck_assert_int_eq(control("fail clCreateBuffer 1 -4"), 0);
	ok(het__device_open(first));
	ok(het__device_open(last));
	ck_assert_str_eq(chosen_of_rows(first, last), _i == 1 ? "pack" : "staged");
	ck_assert_str_eq(chosen(first, last, 100), "staged");
	ck_assert_int_eq(strstr(said, "does without the route pack: ") != NULL, _i == 2);
	ck_assert_uint_eq(atomic_load(&sys->failed_calls), 0); /* it is no call of the program's */
	close_machine();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_pack_columns, test_pack_of_the_host};
	int status;

	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	status = run_fake_tests("packing", sizeof tests / sizeof tests[0], tests);
	if (!status)
		status = run_fake_loop("widths", test_pack_widths, 3 * WIDTHS, 60);
	if (!status)
		status = run_fake_loop("ready", test_pack_is_ready, 3, 60);
	return status ? status : run_fake_loop("failures", test_pack_fails, 14, 60);
}
