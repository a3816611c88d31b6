/* test_bad_input.c - handles, places and numbers that are wrong: the right status, a text that
 * names the thing, and nothing changed.
 */
#include "bad.h"

/* ---- handles ---- */

START_TEST(test_null_arrays)
{
	struct het_array_info info = HET_ARRAY_INFO_INIT;
	int memory[N];
	void *at;

	set_up(FACE_SHARED);
	fails(het_array_new(NULL, HET_INT, het_shape(1, 1), &field), HET_ERR_HANDLE, "system is NULL");
	fails(het_array_wrap(NULL, HET_INT, het_shape(1, 1), memory, &field), HET_ERR_HANDLE, "NULL");
	fails(het_array_wrap_pitched(NULL, HET_INT, het_shape(1, 1), memory, NULL, &field), HET_ERR_HANDLE,
	      "NULL");
	fails(het_array_info(NULL, &info), HET_ERR_HANDLE, "het_array_info", "NULL");
	fails(het_array_name(NULL, "x"), HET_ERR_HANDLE, "het_array_name", "NULL");
	fails(het_swap(NULL, field), HET_ERR_HANDLE, "het_swap", "NULL");
	fails(het_swap(field, NULL), HET_ERR_HANDLE, "het_swap", "NULL");
	fails(het_map(NULL, HET_READ, &at), HET_ERR_HANDLE, "het_map", "NULL");
	fails(het_map_view(all(NULL), HET_READ, &at), HET_ERR_HANDLE, "het_map_view: ", "NULL");
	fails(het_unmap(NULL), HET_ERR_HANDLE, "het_unmap", "NULL");
	fails(het_unmap_view(all(NULL)), HET_ERR_HANDLE, "het_unmap_view: ", "NULL");
	fails(het_read(all(NULL), memory), HET_ERR_HANDLE, "het_read", "NULL");
	fails(het_read_async(all(NULL), memory), HET_ERR_HANDLE, "het_read_async", "NULL");
	fails(het_write(all(NULL), memory), HET_ERR_HANDLE, "het_write", "NULL");
	fails(het_write_async(all(NULL), memory), HET_ERR_HANDLE, "het_write_async", "NULL");
	fails(het_fill(all(NULL), memory), HET_ERR_HANDLE, "het_fill", "NULL");
	fails(het_copy(all(NULL), all(field)), HET_ERR_HANDLE, "het_copy", "NULL");
	fails(het_copy(all(field), all(NULL)), HET_ERR_HANDLE, "het_copy", "source", "NULL");
	fails(het_prefetch(all(NULL), device), HET_ERR_HANDLE, "het_prefetch", "NULL");
	fails(het_wait(NULL), HET_ERR_HANDLE, "het_wait", "NULL");
	ck_assert_uint_eq(het_array_pitch(NULL, 0), 0);
	ok(het_array_free(NULL));
	ok(het_array_discard(NULL));
	tear_down();
}
END_TEST

START_TEST(test_null_kernels_and_devices)
{
	struct het_kernel_times times = HET_KERNEL_TIMES_INIT;
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;
	het_kernel *kernel;
	size_t bytes;

	set_up(FACE_SHARED);
	fails(het_kernel_from_source(NULL, "x", "x", NULL, &kernel), HET_ERR_HANDLE,
	      "het_kernel_from_source: the system is NULL");
	fails(het_kernel_from_file(NULL, "/dev/null", "x", NULL, &kernel), HET_ERR_HANDLE,
	      "het_kernel_from_file: the system is NULL");
	fails(het_kernel_from_binary(NULL, "x", 1, "x", &kernel), HET_ERR_HANDLE, "NULL");
	fails(het_kernel_options(NULL, device, ""), HET_ERR_HANDLE, "NULL");
	fails(het_kernel_options(add, NULL, ""), HET_ERR_HANDLE, "NULL");
	fails(het_kernel_build(NULL, device), HET_ERR_HANDLE, "NULL");
	fails(het_kernel_build(add, NULL), HET_ERR_HANDLE, "NULL");
	fails(het_kernel_binary(NULL, device, NULL, 0, &bytes), HET_ERR_HANDLE, "NULL");
	fails(het_kernel_binary(add, NULL, NULL, 0, &bytes), HET_ERR_HANDLE, "NULL");
	fails(het_kernel_times(NULL, device, &times), HET_ERR_HANDLE, "NULL");
	fails(het_kernel_times(add, NULL, &times), HET_ERR_HANDLE, "NULL");
	ok(het_kernel_free(NULL));
	fails(het_launch(NULL, device, het_grid(1, 1), HET_NULL), HET_ERR_HANDLE, "NULL");
	fails(het_launch(add, NULL, het_grid(1, 1), HET_NULL), HET_ERR_HANDLE, "NULL");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT((het_array *)NULL), HET_IN(field), HET_VAL(1)),
	      HET_ERR_HANDLE, "kernel add", "argument 0", "NULL");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN(all(NULL)), HET_VAL(1)),
	      HET_ERR_HANDLE, "kernel add", "argument 1", "NULL");
	fails(het_native(NULL, native_nothing, NULL, HET_VAL(1)), HET_ERR_HANDLE, "het_native", "NULL");
	fails(het_native(device, NULL, NULL, HET_VAL(1)), HET_ERR_ARGUMENT, "het_native", "NULL");
	fails(het_native(device, native_nothing, NULL, HET_VAL(1), HET_LOCAL(64)), HET_ERR_ARGUMENT,
	      "het_native, argument 1: local memory is for kernels");
	fails(het_device_info(NULL, &info), HET_ERR_HANDLE, "NULL");
	fails(het_device_stats(NULL, &stats), HET_ERR_HANDLE, "NULL");
	tear_down();
}
END_TEST

