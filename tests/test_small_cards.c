/* test_small_cards.c - arrays that no device can hold, on a fake machine of three cards with 160 KiB, of which
 * a buffer may take 64: kernels that ask for windows (het.clh) work with them, and nothing is lost where
 * memory is short or allocations fail.
 */
#include "small.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define MACHINE "small-cards"

/* A third each, and a row beside it. */
static void assert_thirds(const struct field *f)
{
	for (int c = 0; c < CARDS; c++)
		ck_assert_int_eq(bytes_on(f->system, c), 2 * (f->rows / CARDS + 1 + (c == 1)) * (int)ROW);
}

/* ---- larger than a device ----------------------------------------------------------------------- */

START_TEST(without_windows_it_is_said_what_lacks)
{
	enum { ROWS = 384 }; /* 96 KiB */
	struct field f;
	het_kernel *plain;

	open_field(&f, MACHINE, ROWS);
	plain = text_kernel(f.system, small_text, "plain");
	ok(het_array_name(f.b, "field"));
	fails(het_spread(plain, het_everyone(f.system), het_grid(2, ROWS, N), HET_OUT(HET_EACH(f.b)),
			 HET_IN(HET_EACH(f.a)), HET_VAL((int)ROWS), HET_VAL((int)N)),
	      HET_ERR_DEVICE_MEMORY, "kernel plain, argument 0", "field", "98304 bytes", "65536", "HET_WINDOW",
	      "fake:gpu0");
	assert_field(&f);
	close_field(&f);
}
END_TEST

static void five_steps(int rows)
{
	struct field f;

	open_field(&f, MACHINE, rows);
	for (int t = 0; t < 5; t++)
		spread(&f);
	ok(het_wait_all(f.system));
	assert_thirds(&f);
	assert_field(&f);
	close_field(&f);
}

START_TEST(with_windows_a_team_has_room)
{
	five_steps(384);
}
END_TEST

/* Two windows of 60 KiB each fill a card: none can grow beside what it replaces. */
START_TEST(windows_grow_where_they_fill_the_memory)
{
	five_steps(720);
}
END_TEST

static const char counted_text[] =
	"#include \"het.clh\"\n"
	"kernel void counted(HET_WINDOW(global int, b), HET_WINDOW(global const int, a), global int *count)\n"
	"{ int y = get_global_id(1), x = get_global_id(0); HET_AT2(b, y, x) = HET_AT2(a, y, x);\n"
	"  atomic_add(count, 1); }\n";

/* Of each part 170 rows are written and 254 read: 106 KiB. Its edges of 42 rows and its interior would take
 * more than 160 KiB together, before their windows are one. */
START_TEST(whole_parts_have_the_room_that_edges_lack)
{
	enum { ROWS = 510, RADIUS = 42 };

	for (int overlap = HET_OVERLAP_NEVER; overlap <= HET_OVERLAP_ALWAYS; overlap++) {
		struct field f;
		het_array *count;

		open_field(&f, MACHINE, ROWS);
		count = zero_array(f.system, 1);
		ok(het_team_overlap(het_everyone(f.system), (enum het_overlap)overlap));
		for (int t = 0; t < 3; t++) {
			ok(het_spread(f.sum, het_everyone(f.system), het_grid(2, ROWS, N),
				      HET_OUT(HET_EACH(f.b)), HET_IN(HET_HALO(f.a, RADIUS)),
				      HET_VAL((int)ROWS), HET_VAL((int)N)));
			ok(het_swap(f.a, f.b));
			model_rows(&f, 0, ROWS);
			model_swap(&f);
			ok(het_spread(text_kernel(f.system, counted_text, "counted"), het_everyone(f.system),
				      het_grid(2, ROWS, N), HET_OUT(HET_EACH(f.b)),
				      HET_IN(HET_HALO(f.a, RADIUS)), HET_OUT(HET_SUM(count))));
			assert_counts(count, ROWS * N, 0);
		}
		assert_field(&f);
		close_field(&f);
	}
}
END_TEST

/* Two arrays of 300 KiB on one card, piece by piece; pieces overlap by what they read. */
START_TEST(a_card_alone_goes_piece_by_piece)
{
	enum { ROWS = 1200, PIECE = 80 };
	struct field f;

	open_field(&f, MACHINE, ROWS);
	for (int t = 0; t < 3; t++) {
		for (int lo = 0; lo < ROWS; lo += PIECE) {
			const struct het_range range = het_range(2, lo, lo + PIECE, 0, N);

			ok(het_launch(f.sum, first_device(f.system), range, HET_OUT(HET_EACH(f.b)),
				      HET_IN(HET_HALO(f.a, 1)), HET_VAL((int)ROWS), HET_VAL((int)N)));
			ck_assert_int_le(bytes_on(f.system, 0), 160 << 10);
		}
		ok(het_swap(f.a, f.b));
		model_rows(&f, 0, ROWS);
		model_swap(&f);
	}
	assert_field(&f);
	close_field(&f);
}
END_TEST

