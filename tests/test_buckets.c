/* test_buckets.c - boxes found by where they lie, and where the promises of tasks are: against looking at
 * all. */
#include <check.h>
#include <string.h>

#include "array/promised.h"
#include "base/alloc.h"
#include "random.h"
#include "store/buckets.h"
#include "suite.h"

enum { BOXES = 600, SIDE = 40, RANK = 2 };

static struct het__box row[BOXES];
static int boxes;

static const struct het__box *box_of(const void *at, int number)
{
	return &((const struct het__box *)at)[number];
}

static struct het__box random_box(int most)
{
	struct het__box box = {{0}, {0}};

	for (int d = 0; d < RANK; d++) {
		box.lo[d] = random_in(0, SIDE - 1);
		box.hi[d] = box.lo[d] + random_in(1, most);
	}
	return box;
}

/* What a walk gives has all that it must have, each once; returns how many it gives. */
static int look(const struct het__buckets *buckets, const struct het__box *near)
{
	struct het__bucket_walk walk = het__bucket_walk(buckets, near);
	bool met[BOXES] = {false};
	int number, count = 0;

	while ((number = het__bucket_walk_next(&walk)) >= 0) {
		ck_assert_int_lt(number, boxes);
		ck_assert(!met[number]);
		met[number] = true;
		count++;
	}
	for (int i = 0; i < boxes; i++)
		ck_assert(met[i] || het__box_apart(RANK, &row[i], near));
	return count;
}

static void add(struct het__buckets *buckets, const struct het__box *box)
{
	row[boxes++] = *box;
	ck_assert(het__buckets_add(buckets));
}

static void take_out(struct het__buckets *buckets, int number)
{
	het__buckets_remove(buckets, number);
	row[number] = row[--boxes];
}

START_TEST(test_random_boxes_are_found)
{
	for (int round = random_rounds(20); round > 0; round--) {
		struct het__buckets *buckets;

		for (boxes = 0; boxes < random_in(0, 100); boxes++)
			row[boxes] = random_box(3);
		buckets = het__buckets_new(RANK, row, box_of, boxes);
		ck_assert_ptr_nonnull(buckets);
		for (int step = 0; step < 1000; step++) {
			const struct het__box box = random_box(random_once_in(10) ? SIDE : 3);
			const int number = boxes ? random_in(0, boxes - 1) : 0;

			if (boxes < BOXES && (boxes == 0 || !random_once_in(3)))
				add(buckets, &box);
			else if (random_once_in(2))
				take_out(buckets, number);
			else {
				het__box_cover(RANK, &row[number], &box);
				het__buckets_enlarge(buckets, number);
			}
			ck_assert_msg(!het__buckets_check(buckets), "%s", het__buckets_check(buckets));
			look(buckets, &box);
		}
		het__buckets_free(buckets);
	}
}
END_TEST

/* Of the tiles of a square a walk looks at few, also after many have come and gone. */
START_TEST(test_few_tiles_are_looked_at)
{
	const struct het__box one = {{7, 9}, {8, 10}};
	struct het__buckets *buckets;

	boxes = 0;
	buckets = het__buckets_new(RANK, row, box_of, 0);
	ck_assert_ptr_nonnull(buckets);
	for (int i = 0; i < 20 * BOXES; i++) {
		const int k = random_in(0, 24 * 24 - 1);

		if (boxes == 24 * 24)
			take_out(buckets, k);
		add(buckets, &(struct het__box){{k / 24, k % 24}, {k / 24 + 1, k % 24 + 1}});
	}
	ck_assert_int_eq(boxes, 24 * 24);
	ck_assert_int_le(look(buckets, &one), 24 * 24 / 3);
	het__buckets_free(buckets);
}
END_TEST