/* `HET_OUT(other), 3, 7`: C takes both numbers, which have no braces, for the first fields of one argument. */
START_TEST(test_bare_numbers)
{
	struct het_arg args[3];
	struct het_part plan[64];
	int dimension;

	set_up(FACE_SHARED);
	args[0] = HET_OUT(other);
	args[1] = HET_IN(field);
	for (int kind = 0; kind <= HET_ARG_NULL; kind++) {
		args[2] = (struct het_arg){.no_pointer = 3, .kind = (enum het_arg_kind)kind};
		fails(het_launch_args(add, device, het_grid(1, N), args, 3), HET_ERR_ARGUMENT, "kernel add",
		      "argument 2", "a bare number, 3;", "HET_VAL");
		args[2].no_pointer = 0;
		fails(het_launch_args(add, device, het_grid(1, N), args, 3), HET_ERR_ARGUMENT, "kernel add",
		      "argument 2", "HET_VAL");
	}
	args[0] = (struct het_arg){.no_pointer = 1, .kind = HET_ARG_NULL};
	fails(het_call_args(system_, host_nothing, NULL, args, 1), HET_ERR_ARGUMENT, "het_call", "argument 0",
	      "a bare number, 1;");
	fails(het_spread_plan_args(set, het_everyone(system_), het_grid(1, N), plan, &dimension, args, 1),
	      HET_ERR_ARGUMENT, "kernel set", "argument 0", "a bare number, 1;");
	fails(het_launch_args(set, device, het_grid(1, N), args, 1), HET_ERR_ARGUMENT, "kernel set",
	      "a bare number, 1;"); /* of the number of arguments it is told only then */
	tear_down();
}
END_TEST

START_TEST(test_null_systems)
{
	struct het_stats stats = HET_STATS_INIT;
	struct het_flow flow = HET_FLOW_INIT;
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	set_up(FACE_SHARED);
	fails(het_call(NULL, host_nothing, NULL, HET_VAL(1)), HET_ERR_HANDLE, "NULL");
	fails(het_call(system_, NULL, NULL, HET_VAL(1)), HET_ERR_ARGUMENT, "het_call", "NULL");
	fails(het_stats(NULL, &stats), HET_ERR_HANDLE, "NULL");
	fails(het_stats(system_, NULL), HET_ERR_ARGUMENT, "NULL");
	fails(het_flow_at(NULL, 0, &flow), HET_ERR_HANDLE, "NULL");
	fails(het_flow_at(system_, 0, NULL), HET_ERR_ARGUMENT, "NULL");
	fails(het_wait_all(NULL), HET_ERR_HANDLE, "NULL");
	fails(het_open(NULL, NULL), HET_ERR_ARGUMENT, "het_open", "NULL");
	options.log_level = (enum het_log_level)5;
	fails(het_open(&options, &system), HET_ERR_ARGUMENT, "het_open", "level of log lines: 5");
	ok(het_close(NULL));
	ck_assert_int_eq(het_device_count(NULL), 0);
	ck_assert_ptr_null(het_device_at(NULL, 0));
	ck_assert_ptr_null(het_device_at(system_, -1));
	ck_assert_ptr_null(het_device_at(system_, het_device_count(system_)));
	ck_assert_ptr_null(het_device_named(NULL, "pocl:cpu0"));
	ck_assert_ptr_null(het_device_named(system_, "nobody:gpu7"));
	ck_assert_ptr_null(het_device_named(system_, NULL));
	tear_down();
}
END_TEST