/* One array's windows give way to another's. */
START_TEST(arrays_make_room_for_each_other)
{
	enum { ROWS = 1200, PIECE = 100, ARRAYS = 4 };
	het_array *array[ARRAYS];
	het_kernel *bump;
	struct field f;

	open_field(&f, MACHINE, ROWS);
	bump = text_kernel(f.system, small_text, "bump");
	for (int i = 0; i < ARRAYS; i++)
		array[i] = rows_of(f.system, ROWS);
	for (int round = 0; round < 60; round++) {
		const int lo = round * 7 % (ROWS / PIECE) * PIECE;

		for (int i = 0; i < ARRAYS; i++)
			ok(het_launch(bump, first_device(f.system), het_range(2, lo, lo + PIECE, 0, N),
				      HET_INOUT(HET_EACH(array[i])), HET_VAL(1 + i)));
	}
	for (int i = 0; i < ARRAYS; i++) {
		const int *at;

		ok(het_map(array[i], HET_READ, &at));
		for (int k = 0; k < ROWS * N; k++)
			ck_assert_int_eq(at[k], 60 / (ROWS / PIECE) * (1 + i));
		ok(het_unmap(array[i]));
	}
	close_field(&f);
}
END_TEST

/* ---- beside full memory ------------------------------------------------------------------------- */

/* Fills the cards with windows. */
static void fill_cards(struct field *f)
{
	for (int t = 0; t < 2; t++)
		spread(f);
	ok(het_wait_all(f->system));
}

static int sum_of(const struct field *f)
{
	unsigned sum = 0;

	for (int i = 0; i < f->rows * N; i++)
		sum += (unsigned)f->now[i / N][i % N];
	return (int)sum;
}

/* Sums of both kinds need memory of their own. */
START_TEST(what_is_combined_finds_room)
{
	enum { ROWS = 720 };
	het_array *sum;
	het_kernel *add;
	struct field f;
	int got;

	open_field(&f, MACHINE, ROWS);
	add = text_kernel(f.system, small_text, "add");
	ok(het_array_new(f.system, HET_INT, het_shape(1, 3000), &sum));
	fill_cards(&f);
	assert_thirds(&f);
	ok(het_spread(add, het_everyone(f.system), het_grid(2, ROWS, N), HET_OUT(HET_SUM(sum)),
		      HET_IN(HET_EACH(f.a))));
	ok(het_read(het_view(sum, het_rows(7, 8)), &got));
	ck_assert_int_eq(got, sum_of(&f));
	fill_cards(&f);
	ok(het_reduce(HET_REDUCE_SUM, het_view(f.a, het_whole()), het_view(sum, het_rows(1, 2)),
		      het_everyone(f.system)));
	ok(het_read(het_view(sum, het_rows(1, 2)), &got));
	ck_assert_int_eq(got, sum_of(&f));
	assert_field(&f);
	close_field(&f);
}
END_TEST

/* 60 KiB that are read and 52 of the parts' results leave no room for the sum: what was read makes it. */
START_TEST(what_is_combined_takes_the_room_of_what_was_read)
{
	enum { ROWS = 240, MANY = 13 * 1024, FIVE = 5 };
	const int five = FIVE;
	het_team *team;
	het_device *first;
	het_array *sum;
	struct field f;
	int got;

	open_field(&f, MACHINE, ROWS);
	first = first_device(f.system);
	ok(het_team_new(f.system, 1, &first, NULL, &team));
	ok(het_array_new(f.system, HET_INT, het_shape(1, MANY), &sum));
	ok(het_fill(het_view(sum, het_whole()), &five));
	ok(het_spread(text_kernel(f.system, small_text, "add"), team, het_grid(2, ROWS, N),
		      HET_INOUT(HET_SUM(sum)), HET_IN(HET_EACH(f.a))));
	ok(het_read(het_view(sum, het_rows(7, 8)), &got));
	ck_assert_int_eq(got, sum_of(&f) + FIVE);
	assert_field(&f);
	close_field(&f);
}
END_TEST

