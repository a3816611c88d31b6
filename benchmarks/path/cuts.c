/* cuts.c - what lines between the devices' strips do to the time, as gain over the fastest device alone: tables
 * for two devices, and for three. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/sample.h"
#include "must.h"
#include "path/scene.h"

#define DEVICES_MOST 3
#define LINES 5     /* cut lines of a table, around the one that shares give */
#define PARTS_OF 36 /* of the rows are between two of them: 500 of 18005, as in the paper that had the idea */

/* The version with Hetero, and how often each time is measured. A table is about `count` of the team's devices;
 * the others have no share. */
struct trial {
	const struct path_problem *problem;
	het_team *team;
	void *state;
	int runs, count, device[DEVICES_MOST];
	double share[HAND_DEVICES_MOST]; /* that the team would give each device */
	double alone;                    /* seconds of the fastest by itself */
};

static double run_once(void *state)
{
	double start, seconds;

	path_hetero.prepare(state);
	start = wall_seconds();
	path_hetero.run(state);
	seconds = wall_seconds() - start;
	path_hetero.finish(state);
	return seconds;
}

/* The median time of `count` devices with these shares; a first run is not counted. */
static double time_of(const struct trial *t, int count, const int *device, const double *share)
{
	double seconds[BENCH_ROUNDS_MOST], shares[HAND_DEVICES_MOST] = {0};

	for (int i = 0; i < count; i++)
		shares[device[i]] = share[i];
	must(het_team_set_shares(t->team, shares));
	run_once(t->state);
	for (int i = 0; i < t->runs; i++)
		seconds[i] = run_once(t->state);
	return estimate(seconds, t->runs).median;
}

/* What is gained by cutting at these lines, in percent of the speed of the fastest device. */
static double gain_at(const struct trial *t, const int *line)
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

/* Says what it is about: the devices, and the rows that shares give them. */
static void begin(struct trial *t, int *line)
{
	const double all = 1;
	double before = 0, sum = 0;
	char name[64];

	for (int d = 0; d < t->count; d++)
		sum += t->share[t->device[d]];
	t->alone = INFINITY;
	printf("cuts, %d runs:\n", t->runs);
	for (int d = 0; d < t->count; d++) {
		const double seconds = time_of(t, 1, &t->device[d], &all);
		const double share = t->share[t->device[d]] / sum;

		name_of(het_team_device(t->team, t->device[d]), name, sizeof name);
		printf("  %-20s alone %9.3f s, share %5.1f %%\n", name, seconds, 100 * share);
		t->alone = fmin(t->alone, seconds);
		before += share;
		line[d] = (int)lrint(before * t->problem->rows);
	}
}

/* A cut line: so many steps from that of the shares. 0: not on the terrain. */
static int line_at(const struct trial *t, int line, int step)
{
	const int apart = t->problem->rows / PARTS_OF > 0 ? t->problem->rows / PARTS_OF : 1;
	const int there = line + (step - LINES / 2) * apart;

	return there > 0 && there < t->problem->rows ? there : 0;
}

static void cut_two(struct trial *t)
{
	int line[DEVICES_MOST];

	begin(t, line);
	printf("  %12s  gain over the fastest (* as shares have it)\n", "cut line");
	for (int i = 0; i < LINES; i++) {
		const int cut = line_at(t, line[0], i);

		if (cut)
			printf("  %11d%c  %+8.2f %%\n", cut, i == LINES / 2 ? '*' : ' ', gain_at(t, &cut));
	}
}

/* Columns: between the first and the second device; lines: between the second and the third. */
static void cut_three(struct trial *t)
{
	int line[DEVICES_MOST], cut[2];

	begin(t, line);
	printf("  gain over the fastest in %% (* as shares have it); across: cut line of the first two\n  %12s",
	       "cut line");
	for (int i = 0; i < LINES; i++)
		printf(" %9d", line_at(t, line[0], i));
	for (int j = 0; j < LINES; j++) {
		cut[1] = line_at(t, line[1], j);
		printf("\n  %12d", cut[1]);
		for (int i = 0; i < LINES; i++) {
			cut[0] = line_at(t, line[0], i);
			if (cut[0] && cut[0] < cut[1])
				printf(" %+8.2f%c", gain_at(t, cut),
				       i == LINES / 2 && j == LINES / 2 ? '*' : ' ');
			else
				printf(" %9s", "");
			fflush(stdout);
		}
	}
	putchar('\n');
}

void scene_cuts(const void *problem, const struct bench_machine *machine)
{
	const struct scene_problem *const p = problem; /* whose first member it is */
	struct trial t = {.problem = problem, .runs = p->scene.cuts, .count = 2};
	int devices;

	if (!p->scene.cuts)
		return;
	t.state = path_hetero.open(problem, machine);
	t.team = het_everyone(machine->system);
	devices = het_team_count(t.team) < DEVICES_MOST ? het_team_count(t.team) : DEVICES_MOST;
	if (devices < 2)
		fputs("path: --cuts: one device is not cut\n", stderr);
	must(het_team_rebalance(t.team, 0));
	must(het_team_share_by(t.team, HET_BY_BANDWIDTH));
	must(het_team_shares(t.team, NULL, t.share));
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
	path_hetero.close(t.state);
}