/* Where a result is to be put. */
START_TEST(test_null_places)
{
	set_up(FACE_SHARED);
	fails(het_array_new(system_, HET_INT, het_shape(1, 1), NULL), HET_ERR_ARGUMENT, "array_p is NULL");
	fails(het_array_wrap(system_, HET_INT, het_shape(1, 1), NULL, &field), HET_ERR_ARGUMENT,
	      "memory is NULL");
	fails(het_array_wrap(system_, HET_INT, het_shape(1, 0), NULL, NULL), HET_ERR_ARGUMENT,
	      "array_p is NULL");
	fails(het_array_info(field, NULL), HET_ERR_ARGUMENT, "info is NULL");
	fails(het_array_name(field, NULL), HET_ERR_ARGUMENT, "name is NULL");
	fails(het_array_name(field, ""), HET_ERR_ARGUMENT, "name is empty");
	fails(het_array_name(field, "two\nlines"), HET_ERR_ARGUMENT, "byte 3 of the name is 0x0a");
	fails(het_map(field, HET_READ, NULL), HET_ERR_ARGUMENT, "pointer_p is NULL");
	fails(het_map(field, (enum het_map_mode)4, &field), HET_ERR_ARGUMENT,
	      "het_map: mode 4 is none of HET_READ, HET_WRITE, HET_READ_WRITE");
	fails(het_read(all(field), NULL), HET_ERR_ARGUMENT, "het_read", "memory is NULL");
	fails(het_write(all(field), NULL), HET_ERR_ARGUMENT, "het_write", "memory is NULL");
	fails(het_fill(all(field), NULL), HET_ERR_ARGUMENT, "het_fill", "value is NULL");
	fails(het_kernel_from_source(system_, NULL, "k", NULL, &add), HET_ERR_ARGUMENT, "source", "NULL");
	fails(het_kernel_from_source(system_, "x", NULL, NULL, &add), HET_ERR_ARGUMENT, "name", "NULL");
	fails(het_kernel_from_source(system_, "x", "k", NULL, NULL), HET_ERR_ARGUMENT, "kernel_p", "NULL");
	fails(het_kernel_times(add, device, NULL), HET_ERR_ARGUMENT, "NULL");
	fails(het_device_info(device, NULL), HET_ERR_ARGUMENT, "NULL");
	fails(het_device_stats(device, NULL), HET_ERR_ARGUMENT, "NULL");
	tear_down();
}
END_TEST

#ifdef HETERO_DEBUG_CHECKS
START_TEST(test_freed_handles)
{
	het_array *dead;
	het_kernel *gone;
	het_system *closed;
	int values[N];

	set_up(FACE_SHARED);
	dead = counting_array(system_, N);
	gone = common_kernel(system_, "bump");
	ok(het_array_free(dead));
	ok(het_kernel_free(gone));
	fails(het_array_free(dead), HET_ERR_HANDLE, "freed");
	fails(het_read(all(dead), values), HET_ERR_HANDLE, "het_read", "freed");
	fails(het_unmap(dead), HET_ERR_HANDLE, "het_unmap", "freed");
	fails(het_swap(field, dead), HET_ERR_HANDLE, "freed");
	fails(het_copy(all(field), all(dead)), HET_ERR_HANDLE, "source", "freed");
	fails(het_launch(set, device, het_grid(1, N), HET_OUT(dead), HET_VAL(1)), HET_ERR_HANDLE, "kernel set",
	      "argument 0", "freed");
	fails(het_launch(gone, device, het_grid(1, N), HET_INOUT(field), HET_VAL(1)), HET_ERR_HANDLE, "freed");
	fails(het_kernel_free(gone), HET_ERR_HANDLE, "freed");
	closed = open_face(FACE_SHARED);
	ok(het_close(closed));
	fails(het_wait_all(closed), HET_ERR_HANDLE, "closed");
	fails(het_close(closed), HET_ERR_HANDLE, "closed");
	tear_down();
}
END_TEST
#endif

