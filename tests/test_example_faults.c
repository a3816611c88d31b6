/* test_example_faults.c - the examples on fake machines while something fails: every call of OpenCL, every
 * execution, every allocation of host memory, one at a time.
 *
 * What users run is taken from examples/ as it is (scenarios.h). Demanded each time: no crash, no wait without
 * end, the cause named, everything not made from what failed readable and right, nothing wrong readable, the
 * same system good for the whole example afterwards, and nothing left alive when it is closed.
 *
 * The k-th time that something happens fails for each k up to EVERY, and beyond that for a random one of every
 * STRIDE, or, with HETERO_TEST_LONG, for every k.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "checks.h"
#include "culprit.h"
#include "platforms.h"
#include "random.h"
#include "scenarios.h"

enum { EVERY = 40, STRIDE = 8, MOST = 4000 };

static const struct scenario *const scenarios[] = {&hillshade_scenario, &product_scenario, &pipeline_scenario,
						   &heat_scenario};
#define SCENARIOS ((int)(sizeof scenarios / sizeof scenarios[0]))

static const struct {
	const char *machine, *order, *successors;
} beds[] = {
	{"five-devices", "late", "run"},
	{"one-context", "random", "fail"},
	{"three-platforms", "fifo", "run"},
};
#define BEDS ((int)(sizeof beds / sizeof beds[0]))

static const char *const culprits[] = {CULPRITS_AT_FIRST, CULPRITS_AT_WORK, "memory"};
#define CULPRITS ((int)(sizeof culprits / sizeof culprits[0]))

static struct {
	const struct scenario *scenario;
	const char *culprit;
	int bed;
	long turn; /* which call, execution or allocation fails */
	int told;  /* failures that calls returned, over all turns */
} now;

/* ---- failures ----------------------------------------------------------------------------------- */

/* The cause is in the message: the call, or the code that an execution ended with. */
static void assert_named(het_status st)
{
	const char *const text = het_message();

	if (culprit_is_memory(now.culprit))
		ck_assert_msg(strstr(text, "memory") != NULL, "status %d: %s", (int)st, text);
	else
		ck_assert_msg(strstr(text, "CL_OUT_OF_RESOURCES (-5)") != NULL, "%s %ld: status %d: %s",
			      now.culprit, now.turn, (int)st, text);
	now.told++;
}

/* The most that may be lost. Where the driver fails successors, they need not have to do with what failed. */
static enum loss loss_of(bool struck)
{
	if (!struck)
		return NO_LOSS;
	if (strcmp(beds[now.bed].successors, "fail") == 0)
		return SOME_LAUNCHES;
	if (strcmp(now.culprit, "ndrange") == 0)
		return ONE_LAUNCH;
	return strcmp(now.culprit, "read") == 0 ? ONE_READ : SOME_LAUNCHES;
}

/* ---- one turn ----------------------------------------------------------------------------------- */

static het_system *open_system(void)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.log_level = HET_LOG_ERROR;
	ck_assert_msg(het_open(&options, &system) == HET_OK, "%s", het_message());
	return system;
}

static void expect(het_status st)
{
	ck_assert_msg(st == HET_OK, "%s %ld: %d, %s", now.culprit, now.turn, (int)st, het_message());
}

/* Waits until nobody has a failure to tell any more. */
static void hear_all(het_system *system)
{
	het_status st;

	while ((st = het_wait_all(system)) != HET_OK) {
		ck_assert_int_eq(st, HET_ERR_LOST);
		assert_named(st);
	}
}

/* Of a system that is closed, builds with debug checks keep the handle. */
static void assert_no_blocks(void)
{
	static long closed;

	(void)het_wait_all(NULL); /* a short message takes the place of a long one, which is a block */
	closed++;
	ck_assert_msg(het__alloc_live() == closed || het__alloc_live() == 0, "%s %ld: %ld blocks are left",
		      now.culprit, now.turn, het__alloc_live() - closed);
}

static bool fails_once(void)
{
	het_system *const system = open_system();
	het_status first, second = HET_OK;
	bool struck;

	culprit_fails_in(now.culprit, now.turn);
	first = now.scenario->run(system);
	if (first)
		assert_named(first);
	else
		second = now.scenario->look();
	if (second)
		assert_named(second);
	struck = culprit_has_failed(now.culprit, now.turn);
	hear_all(system);
	now.scenario->check(first == HET_OK, loss_of(struck));
	expect(now.scenario->run(system));
	expect(now.scenario->look());
	now.scenario->check(true, NO_LOSS);
	expect(het_close(system));
	now.scenario->release();
	ck_assert_msg(control("alive all") == 0, "%s %ld: %ld objects are left", now.culprit, now.turn,
		      control("alive all"));
	assert_no_blocks();
	return struck;
}

/* The next turn: all of the first, then some. */
static void advance(long *block)
{
	if (now.turn < EVERY || getenv("HETERO_TEST_LONG")) {
		*block = ++now.turn;
		return;
	}
	now.turn = *block + random_in(1, STRIDE);
	*block += STRIDE;
}

static void run_turns(void)
{
	long block = 0;
	int turns = 0;

	now.turn = LONG_MAX / 2; /* nothing fails: kernels are built, sharing is proved */
	ck_assert(!fails_once());
	now.turn = 0;
	now.told = 0;
	do {
		advance(&block);
		turns++;
	} while (now.turn < MOST && fails_once());
	printf("%s on %s: %s failed %d times, up to the %ldth; %d calls were told\n", now.scenario->name,
	       beds[now.bed].machine, now.culprit, turns - 1, now.turn - 1, now.told);
	ck_assert_int_lt(now.turn, MOST);
}

START_TEST(something_fails)
{
	now.bed = _i % BEDS;
	now.scenario = scenarios[_i / BEDS % SCENARIOS];
	now.culprit = culprits[_i / BEDS / SCENARIOS];
	random_start(now.culprit);
	setenv("FAKECL_ORDER", beds[now.bed].order, 1);
	setenv("FAKECL_SUCCESSORS", beds[now.bed].successors, 1);
	ck_assert(het_test_fake_driver(beds[now.bed].machine));
	run_turns();
}
END_TEST

int main(void)
{
	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_loop("example faults", something_fails, BEDS * SCENARIOS * CULPRITS, 300);
}
