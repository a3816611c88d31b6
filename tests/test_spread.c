/* test_spread.c - teams, mappers, and launches over all devices of a team. */
#include "face.h"

#include <stdlib.h>

#include "spreads.h"

static const char text[] =
	"kernel void product(global int *c, global const int *a, global const int *b, int p, int n)\n"
	"{ size_t x = get_global_id(0), y = get_global_id(1); int s = 0;\n"
	"  for (int k = 0; k < p; k++) s += a[y * p + k] * b[k * n + x]; c[y * n + x] = s; }\n"
	"kernel void around(global int *b, global const int *a, int n)\n" /* 4-point, 2-d, interior */
	"{ size_t x = get_global_id(0), y = get_global_id(1);\n"
	"  b[y * n + x] = a[(y - 1) * n + x] + a[(y + 1) * n + x] + a[y * n + x - 1] + a[y * n + x + 1]; }\n"
	"kernel void row_sums(global int *s, global const int *a, int n)\n"
	"{ size_t y = get_global_id(0); int t = 0; for (int x = 0; x < n; x++) t += a[y * n + x]; s[y] = t; }\n"
	"kernel void column_sums(global int *s, global const int *a, int m, int n)\n" /* range (1, n) */
	"{ size_t x = get_global_id(0); int t = 0; for (int y = 0; y < m; y++) t += a[y * n + x]; s[x] = t; }\n"
	"kernel void block_sums(global int *s, global const int *a, int n)\n" /* a work-group a block of 8 */
	"{ size_t i = get_global_id(0); if (i % 8) return; int t = 0;\n"
	"  for (size_t k = i; k < i + 8 && k < n; k++) t += a[k]; s[i / 8] = t; }\n"
	"kernel void first(global int *b, global const int *a, int m)\n"
	"{ size_t i = get_global_id(0); b[i] = i < m ? 2 * a[i] : 0; }\n";

START_TEST(test_product)
{
	enum { M = 37, N = 19, P = 11 };
	het_system *system = open_face(_i);
	het_kernel *product = text_kernel(system, text, "product");
	het_array *a, *b, *c;
	int va[M][P], vb[P][N], vc[M][N];

	for (int i = 0; i < M * P; i++)
		va[i / P][i % P] = i % 23 - 11;
	for (int i = 0; i < P * N; i++)
		vb[i / N][i % N] = i % 17 - 8;
	ok(het_array_new(system, HET_INT, het_shape(2, M, P), &a));
	ok(het_array_new(system, HET_INT, het_shape(2, P, N), &b));
	ok(het_array_new(system, HET_INT, het_shape(2, M, N), &c));
	ok(het_write(het_view(a, het_whole()), va));
	ok(het_write(het_view(b, het_whole()), vb));
	ok(het_spread(product, het_everyone(system), het_grid(2, M, N), HET_OUT(HET_EACH(c)),
		      HET_IN(HET_ROWS_OF(a)), HET_IN(HET_COLS_OF(b)), HET_VAL((int)P), HET_VAL((int)N)));
	ok(het_read(het_view(c, het_whole()), vc));
	for (int y = 0; y < M; y++)
		for (int x = 0; x < N; x++) {
			int sum = 0;

			for (int k = 0; k < P; k++)
				sum += va[y][k] * vb[k][x];
			ck_assert_int_eq(vc[y][x], sum);
		}
	close_face(system);
}
END_TEST

