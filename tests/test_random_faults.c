/* test_random_faults.c - random programs on fake machines while something fails: every call of OpenCL, every
 * execution, every allocation of host memory, one at a time.
 *
 * The model knows by which operations each value came about (blame.h). Demanded of each program: failed
 * calls name the cause; what can be read is right, at any time; what is lost was made of something that can
 * have failed, and if one kernel failed, exactly that; and the next program, without a failure, finds
 * everything in order, down to the number of bytes that move.
 *
 * A device that stops answering for a while loses nothing: no call may fail then.
 *
 * The k-th time that something happens in a program fails for each k up to EVERY, and beyond that for some
 * (culprit.h). HETERO_TEST_FAULT_PROGRAMS=n does so with n programs for each culprit; where it has not struck
 * in any of them there are more until it does.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "blame.h"
#include "checks.h"
#include "culprit.h"
#include "operations.h"
#include "platforms.h"
#include "random.h"

enum { PROGRAMS = 4, PROGRAMS_MOST = 400, EVERY = 24 };

/* No program does anything so often: a new system whose boxes go through small staging buffers to three
 * memories has been seen to allocate memory 4800 times. */
enum { MOST = 20000 };

static const struct {
	const char *machine, *order, *successors;
	enum het_share share;
	const char *route; /* forced; NULL: none */
	const char *queues;
	int devices; /* the machine has */
} beds[] = {
	{"five-devices", "late", "run", HET_SHARE_DEFAULT, NULL, "1", 5},
	{"one-context", "random", "run", HET_SHARE_DEFAULT, NULL, "2", 2},
	{"one-context", "late", "fail", HET_SHARE_DEFAULT, NULL, "1", 2},
	{"early-card", "random", "die", HET_SHARE_DEFAULT, NULL, "2", 1},
	{"early-card", "late", "die", HET_SHARE_DEFAULT, NULL, "1", 1},
	{"three-platforms", "fifo", "run", HET_SHARE_OFF, NULL, "1", 3},
	{"three-platforms", "random", "fail", HET_SHARE_DEFAULT, NULL, "2", 3},
	{"three-platforms", "random", "run", HET_SHARE_OFF, "mapped", "2", 3},
	{"three-platforms", "random", "run", HET_SHARE_OFF, "pinned", "1", 3},
	{"three-platforms", "random", "run", HET_SHARE_OFF, "pack", "2", 3},
};
#define BEDS ((int)(sizeof beds / sizeof beds[0]))

static const char *const culprits[] = {CULPRITS_AT_WORK, "memory", "stop 0",
				       "stop 1",	 "stop 2", "stop 4"};
#define CULPRITS ((int)(sizeof culprits / sizeof culprits[0]))

/* What belongs to routes that are taken only when asked for: each of them maps buffers, and `mapped` does so
 * instead of reading them, and marks the end. */
static const char *const maps[] = {"clEnqueueMapBuffer", "clEnqueueUnmapMemObject", "map", "unmap"},
			 *const marks[] = {"clEnqueueMarkerWithWaitList", "marker"},
			 *const reads[] = {"clEnqueueReadBuffer", "clEnqueueReadBufferRect", "read"};

static const char *culprit;
static int bed;
static struct {
	long failures, told, lost; /* that struck, calls that failed, cells */
} sum;

static bool is_among(int count, const char *const *names)
{
	for (int i = 0; i < count; i++)
		if (strcmp(culprit, names[i]) == 0)
			return true;
	return false;
}
#define IS_AMONG(names) is_among((int)(sizeof names / sizeof names[0]), names)

/* With NVIDIA's driver: after a failed command the context is of no use, and there are launches without an
 * event of their own, of which markers tell. */
static bool dies(void)
{
	return strcmp(beds[bed].successors, "die") == 0;
}

/* Whether programs do on this bed what is to fail. */
static bool can_occur(void)
{
	const char *const route = beds[bed].route;
	const bool mapped = route && strcmp(route, "mapped") == 0;

	if (culprit_is_stop(culprit))
		return atoi(culprit + strlen("stop ")) < beds[bed].devices;
	if (strcmp(culprit, "clWaitForEvents") == 0)
		return !dies(); /* that driver's is not called */
	return !(IS_AMONG(maps) && !route) && !(IS_AMONG(marks) && !mapped && !dies()) &&
	       !(IS_AMONG(reads) && mapped);
}

/* A staging buffer is mapped once, for all transfers that take it: those that do before its failure is seen all
 * fail with it. By the route `mapped` each has a mapping of its own. */
static bool is_of_many_transfers(void)
{
	return strcmp(culprit, "map") == 0 && strcmp(beds[bed].route, "mapped") != 0;
}

