/* test_array.c - arrays made, wrapped, named, swapped, freed. */
#include "face.h"

#include <stdlib.h>

static struct het_shape shape_of_rank(int rank, int64_t extent)
{
	int64_t extents[HET_MAX_RANK];

	for (int d = 0; d < rank; d++)
		extents[d] = extent + d % 2;
	return het_shape_of(rank, rank, extents);
}

START_TEST(test_new_is_zero)
{
	static const het_type types[] = {HET_CHAR,   HET_DOUBLE,     HET_FLOAT4,
					 HET_SHORT3, HET_STRUCT(12), HET_INT16};
	het_system *system = open_face(_i);

	for (int rank = 1; rank <= HET_MAX_RANK; rank++)
		for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
			struct het_array_info info = HET_ARRAY_INFO_INIT;
			const unsigned char *at;
			het_array *array;

			ok(het_array_new(system, types[t], shape_of_rank(rank, 2), &array));
			ok(het_array_info(array, &info));
			ck_assert_int_eq(info.shape.rank, rank);
			ck_assert_int_eq(info.shape.given, rank);
			ck_assert_int_eq(info.shape.extent[rank - 1], 2 + (rank - 1) % 2);
			ck_assert_uint_eq(info.type, types[t]);
			ck_assert_uint_eq(info.bytes, info.elements * HET_TYPE_BYTES(types[t]));
			ck_assert_ptr_eq(info.system, system);
			ck_assert(!info.is_wrapped);
			ok(het_map(array, HET_READ, &at));
			for (uint64_t i = 0; i < info.bytes; i++)
				ck_assert_int_eq(at[i], 0);
			ok(het_unmap(array));
			ok(het_array_free(array));
		}
	ck_assert_uint_eq(stats_of(system).live_arrays, 0);
	close_face(system);
}
END_TEST

START_TEST(test_pitch)
{
	het_system *system = open_face(FACE_SHARED);
	int memory[4 * 8];
	const size_t pitch[1] = {8 * sizeof(int)};
	het_array *dense, *padded;

	ok(het_array_new(system, HET_INT, het_shape(3, 2, 3, 5), &dense));
	ck_assert_uint_eq(het_array_pitch(dense, 0), 60);
	ck_assert_uint_eq(het_array_pitch(dense, 1), 20);
	ck_assert_uint_eq(het_array_pitch(dense, 2), 4);
	ck_assert_uint_eq(het_array_pitch(dense, 3), 0);
	ck_assert_uint_eq(het_array_pitch(dense, -1), 0);
	ck_assert_uint_eq(het_array_pitch(NULL, 0), 0);
	ok(het_array_wrap_pitched(system, HET_INT, het_shape(2, 4, 6), memory, pitch, &padded));
	ck_assert_uint_eq(het_array_pitch(padded, 0), 32);
	ok(het_array_free(padded));
	close_face(system);
}
END_TEST

START_TEST(test_free_writes_back)
{
	het_system *system = open_face(_i);
	int *memory = aligned_alloc(128, 128 * sizeof *memory), crooked[101];
	het_kernel *bump = common_kernel(system, "bump");
	het_array *aligned, *misaligned;

	for (int i = 0; i < 100; i++)
		memory[i] = crooked[i + 1] = i;
	ok(het_array_wrap(system, HET_INT, het_shape(1, 100), memory, &aligned));
	ok(het_array_wrap(system, HET_INT, het_shape(1, 100), crooked + 1, &misaligned));
	ok(het_launch(bump, last_device(system), het_grid(1, 100), HET_INOUT(aligned), HET_VAL(1000)));
	ok(het_launch(bump, last_device(system), het_grid(1, 100), HET_INOUT(misaligned), HET_VAL(2000)));
	ok(het_array_free(aligned));
	ok(het_array_free(misaligned));
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(memory[i], 1000 + i);
		ck_assert_int_eq(crooked[i + 1], 2000 + i);
	}
	close_face(system);
	free(memory);
}
END_TEST

START_TEST(test_pitched_wrap)
{
	het_system *system = open_face(_i);
	const size_t pitch[2] = {4 * 8 * sizeof(int), 8 * sizeof(int)};
	int memory[3 * 4 * 8];
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array;

	for (int i = 0; i < 96; i++)
		memory[i] = i;
	ok(het_array_wrap_pitched(system, HET_INT, het_shape(3, 3, 2, 5), memory, pitch, &array));
	ok(het_launch(bump, last_device(system), het_grid(1, 30), HET_INOUT(array), HET_VAL(1000)));
	ok(het_array_free(array));
	for (int i = 0; i < 96; i++) {
		int inside = i / 8 % 4 < 2 && i % 8 < 5;
		ck_assert_msg(memory[i] == (inside ? 1000 : 0) + i, "%d: %d", i, memory[i]);
	}
	close_face(system);
}
END_TEST