/* What moves is two rows an interface and step, and nothing else. */
START_TEST(test_halo)
{
	enum { M = 40, N = 24, STEPS = 6 };
	het_system *system = open_face(_i);
	het_kernel *around = text_kernel(system, text, "around");
	het_team *team = uneven_team(system);
	const int devices = het_team_count(team);
	int now[M][N], next[M][N];
	uint64_t before = 0;
	het_array *a, *b;
	int separate = 1;

	for (int i = 0; i < M * N; i++)
		now[i / N][i % N] = i % 7;
	memcpy(next, now, sizeof next);
	ok(het_array_new(system, HET_INT, het_shape(2, M, N), &a));
	ok(het_array_new(system, HET_INT, het_shape(2, M, N), &b));
	ok(het_write(het_view(a, het_whole()), now));
	ok(het_write(het_view(b, het_whole()), now));
	for (int k = 0; k < STEPS; k++) {
		if (k == 2)
			before = bytes_into_devices(system);
		ok(het_spread(around, team, het_range(2, 1, M - 1, 1, N - 1), HET_OUT(HET_EACH(b)),
			      HET_IN(HET_HALO(a, 1, 1)), HET_VAL((int)N)));
		ok(het_swap(a, b));
		for (int y = 1; y < M - 1; y++)
			for (int x = 1; x < N - 1; x++)
				next[y][x] = now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1];
		memcpy(now, next, sizeof now);
	}
	for (int i = 0; i < devices; i++)
		separate &= is_separate(het_device(system, i));
	/* The columns at the edge make many entries in the directory; of more than 32 it forgets something. */
	if (separate && devices <= 3)
		ck_assert_uint_eq(bytes_into_devices(system) - before,
				  (STEPS - 2) * (uint64_t)(devices - 1) * 2 * (N - 2) * sizeof(int));
	ok(het_read(het_view(a, het_whole()), next));
	ck_assert_mem_eq(next, now, sizeof now);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST


/* Where it is cut: by what the parts share of what they read, of each row that is cut through a cache line,
 * then from the outside; between work-groups and blocks. */
START_TEST(test_plan)
{
	het_system *system = open_face(_i);
	het_kernel *around = text_kernel(system, text, "around"), *rows = text_kernel(system, text, "row_sums"),
		   *columns = text_kernel(system, text, "column_sums"),
		   *blocks = text_kernel(system, text, "block_sums");
	het_team *team = uneven_team(system);
	const int devices = het_team_count(team);
	het_array *a = ints(system, 2, 48, 30), *b = ints(system, 2, 48, 30), *s = ints(system, 1, 48, 0);
	het_array *flat = ints(system, 2, 8, 180), *flat_b = ints(system, 2, 8, 180);
	struct het_part part[8];
	struct het_arg wide[] = {HET_OUT(HET_EACH(flat_b)), HET_IN(HET_HALO(flat, 4, 1)), HET_VAL(180)};
	struct het_arg few[] = {HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 4, 1)), HET_VAL(30)};
	struct het_arg tall[] = {HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1, 4)), HET_VAL(30)};
	struct het_arg across[] = {HET_OUT(HET_DIM_OF(s, 0)), HET_IN(a), HET_VAL(48), HET_VAL(30)};
	struct het_arg eights[] = {HET_OUT(HET_BLOCKS(s, 8)), HET_IN(HET_EACH(s)), HET_VAL(48)};
	int d = -1;

	ok(het_spread_plan_args(around, team, het_grid(2, 8, 180), part, &d, wide, 3));
	ck_assert_int_eq(d, devices > 1);
	ok(het_spread_plan_args(around, team, het_grid(2, 48, 30), part, &d, few, 3));
	ck_assert_int_eq(d, 0); /* though 8 rows are 960 bytes, and two columns 384 */
	ok(het_spread_plan_args(around, team, het_grid(2, 48, 30), part, &d, tall, 3));
	ck_assert_int_eq(d, 0);
	for (int i = 0, lo = 0; i < devices; i++) {
		ck_assert_ptr_eq(part[i].device, het_team_device(team, i));
		ck_assert_int_eq(part[i].range.lo[0], lo);
		ck_assert_int_eq(part[i].range.lo[1], 0);
		ck_assert_int_eq(part[i].range.hi[1], 30);
		lo = (int)part[i].range.hi[0];
		if (devices == 2)
			ck_assert_int_eq(lo, i ? 48 : 16);
	}
	/* few cells in the better dimension: as many parts as can be come first */
	ok(het_spread_plan_args(around, team, het_grid(2, 8, 1), part, &d, wide, 3));
	ck_assert_int_eq(d, 0);
	ok(het_spread_plan_args(around, team, het_local(het_grid(2, 48, 30), 24, 1), part, &d, tall, 3));
	ck_assert_int_eq(part[0].range.hi[0] % 24, 0);
	ok(het_spread_plan(rows, team, het_grid(1, 48), part, &d, HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(a)),
			   HET_VAL(30)));
	ok(het_spread_plan_args(columns, team, het_grid(1, 30), part, &d, across, 4));
	(void)blocks;
	s = ints(system, 1, 48, 0);
	eights[1] = HET_IN(HET_EACH(s));
	ok(het_spread_plan_args(blocks, team, het_grid(1, 48), part, &d, eights, 3));
	for (int i = 0; i < devices; i++)
		ck_assert_int_eq(part[i].range.hi[0] % 8, 0);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* How a kernel was cut the last time holds for the same numbers only; what the parts are given is looked at
 * anew. */
