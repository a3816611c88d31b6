/* cuts.c - what lines between the devices' strips do to the time, as gain over the fastest device alone: tables
 * for two devices, and for three, around the lines that the library draws by itself. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/report.h"
#include "common/sample.h"
#include "must.h"
#include "path/scene.h"

#define DEVICES_MOST 3
#define LINES 5     /* cut lines of a table */
#define PARTS_OF 36 /* of the rows; one is between two lines: 500 of 18005, as in the paper that had the idea */

/* The version with Hetero, and how often each time is measured. A table is about `count` of the team's devices;
 * the others have no share. */
struct trial {
	struct report *report;
	const struct path_problem *problem;
	het_system *system;
	het_team *team;
	struct bench_clock *clock;
	int runs, count, device[DEVICES_MOST];
	double alone; /* seconds of the fastest by itself */
	int divisions, wrong;            /* measured; those with a wrong result */
};

static double run_once(struct bench_clock *clock)
{
	double seconds;

	bench_to_start(clock);
	(void)bench_to_stop(clock, &seconds);
	bench_to_round(clock);
	return seconds;
}

/* A run that is not counted: is its result right? */
static void run_first(struct trial *t)
{
	char said[160];

	bench_to_start(t->clock);
	t->divisions++;
	if (!scene_verify(t->problem, bench_to_stop(t->clock, NULL), said, sizeof said)) {
		fprintf(stderr, "path, cuts: WRONG: %s\n", said);
		t->wrong++;
	}
	bench_to_round(t->clock);
}

/* The median time of `count` devices with these shares. */
static double time_of(struct trial *t, int count, const int *device, const double *share)
{
	double seconds[BENCH_ROUNDS_MOST], shares[HAND_DEVICES_MOST] = {0};

	for (int i = 0; i < count; i++)
		shares[device[i]] = share[i];
	must(het_team_set_shares(t->team, shares));
	run_first(t);
	for (int i = 0; i < t->runs; i++)
		seconds[i] = run_once(t->clock);
	return estimate(seconds, t->runs).median;
}

/* What is gained by cutting at these lines, in percent of the speed of the fastest device. */
static double gain_at(struct trial *t, const int *line)
{
	double rows[DEVICES_MOST];

	for (int d = 0; d < t->count; d++)
		rows[d] = (d < t->count - 1 ? line[d] : t->problem->rows) - (d > 0 ? line[d - 1] : 0);
	return 100 * (t->alone / time_of(t, t->count, t->device, rows) - 1);
}

/* The device's name, as in a selection. */
static void name_of(het_device *device, char *name, size_t bytes)
{
	struct het_device_info info = HET_DEVICE_INFO_INIT;

	must(het_device_info(device, &info));
	snprintf(name, bytes, "%s", info.name);
}

/* A device of the table: its time alone, and its share of the rows, 1 being all. */
static void say_device(const struct trial *t, int d, double seconds, double share)
{
	char name[64], what[96];

	name_of(het_team_device(t->team, t->device[d]), name, sizeof name);
	if (!report_is_json(t->report)) {
		printf("  %-20s alone %9.3f s, share %5.1f %%\n", name, seconds, 100 * share);
		return;
	}
	snprintf(what, sizeof what, "%s alone", name);
	report_value(t->report, what, seconds, "s");
	snprintf(what, sizeof what, "%s: share", name);
	report_value(t->report, what, 100 * share, "%");
}

/* The rows that the library gives each device of the table, were these devices all. */
static void ask_library(const struct trial *t, int *rows)
{
	het_device *device[DEVICES_MOST];
	struct het_part part[DEVICES_MOST];
	het_team *team;

	for (int d = 0; d < t->count; d++)
		device[d] = het_team_device(t->team, t->device[d]);
	must(het_team_new(t->system, t->count, device, NULL, &team));
	path_plan(t->problem, t->system, team, part);
	must(het_team_free(team));
	for (int d = 0; d < t->count; d++)
		rows[d] = (int)(part[d].range.hi[0] - part[d].range.lo[0]);
}

/* Says what a table is about: the devices, and the rows that the library gives them. */
static void begin(struct trial *t, int *line)
{
	const double all = 1;
	int rows[DEVICES_MOST], before = 0;

	ask_library(t, rows);
	t->alone = INFINITY;
	report_section(t->report, "cuts", "cuts, %d run%s", t->runs, report_plural(t->runs));
	for (int d = 0; d < t->count; d++) {
		const double seconds = time_of(t, 1, &t->device[d], &all);

		say_device(t, d, seconds, (double)rows[d] / t->problem->rows);
		t->alone = fmin(t->alone, seconds);
		before += rows[d];
		line[d] = before;
	}
}

/* Cut line i of a table. The library's line is in its middle, or nearer to an end where others would be beyond
 * the terrain. -1: line i is beyond it all the same. */
