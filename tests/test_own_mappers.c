/* test_own_mappers.c - HET_MAP_BY: what parts touch, said by functions of the program's own; and HET_TILES, for
 * what such functions were needed before. */
#include "face.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "spreads.h"

static const char text[] =
	"kernel void mirror(global int *b, global const int *a, int n)\n"
	"{ size_t i = get_global_id(0); b[n - 1 - i] = a[i]; }\n"
	"kernel void row_sums(global int *s, global const int *a, int n)\n"
	"{ size_t y = get_global_id(0); int t = 0; for (int x = 0; x < n; x++) t += a[y * n + x]; s[y] = t; }\n"
	"kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n"
	"kernel void both(global int *a, global int *b)\n"
	"{ size_t i = get_global_id(0), begin = get_global_offset(0); a[i] = 1;\n"
	"  if (i == begin && begin) b[i - 1] = 7; }\n"
	"kernel void shifted(global int *b, global const int *a, int by)\n"
	"{ size_t i = get_global_id(0); b[i] = a[i + by]; }\n";

static void mirrored(void *user, const struct het_box *part, struct het_box *touched)
{
	const int n = *(const int *)user;

	*touched = het_rows(n - part->hi[0], n - part->lo[0]);
}

static void everything(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	(void)part;
	*touched = het_whole();
}

/* As mirrored, with no constructor. */
static void by_fields(void *user, const struct het_box *part, struct het_box *touched)
{
	touched->rank = 1;
	touched->lo[0] = *(const int *)user - part->hi[0];
	touched->hi[0] = *(const int *)user - part->lo[0];
}

static void of_rank(void *rank, const struct het_box *part, struct het_box *touched)
{
	(void)part;
	touched->rank = *(const int *)rank;
}

static void beyond(void *user, const struct het_box *part, struct het_box *touched)
{
	*touched = het_rows(part->lo[0], part->hi[0] + *(const int *)user);
}

/* A part that takes one row too many of the last half. */
static void too_much(void *user, const struct het_box *part, struct het_box *touched)
{
	const int n = *(const int *)user;

	*touched = het_rows(part->lo[0] == 0 || part->lo[0] == n / 2 ? part->lo[0] : part->lo[0] - 1,
			    part->hi[0]);
}

