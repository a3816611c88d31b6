/* bench.c - rounds of all versions by turns, and what they show. */

#include "common/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/flows.h"
#include "common/open.h"
#include "common/options.h"
#include "common/report.h"
#include "common/sample.h"
#include "printed.h"

#define EXIT_SKIP 77

int bench_keeps_waits;

/* A version that runs, with what was measured of it. */
struct runner {
	const struct bench_version *version;
	const char *name;
	const struct bench_machine *machine;
	int is_without; /* exchanges: named LOCAL or UNSENT, for the clock only */
	struct bench_clock *clock;
	char said[160]; /* what the check saw */
	double seconds[BENCH_ROUNDS_MOST];
	double peak_bytes;              /* 0: not measured */
	struct het_stats before, after; /* the library's, of the last run */
	struct flows flows_before, flows_after;
};

/* One of several devices, by itself. */
struct alone {
	struct bench_machine machine;
	char name[96]; /* "alone, pocl:cpu0.0" */
};

struct bench {
	const struct benchmark *benchmark;
	struct bench_options options;
	const void *problem;
	struct bench_machine machine;
	struct hand hand;
	struct runner runner[BENCH_VERSIONS_MOST + HAND_DEVICES_MOST];
	int runners, wrong;
	struct alone *alone; /* those that run so; NULL: none does */
	int alones;
	int checked; /* results that verify has looked at */
};

void *bench_new(size_t bytes)
{
	void *const memory = calloc(1, bytes);

	if (memory)
		return memory;
	fprintf(stderr, "no memory for %zu bytes\n", bytes);
	exit(EXIT_FAILURE);
}

int bench_first(int items, int unit, int d, int count)
{
	return (int)((int64_t)(items / unit) * d / count) * unit;
}

/* ---- machine ----------------------------------------------------------------------------------- */

static void open_machine(struct bench *b)
{
	b->machine.system = open_devices(b->options.devices, b->options.share);
	b->machine.count = het_device_count(b->machine.system);
	hand_open(&b->hand, b->machine.system);
	b->machine.hand = &b->hand;
}

static void close_machine(struct bench *b)
{
	for (int i = 0; i < b->runners; i++) {
		flows_free(&b->runner[i].flows_before);
		flows_free(&b->runner[i].flows_after);
	}
	for (int d = 0; d < b->alones; d++)
		must(het_close(b->alone[d].machine.system));
	free(b->alone);
	hand_close(&b->hand);
	must(het_close(b->machine.system));
}

/* Can what was asked for be on these devices? */
static void need_possible(const struct bench *b)
{
	if (b->benchmark->beforehand)
		b->benchmark->beforehand(&b->machine, b->options.rounds_given);
}

static void need_double(const struct bench *b)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	if (b->benchmark->is_single && b->benchmark->is_single(b->problem))
		return;
	for (int d = 0; d < b->machine.count; d++) {
		must(het_device_info(het_device(b->machine.system, d), &info));
		if (info.has_double)
			continue;
		fprintf(stderr, "%s: %s has no double precision\n", b->benchmark->name, info.name);
		exit(EXIT_SKIP);
	}
}

/* The versions by hand run on all devices, a team of the library's on those that can run at once. */
static void need_team(const struct bench *b)
{
	const int members = het_team_count(het_everyone(b->machine.system));

	if (members == b->machine.count)
		return;
	fprintf(stderr,
		"%s: of these %d devices %d can be a team; has one been named beside parts of its own?\n",
		b->benchmark->name, b->machine.count, members);
	exit(EXIT_USAGE);
}

/* ---- rounds ------------------------------------------------------------------------------------ */

static int is_called(const struct runner *r, const char *name)
{
	return !strcmp(r->name, name);
}

static void verify(struct bench *b, struct runner *r, const void *result)
{
	if (r->is_without) {
		snprintf(r->said, sizeof r->said, "none: nothing is exchanged");
		return;
	}
	b->checked++;
	if (b->benchmark->verify(b->problem, result, r->said, sizeof r->said))
		return;
	fprintf(stderr, "%s, %s: WRONG: %s\n", b->benchmark->name, r->name, r->said);
	b->wrong = 1;
}