START_TEST(test_discard)
{
	het_system *system = open_face(_i);
	int memory[256];
	het_kernel *set = common_kernel(system, "set");
	het_array *array;
	uint64_t moved;

	ok(het_array_wrap(system, HET_INT, het_shape(1, 256), memory, &array));
	ok(het_launch(set, first_device(system), het_grid(1, 256), HET_OUT(array), HET_VAL(1)));
	ok(het_wait(array));
	moved = stats_of(system).transfer_bytes;
	ok(het_array_discard(array));
	ok(het_array_discard(NULL));
	ok(het_array_free(NULL));
	ck_assert_uint_eq(stats_of(system).transfer_bytes, moved);
	close_face(system);
}
END_TEST

/* Freed while tasks use it: they finish, and their other results are right. */
START_TEST(test_free_in_use)
{
	het_system *system = open_face(_i);
	het_kernel *add = common_kernel(system, "add");
	het_array *result = zero_array(system, 1000);

	for (int k = 0; k < 50; k++) {
		het_array *source = counting_array(system, 1000);

		ok(het_launch(add, het_device(system, k % het_device_count(system)), het_grid(1, 1000),
			      HET_OUT(result), HET_IN(source), HET_VAL(k)));
		ok(het_array_free(source));
	}
	assert_counts(result, 49, 1);
	ck_assert_uint_eq(stats_of(system).live_arrays, 1);
	ok(het_array_free(result));
	ok(het_wait_all(system));
	ck_assert_uint_eq(stats_of(system).live_buffers, 0);
	close_face(system);
}
END_TEST

START_TEST(test_swap)
{
	het_system *system = open_face(_i);
	het_kernel *add = common_kernel(system, "add");
	het_array *a = counting_array(system, 64), *b = zero_array(system, 64);
	uint64_t moved;

	ok(het_array_name(a, "here"));
	ok(het_array_name(b, "there"));
	for (int k = 0; k < 10; k++) { /* a and b take turns on two devices */
		ok(het_launch(add, het_device(system, k % het_device_count(system)), het_grid(1, 64),
			      HET_OUT(b), HET_IN(a), HET_VAL(1)));
		ok(het_swap(a, b));
	}
	assert_counts(a, 10, 1);
	assert_counts(b, 9, 1);
	moved = stats_of(system).transfer_bytes;
	ok(het_swap(a, b));
	ok(het_swap(a, a));
	assert_counts(b, 10, 1);
	ck_assert_uint_eq(stats_of(system).transfer_bytes, moved);
	fails(het_read(het_view(a, het_rows(0, 65)), &moved), HET_ERR_SHAPE, "here");
	close_face(system);
}
END_TEST

/* Without a name arrays are numbered in the order in which the program made them, also named and freed ones. */
START_TEST(test_numbers_for_names)
{
	het_system *system = open_face(_i);
	het_array *first = zero_array(system, 4), *named = zero_array(system, 4), *third;
	int memory[4] = {0};

	ok(het_array_name(named, "other"));
	ok(het_array_free(first));
	ok(het_array_wrap(system, HET_INT, het_shape(1, 4), memory, &third));
	fails(het_fill(het_view(third, het_rows(0, 9)), &_i), HET_ERR_SHAPE, "not inside array 2,");
	close_face(system);
}
END_TEST

/* Forty-seven bytes fit, and no character is cut in two. */
START_TEST(test_long_names)
{
#define X45 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	static const char *const given[][2] = {
		{X45 "yz", X45 "yz,"},
		{X45 "yzz", X45 "yz,"},
		{X45 "\xc3\xa9", X45 "\xc3\xa9,"},
		{X45 "y\xc3\xa9", X45 "y,"},
		{X45 "\xe2\x82\xac", X45 ","},
		{X45 "y\xf0\x9f\x8c\x8d", X45 "y,"},
	};
#undef X45
	het_system *system = open_face(_i);
	het_array *a = zero_array(system, 4);

	for (size_t k = 0; k < sizeof given / sizeof given[0]; k++) {
		ok(het_array_name(a, given[k][0]));
		fails(het_fill(het_view(a, het_rows(0, 9)), &_i), HET_ERR_SHAPE, given[k][1]);
	}
	fails(het_array_name(a, "a\nb"), HET_ERR_ARGUMENT, "byte 1 of the name is 0x0a: a control");
	fails(het_array_name(a, "\xc3\xa9\x7f"), HET_ERR_ARGUMENT, "byte 2 of the name is 0x7f: a control");
	fails(het_array_name(a, "ab\xc2\x85"), HET_ERR_ARGUMENT, "byte 2 of the name is 0xc2: a control");
	fails(het_array_name(a, "\xff\xfe"), HET_ERR_ARGUMENT, "byte 0 of the name is 0xff: no UTF-8");
	fails(het_array_name(a, "a\xe2\x82"), HET_ERR_ARGUMENT, "byte 1 of the name is 0xe2: no UTF-8");
	close_face(system);
}
END_TEST

