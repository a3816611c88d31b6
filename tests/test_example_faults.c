/* test_example_faults.c - the examples on fake machines while something fails: every call of OpenCL, every
 * execution, every allocation of host memory, one at a time.
 *
 * What users run is taken from examples/ as it is (scenarios.h). Demanded each time: no crash, no wait without
 * end, the cause named, everything not made from what failed readable and right, nothing wrong readable, the
 * same system good for the whole example afterwards, and nothing left alive when it is closed.
 *
 * A device that stops answering for a while loses nothing: then all must be there and right.
 *
 * The k-th time that something happens fails for each k up to EVERY, and beyond that for some (culprit.h).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "checks.h"
#include "culprit.h"
#include "platforms.h"
#include "random.h"
#include "scenarios.h"

enum { EVERY = 40, MOST = 4000 };

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

static const char *const culprits[] = {CULPRITS_AT_FIRST, CULPRITS_AT_WORK, "memory", "stop 0", "stop 1"};
#define CULPRITS ((int)(sizeof culprits / sizeof culprits[0]))

/* What none of the examples does: what they read and copy is whole rows, what they fill is at home, and only
 * routes that are asked for map buffers. */
static const char *const unused[] = {
	"clCreateSubBuffer", "clEnqueueReadBufferRect", "clEnqueueCopyBufferRect", "clEnqueueFillBuffer",
	"clEnqueueMapBuffer", "clEnqueueUnmapMemObject", "clEnqueueMarkerWithWaitList", "fill", "map", "unmap",
	"marker",
};
#define UNUSED ((int)(sizeof unused / sizeof unused[0]))

/* Failures that struck, by culprit: of all cases, which are processes of their own. */
static long *struck_in_all;

static struct {
	const struct scenario *scenario;
	const char *culprit;
	int number; /* of the culprit */
	int bed;
	long turn; /* which call, execution or allocation fails */
	int told;  /* failures that calls returned, over all turns */
} now;

/* ---- failures ----------------------------------------------------------------------------------- */

/* The cause is in the message: the call, or the code that an execution ended with. */
static void assert_named(het_status st)
{
	const char *const text = het_message();

	ck_assert_msg(!culprit_is_stop(now.culprit), "%s: status %d: %s", now.culprit, (int)st, text);
	if (culprit_is_memory(now.culprit))
		ck_assert_msg(strstr(text, "memory") != NULL, "status %d: %s", (int)st, text);
	else
		ck_assert_msg(strstr(text, "CL_OUT_OF_RESOURCES (-5)") != NULL, "%s %ld: status %d: %s",
			      now.culprit, now.turn, (int)st, text);
	now.told++;
}

/* The most that may be lost, where this is what `run` returned. The first failure is of a call that was refused
 * unless it tells of a loss. Where the driver fails successors, they need not have to do with what failed; else
 * one task fails (blame.h). */
static enum loss loss_of(bool struck, het_status st)
{
	if (!struck || culprit_is_stop(now.culprit) || (st != HET_OK && st != HET_ERR_LOST))
		return NO_LOSS;
	if (strcmp(beds[now.bed].successors, "fail") == 0)
		return SOME_LAUNCHES;
	if (strcmp(now.culprit, "ndrange") == 0)
		return ONE_LAUNCH;
	return strcmp(now.culprit, "read") == 0 ? ONE_READ : ONE_TASK;
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
	hear_all(system); /* before nothing fails any more: what is only executed now may fail as well */
	struck = culprit_has_failed(now.culprit, now.turn);
	now.scenario->check(first == HET_OK, loss_of(struck, first));
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

static void run_turns(void)
{
	struct culprit_turns turns = {.now = 1};
	int failures = 0;
	bool struck;

	now.turn = LONG_MAX / 2; /* nothing fails: kernels are built, sharing is proved */
	ck_assert(!fails_once());
	now.told = 0;
	if (culprit_is_stop(now.culprit))
		setenv("HETERO_TEST_SHORT", "1", 1); /* each takes a while */
	do {
		now.turn = turns.now;
		struck = fails_once();
		failures += struck;
	} while (culprit_next(&turns, struck, EVERY) && turns.now < MOST);
	printf("%s on %s: %s failed %d times, up to the %ldth; %d calls were told\n", now.scenario->name,
	       beds[now.bed].machine, now.culprit, failures, turns.last, now.told);
	ck_assert_int_lt(turns.now, MOST);
	struck_in_all[now.number] += failures;
}

static bool is_used(const char *culprit)
{
	for (int i = 0; i < UNUSED; i++)
		if (strcmp(culprit, unused[i]) == 0)
			return false;
	return true;
}

START_TEST(something_fails)
{
	now.bed = _i % BEDS;
	now.scenario = scenarios[_i / BEDS % SCENARIOS];
	now.number = _i / BEDS / SCENARIOS;
	now.culprit = culprits[now.number];
	random_start(now.culprit);
	setenv("FAKECL_ORDER", beds[now.bed].order, 1);
	setenv("FAKECL_SUCCESSORS", beds[now.bed].successors, 1);
	ck_assert(het_test_fake_driver(beds[now.bed].machine));
	if (strcmp(now.culprit, "clCreateProgramWithSource") == 0)
		setenv("HETERO_CACHE", "off", 1);
	run_turns();
	if ((_i + 1) % (BEDS * SCENARIOS) == 0) /* the last of this culprit's */
		ck_assert_msg((struck_in_all[now.number] > 0) == is_used(now.culprit),
			      "%s failed %ld times in all examples", now.culprit, struck_in_all[now.number]);
}
END_TEST

int main(void)
{
	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	struck_in_all = mmap(NULL, CULPRITS * sizeof *struck_in_all, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (struck_in_all == MAP_FAILED)
		return EXIT_FAILURE;
	return run_fake_loop("example faults", something_fails, BEDS * SCENARIOS * CULPRITS, 300);
}
