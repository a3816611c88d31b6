/* test_launch.c - kernels: modes, parts, values, ranges, times. */
#include "face.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "random.h"

START_TEST(test_modes)
{
	het_system *system = open_face(_i);
	het_kernel *set = common_kernel(system, "set"), *add = common_kernel(system, "add");
	het_kernel *bump = common_kernel(system, "bump");
	het_array *a = zero_array(system, 777), *b = zero_array(system, 777);

	for (int d = 0; d < het_device_count(system); d++) {
		het_device *device = het_device(system, d);

		ok(het_launch(set, device, het_grid(1, 777), HET_OUT(a), HET_VAL(40 + d)));
		ok(het_launch(add, last_device(system), het_grid(1, 777), HET_OUT(b), HET_IN(a), HET_VAL(2)));
		ok(het_launch(bump, device, het_grid(1, 777), HET_INOUT(b), HET_VAL(100)));
		assert_counts(a, 40 + d, 0);
		assert_counts(b, 142 + d, 0);
	}
	close_face(system);
}
END_TEST

/* Bands over all devices, with the neighbours' rows as halo, many times over. */
START_TEST(test_parts)
{
	enum { ROWS = 24, COLUMNS = 10, TIMES = 12 };
	het_system *system = open_face(_i);
	het_kernel *rows = common_kernel(system, "three_rows");
	const int devices = het_device_count(system);
	uint32_t now[ROWS][COLUMNS], next[ROWS][COLUMNS];
	het_array *a, *b;

	for (int i = 0; i < ROWS * COLUMNS; i++)
		now[i / COLUMNS][i % COLUMNS] = (uint32_t)i;
	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, COLUMNS), &a));
	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, COLUMNS), &b));
	ok(het_write(het_view(a, het_whole()), now));
	for (int k = 0; k < TIMES; k++) {
		for (int d = 0; d < devices; d++) {
			int lo = ROWS * d / devices, hi = ROWS * (d + 1) / devices;
			int above = lo > 0 ? lo - 1 : 0, below = hi < ROWS ? hi + 1 : ROWS;

			ok(het_launch(rows, het_device(system, d), het_range(2, lo, hi, 0, COLUMNS),
				      HET_OUT_PART(b, het_rows(lo, hi)), HET_IN_PART(a, het_rows(above, below)),
				      HET_VAL((int)COLUMNS), HET_VAL((int)ROWS)));
		}
		ok(het_swap(a, b));
		for (int y = 0; y < ROWS; y++)
			for (int x = 0; x < COLUMNS; x++)
				next[y][x] = now[y][x] + (y > 0 ? now[y - 1][x] : 0) +
					     (y + 1 < ROWS ? now[y + 1][x] : 0);
		memcpy(now, next, sizeof now);
	}
	ok(het_read(het_view(a, het_whole()), next));
	ck_assert_mem_eq(next, now, sizeof now);
	close_face(system);
}
END_TEST

/* Every scalar type of C arrives as the kernel's type of that name. */
START_TEST(test_values)
{
	static const char text[] =
		"kernel void take(global long *out, char a, uchar b, short c, ushort d, int e, uint f, long g,"
		" ulong h, float i, char j, long k, ulong l)"
		"{ out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] "
		"= h;"
		" out[8] = (long)(i * 4); out[9] = j; out[10] = k; out[11] = l; }";
	static const int64_t wanted[12] = {-5,          250,        -3000, 60000, -70000,      4000000000,
					   -5000000000, 6000000000, -10,   -7,    -8000000000, 9000000000};
	het_system *system = open_face(_i);
	het_kernel *take = text_kernel(system, text, "take");
	het_array *out;
	int64_t got[12];

	ok(het_array_new(system, HET_LONG, het_shape(1, 12), &out));
	ok(het_launch(take, last_device(system), het_grid(1, 1), HET_OUT(out), HET_VAL((signed char)-5),
		      HET_VAL((unsigned char)250), HET_VAL((short)-3000), HET_VAL((unsigned short)60000),
		      HET_VAL(-70000), HET_VAL(4000000000u), HET_VAL(-5000000000l), HET_VAL(6000000000ul),
		      HET_VAL(-2.5f), HET_VAL((char)-7), HET_VAL(-8000000000ll), HET_VAL(9000000000ull)));
	ok(het_read(het_view(out, het_whole()), got));
	for (int i = 0; i < 12; i++)
		ck_assert_msg(got[i] == wanted[i], "value %d: %lld", i, (long long)got[i]);
	close_face(system);
}
END_TEST

