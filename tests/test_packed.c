/* test_packed.c - views that a kernel sees as arrays of their own. */
#include "face.h"

#include <stdatomic.h>
#include <time.h>

#include <hetero/opencl.h>

static const char packed_text[] =
	"kernel void halves(global float4 *io) { io[get_global_id(0)] *= 0.5f; }\n"
	"kernel void number(global int *out) { out[get_global_id(0)] = get_global_id(0); }\n"
	"kernel void sum(global int *out, global const int *in, int n)\n"
	"{ int s = 0; for (int i = 0; i < n; i++) s += in[i]; out[0] = s; }\n";

START_TEST(test_packed_contiguous)
{
	het_system *system = open_face(_i);
	het_kernel *number = text_kernel(system, packed_text, "number"),
		   *sum = text_kernel(system, packed_text, "sum");
	het_array *array = counting_array(system, 1000), *total = zero_array(system, 1);

	/* offsets of all alignments; 0 and 96 elements are fit for PoCL's, 3 is not */
	for (int lo = 0; lo < 100; lo += 3) {
		ok(het_launch(number, het_device(system, lo % het_device_count(system)), het_grid(1, 50),
			      HET_OUT(het_view(array, het_rows(lo, lo + 50)))));
		ck_assert_int_eq(element(array, lo), 0);
		ck_assert_int_eq(element(array, lo + 49), 49);
		ck_assert_int_eq(element(array, lo + 50), lo + 50);
		ok(het_launch(sum, last_device(system), het_grid(1, 1), HET_OUT(total),
			      HET_IN(het_view(array, het_rows(lo, lo + 50))), HET_VAL(50)));
		ck_assert_int_eq(element(total, 0), 49 * 50 / 2);
	}
	close_face(system);
}
END_TEST

START_TEST(test_packed_strided)
{
	het_system *system = open_face(_i);
	het_kernel *number = text_kernel(system, packed_text, "number"),
		   *sum = text_kernel(system, packed_text, "sum");
	het_array *array, *total = zero_array(system, 1);
	struct het_view inside;
	int values[20 * 30], wanted = 0;

	ok(het_array_new(system, HET_INT, het_shape(2, 20, 30), &array));
	inside = het_view(array, het_box(2, 5, 12, 3, 14));
	ok(het_launch(number, first_device(system), het_grid(1, 77), HET_OUT(inside)));
	ok(het_launch(sum, last_device(system), het_grid(1, 1), HET_OUT(total), HET_IN(inside), HET_VAL(77)));
	ck_assert_int_eq(element(total, 0), 76 * 77 / 2);
	ok(het_read(het_view(array, het_whole()), values));
	for (int i = 0; i < 600; i++) {
		int y = i / 30 - 5, x = i % 30 - 3;
		ck_assert_int_eq(values[i], y >= 0 && y < 7 && x >= 0 && x < 11 ? 11 * y + x : 0);
	}
	for (int i = 0; i < 20; i++) /* a column */
		wanted += values[i * 30 + 5];
	ok(het_launch(sum, last_device(system), het_grid(1, 1), HET_OUT(total),
		      HET_IN(het_view(array, het_cols(5, 6))), HET_VAL(20)));
	ck_assert_int_eq(element(total, 0), wanted);
	close_face(system);
}
END_TEST

/* Vectors at addresses that are no multiples of their size. */
START_TEST(test_packed_vectors)
{
	het_system *system = open_face(_i);
	het_kernel *halves = text_kernel(system, packed_text, "halves");
	het_array *array, *wrapped;
	float values[103], crooked[65];

	for (int i = 0; i < 103; i++)
		values[i] = (float)i;
	memcpy(crooked, values, sizeof crooked);
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 103), &array));
	ok(het_array_wrap(system, HET_FLOAT, het_shape(1, 64), crooked + 1, &wrapped));
	ok(het_write(het_view(array, het_whole()), values));
	ok(het_launch(halves, last_device(system), het_grid(1, 10),
		      HET_INOUT(het_view(array, het_rows(1, 41)))));
	ok(het_launch(halves, last_device(system), het_grid(1, 16), HET_INOUT(wrapped)));
	ok(het_read(het_view(array, het_whole()), values));
	ok(het_array_free(wrapped));
	for (int i = 0; i < 103; i++)
		ck_assert(values[i] == (float)i * (i >= 1 && i < 41 ? 0.5f : 1));
	for (int i = 0; i < 65; i++)
		ck_assert(crooked[i] == (float)i * (i >= 1 ? 0.5f : 1));
	close_face(system);
}
END_TEST

/* An array of many rows of which programs look at one after the other, on devices that have room for all of it.
 * A row begins where every driver lets a part of a buffer begin. */
