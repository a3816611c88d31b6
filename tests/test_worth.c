/* test_worth.c - devices whose halo takes longer than they save have no part of a spread. */
#include "cards.h"

#include <stdlib.h>

#include "fakes.h"
#include "kernel/kernel.h"
#include "platforms.h"

enum { CELLS = 64, BYTES = (CELLS + CELLS - 2) * sizeof(int), HOP_NS = 1000 }; /* a halo moves in one hop */

static void know_rate(struct het__calibration *c, int device, uint64_t bytes_per_s)
{
	c->device[device].figure[HET__CAL_TRIAD_BYTES_PER_S] =
		(struct het__cal_figure){.known = true, .value = bytes_per_s};
}

static void add_way(struct het__calibration *c, int from, int to, uint64_t ns)
{
	struct het__cal_pair *const way =
		add_pair(c, c->device[from].name, c->device[to].name, HET__CAL_CONTIGUOUS);

	add_point(way, "copy", 4 * KIB, ns);
	het__cal_decide(way);
}

/* Two cards, and what is known of the ways between their memories. */
static het_system *open_known(uint64_t first_rate, uint64_t second_rate, const char *path)
{
	struct het__calibration c = of_cards();

	add_way(&c, 0, 1, HOP_NS);
	add_way(&c, 1, 0, HOP_NS);
	know_rate(&c, 0, first_rate);
	know_rate(&c, 1, second_rate);
	use_calibration(&c, path_of(path));
	return open_cards();
}

/* Rows of each device, of this many cells but for the rim, where the kernel reads what lies beside, or not. */
static void plan_with(het_kernel *add, int cells, int reach, int64_t *rows)
{
	het_system *const system = add->system;
	het_team *const team = het_everyone(system);
	het_array *const a = counting_array(system, CELLS), *const b = zero_array(system, CELLS);
	struct het_part part[2];
	int dimension, value;

	ok(het_spread_plan(add, team, het_range(1, 1, cells - 1), part, &dimension, HET_OUT(HET_EACH(b)),
			   HET_IN(reach ? HET_HALO(a, reach) : HET_EACH(a)), HET_VAL(1)));
	for (int i = 0; i < 2; i++)
		rows[i] = part[i].range.hi[0] - part[i].range.lo[0];
	ok(het_spread(add, team, het_range(1, 1, cells - 1), HET_OUT(HET_EACH(b)),
		      HET_IN(reach ? HET_HALO(a, reach) : HET_EACH(a)), HET_VAL(1)));
	ok(het_read(het_view(b, het_rows(cells - 2, cells - 1)), &value));
	ck_assert_int_eq(value, cells - 1);
}

