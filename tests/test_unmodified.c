/* test_unmodified.c - writes that have changed nothing: other copies are valid again, and nothing moves. */
#include "face.h"

#include "array/array.h"

enum { N = 64, LO = 24, HI = 32 }; /* ints of an array; of the border */

static het_system *system_;
static het_device *near, *far;
static het_kernel *bump, *add;
static het_array *array, *sum;
static int home[N];

static struct het_view border_of(het_array *of)
{
	return het_view(of, het_rows(LO, HI));
}

/* Bytes that have moved between memories, and inside them, since they were asked for last. */
static uint64_t moved(void)
{
	static uint64_t before;
	struct het_stats stats;
	uint64_t since;

	ok(het_wait_all(system_));
	stats = stats_of(system_);
	since = stats.transfer_bytes + stats.repack_bytes - before;
	before += since;
	return since;
}

/* What the border costs on its way to `far`: nothing where memories are shared. */
static bool has_way(void)
{
	return near != far && (is_separate(near) || is_separate(far));
}

static void set_up(int face)
{
	system_ = open_face(face);
	near = first_device(system_);
	far = last_device(system_);
	bump = common_kernel(system_, "bump");
	add = common_kernel(system_, "add");
	array = counting_array(system_, N);
	sum = zero_array(system_, N);
}

/* `near` writes all of its part, of which the border is the end; as it was, or other by `by`. */
static void step(int by)
{
	ok(het_launch(bump, near, het_range(1, 0, HI), HET_INOUT_PART(array, het_rows(0, HI)), HET_VAL(by)));
}

/* `far` reads the border. */
static void look(void)
{
	ok(het_launch(add, far, het_range(1, LO, HI), HET_OUT_PART(sum, het_rows(LO, HI)),
		      HET_IN_PART(array, het_rows(LO, HI)), HET_VAL(0)));
}

static void assert_border(int first)
{
	int values[HI - LO];

	ok(het_read(border_of(sum), values));
	for (int i = 0; i < HI - LO; i++)
		ck_assert_int_eq(values[i], first + LO + i);
	ok(het_read(border_of(array), values));
	for (int i = 0; i < HI - LO; i++)
		ck_assert_int_eq(values[i], first + LO + i);
	(void)moved();
}

/* The loop that the call was made for: the border goes over when it has changed, and only then. */
START_TEST(test_only_what_has_changed_moves)
{
	set_up(_i);
	step(0);
	look();
	assert_border(0);
	for (int round = 1; round <= 6; round++) {
		const int by = round % 3 == 0;

		step(by);
		if (!by)
			ok(het_unmodified(border_of(array)));
		(void)moved();
		look();
		ck_assert_int_eq(moved() != 0, by && has_way());
		assert_border(round / 3);
	}
	step(0);
	look(); /* nobody has said anything */
	ck_assert_int_eq(moved() != 0, has_way());
	close_face(system_);
}
END_TEST

/* Nothing has ended when it is said: the copy is then on its way, and the write too. */
START_TEST(test_while_all_is_under_way)
{
	set_up(_i);
	for (int round = 0; round < 5; round++) {
		step(round == 0);
		if (round)
			ok(het_unmodified(border_of(array)));
		look();
	}
	assert_border(1);
	step(0);
	ok(het_unmodified(het_view(array, het_whole()))); /* also of cells that were never written twice */
	(void)moved();
	look();
	ck_assert_uint_eq(moved(), 0);
	assert_border(1);
	close_face(system_);
}
END_TEST

/* Whatever writes between counts as the last write. */
START_TEST(test_of_the_last_write_only)
{
	const int value = 7;
	int *at;

	set_up(_i);
	step(0);
	look();
	assert_border(0);
	step(1);
	step(0);
	ok(het_unmodified(border_of(array)));
	look();
	assert_border(1);
	ok(het_fill(border_of(array), &value));
	ok(het_copy(border_of(array), border_of(sum)));
	look();
	assert_border(1);
	step(0);
	ok(het_map_view(het_view(array, het_rows(LO, LO + 2)), HET_WRITE, &at));
	at[0] = LO + 5;
	at[1] = LO + 6;
	fails(het_unmodified(border_of(array)), HET_ERR_MAPPED, "het_unmodified", "[24:26]");
	ok(het_unmap_view(het_view(array, het_rows(LO, LO + 2))));
	ok(het_unmodified(het_view(array, het_rows(LO + 2, HI))));
	look();
	ck_assert_int_eq(element(sum, LO), LO + 5);
	ck_assert_int_eq(element(sum, LO + 1), LO + 6);
	ck_assert_int_eq(element(sum, LO + 2), LO + 3);
	close_face(system_);
}
END_TEST