enum { ROWS = 700, COLUMNS = 256, BUFFERS_MOST = 300 };

static het_array *rows_of_ones(het_system *system)
{
	het_kernel *set = common_kernel(system, "set");
	het_array *array;

	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, COLUMNS), &array));
	for (int d = het_device_count(system) - 1; d >= 0; d--)
		ok(het_launch(set, het_device(system, d), het_grid(1, ROWS * COLUMNS), HET_OUT(array),
			      HET_VAL(1)));
	return array;
}

static struct het_view row_of(het_array *array, int row)
{
	return het_view(array, het_rows(row, row + 1));
}

static void assert_rows(het_array *array, int (*wanted)(int row))
{
	static int values[ROWS][COLUMNS];

	ok(het_read(het_view(array, het_whole()), values));
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < COLUMNS; x++)
			ck_assert_msg(values[y][x] == wanted(y), "row %d, column %d: %d instead of %d", y, x,
				      values[y][x], wanted(y));
}

static int twice(int row)
{
	return 1 + 2 * row;
}

/* A program may look at any number of views of an array that it keeps. */
START_TEST(test_many_views)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = rows_of_ones(system);

	for (int round = 0; round < 2; round++)
		for (int row = 0; row < ROWS; row++)
			ok(het_launch(bump, first_device(system), het_grid(1, COLUMNS),
				      HET_INOUT(row_of(array, row)), HET_VAL(row)));
	ck_assert_uint_le(stats_of(system).live_buffers, BUFFERS_MOST);
	assert_rows(array, twice);
	close_face(system);
}
END_TEST

/* Of two views the one is seen for the first time, which may not cost the other one its buffer. */
static void run_pairs(int face, int out_ahead, int in_ahead, int (*wanted)(int row))
{
	het_system *system = open_face(face);
	het_kernel *add = common_kernel(system, "add");
	het_array *array = rows_of_ones(system);
	const int devices = het_device_count(system);

	for (int row = 0; row < ROWS - 1; row++)
		ok(het_launch(add, het_device(system, row % devices), het_grid(1, COLUMNS),
			      HET_OUT(row_of(array, row + out_ahead)), HET_IN(row_of(array, row + in_ahead)),
			      HET_VAL(row)));
	ck_assert_uint_le(stats_of(system).live_buffers, (uint64_t)(BUFFERS_MOST * devices));
	assert_rows(array, wanted);
	close_face(system);
}

static int sum_before(int row)
{
	return 1 + row * (row - 1) / 2;
}

/* Every launch waits for the one before it, on another device where there is one. */
START_TEST(test_many_outputs)
{
	run_pairs(_i, 1, 0, sum_before);
}
END_TEST

static int one_more(int row)
{
	return row < ROWS - 1 ? 1 + row : 1;
}

START_TEST(test_many_inputs)
{
	run_pairs(_i, 0, 1, one_more);
}
END_TEST

static het_status fill_natively(void *user, const struct het_native_info *info)
{
	(void)user;
	return clEnqueueFillBuffer(info->queue, info->buffers[0], &(int){2}, sizeof(int), 0,
				   COLUMNS * sizeof(int), info->wait_count, info->wait_list, NULL)
		       ? HET_ERR_DEVICE
		       : HET_OK;
}

static het_status wait_until_told(void *user, int count, const struct het_host_arg *arg)
{
	(void)count;
	(void)arg;
	while (!atomic_load((atomic_int *)user))
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return HET_OK;
}

static int one_or_two(int row)
{
	return row > 0 ? 2 : 1;
}

/* A native function's buffers are there when it runs, long after it was called. */
START_TEST(test_many_native_views)
{
	het_system *system = open_face(_i);
	het_array *array = rows_of_ones(system);
	atomic_int told;

	atomic_init(&told, 0);
	ok(het_call(system, wait_until_told, &told, HET_IN(array)));
	for (int row = 1; row < 600; row++)
		ok(het_native(first_device(system), fill_natively, NULL, HET_OUT(row_of(array, row))));
	atomic_store(&told, 1);
	for (int row = 600; row < ROWS; row++)
		ok(het_native(first_device(system), fill_natively, NULL, HET_OUT(row_of(array, row))));
	ok(het_wait(array));
	ck_assert_uint_le(stats_of(system).live_buffers, BUFFERS_MOST);
	assert_rows(array, one_or_two);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_packed_contiguous, 1},
	{&test_packed_strided, 1},
	{&test_packed_vectors, 1},
	{&test_many_views, 1},
	{&test_many_outputs, 1},
	{&test_many_inputs, 1},
	{&test_many_native_views, 1},
};

int main(void)
{
	return run_face_tests("packed", sizeof tests / sizeof tests[0], tests);
}
