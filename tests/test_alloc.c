/* test_alloc.c - host memory, its failures on demand, and the environment. */
#include <check.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "suite.h"
#include "threads.h"

START_TEST(test_alloc__plain_blocks)
{
	void *nothing = het__alloc(0), *no_items = het__alloc_zeroed(0, 8);
	ck_assert_ptr_nonnull(nothing);
	ck_assert_ptr_nonnull(no_items);
	nothing = het__realloc(nothing, 0);
	ck_assert_ptr_nonnull(nothing);
	het__free(nothing);
	het__free(no_items);
	het__free(NULL);

	unsigned char *zeroed = het__alloc_zeroed(100, 7);
	ck_assert_ptr_nonnull(zeroed);
	for (int i = 0; i < 700; i++)
		ck_assert_uint_eq(zeroed[i], 0);
	het__free(zeroed);

	const size_t half = SIZE_MAX / 2 + 1;
	ck_assert_ptr_null(het__alloc_zeroed(half, 2));
	ck_assert_ptr_null(het__alloc_zeroed(half, half));

	char *copy = het__strdup("text");
	ck_assert_str_eq(copy, "text");
	het__free(copy);
}
END_TEST

#ifdef HETERO_DEBUG_CHECKS
START_TEST(test_alloc__live)
{
	const long before = het__alloc_live();
	void *block = het__alloc(1), *aligned = het__alloc_aligned(128, 10), *zeroed = het__alloc_zeroed(1, 1);
	void *grown = het__realloc(NULL, 4);

	ck_assert_int_eq(het__alloc_live(), before + 4);
	grown = het__realloc(grown, 100000);
	(void)het__alloc_fail_after(0, 0);
	ck_assert_ptr_null(het__alloc(1));
	(void)het__alloc_fail_after(-1, 0);
	ck_assert_int_eq(het__alloc_live(), before + 4);
	het__free(block);
	het__free_aligned(aligned);
	het__free(zeroed);
	het__free(grown);
	het__free(NULL);
	ck_assert_int_eq(het__alloc_live(), before);
}
END_TEST
#endif

START_TEST(test_alloc__grow)
{
	int *items = NULL, capacity = 0, moves = 0;
	for (int i = 0; i < 10000; i++) {
		const int before = capacity;
		ck_assert_int_eq(het__grow(&items, &capacity, i + 1, sizeof *items), 0);
		ck_assert_int_gt(capacity, i);
		moves += capacity != before;
		items[i] = i;
	}
	for (int i = 0; i < 10000; i++)
		ck_assert_int_eq(items[i], i);
	ck_assert_int_lt(moves, 20);

	const int *const old_items = items;
	const int old_capacity = capacity;
	het__alloc_fail_after(0, 0);
	ck_assert_int_eq(het__grow(&items, &capacity, old_capacity + 1, sizeof *items), -1);
	ck_assert_int_eq(het__grow(&items, &capacity, old_capacity, sizeof *items), 0);
	het__alloc_fail_after(-1, 0);
	ck_assert_int_eq(het__grow(&items, &capacity, INT_MAX, SIZE_MAX / 1000), -1);
	ck_assert_ptr_eq(items, old_items);
	ck_assert_int_eq(capacity, old_capacity);
	het__free(items);

	items = NULL;
	capacity = 0;
	ck_assert_int_eq(het__grow(&items, &capacity, 1000, sizeof *items), 0);
	ck_assert_int_ge(capacity, 1000);
	het__free(items);
}
END_TEST

START_TEST(test_alloc__grow_from_own)
{
	struct {
		int own[2], *items, capacity;
	} holder = {{7, 8}, holder.own, 2};

	ck_assert_int_eq(het__grow_from(holder.own, &holder.items, &holder.capacity, 2, sizeof(int)), 0);
	ck_assert_ptr_eq(holder.items, holder.own);
	het__alloc_fail_after(0, 0);
	ck_assert_int_eq(het__grow_from(holder.own, &holder.items, &holder.capacity, 3, sizeof(int)), -1);
	het__alloc_fail_after(-1, 0);
	ck_assert_ptr_eq(holder.items, holder.own);
	for (int need = 3; need < 1000; need++) {
		ck_assert_int_eq(het__grow_from(holder.own, &holder.items, &holder.capacity, need, sizeof(int)),
				 0);
		ck_assert_ptr_ne(holder.items, holder.own);
		holder.items[need - 1] = 6 + need;
	}
	for (int i = 0; i < 999; i++)
		ck_assert_int_eq(holder.items[i], 7 + i);
	het__free(holder.items);
}
END_TEST

