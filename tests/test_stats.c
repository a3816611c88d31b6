/* test_stats.c - the counters, and that nothing moves that need not. */
#include "face.h"

#include "system/system.h"

enum { N = 1024 }; /* ints of an array */

/* Bytes that a transfer of `ints` costs on the way to or from a device: none where memory is shared. */
static uint64_t cost(het_device *device, int ints)
{
	return is_separate(device) ? (uint64_t)ints * sizeof(int) : 0;
}

/* Runs a statement, waits, and demands that it has moved just these bytes in that many transfers. */
#define moves(system, bytes, count, call)                                                                      \
	do {                                                                                                   \
		struct het_stats before_, after_;                                                              \
		ok(het_wait_all(system));                                                                      \
		before_ = stats_of(system);                                                                    \
		call;                                                                                          \
		ok(het_wait_all(system));                                                                      \
		after_ = stats_of(system);                                                                     \
		ck_assert_uint_eq(after_.transfer_bytes - before_.transfer_bytes, (bytes));                    \
		ck_assert_uint_eq(after_.transfers - before_.transfers, (count));                              \
	} while (0)

START_TEST(test_out_carries_nothing)
{
	het_system *system = open_face(_i);
	het_kernel *set = common_kernel(system, "set");
	het_array *array = counting_array(system, N);
	het_device *device = last_device(system);
	const uint64_t way = cost(device, N), count = way > 0;

	moves(system, 0, 0, ok(het_launch(set, device, het_grid(1, N), HET_OUT(array), HET_VAL(1))));
	moves(system, way, count, assert_counts(array, 1, 0));
	moves(system, 0, 0, assert_counts(array, 1, 0));
	close_face(system);
}
END_TEST

START_TEST(test_second_read_carries_nothing)
{
	het_system *system = open_face(_i);
	het_kernel *add = common_kernel(system, "add"), *bump = common_kernel(system, "bump");
	het_array *in = counting_array(system, N), *out = zero_array(system, N);
	het_device *device = last_device(system);
	const uint64_t way = cost(device, N), count = way > 0;

#define run_add ok(het_launch(add, device, het_grid(1, N), HET_OUT(out), HET_IN(in), HET_VAL(1)))
	moves(system, way, count, run_add);
	moves(system, 0, 0, run_add);
	moves(system, 0, 0, ok(het_prefetch(het_view(in, het_whole()), device)));
	moves(system, 0, 0, assert_counts(in, 0, 1)); /* the host's copy is still good */
	moves(system, 0, 0, ok(het_launch(bump, device, het_grid(1, N), HET_INOUT(in), HET_VAL(1))));
	moves(system, way, count, ok(het_prefetch(het_view(in, het_whole()), NULL)));
	moves(system, 0, 0, assert_counts(in, 1, 1));
	moves(system, 0, 0, run_add);
	moves(system, way, count, assert_counts(out, 2, 1));
#undef run_add
	close_face(system);
}
END_TEST

static bool one_context(const het_device *a, const het_device *b)
{
	return a->context == b->context;
}

/* Two devices on bands of rows: what crosses are the rows at the border. */
START_TEST(test_halo_refresh)
{
	enum { ROWS = 16, COLUMNS = 64, HALF = ROWS / 2 };
	het_system *system = open_face(_i);
	het_kernel *rows = common_kernel(system, "three_rows");
	het_device *low = first_device(system), *high = last_device(system);
	const uint64_t row = cost(low, COLUMNS);
	het_array *a, *b;

	/* between platforms everything moves twice, by way of the host */
	if (low == high || !one_context(low, high)) {
		close_face(system);
		return;
	}
	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, COLUMNS), &a));
	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, COLUMNS), &b));
#define band(device, lo, hi, from, to)                                                                         \
	ok(het_launch(rows, device, het_range(2, lo, hi, 0, COLUMNS), HET_OUT_PART(b, het_rows(lo, hi)),       \
		      HET_IN_PART(a, het_rows(from, to)), HET_VAL((int)COLUMNS), HET_VAL((int)ROWS)))
