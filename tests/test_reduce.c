/* test_reduce.c - het_reduce: the same bits for any team. */
#include "face.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "random.h"
#include "system/system.h"

/* The order that lib/launch/reduce.c promises, by itself: of `cells` elements in rows of `row`. */
static float ordered_sum(const float *in, int64_t rows, int64_t row)
{
	enum { BLOCK = 8192, LANES = 64, FEW = 256 };
	const int64_t cells = rows * row, unit_rows = row < BLOCK ? BLOCK / row : 1, unit = unit_rows * row;
	const int64_t pieces = (unit + BLOCK - 1) / BLOCK, units = (rows + unit_rows - 1) / unit_rows;
	float *made, sum = 0;

	if (cells <= FEW) {
		for (int64_t i = 0; i < cells; i++)
			sum += in[i];
		return sum;
	}
	made = calloc((size_t)(units * pieces * LANES), sizeof *made);
	ck_assert_ptr_nonnull(made);
	for (int64_t b = 0; b < units * pieces; b++) {
		const int64_t start = b / pieces * unit + b % pieces * BLOCK;
		int64_t end = start + BLOCK;

		end = end > (b / pieces + 1) * unit ? (b / pieces + 1) * unit : end;
		end = end > cells ? cells : end;
		for (int64_t i = start; i < end; i++)
			made[b * LANES + (i - start) % LANES] += in[i];
	}
	sum = ordered_sum(made, units * pieces * LANES, 1);
	free(made);
	return sum;
}

static float sum_by(het_team *team, het_array *in, struct het_box box, het_array *out)
{
	float sum;

	ok(het_reduce(HET_REDUCE_SUM, het_view(in, box), het_view(out, het_rows(1, 2)), team));
	ok(het_read(het_view(out, het_rows(1, 2)), &sum));
	return sum;
}

/* Sums of floats whose order matters, over views of all sizes. */
START_TEST(test_sums)
{
	static const int64_t shapes[][2] = {{1, 1},    {7, 3},    {256, 1},   {257, 1},    {9000, 1},
					    {1, 9000}, {130, 127}, {3, 20000}, {300000, 1}, {5, 8192}};
	het_system *system = open_face(_i);
	const int devices = het_device_count(system);

	random_start("test_sums");
	for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
		const int64_t rows = shapes[k][0], row = shapes[k][1];
		float *values = malloc((size_t)(rows * row) * sizeof *values), wanted;
		het_array *in, *out;

		ck_assert_ptr_nonnull(values);
		for (int64_t i = 0; i < rows * row; i++)
			values[i] = (float)random_in(-1000000, 1000000) * (random_once_in(3) ? 1e-4f : 0.37f);
		wanted = ordered_sum(values, rows, row);
		ok(het_array_new(system, HET_FLOAT, het_shape(2, rows + 1, row + 1), &in));
		ok(het_array_new(system, HET_FLOAT, het_shape(1, 3), &out));
		ok(het_write(het_view(in, het_box(2, 1, rows + 1, 0, row)), values));
		for (int t = 0; t < 4; t++) {
			het_device *device[8];
			double share[8];
			float sum;
			het_team *team;

			for (int i = 0; i < devices; i++) {
				device[i] = het_device(system, t % 2 ? devices - 1 - i : i);
				share[i] = random_in(i == 0, 9);
			}
			ok(het_team_new(system, devices, device, share, &team));
			sum = sum_by(team, in, het_box(2, 1, rows + 1, 0, row), out);
			ck_assert_mem_eq(&sum, &wanted, sizeof sum);
			ok(het_team_free(team));
		}
		ok(het_array_free(in));
		ok(het_array_free(out));
		free(values);
	}
	close_face(system);
}
END_TEST

/* A team of all devices with random shares, in some order. */
static het_team *random_team(het_system *system)
{
	const int devices = het_device_count(system) < 8 ? het_device_count(system) : 8;
	const bool turned = random_once_in(2);
	het_device *device[8];
	double share[8];
	het_team *team;

	for (int i = 0; i < devices; i++) {
		device[i] = het_device(system, turned ? devices - 1 - i : i);
		share[i] = random_in(i == 0, 9);
	}
	ok(het_team_new(system, devices, device, share, &team));
	return team;
}

static const char partial_text[] =
	"kernel void partial(global float *sums, global const float *x, int n)\n"
	"{ int i = get_global_id(0); if (i % 64) return;\n"
	"  float sum = 0; for (int k = i; k < min(i + 64, n); k++) sum += x[k]; sums[i / 64] = sum; }\n";

/* What HET_SUM does not promise of floats: a number of each block, and their sum, the same bits for any
 * team. */
