/* random_programs.c - the main oracle: random programs against a model of their values and of what moves.
 *
 * A program makes a few arrays and does random things with them on random devices. Every value that the host
 * gets to see is compared with the model's, and at the end the number of bytes that went between memories
 * and inside them. Every program has its own seed; a failure prints the program and how to run it again.
 *
 * HETERO_TEST_PROGRAMS=n runs n programs per test, n% so many percent of what each test has.
 * HETERO_TEST_LONG=1 runs a million, and says now and then with which seed to go on. HETERO_TEST_FAKE names the
 * only fake machine to run them on.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "fakes.h"
#include "operations.h"
#include "platforms.h"
#include "random.h"
#include "store/pin.h"
#include "suite.h"

/* ---- programs ----------------------------------------------------------------------------------- */

/* Most programs are short. A few are long, so that directories are cut into many boxes and stores run out. */
static void run_program(const struct bench *bench, uint64_t seed, int *checked)
{
	static struct program program;
	struct het_stats now = HET_STATS_INIT;
	int length;

	begin_program(&program, bench, seed);
	length = random_once_in(20) ? random_in(200, 400) : random_in(4, 30);
	program.packed_once_in = random_once_in(3) ? 1 : 3;
	for (int i = 0; i < length; i++)
		run_operation(&program);
	end_program(&program);
	(void)het_stats(bench->system, &now);
	*checked += program.moved.known && now.directory_merges == program.before.directory_merges;
}

/* Of a machine with one device some routes say that they are possible nowhere. */
static void report(void *unexpected, enum het_log_level level, const char *line)
{
	const char *const forced = getenv("HETERO_ROUTE");

	if (strstr(line, "is Mesa's llvmpipe") || strstr(line, "never asked why") ||
	    (forced && strstr(line, "is possible nowhere: there is only one device")))
		return;
	++*(int *)unexpected;
	printf("log, level %d: %s\n", (int)level, line);
}

static int unexpected_lines;

static int count_of(const char *name, int otherwise)
{
	const char *given = getenv(name);

	return given ? atoi(given) : otherwise;
}

/* As many as $HETERO_TEST_PROGRAMS says, or so many percent of what a test runs by itself. */
static int programs_of(int count, int long_count)
{
	const char *const given = getenv("HETERO_TEST_PROGRAMS");
	const int number = count_of("HETERO_TEST_LONG", 0) ? long_count : count;

	if (!given)
		return number;
	if (!strchr(given, '%'))
		return atoi(given);
	return (int)(((long long)number * atoi(given) + 99) / 100);
}

/* Long runs say how far they are: they can be ended and taken up again. */
static void show_progress(const char *name, int done, int count, uint64_t seed)
{
	if (count < 10000 || done % (count / 20) != 0)
		return;
	printf("%d of %d; the rest: CK_RUN_CASE='%s' HETERO_QUEUES=%s HETERO_TEST_SEED=%llu "
	       "HETERO_TEST_PROGRAMS=%d\n",
	       done, count, name, getenv("HETERO_QUEUES"), (unsigned long long)seed, count - done);
	fflush(stdout);
}

/* The seeds [first, first + count) on one system. */
static void run_some(struct bench *bench, const struct het_options *options, uint64_t first, int count)
{
	const char *const devices = options->devices ? options->devices : "all devices";
	int checked = 0;

	if (!open_bench(bench, options))
		return;
	for (int i = 0; i < count; i++) {
		show_progress(bench->name, i, count, first + (uint64_t)i);
		run_program(bench, first + (uint64_t)i, &checked);
	}
	ck_assert_msg(het_close(bench->system) == HET_OK, "%s", het_message());
	printf("%s, %s, HETERO_QUEUES=%s: %d programs, bytes counted in %d\n", devices,
	       options->share == HET_SHARE_OFF ? "separate" : "shared", getenv("HETERO_QUEUES"), count,
	       checked);
	ck_assert_int_eq(unexpected_lines, 0);
	ck_assert_int_ge(checked, count / 2);
}

/* Half of them where copies have queues of their own, if nothing is said about that. */
static void run_programs(const char *name, const char *devices, enum het_share share, int count,
			 int long_count)
{
	const bool both = !getenv("HETERO_QUEUES");
	struct het_options options = HET_OPTIONS_INIT;
	struct bench bench = {.name = name};
	int half;

	count = programs_of(count, long_count);
	half = both ? count / 2 : count;
	options.devices = devices;
	options.share = share;
	options.log = report;
	options.log_user = &unexpected_lines;
	random_start(devices ? devices : "all devices");
	const uint64_t first = random_state;
	if (both)
		setenv("HETERO_QUEUES", "2", 1);
	run_some(&bench, &options, first, half);
	if (!both)
		return;
	setenv("HETERO_QUEUES", "1", 1);
	run_some(&bench, &options, first + (uint64_t)half, count - half);
	unsetenv("HETERO_QUEUES");
}

/* ---- real platforms ------------------------------------------------------------------------------ */

/* Parts of PoCL's CPU (or what $HETERO_TEST_DRIVER names), and others beside them. */
static const struct {
	const char *name, *others;
	enum het_share share;
	int programs;
} beds[] = {
	{"shared_parts", "", HET_SHARE_DEFAULT, 3000},
	{"separate_parts", "", HET_SHARE_OFF, 3000},
	{"shared_two_platforms", ",rusticl:*", HET_SHARE_DEFAULT, 2000},
	{"separate_two_platforms", ",rusticl:*", HET_SHARE_OFF, 2000},
	{"shared_three_platforms", ",rusticl:*,oclgrind:*", HET_SHARE_DEFAULT, 300},
	{"separate_three_platforms", ",rusticl:*,oclgrind:*", HET_SHARE_OFF, 500},
};
#define BEDS ((int)(sizeof beds / sizeof beds[0]))