#define step                                                                                                   \
	do {                                                                                                   \
		band(low, 0, HALF, 0, HALF + 1);                                                               \
		band(high, HALF, ROWS, HALF - 1, ROWS);                                                        \
	} while (0)
	/* the second device's rows come in two pieces: where the first one's end, the directory is cut */
	moves(system, row * (HALF + 1) * 2, row ? 3 : 0, step);
	for (int k = 0; k < 5; k++) {
		ok(het_swap(a, b));
		moves(system, row * 2, row ? 2 : 0, step);
	}
	close_face(system);
}
END_TEST
#undef band
#undef step

START_TEST(test_copy_where_the_data_are)
{
	het_system *system = open_face(_i);
	het_kernel *set = common_kernel(system, "set");
	het_array *a = zero_array(system, N), *b = zero_array(system, N);
	het_device *device = last_device(system);
	const int value = 9;
	struct het_stats before;

	ok(het_launch(set, device, het_grid(1, N), HET_OUT(a), HET_VAL(1)));
	ok(het_launch(set, device, het_grid(1, N), HET_OUT(b), HET_VAL(2)));
	before = stats_of(system);
	moves(system, 0, 0, ok(het_copy(het_view(b, het_rows(0, 100)), het_view(a, het_rows(200, 300)))));
	ck_assert_uint_eq(stats_of(system).repacks, before.repacks + 1);
	ck_assert_uint_eq(stats_of(system).repack_bytes, before.repack_bytes + 400);
	moves(system, 0, 0, ok(het_fill(het_view(b, het_rows(100, 200)), &value)));
	ck_assert_uint_eq(stats_of(system).fills, before.fills + 1);
	ck_assert_int_eq(element(b, 0), 1);
	ck_assert_int_eq(element(b, 100), 9);
	ck_assert_int_eq(element(b, 200), 2);
	close_face(system);
}
END_TEST

static void assert_mapped(het_array *array, int lo, int hi, int at, int value)
{
	const int *values;

	ok(het_map_view(het_view(array, het_rows(lo, hi)), HET_READ, &values));
	ck_assert_int_eq(values[at - lo], value);
	ok(het_unmap_view(het_view(array, het_rows(lo, hi))));
}

/* Only the stale part of a box comes back. */
START_TEST(test_partial_staleness)
{
	het_system *system = open_face(_i);
	het_kernel *set = common_kernel(system, "set");
	het_array *array = counting_array(system, N);
	het_device *device = last_device(system);

	moves(system, 0, 0,
	      ok(het_launch(set, device, het_range(1, 10, 20), HET_OUT_PART(array, het_rows(10, 20)),
			    HET_VAL(1))));
	moves(system, cost(device, 1), cost(device, 1) > 0, assert_mapped(array, 17, 18, 17, 1));
	moves(system, cost(device, 2), cost(device, 2) > 0, assert_mapped(array, 17, 22, 19, 1));
	moves(system, cost(device, 7), cost(device, 7) > 0, assert_mapped(array, 0, 17, 9, 9));
	moves(system, 0, 0, assert_mapped(array, 0, N, 10, 1));
	/* a read goes past the host's copy when that is stale, and leaves it so */
	ok(het_launch(set, device, het_grid(1, N), HET_OUT(array), HET_VAL(4)));
	moves(system, cost(device, 1), cost(device, 1) > 0, ck_assert_int_eq(element(array, 5), 4));
	moves(system, cost(device, 1), cost(device, 1) > 0, ck_assert_int_eq(element(array, 5), 4));
	close_face(system);
}
END_TEST

START_TEST(test_flows)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = counting_array(system, N);
	het_device *device = last_device(system);
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;
	struct het_flow flow = HET_FLOW_INIT;
	uint64_t bytes = 0, count = 0;
	int flows = 0;

	ok(het_launch(bump, device, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 1, 1);
	ok(het_device_info(device, &info));
	for (; het_flow_at(system, flows, &flow) == HET_OK; flows++) {
		ck_assert_int_ne(flow.from, flow.to);
		ck_assert(flow.from == info.memory || flow.to == info.memory);
		ck_assert_uint_eq(flow.bytes, N * sizeof(int));
		ck_assert(strlen(flow.route) > 0);
		bytes += flow.bytes;
		count += flow.count;
	}
	ck_assert_int_eq(flows, is_separate(device) ? 2 : 0);
	ck_assert_uint_eq(bytes, stats_of(system).transfer_bytes);
	ck_assert_uint_eq(count, stats_of(system).transfers);
	fails(het_flow_at(system, flows, &flow), HET_ERR_ARGUMENT, "flow");
	fails(het_flow_at(system, -1, &flow), HET_ERR_ARGUMENT, "flow -1");
	ok(het_device_stats(device, &stats));
	ck_assert_uint_eq(stats.launches, 1);
	ck_assert_uint_eq(stats.bytes_in, cost(device, N));
	ck_assert_uint_eq(stats.bytes_out, cost(device, N));
	ck_assert_uint_eq(stats.kernel_ns, 0);
	close_face(system);
}
END_TEST

