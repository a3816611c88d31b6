/* test_team_measured.c - what teams make of a calibration: shares, and whether edges are launched apart. */
#include "cards.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fakes.h"
#include "kernel/kernel.h"
#include "platforms.h"

static void know(struct het__calibration *c, int device, enum het__cal_figures which, uint64_t value)
{
	c->device[device].figure[which] = (struct het__cal_figure){.known = value > 0, .value = value};
}

/* ---- shares -------------------------------------------------------------------------------------- */

static void shares_are(het_team *team, double first, double second)
{
	double share[2] = {0, 0};

	ok(het_team_shares(team, NULL, share));
	ck_assert_double_eq_tol(share[0], first, 1e-9);
	ck_assert_double_eq_tol(share[1], second, 1e-9);
}

static het_system *open_known(uint64_t second_double)
{
	struct het__calibration c = of_cards();

	for (int d = 0; d < 2; d++) {
		know(&c, d, HET__CAL_TRIAD_BYTES_PER_S, d ? 10000000 : 30000000);
		know(&c, d, HET__CAL_SINGLE_FLOP_PER_S, d ? 4000000 : 1000000);
	}
	know(&c, 0, HET__CAL_DOUBLE_FLOP_PER_S, 7000000);
	know(&c, 1, HET__CAL_DOUBLE_FLOP_PER_S, second_double);
	use_calibration(&c, path_of("shares.ini"));
	return open_cards();
}

/* By what was measured of every device; where that is not known of one, by compute units, of which both have as
 * many. */
START_TEST(shares_follow_what_was_measured)
{
	het_system *system = open_known(0);
	het_team *team = het_everyone(system);

	shares_are(team, 0.75, 0.25);
	ok(het_team_share_by(team, HET_BY_COMPUTE));
	shares_are(team, 0.2, 0.8);
	ok(het_team_share_by(team, HET_BY_COMPUTE_DOUBLE));
	shares_are(team, 0.5, 0.5);
	ok(het_team_share_by(team, HET_BY_BANDWIDTH));
	shares_are(team, 0.75, 0.25);
	ok(het_close(system));
	system = open_known(63000000);
	team = het_everyone(system);
	ok(het_team_share_by(team, HET_BY_COMPUTE_DOUBLE));
	shares_are(team, 0.1, 0.9);
	ok(het_close(system));
}
END_TEST

/* Two parts of one processor, which share the host's memory. */
static het_system *open_cut(const char *devices)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	ck_assert(het_test_fake_driver("cut-cpu"));
	options.devices = devices;
	ok(het_open(&options, &system));
	for (int d = 0; d < het_device_count(system); d++)
		ok(het__device_open(het_device(system, d)));
	return system;
}

static het_system *open_parts(void)
{
	return open_cut("pocl:cpu/2");
}

static struct het__calibration of_cut(const char *devices)
{
	struct het__calibration c;
	het_system *system;

	setenv("HETERO_CALIBRATION", "off", 1);
	system = open_cut(devices);
	c = calibration_of(system, ALL_DEVICES);
	ok(het_close(system));
	return c;
}

static struct het__calibration of_parts(void)
{
	return of_cut("pocl:cpu/2");
}

/* Devices of one kind only look as if they differed. */
START_TEST(equal_devices_have_equal_shares)
{
	struct het__calibration c = of_parts();
	het_system *system;

	for (int d = 0; d < 2; d++)
		know(&c, d, HET__CAL_TRIAD_BYTES_PER_S, d ? 90 : 110);
	use_calibration(&c, path_of("kind.ini"));
	system = open_parts();
	shares_are(het_everyone(system), 0.5, 0.5);
	ok(het_close(system));
}
END_TEST