START_TEST(test_double_value)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	het_system *system = open_face(_i);
	het_array *out;
	double got[3];

	ok(het_device_info(last_device(system), &info));
	if (!info.has_double) {
		close_face(system);
		return;
	}
	ok(het_array_new(system, HET_DOUBLE, het_shape(1, 3), &out));
	ok(het_launch(text_kernel(system,
				  "kernel void k(global double *o, double v) { o[get_global_id(0)] = v; }",
				  "k"),
		      last_device(system), het_grid(1, 3), HET_OUT(out), HET_VAL(0.1)));
	ok(het_read(het_view(out, het_whole()), got));
	ck_assert(got[0] == 0.1 && got[2] == 0.1);
	close_face(system);
}
END_TEST

struct pair {
	int32_t number;
	float ratio;
};

START_TEST(test_bytes_local_null)
{
	static const char text[] =
		"typedef struct { int number; float ratio; } pair;\n"
		"kernel void blend(global float *out, pair p, float4 v, local int *scratch, global const int "
		"*absent)\n"
		"{ int i = get_local_id(0); scratch[i] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  int other = scratch[get_local_size(0) - 1 - i];\n"
		"  out[i] = p.number + p.ratio + v.y + v.w + other + (absent ? 1000 : 0); }\n";
	het_system *system = open_face(_i);
	struct pair p = {10, 0.5f};
	float v[4] = {1, 2, 3, 4}, got[8];
	het_kernel *blend = text_kernel(system, text, "blend");
	het_array *out;

	ok(het_array_new(system, HET_FLOAT, het_shape(1, 8), &out));
	ok(het_launch(blend, last_device(system), het_local(het_grid(1, 8), 8), HET_OUT(out),
		      HET_BYTES(&p, sizeof p), HET_BYTES(v, sizeof v), HET_LOCAL(8 * sizeof(int)), HET_NULL));
	memset(&p, 0, sizeof p); /* they were copied */
	memset(v, 0, sizeof v);
	ok(het_read(het_view(out, het_whole()), got));
	for (int i = 0; i < 8; i++)
		ck_assert_msg(got[i] == 16.5f + (float)(7 - i), "%d: %g", i, (double)got[i]);
	ok(het_launch(blend, last_device(system), het_local(het_grid(1, 8), 8), HET_OUT(out),
		      HET_BYTES(&(struct pair){20, 0.5f}, sizeof(struct pair)),
		      HET_BYTES((float[]){1, 2, 3, 4}, sizeof v), HET_LOCAL(8 * sizeof(int)), HET_NULL));
	ok(het_read(het_view(out, het_whole()), got));
	ck_assert(got[0] == 26.5f + 7 && got[7] == 26.5f);
	close_face(system);
}
END_TEST

/* A number is no vector, though it has as many bytes. */
START_TEST(test_vector_values)
{
	static const char text[] = "kernel void twist(global float *out, float2 v, int4 n)\n"
				   "{ out[0] = v.y; out[1] = v.x + n.w; }\n";
	const float v[2] = {1.5f, 2.5f};
	const int n[4] = {0, 0, 0, 8};
	het_system *system = open_face(_i);
	het_kernel *twist = text_kernel(system, text, "twist");
	float got[2];
	het_array *out;

	ok(het_array_new(system, HET_FLOAT, het_shape(1, 2), &out));
	fails(het_launch(twist, last_device(system), het_grid(1, 1), HET_OUT(out), HET_VAL(3.0),
			 HET_BYTES(n, sizeof n)),
	      HET_ERR_SIGNATURE, "kernel twist: argument 1 (float2 v)", "HET_BYTES");
	ok(het_launch(twist, last_device(system), het_grid(1, 1), HET_OUT(out), HET_BYTES(v, sizeof v),
		      HET_BYTES(n, sizeof n)));
	ok(het_read(het_view(out, het_whole()), got));
	ck_assert(got[0] == 2.5f && got[1] == 9.5f);
	close_face(system);
}
END_TEST

