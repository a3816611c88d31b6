/* test_small_buffers.c - arrays in the host's memory, in place, that are larger than a buffer may be, on a fake
 * machine of three CPUs: kernels that ask for windows see the part that they touch, with no copy of it.
 */
#include "small.h"

#include <stdlib.h>

#include <hetero/opencl.h>

#include "random.h"

enum { ROWS = 720 }; /* 180 KiB; a buffer may have 64 */

static void open_large(struct field *f)
{
	open_field(f, "small-buffers", ROWS);
	ok(het_array_name(f->a, "large"));
}

/* All is in place: nothing was copied to anywhere. */
static void close_large(struct field *f)
{
	struct het_stats stats = HET_STATS_INIT;

	assert_field(f);
	ok(het_stats(f->system, &stats));
	for (int c = 0; c < CARDS; c++)
		ck_assert_int_eq(bytes_on(f->system, c), 0);
	ck_assert_uint_eq(stats.transfers, 0);
	close_field(f);
}

START_TEST(a_team_works_in_place)
{
	struct field f;

	open_large(&f);
	for (int t = 0; t < 5; t++)
		spread(&f);
	close_large(&f);
}
END_TEST

/* 64 KiB are 256 rows. */
START_TEST(boxes_of_any_place_and_size)
{
	struct field f;
	het_kernel *bump;

	open_large(&f);
	bump = text_kernel(f.system, small_text, "bump");
	for (int round = random_rounds(1000); round > 0; round--) {
		const int rows = random_in(1, 255), lo = random_in(0, ROWS - rows);

		ck_assert_int_eq(bump_rows(&f, bump, random_in(0, CARDS - 1), lo, lo + rows), 0);
	}
	bump_rows(&f, bump, 0, ROWS - 255, ROWS);
	bump_rows(&f, bump, 1, 0, 255);
	close_large(&f);
}
END_TEST

/* Of nothing a kernel sees nothing, however large the array is. */
START_TEST(boxes_of_no_cells)
{
	static const char text[] =
		"#include \"het.clh\"\n"
		"kernel void keep(HET_WINDOW(global int, x), HET_WINDOW(global const int, none))\n"
		"{ HET_AT2(x, get_global_id(1), get_global_id(0)) += 0; }\n";
	struct field f;
	het_kernel *keep;

	open_large(&f);
	keep = text_kernel(f.system, text, "keep");
	for (int c = 0; c < CARDS; c++)
		ok(het_launch(keep, het_device(f.system, c), het_range(2, 0, N, 300, 400),
			      HET_INOUT(het_view(f.a, het_rows(300, 400))),
			      HET_IN(het_view(f.b, het_rows(ROWS, ROWS)))));
	ok(het_launch(keep, first_device(f.system), het_range(2, 0, N, 0, 10),
		      HET_INOUT_PART(f.a, het_rows(0, 10)), HET_IN_PART(f.b, het_rows(5, 5))));
	close_large(&f);
}
END_TEST

static het_status do_nothing(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	return HET_OK;
}

/* Behind a function the launches keep their arguments. */
START_TEST(launches_that_wait_keep_their_parts)
{
	struct field f;
	het_kernel *bump;

	open_large(&f);
	bump = text_kernel(f.system, small_text, "bump");
	for (int i = 0; i < 8; i++) {
		ok(het_call(f.system, do_nothing, NULL, HET_INOUT(f.a)));
		bump_rows(&f, bump, i % CARDS, 80 * i, 80 * i + 150);
	}
	close_large(&f);
}
END_TEST

/* A view as an array of its own needs no more than it has. */
START_TEST(views_are_their_own_buffers)
{
	struct field f;
	het_kernel *set;

	open_large(&f);
	set = common_kernel(f.system, "set");
	ok(het_launch(set, het_device(f.system, 1), het_grid(1, N), HET_OUT(het_view(f.a, het_rows(700, 701))),
		      HET_VAL(5)));
	for (int x = 0; x < N; x++)
		f.now[700][x] = 5;
	close_large(&f);
}
END_TEST

/* Columns of rows that lie far apart: the way from the first to the last is longer than a buffer, so the kernel
 * works in a copy of them; of the program's matrix, and of an array that is in one piece. */