/* A user may know that one of them is busy otherwise. */
START_TEST(what_a_user_says_counts)
{
	struct het__calibration c = of_parts();
	het_system *system;

	for (int d = 0; d < 2; d++)
		know(&c, d, HET__CAL_TRIAD_BYTES_PER_S, d ? 60 : 20);
	c.device[0].figure[HET__CAL_TRIAD_BYTES_PER_S].origin = HET__CAL_USER;
	use_calibration(&c, path_of("user.ini"));
	system = open_parts();
	shares_are(het_everyone(system), 0.25, 0.75);
	ok(het_close(system));
}
END_TEST

START_TEST(unlike_devices_have_what_was_measured)
{
	struct het__calibration c = of_cards(); /* they have two names */
	het_system *system;

	for (int d = 0; d < 2; d++)
		know(&c, d, HET__CAL_TRIAD_BYTES_PER_S, d ? 90 : 110);
	use_calibration(&c, path_of("unlike.ini"));
	system = open_cards();
	shares_are(het_everyone(system), 0.55, 0.45);
	ok(het_close(system));
}
END_TEST

/* ---- edges and interiors ------------------------------------------------------------------------- */

/* How many kernels a spread with a halo is, over two devices. */
static uint64_t launches_of_a_spread(het_system *system)
{
	enum { CELLS = 64 };
	het_array *const a = counting_array(system, CELLS), *const b = zero_array(system, CELLS);
	het_kernel *const add = common_kernel(system, "add");
	uint64_t before;
	int sum;

	for (int i = 0; i < 2; i++) { /* the second brings the first one's rows across the cut */
		before = stats_of(system).launches;
		ok(het_spread(add, het_everyone(system), het_range(1, 1, CELLS - 1),
			      HET_OUT(HET_EACH(i ? a : b)), HET_IN(HET_HALO(i ? b : a, 1)), HET_VAL(1)));
		before = stats_of(system).launches - before;
	}
	ok(het_read(het_view(a, het_rows(5, 6)), &sum));
	ck_assert_int_eq(sum, 7);
	return before;
}

static void know_edges(struct het__calibration *c, int device, uint64_t behind_ns, uint64_t saved_ns,
		       uint64_t spread_ns)
{
	know(c, device, HET__CAL_BEHIND_NS, behind_ns);
	know(c, device, HET__CAL_EDGES_NS, saved_ns);
	c->device[device].figure[HET__CAL_EDGES_NS].spread = spread_ns;
}

static const struct {
	uint64_t behind_ns, saved_ns, spread_ns;
	uint64_t launches;
} gains[] = {{1000, 501, 500, 4}, {1000, 500, 500, 2}, {1000, 0, 0, 2}, {0, 501, 500, 2}};

/* In one memory: where it was measured to save something, beyond doubt. */
START_TEST(edges_are_apart_where_it_pays)
{
	struct het__calibration c = of_parts();
	het_system *system;

	for (int d = 0; d < 2; d++)
		know_edges(&c, d, gains[_i].behind_ns, gains[_i].saved_ns, gains[_i].spread_ns);
	use_calibration(&c, path_of("gains.ini"));
	system = open_parts();
	ck_assert_uint_eq(launches_of_a_spread(system), gains[_i].launches);
	ok(het_team_overlap(het_everyone(system), HET_OVERLAP_NEVER));
	ck_assert_uint_eq(launches_of_a_spread(system), 2);
	ok(het_close(system));
}
END_TEST

/* Where it pays between any two parts, all are cut: four interiors, six edges. Two edges of a part cost one
 * launch more than was measured. */
START_TEST(edges_are_apart_on_both_sides)
{
	struct het__calibration c = of_cut("pocl:cpu/1");
	const bool pays = _i % 2 == 0;
	het_system *system;

	ck_assert_int_eq(c.device_count, 4);
	know_edges(&c, _i / 2, 1000, pays ? 1501 : 1500, 500);
	use_calibration(&c, path_of("sides.ini"));
	system = open_cut("pocl:cpu/1");
	ck_assert_uint_eq(launches_of_a_spread(system), pays ? 10 : 4);
	ok(het_close(system));
}
END_TEST