/* Three rows of 24 KiB are one buffer of who combines them. */
START_TEST(what_cannot_be_combined_is_not_begun)
{
	enum { ROWS = 384, MANY = 6 * 1024, FIVE = 5 };
	static int got[MANY];
	const int five = FIVE;
	het_array *sum;
	struct field f;

	open_field(&f, MACHINE, ROWS);
	ok(het_array_new(f.system, HET_INT, het_shape(1, MANY), &sum));
	ok(het_fill(het_view(sum, het_whole()), &five));
	fails(het_spread(text_kernel(f.system, small_text, "add"), het_everyone(f.system),
			 het_grid(2, ROWS, N), HET_INOUT(HET_SUM(sum)), HET_IN(HET_EACH(f.a))),
	      HET_ERR_DEVICE_MEMORY, "kernel add, argument 0", "results of 3 parts", "73728 bytes",
	      "65536 at most");
	ok(het_read(het_view(sum, het_whole()), got));
	for (int i = 0; i < MANY; i++)
		ck_assert_int_eq(got[i], FIVE);
	assert_field(&f);
	close_field(&f);
}
END_TEST

/* A kernel that asks for no windows finds room as well, and windows beside what it used. */
START_TEST(whole_arrays_and_windows_make_room_for_each_other)
{
	enum { ROWS = 720, SMALL = 250 };
	static int got[SMALL][N];
	het_kernel *plain;
	het_array *from, *to;
	struct field f;
	const int seven = 7;

	open_field(&f, MACHINE, ROWS);
	plain = text_kernel(f.system, small_text, "plain");
	from = rows_of(f.system, SMALL);
	to = rows_of(f.system, SMALL);
	ok(het_fill(het_view(from, het_whole()), &seven));
	for (int i = 0; i < 3; i++) {
		fill_cards(&f);
		ok(het_launch(plain, first_device(f.system), het_grid(2, SMALL, N), HET_OUT(to), HET_IN(from),
			      HET_VAL((int)SMALL), HET_VAL((int)N)));
	}
	ok(het_read(het_view(to, het_whole()), got));
	ck_assert_int_eq(got[0][0], 7);
	ck_assert_int_eq(got[SMALL - 1][N - 1], 7);
	assert_field(&f);
	close_field(&f);
}
END_TEST

/* What is prefetched comes into the windows. */
START_TEST(windows_are_prefetched)
{
	enum { ROWS = 384 };
	struct field f;

	open_field(&f, MACHINE, ROWS);
	fill_cards(&f);
	assert_thirds(&f);
	for (int c = 0; c < CARDS; c++) {
		const int lo = c * ROWS / CARDS, hi = lo + ROWS / CARDS;

		ok(het_prefetch(het_view(f.a, het_rows(lo - (c > 0), hi + (c < CARDS - 1))),
				het_device(f.system, c)));
	}
	assert_thirds(&f);
	spread(&f);
	assert_field(&f);
	close_field(&f);
}
END_TEST

static long waits_before;

/* When somebody is seen to wait, a stopped device goes on. */
static void *let_go(void *command)
{
	while (control("count clWaitForEvents") == waits_before)
		sched_yield();
	ck_assert_int_eq(control("%s", (const char *)command), 0);
	return NULL;
}

static pthread_t stop(const char *stop_command, char *go_command)
{
	pthread_t thread;

	ck_assert_int_eq(control("%s", stop_command), 0);
	waits_before = control("count clWaitForEvents");
	ck_assert_int_eq(pthread_create(&thread, NULL, let_go, go_command), 0);
	return thread;
}

/* Four arrays of 60 KiB one after another, each freed while its kernel waits: the card holds two. */
START_TEST(freed_arrays_are_waited_for)
{
	enum { ROWS = 64, PART = 240 };
	het_array *array = NULL;
	het_kernel *bump;
	pthread_t thread;
	struct field f;
	int got;

	open_field(&f, MACHINE, ROWS);
	bump = text_kernel(f.system, small_text, "bump");
	thread = stop("stop 0 1", "go 0");
	for (int i = 0; i < 4; i++) {
		if (array)
			ok(het_array_free(array));
		array = rows_of(f.system, PART);
		ok(het_launch(bump, first_device(f.system), het_grid(2, PART, N), HET_INOUT(HET_EACH(array)),
			      HET_VAL(5)));
	}
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ok(het_read(het_view(array, het_box(2, 7, 8, 3, 4)), &got));
	ck_assert_int_eq(got, 5);
	close_field(&f);
}
END_TEST