/* Of another kind than the function wants: what it is, is told. */
START_TEST(test_handles_of_other_kinds)
{
	struct het_array_info info = HET_ARRAY_INFO_INIT;
	het_team *team;

	set_up(FACE_SHARED);
	ok(het_team_new(system_, 1, &device, NULL, &team));
	fails(het_launch(add, (het_device *)(void *)team, het_grid(1, N), HET_OUT(field)), HET_ERR_HANDLE,
	      "kernel add: the device is a team");
	fails(het_spread(add, (het_team *)(void *)device, het_grid(1, N), HET_OUT(HET_EACH(field))),
	      HET_ERR_HANDLE, "the team is a device");
	fails(het_launch((het_kernel *)(void *)field, device, het_grid(1, N)), HET_ERR_HANDLE,
	      "the kernel is an array");
	fails(het_array_info((het_array *)(void *)add, &info), HET_ERR_HANDLE, "het_array_info",
	      "the array is a kernel");
	fails(het_team_free((het_team *)(void *)system_), HET_ERR_HANDLE, "the team is a system");
	fails(het_wait_all((het_system *)(void *)device), HET_ERR_HANDLE, "the system is a device");
	ok(het_team_free(team));
	tear_down();
}
END_TEST

/* ---- shapes, boxes, ranges ---- */

START_TEST(test_ranks)
{
	const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
	het_array *array;

	set_up(FACE_SHARED);
	fails(het_array_new(system_, HET_INT, het_shape_of(0, 0, NULL), &array), HET_ERR_SHAPE, "rank 0");
	fails(het_array_new(system_, HET_INT, het_shape_of(9, 9, nine), &array), HET_ERR_SHAPE, "rank 9");
	fails(het_array_new(system_, HET_INT, het_shape_of(-1, 1, nine), &array), HET_ERR_SHAPE, "rank -1");
	tear_down();
}
END_TEST

START_TEST(test_sizes)
{
	const size_t thin[1] = {3}, odd[1] = {41}, huge[1] = {SIZE_MAX / 8 * 4};
	het_array *array;

	set_up(FACE_SHARED);
	fails(het_array_new(system_, HET_INT, het_shape(2, 4, -3), &array), HET_ERR_SHAPE, "extent 1", "-3");
	fails(het_array_new(system_, HET_INT, het_shape(1, INT64_MAX), &array), HET_ERR_SHAPE, "overflows");
	fails(het_array_new(system_, HET_INT, het_shape(3, 1 << 30, 1 << 29, 1 << 30), &array), HET_ERR_SHAPE,
	      "1073741824 x 536870912 x 1073741824 elements of 4 bytes overflows");
	fails(het_array_new(system_, HET_INT, het_shape(2, INT64_MIN, 0), &array), HET_ERR_SHAPE, "extent 0");
	fails(het_array_new(system_, HET_STRUCT(1000000), het_shape(1, INT64_MAX / 1000), &array),
	      HET_ERR_SHAPE, "overflows");
	fails(het_array_new(system_, HET_INT, het_shape(1, (int64_t)1 << 58), &array), HET_ERR_MEMORY,
	      "no host memory");
	fails(het_array_wrap_pitched(system_, HET_INT, het_shape(2, 4, 8), &array, thin, &array), HET_ERR_SHAPE,
	      "pitch 0", "at least 32");
	fails(het_array_wrap_pitched(system_, HET_INT, het_shape(2, 4, 8), &array, odd, &array), HET_ERR_SHAPE,
	      "pitch 0", "multiple");
	fails(het_array_wrap_pitched(system_, HET_INT, het_shape(2, 1 << 20, 8), &array, huge, &array),
	      HET_ERR_SHAPE, "overflows", "pitch 0");
	tear_down();
}
END_TEST