static het_status wait_for_word(void *word, int count, const struct het_host_arg *args)
{
	(void)count;
	(void)args;
	while (!atomic_load((atomic_bool *)word))
		sched_yield();
	return HET_OK;
}

/* While a function of the program's holds the interior of the second part up, its edge goes on, and so the
 * first part makes the step behind that, which reads the edge. Launched as a whole all would wait. */
START_TEST(edges_go_on_without_their_interior)
{
	enum { N = 64, BORDER = N / 2 - 1 };
	static const char text[] =
		"kernel void three(global int *out, global const int *in)\n"
		"{ int i = get_global_id(0); out[i] = in[i - 1] + in[i] + in[i + 1]; }\n";
	static const char *const orders[] = {"late", "fifo", "random:7"};
	atomic_bool word = false;
	int wanted[4][N], got[N];
	het_system *system;
	het_kernel *three;
	het_team *team;
	het_array *now, *next;

	setenv("FAKECL_ORDER", orders[_i], 1);
	system = open_cards();
	three = text_kernel(system, text, "three");
	team = het_everyone(system);
	now = counting_array(system, N);
	next = counting_array(system, N);
	ok(het_team_set_shares(team, (double[]){1, 1}));
	ok(het_team_overlap(team, HET_OVERLAP_ALWAYS));
	for (int step = 0; step < 4; step++)
		for (int i = 0; i < N; i++)
			wanted[step][i] = step == 0 || i == 0 || i == N - 1
						  ? i
						  : wanted[step - 1][i - 1] + wanted[step - 1][i] +
							    wanted[step - 1][i + 1];
	for (int step = 0; step < 3; step++) {
		ok(het_spread(three, team, het_range(1, 1, N - 1), HET_OUT(HET_EACH(next)),
			      HET_IN(HET_HALO(now, 1))));
		ok(het_swap(now, next));
		if (step == 0)
			ok(het_call(system, wait_for_word, &word,
				    HET_INOUT_PART(now, het_rows(N - 10, N - 9))));
	}
	ok(het_read(het_view(now, het_rows(BORDER, BORDER + 1)), got));
	ck_assert_int_eq(got[0], wanted[3][BORDER]);
	ck_assert(!atomic_load(&word));
	atomic_store(&word, true);
	ok(het_read(het_view(now, het_whole()), got));
	ck_assert_mem_eq(got, wanted[3], sizeof got);
	ok(het_close(system));
}
END_TEST

static const struct {
	uint64_t behind_ns;
	const char *queues;
	uint64_t launches;
} copies[] = {{400, "2", 4}, {600, "2", 2}, {0, "2", 2}, {400, "1", 2}};

/* Between two: where copies pass kernels and take longer than that. */
START_TEST(edges_are_apart_where_copies_pass)
{
	struct het__calibration c = of_cards();
	struct het__cal_pair *back;
	het_system *system;

	crossing(&c); /* a little takes 1000 ns */
	back = add_pair(&c, c.device[1].name, c.device[0].name, HET__CAL_CONTIGUOUS);
	add_point(back, "copy", 4 * KIB, 1000);
	het__cal_decide(back);
	for (int d = 0; d < 2; d++) /* within a memory: it is not asked for */
		know_edges(&c, d, copies[_i].behind_ns, 1000000, 0);
	use_calibration(&c, path_of("copies.ini"));
	setenv("HETERO_QUEUES", copies[_i].queues, 1);
	system = open_cards();
	ck_assert_uint_eq(launches_of_a_spread(system), copies[_i].launches);
	ok(het_close(system));
}
END_TEST

/* ---- measured shares ------------------------------------------------------------------------------ */