START_TEST(test_again)
{
	enum { N = 24 };
	het_system *system = open_face(_i);
	het_kernel *product = text_kernel(system, text, "product");
	het_kernel *rows = text_kernel(system, text, "row_sums");
	het_team *team = uneven_team(system);
	het_array *a = ints(system, 2, N, N), *b = ints(system, 2, N, N), *s = ints(system, 1, N, 0);
	het_array *other = ints(system, 1, N, 0), *by[2];
	struct het_part part[8];
	uint64_t launches;
	const void *at;
	int d;

	ok(het_array_new(system, HET_INT, het_shape(3, N, N, 10), &by[0]));
	ok(het_array_new(system, HET_INT, het_shape(3, N, N, 50), &by[1]));
	for (int k = 0; k < 6; k++) { /* only how long the arrays are in a third dimension changes */
		ok(het_spread_plan(product, team, het_grid(2, N, N), part, &d, HET_OUT(HET_EACH(a)),
				   HET_IN(HET_HALO(by[k % 2], 1, 0)), HET_IN(HET_HALO(by[1 - k % 2], 0, 1)),
				   HET_VAL((int)N), HET_VAL((int)N)));
		ck_assert_int_eq(d, het_team_count(team) > 1 ? k % 2 : 0);
	}
	ok(het_spread(rows, team, het_range(1, 2, 6), HET_OUT(HET_EACH(s)), HET_IN(HET_BLOCKS(other, 2)),
		      HET_VAL(1)));
	fails(het_spread(rows, team, het_range(1, 2, 6), HET_OUT(HET_EACH(s)), HET_IN(HET_BLOCKS(s, 2)),
			 HET_VAL(1)), /* though what either half reads and what it writes do not overlap */
	      HET_ERR_ALIAS, "row_sums", "0 and 1");
	for (int k = 0; k < 3; k++)
		ok(het_spread(rows, team, het_grid(1, N), HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(a)),
			      HET_VAL((int)N)));
	ck_assert_int_eq(element(s, N - 1), N);
	launches = stats_of(system).launches;
	ok(het_map(s, HET_READ, &at));
	fails(het_spread(rows, team, het_grid(1, N), HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(b)),
			 HET_VAL((int)N)),
	      HET_ERR_MAPPED, "row_sums", "argument 0");
	fails(het_spread_plan(rows, team, het_grid(1, N), part, &d, HET_OUT(HET_EACH(s)),
			      HET_IN(HET_ROWS_OF(b)), HET_VAL((int)N)),
	      HET_ERR_MAPPED, "row_sums", "argument 0");
	ok(het_unmap(s));
	fails(het_spread(rows, team, het_grid(1, N), HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(b))),
	      HET_ERR_SIGNATURE, "row_sums", "3 arguments");
	fails(het_spread(rows, team, het_grid(1, N), HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(b)),
			 HET_VAL(1.0)),
	      HET_ERR_SIGNATURE, "row_sums", "argument 2");
	ck_assert_uint_eq(stats_of(system).launches, launches);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* One part after another is given to nobody: more devices than rows, shares of 0. */