/* Each way to get memory; frees what it got and says whether it got anything. */
static int got_memory(int way)
{
	int *items = NULL, capacity = 0;
	void *block = NULL;
	switch (way) {
	case 0:
		block = het__alloc(8);
		break;
	case 1:
		block = het__alloc_zeroed(2, 4);
		break;
	case 2:
		block = het__realloc(NULL, 8);
		break;
	case 3:
		block = het__strdup("text");
		break;
	case 4:
		(void)het__grow(&items, &capacity, 1, sizeof *items);
		block = items;
		break;
	default:
		block = het__alloc_aligned(128, 8);
		het__free_aligned(block);
		return block != NULL;
	}
	het__free(block);
	return block != NULL;
}

#define WAYS 6

START_TEST(test_alloc__the_chosen_one_fails)
{
	for (int k = 0; k < WAYS; k++) {
		het__alloc_fail_after(k, 0);
		for (int way = 0; way < WAYS; way++)
			ck_assert_int_eq(got_memory(way), way != k);
		ck_assert_int_eq(het__alloc_fail_after(k, 1), WAYS);
		for (int way = 0; way < WAYS; way++)
			ck_assert_int_eq(got_memory(way), way < k);
		ck_assert_int_eq(het__alloc_fail_after(-1, 0), WAYS);
		for (int way = 0; way < WAYS; way++)
			ck_assert_int_eq(got_memory(way), 1);
		ck_assert_int_eq(het__alloc_fail_after(-1, 0), 0);
	}
}
END_TEST

#define ROUNDS 500

static atomic_int failures_seen;

static void *get_memory_often(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++)
		if (!got_memory(i % WAYS))
			(void)atomic_fetch_add(&failures_seen, 1);
	return NULL;
}

START_TEST(test_alloc__counts_over_all_threads)
{
	const int asked = THREADS * ROUNDS;
	het__alloc_fail_after(777, 0);
	in_threads(get_memory_often);
	ck_assert_int_eq(atomic_exchange(&failures_seen, 0), 1);
	ck_assert_int_eq(het__alloc_fail_after(777, 1), asked);
	in_threads(get_memory_often);
	ck_assert_int_eq(atomic_exchange(&failures_seen, 0), asked - 777);
	ck_assert_int_eq(het__alloc_fail_after(-1, 0), asked);
}
END_TEST

START_TEST(test_alloc__aligned_and_zeroed)
{
	static const size_t sizes[] = {
		0, 1, 127, 5000, ((size_t)1 << 20) - 1, ((size_t)1 << 20) + 1, (size_t)5 << 20};
	for (size_t alignment = 1; alignment <= 65536; alignment *= 2)
		for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
			unsigned char *block = het__alloc_aligned(alignment, sizes[i]);
			ck_assert_ptr_nonnull(block);
			ck_assert_uint_eq((uintptr_t)block % alignment, 0);
			for (size_t k = 0; k < sizes[i]; k += 1 + sizes[i] / 1000)
				if (block[k] != 0)
					ck_abort_msg("byte %zu of %zu is not zero", k, sizes[i]);
			memset(block, 0xff, sizes[i]);
			het__free_aligned(block);
		}
	het__free_aligned(NULL);
	ck_assert_ptr_null(het__alloc_aligned(128, SIZE_MAX - 100));
	ck_assert_ptr_null(het__alloc_aligned(128, SIZE_MAX / 2));
}
END_TEST

/* Large blocks do not lie alike in huge pages, where the same elements of all would share few sets of a
 * cache. */