/* A launch may be far smaller than the parts of a spread: it does not tell how fast the kernel is there. */
START_TEST(launches_do_not_tell_of_shares)
{
	enum { CELLS = 64 };
	het_system *const system = open_cards();
	het_array *const x = zero_array(system, CELLS);
	het_kernel *const set = common_kernel(system, "set");
	struct het_kernel_times times = HET_KERNEL_TIMES_INIT;

	ok(het_team_rebalance(het_everyone(system), 1));
	for (int i = 0; i < 3; i++)
		ok(het_launch(set, het_device(system, 0), het_grid(1, 1), HET_OUT(x), HET_VAL(i)));
	ok(het_wait_all(system));
	ok(het_kernel_times(set, het_device(system, 0), &times));
	ck_assert_uint_eq(times.launches, 3);
	ck_assert(!(het__kernel_rate(set, het_device(system, 0), 1) > 0));
	for (int i = 0; i < 2; i++) /* the second card's first part is left out */
		ok(het_spread(set, het_everyone(system), het_grid(1, CELLS), HET_OUT(HET_EACH(x)), HET_VAL(i)));
	ok(het_wait_all(system));
	for (int d = 0; d < 2; d++)
		ck_assert_double_gt(het__kernel_rate(set, het_device(system, d), 1), 0);
	ok(het_close(system));
}
END_TEST

/* As if both cards had run parts of such spreads so fast. */
static void ran(const het_kernel *kernel, int64_t cells, double first, double second)
{
	const struct het_range range = het_grid(1, cells);

	for (int i = 0; i < HET__RATES; i++)
		for (int d = 0; d < 2; d++)
			het__pace_add(&atomic_load(&kernel->on[d])->paces, het__pace_size(&range),
				      d ? second : first);
}

static int64_t cells_of_first(het_kernel *kernel, het_system *system, het_array *x, int64_t cells)
{
	struct het_part part[2];
	int dimension;

	ok(het_spread_plan(kernel, het_everyone(system), het_grid(1, cells), part, &dimension,
			   HET_OUT(HET_EACH(x)), HET_VAL(1)));
	return part[0].range.hi[0];
}

/* What a kernel takes for small grids does not tell of large ones. A size that was not measured begins with the
 * shares of the last spread. */
START_TEST(sizes_have_shares_of_their_own)
{
	enum { LARGE = 1 << 16, SMALL = 1 << 10, OTHER = 1 << 13 };
	het_system *const system = open_cards();
	het_team *const team = het_everyone(system);
	het_array *const x = zero_array(system, LARGE);
	het_kernel *const set = common_kernel(system, "set");
	double share[2];

	ok(het_team_set_shares(team, (double[]){1, 1}));
	ok(het_team_rebalance(team, 1));
	for (int k = 0; k < 3; k++) {
		ok(het_spread(set, team, het_grid(1, LARGE), HET_OUT(HET_EACH(x)), HET_VAL(k)));
		ok(het_spread(set, team, het_grid(1, SMALL), HET_OUT(HET_EACH(x)), HET_VAL(k)));
		ok(het_wait_all(system));
		ran(set, LARGE, 3, 1);
		ran(set, SMALL, 1, 3);
	}
	ck_assert_int_eq(cells_of_first(set, system, x, LARGE), LARGE / 4 * 3);
	ck_assert_int_eq(cells_of_first(set, system, x, SMALL), SMALL / 4);
	ck_assert_int_eq(cells_of_first(set, system, x, OTHER), OTHER / 4);
	ok(het_team_shares(team, set, share));
	ck_assert_double_eq_tol(share[0], 0.25, 1e-9);
	ok(het_spread(set, team, het_grid(1, LARGE), HET_OUT(HET_EACH(x)), HET_VAL(4)));
	ck_assert_int_eq(cells_of_first(set, system, x, OTHER), OTHER / 4 * 3);
	ok(het_close(system));
}
END_TEST

enum { HALVED = 1 << 12 };