START_TEST(test_types)
{
	static const het_type largest = HET_STRUCT(1048575); /* a constant */
	static const het_type odd[] = {HET_TYPE(HET_BASE_INT, 0, 4),    HET_TYPE(HET_BASE_INT, 12, 48),
				       HET_TYPE(HET_BASE_REAL, 1, 5),   HET_TYPE(HET_BASE_REAL, 1, 1),
				       HET_TYPE(HET_BASE_REAL, 3, 12),  HET_TYPE(HET_BASE_STRUCT, 2, 8),
				       HET_TYPE(HET_BASE_UINT, 16, 16) | 1};
	het_array *array;

	set_up(FACE_SHARED);
	fails(het_array_new(system_, 0, het_shape(1, 4), &array), HET_ERR_ARGUMENT, "not an element type");
	fails(het_array_new(system_, sizeof(float), het_shape(1, 4), &array), HET_ERR_ARGUMENT,
	      "0x4 is not an element type: such are HET_INT, HET_FLOAT..., HET_STRUCT(bytes)");
	fails(het_array_new(system_, HET_STRUCT(0), het_shape(1, 4), &array), HET_ERR_ARGUMENT,
	      "not an element type");
	for (size_t bytes = 1048576; bytes > 0 && bytes < SIZE_MAX / 2; bytes += bytes / 2 + 1)
		fails(het_array_new(system_, HET_STRUCT(bytes), het_shape(1, 4), &array), HET_ERR_ARGUMENT,
		      "not an element type", "HET_STRUCT", "1 to 1048575 bytes");
	fails(het_array_new(system_, HET_STRUCT(-1), het_shape(1, 4), &array), HET_ERR_ARGUMENT, "HET_STRUCT");
	fails(het_array_wrap(system_, HET_STRUCT(1048577), het_shape(1, 4), &array, &array), HET_ERR_ARGUMENT,
	      "HET_STRUCT");
	fails(het_launch(set, device, het_grid(1, N), HET_OUT(field),
			 het_arg_value(HET_STRUCT((uint64_t)1 << 32 | 4), &(uint64_t){1})),
	      HET_ERR_ARGUMENT, "HET_BYTES");
	ck_assert_uint_eq(largest, HET_TYPE(HET_BASE_STRUCT, 1, 1048575));
	ok(het_array_new(system_, largest, het_shape(1, 1), &array));
	fails(het_array_new(system_, HET_TYPE(9, 1, 4), het_shape(1, 4), &array), HET_ERR_ARGUMENT,
	      "not an element type");
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
		fails(het_array_new(system_, odd[i], het_shape(1, 4), &array), HET_ERR_ARGUMENT,
		      "not an element type");
	ok(het_array_new(system_, HET_DOUBLE3, het_shape(1, 4), &array));
	tear_down();
}
END_TEST

START_TEST(test_boxes_outside)
{
	int values[N];
	void *at;

	set_up(FACE_SHARED);
	fails(het_read(het_view(field, het_rows(0, N + 1)), values), HET_ERR_SHAPE, "het_read", "[0, 101)",
	      "field");
	fails(het_write(het_view(field, het_rows(-1, 5)), values), HET_ERR_SHAPE, "het_write", "[-1, 5)",
	      "field");
	fails(het_fill(het_view(field, het_rows(7, 5)), values), HET_ERR_SHAPE, "het_fill", "[7, 5)");
	fails(het_map_view(het_view(field, het_rows(HET_END, HET_END)), HET_READ, &at), HET_ERR_SHAPE,
	      "het_map");
	fails(het_write(het_view(field, het_rows(N + 1, HET_END)), values), HET_ERR_SHAPE,
	      "het_write: box [101, HET_END) in dimension 0 begins beyond the end of field",
	      "whose extent is 100");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other),
			 HET_IN(het_view(field, het_rows(N + 1, HET_END))), HET_VAL(1)),
	      HET_ERR_SHAPE, "kernel add, argument 1: box [101, HET_END) in dimension 0 begins beyond");
	ok(het_read(het_view(field, het_rows(N, HET_END)), values)); /* of nothing */
	fails(het_map_view(het_view(field, het_box(0, 2, 5)), HET_READ, &at), HET_ERR_SHAPE,
	      "a box of rank 0 or less of", "whose rank is");
	fails(het_map_view(het_view(field, het_box(2, 0, 1, 0, 1)), HET_READ, &at), HET_ERR_SHAPE, "rank 2",
	      "field");
	fails(het_copy(het_view(field, het_rows(0, 5)), het_view(other, het_rows(98, 103))), HET_ERR_SHAPE,
	      "source", "other");
	fails(het_copy(het_view(field, het_rows(0, 5)), het_view(other, het_rows(0, 6))), HET_ERR_SHAPE,
	      "5 and 6");
	fails(het_prefetch(het_view(field, het_rows(0, 101)), NULL), HET_ERR_SHAPE, "het_prefetch", "field");
	fails(het_launch(add, device, het_grid(1, N), HET_OUT(other), HET_IN_PART(field, het_rows(50, 150)),
			 HET_VAL(1)),
	      HET_ERR_SHAPE, "kernel add", "argument 1", "[50, 150)", "field");
	tear_down();
}
END_TEST