static const char range_text[] =
	"kernel void mark3(global int *out, int y_size, int x_size)\n"
	"{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"  out[(z * y_size + y) * x_size + x] = 1 + 100 * get_local_size(0) * get_local_size(1); }\n"
	"kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int *out)\n"
	"{ out[get_global_id(1) * 16 + get_global_id(0)] = 10 * get_local_size(0) + get_local_size(1); }\n";

START_TEST(test_ranges)
{
	het_system *system = open_face(_i);
	het_kernel *mark = text_kernel(system, range_text, "mark3");
	het_array *out;
	int got[4][6][8];

	ok(het_array_new(system, HET_INT, het_shape(3, 4, 6, 8), &out));
	ok(het_launch(mark, last_device(system), het_local(het_range(3, 1, 3, 2, 6, 0, 8), 1, 2, 4),
		      HET_INOUT(out), HET_VAL(6), HET_VAL(8)));
	ok(het_read(het_view(out, het_whole()), got));
	for (int i = 0; i < 4 * 6 * 8; i++) {
		int z = i / 48, y = i / 8 % 6;
		ck_assert_int_eq(got[z][y][i % 8], z >= 1 && z < 3 && y >= 2 ? 801 : 0);
	}
	ok(het_launch(mark, last_device(system), het_range(2, 0, 2, 3, 5), HET_INOUT(out), HET_VAL(6),
		      HET_VAL(8)));
	ok(het_launch(mark, last_device(system), het_range(1, 6, 8), HET_INOUT(out), HET_VAL(6), HET_VAL(8)));
	ok(het_read(het_view(out, het_whole()), got));
	for (int i = 0; i < 48; i++) {
		int y = i / 8, x = i % 8;
		ck_assert_int_eq(got[0][y][x] % 100 == 1, (y < 2 && x >= 3 && x < 5) || (y == 0 && x >= 6));
	}
	close_face(system);
}
END_TEST

/* The group is of what each device gets, and binds no cut: parts are as large as their shares say.
 * mark3 tells how many work-items a group has in two dimensions. */
START_TEST(test_groups_left_out)
{
	enum { ROWS = 130, ROW = 96 };
	het_system *system = open_face(_i);
	het_kernel *mark = text_kernel(system, range_text, "mark3");
	het_team *team = het_everyone(system);
	const int count = het_team_count(team);
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	struct het_part part[64];
	double share[64];
	static int got[ROWS][ROW];
	int nothing = 0, dimension;
	het_array *out;

	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, ROW), &out));
	ok(het_device_info(last_device(system), &info));
	for (int spread = 0; spread < 2; spread++) {
		ok(spread ? het_spread(mark, team, het_grid(2, ROWS, ROW), HET_OUT(HET_EACH(out)),
				       HET_VAL(ROWS), HET_VAL(ROW))
			  : het_launch(mark, last_device(system), het_grid(2, ROWS, ROW), HET_OUT(out),
				       HET_VAL(ROWS), HET_VAL(ROW)));
		ok(het_read(het_view(out, het_whole()), got));
		ok(het_fill(het_view(out, het_whole()), &nothing));
		for (int y = 0; y < ROWS; y++)
			ck_assert_int_gt(got[y][ROW - 1], 0);
		if (!strncmp(info.name, "pocl:", 5) && !spread)
			ck_assert_int_eq(got[ROWS - 1][0] / 100 % ROW, 0); /* whole rows */
	}
	ok(het_spread_plan(mark, team, het_grid(2, ROWS, ROW), part, &dimension, HET_OUT(HET_EACH(out)),
			   HET_VAL(ROWS), HET_VAL(ROW)));
	ck_assert_int_eq(dimension, 0);
	ok(het_team_shares(team, mark, share));
	for (int p = 0; p < count; p++)
		ck_assert_double_le(
			fabs((double)(part[p].range.hi[0] - part[p].range.lo[0]) - share[p] * ROWS), 1);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* A kernel of no work-items leaves its outputs as they were, wherever they are; wrong arguments are told all
 * the same. */