/* The failure begins after the arrays are made, with the first operation. */
static bool run_failing(const struct bench *bench, uint64_t seed, long turn)
{
	static struct program program;
	const bool packs = beds[bed].route && strcmp(beds[bed].route, "pack") == 0;
	struct blame blame = {.word = culprit_is_memory(culprit) ? "memory" : "CL_OUT_OF_RESOURCES (-5)"};
	int length;
	bool struck;

	if (culprit_is_stop(culprit))
		blame.word = "(nothing fails)";
	blame.one_task = strcmp(beds[bed].successors, "run") == 0 && !(can_occur() && is_of_many_transfers());
	blame.all_may_go = dies();
	blame.one_launch = blame.one_task && strcmp(culprit, "ndrange") == 0 &&
			   !packs; /* whose kernels are of transfers */
	begin_program(&program, bench, seed);
	length = random_in(6, OPERATIONS_MOST);
	program.packed_once_in = random_once_in(3) ? 1 : 3;
	program.blame = &blame;
	say(&program, "failure: %s, number %ld", culprit, turn);
	culprit_fails_in(culprit, turn);
	for (int i = 0; i < length; i++)
		run_operation(&program);
	blame_wait(&program);
	struck = culprit_has_failed(culprit, turn);
	sum.lost += blame_end(&program);
	program.blame = NULL;
	sum.failures += struck;
	sum.told += blame.told;
	return struck;
}

static void run_clean(const struct bench *bench, uint64_t seed)
{
	static struct program program;

	begin_program(&program, bench, seed);
	program.packed_once_in = 3;
	for (int i = 0; i < 10; i++)
		run_operation(&program);
	end_program(&program);
}

static void open_fresh(struct bench *bench)
{
	struct het_options options = HET_OPTIONS_INIT;

	options.share = beds[bed].share;
	options.log_level = HET_LOG_ERROR;
	ck_assert(open_bench(bench, &options));
}

static void close_empty(struct bench *bench)
{
	ck_assert_msg(het_close(bench->system) == HET_OK, "%s", het_message());
	ck_assert_msg(control("alive all") == 0, "%ld objects are left", control("alive all"));
}

/* A system that has run for a while asks for little memory; one whose context has died is of no use. */
static bool has_new_system_each_turn(void)
{
	return culprit_is_memory(culprit) || dies();
}

static void run_turns(struct bench *bench, uint64_t seed)
{
	struct culprit_turns turns = {.now = 1};
	uint64_t choice = seed;
	bool struck;

	do {
		if (has_new_system_each_turn())
			open_fresh(bench);
		struck = run_failing(bench, seed, turns.now);
		if (dies()) {
			close_empty(bench);
			open_fresh(bench);
		}
		run_clean(bench, ++choice);
		if (has_new_system_each_turn())
			close_empty(bench);
		random_state = choice;
	} while (culprit_next(&turns, struck, EVERY) && turns.now < MOST);
	ck_assert_int_lt(turns.now, MOST);
}

START_TEST(something_fails)
{
	const char *const given = getenv("HETERO_TEST_FAULT_PROGRAMS");
	const int programs = given ? atoi(given) : getenv("HETERO_TEST_SHORT") ? 1 : PROGRAMS;
	struct bench bench = {.name = "random faults"};
	uint64_t first;
	int i;

	bed = _i % BEDS;
	culprit = culprits[_i / BEDS];
	if (culprit_is_stop(culprit) && !can_occur())
		return; /* there is no such device */
	setenv("FAKECL_ORDER", beds[bed].order, 1);
	setenv("FAKECL_SUCCESSORS", beds[bed].successors, 1);
	setenv("HETERO_QUEUES", beds[bed].queues, 1);
	if (beds[bed].route)
		setenv("HETERO_ROUTE", beds[bed].route, 1);
	ck_assert(het_test_fake_driver(beds[bed].machine));
	if (culprit_is_stop(culprit))
		setenv("HETERO_TEST_SHORT", "1", 1); /* each takes a while */
	open_fresh(&bench); /* builds kernels */
	if (has_new_system_each_turn())
		close_empty(&bench);
	random_start(culprit);
	random_state += (uint64_t)_i << 32; /* programs of its own for each case */
	first = random_state;
	for (i = 0; i < programs || (can_occur() && sum.failures == 0 && i < PROGRAMS_MOST); i++)
		run_turns(&bench, first + (uint64_t)i);
	if (!has_new_system_each_turn())
		close_empty(&bench);
	printf("%s, successors %s: %s failed %ld times in %d programs; %ld calls were told, %ld cells lost\n",
	       beds[bed].machine, beds[bed].successors, culprit, sum.failures, i, sum.told, sum.lost);
	ck_assert_msg((sum.failures > 0) == can_occur(), "%s %s on bed %d", culprit,
		      sum.failures ? "has failed, which it cannot," : "never failed", bed);
}
END_TEST

int main(void)
{
	setenv("HETERO_CACHE", het_test_subfolder("cache"), 1);
	return run_fake_loop("random faults", something_fails, BEDS * CULPRITS, 600);
}