static void plan_of(het_system *system, int cells, int reach, int64_t *rows)
{
	plan_with(common_kernel(system, "add"), cells, reach, rows);
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
	{3, 1 / 11.0, 1}, {3, 1 / 13.0, 0}, /* it would add little */
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

static het_system *open_parts(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	ck_assert(het_test_fake_driver("cut-cpu"));
	options.devices = "*/1";
	ok(het_open(&options, &system));
	return system;
}

/* Two of a processor's parts, which have one memory. What the second takes to begin is all that speaks against
 * it: for each nanosecond that the first takes alone. */
START_TEST(late_start_is_worth_it)
{
	static const double late[] = {0.5, 1.2, 3};
	const double alone_ns = 1000;
	struct het__calibration c;
	het_system *system;
	het_device *two[2];
	het_team *team;
	het_array *a, *b;
	struct het_part part[2];
	int dimension;

	setenv("HETERO_CALIBRATION", "off", 1);
	system = open_parts();
	c = calibration_of(system, ALL_DEVICES);
	ok(het_close(system));
	for (int d = 0; d < c.device_count; d++)
		know_rate(&c, d, (uint64_t)(BYTES / (alone_ns * 1e-9)));
	c.device[1].figure[HET__CAL_BEHIND_NS] =
		(struct het__cal_figure){.known = true, .value = (uint64_t)(late[_i] * alone_ns)};
	use_calibration(&c, path_of("late.ini"));
	system = open_parts();
	two[0] = het_device(system, 0);
	two[1] = het_device(system, 1);
	ok(het_team_new(system, 2, two, NULL, &team));
	a = counting_array(system, CELLS);
	b = zero_array(system, CELLS);
	ok(het_spread_plan(common_kernel(system, "add"), team, het_range(1, 1, CELLS - 1), part, &dimension,
			   HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	ck_assert_int_eq(part[0].range.hi[0] - part[0].range.lo[0], late[_i] < 2 ? (CELLS - 2) / 2 : CELLS - 2);
	ok(het_close(system));
}
END_TEST

/* Nothing was measured of the way: some 10 us a hop are assumed. */
START_TEST(assumed_way)
{
	const bool is_slow = _i == 0; /* a spread takes a second, or nothing */
	struct het__calibration c = of_cards();
	het_system *system;
	int64_t rows[2];

	for (int d = 0; d < 2; d++)
		know_rate(&c, d, is_slow ? BYTES : 1000000000000);
	use_calibration(&c, path_of("way.ini"));
	system = open_cards();
	plan(system, 1, rows);
	ck_assert_int_eq(rows[1] > 0, is_slow);
	ok(het_close(system));
}
END_TEST

enum { ROWS = CELLS - 2, ROW_NS = 1000 }; /* what a card takes for a row */

/* Says that the kernel was this fast, of late. */
static void measured_as(het_kernel *kernel, const het_device *device, double rows_per_ns)
{
	struct het__kernel_on *const on = atomic_load(&kernel->on[device->index]);

	for (int i = 0; i < HET__RATES; i++)
		het__pace_add(&on->paces, 1, rows_per_ns);
}

/* What was measured stays when nobody looks at it any more. */
START_TEST(measured_shares_are_kept)
{
	const double rate = BYTES / (0.4 * HOP_NS * 1e-9);
	het_system *const system = open_known((uint64_t)rate, (uint64_t)rate, "kept.ini");
	het_kernel *const add = common_kernel(system, "add");
	het_team *const all = het_everyone(system);
	het_array *const a = counting_array(system, CELLS), *const b = zero_array(system, CELLS);
	struct het_part part[2];
	int dimension;

	ok(het_team_rebalance(all, 1));
	for (int i = 0; i < 8; i++)
		ok(het_spread(add, all, het_range(1, 1, CELLS - 1), HET_OUT(HET_EACH(b)),
			      HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	ok(het_team_rebalance(all, 0));
	for (int d = 0; d < 2; d++)
		measured_as(add, het_device(system, d), 1.0 / ROW_NS);
	ok(het_spread_plan(add, all, het_range(1, 1, CELLS - 1), part, &dimension, HET_OUT(HET_EACH(b)),
			   HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	ck_assert_int_gt(part[1].range.hi[0], part[1].range.lo[0]);
	ok(het_close(system));
}
END_TEST

/* But for a device that begins later, by the calibration, than it could save: what is measured is how fast
 * kernels run. Where nothing is read beside parts it takes part. */
START_TEST(late_ones_save_nothing)
{
	const bool is_late = _i == 1;
	struct het__calibration c = of_cards();
	het_system *system;
	het_kernel *add;
	het_team *all;
	het_array *a, *b;
	struct het_part part[2];
	int dimension;

	for (int d = 0; d < 2; d++)
		c.device[d].figure[HET__CAL_BEHIND_NS] = (struct het__cal_figure){
			.known = true, .value = is_late && d == 1 ? 10000000000 : 1000};
	use_calibration(&c, path_of("late-card.ini"));
	system = open_cards();
	add = common_kernel(system, "add");
	all = het_everyone(system);
	a = counting_array(system, CELLS);
	b = zero_array(system, CELLS);
	ok(het_team_rebalance(all, 1));
	for (int i = 0; i < 8; i++)
		ok(het_spread(add, all, het_range(1, 1, CELLS - 1), HET_OUT(HET_EACH(b)),
			      HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	ok(het_wait_all(system));
	ok(het_team_rebalance(all, 0));
	for (int d = 0; d < 2; d++)
		measured_as(add, het_device(system, d), 1.0 / ROW_NS);
	ok(het_spread_plan(add, all, het_range(1, 1, CELLS - 1), part, &dimension, HET_OUT(HET_EACH(b)),
			   HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	ck_assert_int_eq(part[1].range.hi[0] > part[1].range.lo[0], !is_late);
	ok(het_spread_plan(add, all, het_range(1, 1, CELLS - 1), part, &dimension, HET_OUT(HET_EACH(b)),
			   HET_IN(HET_EACH(a)), HET_VAL(1)));
	ck_assert_int_gt(part[1].range.hi[0], part[1].range.lo[0]);
	ok(het_close(system));
}
END_TEST

/* To be told of another grid's cut changes nothing. */
START_TEST(plan_decides_nothing)
{
	const double rate = BYTES / (0.4 * HOP_NS * 1e-9);
	het_system *const system = open_known((uint64_t)rate, (uint64_t)rate, "told.ini");
	het_array *const a = counting_array(system, 20 * CELLS), *const b = zero_array(system, 20 * CELLS);
	struct het_part part[2];
	int64_t rows[2];
	int dimension;

	plan(system, 1, rows);
	ck_assert_int_eq(rows[1], 0);
	ok(het_spread_plan(common_kernel(system, "add"), het_everyone(system), het_grid(1, 20 * CELLS), part,
			   &dimension, HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	ck_assert_int_gt(part[1].range.hi[0], part[1].range.lo[0]); /* it is worth it there */
	plan(system, 0, rows);
	ck_assert_int_eq(rows[1], 0);
	ok(het_close(system));
}
END_TEST

static het_system *open_three(void)
{
	het_system *system;

	ck_assert(het_test_fake_driver("three-cards"));
	ok(het_open(NULL, &system));
	for (int d = 0; d < het_device_count(system); d++)
		ok(het__device_open(het_device(system, d)));
	return system;
}

/* Launches on a device. */
static uint64_t launches_on(het_device *device)
{
	struct het_device_stats stats = HET_DEVICE_STATS_INIT;

	ok(het_device_stats(device, &stats));
	return stats.launches;
}

/* Three cards of these rates, `way_ns[i]` from and to card i. */
static het_system *open_three_known(const double *rate, const uint64_t *way_ns, const char *path)
{
	struct het__calibration c;
	het_system *system;

	setenv("HETERO_CALIBRATION", "off", 1);
	system = open_three();
	c = calibration_of(system, ALL_DEVICES);
	ok(het_close(system));
	for (int from = 0; from < 3; from++)
		for (int to = 0; to < 3; to++)
			if (from != to)
				add_way(&c, from, to, way_ns[from] > way_ns[to] ? way_ns[from] : way_ns[to]);
	for (int d = 0; d < 3; d++)
		know_rate(&c, d, (uint64_t)rate[d]);
	use_calibration(&c, path_of(path));
	return open_three();
}

/* Two that are far slower than the first take part where they are a tenth of all together. */
START_TEST(slow_ones_go_together)
{
	const double first = BYTES / (4.0 * HOP_NS * 1e-9), times = _i == 0 ? 15 : 30;
	const double rate[3] = {first / times, first, first / times};
	const uint64_t way_ns[3] = {HOP_NS, HOP_NS, HOP_NS};
	het_system *const system = open_three_known(rate, way_ns, "slow.ini");
	het_array *const a = counting_array(system, CELLS), *const b = zero_array(system, CELLS);
	struct het_part part[3];
	int dimension;

	ok(het_spread_plan(common_kernel(system, "add"), het_everyone(system), het_range(1, 1, CELLS - 1), part,
			   &dimension, HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	for (int i = 0; i < 3; i += 2)
		ck_assert_int_eq(part[i].range.hi[0] > part[i].range.lo[0], _i == 0);
	ok(het_close(system));
}
END_TEST

/* Two cards are worth each other's halo, the slow processor beside them is not: they have all of it, by halves.
 * Sums and het_reduce do not bring it back in. */
START_TEST(others_share_what_one_is_not_worth)
{
	enum { SUM = (CELLS - 2) * (CELLS - 1) / 2 + CELLS - 2 }; /* of i + 1 for i in [1, CELLS - 1) */
	const double fast = BYTES / (4.0 * HOP_NS * 1e-9), rate[3] = {fast / 10, fast, fast};
	const uint64_t way_ns[3] = {100 * HOP_NS, HOP_NS, HOP_NS};
	het_system *const system = open_three_known(rate, way_ns, "three.ini");
	struct het_part part[3];
	het_array *a, *b, *sum;
	het_kernel *reads;
	int dimension, value;
	uint64_t before;

	a = counting_array(system, CELLS);
	b = zero_array(system, CELLS);
	sum = zero_array(system, 1);
	ok(het_spread_plan(common_kernel(system, "add"), het_everyone(system), het_range(1, 1, CELLS - 1), part,
			   &dimension, HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(part[i].range.hi[0] - part[i].range.lo[0], i == 0 ? 0 : (CELLS - 2) / 2);
	ok(het_spread(common_kernel(system, "add"), het_everyone(system), het_range(1, 1, CELLS - 1),
		      HET_OUT(HET_EACH(b)), HET_IN(HET_HALO(a, 1)), HET_VAL(1)));
	before = launches_on(first_device(system));
	reads = text_kernel(system,
			    "kernel void reads(global int *sum, global const int *x)\n"
			    "{ *sum += x[get_global_id(0)]; }\n",
			    "reads");
	ok(het_spread(reads, het_everyone(system), het_range(1, 1, CELLS - 1), HET_OUT(HET_SUM(sum)),
		      HET_IN(HET_HALO(b, 1))));
	ok(het_read(het_view(sum, het_whole()), &value));
	ck_assert_int_eq(value, SUM);
	ok(het_reduce(HET_REDUCE_SUM, het_view(b, het_whole()), het_view(sum, het_whole()),
		      het_everyone(system)));
	ok(het_read(het_view(sum, het_whole()), &value));
	ck_assert_int_eq(value, SUM);
	ck_assert_uint_eq(launches_on(first_device(system)), before);
	ok(het_close(system));
}
END_TEST

static int times_told_of_a_guess(bool measure, const double *shares)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;
	het_device *two[2];
	het_team *team;

	said.text[0] = '\0';
	options.log = keep_line;
	options.log_user = &said;
	ok(het_open(&options, &system));
	for (int d = 0; d < 2; d++)
		two[d] = het_device(system, d);
	ok(het_team_new(system, 2, two, shares, &team));
	ok(het_team_rebalance(team, measure));
	for (int k = 0; k < 2; k++)
		ok(het_spread(common_kernel(system, "bump"), team, het_grid(1, CELLS),
			      HET_INOUT(HET_EACH(zero_array(system, CELLS))), HET_VAL(1)));
	ok(het_close(system));
	return times_said("nothing was measured of ");
}

/* Unlike devices: compute units say little. Parts of one processor: they say enough. */
START_TEST(guessed_shares_are_told)
{
	const double shares[2] = {1, 2};

	setenv("HOME", het_test_subfolder("home"), 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HETERO_CALIBRATION");
	ck_assert(het_test_fake_driver("three-platforms"));
	ck_assert_int_eq(times_told_of_a_guess(false, NULL), 1);
	assert_said("the shares of 2 unlike devices");
	ck_assert_int_eq(times_told_of_a_guess(false, shares), 0);
	ck_assert_int_eq(times_told_of_a_guess(true, NULL), 0);
	setenv("HETERO_DEVICES", "fake:cpu0/1", 1);
	ck_assert_int_eq(times_told_of_a_guess(false, NULL), 0);
	unsetenv("HETERO_DEVICES");
	setenv("HETERO_CALIBRATION", "off", 1); /* who wants it so is not warned */
	ck_assert_int_eq(times_told_of_a_guess(false, NULL), 0);
}
END_TEST

/* One card's speed as part of the other's, what a halo takes as part of what a card takes alone. */
static const struct {
	double speed, halo;
	enum het_overlap overlap;
	bool takes_part;
} measured[] = {
	{0.03, 0, HET_OVERLAP_NEVER, false},
	{0.06, 0, HET_OVERLAP_NEVER, true},
	{1, 0.3, HET_OVERLAP_NEVER, true},
	{1, 0.6, HET_OVERLAP_NEVER, false},
	{1, 0.6, HET_OVERLAP_ALWAYS, true}, /* of this 0.5 are hidden behind the interior */
	{1, 1.2, HET_OVERLAP_ALWAYS, false},
};

/* Where shares are as measured, a device that adds little has no part, nor one that is waited for longer. */
START_TEST(measured_ones_are_worth_it)
{
	const uint64_t halo_ns = 1 + (uint64_t)(measured[_i].halo * ROWS * ROW_NS);
	struct het__calibration c = of_cards();
	het_system *system;
	het_kernel *add;
	het_team *all;
	int64_t rows[2];

	add_way(&c, 0, 1, halo_ns);
	add_way(&c, 1, 0, halo_ns);
	use_calibration(&c, path_of("measured.ini"));
	system = open_cards();
	add = common_kernel(system, "add");
	all = het_everyone(system);
	ok(het_team_overlap(all, measured[_i].overlap));
	ok(het_team_rebalance(all, 1));
	plan_with(add, CELLS, 1, rows);
	ck_assert_int_eq(rows[1], ROWS / 2);
	ok(het_wait_all(system));
	ok(het_team_rebalance(all, 0));
	measured_as(add, het_device(system, 0), 1.0 / ROW_NS);
	measured_as(add, het_device(system, 1), measured[_i].speed / ROW_NS);
	plan_with(add, CELLS, 1, rows);
	ck_assert_int_eq(rows[1], measured[_i].takes_part ? ROWS / 2 : 0);
	ok(het_close(system));
}
END_TEST

/* Shares that are seldom looked at follow in the beginning, all the same. */
START_TEST(first_looks_are_soon)
{
	het_system *const system = open_cards();
	het_kernel *const add = common_kernel(system, "add");
	het_team *const all = het_everyone(system);
	double shares[2];
	int64_t rows[2];

	ok(het_team_rebalance(all, 1000));
	for (int spreads = 1; spreads <= 5; spreads++) {
		plan_with(add, CELLS, 1, rows);
		ok(het_wait_all(system));
		measured_as(add, het_device(system, 0), 1.0 / ROW_NS);
		measured_as(add, het_device(system, 1), (spreads < 4 ? 3.0 : 9.0) / ROW_NS);
		ok(het_team_shares(all, add, shares));
		ck_assert_double_eq_tol(shares[1], spreads < 3 ? 0.5 : spreads < 5 ? 0.75 : 0.9, 1e-9);
	}
	ok(het_close(system));
}
END_TEST

int main(void)
{
	int failed = run_fake_tests("worth", 5,
				    (const TTest *const[]){measured_shares_are_kept, plan_decides_nothing,
							   others_share_what_one_is_not_worth,
							   guessed_shares_are_told, first_looks_are_soon});

	failed |= run_fake_loop("way", assumed_way, 2, 30);
	failed |= run_fake_loop("measured", late_ones_save_nothing, 2, 30);
	failed |= run_fake_loop("measured worth", measured_ones_are_worth_it,
				(int)(sizeof measured / sizeof measured[0]), 30);
	failed |= run_fake_loop("slow", slow_ones_go_together, 2, 30);
	failed |= run_fake_loop("late", late_start_is_worth_it, 3, 30);
	failed |= run_fake_loop("worth", halo_is_worth_it, (int)(sizeof cases / sizeof cases[0]), 30);
	return failed;
}