START_TEST(test_few_rows)
{
	het_system *system = open_face(_i);
	het_kernel *rows = text_kernel(system, text, "row_sums");
	het_team *team = uneven_team(system);
	const int devices = het_team_count(team);
	double share[8] = {0};
	het_array *a = ints(system, 2, 5, 9), *s = ints(system, 1, 5, 0);

	for (int m = 0; m <= 5; m++) {
		ok(het_fill(het_view(s, het_whole()), &(int){0}));
		ok(het_spread(rows, team, het_grid(1, m), HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(a)),
			      HET_VAL(9)));
		for (int i = 0; i < 5; i++)
			ck_assert_int_eq(element(s, i), i < m ? 9 : 0);
	}
	for (int i = 0; i < devices; i++) {
		const uint64_t before = stats_of(system).launches;

		memset(share, 0, sizeof share);
		share[i] = 3;
		ok(het_team_set_shares(team, share));
		ok(het_spread(rows, team, het_grid(1, 5), HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(a)),
			      HET_VAL(9)));
		ck_assert_uint_eq(stats_of(system).launches, before + 1);
		ck_assert_int_eq(element(s, 4), 9);
	}
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* A part that lies behind the end of what it reads reads nothing of it. */
START_TEST(test_halo_behind_the_end)
{
	het_system *system = open_face(_i);
	het_kernel *first = text_kernel(system, text, "first");
	const int cells = 3, range = 24 * het_device_count(system);
	het_array *a = ints(system, 1, cells, 1), *b = ints(system, 1, range, 1);

	ok(het_spread(first, uneven_team(system), het_grid(1, range), HET_OUT(HET_EACH(b)),
		      HET_IN(HET_HALO(a, 1)), HET_VAL(cells)));
	ck_assert_int_eq(element(b, cells - 1), 2);
	ck_assert_int_eq(element(b, cells), 0);
	ck_assert_int_eq(element(b, range - 1), 0);
	close_face(system);
}
END_TEST

/* Mappers without a team. */
START_TEST(test_mappers_in_a_launch)
{
	het_system *system = open_face(_i);
	het_kernel *around = text_kernel(system, text, "around");
	het_array *a = ints(system, 2, 6, 5), *b = ints(system, 2, 6, 5);
	int got[6][5];

	for (int y = 1; y < 5; y++)
		ok(het_launch(around, y % 2 ? last_device(system) : first_device(system),
			      het_range(2, y, y + 1, 1, 4), HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1, 1)),
			      HET_VAL(5)));
	ok(het_read(het_view(b, het_whole()), got));
	for (int y = 0; y < 6; y++)
		for (int x = 0; x < 5; x++)
			ck_assert_int_eq(got[y][x], y > 0 && y < 5 && x > 0 && x < 4 ? 4 : 1);
	fails(het_launch(around, first_device(system), het_grid(2, 5, 5), HET_OUT(HET_SUM(b)), HET_IN(a),
			 HET_VAL(5)),
	      HET_ERR_ARGUMENT, "argument 0", "HET_SUM", "het_spread");
	fails(het_call(system, NULL, NULL, HET_IN(HET_EACH(a))), HET_ERR_ARGUMENT, "NULL");
	close_face(system);
}
END_TEST