START_TEST(test_blocks)
{
	enum { N = 50000, BLOCKS = (N + 63) / 64 };
	het_system *system = open_face(_i);
	het_kernel *partial = text_kernel(system, partial_text, "partial");
	het_array *x, *sums, *sum;
	float *values = malloc(N * sizeof *values), first = 0;

	random_start("test_blocks");
	ck_assert_ptr_nonnull(values);
	for (int i = 0; i < N; i++)
		values[i] = (float)random_in(-1000000, 1000000) * (random_once_in(3) ? 1e-4f : 0.37f);
	ok(het_array_new(system, HET_FLOAT, het_shape(1, N), &x));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, BLOCKS), &sums));
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 1), &sum));
	ok(het_write(het_view(x, het_whole()), values));
	for (int t = 0; t < 5; t++) {
		het_team *team = random_team(system);
		float got;

		ok(het_spread(partial, team, het_grid(1, N), HET_OUT(HET_BLOCKS(sums, 64)), HET_IN(HET_EACH(x)),
			      HET_VAL((int)N)));
		ok(het_reduce(HET_REDUCE_SUM, het_view(sums, het_whole()), het_view(sum, het_whole()), team));
		ok(het_read(het_view(sum, het_whole()), &got));
		first = t == 0 ? got : first;
		ck_assert_mem_eq(&got, &first, sizeof got);
		ok(het_team_free(team));
	}
	free(values);
	close_face(system);
}
END_TEST

/* Of double precision, too, where all devices have it. */
START_TEST(test_double_sums)
{
	enum { N = 30000 };
	het_system *system = open_face(_i);
	het_array *x, *sum;
	double *values = malloc(N * sizeof *values), first = 0, plain = 0, size = 0;
	bool everywhere = true;

	random_start("test_double_sums");
	for (int d = 0; d < het_device_count(system); d++)
		everywhere &= het_device(system, d)->facts.has_double;
	ck_assert_ptr_nonnull(values);
	for (int i = 0; i < N; i++) {
		values[i] = random_in(-1000000, 1000000) * (random_once_in(3) ? 1e-14 : 0.37);
		plain += values[i];
		size += fabs(values[i]);
	}
	ok(het_array_new(system, HET_DOUBLE, het_shape(1, N), &x));
	ok(het_array_new(system, HET_DOUBLE, het_shape(1, 1), &sum));
	ok(het_write(het_view(x, het_whole()), values));
	for (int t = 0; t < 5 && everywhere; t++) {
		het_team *team = random_team(system);
		double got;

		ok(het_reduce(HET_REDUCE_SUM, het_view(x, het_whole()), het_view(sum, het_whole()), team));
		ok(het_read(het_view(sum, het_whole()), &got));
		first = t == 0 ? got : first;
		ck_assert_mem_eq(&got, &first, sizeof got);
		ck_assert_double_le(fabs(got - plain), N * 2.3e-16 * size);
		ok(het_team_free(team));
	}
	free(values);
	close_face(system);
}
END_TEST

#define TYPES(X)                                                                                               \
	X(HET_CHAR, signed char, SCHAR_MIN, SCHAR_MAX) X(HET_UCHAR, unsigned char, 0, UCHAR_MAX)               \
	X(HET_SHORT, short, SHRT_MIN, SHRT_MAX) X(HET_USHORT, unsigned short, 0, USHRT_MAX)                    \
	X(HET_INT, int, INT_MIN, INT_MAX) X(HET_UINT, unsigned, 0, UINT_MAX)                                   \
	X(HET_LONG, int64_t, INT64_MIN, INT64_MAX) X(HET_ULONG, uint64_t, 0, UINT64_MAX)                       \
	X(HET_FLOAT, float, -INFINITY, INFINITY)

/* Every operation of every type, of many elements and of none. */
#define CHECK_TYPE(het, type, lowest, highest)                                                                 \
	static void check_##het(het_system *system)                                                            \
	{                                                                                                      \
		enum { N = 700 };                                                                              \
		type values[N], sum = 0, least = (type)highest, most = (type)lowest, got;                      \
		const type none[] = {0, (type)highest, (type)lowest};                                          \
		het_array *in, *out;                                                                           \
                                                                                                               \
		ok(het_array_new(system, het, het_shape(1, N), &in));                                          \
		ok(het_array_new(system, het, het_shape(1, 1), &out));                                         \
		for (int i = 0; i < N; i++) {                                                                  \
			values[i] = (type)(i % 5 == 0 ? random_in(0, 100) : random_in(0, 9));                  \
			sum = (type)(sum + values[i]);                                                         \
			least = values[i] < least ? values[i] : least;                                         \
			most = values[i] > most ? values[i] : most;                                            \
		}                                                                                              \
		ok(het_write(het_view(in, het_whole()), values));                                              \
		for (int op = HET_REDUCE_SUM; op <= HET_REDUCE_MAX; op++) {                                    \
			const type wanted = op == HET_REDUCE_SUM ? sum : op == HET_REDUCE_MIN ? least : most;  \
                                                                                                               \
			ok(het_reduce((enum het_reduction)op, het_view(in, het_whole()),                       \
				      het_view(out, het_whole()), het_everyone(system)));                      \
			ok(het_read(het_view(out, het_whole()), &got));                                        \
			ck_assert_mem_eq(&got, &wanted, sizeof got);                                           \
			ok(het_reduce((enum het_reduction)op, het_view(in, het_rows(5, 5)),                    \
				      het_view(out, het_whole()), het_everyone(system)));                      \
			ok(het_read(het_view(out, het_whole()), &got));                                        \
			ck_assert_mem_eq(&got, &none[op - HET_REDUCE_SUM], sizeof got);                        \
		}                                                                                              \
	}