/* While one is looked at it may go, and so may all. */
START_TEST(test_what_is_met_may_go)
{
	const struct het__box all = {{0, 0}, {2 * SIDE, 2 * SIDE}};
	struct het__buckets *buckets;
	struct het__bucket_walk walk;
	int number, kept = 0;

	for (boxes = 0; boxes < BOXES; boxes++)
		row[boxes] = random_box(3);
	buckets = het__buckets_new(RANK, row, box_of, boxes);
	ck_assert_ptr_nonnull(buckets);
	walk = het__bucket_walk(buckets, &all);
	while ((number = het__bucket_walk_next(&walk)) >= 0)
		if (random_once_in(4))
			kept++;
		else
			take_out(buckets, number);
	ck_assert_int_eq(boxes, kept);
	ck_assert_ptr_null(het__buckets_check(buckets));
	walk = het__bucket_walk(buckets, &all);
	while ((number = het__bucket_walk_next(&walk)) >= 0)
		take_out(buckets, number);
	ck_assert_int_eq(boxes, 0);
	ck_assert_int_eq(buckets->count, 0);
	het__buckets_free(buckets);
}
END_TEST

START_TEST(test_without_memory_there_are_none)
{
	long after = 0;
	struct het__buckets *buckets;

	for (boxes = 0; boxes < BOXES; boxes++)
		row[boxes] = random_box(3);
	do {
		het__alloc_fail_after(after++, 0);
		buckets = het__buckets_new(RANK, row, box_of, boxes);
		het__alloc_fail_after(-1, 0);
	} while (!buckets);
	ck_assert_int_gt(after, 3);
	ck_assert_ptr_null(het__buckets_check(buckets));
	het__buckets_free(buckets);
	ck_assert_int_eq(het__alloc_live(), 0);
}
END_TEST

/* ---- promises ----------------------------------------------------------------------------------- */

enum { TASKS = 300 };

/* Boxes are those that cover what was added; of tasks that were there before, and of ended ones, none is
 * known. */
START_TEST(test_promises_are_where_they_were_made)
{
	struct het__promised promised = {0};
	struct het__box hull[TASKS];
	bool known[TASKS] = {false};

	het__promised_begin(&promised, 50);
	for (int step = 0; step < 20000; step++) {
		const int newest = step / 64 < TASKS ? step / 64 : TASKS - 1;
		const int id = random_in(newest > 60 ? newest - 60 : 0, newest);
		const struct het__box box = random_box(4);
		const struct het__box *const told = het__promised_box(&promised, (uint64_t)id);

		ck_assert_int_eq(told != NULL, known[id]);
		if (told)
			ck_assert(het__box_equal(RANK, told, &hull[id]));
		if (random_once_in(4)) {
			het__promised_end(&promised, (uint64_t)id);
			known[id] = false;
			continue;
		}
		het__promised_add(&promised, RANK, (uint64_t)id, &box);
		if (known[id])
			het__box_cover(RANK, &hull[id], &box);
		else
			hull[id] = box;
		known[id] = id > 50;
	}
	ck_assert_int_le(promised.list.room, 2 * TASKS);
	het__promised_free(&promised);
}
END_TEST

/* A task of which not all could be noted is one of which nothing is known. */
START_TEST(test_promises_without_memory_are_not_known)
{
	const struct het__box a = {{0, 0}, {1, 1}}, b = {{5, 5}, {6, 6}};
	struct het__promised promised = {0};

	het__promised_begin(&promised, 0);
	het__alloc_fail_after(0, 0);
	het__promised_add(&promised, RANK, 7, &a);
	het__alloc_fail_after(-1, 0);
	het__promised_add(&promised, RANK, 7, &b);
	ck_assert_ptr_null(het__promised_box(&promised, 7));
	het__promised_add(&promised, RANK, 8, &b);
	ck_assert(het__box_equal(RANK, het__promised_box(&promised, 8), &b));
	het__promised_free(&promised);
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("buckets");
	TCase *const boxed = tcase_create("boxes"), *const promises = tcase_create("promises");

	random_start("test_buckets");
	tcase_add_test(boxed, test_random_boxes_are_found);
	tcase_add_test(boxed, test_few_tiles_are_looked_at);
	tcase_add_test(boxed, test_what_is_met_may_go);
	tcase_add_test(boxed, test_without_memory_there_are_none);
	tcase_add_test(promises, test_promises_are_where_they_were_made);
	tcase_add_test(promises, test_promises_without_memory_are_not_known);
	tcase_set_timeout(boxed, 60);
	suite_add_tcase(suite, boxed);
	suite_add_tcase(suite, promises);
	return run_suite(suite);
}