START_TEST(test_errors)
{
	het_system *system = open_face(_i), *other = open_face(_i);
	het_kernel *around = text_kernel(system, text, "around"), *first = text_kernel(system, text, "first");
	het_kernel *rows = text_kernel(system, text, "row_sums");
	het_team *team = het_everyone(system);
	het_array *a = ints(system, 2, 8, 8), *b = ints(system, 2, 8, 8), *s = ints(system, 1, 8, 0);
	struct het_arg bad[] = {HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1, -1)), HET_VAL(8)};
	struct het_part part[8];
	const void *at;
	int d;

	fails(het_spread(around, team, het_grid(2, 8, 8), HET_OUT(b), HET_IN(HET_HALO(a, 1, 1)), HET_VAL(8)),
	      HET_ERR_ARGUMENT, "around", "argument 0", "written", "HET_EACH");
	fails(het_spread(around, team, het_grid(2, 8, 8), HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1, -1)),
			 HET_VAL(8)),
	      HET_ERR_ARGUMENT, "argument 1", "HET_HALO with -1: it must be at least 0");
	fails(het_spread(around, team, het_grid(2, 8, 8), HET_OUT(HET_HALO(b, 1)), HET_IN(a), HET_VAL(8)),
	      HET_ERR_ARGUMENT, "argument 0", "HET_HALO", "read");
	fails(het_spread(around, team, het_grid(2, 8, 8), HET_OUT(HET_ALL(b)), HET_IN(a), HET_VAL(8)),
	      HET_ERR_ARGUMENT, "argument 0", "HET_ALL", "read");
	fails(het_spread(around, team, het_grid(2, 8, 8), HET_OUT(HET_EACH(b)), HET_IN(HET_SUM(a)), HET_VAL(8)),
	      HET_ERR_ARGUMENT, "argument 1", "HET_SUM", "written");
	fails(het_spread_args(around, team, het_grid(2, 8, 8), bad, 3), HET_ERR_ARGUMENT, "argument 1", "-1");
	bad[1] = HET_IN(HET_BLOCKS(a, 0));
	fails(het_spread_args(around, team, het_grid(2, 8, 8), bad, 3), HET_ERR_ARGUMENT, "argument 1",
	      "HET_BLOCKS", "0");
	bad[1].u.mapped.mapper = (enum het_mapper)99;
	fails(het_spread_args(around, team, het_grid(2, 8, 8), bad, 3), HET_ERR_ARGUMENT, "argument 1", "99");
	ok(het_array_name(a, "cells"));
	bad[1] = HET_IN(HET_HALO(a, 1, 1, 1));
	fails(het_spread_args(around, team, het_grid(2, 8, 8), bad, 3), HET_ERR_ARGUMENT, "argument 1",
	      "HET_HALO with 3 numbers for cells, whose rank is 2");
	bad[1] = HET_IN(HET_DIM_OF(a, 2));
	fails(het_spread_args(around, team, het_grid(2, 8, 8), bad, 3), HET_ERR_ARGUMENT, "argument 1",
	      "dimension 2 of cells, whose rank is 2");
	bad[1] = HET_IN(HET_MAP_BY(a, NULL, NULL));
	fails(het_spread_args(around, team, het_grid(2, 8, 8), bad, 3), HET_ERR_ARGUMENT, "argument 1",
	      "HET_MAP_BY");
	fails(het_spread(around, team, het_range(2, 0, 9, 0, 8), HET_OUT(HET_EACH(b)), HET_IN(a), HET_VAL(8)),
	      HET_ERR_SHAPE, "around", "argument 0");
	fails(het_spread(around, team, het_range(2, 1, 7, 1, 7), HET_OUT(HET_EACH(a)),
			 HET_IN(HET_HALO(a, 1, 1)), HET_VAL(8)),
	      HET_ERR_ALIAS, "around", "0 and 1", "two arrays");
	fails(het_spread(around, team, het_range(2, 1, 7, 1, 7), HET_INOUT(HET_HALO(a, 1)), HET_IN(b),
			 HET_VAL(8)),
	      HET_ERR_ARGUMENT, "around", "argument 0", "HET_HALO is only for what is read", "two arrays");
	fails(het_spread(first, team, het_range(1, 3, 8), HET_OUT(HET_BLOCKS(s, 8)), HET_IN(HET_EACH(b)),
			 HET_VAL(8)),
	      HET_ERR_SHAPE, "HET_BLOCKS", "3", "8");
	fails(het_spread(rows, team, het_grid(1, 8), HET_OUT(HET_EACH(s)), HET_IN(a)), HET_ERR_SIGNATURE,
	      "row_sums", "3 arguments");
	fails(het_spread(rows, NULL, het_grid(1, 8), HET_OUT(HET_EACH(s)), HET_IN(a), HET_VAL(8)),
	      HET_ERR_HANDLE, "team is NULL");
	fails(het_spread(rows, het_everyone(other), het_grid(1, 8), HET_OUT(HET_EACH(s)), HET_IN(a),
			 HET_VAL(8)),
	      HET_ERR_HANDLE, "another system");
	fails(het_spread(NULL, team, het_grid(1, 8), HET_OUT(HET_EACH(s)), HET_IN(a), HET_VAL(8)),
	      HET_ERR_HANDLE, "NULL");
	fails(het_spread_plan_args(rows, team, het_grid(1, 8), NULL, &d, bad, 3), HET_ERR_ARGUMENT, "parts");
	fails(het_spread_plan_args(rows, team, het_grid(1, 8), part, NULL, bad, 3), HET_ERR_ARGUMENT,
	      "dimension_p");
	ok(het_map(s, HET_READ, &at));
	fails(het_spread(rows, team, het_grid(1, 8), HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(a)), HET_VAL(8)),
	      HET_ERR_MAPPED, "row_sums", "argument 0");
	ok(het_unmap(s));
	ck_assert_int_eq(element(s, 7), 1); /* nothing has changed */
	ck_assert_uint_eq(stats_of(system).launches, 0);
	close_face(other);
	close_face(system);
}
END_TEST