static void count_moved(const struct runner *r, struct het_stats *stats, struct flows *flows)
{
	stats->size = sizeof *stats;
	must(het_stats(r->machine->system, stats));
	flows_take(flows, r->machine->system);
}

/* One round of a version; returns its seconds. */
static double run_once(struct bench *b, struct runner *r, int checked)
{
	const void *result;
	double seconds;

	bench_keeps_waits = is_called(r, BENCH_UNSENT);
	bench_to_start(r->clock);
	count_moved(r, &r->before, &r->flows_before);
	result = bench_to_stop(r->clock, &seconds);
	count_moved(r, &r->after, &r->flows_after);
	if (checked)
		verify(b, r, result);
	bench_to_round(r->clock);
	return seconds;
}

/* Every other time round the versions take their turns the other way. */
static int turn_of(const struct bench *b, int round, int i)
{
	const int first = round < 0 ? 0 : round % b->runners, is_back = round > 0 && round / b->runners % 2;

	return (first + (is_back ? b->runners - i : i)) % b->runners;
}

/* Round -1 is not counted. Who begins changes from round to round, and so does who comes after whom. */
static void run_round(struct bench *b, int round, int checked)
{
	for (int i = 0; i < b->runners; i++) {
		struct runner *const r = &b->runner[turn_of(b, round, i)];
		const double seconds = run_once(b, r, checked);
		if (round >= 0)
			r->seconds[round] = seconds;
	}
}

static void progress(const struct bench *b, int round)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%s %s: round %d of %d\033[K", b->benchmark->name, b->options.class_name, round + 1,
		b->options.rounds);
	if (round == b->options.rounds - 1)
		fputs("\r\033[K", stderr);
}

/* With --seconds: would another round end later than wished, by those that were `spent` on the ones before? At
 * least as many are done as have a 95 % interval. */
static int is_enough(const struct bench *b, int round, double spent)
{
	return b->options.seconds && round + 1 >= SAMPLE_FEWEST &&
	       spent / round * (round + 2) > b->options.seconds;
}

static void measure(struct bench *b)
{
	double began = 0;

	for (int i = 0; i < b->runners; i++)
		b->runner[i].clock = bench_begin(b->runner[i].version, b->problem, b->runner[i].machine);
	for (int round = -1; round < b->options.rounds; round++) {
		if (round == 0)
			began = wall_seconds();
		if (is_enough(b, round, wall_seconds() - began))
			b->options.rounds = round + 1;
		run_round(b, round, round < 0 || round == b->options.rounds - 1);
		progress(b, round);
	}
	for (int i = 0; i < b->runners; i++)
		bench_end(b->runner[i].clock);
}

/* ---- versions ---------------------------------------------------------------------------------- */

static struct runner *add_version(struct bench *b, const struct bench_version *version, const char *name)
{
	struct runner *const r = &b->runner[b->runners++];

	r->version = version;
	r->name = name;
	r->machine = &b->machine;
	return r;
}

static void choose_versions(struct bench *b)
{
	static const char *const without[] = {BENCH_LOCAL, BENCH_UNSENT};

	for (const struct bench_version *const *v = b->benchmark->versions; *v; v++)
		if (bench_options_want(&b->options, (*v)->name, !(*v)->optional))
			add_version(b, *v, (*v)->name);
	for (int i = 0; i < 2 && b->benchmark->local; i++)
		if (bench_options_want(&b->options, without[i], b->options.rounds > 0))
			add_version(b, b->benchmark->local, without[i])->is_without = 1;
}

/* Why a version cannot run on these devices, or need not; NULL: it can. */
static const char *hindrance(const struct bench *b, const struct runner *r)
{
	if (r->version->one_context && b->hand.contexts > 1)
		return "the devices have no context in common";
	if (r->is_without && b->machine.count == 1)
		return "one device exchanges nothing";
	return NULL;
}

