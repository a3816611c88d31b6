/* test_map.c - the host's access in place. */
#include "face.h"

#include "threads.h"

START_TEST(test_modes)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = counting_array(system, 300);
	uint64_t maps;
	int *at;

	ok(het_launch(bump, last_device(system), het_grid(1, 300), HET_INOUT(array), HET_VAL(1)));
	maps = stats_of(system).maps;
	ok(het_map(array, HET_READ_WRITE, &at));
	ck_assert_uint_eq(stats_of(system).maps, maps + 1);
	for (int i = 0; i < 300; i++) {
		ck_assert_int_eq(at[i], i + 1);
		at[i] *= 2;
	}
	ok(het_unmap(array));
	ok(het_launch(bump, first_device(system), het_grid(1, 300), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 3, 2);
	ok(het_map(array, HET_WRITE, &at));
	for (int i = 0; i < 300; i++)
		at[i] = -i;
	ok(het_unmap(array));
	ok(het_launch(bump, last_device(system), het_grid(1, 300), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 1, -1);
	close_face(system);
}
END_TEST

/* Mapping for writing fetches nothing. */
START_TEST(test_write_carries_nothing)
{
	het_system *system = open_face(_i);
	het_kernel *set = common_kernel(system, "set");
	het_array *array = zero_array(system, 300);
	uint64_t moved;
	int *at;

	ok(het_launch(set, last_device(system), het_grid(1, 300), HET_OUT(array), HET_VAL(1)));
	ok(het_wait(array));
	moved = stats_of(system).transfer_bytes;
	ok(het_map(array, HET_WRITE, &at));
	for (int i = 0; i < 300; i++)
		at[i] = i;
	ok(het_unmap(array));
	assert_counts(array, 0, 1);
	ck_assert_uint_eq(stats_of(system).transfer_bytes, moved);
	close_face(system);
}
END_TEST

START_TEST(test_views)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array;
	int *at, values[12 * 10];

	ok(het_array_new(system, HET_INT, het_shape(2, 12, 10), &array));
	ok(het_launch(bump, last_device(system), het_grid(1, 120), HET_INOUT(array), HET_VAL(5)));
	ok(het_map_view(het_view(array, het_box(2, 3, 5, 4, HET_END)), HET_READ_WRITE, &at));
	for (int y = 0; y < 2; y++)
		for (int x = 0; x < 6; x++) {
			int *cell = at + (size_t)y * het_array_pitch(array, 0) / sizeof(int) + x;
			ck_assert_int_eq(*cell, 5);
			*cell = 100 * (y + 3) + x + 4;
		}
	ok(het_unmap_view(het_view(array, het_box(2, 3, 5, 4, 10))));
	ok(het_launch(bump, first_device(system), het_grid(1, 120), HET_INOUT(array), HET_VAL(0)));
	ok(het_read(het_view(array, het_whole()), values));
	for (int i = 0; i < 120; i++) {
		int y = i / 10, x = i % 10;
		ck_assert_int_eq(values[i], y >= 3 && y < 5 && x >= 4 ? 100 * y + x : 5);
	}
	close_face(system);
}
END_TEST

/* Boxes side by side, and work on the rest meanwhile. */
START_TEST(test_side_by_side)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = counting_array(system, 100);
	int *low, *high, *again;

	ok(het_map_view(het_view(array, het_rows(0, 20)), HET_WRITE, &low));
	ok(het_map_view(het_view(array, het_rows(80, 100)), HET_READ, &high));
	ok(het_map_view(het_view(array, het_rows(90, HET_END)), HET_READ, &again));
	ok(het_launch(bump, last_device(system), het_range(1, 20, 80), HET_INOUT_PART(array, het_rows(20, 80)),
		      HET_VAL(0)));
	ck_assert_int_eq(high[3], 83);
	ck_assert_int_eq(again[3], 93);
	for (int i = 0; i < 20; i++)
		low[i] = i;
	ok(het_unmap_view(het_view(array, het_rows(80, 100))));
	fails(het_unmap_view(het_view(array, het_rows(0, 21))), HET_ERR_MAPPED,
	      "[0:21] is not mapped; what is:", "[0:20]");
	fails(het_unmap(array), HET_ERR_MAPPED, "[0:20]", "[90:100]");
	ok(het_unmap_view(het_view(array, het_rows(0, 20))));
	ok(het_unmap_view(het_view(array, het_rows(90, 100))));
	assert_counts(array, 0, 1);
	close_face(system);
}
END_TEST