/* A halo that is declared too small: where memories are apart, rows at a cut are made of what the neighbour had
 * before; where they are one nobody notices. */
START_TEST(test_too_small_a_halo)
{
	enum { M = 24, N = 5 };
	het_system *system = open_face(_i);
	het_kernel *rows = common_kernel(system, "three_rows"), *bump = common_kernel(system, "bump");
	het_team *team = het_everyone(system);
	const int devices = het_team_count(team);
	het_array *a = ints(system, 2, M, N), *b = ints(system, 2, M, N);
	struct het_part part[8];
	int got[M][N], d;

	for (int i = 0; i < devices; i++) /* everybody has all of it, ones */
		ok(het_launch(rows, het_team_device(team, i), het_grid(2, M, N), HET_OUT(b), HET_IN(a),
			      HET_VAL(5), HET_VAL((int)M)));
	ok(het_spread_plan(rows, team, het_grid(2, M, N), part, &d, HET_OUT(HET_EACH(b)), HET_IN(HET_EACH(a)),
			   HET_VAL(5), HET_VAL((int)M)));
	for (int i = 0; i < devices; i++) { /* each adds one to its rows */
		const int64_t lo = part[i].range.lo[0], hi = part[i].range.hi[0];

		ok(het_launch(bump, part[i].device, het_grid(1, (hi - lo) * N),
			      HET_INOUT(het_view(a, het_rows(lo, hi))), HET_VAL(1)));
	}
	ok(het_wait(a)); /* nothing else orders what a part reads undeclared after its neighbour's write */
	ok(het_spread(rows, team, het_grid(2, M, N), HET_OUT(HET_EACH(b)), HET_IN(HET_EACH(a)), HET_VAL(5),
		      HET_VAL((int)M)));
	ok(het_read(het_view(b, het_whole()), got));
	for (int y = 1; y < M - 1; y++) {
		int stale = 0;

		for (int i = 1; i < devices; i++)
			stale |= y == part[i].range.lo[0] || y == part[i].range.lo[0] - 1;
		ck_assert_int_eq(got[y][2], stale && is_separate(first_device(system)) ? 5 : 6);
	}
	close_face(system);
}
END_TEST

/* ---- edges and interior ------------------------------------------------------------------------- */

static const char held_text[] = /* the second half waits for the gate */
	"kernel void held(global int *out, global const int *in, ulong gate)\n"
	"{ int i = get_global_id(0); volatile global int *g = (volatile global int *)gate;\n"
	"  if (i >= 20) while (!*g) ;\n"
	"  out[i] = in[i] + 1; }\n";

static volatile int gate;

/* Launches one with a halo over cells that one without wrote, over two devices of which the second waits. */
static void launch_behind(het_team *team, het_kernel *held, het_array *const *cells)
{
	const uint64_t address = (uint64_t)(uintptr_t)&gate;
	const struct het_range range = het_local(het_grid(1, 40), 1);

	ok(het_spread(held, team, range, HET_OUT(HET_EACH(cells[1])), HET_IN(HET_EACH(cells[0])),
		      HET_VAL(address)));
	ok(het_spread(held, team, range, HET_OUT(HET_EACH(cells[2])), HET_IN(HET_HALO(cells[1], 1)),
		      HET_VAL(address)));
}

