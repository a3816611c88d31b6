/* test_worth.c - devices whose halo takes longer than they save have no part of a spread. */
#include "cards.h"

#include <stdlib.h>

#include "fakes.h"
#include "platforms.h"

enum { CELLS = 64, BYTES = (CELLS + CELLS - 2) * sizeof(int), HOP_NS = 1000 }; /* a halo moves in one hop */

static void know_rate(struct het__calibration *c, int device, uint64_t bytes_per_s)
{
	c->device[device].figure[HET__CAL_TRIAD_BYTES_PER_S] =
		(struct het__cal_figure){.known = true, .value = bytes_per_s};
}

/* Two cards, and what is known of the ways between their memories. */
static het_system *open_known(uint64_t first_rate, uint64_t second_rate, const char *path)
{
	struct het__calibration c = of_cards();
	struct het__cal_pair *back;

	crossing(&c); /* a little takes HOP_NS */
	back = add_pair(&c, c.device[1].name, c.device[0].name, HET__CAL_CONTIGUOUS);
	add_point(back, "copy", 4 * KIB, HOP_NS);
	het__cal_decide(back);
	know_rate(&c, 0, first_rate);
	know_rate(&c, 1, second_rate);
	use_calibration(&c, path_of(path));
	return open_cards();
}

/* Rows of each device, of this many cells but for the rim, where the kernel reads what lies beside, or not. */
static void plan_of(het_system *system, int cells, int reach, int64_t *rows)
{
	het_team *const team = het_everyone(system);
	het_array *const a = counting_array(system, CELLS), *const b = zero_array(system, CELLS);
	struct het_part part[2];
	int dimension, value;

	ok(het_spread_plan(common_kernel(system, "add"), team, het_range(1, 1, cells - 1), part, &dimension,
			   HET_OUT(HET_EACH(b)), HET_IN(reach ? HET_HALO(a, reach) : HET_EACH(a)), HET_VAL(1)));
	for (int i = 0; i < 2; i++)
		rows[i] = part[i].range.hi[0] - part[i].range.lo[0];
	ok(het_spread(common_kernel(system, "add"), team, het_range(1, 1, cells - 1), HET_OUT(HET_EACH(b)),
		      HET_IN(reach ? HET_HALO(a, reach) : HET_EACH(a)), HET_VAL(1)));
	ok(het_read(het_view(b, het_rows(cells - 2, cells - 1)), &value));
	ck_assert_int_eq(value, cells - 1);
}

static void plan(het_system *system, int reach, int64_t *rows)
{
	plan_of(system, CELLS, reach, rows);
}

/* How long a spread takes over the first card alone, in hops, and the second one's rate for one of the
 * first's. */
static const struct {
	double alone;
	double second;
	int both;
} cases[] = {
	{0.4, 0.1, 0}, {0.4, 1, 0}, /* two as fast as each other: the first */
	{1.2, 0.1, 1},              /* longer, but not twice as long */
	{3, 1, 1},
};

START_TEST(halo_is_worth_it)
{
	const double rate = BYTES / (cases[_i].alone * HOP_NS * 1e-9);
	het_system *const system = open_known((uint64_t)rate, (uint64_t)(rate * cases[_i].second), "worth.ini");
	het_team *const all = het_everyone(system);
	const double as_given[2] = {1, 1};
	int64_t rows[2];

	plan(system, 0, rows); /* nothing to exchange, and nothing judged */
	ck_assert_int_gt(rows[1], 0);
	plan(system, 1, rows);
	ck_assert_int_eq(rows[0] + rows[1], CELLS - 2);
	ck_assert_int_eq(rows[1] > 0, cases[_i].both);
	for (int cells = CELLS - 7; cells <= CELLS; cells += 7) { /* the same grid, with another rim */
		plan_of(system, cells, 0, rows);
		ck_assert_int_eq(rows[1] > 0, cases[_i].both);
	}
	plan_of(system, CELLS / 2, 0, rows);
	ck_assert_int_gt(rows[1], 0);
	ok(het_team_rebalance(all, 100)); /* what is measured counts */
	plan(system, 1, rows);
	ck_assert_int_gt(rows[1], 0);
	ok(het_team_rebalance(all, 0));
	ok(het_team_share_by(all, HET_BY_COMPUTE)); /* bytes say nothing of such kernels */
	plan(system, 1, rows);
	ck_assert_int_gt(rows[1], 0);
	ok(het_team_share_by(all, HET_BY_BANDWIDTH));
	plan(system, 1, rows);
	ck_assert_int_eq(rows[1] > 0, cases[_i].both);
	ok(het_team_set_shares(all, as_given)); /* a program's wish */
	plan(system, 1, rows);
	ck_assert_int_eq(rows[1], rows[0]);
	ok(het_close(system));
}
END_TEST

/* Nothing was measured of the way: some 10 us a hop are assumed. */
START_TEST(assumed_way)
{
	struct het__calibration c = of_cards();
	het_system *system;
	int64_t rows[2];

	const bool is_slow = _i == 0; /* a spread takes a second, or nothing */

	for (int d = 0; d < 2; d++)
		know_rate(&c, d, is_slow ? BYTES : 1000000000000);
	use_calibration(&c, path_of("way.ini"));
	system = open_cards();
	plan(system, 1, rows);
	ck_assert_int_eq(rows[1] > 0, is_slow);
	ok(het_close(system));
}
END_TEST

int main(void)
{
	int failed = run_fake_loop("way", assumed_way, 2, 30);

	failed |= run_fake_loop("worth", halo_is_worth_it, (int)(sizeof cases / sizeof cases[0]), 30);
	return failed;
}