static int line_at(const struct trial *t, int library, int i)
{
	const int rows = t->problem->rows, apart = rows / PARTS_OF > 0 ? rows / PARTS_OF : 1;
	int before = LINES / 2, there;

	while (before < LINES - 1 && library + (LINES - 1 - before) * apart > rows)
		before++;
	while (before > 0 && library < before * apart)
		before--;
	there = library + (i - before) * apart;
	return there >= 0 && there <= rows ? there : -1;
}

/* A gain for programs: `cut` are one or two lines. */
static void report_gain(const struct trial *t, const int *cut, int is_library, double gain)
{
	char lines[32], what[96];

	snprintf(lines, sizeof lines, t->count > 2 ? "%d, %d" : "%d", cut[0], cut[1]);
	snprintf(what, sizeof what, "gain over the fastest, cut at %s%s", lines,
		 is_library ? ", as the library does" : "");
	report_value(t->report, what, gain, "%");
}

static void cut_two(struct trial *t)
{
	const int json = report_is_json(t->report);
	int line[DEVICES_MOST];

	begin(t, line);
	if (!json)
		printf("  %12s  gain over the fastest (* as the library does)\n", "cut line");
	for (int i = 0; i < LINES; i++) {
		const int cut[2] = {line_at(t, line[0], i), 0};
		const double gain = cut[0] >= 0 ? gain_at(t, cut) : 0;

		if (cut[0] >= 0 && json)
			report_gain(t, cut, cut[0] == line[0], gain);
		else if (cut[0] >= 0)
			printf("  %11d%c  %+8.2f %%\n", cut[0], cut[0] == line[0] ? '*' : ' ', gain);
	}
}

/* Has the table of three a gain here? No, where a line is not on the terrain, or the second above the first. */
static int is_cut(const int *cut)
{
	return cut[0] >= 0 && cut[0] <= cut[1];
}

static int is_library(const int *cut, const int *line)
{
	return cut[0] == line[0] && cut[1] == line[1];
}

static void report_three(struct trial *t, const int *line)
{
	for (int j = 0; j < LINES; j++)
		for (int i = 0; i < LINES; i++) {
			const int cut[2] = {line_at(t, line[0], i), line_at(t, line[1], j)};

			if (is_cut(cut))
				report_gain(t, cut, is_library(cut, line), gain_at(t, cut));
		}
}

static void print_three(struct trial *t, const int *line)
{
	puts("  gain over the fastest in % (* as the library does); across: cut line of the first two");
	printf("  %12s", "cut line");
	for (int i = 0; i < LINES; i++)
		if (line_at(t, line[0], i) >= 0)
			printf(" %9d", line_at(t, line[0], i));
	for (int j = 0; j < LINES; j++) {
		if (line_at(t, line[1], j) < 0)
			continue;
		printf("\n  %12d", line_at(t, line[1], j));
		for (int i = 0; i < LINES; i++) {
			const int cut[2] = {line_at(t, line[0], i), line_at(t, line[1], j)};

			if (is_cut(cut))
				printf(" %+8.2f%c", gain_at(t, cut), is_library(cut, line) ? '*' : ' ');
			else if (cut[0] >= 0)
				printf(" %9s", "");
			fflush(stdout);
		}
	}
	putchar('\n');
}

/* Columns: between the first and the second device; lines: between the second and the third. */
static void cut_three(struct trial *t)
{
	int line[DEVICES_MOST];

	begin(t, line);
	if (report_is_json(t->report))
		report_three(t, line);
	else
		print_three(t, line);
}

static void report_check(const struct trial *t)
{
	char said[64];

	snprintf(said, sizeof said, "%d of %d divisions with wrong costs", t->wrong, t->divisions);
	report_text(t->report, "check", said);
}

int scene_cuts(const void *problem, const struct bench_machine *machine, struct report *report)
{
	const struct scene_problem *const p = problem; /* whose first member it is */
	struct trial t = {.report = report, .problem = problem, .system = machine->system,
			  .runs = p->scene.cuts, .count = 2};
	int devices;

	if (!p->scene.cuts)
		return 1;
	t.clock = bench_begin(&path_hetero, problem, machine);
	t.team = het_everyone(machine->system);
	devices = het_team_count(t.team) < DEVICES_MOST ? het_team_count(t.team) : DEVICES_MOST;
	must(het_team_rebalance(t.team, 0));
	for (int a = 0; a < devices; a++)
		for (int b = a + 1; b < devices; b++) {
			t.device[0] = a;
			t.device[1] = b;
			cut_two(&t);
		}
	t.count = DEVICES_MOST;
	for (int d = 0; d < DEVICES_MOST; d++)
		t.device[d] = d;
	if (devices == DEVICES_MOST)
		cut_three(&t);
	bench_end(t.clock);
	report_check(&t);
	return !t.wrong;
}