TYPES(CHECK_TYPE)

START_TEST(test_types)
{
	het_system *system = open_face(_i);

	random_start("test_types");
#define CALL(het, type, lowest, highest) check_##het(system);
	TYPES(CALL)
	close_face(system);
}
END_TEST

START_TEST(test_or_and_errors)
{
	het_system *system = open_face(_i);
	het_array *in = counting_array(system, 10), *real, *vectors, *out = zero_array(system, 4);
	het_team *team = het_everyone(system);
	int *at;

	ok(het_reduce(HET_REDUCE_OR, het_view(in, het_rows(4, 7)), het_view(out, het_rows(0, 1)), team));
	ck_assert_int_eq(element(out, 0), 4 | 5 | 6);
	ok(het_array_new(system, HET_FLOAT, het_shape(1, 4), &real));
	ok(het_array_new(system, HET_INT2, het_shape(1, 4), &vectors));
	fails(het_reduce(HET_REDUCE_OR, het_view(real, het_whole()), het_view(real, het_rows(0, 1)), team),
	      HET_ERR_ALIAS, "result");
	fails(het_reduce(HET_REDUCE_OR, het_view(real, het_rows(1, 3)), het_view(real, het_rows(0, 1)), team),
	      HET_ERR_ARGUMENT, "OR");
	fails(het_reduce(HET_REDUCE_SUM, het_view(vectors, het_rows(1, 3)), het_view(vectors, het_rows(0, 1)),
			 team),
	      HET_ERR_ARGUMENT, "elements of type int2 cannot be combined");
	fails(het_reduce(HET_REDUCE_SUM, het_view(in, het_whole()), het_view(real, het_rows(0, 1)), team),
	      HET_ERR_ARGUMENT, "types");
	fails(het_reduce(HET_REDUCE_SUM, het_view(in, het_whole()), het_view(out, het_whole()), team),
	      HET_ERR_ARGUMENT, "one element", "4");
	ok(het_map(in, HET_READ_WRITE, &at));
	fails(het_reduce(HET_REDUCE_SUM, het_view(in, het_whole()), het_view(out, het_rows(0, 1)), team),
	      HET_ERR_MAPPED, "het_reduce: what is read: array", "mapped by the host for writing");
	ok(het_unmap(in));
	ok(het_map(out, HET_READ, &at));
	fails(het_reduce(HET_REDUCE_SUM, het_view(in, het_whole()), het_view(out, het_rows(0, 1)), team),
	      HET_ERR_MAPPED, "het_reduce: the result: array", "mapped by the host for reading");
	ok(het_unmap(out));
	fails(het_reduce((enum het_reduction)9, het_view(in, het_whole()), het_view(out, het_rows(0, 1)), team),
	      HET_ERR_ARGUMENT, "9");
	fails(het_reduce(HET_REDUCE_SUM, het_view(in, het_rows(0, 11)), het_view(out, het_rows(0, 1)), team),
	      HET_ERR_SHAPE, "het_reduce");
	fails(het_reduce(HET_REDUCE_SUM, het_view(NULL, het_whole()), het_view(out, het_rows(0, 1)), team),
	      HET_ERR_HANDLE, "NULL");
	fails(het_reduce(HET_REDUCE_SUM, het_view(in, het_whole()), het_view(out, het_rows(0, 1)), NULL),
	      HET_ERR_HANDLE, "team");
	close_face(system);
}
END_TEST

/* The library's kernels are not the program's: what lacks is said of the device. */
START_TEST(test_double_where_there_is_none)
{
	het_system *system = open_face(_i);
	het_kernel *kernel = text_kernel(system, "kernel void k(global int *x) { }", "k");
	het_array *in, *out;

	ok(het_array_new(system, HET_DOUBLE, het_shape(1, 20000), &in));
	ok(het_array_new(system, HET_DOUBLE, het_shape(1, 1), &out));
	for (int d = 0; d < het_device_count(system); d++)
		het_device(system, d)->facts.has_double = false;
	fails(het_reduce(HET_REDUCE_SUM, het_view(in, het_whole()), het_view(out, het_whole()),
			 het_everyone(system)),
	      HET_ERR_UNSUPPORTED, "het_reduce", "double precision", first_device(system)->name);
	fails(het_spread(kernel, het_everyone(system), het_grid(1, 10), HET_OUT(HET_SUM(out))),
	      HET_ERR_UNSUPPORTED, "kernel k, argument 0", "double precision");
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_sums, 1},
	{&test_types, 1},
	{&test_blocks, 1},
	{&test_double_sums, 1},
	{&test_or_and_errors, 1},
	{&test_double_where_there_is_none, 1},
};

int main(void)
{
	return run_face_tests("reduce", sizeof tests / sizeof tests[0], tests);
}