/* An interior does not wait for what its edge waits for: the read, of all but the edge, ends while the other
 * device has not written what is read across the cut, or never. */
START_TEST(test_interiors_come_first)
{
	enum { N = 40, CUT = N / 2 };
	het_system *system;
	het_kernel *held;
	het_array *cells[3];
	het_team *team;
	int got[CUT - 1];

	if (getenv("HETERO_TEST_FAKE"))
		return; /* it has no threads: nothing runs beside a kernel */
	system = open_face(FACE_SHARED);
	if (het_device_count(system) != 2) {
		close_face(system);
		return;
	}
	held = text_kernel(system, held_text, "held");
	team = uneven_team(system);
	cells[0] = counting_array(system, N);
	cells[1] = zero_array(system, N);
	cells[2] = zero_array(system, N);
	ok(het_team_set_shares(team, (double[]){1, 1}));
	ok(het_team_overlap(team, HET_OVERLAP_ALWAYS));
	gate = 1; /* once, so that everything has been built and brought */
	launch_behind(team, held, cells);
	ok(het_wait_all(system));
	ck_assert_uint_eq(stats_of(system).launches, 6);
	gate = 0;
	launch_behind(team, held, cells);
	ok(het_read(het_view(cells[2], het_rows(0, CUT - 1)), got));
	for (int i = 0; i < CUT - 1; i++)
		ck_assert_int_eq(got[i], i + 2);
	gate = 1;
	assert_counts(cells[2], 2, 1);
	ok(het_team_overlap(team, HET_OVERLAP_NEVER));
	launch_behind(team, held, cells);
	ck_assert_uint_eq(stats_of(system).launches, 16);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* Parts too short for edges stay whole; nothing is cut where nothing reaches across. */
START_TEST(test_no_edges)
{
	het_system *system = open_face(_i);
	het_kernel *around = text_kernel(system, text, "around"), *rows = text_kernel(system, text, "row_sums");
	het_team *team = uneven_team(system);
	const uint64_t devices = (uint64_t)het_team_count(team);
	het_array *a = ints(system, 2, 60, 9), *b = ints(system, 2, 60, 9), *s = ints(system, 1, 60, 0);
	uint64_t before;

	ok(het_team_overlap(team, HET_OVERLAP_ALWAYS));
	before = stats_of(system).launches;
	ok(het_spread(rows, team, het_grid(1, 60), HET_OUT(HET_EACH(s)), HET_IN(HET_ROWS_OF(a)), HET_VAL(9)));
	ck_assert_uint_eq(stats_of(system).launches, before + devices);
	before = stats_of(system).launches;
	ok(het_spread(around, team, het_range(2, 20, 40, 1, 8), HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 20)),
		      HET_VAL(9)));
	ck_assert_uint_eq(stats_of(system).launches, before + devices);
	before = stats_of(system).launches;
	ok(het_spread(around, team, het_local(het_range(2, 20, 40, 1, 8), 2, 1), HET_OUT(HET_EACH(b)),
		      HET_IN(HET_HALO(a, INT64_MAX)), HET_VAL(9)));
	ck_assert_uint_eq(stats_of(system).launches, before + devices);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* Compiled for groups of 16 here and of 32 there: 96 work-items are not cut in the middle. */
START_TEST(test_groups_of_two_sizes)
{
	enum { N = 96 };
	het_system *system = open_face(_i);
	het_kernel *twice = text_kernel(system,
					"kernel __attribute__((reqd_work_group_size(WG, 1, 1)))\n"
					"void twice(global int *y, global const int *x)\n"
					"{ size_t i = get_global_id(0); y[i] = 2 * x[i]; }\n",
					"twice");
	het_array *x = counting_array(system, N), *y = zero_array(system, N);

	for (int d = 0; d < het_device_count(system); d++)
		ok(het_kernel_options(twice, het_device(system, d), d % 2 ? "-DWG=32" : "-DWG=16"));
	ok(het_spread(twice, het_everyone(system), het_grid(1, N), HET_OUT(HET_EACH(y)), HET_IN(HET_EACH(x))));
	assert_counts(y, 0, 2);
	close_face(system);
}
END_TEST