START_TEST(test_live_counts)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = zero_array(system, N), *other = zero_array(system, N);
	struct het_stats stats;

	ck_assert_uint_eq(stats_of(system).live_arrays, 2);
	ck_assert_uint_eq(stats_of(system).live_buffers, 0);
	for (int k = 0; k < 50; k++)
		ok(het_launch(bump, first_device(system), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	stats = stats_of(system);
	ck_assert_uint_eq(stats.launches, 50);
	ck_assert(stats.live_events <= stats.unfinished + 1);
	ok(het_wait(array));
	ok(het_wait_all(system));
	ck_assert_uint_eq(stats_of(system).live_events, 0);
	ck_assert_uint_eq(stats_of(system).live_buffers, 1);
	ok(het_array_free(array));
	ok(het_array_free(other));
	ck_assert_uint_eq(stats_of(system).live_arrays, 0);
	ck_assert_uint_eq(stats_of(system).live_buffers, 0);
	ck_assert_uint_eq(stats_of(system).failures, 0);
	close_face(system);
}
END_TEST

/* A struct of an older caller, which ends earlier, and sizes that make no sense. */
START_TEST(test_struct_sizes)
{
	het_system *system = open_face(FACE_SHARED);
	struct het_stats stats = HET_STATS_INIT;
	struct het_flow flow = HET_FLOW_INIT;
	struct het_device_stats device = HET_DEVICE_STATS_INIT;

	stats.size = offsetof(struct het_stats, fills);
	stats.fills = 1234;
	stats.launches = 99;
	ok(het_stats(system, &stats));
	ck_assert_uint_eq(stats.launches, 0);
	ck_assert_uint_eq(stats.fills, 1234);
	stats.size = 0;
	fails(het_stats(system, &stats), HET_ERR_ARGUMENT, "size");
	stats.size = sizeof stats + 8;
	fails(het_stats(system, &stats), HET_ERR_ARGUMENT, "size");
	flow.size = 1;
	fails(het_flow_at(system, 0, &flow), HET_ERR_ARGUMENT, "flow");
	device.size = 3;
	fails(het_device_stats(first_device(system), &device), HET_ERR_ARGUMENT, "size");
	close_face(system);
}
END_TEST

/* A directory becomes too long by the host's maps alone: what is merged then is counted then. */
START_TEST(test_merges_are_counted)
{
	enum { CELLS = 100 };
	het_system *system = open_face(_i);
	het_array *array = zero_array(system, CELLS);
	int *at;

	ok(het_prefetch(het_view(array, het_whole()), last_device(system)));
	ok(het_wait_all(system));
	for (int i = 0; i < CELLS; i += 2) {
		const struct het_view cell = het_view(array, het_rows(i, i + 1));

		ok(het_map_view(cell, HET_WRITE, &at));
		*at = i;
		ok(het_unmap_view(cell));
	}
	if (is_separate(last_device(system)))
		ck_assert_uint_gt(stats_of(system).directory_merges, 0);
	else
		ck_assert_uint_eq(stats_of(system).directory_merges, 0); /* one store: all cells are alike */
	ck_assert_int_eq(element(array, 98), 98);
	ck_assert_int_eq(element(array, 97), 0);
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_out_carries_nothing, 1}, {&test_second_read_carries_nothing, 1},
	{&test_halo_refresh, 1},        {&test_copy_where_the_data_are, 1},
	{&test_partial_staleness, 1},   {&test_flows, 1},
	{&test_live_counts, 1},         {&test_struct_sizes, 0},
	{&test_merges_are_counted, 1},
};

int main(void)
{
	return run_face_tests("stats", sizeof tests / sizeof tests[0], tests);
}
