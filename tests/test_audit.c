/* test_audit.c - het_audit: copies that should be alike and are not, and the promises of het_unmodified. */
#include "face.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "system/system.h"

enum { N = 64 };

static het_system *system_;
static het_device *near, *far;

static void set_up_on(het_system *system)
{
	system_ = system;
	near = first_device(system);
	far = last_device(system);
}

static void set_up(int face)
{
	set_up_on(open_face(face));
}

static het_array *wrapped(het_type type, void *memory, int rows, int columns)
{
	het_array *array;

	ok(het_array_wrap(system_, type, het_shape(2, rows, columns), memory, &array));
	return array;
}

/* The copy of a device with a memory of its own is not what the host has behind the library's back: the text
 * has all of the parts. Where the memory is the host's there is one copy only. */
#define differs(array, device, ...)                                                  \
	do {                                                                         \
		if (is_separate(device))                                             \
			fails(het_audit(array), HET_ERR_DIFFER, __VA_ARGS__, "host"); \
		else                                                                 \
			ok(het_audit(array));                                        \
	} while (0)

START_TEST(test_copies_are_alike)
{
	het_kernel *bump, *add;
	het_array *array, *sum;

	set_up(_i);
	bump = common_kernel(system_, "bump");
	add = common_kernel(system_, "add");
	array = counting_array(system_, N);
	sum = zero_array(system_, N);
	for (int round = 0; round < 4; round++) {
		ok(het_launch(bump, near, het_range(1, 0, N / 2), HET_INOUT_PART(array, het_rows(0, N / 2)),
			      HET_VAL(1)));
		ok(het_launch(add, far, het_grid(1, N), HET_OUT(sum), HET_IN(array), HET_VAL(round)));
		ok(het_audit(array));
		ok(het_audit(sum));
	}
	ck_assert_int_eq(element(sum, 0), 4 + 3);
	ck_assert_int_eq(element(array, N - 1), N - 1);
	ok(het_audit(array));
	close_face(system_);
}
END_TEST

START_TEST(test_a_host_that_writes_wrapped_memory)
{
	float memory[8][8] = {{0}};
	het_array *array;

	set_up(_i);
	memory[3][4] = 1.5F;
	array = wrapped(HET_FLOAT, memory, 8, 8);
	ok(het_prefetch(het_view(array, het_whole()), near));
	ok(het_audit(array));
	memory[3][4] = -0.25F;
	memory[7][7] = 1;
	differs(array, near, "array 0, element (3, 4)", "-0.25", "1.5");
	memory[3][4] = 1.5F;
	differs(array, near, "element (7, 7)");
	memory[7][7] = 0;
	ok(het_audit(array));
	ok(het_array_free(array));
	close_face(system_);
}
END_TEST

/* A kernel that writes what it was given to read: the mode says HET_IN, its parameter is not const. */
START_TEST(test_a_kernel_that_writes_what_it_reads)
{
	het_kernel *bump;
	het_array *array;

	set_up(_i);
	bump = common_kernel(system_, "bump");
	array = counting_array(system_, N);
	ok(het_launch(bump, near, het_range(1, 5, 6), HET_IN(array), HET_VAL(7)));
	differs(array, near, "element (5)", " 5", " 12");
	close_face(system_);
}
END_TEST

/* How a number of each kind is told: what the host has, and what the device. */
static const struct {
	het_type type;
	size_t at; /* the byte of the first element that the host changes to 0x81 */
	const char *there, *here; /* NULL: nobody's */
} kinds[] = {
	{HET_CHAR, 0, "-127", "0"},
	{HET_UCHAR, 0, "129", "0"},
	{HET_SHORT, 0, "129", "0"},
	{HET_USHORT2, 3, "33024", "0"},
	{HET_INT4, 15, "-2130706432", "0"},
	{HET_UINT, 3, "2164260864", "0"},
	{HET_LONG, 7, "-9151314442816847872", "0"},
	{HET_ULONG, 7, "9295429630892703744", "0"},
	{HET_HALF, 0, "0x0081 (half)", "0x0000 (half)"},
	{HET_FLOAT3, 11, "-2.3509887e-38", "0"},
	{HET_FLOAT3, 12, NULL, NULL},
	{HET_DOUBLE, 7, "-7.2911220195563975e-304", "0"},
	{HET_STRUCT(5), 4, "0x81", "0x00"},
};