/* The share of the first card after a spread whose last ones had taken what `ran` says. */
static double share_after(het_kernel *kernel, het_system *system, het_array *x, double first, double second)
{
	het_team *const team = het_everyone(system);
	double share[2];

	ok(het_wait_all(system)); /* what they really took is known before */
	ran(kernel, HALVED, first, second);
	ok(het_spread(kernel, team, het_grid(1, HALVED), HET_OUT(HET_EACH(x)), HET_VAL(1)));
	ok(het_team_shares(team, kernel, share));
	ck_assert_double_eq_tol(share[0] + share[1], 1, 1e-9);
	return share[0];
}

/* A kernel that both cards have by halves, looked at before every so many spreads, the first of which
 * this makes. */
static het_kernel *halved(het_system *system, int every, het_array *x)
{
	het_kernel *const set = common_kernel(system, "set");
	het_team *const team = het_everyone(system);

	ok(het_team_set_shares(team, (double[]){1, 1}));
	ok(het_team_rebalance(team, every));
	ok(het_spread(set, team, het_grid(1, HALVED), HET_OUT(HET_EACH(x)), HET_VAL(0)));
	return set;
}

/* How much faster the first card is, and whether that promises more than 4 %: halves take (1 + that) / 2 times
 * as long as they might. */
static const struct {
	double faster;
	bool pays;
} promises[] = {{1, false}, {1.078, false}, {1.082, true}, {1 / 1.078, false}, {1 / 1.082, true}};

/* Else shares would follow every noise, and with each change strips move. */
START_TEST(little_gains_move_nothing)
{
	het_system *const system = open_cards();
	het_array *const x = zero_array(system, HALVED);
	het_kernel *const set = halved(system, 1, x);
	const double faster = promises[_i].faster, half = share_after(set, system, x, faster, 1);

	ck_assert_double_eq_tol(half, promises[_i].pays ? faster / (1 + faster) : 0.5, 1e-9);
	ok(het_close(system));
}
END_TEST

/* Where it is every third: before the first, the fourth, the seventh... Until then after two, four, too. */
START_TEST(shares_are_looked_at_now_and_then)
{
	const int every = _i + 1;
	het_system *const system = open_cards();
	het_array *const x = zero_array(system, HALVED);
	het_kernel *const set = halved(system, every, x);
	double share = 0.5;

	for (int k = 1; k <= 9; k++) { /* the card that is faster changes each time */
		const double times = k % 2 ? 3 : 1 / 3.0;

		if (k % every == 0 || (k < every && (k == 2 || k == 4)))
			share = times / (1 + times);
		ck_assert_double_eq_tol(share_after(set, system, x, times, 1), share, 1e-9);
	}
	ok(het_team_rebalance(het_everyone(system), 0)); /* never */
	ck_assert_double_eq_tol(share_after(set, system, x, 7, 1), share, 1e-9);
	ok(het_close(system));
}
END_TEST

int main(void)
{
	int failed = 0;

	failed |= run_fake_tests(
		"team_measured", 6,
		(const TTest *const[]){shares_follow_what_was_measured, equal_devices_have_equal_shares,
				       what_a_user_says_counts, unlike_devices_have_what_was_measured,
				       launches_do_not_tell_of_shares, sizes_have_shares_of_their_own});
	failed |= run_fake_loop("gains", edges_are_apart_where_it_pays, (int)(sizeof gains / sizeof gains[0]),
				30);
	failed |= run_fake_loop("promises", little_gains_move_nothing,
				(int)(sizeof promises / sizeof promises[0]), 30);
	failed |= run_fake_loop("every", shares_are_looked_at_now_and_then, 6, 30);
	failed |= run_fake_loop("sides", edges_are_apart_on_both_sides, 8, 30);
	failed |= run_fake_loop("order", edges_go_on_without_their_interior, 3, 30);
	failed |= run_fake_loop("copies", edges_are_apart_where_copies_pass,
				(int)(sizeof copies / sizeof copies[0]), 30);
	return failed;
}
