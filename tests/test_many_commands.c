/* test_many_commands.c - the caller's memory may be padded so that OpenCL moves it only run by run. */
#include "stopped.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PLANES = 100, ROWS = 100, COLUMNS = 3, PITCH = 7, PLANE = 703 }; /* 7 does not divide 703 */

static het_array *wrap(unsigned char *memory)
{
	const size_t pitch[2] = {PLANE, PITCH};
	het_array *array;

	ok(het_array_wrap_pitched(sys, HET_UCHAR, het_shape(3, PLANES, ROWS, COLUMNS), memory, pitch, &array));
	return array;
}

static void open_card(void)
{
	ck_assert(het_test_fake_driver("big-card"));
	ok(het_open(NULL, &sys));
	good = het_device(sys, 0);
	bump = common_kernel(sys, "bump");
}

START_TEST(all_runs_move)
{
	unsigned char *const memory = calloc(PLANES, PLANE), *const there = malloc(PLANES * PLANE);
	het_array *array, *copy;

	open_card();
	for (int i = 0; i < PLANES * PLANE; i++)
		memory[i] = (unsigned char)(i % 251);
	array = wrap(memory);
	ok(het_array_new(sys, HET_UCHAR, het_shape(3, PLANES, ROWS, COLUMNS), &copy));
	ok(het_prefetch(het_view(array, het_whole()), good));
	ok(het_copy(het_view(copy, het_whole()), het_view(array, het_whole())));
	ok(het_read(het_view(copy, het_whole()), there));
	for (int p = 0; p < PLANES; p++)
		for (int r = 0; r < ROWS; r++)
			for (int c = 0; c < COLUMNS; c++)
				ck_assert_int_eq(there[(p * ROWS + r) * COLUMNS + c],
						 (p * PLANE + r * PITCH + c) % 251);
	close_three();
	free(memory);
	free(there);
}
END_TEST

/* Their number does not fit the numbers that count commands. */
START_TEST(more_runs_than_can_be)
{
	const int64_t planes[] = {32768, 65536}; /* 2^31 runs, 2^32 */
	const size_t pitch[2] = {196607, 3};

	open_card();
	for (int i = 0; i < 2; i++) {
		const size_t bytes = (size_t)planes[i] * pitch[0];
		void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		het_array *array;

		ck_assert_ptr_ne(memory, MAP_FAILED);
		ok(het_array_wrap_pitched(sys, HET_CHAR, het_shape(3, planes[i], 65536, 2), memory, pitch,
					  &array));
		fails(het_prefetch(het_view(array, het_whole()), good), HET_ERR_UNSUPPORTED, "het_prefetch",
		      "commands");
		ok(het_array_free(array));
		ck_assert_int_eq(munmap(memory, bytes), 0);
	}
	close_three();
}
END_TEST

static size_t bytes_in_use(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* So many transfers at a time. */
static void move_at_once(unsigned char *memory, int count)
{
	het_array *array[64];

	for (int i = 0; i < count; i++) {
		array[i] = wrap(memory + (size_t)i * PLANES * PLANE);
		ok(het_prefetch(het_view(array[i], het_whole()), good));
	}
	ok(het_wait_all(sys));
	for (int i = 0; i < count; i++)
		ok(het_array_free(array[i]));
}

/* 80 KB each, for the events of 10 000 commands. */
START_TEST(what_they_took_is_given_back)
{
	enum { MOST = 64 };
	unsigned char *const memory = calloc(MOST, (size_t)PLANES * PLANE);
	size_t before;

	open_card();
	move_at_once(memory, 2);
	before = bytes_in_use();
	move_at_once(memory, MOST);
	ck_assert_uint_lt(bytes_in_use(), before + (1 << 20));
	close_three();
	free(memory);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {all_runs_move, more_runs_than_can_be, what_they_took_is_given_back};

	setenv("FAKECL_ORDER", "late", 1);
	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_tests("many commands", sizeof tests / sizeof tests[0], tests);
}