/* Leaves out what these devices do not allow. */
static void drop_versions(struct bench *b)
{
	int kept = 0;

	for (int i = 0; i < b->runners; i++) {
		const char *const why = hindrance(b, &b->runner[i]);

		if (!why)
			b->runner[kept++] = b->runner[i];
		else if (b->options.versions || !b->runner[i].is_without)
			fprintf(stderr, "%s, %s: left out: %s\n", b->benchmark->name, b->runner[i].name, why);
	}
	b->runners = kept;
}

static const struct bench_version *hetero_of(const struct benchmark *benchmark)
{
	const struct bench_version *const *v = benchmark->versions;

	while (strcmp((*v)->name, "hetero") != 0)
		v++;
	return *v;
}

static void open_alone(struct bench *b, int d)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;
	struct alone *const alone = &b->alone[b->alones++];

	must(het_device_info(het_device(b->machine.system, d), &info));
	alone->machine.system = open_devices(info.name, b->options.share);
	alone->machine.count = 1;
	alone->machine.is_alone = 1;
	snprintf(alone->name, sizeof alone->name, BENCH_ALONE ", %s", info.name);
	add_version(b, hetero_of(b->benchmark), alone->name)->machine = &alone->machine;
}

/* Each device by itself, where that was asked for and there are several. */
static void add_alone(struct bench *b)
{
	if (!bench_options_want(&b->options, BENCH_ALONE, 0))
		return;
	if (b->machine.count == 1) {
		fprintf(stderr, "%s, " BENCH_ALONE ": left out: there is one device\n", b->benchmark->name);
		return;
	}
	b->alone = bench_new((size_t)b->machine.count * sizeof *b->alone);
	for (int d = 0; d < b->machine.count; d++)
		open_alone(b, d);
}

/* What a process needs that runs nothing but this version, once. */
static void child(struct bench *b, struct runner *r)
{
	open_machine(b);
	need_possible(b);
	need_double(b);
	if (hindrance(b, r))
		_exit(EXIT_SKIP);
	r->clock = bench_begin(r->version, b->problem, r->machine);
	run_once(b, r, 0);
	bench_end(r->clock);
	close_machine(b);
	_exit(0);
}

/* Before this process has opened any driver. */
static void measure_memory(struct bench *b)
{
	struct rusage usage;
	int status;

	for (int i = 0; i < b->runners; i++) {
		const pid_t pid = b->runner[i].is_without ? -1 : fork();

		if (pid == 0)
			child(b, &b->runner[i]);
		if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
			continue;
		if (status == 0)
			b->runner[i].peak_bytes = 1024.0 * (double)usage.ru_maxrss;
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE)
			exit(EXIT_USAGE); /* it has said why */
	}
}

/* ---- figures ----------------------------------------------------------------------------------- */

static struct estimate rates(const struct bench *b, const double *seconds)
{
	double copy[BENCH_ROUNDS_MOST];

	for (int i = 0; i < b->options.rounds; i++)
		copy[i] = b->benchmark->operations(b->problem) * 1e-6 / seconds[i];
	return estimate(copy, b->options.rounds);
}

/* Of the times of the same round. */
static struct estimate ratios(const struct bench *b, const double *seconds, const double *to)
{
	double copy[BENCH_ROUNDS_MOST];

	for (int i = 0; i < b->options.rounds; i++)
		copy[i] = seconds[i] / to[i];
	return estimate(copy, b->options.rounds);
}

static void report_version(const struct bench *b, struct report *report, const struct runner *r)
{
	double copy[BENCH_ROUNDS_MOST];
	char what[80];

	snprintf(what, sizeof what, "%s: check", r->name);
	report_text(report, what, r->said);
	if (b->options.rounds) {
		memcpy(copy, r->seconds, sizeof copy);
		snprintf(what, sizeof what, "%s: time", r->name);
		report_row(report, what, estimate(copy, b->options.rounds), "s");
		snprintf(what, sizeof what, "%s: rate", r->name);
		report_row(report, what, rates(b, r->seconds), "Mop/s");
	}
	if (r->peak_bytes > 0) {
		snprintf(what, sizeof what, "%s: peak memory", r->name);
		report_count(report, what, r->peak_bytes, "bytes");
	}
}

