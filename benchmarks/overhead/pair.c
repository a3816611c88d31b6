/* pair.c - rounds of two sides, interleaved: what disturbs the machine disturbs both. */

#include "overhead/pair.h"

#include <stdio.h>

static void one_round(struct pair *pair, int which, int round, const struct side *side)
{
	double cpu, all, wall;

	if (side->before)
		side->before();
	wall = wall_seconds();
	all = process_seconds();
	cpu = thread_seconds();
	side->start(side->user);
	side->finish(side->user);
	cpu = thread_seconds() - cpu;
	all = process_seconds() - all;
	wall = wall_seconds() - wall;
	if (side->after)
		side->after();
	if (round < 0)
		return;
	pair->cpu[which][round] = cpu;
	pair->all[which][round] = all;
	pair->wall[which][round] = wall;
}

void pair_measure(struct pair *pair, int rounds, const struct side *ours, const struct side *by_hand)
{
	pair->rounds = rounds;
	for (int r = -1; r < rounds; r++) {
		const int first = r & 1; /* who comes second finds other things in the caches */

		one_round(pair, first, r, first ? by_hand : ours);
		one_round(pair, 1 - first, r, first ? ours : by_hand);
	}
}

static struct estimate scaled(const double *sample, int count, double scale)
{
	double copy[PAIR_ROUNDS_MOST];

	for (int i = 0; i < count; i++)
		copy[i] = sample[i] * scale;
	return estimate(copy, count);
}

static struct estimate difference(double (*sample)[PAIR_ROUNDS_MOST], int count, double scale)
{
	double copy[PAIR_ROUNDS_MOST];

	for (int i = 0; i < count; i++)
		copy[i] = (sample[0][i] - sample[1][i]) * scale;
	return estimate(copy, count);
}

static struct estimate ratio(const double *sample, const double *to, int count)
{
	double copy[PAIR_ROUNDS_MOST];

	for (int i = 0; i < count; i++)
		copy[i] = sample[i] / to[i];
	return estimate(copy, count);
}

void pair_report_launches(struct pair *pair, struct report *report, int launches)
{
	const double us = 1e6 / launches;
	const int n = pair->rounds;

	report_row(report, "host CPU time per launch, Hetero", scaled(pair->cpu[0], n, us), "us");
	if (pair->alone)
		return;
	report_row(report, "host CPU time per launch, by hand", scaled(pair->cpu[1], n, us), "us");
	report_row(report, "Hetero above by hand", difference(pair->cpu, n, us), "us");
	report_row(report, "CPU time of all threads, Hetero / by hand", ratio(pair->all[0], pair->all[1], n),
		   "");
	report_row(report, "end to end, Hetero / by hand", ratio(pair->wall[0], pair->wall[1], n), "");
}

void pair_report_parts(struct pair *pair, struct report *report, int parts)
{
	const double us = 1e6 / parts;
	const int n = pair->rounds;

	report_row(report, "host CPU time per part, spread", scaled(pair->cpu[0], n, us), "us");
	if (pair->alone)
		return;
	report_row(report, "host CPU time per part, launched", scaled(pair->cpu[1], n, us), "us");
	report_row(report, "spread above launched", difference(pair->cpu, n, us), "us");
	report_row(report, "end to end, spread / launched", ratio(pair->wall[0], pair->wall[1], n), "");
}

void pair_report_steps(struct pair *pair, struct report *report, int steps)
{
	const double us = 1e6 / steps;
	const int n = pair->rounds;

	report_row(report, "one step, Hetero", scaled(pair->wall[0], n, us), "us");
	if (pair->alone)
		return;
	report_row(report, "one step, by hand", scaled(pair->wall[1], n, us), "us");
	report_row(report, "Hetero / by hand", ratio(pair->wall[0], pair->wall[1], n), "");
	report_row(report, "Hetero above by hand", difference(pair->wall, n, us), "us");
	report_row(report, "CPU time of all threads, Hetero / by hand", ratio(pair->all[0], pair->all[1], n),
		   "");
}

void pair_report_elements(struct pair *pair, struct report *report, int elements)
{
	const double ns = 1e9 / elements;
	const int n = pair->rounds;

	report_row(report, "one element, Hetero", scaled(pair->wall[0], n, ns), "ns");
	if (pair->alone)
		return;
	report_row(report, "one element, by hand", scaled(pair->wall[1], n, ns), "ns");
	report_row(report, "Hetero / by hand", ratio(pair->wall[0], pair->wall[1], n), "");
}

void pair_report_peer(struct pair *pair, struct report *report, int steps, const char *step, const char *peer)
{
	const double us = 1e6 / steps;
	const int n = pair->rounds;
	char what[64];

	snprintf(what, sizeof what, "one %s, Hetero", step);
	report_row(report, what, scaled(pair->wall[0], n, us), "us");
	snprintf(what, sizeof what, "one %s, %s", step, peer);
	report_row(report, what, scaled(pair->wall[1], n, us), "us");
	snprintf(what, sizeof what, "%s / Hetero", peer);
	report_row(report, what, ratio(pair->wall[1], pair->wall[0], n), "");
}