START_TEST(test_wrong_count_of_numbers)
{
	const int64_t two[2] = {0, 4}, giga = 1 << 30;
	het_array *array;
	int values[N];

	set_up(FACE_SHARED);
	fails(het_array_new(system_, HET_INT, het_shape(2, 4), &array), HET_ERR_SHAPE, "rank 2", "given 1");
	fails(het_array_new(system_, HET_INT, het_shape(1, 4, 4), &array), HET_ERR_SHAPE, "rank 1", "given 2");
	fails(het_read(het_view(field, het_box(1, 4)), values), HET_ERR_SHAPE, "rank 1", "given 1");
	fails(het_read(het_view(field, het_box(1, 0, 4, 5, 6)), values), HET_ERR_SHAPE, "rank 1", "given 4");
	fails(het_launch(set, device, het_grid(2, 4), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE, "kernel set",
	      "rank 2");
	fails(het_launch(set, device, het_range(1, 4), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE, "kernel set",
	      "given 1 numbers instead of 2 (extents alone are het_grid's)");
	fails(het_launch(set, device, het_grid(1, 4, 5), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE,
	      "kernel set", "given 4 numbers instead of 2, or by het_grid 2 instead of 1");
	fails(het_launch(set, device, het_range(1, 0, HET_END), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE,
	      "kernel set", "dimension 0 ends at HET_END");
	fails(het_launch(set, device, het_grid(2, 2, HET_END), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE,
	      "kernel set", "dimension 1 ends at HET_END");
	fails(het_launch(set, device, het_range_of(4, 2, two), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE,
	      "rank 4");
	fails(het_launch(set, device, het_range_of(0, 0, two), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE,
	      "rank 0");
	fails(het_launch(set, device, het_range(1, 5, 4), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE, "[5, 4)");
	fails(het_launch(set, device, het_range(1, -5, 4), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE,
	      "[-5, 4)");
	fails(het_launch(set, device, het_local(het_grid(1, N), 10, 10), HET_OUT(field), HET_VAL(1)),
	      HET_ERR_SHAPE, "2 work-group sizes");
	fails(het_launch(set, device, het_local(het_grid(1, N), -10), HET_OUT(field), HET_VAL(1)),
	      HET_ERR_SHAPE, "-10");
	fails(het_launch(set, device, het_local(het_grid(1, N), 7), HET_OUT(field), HET_VAL(1)), HET_ERR_SHAPE,
	      "kernel set", "get_global_size(0)", "no multiple");
	fails(het_launch(set, device, het_grid(2, giga << 2, giga << 2), HET_OUT(field), HET_VAL(1)),
	      HET_ERR_SHAPE, "kernel set", "4294967296 x 4294967296 are more work-items");
	fails(het_launch(set, device, het_grid(3, giga << 10, giga << 10, 2), HET_OUT(field), HET_VAL(1)),
	      HET_ERR_SHAPE, "1099511627776 x 1099511627776 x 2 are");
	fails(het_spread(set, het_everyone(system_), het_grid(2, giga << 10, giga << 10),
			 HET_OUT(HET_EACH(field)), HET_VAL(1)),
	      HET_ERR_SHAPE, "kernel set", "are more work-items");
	ok(het_launch(set, device, het_grid(3, giga << 10, giga << 10, 0), HET_OUT(field), HET_VAL(1)));
	tear_down();
}
END_TEST

static const struct face_test tests[] = {
	{&test_null_arrays, 0},
	{&test_null_kernels_and_devices, 0},
	{&test_bare_numbers, 0},
	{&test_null_systems, 0},
	{&test_null_places, 0},
#ifdef HETERO_DEBUG_CHECKS
	{&test_freed_handles, 0},
#endif
	{&test_handles_of_other_kinds, 0},
	{&test_ranks, 0},
	{&test_sizes, 0},
	{&test_types, 0},
	{&test_boxes_outside, 0},
	{&test_wrong_count_of_numbers, 0},
};

int main(void)
{
	return run_face_tests("bad_input", sizeof tests / sizeof tests[0], tests);
}
