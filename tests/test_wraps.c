/* test_wraps.c - HET_WRAP: halos that go on at the array's other end. */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>

#include "spreads.h"

enum { ROWS = 40, COLS = 12, CELLS = ROWS * COLS };

/* On a torus a cell becomes what is r rows and s columns away, on both sides, weighted. */
static const char text[] =
	"#include \"het.clh\"\n"
	"kernel void ring(global int *out, global const int *in, int rows, int columns, int r, int s)\n"
	"{ int x = get_global_id(0), y = get_global_id(1);\n"
	"  int up = (y + rows - r) % rows, down = (y + r) % rows;\n"
	"  int left = (x + columns - s) % columns, right = (x + s) % columns;\n"
	"  int v = 2 * in[up * columns + x] + 3 * in[down * columns + x]\n"
	"        + 5 * in[y * columns + left] + 7 * in[y * columns + right];\n"
	"  out[y * columns + x] = v & 0xffff; }\n"
	"kernel void ring_w(HET_WINDOW(global int, out), HET_WINDOW(global const int, in))\n"
	"{ int x = get_global_id(0), y = get_global_id(1); HET_AT2(out, y, x) = HET_AT2(in, y, x); }\n"
	"kernel void window_ring(HET_WINDOW(global int, out), HET_WINDOW(global const int, in), int rows)\n"
	"{ int x = get_global_id(0), y = get_global_id(1);\n"
	"  HET_AT2(out, y, x) = HET_AT2(in, (y + rows - 1) % rows, x); }\n"
	"kernel void ring_1(global int *out, global const int *in, int n, int r)\n"
	"{ int i = get_global_id(0); out[i] = 2 * in[(i + n - r) % n] + 3 * in[(i + r) % n]; }\n"
	"kernel void groups(global int *out, global int *sums, global const int *in, int n)\n"
	"{ int i = get_global_id(0), s = 0; if (i < n) out[i] += in[(i + 1) % n];\n"
	"  for (int j = i; j < i + 16 && j < n; j++) s += in[j];\n"
	"  if (get_local_id(0) == 0) sums[i / 16] = s; }\n"
	"kernel void two_rings(global int *out, global const int *a, int n, global const int *b)\n"
	"{ int i = get_global_id(0); out[i] = 2 * a[(i + n - 1) % n] + 3 * b[(i + 2) % n]; }\n";

static void model(const int *in, int *out, int r, int s)
{
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < COLS; x++)
			out[y * COLS + x] = (2 * in[(y + ROWS - r) % ROWS * COLS + x] +
					     3 * in[(y + r) % ROWS * COLS + x] +
					     5 * in[y * COLS + (x + COLS - s) % COLS] +
					     7 * in[y * COLS + (x + s) % COLS]) & 0xffff;
}

/* Two arrays of the torus and what they should hold. */
struct torus {
	het_array *in, *out;
	int now[CELLS], next[CELLS];
};

static void begin(het_system *system, struct torus *t)
{
	t->in = ints(system, 2, ROWS, COLS);
	t->out = ints(system, 2, ROWS, COLS);
	for (int i = 0; i < CELLS; i++)
		t->now[i] = i * i % 1009;
	ok(het_write(het_view(t->in, het_whole()), t->now));
}

/* So many steps with halos that are as wide as needed. */
static void run(struct torus *t, het_kernel *ring, het_team *team, int steps, int r, int s)
{
	for (int k = 0; k < steps; k++) {
		ok(het_spread(ring, team, het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(t->out)),
			      HET_IN(HET_WRAP(t->in, r, s)), HET_VAL(ROWS), HET_VAL(COLS), HET_VAL(r),
			      HET_VAL(s)));
		ok(het_swap(t->in, t->out));
		model(t->now, t->next, r, s);
		memcpy(t->now, t->next, sizeof t->now);
	}
}

static void compare(struct torus *t)
{
	int got[CELLS];

	ok(het_read(het_view(t->in, het_whole()), got));
	for (int i = 0; i < CELLS; i++)
		ck_assert_msg(got[i] == t->now[i], "cell (%d, %d) is %d, not %d", i / COLS, i % COLS, got[i],
			      t->now[i]);
	ok(het_audit(t->in));
	ok(het_audit(t->out));
}