START_TEST(on_real_platforms)
{
	char devices[128];

	het_test_selection(devices, sizeof devices, "cpu0/1", beds[_i].others);
	run_programs(beds[_i].name, devices, beds[_i].share, beds[_i].programs,
		     20 * beds[_i].programs);
}
END_TEST

/* ---- routes ------------------------------------------------------------------------------------- */

/* Routes that are not taken by themselves here, wherever they can be taken. */
static const char *const routes[] = {"staged", "chunked", "pinned", "mapped", "pack"};
#define ROUTES ((int)(sizeof routes / sizeof routes[0]))

static const char *force_route(int i)
{
	setenv("HETERO_ROUTE", routes[i], 1);
	printf("HETERO_ROUTE=%s\n", routes[i]);
	return routes[i];
}

START_TEST(by_route_on_real_platforms)
{
	static char name[64];
	char devices[128];

	snprintf(name, sizeof name, "route_%s", force_route(_i));
	het_test_selection(devices, sizeof devices, "cpu0/1", ",rusticl:*");
	run_programs(name, devices, HET_SHARE_OFF, 300, 20000);
	het_test_selection(devices, sizeof devices, "cpu0/1", ",oclgrind:*");
	run_programs(name, devices, HET_SHARE_OFF, 100, 5000);
}
END_TEST

/* ---- the fake driver ---------------------------------------------------------------------------- */

/* Machines with memories that are really separate, and one with a CPU that is cut into four; a driver that runs
 * commands late and out of order. */
static const struct {
	const char *machine, *order;
	enum het_share share;
	const char *devices; /* NULL: all */
} fakes[] = {
	{"one-gpu", "late", HET_SHARE_DEFAULT, NULL},
	{"two-gpus", "late", HET_SHARE_DEFAULT, NULL},
	{"two-gpus", "random", HET_SHARE_DEFAULT, NULL},
	{"one-context", "late", HET_SHARE_DEFAULT, NULL},
	{"one-context", "random", HET_SHARE_DEFAULT, NULL},
	{"two-platforms", "late", HET_SHARE_OFF, NULL},
	{"three-platforms", "late", HET_SHARE_DEFAULT, NULL},
	{"three-platforms", "random", HET_SHARE_DEFAULT, NULL},
	{"five-devices", "late", HET_SHARE_DEFAULT, NULL},
	{"five-devices", "random", HET_SHARE_OFF, NULL},
	{"odd-names", "random", HET_SHARE_DEFAULT, NULL},
	{"cut-cpu", "random", HET_SHARE_DEFAULT, "pocl:cpu0/1"},
	{"three-cards", "random", HET_SHARE_DEFAULT, NULL},
	{"early-card", "late", HET_SHARE_DEFAULT, NULL},
	{"early-card", "random", HET_SHARE_DEFAULT, NULL},
};
#define FAKES ((int)(sizeof fakes / sizeof fakes[0]))

/* This process has not asked for platforms before. */
static void run_on_fake(const char *name, int which, int count, int long_count)
{
	const char *const only = getenv("HETERO_TEST_FAKE");
	char order[64];

	if ((only && strcmp(only, fakes[which].machine) != 0) || !het_test_fake_driver(fakes[which].machine))
		return;
	random_start("order");
	snprintf(order, sizeof order, "%s:%llu", fakes[which].order, (unsigned long long)random_state);
	setenv("FAKECL_ORDER", strcmp(fakes[which].order, "random") ? fakes[which].order : order, 0);
	het__pin_from_bytes = 1; /* where a driver does such a thing */
	printf("%s, %s\n", fakes[which].machine, getenv("FAKECL_ORDER"));
	run_programs(name, fakes[which].devices, fakes[which].share, count, long_count);
	ck_assert_int_eq(control("alive all"), 0);
}

START_TEST(on_fake_machine)
{
	run_on_fake("fake", _i, 300, 80000);
}
END_TEST

START_TEST(by_route_on_fake_machine)
{
	static char name[64];

	snprintf(name, sizeof name, "route_%s", force_route(_i / FAKES));
	run_on_fake(name, _i % FAKES, 30, 5000);
}
END_TEST

static void add_fakes(Suite *suite)
{
	TCase *const tcase = tcase_create("fake");

	tcase_set_timeout(tcase, count_of("HETERO_TEST_LONG", 0) ? 4 * 3600 : 300);
	tcase_add_loop_test(tcase, on_fake_machine, 0, FAKES);
	suite_add_tcase(suite, tcase);
}

static void add_routes(Suite *suite)
{
	for (int i = 0; i < ROUTES; i++) {
		static char name[ROUTES][64];
		TCase *tcase;

		snprintf(name[i], sizeof name[i], "route_%s", routes[i]);
		tcase = tcase_create(name[i]);
		tcase_set_timeout(tcase, count_of("HETERO_TEST_LONG", 0) ? 4 * 3600 : 300);
		tcase_add_loop_test(tcase, by_route_on_real_platforms, i, i + 1);
		tcase_add_loop_test(tcase, by_route_on_fake_machine, i * FAKES, (i + 1) * FAKES);
		suite_add_tcase(suite, tcase);
	}
}

int main(void)
{
	Suite *suite = suite_create("random programs");

	het_test_platforms();
	for (int i = 0; i < BEDS; i++) {
		TCase *tcase = tcase_create(beds[i].name);

		tcase_set_timeout(tcase, count_of("HETERO_TEST_LONG", 0) ? 4 * 3600 : 300);
		tcase_add_loop_test(tcase, on_real_platforms, i, i + 1);
		suite_add_tcase(suite, tcase);
	}
	add_fakes(suite);
	add_routes(suite);
	return run_suite(suite);
}