START_TEST(test_empty_range)
{
	het_system *system = open_face(_i);
	het_kernel *set = common_kernel(system, "set");
	het_array *array = counting_array(system, 100);

	for (int d = 0; d < het_device_count(system); d++) {
		het_device *device = het_device(system, d);

		ok(het_launch(set, device, het_grid(1, 0), HET_OUT(array), HET_VAL(7)));
		ok(het_launch(set, device, het_range(1, 50, 50), HET_OUT(het_view(array, het_rows(10, 60))),
			      HET_VAL(7)));
		ck_assert_int_eq(het_launch(set, device, het_grid(1, 0), HET_OUT(array)), HET_ERR_SIGNATURE);
	}
	assert_counts(array, 0, 1);
	close_face(system);
}
END_TEST

static void backwards(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	touched->hi[0] = touched->hi[0] - part->lo[0];
	touched->lo[0] = touched->hi[0] - 1;
}

/* An empty range touches nothing, also where it begins beyond an array, or within a block. */
START_TEST(test_empty_range_elsewhere)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_team *team = het_everyone(system);
	het_array *array = counting_array(system, 20), *plane;
	const struct het_range beyond[] = {het_range(1, 21, 21), het_range(2, 30, 40, 5, 5)};
	struct het_arg args[] = {HET_INOUT(HET_EACH(array)), HET_VAL(1)};
	const struct het_arg given[] = {HET_INOUT(HET_EACH(array)), HET_INOUT(HET_ROWS_OF(array)),
					HET_INOUT(HET_TILES(array, 2)), HET_INOUT(HET_BLOCKS(array, 2)),
					HET_INOUT(HET_MAP_BY(array, backwards, NULL))};

	ok(het_array_new(system, HET_INT, het_shape(2, 64, 4), &plane));
	for (int k = 0; k < 5; k++) {
		args[0] = given[k];
		for (int r = 0; r < 2; r++) {
			ok(het_launch_args(bump, first_device(system), beyond[r], args, 2));
			ok(het_spread_args(bump, team, beyond[r], args, 2));
		}
		fails(het_launch_args(bump, first_device(system), het_range(1, 41, 42), args, 2), HET_ERR_SHAPE,
		      "kernel bump, argument 0");
	}
	args[0] = HET_INOUT(HET_BLOCKS(array, 2));
	ok(het_spread_args(bump, team, het_range(1, 3, 3), args, 2));
	fails(het_spread_args(bump, team, het_range(1, 3, 4), args, 2), HET_ERR_SHAPE, "begins at 3");
	args[0] = HET_INOUT(HET_BLOCKS(plane, 1, 2)); /* rows would be cut */
	fails(het_spread_args(bump, team, het_range(2, 0, 64, 3, 4), args, 2), HET_ERR_SHAPE,
	      "dimension 1 of the range begins at 3");
	assert_counts(array, 0, 1);
	close_face(system);
}
END_TEST