/* A map for reading is in nobody's way; what the host writes as it was costs nothing either. */
START_TEST(test_maps)
{
	const int *at;
	int *same;

	set_up(_i);
	step(1);
	look();
	ok(het_map_view(border_of(array), HET_READ, &at));
	ok(het_unmodified(het_view(array, het_whole())));
	ok(het_unmap_view(border_of(array)));
	ok(het_map_view(border_of(array), HET_READ_WRITE, &same));
	for (int i = LO; i < HI; i++)
		same[i - LO] = i + 1;
	ok(het_unmap_view(border_of(array)));
	ok(het_unmodified(border_of(array)));
	(void)moved();
	look();
	ck_assert_uint_eq(moved(), 0);
	assert_border(1);
	close_face(system_);
}
END_TEST

/* Former copies go with the value. */
START_TEST(test_swap)
{
	het_array *other;

	set_up(_i);
	other = zero_array(system_, N);
	step(1);
	look();
	step(0);
	ok(het_swap(array, other));
	ok(het_unmodified(border_of(array)));
	ok(het_unmodified(border_of(other)));
	ok(het_swap(array, other));
	(void)moved();
	look();
	ck_assert_uint_eq(moved(), 0);
	assert_border(1);
	close_face(system_);
}
END_TEST

static het_status refuse(void *user, int count, const struct het_host_arg *args)
{
	(void)user;
	(void)count;
	(void)args;
	return HET_ERR_FILE;
}

/* Fails to write the border to the home store, which the array's value left. */
static void fail_to_write(het_array *of)
{
	ok(het_call(system_, refuse, NULL, HET_OUT_PART(of, het_rows(LO, HI))));
}

/* The write that changed nothing fails, before it is said or after: the value is what it was, where anybody
 * else has it. The cause is told. */
