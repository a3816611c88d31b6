/* test_tiles.c - one array as a thousand tiles that two cards work at, of which none ends for a while:
 * results are those of a loop, and neither hazards nor entries are all looked at. On a fake machine; every
 * launch is followed by the walk over the invariants where debug checks are on.
 */
#include "face.h"

#include <stdlib.h>

#include "array/array.h"
#include "fakes.h"
#include "platforms.h"
#include "random.h"

enum { TILES = 32, TILE = 2, SIDE = TILES * TILE, LAUNCHES = 1500, PENDING = 500 };

static const char text[] = "kernel void mix(global int *to, global const int *from, int to_at, int from_at)\n"
			   "{\n"
			   "	for (int y = 0; y < 2; y++)\n"
			   "		for (int x = 0; x < 2; x++)\n"
			   "			to[to_at + y * 64 + x] = 3 * to[to_at + y * 64 + x] +\n"
			   "						 from[from_at + y * 64 + x];\n"
			   "}\n";

static het_system *sys;
static het_array *board;
static het_kernel *mix;
static int model[SIDE * SIDE];

static void open_cards(void)
{
	struct het_options options = HET_OPTIONS_INIT;

	setenv("FAKECL_ORDER", "late", 1);
	ck_assert(het_test_fake_driver("one-context"));
	options.share = HET_SHARE_OFF;
	ok(het_open(&options, &sys));
	ok(het_array_new(sys, HET_INT, het_shape(2, SIDE, SIDE), &board));
	ok(het_kernel_from_source(sys, text, "mix", NULL, &mix));
	for (int i = 0; i < SIDE * SIDE; i++)
		model[i] = i;
	ok(het_write(het_view(board, het_whole()), model));
}

static struct het_box tile(int t)
{
	const int y = t / TILES * TILE, x = t % TILES * TILE;

	return het_box(2, y, y + TILE, x, x + TILE);
}

static int first_of(int t)
{
	return t / TILES * TILE * SIDE + t % TILES * TILE;
}

/* One tile becomes three times itself and another one; in the model, too. */
static void launch_one(int to, int from)
{
	const int at = first_of(to), other = first_of(from);

	ok(het_launch(mix, random_once_in(2) ? first_device(sys) : last_device(sys), het_grid(1, 1),
		      HET_INOUT_PART(board, tile(to)), HET_IN_PART(board, tile(from)), HET_VAL(at),
		      HET_VAL(other)));
	for (int k = 0; k < TILE * TILE; k++) {
		const int cell = k / TILE * SIDE + k % TILE;

		model[at + cell] = 3 * model[at + cell] + model[other + cell];
	}
}

static void launch_some(int count)
{
	while (count-- > 0) {
		const int to = random_in(0, TILES * TILES - 1), from = random_in(0, TILES * TILES - 2);

		launch_one(to, from + (from >= to));
	}
}

static void assert_model(void)
{
	const int *got;

	ok(het_map(board, HET_READ, &got));
	for (int i = 0; i < SIDE * SIDE; i++)
		ck_assert_msg(got[i] == model[i], "element (%d, %d) is %d, not %d", i / SIDE, i % SIDE, got[i],
			      model[i]);
	ok(het_unmap(board));
}

static int hazards_of(const struct het__value *value, bool *in_buckets_p)
{
	int most = 0;

	for (int s = 0; s < value->top; s++)
		if (value->store[s] && value->store[s]->block->hazards.count > most) {
			most = value->store[s]->block->hazards.count;
			*in_buckets_p = value->store[s]->block->near != NULL;
		}
	return most;
}

START_TEST(nothing_ends_for_a_while)
{
	bool in_buckets = false;

	open_cards();
	launch_some(200);
	ck_assert_int_eq(control("stop 0 1"), 0);
	ck_assert_int_eq(control("stop 1 1"), 0);
	launch_some(PENDING); /* with their transfers fewer tasks than may be unfinished */
	ck_assert_int_gt(hazards_of(board->value, &in_buckets), 48);
	ck_assert(in_buckets);
	ck_assert_ptr_nonnull(board->value->dir.entries.near);
	ck_assert_int_eq(control("go 0"), 0);
	ck_assert_int_eq(control("go 1"), 0);
	assert_model();
	launch_some(random_rounds(LAUNCHES));
	assert_model();
	/* One write makes one entry of all, and few hazards need no buckets. */
	ok(het_write(het_view(board, het_whole()), model));
	ck_assert_int_eq(board->value->dir.entries.count, 1);
	ck_assert_ptr_null(board->value->dir.entries.near);
	assert_model();
	close_face(sys);
}
END_TEST

/* Some launches fail: what was not made from what they would have made is right. */
START_TEST(some_fail)
{
	int values[TILE * TILE];
	bool lost = false;

	open_cards();
	launch_some(random_rounds(LAUNCHES));
	assert_model();
	ck_assert_int_eq(control("fail ndrange 40 -5"), 0);
	for (int t = 0; t + 1 < TILES * TILES; t += 2)
		(void)het_launch(mix, t % 4 ? first_device(sys) : last_device(sys), het_grid(1, 1),
				 HET_INOUT_PART(board, tile(t)), HET_IN_PART(board, tile(t + 1)),
				 HET_VAL(first_of(t)), HET_VAL(first_of(t + 1)));
	(void)het_wait_all(sys);
	for (int t = 0; t < TILES * TILES; t++) {
		const int at = first_of(t);
		const het_status st = het_read(het_view(board, tile(t)), values);

		lost |= st != HET_OK;
		if (st != HET_OK)
			continue;
		for (int k = 0; k < TILE * TILE; k++) {
			const int cell = at + k / TILE * SIDE + k % TILE;

			ck_assert(values[k] == model[cell] ||
				  (t % 2 == 0 && values[k] == 3 * model[cell] + model[cell + TILE]));
		}
	}
	ck_assert(lost);
	ok(het_write(het_view(board, het_whole()), model));
	assert_model();
	close_face(sys);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {nothing_ends_for_a_while, some_fail};

	random_start("test_tiles");
	return run_fake_tests("tiles", (int)(sizeof tests / sizeof tests[0]), tests);
}