START_TEST(test_numbers_of_all_kinds)
{
	unsigned char memory[4][32] __attribute__((aligned(16))) = {{0}};

	set_up(_i);
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
		het_array *const array = wrapped(kinds[k].type, memory, 4, 1);

		ok(het_prefetch(het_view(array, het_whole()), near));
		ok(het_audit(array));
		memory[0][kinds[k].at] = 0x81;
		if (kinds[k].there)
			differs(array, near, "element (0, 0)", kinds[k].there, kinds[k].here);
		else
			ok(het_audit(array));
		memory[0][kinds[k].at] = 0;
		ok(het_array_discard(array));
	}
	close_face(system_);
}
END_TEST

/* Many entries, of which some are larger than what is compared at once. */
START_TEST(test_a_large_array_in_pieces)
{
	enum { ROWS = 3000, COLUMNS = 1024 };
	int *const memory = calloc(ROWS * COLUMNS, sizeof *memory);
	het_kernel *bump;
	het_array *array;

	ck_assert_ptr_nonnull(memory);
	set_up(_i);
	bump = common_kernel(system_, "bump");
	array = wrapped(HET_INT, memory, ROWS, COLUMNS);
	ok(het_prefetch(het_view(array, het_whole()), far));
	for (int row = 100; row < 110; row += 2)
		ok(het_launch(bump, near, het_grid(1, COLUMNS),
			      HET_INOUT(het_view(array, het_rows(row, row + 1))), HET_VAL(row)));
	ok(het_audit(array));
	ok(het_prefetch(het_view(array, het_whole()), far));
	ok(het_audit(array));
	memory[2999 * COLUMNS + 1023] = 9;
	differs(array, far, "element (2999, 1023)", "9");
	memory[2999 * COLUMNS + 1023] = 0;
	ok(het_audit(array));
	ok(het_array_free(array));
	ck_assert_int_eq(memory[108 * COLUMNS], 108);
	close_face(system_);
	free(memory);
}
END_TEST

/* Rows that one device has and rows that the other has are never joined. With debug checks all entries are held
 * against each other after every call. */
START_TEST(test_thousands_of_entries)
{
#ifdef HETERO_DEBUG_CHECKS
	enum { ROWS = 500 };
#else
	enum { ROWS = 2000 };
#endif
	het_kernel *bump;
	het_array *array;

	set_up(_i);
	bump = common_kernel(system_, "bump");
	ok(het_array_new(system_, HET_INT, het_shape(2, ROWS, 2), &array));
	for (int row = 0; row < ROWS; row++)
		ok(het_launch(bump, row % 2 ? near : far, het_range(1, 2 * row, 2 * row + 2),
			      HET_INOUT_PART(array, het_rows(row, row + 1)), HET_VAL(1)));
	ok(het_audit(array));
	close_face(system_);
}
END_TEST

struct freeing {
	het_array *array;
	int after_us;
	atomic_bool over;
};

static int somebody_waits(void)
{
	int waiting;

	pthread_mutex_lock(&system_->lock);
	waiting = system_->waiting;
	pthread_mutex_unlock(&system_->lock);
	return waiting > 0;
}

/* So long after the audit has begun, or when it is over. */
static void *free_it(void *argument)
{
	struct freeing *const f = argument;
	const struct timespec pause = {.tv_nsec = 1000L * f->after_us};

	while (!somebody_waits() && !atomic_load(&f->over))
		sched_yield();
	nanosleep(&pause, NULL);
	return het_array_free(f->array) ? argument : NULL;
}

/* Another thread frees a wrapped array, and then its memory, while it is looked at piece by piece. */
START_TEST(test_freed_while_it_is_looked_at)
{
	const size_t bytes = (size_t)12 << 20;

	set_up(_i);
	for (int k = 0; k < 6; k++) {
		void *const memory =
			mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct freeing freeing = {.after_us = 1500 * k};
		pthread_t thread;
		het_status st;
		void *failed;

		ck_assert_ptr_ne(memory, MAP_FAILED);
		ok(het_array_wrap(system_, HET_UCHAR, het_shape(1, (int64_t)bytes), memory, &freeing.array));
		ok(het_prefetch(het_view(freeing.array, het_whole()), near));
		ok(het_wait(freeing.array));
		ck_assert_int_eq(pthread_create(&thread, NULL, free_it, &freeing), 0);
		st = het_audit(freeing.array);
		atomic_store(&freeing.over, true);
		ck_assert_msg(st == HET_OK || st == HET_ERR_HANDLE, "%s", het_message());
		ck_assert_int_eq(pthread_join(thread, &failed), 0);
		ck_assert_ptr_null(failed);
		ck_assert_int_eq(munmap(memory, bytes), 0);
	}
	close_face(system_);
}
END_TEST