START_TEST(test_empty)
{
	het_system *system = open_face(_i);
	het_kernel *set = common_kernel(system, "set"), *add = common_kernel(system, "add");
	struct het_array_info info = HET_ARRAY_INFO_INIT;
	const int one = 1;
	het_array *a, *b, *flat, *wrapped;
	int *at, nothing = 7;

	ok(het_array_new(system, HET_INT, het_shape(1, 0), &flat));
	ok(het_array_new(system, HET_INT, het_shape(3, 4, 0, 5), &a));
	ok(het_array_new(system, HET_INT, het_shape(3, 4, 0, 5), &b));
	ok(het_array_wrap(system, HET_INT, het_shape(2, 0, 3), NULL, &wrapped));
	ok(het_array_info(a, &info));
	ck_assert_uint_eq(info.elements + info.bytes, 0);
	ck_assert(!info.is_wrapped);
	ok(het_array_info(wrapped, &info));
	ck_assert(info.is_wrapped);
	ok(het_launch(set, last_device(system), het_grid(1, 0), HET_OUT(flat), HET_VAL(1)));
	ok(het_launch(add, last_device(system), het_grid(1, 0), HET_OUT(a), HET_IN(b), HET_VAL(1)));
	ok(het_map(a, HET_READ_WRITE, &at));
	ok(het_unmap(a));
	ok(het_map(flat, HET_WRITE, &at));
	ok(het_unmap(flat));
	ok(het_read(het_view(a, het_whole()), &nothing));
	ok(het_write(het_view(a, het_whole()), NULL));
	ok(het_read_async(het_view(flat, het_whole()), NULL));
	ok(het_write_async(het_view(flat, het_whole()), &nothing));
	ok(het_fill(het_view(a, het_whole()), &one));
	ok(het_copy(het_view(a, het_whole()), het_view(b, het_whole())));
	ok(het_prefetch(het_view(a, het_whole()), last_device(system)));
	ok(het_prefetch(het_view(a, het_whole()), NULL));
	ok(het_swap(a, b));
	ok(het_wait(a));
	ck_assert_int_eq(nothing, 7);
	ok(het_array_free(wrapped));
	close_face(system);
}
END_TEST

/* A launch over a range that is not empty may still be given empty arrays. */
START_TEST(test_empty_argument)
{
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;
	het_system *system = open_face(_i);
	het_kernel *peek = text_kernel(system,
				       "kernel void peek(global int *out, global const int *in, int count)"
				       "{ out[get_global_id(0)] = count ? in[0] : 5; }",
				       "peek");
	het_array *out = zero_array(system, 8), *in = zero_array(system, 0), *some = counting_array(system, 9);

	ok(het_launch(peek, last_device(system), het_grid(1, 8), HET_OUT(out), HET_IN(in), HET_VAL(0)));
	assert_counts(out, 5, 0);
	ok(het_launch(peek, last_device(system), het_grid(1, 8), HET_OUT(out),
		      HET_IN(het_view(some, het_rows(4, 4))), HET_VAL(0)));
	assert_counts(out, 5, 0);
	ok(het_array_free(in));
	ok(het_array_wrap(system, HET_INT, het_shape(1, 0), NULL, &in));
	for (int d = 0; d < het_device_count(system); d++)
		ok(het_launch(peek, het_device(system, d), het_grid(1, 8), HET_OUT(out), HET_IN(in),
			      HET_VAL(0)));
	assert_counts(out, 5, 0);
	ok(het_array_free(in));
	ok(het_wait_all(system));
	for (int d = 0; d < het_device_count(system); d++) {
		ok(het_device_stats(het_device(system, d), &stats));
		ck_assert_uint_lt(stats.array_bytes, 4096);
	}
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_new_is_zero, 0},  {&test_pitch, 0},   {&test_free_writes_back, 1},
	{&test_pitched_wrap, 1}, {&test_discard, 1}, {&test_free_in_use, 1},
	{&test_swap, 1},         {&test_empty, 1},   {&test_empty_argument, 1},
	{&test_numbers_for_names, 1},
	{&test_long_names, 0},
};

int main(void)
{
	return run_face_tests("array", sizeof tests / sizeof tests[0], tests);
}