START_TEST(test_readers_go_on)
{
	het_system *system = open_face(_i);
	het_kernel *add = common_kernel(system, "add");
	het_array *array = counting_array(system, 100), *result = zero_array(system, 100);
	const int *one, *two;

	ok(het_map(array, HET_READ, &one));
	ok(het_map(array, HET_READ, &two));
	ck_assert_ptr_eq(one, two);
	ok(het_launch(add, last_device(system), het_grid(1, 100), HET_OUT(result), HET_IN(array), HET_VAL(3)));
	ok(het_copy(het_view(result, het_rows(0, 0)), het_view(array, het_rows(0, 0))));
	ok(het_unmap(array));
	fails(het_fill(het_view(array, het_whole()), &one), HET_ERR_MAPPED, "mapped by the host for reading");
	ck_assert_int_eq(two[99], 99);
	ok(het_unmap(array));
	assert_counts(result, 3, 1);
	fails(het_unmap(array), HET_ERR_MAPPED, "[0:100] is not mapped");
	ck_assert_ptr_null(strstr(het_message(), "what is"));
	close_face(system);
}
END_TEST

/* What is freed while mapped lives until the last unmap. */
START_TEST(test_free_while_mapped)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = counting_array(system, 50), *wrapped;
	int memory[50], *at, *part;

	ok(het_array_wrap(system, HET_INT, het_shape(1, 50), memory, &wrapped));
	ok(het_map(wrapped, HET_WRITE, &at));
	for (int i = 0; i < 50; i++)
		at[i] = i;
	ok(het_unmap(wrapped));
	ok(het_launch(bump, last_device(system), het_grid(1, 50), HET_INOUT(wrapped), HET_VAL(1)));
	ok(het_map_view(het_view(wrapped, het_rows(0, 10)), HET_READ_WRITE, &at));
	ok(het_map_view(het_view(wrapped, het_rows(10, 20)), HET_READ, &part));
	ok(het_array_free(wrapped));
	fails(het_array_free(wrapped), HET_ERR_HANDLE, "was freed");
	fails(het_map(wrapped, HET_READ, &at), HET_ERR_HANDLE, "was freed");
	for (int i = 0; i < 10; i++)
		at[i] = -1;
	ok(het_unmap_view(het_view(wrapped, het_rows(0, 10))));
	ck_assert_uint_eq(stats_of(system).live_arrays, 2);
	ok(het_unmap_view(het_view(wrapped, het_rows(10, 20))));
	ck_assert_uint_eq(stats_of(system).live_arrays, 1);
	for (int i = 0; i < 50; i++)
		ck_assert_int_eq(memory[i], i < 10 ? -1 : i + 1);
	ok(het_map(array, HET_READ, &at));
	ok(het_array_free(array));
	ck_assert_int_eq(at[49], 49);
	ok(het_unmap(array));
	ck_assert_uint_eq(stats_of(system).live_arrays, 0);
	close_face(system);
}
END_TEST

/* A map made by another thread frees its box there. */
static het_array *crossing;

static void *unmap_elsewhere(void *status)
{
	*(het_status *)status = het_unmap(crossing);
	return NULL;
}

START_TEST(test_unmap_by_another_thread)
{
	het_system *system = open_face(FACE_SHARED);
	het_status status = HET_ERR_DEVICE;
	pthread_t thread;
	int *at;

	crossing = counting_array(system, 10);
	ok(het_map(crossing, HET_READ_WRITE, &at));
	at[0] = 0;
	ck_assert_int_eq(pthread_create(&thread, NULL, unmap_elsewhere, &status), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(status, HET_OK);
	assert_counts(crossing, 0, 1);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_modes, 1},
	{&test_write_carries_nothing, 1},
	{&test_views, 1},
	{&test_side_by_side, 1},
	{&test_readers_go_on, 1},
	{&test_free_while_mapped, 1},
	{&test_unmap_by_another_thread, 0},
};

int main(void)
{
	return run_face_tests("map", sizeof tests / sizeof tests[0], tests);
}