START_TEST(test_a_failed_write_loses_nothing)
{
	int values[HI - LO];

	set_up(_i);
	ok(het_launch(bump, far, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait_all(system_));
	fail_to_write(array);
	ok(het_unmodified(border_of(array)));
	look();
	fails(het_wait_all(system_), HET_ERR_LOST, "file cannot be read");
	if (!is_separate(far)) {
		/* its store was the only one */
		fails(het_read(border_of(array), values), HET_ERR_LOST, "file cannot be read");
		ok(het_close(system_));
		return;
	}
	assert_border(1);
	fail_to_write(array);
	fails(het_wait_all(system_), HET_ERR_LOST, "file cannot be read");
	fails(het_read(het_view(array, het_rows(LO, LO + 1)), values), HET_ERR_LOST, "file cannot be read");
	ok(het_unmodified(het_view(array, het_rows(0, LO + 4))));
	ck_assert_int_eq(element(array, LO + 3), LO + 4);
	fails(het_read(het_view(array, het_rows(LO + 4, HI)), values), HET_ERR_LOST, "file cannot be read");
	close_face(system_);
}
END_TEST

/* Every store but the home gives way in turn; a former copy goes with its store, and its place is taken. */
START_TEST(test_freed_stores)
{
	het_array *wide;

	set_up(_i);
	wide = counting_array(system_, 2 * N);
	for (int i = 0; i < 2 * N; i++) {
		const struct het_view cell = het_view(wide, het_rows(i, i + 1));

		/* a window of its own on either device, of which the first one's copy is the former one */
		ok(het_launch(bump, far, het_grid(1, 1), HET_INOUT(cell), HET_VAL(1)));
		ok(het_launch(bump, near, het_grid(1, 1), HET_INOUT(cell), HET_VAL(0)));
		if (i >= 40)
			ok(het_unmodified(het_view(wide, het_rows(i - 40, i - 39))));
		if (i % 2)
			ok(het_unmodified(cell));
	}
	ok(het_unmodified(het_view(wide, het_whole())));
	ok(het_launch(bump, far, het_grid(1, 2 * N), HET_INOUT(wide), HET_VAL(1)));
	assert_counts(wide, 2, 1);
	close_face(system_);
}
END_TEST

/* As many boxes as are remembered, and more: what is forgotten is brought again, and right. */
START_TEST(test_many_boxes)
{
	enum { CELLS = 3 * HET__FORMERS_MOST };
	het_array *wide;

	set_up(_i);
	wide = counting_array(system_, 2 * CELLS);
	ok(het_prefetch(het_view(wide, het_whole()), far));
	for (int i = 0; i < 2 * CELLS; i += 2)
		ok(het_launch(bump, near, het_range(1, i, i + 1), HET_INOUT_PART(wide, het_rows(i, i + 1)),
			      HET_VAL(0)));
	(void)moved(); /* with tasks under way, merging would take out what they promised */
	ok(het_unmodified(het_view(wide, het_whole())));
	ok(het_launch(bump, far, het_grid(1, 2 * CELLS), HET_INOUT(wide), HET_VAL(1)));
	if (near == far || !has_way())
		ck_assert_uint_eq(moved(), 0);
	else
		ck_assert_uint_ge(moved(), (CELLS - HET__FORMERS_MOST) * sizeof(int));
	assert_counts(wide, 1, 1);
	close_face(system_);
}
END_TEST

START_TEST(test_wrapped_array)
{
	het_array *own = NULL;

	set_up(_i);
	for (int i = 0; i < N; i++)
		home[i] = i;
	ok(het_array_wrap(system_, HET_INT, het_shape(1, N), home, &own));
	ok(het_launch(bump, near, het_grid(1, N), HET_INOUT(own), HET_VAL(0)));
	ok(het_unmodified(het_view(own, het_whole())));
	(void)moved();
	ok(het_array_free(own)); /* the caller's memory has the value already */
	ck_assert_uint_eq(moved(), 0);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(home[i], i);
	close_face(system_);
}
END_TEST

START_TEST(test_refusals)
{
	het_array *empty;

	set_up(_i);
	ok(het_array_name(array, "field"));
	fails(het_unmodified(het_view(NULL, het_whole())), HET_ERR_HANDLE, "het_unmodified", "NULL");
	fails(het_unmodified(het_view(array, het_rows(0, N + 1))), HET_ERR_SHAPE, "het_unmodified", "field");
	fails(het_unmodified(het_view(array, het_box(2, 0, 1, 0, 1))), HET_ERR_SHAPE, "rank 2", "field");
	ok(het_unmodified(het_view(array, het_rows(5, 5))));
	ok(het_array_new(system_, HET_INT, het_shape(2, 0, 5), &empty));
	ok(het_unmodified(het_view(empty, het_whole())));
	ok(het_array_free(array));
	fails(het_unmodified(border_of(array)), HET_ERR_HANDLE, "het_unmodified", "freed");
	close_face(system_);
}
END_TEST

/* A box copied onto itself: a write, and the last one; before it no copy was another than now. */
START_TEST(test_copied_onto_itself)
{
	set_up(_i);
	step(0);
	look();
	assert_border(0);
	step(5);
	ok(het_copy(border_of(array), border_of(array)));
	ok(het_unmodified(border_of(array)));
	look();
	assert_border(5);
	close_face(system_);
}
END_TEST

static const struct face_test tests[] = {
	{&test_only_what_has_changed_moves, 1},
	{&test_while_all_is_under_way, 1},
	{&test_of_the_last_write_only, 1},
	{&test_maps, 1},
	{&test_swap, 1},
	{&test_a_failed_write_loses_nothing, 1},
	{&test_freed_stores, 1},
	{&test_many_boxes, 1},
	{&test_wrapped_array, 1},
	{&test_copied_onto_itself, 1},
	{&test_refusals, 0},
};

int main(void)
{
	return run_face_tests("unmodified", sizeof tests / sizeof tests[0], tests);
}