START_TEST(what_is_written)
{
	het_system *system = open_face(_i);
	het_kernel *mirror = text_kernel(system, text, "mirror");
	het_team *team = uneven_team(system);
	int n = 50;
	het_array *a = counting_array(system, n), *b = zero_array(system, n);

	ok(het_spread(mirror, team, het_grid(1, n), HET_OUT(HET_MAP_BY(b, mirrored, &n)), HET_IN(HET_EACH(a)),
		      HET_VAL(n)));
	assert_counts(b, n - 1, -1);
	ok(het_fill(het_view(b, het_whole()), &n));
	ok(het_spread(mirror, team, het_grid(1, n), HET_OUT(HET_MAP_BY(b, by_fields, &n)), HET_IN(HET_EACH(a)),
		      HET_VAL(n)));
	assert_counts(b, n - 1, -1);
	fails(het_spread(mirror, team, het_grid(1, n), HET_OUT(HET_MAP_BY(b, beyond, &n)), HET_IN(HET_EACH(a)),
			 HET_VAL(n)),
	      HET_ERR_SHAPE, "mirror", "argument 0", "HET_MAP_BY");
	if (het_team_count(team) > 1) {
		fails(het_spread(mirror, team, het_grid(1, n), HET_OUT(HET_MAP_BY(b, everything, NULL)),
				 HET_IN(HET_EACH(a)), HET_VAL(n)),
		      HET_ERR_ARGUMENT, "mirror", "argument 0", "same elements");
		fails(het_spread(mirror, team, het_grid(1, n), HET_OUT(HET_MAP_BY(b, too_much, &n)),
				 HET_IN(HET_EACH(a)), HET_VAL(n)),
		      HET_ERR_ARGUMENT, "mirror", "argument 0", "same elements");
	}
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* A rank that no array has is refused before anything is calculated with it: the sanitizer sees that. */
START_TEST(ranks_of_no_array)
{
	static int rank[] = {INT_MAX, INT_MIN, -1, 2, HET_MAX_RANK + 1};
	het_system *system = open_face(_i);
	het_kernel *twice = text_kernel(system, text, "twice");
	het_array *a = counting_array(system, 8);

	for (int k = 0; k < 5; k++) {
		fails(het_launch(twice, first_device(system), het_grid(1, 8),
				 HET_INOUT(HET_MAP_BY(a, of_rank, &rank[k]))),
		      HET_ERR_SHAPE, "kernel twice, argument 0: the box of HET_MAP_BY's function",
		      "a box of rank");
		fails(het_spread(twice, het_everyone(system), het_grid(1, 8),
				 HET_INOUT(HET_MAP_BY(a, of_rank, &rank[k]))),
		      HET_ERR_SHAPE, "the box of HET_MAP_BY's function", "a box of rank");
	}
	assert_counts(a, 0, 1);
	close_face(system);
}
END_TEST

/* The half of the array across from a part; nothing for the whole, which has none. */
static void across(void *user, const struct het_box *part, struct het_box *touched)
{
	const int n = *(const int *)user;

	mirrored(user, part, touched);
	if (part->hi[0] - part->lo[0] > n / 2)
		*touched = het_rows(0, 0);
}

/* What is in front of a part; nothing for the whole. */
static void in_front(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	*touched = het_rows(part->lo[0] ? part->lo[0] - 1 : 0, part->lo[0]);
}

/* What the functions say of the whole range has no cells in common with anything: what they say of parts has,
 * and the result would be another one for each team. */
START_TEST(parts_touch_what_others_write)
{
	const double shares[2] = {1, 1};
	het_system *system = open_face(_i);
	het_kernel *mirror = text_kernel(system, text, "mirror");
	int n = 50;
	het_array *a = counting_array(system, n), *b = zero_array(system, n);
	het_device *devices[2];
	het_team *team;

	if (het_device_count(system) < 2) {
		close_face(system);
		return;
	}
	for (int i = 0; i < 2; i++)
		devices[i] = het_device(system, i);
	ok(het_team_new(system, 2, devices, shares, &team));
	ok(het_spread(mirror, team, het_grid(1, n), HET_OUT(HET_MAP_BY(b, mirrored, &n)), HET_IN(HET_EACH(a)),
		      HET_VAL(n)));
	fails(het_spread(mirror, team, het_grid(1, n), HET_OUT(HET_MAP_BY(a, across, &n)), HET_IN(HET_EACH(a)),
			 HET_VAL(n)),
	      HET_ERR_ALIAS, "mirror", "arguments 0 and 1", "writes", "reads");
	fails(het_spread(mirror, team, het_grid(1, n), HET_OUT(HET_EACH(a)),
			 HET_IN(HET_MAP_BY(a, in_front, NULL)), HET_VAL(n)),
	      HET_ERR_ALIAS, "mirror", "arguments 0 and 1", "writes", "reads");
	fails(het_spread(text_kernel(system, text, "both"), team, het_grid(1, n), HET_OUT(HET_EACH(a)),
			 HET_OUT(HET_MAP_BY(a, in_front, NULL))),
	      HET_ERR_ALIAS, "both", "arguments 0 and 1", "writes");
	assert_counts(a, 0, 1);
	ok(het_spread(text_kernel(system, text, "both"), team, het_grid(1, n), HET_OUT(HET_EACH(b)),
		      HET_OUT(HET_MAP_BY(a, in_front, NULL))));
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* For programs that put arguments together at run time: what the macros do, by functions. */
START_TEST(made_by_functions)
{
	het_system *system = open_face(_i);
	het_kernel *mirror = text_kernel(system, text, "mirror"), *rows = text_kernel(system, text, "row_sums");
	int n = 30;
	het_array *a = counting_array(system, n), *b = zero_array(system, n), *m = ints(system, 2, 30, 4);
	struct het_arg args[] = {het_arg_mapped(het_mapped_fn(b, mirrored, &n), HET_MODE_OUT),
				 het_arg_mapped(het_mapped_plain(a, HET_MAPPER_EACH), HET_MODE_IN), HET_VAL(n)};

	ok(het_spread_args(mirror, het_everyone(system), het_grid(1, n), args, 3));
	assert_counts(b, n - 1, -1);
	args[0] = HET_OUT(HET_EACH(b));
	args[1] = het_arg_mapped(het_mapped_dim(m, 0), HET_MODE_IN);
	args[2] = HET_VAL(4);
	ok(het_spread_args(rows, het_everyone(system), het_grid(1, n), args, 3));
	assert_counts(b, 4, 0);
	close_face(system);
}
END_TEST

static void behind(void *user, const struct het_box *part, struct het_box *touched)
{
	const int by = *(const int *)user;

	*touched = het_rows(part->lo[0] + by, part->hi[0] + by);
}

/* The cut is the same whatever a function says is read, and may be known; what the function says is not. */
START_TEST(answers_change)
{
	enum { N = 48, ROOM = 3 * N };
	het_system *system = open_face(_i);
	het_kernel *shifted = text_kernel(system, text, "shifted"), *twice = text_kernel(system, text, "twice");
	het_team *team = uneven_team(system);
	het_array *a = counting_array(system, ROOM), *b = zero_array(system, N);
	int vb[N], by, scale = 1;

	for (by = 0; by <= ROOM - N; by += N / 3) {
		ok(het_spread(twice, team, het_grid(1, ROOM), HET_INOUT(HET_EACH(a))));
		ok(het_spread(shifted, team, het_grid(1, N), HET_OUT(HET_EACH(b)),
			      HET_IN(HET_MAP_BY(a, behind, &by)), HET_VAL(by)));
		scale *= 2;
		ok(het_read(het_view(b, het_whole()), vb));
		for (int i = 0; i < N; i++)
			ck_assert_int_eq(vb[i], scale * (i + by));
	}
	by = ROOM - N + 1;
	fails(het_spread(shifted, team, het_grid(1, N), HET_OUT(HET_EACH(b)),
			 HET_IN(HET_MAP_BY(a, behind, &by)), HET_VAL(by)),
	      HET_ERR_SHAPE, "shifted", "argument 1", "not inside");
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

static void up_to(void *user, const struct het_box *part, struct het_box *touched)
{
	const int by = *(const int *)user;

	*touched = het_rows(part->lo[0], part->hi[0] + by);
}

/* Nor is more or less of an array another cut. */
START_TEST(answers_grow)
{
	enum { N = 48, ROOM = 3 * N };
	het_system *system = open_face(_i);
	het_kernel *shifted = text_kernel(system, text, "shifted");
	het_array *a = counting_array(system, ROOM), *b = zero_array(system, N);

	for (int by = 0; by <= ROOM - N; by += N / 3) {
		ok(het_spread(shifted, het_everyone(system), het_grid(1, N), HET_OUT(HET_EACH(b)),
			      HET_IN(HET_MAP_BY(a, up_to, &by)), HET_VAL(by)));
		assert_counts(b, by, 1);
	}
	close_face(system);
}
END_TEST

/* No part sees that it reads what another one writes: that is seen by the whole, however often it was right. */
START_TEST(read_and_written)
{
	enum { N = 48, ROOM = 2 * N };
	het_system *system = open_face(_i);
	het_kernel *shifted = text_kernel(system, text, "shifted");
	het_team *team = uneven_team(system);
	het_array *a = counting_array(system, ROOM);
	int va[ROOM], by = N;

	for (int k = 0; k < 3; k++)
		ok(het_spread(shifted, team, het_grid(1, N), HET_OUT(HET_EACH(a)),
			      HET_IN(HET_MAP_BY(a, behind, &by)), HET_VAL(by)));
	by = N / 2;
	fails(het_spread(shifted, team, het_grid(1, N), HET_OUT(HET_EACH(a)),
			 HET_IN(HET_MAP_BY(a, behind, &by)), HET_VAL(by)),
	      HET_ERR_ALIAS, "shifted", "0 and 1");
	ok(het_read(het_view(a, het_whole()), va));
	for (int i = 0; i < ROOM; i++)
		ck_assert_int_eq(va[i], i < N ? i + N : i);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* ---- work-items of several elements ------------------------------------------------------------- */

static const char tile_text[] =
	"kernel void rows_of(global int *b, global const int *a, int n, int tile)\n"
	"{ int first = get_global_id(0) * tile;\n"
	"  for (int i = first; i < first + tile && i < n; i++) b[i] = a[i] + first; }\n"
	"kernel void tiles_of(global int *b, int rows, int cols)\n"
	"{ int y = get_global_id(1) * 2, x = get_global_id(0) * 3;\n"
	"  for (int i = y; i < y + 2 && i < rows; i++)\n"
	"    for (int j = x; j < x + 3 && j < cols; j++) b[i * cols + j] = y * 100 + x; }\n";

static int tiles_in(int n, int tile)
{
	return (n + tile - 1) / tile;
}

START_TEST(tiles_of_rows)
{
	static const int sizes[][2] = {{50, 4}, {48, 4}, {50, 1}, {7, 9}, {51, 50}, {2, 1}};
	het_system *system = open_face(_i);
	het_kernel *rows_of = text_kernel(system, tile_text, "rows_of");
	het_team *team = uneven_team(system);

	for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		const int n = sizes[k][0], tile = sizes[k][1], tiles = tiles_in(n, tile);
		het_array *a = counting_array(system, n), *b = zero_array(system, n);

		ok(het_spread(rows_of, team, het_grid(1, tiles), HET_OUT(HET_TILES(b, tile)),
			      HET_IN(HET_TILES(a, tile)), HET_VAL(n), HET_VAL(tile)));
		for (int i = 0; i < n; i++)
			ck_assert_int_eq(element(b, i), i + i / tile * tile);
		fails(het_spread(rows_of, team, het_grid(1, tiles + 1), HET_OUT(HET_TILES(b, tile)),
				 HET_IN(HET_TILES(a, tile)), HET_VAL(n), HET_VAL(tile)),
		      HET_ERR_SHAPE, "rows_of", "argument 0");
		fails(het_launch(rows_of, het_device_at(system, 0), het_range(1, tiles + 3, tiles + 4),
				 HET_OUT(b), HET_IN(HET_TILES(a, tile)), HET_VAL(n), HET_VAL(tile)),
		      HET_ERR_SHAPE, "rows_of", "argument 1");
	}
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

START_TEST(tiles_of_two_dimensions)
{
	enum { ROWS = 9, COLS = 11 };
	het_system *system = open_face(_i);
	het_kernel *tiles_of = text_kernel(system, tile_text, "tiles_of");
	het_team *team = uneven_team(system);
	const int rows = ROWS, cols = COLS;
	int values[ROWS][COLS];
	het_array *b;

	ok(het_array_new(system, HET_INT, het_shape(2, rows, cols), &b));
	ok(het_spread(tiles_of, team, het_grid(2, tiles_in(rows, 2), tiles_in(cols, 3)),
		      HET_OUT(HET_TILES(b, 2, 3)), HET_VAL(rows), HET_VAL(cols)));
	ok(het_read(het_view(b, het_whole()), values));
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < cols; j++)
			ck_assert_int_eq(values[i][j], i / 2 * 200 + j / 3 * 3);
	ok(het_launch(tiles_of, het_device_at(system, 0), het_range(2, 1, 3, 1, 2),
		      HET_INOUT(HET_TILES(b, 2, 3)), HET_VAL(rows), HET_VAL(cols)));
	fails(het_launch(tiles_of, het_device_at(system, 0), het_range(2, 0, 6, 0, 2),
			 HET_OUT(HET_TILES(b, 2, 3)), HET_VAL(rows), HET_VAL(cols)),
	      HET_ERR_SHAPE, "tiles_of", "argument 0", "box [0, 12)");
	fails(het_launch(tiles_of, het_device_at(system, 0), het_range(2, 0, 6, 0, 2),
			 HET_OUT(HET_TILES(b, INT64_MAX, 3)), HET_VAL(rows), HET_VAL(cols)),
	      HET_ERR_SHAPE, "tiles_of", "argument 0");
	fails(het_spread(tiles_of, team, het_grid(2, 2, 2), HET_OUT(HET_TILES(b, 2, 0)), HET_VAL(rows),
			 HET_VAL(cols)),
	      HET_ERR_ARGUMENT, "tiles_of", "argument 0", "HET_TILES with 0", "at least 1");
	fails(het_spread(tiles_of, team, het_grid(2, 2, 2), HET_OUT(HET_TILES(b, 2, 3, 1)), HET_VAL(rows),
			 HET_VAL(cols)),
	      HET_ERR_ARGUMENT, "tiles_of", "argument 0", "HET_TILES with 3 numbers", "rank is 2");
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* ---- what a mapper may do ----------------------------------------------------------------------- */

struct caller {
	het_system *system;
	het_array *array;
	het_kernel *kernel;
	struct caller *other;
	int refused, let_in; /* calls */
	atomic_bool is_inside, go_on;
};

static void count_call(struct caller *c, het_status status)
{
	c->refused += status == HET_ERR_CONTEXT;
	c->let_in += status != HET_ERR_CONTEXT;
}

static void calls_outer(void *user, const struct het_box *part, struct het_box *touched)
{
	struct caller *const c = user;
	struct het_stats stats = HET_STATS_INIT;

	count_call(c, het_stats(c->system, &stats));
	*touched = het_rows(part->lo[0], part->hi[0]);
}

/* As one would who wants to know the array's extents; and worse. */
static void calls_back(void *user, const struct het_box *part, struct het_box *touched)
{
	struct caller *const c = user;
	struct het_array_info info = HET_ARRAY_INFO_INIT;
	struct het_stats stats = HET_STATS_INIT;
	struct het_device_info about = HET_DEVICE_INFO_INIT;
	int values[8];

	count_call(c, het_array_info(c->array, &info));
	count_call(c, het_stats(c->system, &stats));
	count_call(c, het_device_info(het_device_at(c->system, 0), &about));
	count_call(c, het_wait(c->array));
	count_call(c, het_wait_all(c->system));
	count_call(c, het_read(het_view(c->array, het_rows(0, 8)), values));
	count_call(c, het_launch(c->kernel, het_device_at(c->system, 0), het_grid(1, 8), HET_INOUT(c->array)));
	count_call(c, het_array_free(c->array));
	count_call(c, het_close(c->system));
	count_call(c, het_everyone(c->system) ? HET_OK : het_error_last().status);
	ck_assert_ptr_nonnull(strstr(het_message(), "het_everyone"));
	ck_assert_ptr_nonnull(strstr(het_message(), "HET_MAP_BY"));
	*touched = het_rows(part->lo[0], part->hi[0]);
}

START_TEST(what_it_calls)
{
	het_system *system = open_face(_i);
	het_kernel *twice = text_kernel(system, text, "twice");
	const int n = 50;
	struct caller c = {.system = system, .array = counting_array(system, n), .kernel = twice};

	ok(het_launch(twice, het_device_at(system, 0), het_grid(1, n),
		      HET_INOUT(HET_MAP_BY(c.array, calls_back, &c))));
	ck_assert_int_eq(c.refused % 10, 0);
	ck_assert_int_gt(c.refused, 0);
	ck_assert_int_eq(c.let_in, 0);
	assert_counts(c.array, 0, 2);
	close_face(system);
}
END_TEST

/* A launch on another system, whose mapper calls this one. */
static void calls_another(void *user, const struct het_box *part, struct het_box *touched)
{
	struct caller *const c = user;
	struct het_stats stats = HET_STATS_INIT;

	ok(het_launch(c->other->kernel, het_device_at(c->other->system, 0), het_grid(1, 8),
		      HET_INOUT(HET_MAP_BY(c->other->array, calls_outer, c))));
	count_call(c, het_stats(c->system, &stats));
	*touched = het_rows(part->lo[0], part->hi[0]);
}

START_TEST(what_it_calls_of_another_system)
{
	const int n = 8;
	het_system *system = open_face(_i), *second = open_face(_i);
	struct caller other = {.system = second, .array = counting_array(second, n),
			       .kernel = text_kernel(second, text, "twice")};
	struct caller c = {.system = system, .array = counting_array(system, n), .other = &other,
			   .kernel = text_kernel(system, text, "twice")};
	struct het_stats stats = HET_STATS_INIT;

	ok(het_launch(c.kernel, het_device_at(system, 0), het_grid(1, n),
		      HET_INOUT(HET_MAP_BY(c.array, calls_another, &c))));
	ck_assert_int_ge(c.refused, 2);
	ck_assert_int_eq(c.let_in, 0);
	ok(het_stats(system, &stats));
	assert_counts(c.array, 0, 2);
	ok(het_close(second));
	close_face(system);
}
END_TEST

static void waits(void *user, const struct het_box *part, struct het_box *touched)
{
	struct caller *const c = user;

	*touched = het_rows(part->lo[0], part->hi[0]);
	atomic_store(&c->is_inside, true);
	while (!atomic_load(&c->go_on))
		sched_yield();
}

/* Another thread has to wait, and is not refused. */
static void *call_meanwhile(void *user)
{
	struct caller *const c = user;
	struct het_stats stats = HET_STATS_INIT;

	while (!atomic_load(&c->is_inside))
		sched_yield();
	c->let_in = het_device_count(c->system); /* asks without the lock */
	atomic_store(&c->go_on, true);
	count_call(c, het_stats(c->system, &stats));
	return NULL;
}

START_TEST(what_others_call_meanwhile)
{
	het_system *system = open_face(_i);
	het_kernel *twice = text_kernel(system, text, "twice");
	const int n = 50;
	struct caller c = {.system = system, .array = counting_array(system, n)};
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, call_meanwhile, &c), 0);
	ok(het_launch(twice, het_device_at(system, 0), het_grid(1, n),
		      HET_INOUT(HET_MAP_BY(c.array, waits, &c))));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(c.refused, 0);
	ck_assert_int_eq(c.let_in, 1 + het_device_count(system));
	close_face(system);
}
END_TEST

/* What it is given has the array's extents. */
static void clipped(void *user, const struct het_box *part, struct het_box *touched)
{
	(void)user;
	if (part->hi[0] + 3 < touched->hi[0])
		touched->hi[0] = part->hi[0] + 3;
	touched->lo[0] = part->lo[0];
}

START_TEST(the_end_is_known)
{
	het_system *system = open_face(_i);
	het_kernel *shifted = text_kernel(system, text, "shifted");
	het_team *team = uneven_team(system);
	const int n = 50, by = 3;
	het_array *a = counting_array(system, n), *b = zero_array(system, n);

	ok(het_spread(shifted, team, het_grid(1, n - by), HET_OUT(HET_EACH(b)),
		      HET_IN(HET_MAP_BY(a, clipped, NULL)), HET_VAL(by)));
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&what_is_written, 1},
	{&ranks_of_no_array, 1},
	{&parts_touch_what_others_write, 1},
	{&made_by_functions, 1},
	{&answers_change, 1},
	{&answers_grow, 1},
	{&read_and_written, 1},
	{&tiles_of_rows, 1},
	{&tiles_of_two_dimensions, 1},
	{&what_it_calls, 1},
	{&what_it_calls_of_another_system, 1},
	{&what_others_call_meanwhile, 1},
	{&the_end_is_known, 1},
};

int main(void)
{
	return run_face_tests("own mappers", sizeof tests / sizeof tests[0], tests);
}
