/* bench.c - rounds of all versions by turns. */

#include "common/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/open.h"
#include "printed.h"

#define EXIT_SKIP 77

int bench_keeps_waits;

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

/* Ends the program where what was asked for is not possible on these devices. */
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

	bench_keeps_waits = runner_is(r, BENCH_UNSENT);
	bench_to_start(r->clock);
	count_moved(r, &r->before, &r->flows_before);
	result = bench_to_stop(r->clock, &seconds);
	count_moved(r, &r->after, &r->flows_after);
	if (checked)
		verify(b, r, result);
	bench_to_round(r->clock);
	return seconds;
}

/* In every other cycle, of as many rounds as there are versions, they take their turns in reverse order. */
static int turn_of(const struct bench *b, int round, int i)
{
	const int first = round < 0 ? 0 : round % b->runners, is_back = round > 0 && round / b->runners % 2;

	return (first + (is_back ? b->runners - i : i)) % b->runners;
}

/* Round -1 is not counted. Who begins changes from round to round, who follows whom from cycle to cycle. */
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

/* With --seconds: would a round after this one end too late, judging by the time `spent` on those before? At
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
	struct runner *const r = &b->runner[b->runners];

	r->number = b->runners++;
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
	struct runner *r;

	must(het_device_info(het_device(b->machine.system, d), &info));
	alone->machine.system = open_devices(info.name, b->options.share);
	alone->machine.count = 1;
	alone->machine.is_alone = 1;
	snprintf(alone->name, sizeof alone->name, BENCH_ALONE ", %s", info.name);
	r = add_version(b, hetero_of(b->benchmark), alone->name);
	r->machine = &alone->machine;
	r->number = -1;
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

/* Runs this version once, and nothing else: what the process needs then is the version's. */
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

static double peak_bytes(struct bench *b, struct runner *r)
{
	struct rusage usage;
	int status;
	const pid_t pid = r->is_without ? -1 : fork();

	if (pid == 0)
		child(b, r);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
		return 0;
	return 1024.0 * (double)usage.ru_maxrss;
}

/* Forks a process that measures each version's memory when it is told to. It is made before this one opens any
 * driver, and told when all rounds are over: they have compiled the kernels, so compilers do not count. */
static void keep_one(struct bench *b)
{
	int told[2], peaks[2];
	char go;

	if (pipe(told) || pipe(peaks))
		return;
	b->keeper = fork();
	if (b->keeper == 0) {
		close(told[1]);
		for (int i = 0; i < b->runners && (i > 0 || read(told[0], &go, 1) == 1); i++) {
			const double peak = peak_bytes(b, &b->runner[i]);

			if (write(peaks[1], &peak, sizeof peak) != sizeof peak)
				break;
		}
		_exit(0);
	}
	close(told[0]);
	close(peaks[1]);
	b->tell = told[1];
	b->peaks = peaks[0];
	b->kept = b->runners;
}

static void measure_memory(struct bench *b)
{
	double peak;

	if (b->keeper <= 0 || write(b->tell, "", 1) != 1)
		return;
	for (int number = 0; number < b->kept && read(b->peaks, &peak, sizeof peak) == sizeof peak; number++)
		for (int i = 0; i < b->runners; i++)
			if (b->runner[i].number == number)
				b->runner[i].peak_bytes = peak;
	waitpid(b->keeper, NULL, 0);
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
		keep_one(&b);
	open_machine(&b);
	need_possible(&b);
	need_double(&b);
	need_team(&b);
	drop_versions(&b);
	add_alone(&b);
	if (!b.runners)
		return EXIT_SKIP;
	measure(&b);
	measure_memory(&b);
	report = report_new(b.options.json);
	rounds_report(&b, report);
	if (benchmark->afterwards && !benchmark->afterwards(b.problem, &b.machine, report))
		b.wrong = 1;
	report_end(report);
	close_machine(&b);
	return printed(benchmark->name, b.wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}
