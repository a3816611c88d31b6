/* test_directory.c - the directory against a table that has one set of stores per cell.
 *
 * Random operations are made on both; after each of them every cell is compared and the invariants are walked.
 * Where the directory merges unequal neighbours the table is told, checks that the rule for merging holds,
 * and forgets as much as the directory did; so it does where the directory forgets a former copy.
 */
#include <check.h>
#include <string.h>

#include "array/directory.h"
#include "base/alloc.h"
#include "base/error.h"
#include "random.h"
#include "suite.h"

#define CELLS_MOST 1024
#define TASKS 24

struct cell {
	uint64_t settled, promised;
	uint64_t former;          /* settled or promised before the last write, and untouched since */
	uint64_t by[HET__STORES]; /* of each promised member, and promised former one: the task's id; else 0 */
	struct het__failure *poison;
};

static struct {
	int rank, slots;
	struct het__box whole;
	struct het__directory dir;
	struct cell cell[CELLS_MOST];
	struct het__task task[TASKS]; /* only their ids count */
	uint64_t next_id;
	struct het__failure *cause[2];
	bool trusted; /* cleared when a merge broke the rule */
	int restored, forgotten;
} t;

static uint64_t bit(int slot)
{
	return (uint64_t)1 << slot;
}

/* As ck_assert, which is too slow for every cell: it tells the test runner where it is. */
#define EXPECT(condition)                                                                                      \
	do {                                                                                                   \
		if (!(condition))                                                                              \
			ck_abort_msg(#condition);                                                              \
	} while (0)
#define EXPECT_EQ(a, b) EXPECT((a) == (b))

/* ---- cells of boxes ---- */

static int cell_number(const int64_t *at)
{
	int64_t n = 0;

	for (int d = 0; d < t.rank; d++)
		n = n * t.whole.hi[d] + at[d];
	return (int)n;
}

/* The next cell of a box in row-major order; false after the last. */
static bool next_cell(const struct het__box *box, int64_t *at)
{
	for (int d = t.rank - 1; d >= 0; d--) {
		if (++at[d] < box->hi[d])
			return true;
		at[d] = box->lo[d];
	}
	return false;
}

#define FOR_CELLS(box, c)                                                                                      \
	for (int64_t at_[HET_MAX_RANK], more_ = (memcpy(at_, (box)->lo, sizeof at_), 1); more_;                \
	     more_ = next_cell((box), at_))                                                                    \
		for (struct cell *c = &t.cell[cell_number(at_)]; c; c = NULL)

static struct het__box random_box(void)
{
	struct het__box box = {{0}, {0}};

	for (int d = 0; d < t.rank; d++) {
		box.lo[d] = random_in(0, (int)t.whole.hi[d] - 1);
		box.hi[d] = random_in((int)box.lo[d] + 1, (int)t.whole.hi[d]);
	}
	return box;
}

/* ---- tasks that are nothing but an id ---- */

static struct het__ref new_task(void)
{
	for (int i = 0; i < TASKS; i++)
		if (!t.task[i].id) {
			t.task[i].id = ++t.next_id;
			return het__ref_of(&t.task[i]);
		}
	return (struct het__ref){NULL, 0};
}

/* ---- the same operation on both sides ---- */

static void compare_entry(const struct het__entry *e)
{
	FOR_CELLS(&e->box, c) {
		EXPECT_EQ(c->settled, e->settled);
		EXPECT_EQ(c->promised, e->promised);
		EXPECT_EQ(c->poison, e->poison);
		for (int p = 0; p < e->promises; p++)
			EXPECT_EQ(c->by[e->promise[p].slot], e->promise[p].by.id);
	}
}

/* Every former copy is one of the table, and there are as many. */
static void compare_formers(void)
{
	const struct het__formers *const fs = &t.dir.formers;
	uint64_t here = 0, there = 0;

	EXPECT(fs->list.count <= HET__FORMERS_MOST);
	for (int i = 0; i < fs->list.count; i++) {
		const struct het__former *const f = &fs->list.at[i];

		FOR_CELLS(&f->box, c) {
			EXPECT(c->former & bit(f->slot));
			EXPECT_EQ(c->by[f->slot], f->by.id);
			here++;
		}
	}
	FOR_CELLS(&t.whole, c)
		there += (uint64_t)__builtin_popcountll(c->former);
	EXPECT_EQ(here, there);
}

static void compare(void)
{
	struct het__walk walk = het__walk(&t.dir.entries, NULL);
	const struct het__entry *e;

	het__directory_check(&t.dir, &t.whole);
	while ((e = het__walk_next(&walk)))
		compare_entry(e);
	compare_formers();
	EXPECT(t.trusted);
}

/* Members that every cell of the box has alike: what a merge may keep. */
static void common(const struct het__box *box, uint64_t *settled, uint64_t *promised)
{
	const struct cell *first = &t.cell[cell_number(box->lo)];

	*settled = ~UINT64_C(0);
	*promised = first->promised;
	FOR_CELLS(box, c) {
		*settled &= c->settled;
		*promised &= c->promised;
		for (int s = 0; s < t.slots; s++)
			if (c->by[s] != first->by[s])
				*promised &= ~bit(s);
	}
}

/* The directory merged two neighbours. The check library cannot jump out of here, so it is told later. */
static void merged(void *user, const struct het__box *box, uint64_t members)
{
	uint64_t settled, promised;

	(void)user;
	common(box, &settled, &promised);
	if (!settled || members != (settled | promised))
		t.trusted = false;
	FOR_CELLS(box, c) {
		if (c->poison)
			t.trusted = false;
		c->settled = settled;
		c->promised = promised;
	}
}

/* It forgot a former copy. */
static void forgot(const struct het__box *box, int slot)
{
	FOR_CELLS(box, c) {
		if (!(c->former & bit(slot)))
			t.trusted = false;
		c->former &= ~bit(slot);
		c->by[slot] = 0;
	}
	t.forgotten++;
}

static void cut(const struct het__box *box)
{
	EXPECT_EQ(het__directory_cut(&t.dir, box), HET_OK);
	het__directory_check(&t.dir, &t.whole);
}

static void write_cell(struct cell *c, int slot, uint64_t id)
{
	for (int s = 0; s < t.slots; s++)
		if ((c->former & bit(s)) || s == slot)
			c->by[s] = 0;
	c->former = (c->settled | c->promised) & ~bit(slot);
	c->poison = NULL;
	c->settled = id ? 0 : bit(slot);
	c->promised = id ? bit(slot) : 0;
	c->by[slot] = id;
}

/* First the table: the directory may forget at once. */
static void enter_write(const struct het__box *box, int slot, struct het__ref by)
{
	FOR_CELLS(box, c)
		write_cell(c, slot, by.id);
	het__directory_write(&t.dir, box, slot, by);
}

static void do_write(const struct het__box *box, int slot, struct het__ref by)
{
	cut(box);
	enter_write(box, slot, by);
	het__directory_tidy(&t.dir);
}

/* One task writes a box in two parts, which are one entry afterwards. */
static void do_write_parts(const struct het__box *box, int slot, struct het__ref by)
{
	const int d = random_in(0, t.rank - 1);
	struct het__box first = *box, second = *box;

	first.hi[d] = second.lo[d] = (box->lo[d] + box->hi[d]) / 2;
	if (het__box_empty(t.rank, &first)) {
		do_write(box, slot, by);
		return;
	}
	cut(&first);
	cut(&second);
	enter_write(&first, slot, by);
	enter_write(&second, slot, by);
	het__directory_tidy(&t.dir);
	EXPECT(!by.task || het__box_equal(t.rank, &het__directory_entry(&t.dir, box)->box, box));
}

static void check_lacks_nothing(const struct het__box *box, int slot)
{
	FOR_CELLS(box, c)
		EXPECT(c->poison || ((c->settled | c->promised) & bit(slot)));
}

/* A fetch: every piece that lacks the store joins it. */
static void do_join(const struct het__box *box, int slot)
{
	const struct het__entry *entry;
	struct het__box piece;

	while (het__directory_lacks(&t.dir, box, slot, &piece, &entry)) {
		struct het__ref by = new_task();

		EXPECT(het__box_contains(t.rank, &entry->box, &piece));
		EXPECT(het__box_contains(t.rank, box, &piece));
		FOR_CELLS(&piece, c)
			EXPECT(!c->poison && !((c->settled | c->promised) & bit(slot)));
		if (!by.task)
			return;
		EXPECT_EQ(het__directory_cut(&t.dir, &piece), HET_OK);
		FOR_CELLS(&piece, c) {
			c->former &= ~bit(slot);
			c->promised |= bit(slot);
			c->by[slot] = by.id;
		}
		het__directory_join(&t.dir, &piece, slot, by);
		het__directory_tidy(&t.dir);
	}
	check_lacks_nothing(box, slot);
}

static void end_in_cell(struct cell *c, uint64_t id, struct het__failure *cause)
{
	bool changed = false;

	for (int s = 0; s < t.slots; s++) {
		if (!((c->promised | c->former) & bit(s)) || c->by[s] != id)
			continue;
		c->by[s] = 0;
		if (c->former & bit(s)) {
			c->former &= cause ? ~bit(s) : ~UINT64_C(0);
			continue;
		}
		c->promised &= ~bit(s);
		c->settled |= cause ? 0 : bit(s);
		changed = true;
	}
	if (changed && !c->settled && !c->promised)
		c->poison = cause;
}

static void do_end(void)
{
	struct het__task *task = &t.task[random_in(0, TASKS - 1)];
	struct het__failure *cause = random_once_in(4) ? t.cause[random_in(0, 1)] : NULL;
	struct het__ref ref = het__ref_of(task);

	if (!task->id)
		return;
	/* First the table: the directory may merge at once. */
	FOR_CELLS(&t.whole, c)
		end_in_cell(c, ref.id, cause);
	het__directory_ended(&t.dir, ref, cause);
	task->id = 0;
	if (random_once_in(2))
		het__directory_tidy(&t.dir);
}

/* Dropping a store may not take the last settled member, nor leave promises alone that stood alone before. */
static bool may_drop(int slot)
{
	FOR_CELLS(&t.whole, c)
		if (((c->settled | c->promised) & bit(slot)) && !(c->settled & ~bit(slot)))
			return false;
	return true;
}

static void do_drop(int slot)
{
	EXPECT_EQ(het__directory_can_drop(&t.dir, slot), may_drop(slot));
	if (!may_drop(slot))
		return;
	FOR_CELLS(&t.whole, c) {
		c->settled &= ~bit(slot);
		c->promised &= ~bit(slot);
		c->former &= ~bit(slot);
		c->by[slot] = 0;
	}
	het__directory_drop(&t.dir, slot);
	het__directory_tidy(&t.dir);
}

/* A transfer to a store is begun and not entered. */
static void do_overwrite(const struct het__box *box, int slot)
{
	FOR_CELLS(box, c) {
		c->by[slot] = c->former & bit(slot) ? 0 : c->by[slot];
		c->former &= ~bit(slot);
	}
	het__formers_overwrite(&t.dir, box, slot);
}

/* Former copies are copies: also of what is lost. */
static void do_unmodified(const struct het__box *box)
{
	uint64_t restored = 0;

	FOR_CELLS(box, c) {
		restored |= c->former;
		for (int s = 0; s < t.slots; s++)
			if (c->former & bit(s))
				*(c->by[s] ? &c->promised : &c->settled) |= bit(s);
		c->poison = c->former ? NULL : c->poison;
		c->former = 0;
	}
	t.restored += restored != 0;
	EXPECT_EQ(het__directory_unmodified(&t.dir, box), HET_OK);
	compare();
	het__directory_tidy(&t.dir);
}

/* ---- questions ---- */

static void ask_settled(const struct het__box *box, int slot)
{
	bool all = true;

	FOR_CELLS(box, c)
		all &= c->poison || (c->settled & bit(slot));
	EXPECT_EQ(het__directory_settled(&t.dir, box, slot), all);
}

static void ask_poison(const struct het__box *box)
{
	struct het__box lost;
	struct het__failure *told = het__directory_poison(&t.dir, box, &lost);
	bool any = false;

	FOR_CELLS(box, c)
		any |= c->poison != NULL;
	EXPECT_EQ(told != NULL, any);
	if (!told)
		return;
	EXPECT(het__box_contains(t.rank, box, &lost));
	FOR_CELLS(&lost, c)
		EXPECT_EQ(c->poison, told);
}

static bool has_input(const struct het__task *task, uint64_t id)
{
	for (int i = 0; i < task->inputs.count; i++)
		if (task->inputs.at[i].id == id)
			return true;
	return false;
}

/* A reader of the box through the slot depends on every promise there, on nothing else, and on a loss. */
static void ask_inputs(const struct het__box *box, int slot)
{
	struct het__task reader;
	bool lost = false;

	memset(&reader, 0, sizeof reader);
	reader.id = ++t.next_id;
	EXPECT_EQ(het__directory_inputs(&t.dir, box, slot, &reader), HET_OK);
	FOR_CELLS(box, c) {
		lost |= c->poison != NULL;
		if (c->promised & bit(slot))
			EXPECT(has_input(&reader, c->by[slot]));
	}
	for (int i = 0; i < reader.inputs.count; i++) {
		bool found = false;

		FOR_CELLS(box, c)
			found |= (c->promised & bit(slot)) && c->by[slot] == reader.inputs.at[i].id;
		EXPECT(found);
	}
	EXPECT_EQ(reader.cause != NULL, lost);
	het__failure_release(reader.cause);
	het__free(reader.inputs.at);
}

/* ---- sequences ---- */

static void one_operation(void)
{
	const struct het__ref host = {NULL, 0};
	struct het__box box = random_once_in(12) ? t.whole : random_box();
	int slot = random_in(0, t.slots - 1);

	switch (random_in(0, 12)) {
	case 0:
		do_write(&box, slot, new_task());
		break;
	case 1:
		do_write_parts(&box, slot, new_task());
		break;
	case 2:
		do_write(&box, slot, host);
		break;
	case 3:
	case 4:
	case 5:
		do_join(&box, slot);
		break;
	case 6:
	case 7:
		do_end();
		break;
	case 8:
		do_drop(slot);
		break;
	case 9:
	case 10:
		do_unmodified(&box);
		break;
	case 11:
		do_overwrite(&box, slot);
		break;
	default:
		EXPECT_EQ(het__directory_cut(&t.dir, &box), HET_OK);
		if (random_once_in(2))
			het__directory_tidy(&t.dir);
	}
	compare();
	ask_settled(&box, slot);
	ask_poison(&box);
	ask_inputs(&box, slot);
}

static void begin(int rank, int slots)
{
	static const int extents[4][4] = {{200, 0, 0, 0}, {31, 29, 0, 0}, {9, 11, 7, 0}, {5, 6, 4, 7}};

	memset(&t, 0, sizeof t);
	t.rank = rank;
	t.slots = slots;
	t.trusted = true;
	for (int d = 0; d < rank; d++)
		t.whole.hi[d] = extents[rank - 1][d];
	for (int i = 0; i < 2; i++) {
		(void)het__fail(HET_ERR_DEVICE, "failure %d", i);
		t.cause[i] = het__failure_capture();
	}
	het__directory_init(&t.dir, rank, &t.whole, 0);
	t.dir.merged = merged;
	t.dir.formers.forgot = forgot;
	FOR_CELLS(&t.whole, c)
		c->settled = 1;
	compare();
}

static void finish(void)
{
	het__directory_free(&t.dir);
	for (int i = 0; i < 2; i++)
		het__failure_release(t.cause[i]);
}

#define OPERATIONS 8000

START_TEST(test_random_operations)
{
	const int operations = random_rounds(OPERATIONS);
	int rank = _i / 2 + 1, most = 0;
	uint64_t merges;

	random_start("test_directory");
	random_state += (uint64_t)_i * 1000003;
	begin(rank, _i % 2 ? HET__STORES : 5);
	for (int n = 0; n < operations; n++) {
		one_operation();
		most = t.dir.entries.count > most ? t.dir.entries.count : most;
	}
	merges = t.dir.merges;
	printf("rank %d, %d stores: %d operations, at most %d entries, %llu merges, "
	       "former copies restored %d times, %d forgotten\n",
	       rank, t.slots, operations, most, (unsigned long long)merges, t.restored, t.forgotten);
	ck_assert_int_gt(t.restored, operations / 100);
	if (operations == OPERATIONS)
		ck_assert_int_gt(most, HET__DIRECTORY_MOST / 2);
	if (rank > 1)
		ck_assert_uint_gt(merges, 0);
	finish();
}
END_TEST

/* A checkerboard of unequal sets that all hold store 0 is cut down to the limit; store 0 stays everywhere. */
START_TEST(test_merging_keeps_a_settled_member)
{
	begin(1, 3);
	for (int i = 0; i < 200; i += 2) {
		struct het__box box = {{i}, {i + 1}};
		struct het__ref by = new_task();

		ck_assert_int_eq(het__directory_cut(&t.dir, &box), HET_OK);
		het__directory_join(&t.dir, &box, 1, by);
		t.cell[i].promised = bit(1);
		t.cell[i].by[1] = by.id;
		FOR_CELLS(&t.whole, c)
			end_in_cell(c, by.id, NULL);
		het__directory_ended(&t.dir, by, NULL);
		by.task->id = 0;
		het__directory_tidy(&t.dir);
		compare();
	}
	ck_assert_int_le(t.dir.entries.count, HET__DIRECTORY_MOST);
	ck_assert_uint_gt(t.dir.merges, 0);
	FOR_CELLS(&t.whole, c)
		ck_assert(c->settled & 1);
	finish();
}
END_TEST

/* A cut that finds no memory leaves everything as it was. */
START_TEST(test_cut_without_memory_changes_nothing)
{
	const struct het__ref host = {NULL, 0};

	begin(2, 2);
	for (int i = 0; i < 40; i++) {
		struct het__box box = random_box();
		het_status st;

		(void)het__alloc_fail_after(0, 1);
		st = het__directory_cut(&t.dir, &box);
		(void)het__alloc_fail_after(-1, 0);
		ck_assert(st == HET_OK || st == HET_ERR_MEMORY);
		compare();
		do_write(&box, i % 2, host);
	}
	finish();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("directory");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_random_operations, 0, 8);
	tcase_add_test(tcase, test_merging_keeps_a_settled_member);
	tcase_add_test(tcase, test_cut_without_memory_changes_nothing);
	return run_case("directory", tcase);
}
