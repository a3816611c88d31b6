/* test_entries.c - how many entries a directory has, and how it finds them. */
#include <check.h>

#include "array/directory.h"
#include "suite.h"

static struct het__directory dir;

static int met_near(const struct het__box *box)
{
	struct het__walk walk = het__walk(&dir.entries, box);
	int met = 0;

	while (het__walk_next(&walk))
		met++;
	return met;
}

/* However many boxes tasks have promised, few entries are looked at for one box or one task. */
START_TEST(test_few_entries_are_looked_at)
{
	struct het__task many[900];
	const struct het__box whole = {{0, 0}, {9, 200}};
	struct het__walk walk;
	int met = 0;

	het__directory_init(&dir, 2, &whole, 0);
	for (int i = 0; i < 900; i++) {
		const struct het__box box = {{i / 100, i % 100 * 2}, {i / 100 + 1, i % 100 * 2 + 2}};

		many[i].id = (uint64_t)i + 1;
		ck_assert_int_eq(het__directory_cut(&dir, &box), HET_OK);
		het__directory_write(&dir, &box, 1, het__ref_of(&many[i]));
		het__directory_tidy(&dir);
		ck_assert_int_le(met_near(&box), 6 * HET__LEAF);
	}
	het__directory_check(&dir, &whole);
	ck_assert_int_eq(dir.entries.count, 900);
	walk = het__walk_of(&dir.entries, many[450].id);
	while (het__walk_next(&walk))
		met++;
	ck_assert_int_le(met, 6 * HET__LEAF);
	for (int i = 0; i < 900; i++) {
		het__directory_ended(&dir, het__ref_of(&many[i]), NULL);
		many[i].id = 0;
	}
	het__directory_check(&dir, &whole);
	ck_assert_int_eq(dir.entries.count, 1);
	het__directory_free(&dir);
}
END_TEST

static struct het__walk walk_to(int64_t lo)
{
	struct het__walk walk = het__walk(&dir.entries, NULL);
	const struct het__entry *e;

	do
		e = het__walk_next(&walk);
	while (e && e->box.lo[0] != lo);
	ck_assert(e);
	return walk;
}

/* What is known of a box goes when a leaf beside it grows and comes to touch it. */
START_TEST(test_a_leaf_grows_to_where_was_searched)
{
	struct het__entries *const es = &dir.entries;
	const struct het__box whole = {{0}, {200}}, box = {{100}, {101}};
	struct het__walk last, first;
	struct het__box both;
	int64_t edge;

	het__directory_init(&dir, 1, &whole, 0);
	for (int i = 0; i < 200; i++) {
		const struct het__box cell = {{i}, {i + 1}};

		ck_assert_int_eq(het__directory_cut(&dir, &cell), HET_OK);
	}
	(void)met_near(&box);
	edge = es->found.around.lo[0] - 1; /* between the leaf that ends there and one that was found */
	last = walk_to(edge - 1);
	first = walk_to(edge);
	both = (struct het__box){{edge - 1}, {edge + 1}};
	het__entries_remove(es, first);
	het__entries_enlarge(es, last, &both);
	het__entries_close_gaps(es);
	het__directory_check(&dir, &whole);
	het__directory_free(&dir);
}
END_TEST

/* Nothing may be merged where the neighbours have no settled store in common: the list grows. */
START_TEST(test_nothing_is_merged_without_a_common_member)
{
	const struct het__ref host = {NULL, 0};
	const struct het__box whole = {{0}, {200}};

	het__directory_init(&dir, 1, &whole, 0);
	for (int i = 0; i < 200; i += 2) {
		const struct het__box box = {{i}, {i + 1}};

		ck_assert_int_eq(het__directory_cut(&dir, &box), HET_OK);
		het__directory_write(&dir, &box, 1, host);
		het__directory_tidy(&dir);
		het__directory_check(&dir, &whole);
	}
	ck_assert_int_eq(dir.entries.count, 200);
	ck_assert_uint_eq(dir.merges, 0);
	het__directory_free(&dir);
}
END_TEST

START_TEST(test_empty_array_has_no_entries)
{
	const struct het__entry *entry;
	struct het__box whole = {{0, 0}, {0, 5}}, piece;

	het__directory_init(&dir, 2, &whole, 0);
	ck_assert_int_eq(dir.entries.count, 0);
	het__directory_check(&dir, &whole);
	ck_assert(!het__directory_lacks(&dir, &whole, 3, &piece, &entry));
	ck_assert(het__directory_settled(&dir, &whole, 3));
	ck_assert(het__directory_can_drop(&dir, 0));
	het__directory_free(&dir);
}
END_TEST

/* A large array keeps more entries, and one search makes room for many. */
START_TEST(test_a_large_array_keeps_more)
{
	enum { BOXES = 1000, MOST = 200 };
	const struct het__box whole = {{0, 0}, {BOXES / 10, 20}};
	struct het__task task;
	uint64_t searches = 0, merges = 0;

	het__directory_init(&dir, 2, &whole, 0);
	dir.most = MOST;
	for (int i = 0; i < BOXES; i++) {
		const int k = i * 7 % BOXES; /* neighbours come at different times, and differ */
		const struct het__box box = {{k / 10, k % 10 * 2}, {k / 10 + 1, k % 10 * 2 + 2}};
		struct het__box piece;
		const struct het__entry *entry;

		task.id = (uint64_t)i + 1;
		ck_assert_int_eq(het__directory_cut(&dir, &box), HET_OK);
		if (het__directory_lacks(&dir, &box, 1 + k % 2, &piece, &entry)) {
			het__directory_join(&dir, &box, 1 + k % 2, het__ref_of(&task));
			het__directory_ended(&dir, het__ref_of(&task), NULL);
		}
		het__directory_tidy(&dir);
		ck_assert_int_le(dir.entries.count, MOST);
		searches += dir.merges > merges;
		merges = dir.merges;
	}
	het__directory_check(&dir, &whole);
	ck_assert_uint_gt(merges, 4 * searches);
	ck_assert_int_gt(dir.entries.count, HET__DIRECTORY_MOST);
	het__directory_free(&dir);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("entries");

	tcase_add_test(tcase, test_few_entries_are_looked_at);
	tcase_add_test(tcase, test_a_leaf_grows_to_where_was_searched);
	tcase_add_test(tcase, test_nothing_is_merged_without_a_common_member);
	tcase_add_test(tcase, test_a_large_array_keeps_more);
	tcase_add_test(tcase, test_empty_array_has_no_entries);
	return run_case("entries", tcase);
}
