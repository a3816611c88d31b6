/* test_source.c - from which of several copies bytes come, on a fake machine of three cards in one context:
 * between each two there is a copy, one hop, and the way by the host, two. The value is on the first and the
 * second card; the third lacks it.
 */
#include "face.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrations.h"
#include "fakes.h"
#include "platforms.h"
#include "system/system.h"

enum { N = 1024, BYTES = N * 4, CARDS = 3, HOST = -1 };

static het_system *sys;

static het_device *card(int number)
{
	return number == HOST ? NULL : het_device(sys, number);
}

/* ---- a calibration ------------------------------------------------------------------------------ */

static struct het__calibration made;

/* Of the cards, with nothing about pairs. */
static void begin_calibration(void)
{
	ck_assert(het_test_fake_driver("three-cards"));
	setenv("HETERO_CALIBRATION", "off", 1);
	ok(het_open(NULL, &sys));
	ck_assert_int_eq(het_device_count(sys), CARDS);
	made = calibration_of(sys, ALL_DEVICES);
	ok(het_close(sys));
}

/* One route between two memories, contiguous; `us` 0: nothing says what it takes. */
static void add_way(int from, int to, const char *route, uint64_t us)
{
	struct het__cal_pair *const pair =
		add_pair(&made, from == HOST ? HET__CAL_HOST : made.device[from].name,
			 to == HOST ? HET__CAL_HOST : made.device[to].name, HET__CAL_CONTIGUOUS);

	pair->choice_count = 1;
	pair->choice[0].route = het__cal_route_of(route);
	if (us > 0)
		add_point(pair, route, BYTES, us * 1000);
}

/* The system under it, all cards open. */
static void open_cards(void)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/calibration.ini", het_test_folder());
	use_calibration(&made, path);
	ok(het_open(NULL, &sys));
	ck_assert_ptr_nonnull(sys->calibration);
	for (int d = 0; d < CARDS; d++)
		ok(het__device_open(card(d)));
}

/* ---- what moved --------------------------------------------------------------------------------- */

/* i + 1, on the first two cards. */
static het_array *array_on_two(void)
{
	het_array *const array = counting_array(sys, N);

	ok(het_launch(common_kernel(sys, "bump"), card(0), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_prefetch(het_view(array, het_whole()), card(1)));
	ok(het_wait(array));
	return array;
}

static int number_of(int which)
{
	return which == HOST ? 0 : card(which)->memory->index;
}

static uint64_t moved(int from, int to)
{
	struct het_flow flow = HET_FLOW_INIT;
	uint64_t bytes = 0;

	for (int i = 0; het_flow_at(sys, i, &flow) == HET_OK; i++)
		if (flow.from == number_of(from) && flow.to == number_of(to))
			bytes += flow.bytes;
	return bytes;
}

/* The third card gets the value; it comes from `source`, and by the host where that is said. */
static void assert_flow(het_array *array, int source, bool by_host)
{
	const uint64_t in = source == HOST ? 0 : moved(source, HOST);

	ok(het_prefetch(het_view(array, het_whole()), card(2)));
	ok(het_wait(array));
	for (int d = HOST; d < CARDS - 1; d++)
		ck_assert_uint_eq(moved(d, 2), d == (by_host ? HOST : source) ? BYTES : 0);
	if (source != HOST)
		ck_assert_uint_eq(moved(source, HOST) - in, by_host ? BYTES : 0);
	ok(het_launch(common_kernel(sys, "bump"), card(2), het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	assert_counts(array, 2, 1);
	close_face(sys);
}

/* Not from the first, whose copy is one hop: that is slow. */
START_TEST(the_cheapest_source_is_taken)
{
	begin_calibration();
	add_way(0, 1, "copy", 10);
	add_way(0, 2, "copy", 900);
	add_way(1, 2, "staged", 100);
	open_cards();
	assert_flow(array_on_two(), 1, true);
}
END_TEST

START_TEST(of_equals_the_one_with_fewer_hops)
{
	begin_calibration();
	add_way(0, 2, "staged", 100);
	add_way(1, 2, "copy", 100);
	open_cards();
	assert_flow(array_on_two(), 1, false);
}
END_TEST

/* What is not known of two hops is the sum of what is known of each. */
START_TEST(two_hops_cost_what_each_does)
{
	begin_calibration();
	add_way(0, 2, "copy", _i ? 400 : 600);
	add_way(1, 2, "staged", 0);
	add_way(1, HOST, "staged", 200);
	add_way(HOST, 2, "staged", 300);
	open_cards();
	assert_flow(array_on_two(), _i ? 0 : 1, !_i);
}
END_TEST

/* Of one way nothing is known: as without a calibration. */
START_TEST(what_is_not_known_is_not_compared)
{
	begin_calibration();
	add_way(0, 2, "copy", 900);
	add_way(1, 2, "staged", 0);
	add_way(1, HOST, "staged", 1);
	open_cards();
	assert_flow(array_on_two(), 0, false);
}
END_TEST

/* The host has it too: by the host there is nothing to be brought any more. */
START_TEST(no_way_leads_by_a_host_that_has_it)
{
	het_array *array;

	begin_calibration();
	add_way(0, 2, "copy", _i ? 900 : 500);
	add_way(1, 2, "staged", 100);
	add_way(HOST, 2, "staged", 700);
	open_cards();
	array = array_on_two();
	ok(het_prefetch(het_view(array, het_whole()), NULL));
	ok(het_wait(array));
	assert_flow(array, _i ? HOST : 0, false);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_cheapest_source_is_taken,
		of_equals_the_one_with_fewer_hops,
		what_is_not_known_is_not_compared,
	};
	const int result = run_fake_tests("source", (int)(sizeof tests / sizeof tests[0]), tests);

	if (result)
		return result;
	return run_fake_loop("source: two hops", two_hops_cost_what_each_does, 2, 60) ||
	       run_fake_loop("source: host", no_way_leads_by_a_host_that_has_it, 2, 60);
}