/* ---- het_unmodified ----------------------------------------------------------------------------- */

/* With HETERO_CHECK=1 a promise is looked at: one that holds is believed, one that does not changes nothing. */
START_TEST(test_promises_are_looked_at)
{
	het_kernel *bump, *add;
	het_array *array, *sum;

	set_up_on(open_face_checking(_i));
	bump = common_kernel(system_, "bump");
	add = common_kernel(system_, "add");
	array = counting_array(system_, N);
	sum = zero_array(system_, N);
	for (int by = 0; by < 2; by++) {
		const struct het_view all = het_view(array, het_whole());

		ok(het_launch(add, far, het_grid(1, N), HET_OUT(sum), HET_IN(array), HET_VAL(0)));
		ok(het_launch(bump, near, het_range(1, 8, 16), HET_INOUT(array), HET_VAL(by)));
		if (by == 0 || (!is_separate(near) && !is_separate(far)))
			ok(het_unmodified(all));
		else
			fails(het_unmodified(all), HET_ERR_DIFFER, "het_unmodified: ", "element (8)", " 8",
			      " 9");
		ok(het_launch(add, far, het_grid(1, N), HET_OUT(sum), HET_IN(array), HET_VAL(0)));
		ok(het_wait(sum));
		ck_assert_int_eq(element(sum, 8), 8 + by);
		ck_assert_int_eq(element(array, 8), 8 + by);
		ok(het_audit(array));
	}
	close_face(system_);
}
END_TEST

/* However many entries there are: while copies are compared nothing is joined by what they are said to be. */
START_TEST(test_an_untrue_promise_loses_nothing)
{
	enum { ROWS = 120 };
	const int seven = 7;
	int seen[ROWS][2];
	het_kernel *bump;
	het_array *array;

	set_up_on(open_face_checking(_i));
	bump = common_kernel(system_, "bump");
	ok(het_array_new(system_, HET_INT, het_shape(2, ROWS, 2), &array));
	ok(het_prefetch(het_view(array, het_whole()), far));
	for (int row = ROWS / 2; row < ROWS; row++)
		ok(het_launch(bump, row % 2 ? far : near, het_range(1, 2 * row, 2 * row + 2),
			      HET_INOUT_PART(array, het_rows(row, row + 1)), HET_VAL(1)));
	ok(het_launch(bump, near, het_range(1, 20, 22), HET_INOUT_PART(array, het_rows(10, 11)),
		      HET_VAL(seven)));
	if (is_separate(near))
		fails(het_unmodified(het_view(array, het_rows(10, 11))), HET_ERR_DIFFER, "element (10, 0)",
		      " 7", " 0");
	else
		ok(het_unmodified(het_view(array, het_rows(10, 11))));
	ok(het_audit(array));
	ok(het_read(het_view(array, het_whole()), seen));
	for (int row = 0; row < ROWS; row++)
		ck_assert_int_eq(seen[row][1], row == 10 ? seven : row >= ROWS / 2);
	close_face(system_);
}
END_TEST

/* ---- calls -------------------------------------------------------------------------------------- */

static het_status of_callback;

static het_status audit_inside(void *array, int count, const struct het_host_arg *args)
{
	(void)count;
	(void)args;
	of_callback = het_audit(array);
	return HET_OK;
}

START_TEST(test_where_it_may_not_be_called)
{
	het_array *array;

	set_up(_i);
	array = counting_array(system_, N);
	ok(het_call(system_, audit_inside, array, HET_IN(array)));
	ok(het_wait_all(system_));
	ck_assert_int_eq(of_callback, HET_ERR_CONTEXT);
	fails(het_audit(NULL), HET_ERR_HANDLE, "het_audit");
	close_face(system_);
}
END_TEST

int main(void)
{
	static const struct face_test tests[] = {
		{&test_copies_are_alike, 1},
		{&test_a_host_that_writes_wrapped_memory, 1},
		{&test_a_kernel_that_writes_what_it_reads, 1},
		{&test_numbers_of_all_kinds, 1},
		{&test_a_large_array_in_pieces, 1},
		{&test_thousands_of_entries, 1},
		{&test_freed_while_it_is_looked_at, 0},
		{&test_promises_are_looked_at, 1},
		{&test_an_untrue_promise_loses_nothing, 1},
		{&test_where_it_may_not_be_called, 1},
	};

	return run_face_tests("audit", sizeof tests / sizeof tests[0], tests);
}