START_TEST(columns_lie_far_apart)
{
	enum { HIGH = 720, FAR = 1024, WIDE = 8 };
	static int matrix[HIGH][FAR];
	const size_t pitch = FAR * sizeof(int);
	struct field f;
	het_array *columns;
	het_kernel *bump;

	open_field(&f, "small-buffers", ROWS);
	bump = text_kernel(f.system, small_text, "bump");
	for (int y = 0; y < HIGH; y++)
		for (int x = 0; x < FAR; x++)
			matrix[y][x] = y + x;
	ok(het_array_wrap_pitched(f.system, HET_INT, het_shape(2, HIGH, WIDE), matrix, &pitch, &columns));
	for (int card = 0; card < CARDS; card++)
		ok(het_launch(bump, het_device(f.system, card), het_range(2, card, HIGH, 0, WIDE),
			      HET_INOUT(columns), HET_VAL(100)));
	ok(het_spread(bump, het_everyone(f.system), het_grid(2, HIGH, WIDE), HET_INOUT(HET_EACH(columns)),
		      HET_VAL(100)));
	ok(het_array_free(columns));
	for (int y = 0; y < HIGH; y++)
		for (int x = 0; x < FAR; x++)
			ck_assert_int_eq(matrix[y][x], y + x + (x < WIDE ? 200 + 100 * (y < 2 ? y : 2) : 0));
	ok(het_launch(bump, het_device(f.system, 1), het_range(2, 0, ROWS, 3, 5),
		      HET_INOUT_PART(f.a, het_box(2, 0, ROWS, 3, 5)), HET_VAL(7)));
	for (int y = 0; y < ROWS; y++)
		for (int x = 3; x < 5; x++)
			f.now[y][x] += 7;
	assert_field(&f);
	close_field(&f);
}
END_TEST

static het_status do_nothing_natively(void *user, const struct het_native_info *info)
{
	(void)info;
	*(int *)user += 1;
	return HET_OK;
}

/* A function has no parameters that could be windows. */
START_TEST(what_is_too_large_for_a_function)
{
	struct field f;
	int calls = 0;

	open_large(&f);
	fails(het_native(first_device(f.system), do_nothing_natively, &calls, HET_VAL(1), HET_INOUT(f.a)),
	      HET_ERR_DEVICE_MEMORY, "het_native, argument 1: large: 184320 bytes", "65536 at most",
	      "of a view (HET_IN(het_view(...))) it needs only the box");
	ck_assert_ptr_null(strstr(het_message(), "HET_WINDOW"));
	ok(het_native(first_device(f.system), do_nothing_natively, &calls, HET_VAL(1),
		      HET_INOUT(het_view(f.a, het_rows(0, 100)))));
	ok(het_wait_all(f.system));
	ck_assert_int_eq(calls, 1);
	close_large(&f);
}
END_TEST

START_TEST(what_is_too_large_is_said)
{
	struct field f;
	het_kernel *plain, *bump, *set;
	het_device *first;
	het_team *team;

	open_large(&f);
	first = first_device(f.system);
	ok(het_team_new(f.system, 1, &first, NULL, &team));
	plain = text_kernel(f.system, small_text, "plain");
	bump = text_kernel(f.system, small_text, "bump");
	set = common_kernel(f.system, "set");
	fails(het_launch(plain, first_device(f.system), het_grid(2, ROWS, N), HET_OUT(HET_EACH(f.b)),
			 HET_IN(HET_EACH(f.a)), HET_VAL((int)ROWS), HET_VAL((int)N)),
	      HET_ERR_DEVICE_MEMORY, "kernel plain, argument", "184320 bytes", "65536 at most", "HET_WINDOW",
	      "fake:cpu0");
	ck_assert_ptr_null(strstr(het_message(), "less of it")); /* a plain pointer sees all of it */
	fails(het_launch(bump, first_device(f.system), het_range(2, 100, 500, 0, N), HET_INOUT(HET_EACH(f.a)),
			 HET_VAL(1)),
	      HET_ERR_DEVICE_MEMORY, "kernel bump, argument 0: large: 102400 bytes",
	      "65536 at most; less of it at a time may fit");
	fails(het_launch(set, first_device(f.system), het_grid(1, 300 * N),
			 HET_OUT(het_view(f.a, het_rows(0, 300))), HET_VAL(1)),
	      HET_ERR_DEVICE_MEMORY, "kernel set, argument 0: large: 76800 bytes",
	      "65536 at most; less of it at a time may fit");
	fails(het_reduce(HET_REDUCE_SUM, het_view(f.a, het_whole()),
			 het_view(zero_array(f.system, 1), het_whole()), team),
	      HET_ERR_DEVICE_MEMORY, "het_reduce: large: ", "65536 at most; less of it at a time may fit",
	      "more devices");
	close_large(&f);
}
END_TEST

/* Whichever part it is, nothing has begun. */
START_TEST(a_later_part_is_too_large)
{
	const double share[CARDS] = {1, 3, 1};
	struct field f;
	het_device *all[CARDS];
	het_team *team;

	open_large(&f);
	for (int d = 0; d < CARDS; d++)
		all[d] = het_device(f.system, d);
	ok(het_team_new(f.system, CARDS, all, share, &team));
	fails(het_spread(text_kernel(f.system, small_text, "bump"), team, het_grid(2, ROWS, N),
			 HET_INOUT(HET_EACH(f.a)), HET_VAL(1)),
	      HET_ERR_DEVICE_MEMORY, "kernel bump, argument 0: large: 110592 bytes", "fake:cpu1",
	      "65536 at most; less of it at a time may fit");
	ok(het_wait_all(f.system));
	close_large(&f);
}
END_TEST