START_TEST(torus)
{
	static struct torus t;
	het_system *system = open_face(_i);
	het_kernel *ring = text_kernel(system, text, "ring");
	het_team *team = uneven_team(system);

	begin(system, &t);
	for (int way = 0; way < 2; way++) {
		ok(het_team_overlap(team, way ? HET_OVERLAP_ALWAYS : HET_OVERLAP_NEVER));
		run(&t, ring, team, 3, 1, 1);
		run(&t, ring, team, 2, 3, 0);
		run(&t, ring, team, 2, 0, 2);
		run(&t, ring, team, 1, ROWS / 2, COLS - 1);
		compare(&t);
	}
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* Of two devices each needs two rows of the other one, and nothing else. */
START_TEST(bytes_that_move)
{
	static struct torus t;
	het_system *system = open_face(FACE_SEPARATE);
	het_kernel *ring = text_kernel(system, text, "ring");
	het_team *team = uneven_team(system);
	uint64_t before;

	ck_assert(getenv("HETERO_TEST_FAKE") || getenv("HETERO_TEST_DRIVER") || het_device_count(system) == 2);
	if (het_device_count(system) == 2 && is_separate(first_device(system))) {
		begin(system, &t);
		run(&t, ring, team, 2, 2, 1);
		ok(het_wait_all(system));
		before = bytes_into_devices(system);
		run(&t, ring, team, 5, 2, 1);
		ok(het_wait_all(system));
		ck_assert_uint_eq(bytes_into_devices(system) - before, 5 * 4 * 2 * COLS * sizeof(int));
		compare(&t);
	}
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* The outer parts have edges at both sides, too, as what is beside them is at the other end. */
START_TEST(edges_of_a_ring)
{
	static struct torus t;
	het_system *system = open_face(FACE_SHARED);
	het_kernel *ring = text_kernel(system, text, "ring");
	het_team *team = uneven_team(system);
	const int parts = het_team_count(team);

	begin(system, &t);
	ok(het_team_set_shares(team, (double[]){1, 1, 1, 1, 1, 1, 1, 1}));
	ok(het_team_overlap(team, HET_OVERLAP_ALWAYS));
	run(&t, ring, team, 1, 1, 1);
	ck_assert_uint_eq(stats_of(system).launches, parts > 1 ? 3 * (uint64_t)parts : 1);
	ok(het_spread(ring, team, het_range(2, 1, ROWS, 0, COLS), HET_OUT(HET_EACH(t.out)),
		      HET_IN(HET_WRAP(t.in, 1, 1)), HET_VAL(ROWS), HET_VAL(COLS), HET_VAL(1), HET_VAL(1)));
	ck_assert_uint_eq(stats_of(system).launches, parts > 1 ? 6 * (uint64_t)parts - 2 : 2);
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* The range ends within a work-group, which nobody runs twice: the last part's outer edge begins with one. */
START_TEST(edges_of_groups)
{
	enum { LENGTH = 250, GROUP = 16, GROUPS = (LENGTH + GROUP - 1) / GROUP };
	het_system *system = open_face(_i);
	het_kernel *kernel = text_kernel(system, text, "groups");
	het_team *team = uneven_team(system);
	het_array *in = counting_array(system, LENGTH), *out = zero_array(system, LENGTH);
	het_array *sums = zero_array(system, GROUPS);
	int got[LENGTH];

	ok(het_team_set_shares(team, (double[]){1, 1, 1, 1, 1, 1, 1, 1}));
	ok(het_team_overlap(team, HET_OVERLAP_ALWAYS));
	ok(het_spread(kernel, team, het_padded(het_local(het_grid(1, LENGTH), GROUP)), HET_INOUT(HET_EACH(out)),
		      HET_OUT(HET_BLOCKS(sums, GROUP)), HET_IN(HET_WRAP(in, GROUP)), HET_VAL((int)LENGTH)));
	ok(het_read(het_view(out, het_whole()), got));
	for (int i = 0; i < LENGTH; i++)
		ck_assert_int_eq(got[i], (i + 1) % LENGTH);
	ok(het_read(het_view(sums, het_whole()), got));
	for (int k = 0; k < GROUPS; k++) {
		const int first = k * GROUP, last = first + GROUP < LENGTH ? first + GROUP : LENGTH;

		ck_assert_int_eq(got[k], (first + last - 1) * (last - first) / 2);
	}
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

/* Wherever the rows of a launch lie, and however far it reaches. */
START_TEST(launches_of_rows)
{
	enum { N = 20 };
	static const struct { int lo, hi, r; } part[] = {
		{0, 4, 2}, {1, 4, 2}, {2, 4, 2}, {15, 20, 3}, {15, 18, 3}, {15, 17, 3}, {0, 20, 5}, {7, 9, 30},
		{0, 19, 1}, {3, 3, 5}};
	het_system *system = open_face(_i);
	het_kernel *ring = text_kernel(system, text, "ring_1");
	het_array *in = counting_array(system, N), *out = zero_array(system, N);

	for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
		const int r = part[k].r % N;
		int got[N];

		ok(het_launch(ring, k % 2 ? first_device(system) : last_device(system),
			      het_range(1, part[k].lo, part[k].hi), HET_OUT(HET_EACH(out)),
			      HET_IN(HET_WRAP(in, part[k].r)), HET_VAL((int)N), HET_VAL(r)));
		ok(het_read(het_view(out, het_whole()), got));
		for (int i = part[k].lo; i < part[k].hi; i++)
			ck_assert_int_eq(got[i], 2 * ((i + N - r) % N) + 3 * ((i + r) % N));
	}
	close_face(system);
}
END_TEST

/* What is written between, at one end by one device and at the other by another, is what is read. */
START_TEST(both_ends_are_waited_for)
{
	enum { N = 20 };
	het_system *system = open_face(_i);
	het_kernel *ring = text_kernel(system, text, "two_rings"), *bump = common_kernel(system, "bump");
	het_array *a = counting_array(system, N), *b = counting_array(system, N), *out = zero_array(system, N);
	int got[N];

	for (int k = 1; k <= 5; k++) {
		ok(het_launch(bump, last_device(system), het_range(1, 18, 20), HET_INOUT(HET_EACH(a)),
			      HET_VAL(100)));
		ok(het_launch(bump, last_device(system), het_range(1, 0, 2), HET_INOUT(HET_EACH(b)),
			      HET_VAL(1000)));
		ok(het_launch(ring, first_device(system), het_range(1, 0, 2), HET_OUT(HET_EACH(out)),
			      HET_IN(HET_WRAP(a, 1)), HET_VAL((int)N), HET_IN(HET_WRAP(b, 2))));
		ok(het_launch(ring, first_device(system), het_range(1, 18, 20), HET_OUT(HET_EACH(out)),
			      HET_IN(HET_WRAP(a, 1)), HET_VAL((int)N), HET_IN(HET_WRAP(b, 2))));
		ok(het_read(het_view(out, het_whole()), got));
		ck_assert_int_eq(got[0], 2 * (19 + 100 * k) + 3 * 2);
		ck_assert_int_eq(got[1], 2 * 0 + 3 * 3);
		ck_assert_int_eq(got[18], 2 * 17 + 3 * (0 + 1000 * k));
		ck_assert_int_eq(got[19], 2 * (18 + 100 * k) + 3 * (1 + 1000 * k));
	}
	ok(het_audit(a));
	ok(het_audit(b));
	close_face(system);
}
END_TEST

START_TEST(what_is_refused)
{
	static struct torus t;
	het_system *system = open_face(_i);
	het_kernel *ring = text_kernel(system, text, "ring"), *ring_1 = text_kernel(system, text, "ring_1");
	het_kernel *windows = text_kernel(system, text, "ring_w");
	het_device *device = first_device(system);
	het_array *line = counting_array(system, 20), *other = zero_array(system, 20);
	int *mapped;

	begin(system, &t);
	fails(het_launch(ring, device, het_grid(2, ROWS, COLS), HET_OUT(HET_WRAP(t.out, 1)), HET_IN(t.in),
			 HET_VAL(ROWS), HET_VAL(COLS), HET_VAL(1), HET_VAL(1)),
	      HET_ERR_ARGUMENT, "kernel ring", "argument 0", "HET_WRAP is only for what is read");
	fails(het_launch(windows, device, het_grid(2, ROWS, COLS), HET_OUT(t.out), HET_IN(HET_WRAP(t.in, 1))),
	      HET_ERR_ARGUMENT, "kernel ring_w", "argument 1", "not with HET_WINDOW");
	fails(het_launch(ring_1, device, het_grid(1, 20), HET_OUT(other), HET_IN(HET_WRAP(line, 1, 1)),
			 HET_VAL(20), HET_VAL(1)),
	      HET_ERR_ARGUMENT, "argument 1", "HET_WRAP with 2 numbers for array", "whose rank is 1");
	fails(het_launch(ring_1, device, het_grid(1, 20), HET_OUT(other), HET_IN(HET_WRAP(line, -1)),
			 HET_VAL(20), HET_VAL(1)),
	      HET_ERR_ARGUMENT, "argument 1", "HET_WRAP with -1");
	fails(het_launch(ring_1, device, het_grid(1, 21), HET_OUT(other), HET_IN(HET_WRAP(line, 1)),
			 HET_VAL(20), HET_VAL(1)),
	      HET_ERR_SHAPE, "argument 1", "21");
	fails(het_launch(ring_1, device, het_range(1, 0, 2), HET_OUT_PART(line, het_rows(19, 20)),
			 HET_IN(HET_WRAP(line, 1)), HET_VAL(20), HET_VAL(1)),
	      HET_ERR_ALIAS, "arguments 0 and 1 overlap", "[19:20]", "needs two arrays");
	ok(het_map_view(het_view(line, het_rows(19, 20)), HET_READ_WRITE, &mapped));
	fails(het_launch(ring_1, device, het_range(1, 0, 2), HET_OUT(HET_EACH(other)),
			 HET_IN(HET_WRAP(line, 1)), HET_VAL(20), HET_VAL(1)),
	      HET_ERR_MAPPED, "argument 1", "[19:20]");
	ok(het_launch(ring_1, device, het_range(1, 1, 3), HET_OUT(HET_EACH(other)), HET_IN(HET_WRAP(line, 1)),
		      HET_VAL(20), HET_VAL(1)));
	ok(het_unmap_view(het_view(line, het_rows(19, 20))));
	close_face(system);
}
END_TEST

/* Of an array without elements nothing wraps, wherever the range is. */
START_TEST(nothing_that_is_long)
{
	het_system *system = open_face(_i);
	het_array *out = counting_array(system, 128), *in;
	het_kernel *kernel = text_kernel(system, "kernel void nothing(global int *out, global const int *in)"
						 "{ out[get_global_id(0)] = 7; }", "nothing");

	ok(het_array_new(system, HET_INT, het_shape(2, INT64_MAX, 0), &in));
	ok(het_spread(kernel, het_everyone(system), het_range(1, 64, 128), HET_OUT(HET_EACH(out)),
		      HET_IN(HET_WRAP(in, 1))));
	ok(het_wait_all(system));
	close_face(system);
}
END_TEST

/* Each array that is touched at both ends counts twice. */
START_TEST(too_many_arrays)
{
	enum { MOST = 40, N = 20 };
	het_system *system = open_face(_i);
	struct het_arg args[MOST + 1];
	char many[200 + MOST * 40];
	int used = snprintf(many, sizeof many, "kernel void many(global int *out");
	het_kernel *kernel;

	args[0] = HET_OUT(HET_EACH(zero_array(system, N)));
	for (int i = 0; i < MOST; i++) {
		used += snprintf(many + used, sizeof many - (size_t)used, ", global const int *a%d", i);
		args[i + 1] = HET_IN(HET_WRAP(counting_array(system, N), 1));
	}
	snprintf(many + used, sizeof many - (size_t)used, ") { out[get_global_id(0)] = a0[0]; }");
	kernel = text_kernel(system, many, "many");
	fails(het_launch_args(kernel, first_device(system), het_range(1, 0, 2), args, MOST + 1),
	      HET_ERR_ARGUMENT, "kernel many", "more than 64 arrays", "HET_WRAP");
	ok(het_launch_args(kernel, first_device(system), het_range(1, 1, 3), args, MOST + 1));
	close_face(system);
}
END_TEST

/* HETERO_CHECK knows both pieces, and what would have had an element that is missing. */
START_TEST(rehearsed)
{
	static struct torus t;
	het_system *system = open_face_checking(_i);
	het_kernel *ring = text_kernel(system, text, "ring");
	het_team *team = uneven_team(system);

	begin(system, &t);
	run(&t, ring, team, 2, 2, 1);
	compare(&t);
	if (het_team_count(team) > 1) {
		fails(het_spread(ring, team, het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(t.out)),
				 HET_IN(HET_HALO(t.in, 1)), HET_VAL(ROWS), HET_VAL(COLS), HET_VAL(1),
				 HET_VAL(0)),
		      HET_ERR_ARGUMENT, "argument 1 (int* in)", "it reads elsewhere, at (39, ",
		      "; HET_WRAP of radius 1 has that");
		fails(het_spread(ring, team, het_grid(2, ROWS, COLS), HET_OUT(HET_EACH(t.out)),
				 HET_IN(HET_WRAP(t.in, 1)), HET_VAL(ROWS), HET_VAL(COLS), HET_VAL(2),
				 HET_VAL(0)),
		      HET_ERR_ARGUMENT, "argument 1 (int* in)", " and [39:40, 0:12]: it reads elsewhere, at (",
		      "; HET_WRAP of radius 2 has that");
		fails(het_spread(text_kernel(system, text, "window_ring"), team, het_grid(2, ROWS, COLS),
				 HET_OUT(HET_EACH(t.out)), HET_IN(HET_HALO(t.in, 1)), HET_VAL(ROWS)),
		      HET_ERR_ARGUMENT, "argument 1 (int* in)", "it reads elsewhere, at (39, ");
		ck_assert_ptr_null(strstr(het_message(), "HET_WRAP"));
	}
	ok(het_team_free(team));
	close_face(system);
}
END_TEST

static const struct face_test tests[] = {
	{&torus, 1},
	{&bytes_that_move, 0},
	{&edges_of_a_ring, 0},
	{&edges_of_groups, 1},
	{&launches_of_rows, 1},
	{&both_ends_are_waited_for, 1},
	{&what_is_refused, 1},
	{&too_many_arrays, 1},
	{&nothing_that_is_long, 1},
	{&rehearsed, 1},
};

int main(void)
{
	return run_face_tests("wraps", sizeof tests / sizeof tests[0], tests);
}