/* What the library has moved in a version's last run, if that is one with it: each run moves the same. */
static void report_moved(const struct runner *r, struct report *report)
{
	char what[80];

	if (r->machine->is_alone || r->after.launches == r->before.launches)
		return;
	snprintf(what, sizeof what, "%s: moved", r->name);
	report_count(report, what, (double)(r->after.transfer_bytes - r->before.transfer_bytes), "bytes");
	for (int i = 0; i < r->flows_after.count; i++) {
		const struct het_flow *const flow = &r->flows_after.at[i];
		const uint64_t bytes = flow->bytes - flows_bytes(&r->flows_before, flow);

		snprintf(what, sizeof what, "%s: moved, %s, memory %d to %d", r->name, flow->route, flow->from,
			 flow->to);
		if (bytes)
			report_count(report, what, (double)bytes, "bytes");
	}
}

static const struct runner *runner_called(const struct bench *b, const char *name)
{
	for (int i = 0; i < b->runners; i++)
		if (is_called(&b->runner[i], name))
			return &b->runner[i];
	return NULL;
}

static void report_ratio(const struct bench *b, struct report *report, const struct runner *r,
			 const struct runner *to)
{
	char what[80];

	snprintf(what, sizeof what, "%s / %s", r->name, to->name);
	report_row(report, what, ratios(b, r->seconds, to->seconds), "");
}

/* The first version against each, and each against the one that copies. */
static void report_ratios(const struct bench *b, struct report *report)
{
	const struct runner *const first = &b->runner[0], *const copying = runner_called(b, "copying");

	for (int i = 1; i < b->runners; i++)
		if (!b->runner[i].is_without && !b->runner[i].machine->is_alone)
			report_ratio(b, report, first, &b->runner[i]);
	for (int i = 1; i < b->runners; i++)
		if (copying && copying != first && copying != &b->runner[i] && !b->runner[i].machine->is_alone)
			report_ratio(b, report, &b->runner[i], copying);
}

static double median_seconds(const struct bench *b, const struct runner *r)
{
	double copy[BENCH_ROUNDS_MOST];

	memcpy(copy, r->seconds, sizeof copy);
	return estimate(copy, b->options.rounds).median;
}

/* Of the devices by themselves the one that is done first. NULL: none has run so. */
static const struct runner *fastest_alone(const struct bench *b)
{
	const struct runner *fastest = NULL;

	for (int i = 0; i < b->runners; i++) {
		const struct runner *const r = &b->runner[i];

		if (r->machine->is_alone &&
		    (!fastest || median_seconds(b, r) < median_seconds(b, fastest)))
			fastest = r;
	}
	return fastest;
}

/* What all devices together bring: how often as fast as the fastest by itself; of the sum of the speeds that
 * they have by themselves, in percent. */
static void report_gain(const struct bench *b, struct report *report)
{
	const struct runner *const hetero = runner_called(b, "hetero"), *const fastest = fastest_alone(b);
	double part[BENCH_ROUNDS_MOST];

	if (!hetero || !fastest)
		return;
	report_row(report, "hetero: speed-up", ratios(b, fastest->seconds, hetero->seconds), "");
	for (int round = 0; round < b->options.rounds; round++) {
		double speeds = 0;

		for (int i = 0; i < b->runners; i++)
			if (b->runner[i].machine->is_alone)
				speeds += 1 / b->runner[i].seconds[round];
		part[round] = 100 / hetero->seconds[round] / speeds;
	}
	report_row(report, "hetero: of all speeds", estimate(part, b->options.rounds), "%");
}

/* How much of what `what` costs is not lost by a version, in percent. */
static void report_part(const struct bench *b, struct report *report, const char *what, const struct runner *r,
			const double *copying, const double *without)
{
	_Static_assert(BENCH_ROUNDS_MOST <= SAMPLE_MOST, "estimate_part takes all rounds");
	double part[BENCH_ROUNDS_MOST], whole[BENCH_ROUNDS_MOST];
	char row[80];

	snprintf(row, sizeof row, "%s: %s recovered", r->name, what);
	for (int i = 0; i < b->options.rounds; i++) {
		part[i] = 100 * (copying[i] - r->seconds[i]);
		whole[i] = copying[i] - without[i];
	}
	report_row(report, row, estimate_part(part, whole, b->options.rounds), "%");
}