/* As well where their tasks are held back by another card, and nothing is in the queue. */
static void wait_for_held(int rows, int refusals)
{
	het_array *from, *to = NULL;
	pthread_t thread;
	struct field f;
	int got;

	open_field(&f, MACHINE, 64);
	from = rows_of(f.system, rows);
	thread = stop("stop 1 1", "go 1");
	ok(het_launch(text_kernel(f.system, small_text, "bump"), het_device(f.system, 1), het_grid(2, rows, N),
		      HET_INOUT(HET_EACH(from)), HET_VAL(5)));
	for (int i = 0; i < 2; i++) {
		if (to)
			ok(het_array_free(to));
		for (int k = 1; to && k <= refusals; k++)
			ck_assert_int_eq(control("fail clCreateBuffer %d -4", k), 0);
		to = rows_of(f.system, rows);
		ok(het_launch(f.sum, first_device(f.system), het_grid(2, rows, N), HET_OUT(HET_EACH(to)),
			      HET_IN(HET_HALO(from, 1)), HET_VAL(rows), HET_VAL((int)N)));
	}
	ck_assert_int_eq(control("pending"), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ok(het_read(het_view(to, het_box(2, 7, 8, 3, 4)), &got));
	ck_assert_int_eq(got, 5 + 3 * 5 - 5);
	close_field(&f);
}

/* Either there is no room, or the driver says so twice though there should be. */
START_TEST(freed_arrays_of_held_tasks_are_waited_for)
{
	wait_for_held(240, 0);
	wait_for_held(60, 2);
}
END_TEST

/* Beside windows of three arrays, 150 KiB, there is no room for the scratch that rows need which move down over
 * themselves. */
START_TEST(what_overlaps_is_copied_beside_full_memory)
{
	enum { ROWS = 200, MOVED = 100, DOWN = 50 };
	het_array *array[CARDS];
	int *now, *got;
	het_kernel *bump;
	struct field f;

	open_field(&f, MACHINE, ROWS);
	bump = text_kernel(f.system, small_text, "bump");
	now = malloc(ROWS * ROW);
	got = malloc(ROWS * ROW);
	ck_assert(now && got);
	for (int k = 0; k < ROWS * N; k++)
		now[k] = k;
	for (int i = 0; i < CARDS; i++) {
		array[i] = rows_of(f.system, ROWS);
		ok(het_write(het_view(array[i], het_whole()), now));
		ok(het_launch(bump, first_device(f.system), het_grid(2, ROWS, N), HET_INOUT(HET_EACH(array[i])),
			      HET_VAL(1)));
	}
	ck_assert_int_gt(bytes_on(f.system, 0), (160 << 10) - MOVED * ROW);
	ok(het_copy(het_view(array[0], het_rows(DOWN, DOWN + MOVED)),
		    het_view(array[0], het_rows(0, MOVED))));
	ok(het_read(het_view(array[0], het_whole()), got));
	for (int k = 0; k < ROWS * N; k++)
		now[k]++;
	memmove(now + DOWN * N, now, MOVED * ROW);
	ck_assert_int_eq(memcmp(now, got, ROWS * ROW), 0);
	free(now);
	free(got);
	close_field(&f);
}
END_TEST

static atomic_bool gate;

static het_status wait_at_gate(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	while (!atomic_load(&gate))
		sched_yield();
	return HET_OK;
}

/* A function of the user's reads the host's copy until this thread opens a gate: what would have to be written
 * there does not give way, though nobody has used it for longer than what does. */
START_TEST(who_waits_for_a_function_does_not_give_way)
{
	enum { ROWS = 720, PART = 240 };
	struct field f;
	het_array *other[2];
	het_kernel *bump;
	int got;

	open_field(&f, MACHINE, ROWS);
	bump = text_kernel(f.system, small_text, "bump");
	atomic_store(&gate, false);
	ok(het_call(f.system, wait_at_gate, NULL, HET_IN(f.a)));
	bump_rows(&f, bump, 0, 0, PART);
	for (int i = 0; i < 2; i++) {
		other[i] = rows_of(f.system, PART);
		ok(het_launch(bump, first_device(f.system), het_grid(2, PART, N), HET_INOUT(HET_EACH(other[i])),
			      HET_VAL(5)));
		ok(het_wait(other[i]));
	}
	atomic_store(&gate, true);
	ok(het_read(het_view(other[0], het_box(2, 7, 8, 3, 4)), &got));
	ck_assert_int_eq(got, 5);
	assert_field(&f);
	close_field(&f);
}
END_TEST

/* Of two cards of one context one has smaller buffers: it can name no buffer that is too large for it, not even
 * to copy from or to. */
START_TEST(buffers_of_another_card_are_too_large)
{
	enum { LARGE = 160, LO = 10, HI = 20 }; /* 40 KiB; buffers may have 48 and 32 */
	struct field f;
	het_kernel *bump;

	setenv("HETERO_ROUTE", "copy", 1);
	open_field(&f, "small-mixed", LARGE);
	bump = text_kernel(f.system, small_text, "bump");
	for (int round = 0; round < 3; round++) {
		ck_assert_int_eq(bump_rows(&f, bump, 0, 0, LARGE), 0);
		ck_assert_int_eq(bump_rows(&f, bump, 1, LO, HI), 0);
	}
	assert_field(&f);
	close_field(&f);
	unsetenv("HETERO_ROUTE");
}
END_TEST

/* Boxes of any place and size on any card: directories of many entries, windows that grow and go. */
START_TEST(anything_goes)
{
	enum { ROWS = 600 };
	struct field f;
	het_kernel *bump;

	open_field(&f, MACHINE, ROWS);
	bump = text_kernel(f.system, small_text, "bump");
	for (int round = random_rounds(2000); round > 0; round--) {
		const int rows = random_in(1, random_once_in(4) ? 200 : 20), lo = random_in(0, ROWS - rows);

		if (random_once_in(50))
			spread(&f);
		else if (random_once_in(20))
			ok(het_prefetch(het_view(f.a, het_rows(lo, lo + rows)),
					het_device(f.system, random_in(0, CARDS - 1))));
		else
			bump_rows(&f, bump, random_in(0, CARDS - 1), lo, lo + rows);
		if (random_once_in(200))
			assert_field(&f);
	}
	assert_field(&f);
	close_field(&f);
}
END_TEST

/* ---- failures ----------------------------------------------------------------------------------- */

/* Whichever allocation fails: where it is of a window that was to grow the box alone will do, and whatever the
 * call returns, nothing is lost. */
START_TEST(allocations_fail)
{
	enum { ROWS = 240 };
	int failures = 0, k = 0;

	for (long left = 0; left == 0;) {
		struct field f;
		het_kernel *bump;

		open_field(&f, MACHINE, ROWS);
		bump = text_kernel(f.system, small_text, "bump");
		ck_assert_int_eq(control("fail clCreateBuffer %d -4", ++k), 0);
		for (int i = 0; i < 4; i++) {
			failures += bump_rows(&f, bump, 0, 100 - 10 * i, 150 + 10 * i);
			failures += bump_rows(&f, bump, 1, 40 * i, 40 * i + 60);
		}
		left = control("pending");
		control("forget");
		assert_field(&f);
		close_field(&f);
	}
	ck_assert_int_gt(k, 5);
	ck_assert_int_lt(failures, k); /* some boxes alone were to be had */
}
END_TEST

/* A window cannot be handed over at first: it is tried again. */
START_TEST(a_copy_to_a_larger_window_fails)
{
	enum { ROWS = 240 };
	struct field f;
	het_kernel *bump;

	open_field(&f, MACHINE, ROWS);
	bump = text_kernel(f.system, small_text, "bump");
	bump_rows(&f, bump, 0, 100, 120);
	ck_assert_int_eq(control("fail copy 1 -5"), 0);
	bump_rows(&f, bump, 0, 90, 130);
	bump_rows(&f, bump, 0, 95, 125);
	ck_assert_int_eq(bytes_on(f.system, 0), 40 * (int)ROW);
	ck_assert_int_eq(control("pending"), 0);
	assert_field(&f);
	ck_assert_int_eq(het_wait_all(f.system), HET_ERR_LOST); /* it is told, but nothing was lost */
	close_field(&f);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		without_windows_it_is_said_what_lacks, with_windows_a_team_has_room,
		windows_grow_where_they_fill_the_memory, whole_parts_have_the_room_that_edges_lack,
		a_card_alone_goes_piece_by_piece, arrays_make_room_for_each_other, what_is_combined_finds_room,
		what_is_combined_takes_the_room_of_what_was_read, what_cannot_be_combined_is_not_begun,
		whole_arrays_and_windows_make_room_for_each_other, windows_are_prefetched,
		freed_arrays_are_waited_for, freed_arrays_of_held_tasks_are_waited_for,
		what_overlaps_is_copied_beside_full_memory, who_waits_for_a_function_does_not_give_way,
		buffers_of_another_card_are_too_large, anything_goes, allocations_fail,
		a_copy_to_a_larger_window_fails};

	return run_fake_tests("small_cards", (int)(sizeof tests / sizeof tests[0]), tests);
}