START_TEST(test_alloc__large_blocks_begin_apart)
{
	const uintptr_t huge = (uintptr_t)2 << 20;
	void *blocks[8];

	for (int i = 0; i < 8; i++) {
		blocks[i] = het__alloc_aligned(4096, (size_t)8 << 20);
		ck_assert_ptr_nonnull(blocks[i]);
		for (int j = 0; j < i; j++)
			ck_assert_uint_ne((uintptr_t)blocks[i] % huge, (uintptr_t)blocks[j] % huge);
	}
	for (int i = 0; i < 8; i++)
		het__free_aligned(blocks[i]);
}
END_TEST

/* How many pages of the block are in memory. */
static size_t resident_pages(unsigned char *block, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t slack = (page - (uintptr_t)block % page) % page, pages = (bytes - slack) / page;
	unsigned char *states = malloc(pages);
	size_t resident = 0;
	ck_assert_ptr_nonnull(states);
	ck_assert_int_eq(mincore(block + slack, pages * page, states), 0);
	for (size_t i = 0; i < pages; i++)
		resident += states[i] & 1u;
	free(states);
	return resident;
}

/* The second block is as large as the first, which was used and freed: recycled memory would have had to
 * be cleared. A few pages may be there: the first, or those of a huge page around it. */
START_TEST(test_alloc__untouched_pages_cost_nothing)
{
	const size_t bytes = (size_t)24 << 20;
	for (int round = 0; round < 3; round++) {
		unsigned char *block = het__alloc_aligned(128, bytes);
		ck_assert_ptr_nonnull(block);
		ck_assert_uint_le(resident_pages(block, bytes), bytes / 4096 / 4);
		memset(block, 0xff, bytes);
		het__free_aligned(block);
	}
}
END_TEST

/* Of a block in huge pages each byte brings two MiB. */
START_TEST(test_alloc__sparse_blocks_cost_what_is_touched)
{
	const size_t bytes = (size_t)64 << 20, step = (size_t)1 << 20;
	unsigned char *block = het__alloc_sparse(4096, bytes);

	ck_assert_ptr_nonnull(block);
	ck_assert_uint_eq((uintptr_t)block % 4096, 0);
	for (size_t at = 0; at < bytes; at += step)
		block[at] = 1;
	ck_assert_uint_le(resident_pages(block, bytes), 2 * bytes / step);
	het__free_aligned(block);
	block = het__alloc_sparse(8, 100);
	ck_assert_ptr_nonnull(block);
	het__free_aligned(block);
}
END_TEST

/* ---- environment ------------------------------------------------------------------------------- */

START_TEST(test_env__table)
{
#define NAME_OF(name, values, meaning) #name,
	static const char *const names[] = {HET__ENV_TABLE(NAME_OF)};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		ck_assert_int_eq(setenv(names[i], "some value", 1), 0);
		ck_assert_str_eq(het__env(names[i]), "some value");
		ck_assert_int_eq(setenv(names[i], "", 1), 0);
		ck_assert_ptr_null(het__env(names[i]));
		ck_assert_int_eq(unsetenv(names[i]), 0);
		ck_assert_ptr_null(het__env(names[i]));
	}
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("alloc");
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_alloc__plain_blocks);
#ifdef HETERO_DEBUG_CHECKS
	tcase_add_test(tc, test_alloc__live);
#endif
	tcase_add_test(tc, test_alloc__grow);
	tcase_add_test(tc, test_alloc__grow_from_own);
	tcase_add_test(tc, test_alloc__the_chosen_one_fails);
	tcase_add_test(tc, test_alloc__counts_over_all_threads);
	tcase_add_test(tc, test_alloc__aligned_and_zeroed);
	tcase_add_test(tc, test_alloc__large_blocks_begin_apart);
	tcase_add_test(tc, test_alloc__untouched_pages_cost_nothing);
	tcase_add_test(tc, test_alloc__sparse_blocks_cost_what_is_touched);
	tcase_add_test(tc, test_env__table);
	return run_case("alloc", tc);
}