/* The same of every version, where it is shown that there is a cost: a mere range does not show it. */
static void report_recovered(const struct bench *b, struct report *report, const char *what, double least_cost,
			     const double *copying, const double *without)
{
	const int too_few = b->options.rounds < SAMPLE_FEWEST;
	char row[80], why[48] = "not known: no cost is shown";

	snprintf(row, sizeof row, "%s recovered", what);
	if (too_few)
		snprintf(why, sizeof why, "not known: fewer than %d rounds", SAMPLE_FEWEST);
	if (too_few || least_cost <= 0)
		report_text(report, row, why);
	for (int i = 0; i < b->runners && !too_few && least_cost > 0; i++)
		if (!is_called(&b->runner[i], "copying") && !b->runner[i].is_without)
			report_part(b, report, what, &b->runner[i], copying, without);
}

/* What the version that copies loses by it, in percent of its time, and who does not lose that. */
static void report_exchange(const struct bench *b, struct report *report, const char *what,
			    const char *without_name)
{
	const struct runner *const copying = runner_called(b, "copying");
	const struct runner *const without = runner_called(b, without_name);
	double part[BENCH_ROUNDS_MOST];
	struct estimate cost;
	char row[80];

	if (!copying || !without)
		return;
	for (int i = 0; i < b->options.rounds; i++)
		part[i] = 100 * (1 - without->seconds[i] / copying->seconds[i]);
	cost = estimate(part, b->options.rounds);
	snprintf(row, sizeof row, "copying: %s", what);
	report_row(report, row, cost, "%");
	report_recovered(b, report, what, cost.low, copying->seconds, without->seconds);
}

static void report_all(struct bench *b, struct report *report)
{
	char cut[32] = "";

	if (b->benchmark->say_cut)
		b->benchmark->say_cut(b->machine.count, cut, sizeof cut);
	report_about(report, b->machine.system);
	report_section(report, b->benchmark->name, "%s class %s%s, %d device%s%s, %d round%s",
		       b->benchmark->name, b->options.class_name, *cut ? "" : b->options.own, b->machine.count,
		       report_plural(b->machine.count), cut, b->options.rounds,
		       report_plural(b->options.rounds));
	report_field(report, "class", b->options.class_name);
	report_number_field(report, "rounds", b->options.rounds);
	report_field(report, "verified", b->wrong ? "no" : b->checked ? "yes" : "nothing");
	for (int i = 0; i < b->runners; i++)
		report_version(b, report, &b->runner[i]);
	if (b->options.rounds) {
		report_ratios(b, report);
		report_gain(b, report);
		report_exchange(b, report, "exchange", BENCH_LOCAL);
		report_exchange(b, report, "bytes of exchange", BENCH_UNSENT);
	}
	for (int i = 0; i < b->runners; i++)
		report_moved(&b->runner[i], report);
}

int bench_main(const struct benchmark *benchmark, int argc, char **argv)
{
	static struct bench b;
	struct report *report;

	b.benchmark = benchmark;
	bench_options_read(&b.options, benchmark, argc, argv);
	b.problem = benchmark->problem(b.options.class_name);
	choose_versions(&b);
	if (b.options.memory)
		measure_memory(&b);
	open_machine(&b);
	need_possible(&b);
	need_double(&b);
	need_team(&b);
	drop_versions(&b);
	add_alone(&b);
	if (!b.runners)
		return EXIT_SKIP;
	measure(&b);
	report = report_new(b.options.json);
	report_all(&b, report);
	if (benchmark->afterwards && !benchmark->afterwards(b.problem, &b.machine, report))
		b.wrong = 1;
	report_end(report);
	close_machine(&b);
	return printed(benchmark->name, b.wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}