/* Planes in front of rows and columns: the range has a dimension of one index for them. */
START_TEST(planes_in_front)
{
	enum { P = 3, R = 12, C = 5 };
	static const char sums[] =
		"kernel void sums(global int *b, global const int *a)\n"
		"{ int x = get_global_id(0), y = get_global_id(1);\n"
		"  for (int p = 0; p < 3; p++) { int i = (p * 12 + y) * 5 + x;\n"
		"    b[i] = a[i] + (y > 0 ? a[i - 5] : 0) + (y < 11 ? a[i + 5] : 0); } }\n";
	het_system *system = open_face(_i);
	het_team *team = uneven_team(system);
	het_array *a, *b;
	int va[P][R][C], vb[P][R][C];

	for (int i = 0; i < P * R * C; i++)
		(&va[0][0][0])[i] = i * i;
	ok(het_array_new(system, HET_INT, het_shape(3, P, R, C), &a));
	ok(het_array_new(system, HET_INT, het_shape(3, P, R, C), &b));
	ok(het_write(het_view(a, het_whole()), va));
	ok(het_spread(text_kernel(system, sums, "sums"), team, het_grid(3, 1, R, C), HET_OUT(HET_DIM_OF(b, 1)),
		      HET_IN(HET_HALO(a, HET_END, 1))));
	ok(het_read(het_view(b, het_whole()), vb));
	for (int p = 0; p < P; p++)
		for (int y = 0; y < R; y++)
			for (int x = 0; x < C; x++)
				ck_assert_int_eq(vb[p][y][x], va[p][y][x] + (y > 0 ? va[p][y - 1][x] : 0) +
								      (y < R - 1 ? va[p][y + 1][x] : 0));
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* An update in place of every other element of a row: an array for each colour. */
START_TEST(colours)
{
	enum { N = 30, STEPS = 6 };
	static const char half[] = "kernel void half_step(global int *x, global const int *y, int by)\n"
				   "{ int i = get_global_id(0), j = i + by;\n"
				   "  if (j < 0 || j > 29) j = i;\n"
				   "  x[i] = (x[i] + y[i] + y[j]) % 1000; }\n";
	het_system *system = open_face(_i);
	het_team *team = uneven_team(system);
	het_kernel *step = text_kernel(system, half, "half_step");
	het_array *red = counting_array(system, N), *black = zero_array(system, N);
	int x[N], y[N] = {0}, seen[N];

	for (int i = 0; i < N; i++)
		x[i] = i;
	for (int k = 0; k < STEPS; k++) {
		ok(het_spread(step, team, het_grid(1, N), HET_INOUT(HET_EACH(red)), HET_IN(HET_HALO(black, 1)),
			      HET_VAL(-1)));
		ok(het_spread(step, team, het_grid(1, N), HET_INOUT(HET_EACH(black)), HET_IN(HET_HALO(red, 1)),
			      HET_VAL(1)));
		for (int i = 0; i < N; i++)
			x[i] = (x[i] + y[i] + y[i > 0 ? i - 1 : 0]) % 1000;
		for (int i = 0; i < N; i++)
			y[i] = (y[i] + x[i] + x[i < N - 1 ? i + 1 : i]) % 1000;
	}
	ok(het_read(het_view(black, het_whole()), seen));
	ck_assert_mem_eq(seen, y, sizeof y);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&test_product, 1},
	{&test_halo, 1},
	{&test_plan, 1},
	{&test_groups_of_two_sizes, 1},
	{&test_again, 1},
	{&test_few_rows, 1},
	{&test_halo_behind_the_end, 1},
	{&test_mappers_in_a_launch, 1},
	{&test_errors, 1},
	{&test_too_small_a_halo, 1},
	{&test_interiors_come_first, 0},
	{&test_no_edges, 1},
	{&planes_in_front, 1},
	{&colours, 1},
};

int main(void)
{
	return run_face_tests("spread", sizeof tests / sizeof tests[0], tests);
}