/* The functions behind the macros, for programs whose arguments and ranks are known only when they run. */
START_TEST(test_lists_made_at_run_time)
{
	het_system *system = open_face(_i);
	het_kernel *add = common_kernel(system, "add");
	het_array *in = counting_array(system, 64), *out = zero_array(system, 64);
	const int value = 7;
	const int64_t extent[] = {1, 1, 64}; /* the last is get_global_id(0) */

	for (int rank = 1; rank <= 3; rank++) {
		const int more = value * rank;
		const struct het_arg args[] = {
			het_arg_whole(out, HET_MODE_OUT), het_arg_whole(in, HET_MODE_IN),
			het_arg_plain(HET_ARG_BYTES, &more, sizeof more)};

		ok(het_launch_args(add, last_device(system), het_grid_of(rank, rank, extent + 3 - rank), args,
				   3));
		assert_counts(out, more, 1);
	}
	fails(het_launch(add, last_device(system), het_grid_of(2, 1, extent), HET_OUT(out), HET_IN(in),
			 HET_VAL(value)),
	      HET_ERR_SHAPE, "kernel add");
	fails(het_launch(add, last_device(system), het_grid_of(4, 3, extent), HET_OUT(out), HET_IN(in),
			 HET_VAL(value)),
	      HET_ERR_SHAPE, "kernel add");
	close_face(system);
}
END_TEST

START_TEST(test_required_group)
{
	het_system *system = open_face(_i);
	het_kernel *fixed = text_kernel(system, range_text, "fixed");
	het_array *out;
	int got[4 * 16];

	ok(het_array_new(system, HET_INT, het_shape(2, 4, 16), &out));
	ok(het_launch(fixed, last_device(system), het_grid(2, 4, 16), HET_OUT(out)));
	ok(het_read(het_view(out, het_whole()), got));
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(got[i], 42);
	ok(het_launch(fixed, last_device(system), het_local(het_grid(2, 4, 16), 2, 4), HET_OUT(out)));
	fails(het_launch(fixed, last_device(system), het_local(het_grid(2, 4, 16), 4, 4), HET_OUT(out)),
	      HET_ERR_UNSUPPORTED, "fixed", "requires 2");
	ck_assert_ptr_nonnull(het_error_last().device);
	fails(het_launch(fixed, last_device(system), het_grid(2, 4, 15), HET_OUT(out)), HET_ERR_SHAPE, "fixed",
	      "no multiple");
	fails(het_launch(fixed, last_device(system), het_grid(1, 64), HET_OUT(out)), HET_ERR_UNSUPPORTED,
	      "fixed", "requires work-groups of 2", "1 dimensions");
	ck_assert_ptr_nonnull(het_error_last().device);
	close_face(system);
}
END_TEST