/* 65472 bytes from byte 10368 on, a multiple of 128, are a buffer's. */
START_TEST(a_buffer_is_nearly_filled)
{
	enum { COUNT = 16384, FIRST = 648, BEHIND = FIRST + 4092 };
	static unsigned got[COUNT][4];
	struct het_stats before = HET_STATS_INIT, after = HET_STATS_INIT;
	struct field f;
	het_array *array;

	open_large(&f);
	ok(het_array_new(f.system, HET_UINT4, het_shape(1, COUNT), &array));
	ok(het_stats(f.system, &before));
	ok(het_launch(text_kernel(f.system,
				  "#include \"het.clh\"\nkernel void k(HET_WINDOW(global uint4, x))\n"
				  "{ HET_AT1(x, get_global_id(0)) += 1; }",
				  "k"),
		      first_device(f.system), het_range(1, FIRST, BEHIND), HET_INOUT(HET_EACH(array))));
	ok(het_stats(f.system, &after));
	ck_assert_uint_eq(after.repacks, before.repacks); /* nor was it copied to where it fits */
	ok(het_read(het_view(array, het_whole()), got));
	for (int i = 0; i < COUNT; i++)
		ck_assert_uint_eq(got[i][3], i >= FIRST && i < BEHIND);
	close_large(&f);
}
END_TEST

/* Vectors and structs: a part begins where one does. */
static void bump_elements(het_system *system, het_type type, const char *source, int count)
{
	const size_t bytes = HET_TYPE_BYTES(type);
	unsigned char *const got = malloc((size_t)count * bytes);
	het_kernel *const kernel = text_kernel(system, source, "k");
	het_array *array;

	ck_assert_ptr_nonnull(got);
	ok(het_array_new(system, type, het_shape(1, count), &array));
	for (int lo = 0, step; lo < count; lo += step) {
		step = random_in(1, (int)(60000 / bytes));
		ok(het_launch(kernel, first_device(system),
			      het_range(1, lo, lo + step < count ? lo + step : count),
			      HET_INOUT(HET_EACH(array))));
	}
	ok(het_read(het_view(array, het_whole()), got));
	for (size_t i = 0; i < (size_t)count; i++)
		ck_assert_int_eq(got[i * bytes], 1);
	free(got);
	ok(het_array_free(array));
}

START_TEST(elements_of_odd_sizes)
{
	struct field f;

	open_large(&f);
	bump_elements(f.system, HET_STRUCT(20),
		      "#include \"het.clh\"\nstruct s { int a, b, c, d, e; };\n"
		      "kernel void k(HET_WINDOW(global struct s, x))\n"
		      "{ HET_AT1(x, get_global_id(0)).a++; }", 9000);
	bump_elements(f.system, HET_INT16,
		      "#include \"het.clh\"\n"
		      "kernel void k(HET_WINDOW(global int16, x))\n"
		      "{ HET_AT1(x, get_global_id(0)).s0++; }", 3000);
	close_large(&f);
}
END_TEST

/* A caller's memory, padded; each part begins somewhere in its rows. */
START_TEST(padded_memory)
{
	enum { PITCH = N + 3 };
	static int memory[ROWS][PITCH];
	struct field f;
	het_kernel *bump;
	het_array *padded;

	open_large(&f);
	bump = text_kernel(f.system, small_text, "bump");
	memset(memory, 0, sizeof memory);
	ok(het_array_wrap_pitched(f.system, HET_INT, het_shape(2, ROWS, N), memory,
				  (const size_t[]){sizeof memory[0]}, &padded));
	for (int y = 0; y < ROWS; y += 45)
		ok(het_launch(bump, het_device(f.system, y % CARDS), het_range(2, y, y + 45, 0, N),
			      HET_INOUT(HET_EACH(padded)), HET_VAL(1)));
	ok(het_array_free(padded));
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < PITCH; x++)
			ck_assert_int_eq(memory[y][x], x < N);
	close_large(&f);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_team_works_in_place,        boxes_of_any_place_and_size,
		boxes_of_no_cells,            launches_that_wait_keep_their_parts,
		views_are_their_own_buffers,  what_is_too_large_is_said,   a_later_part_is_too_large,
		a_buffer_is_nearly_filled,    elements_of_odd_sizes,       padded_memory,
		columns_lie_far_apart,        what_is_too_large_for_a_function,
	};

	return run_fake_tests("small buffers", (int)(sizeof tests / sizeof tests[0]), tests);
}