START_TEST(test_times)
{
	het_system *system = open_face_profiling(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = zero_array(system, 4096);
	struct het_kernel_times times = HET_KERNEL_TIMES_INIT, other = HET_KERNEL_TIMES_INIT;
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;

	for (int k = 0; k < 10; k++)
		ok(het_launch(bump, first_device(system), het_grid(1, 4096), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait_all(system));
	ok(het_kernel_times(bump, first_device(system), &times));
	ck_assert_uint_eq(times.launches, 10);
	ck_assert(times.min_ns > 0 && times.min_ns <= times.last_ns && times.last_ns <= times.max_ns);
	ck_assert(times.max_ns < times.total_ns && times.total_ns <= 10 * times.max_ns);
	ok(het_device_stats(first_device(system), &stats));
	ck_assert_uint_eq(stats.kernel_ns, times.total_ns);
	ck_assert_uint_eq(stats.launches, 10);
	if (het_device_count(system) > 1) {
		ok(het_kernel_times(bump, last_device(system), &other));
		ck_assert_uint_eq(other.launches + other.total_ns + other.max_ns, 0);
	}
	close_face(system);
}
END_TEST

START_TEST(test_no_times_unasked)
{
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump");
	het_array *array = zero_array(system, 16);
	struct het_kernel_times times = HET_KERNEL_TIMES_INIT;

	ok(het_launch(bump, first_device(system), het_grid(1, 16), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait_all(system));
	ok(het_kernel_times(bump, first_device(system), &times));
	ck_assert_uint_eq(times.launches + times.total_ns, 0);
	close_face(system);
}
END_TEST

/* More boxes in different states than a directory keeps apart: it merges, and values stay right. */
START_TEST(test_many_stripes)
{
	enum { ROWS = 120, COLUMNS = 8 };
	het_system *system = open_face(_i);
	het_kernel *set = common_kernel(system, "set");
	het_array *array;
	int values[ROWS][COLUMNS], row[COLUMNS] = {0};

	ok(het_array_new(system, HET_INT, het_shape(2, ROWS, COLUMNS), &array));
	for (int round = 0; round < 3; round++) {
		for (int y = round; y < ROWS; y += 2) {
			struct het_box box = het_rows(y, y + 1);
			het_device *device = het_device(system, y / 2 % het_device_count(system));

			ok(het_launch(set, device, het_grid(1, COLUMNS), HET_OUT(het_view(array, box)),
				      HET_VAL(y)));
			if (y % 3 == 0)
				ok(het_prefetch(het_view(array, box), NULL));
			row[0] = -y;
			ok(het_write(het_view(array, het_box(2, y, y + 1, 0, 1)), row));
		}
		ok(het_prefetch(het_view(array, het_whole()), last_device(system)));
		ok(het_read(het_view(array, het_whole()), values));
		for (int y = round; y < ROWS; y += 2) {
			ck_assert_int_eq(values[y][0], -y);
			ck_assert_int_eq(values[y][COLUMNS - 1], y);
		}
	}
	close_face(system);
}
END_TEST

/* Random launches over boxes, devices and ways of giving a box, on two arrays and in a model. */
START_TEST(test_random_launches)
{
	enum { N = 300 };
	het_system *system = open_face(_i);
	het_kernel *bump = common_kernel(system, "bump"), *add = common_kernel(system, "add");
	het_array *array[2] = {counting_array(system, N), zero_array(system, N)};
	int model[2][N], got[N];

	random_start("test_launch");
	for (int i = 0; i < N; i++) {
		model[0][i] = i;
		model[1][i] = 0;
	}
	for (int step = 0; step < 400; step++) {
		int lo = random_in(0, N - 1), hi = random_in(lo + 1, N), which = random_in(0, 1);
		int value = random_in(-99, 99);
		het_device *device = het_device(system, random_in(0, het_device_count(system) - 1));
		struct het_box box = het_rows(lo, hi);

		if (random_once_in(3)) {
			ok(het_launch(add, device, het_range(1, lo, hi), HET_OUT_PART(array[which], box),
				      HET_IN_PART(array[!which], box), HET_VAL(value)));
			for (int i = lo; i < hi; i++)
				model[which][i] = model[!which][i] + value;
			continue;
		}
		if (random_once_in(2))
			ok(het_launch(bump, device, het_range(1, lo, hi), HET_INOUT_PART(array[which], box),
				      HET_VAL(value)));
		else
			ok(het_launch(bump, device, het_grid(1, hi - lo),
				      HET_INOUT(het_view(array[which], box)), HET_VAL(value)));
		for (int i = lo; i < hi; i++)
			model[which][i] += value;
	}
	for (int which = 0; which < 2; which++) {
		ok(het_read(het_view(array[which], het_whole()), got));
		for (int i = 0; i < N; i++)
			ck_assert_msg(got[i] == model[which][i], "array %d, element %d: %d instead of %d",
				      which, i, got[i], model[which][i]);
	}
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_modes, 1},
	{&test_parts, 1},
	{&test_values, 1},
	{&test_double_value, 1},
	{&test_bytes_local_null, 1},
	{&test_vector_values, 1},
	{&test_ranges, 1},
	{&test_groups_left_out, 1},
	{&test_empty_range, 1},
	{&test_empty_range_elsewhere, 1},
	{&test_lists_made_at_run_time, 1},
	{&test_required_group, 1},
	{&test_times, 1},
	{&test_no_times_unasked, 1},
	{&test_many_stripes, 1},
	{&test_random_launches, 1},
};

int main(void)
{
	return run_face_tests("launch", sizeof tests / sizeof tests[0], tests);
}
