/* figures.c - what rounds show: rates, ratios of versions in the same round, what several devices bring, what
 * of the cost of exchange is recovered. */

#include "common/rounds.h"

#include <stdio.h>
#include <string.h>

#include "common/sample.h"

static struct estimate rates(const struct bench *b, const double *seconds)
{
	double copy[BENCH_ROUNDS_MOST];

	for (int i = 0; i < b->options.rounds; i++)
		copy[i] = b->benchmark->operations(b->problem) * 1e-6 / seconds[i];
	return estimate(copy, b->options.rounds);
}

/* Ratios of times in the same rounds. */
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

/* What the library has moved in the last run of a version that uses it: each run moves the same. */
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
		if (runner_is(&b->runner[i], name))
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

/* The fastest of the devices by themselves. NULL: none has run by itself. */
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

/* What all devices together bring: how many times as fast they are as the fastest by itself, and their speed in
 * percent of the sum of the speeds that each has by itself. */
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

/* How much of what `what` costs copying a version does not lose, in percent. */
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

/* A version beside copying that exchanges something, or would have to: no single device, no thread of C. */
static int may_recover(const struct runner *r)
{
	return !runner_is(r, "copying") && !runner_is(r, "plain") && !r->is_without && !r->machine->is_alone;
}

/* The same of every version, where a cost is shown: an interval can show one, a mere range cannot. */
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
		if (may_recover(&b->runner[i]))
			report_part(b, report, what, &b->runner[i], copying, without);
}

/* What `what` costs the version that copies, in percent of its time, and how much of it others do not lose. */
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

void rounds_report(const struct bench *b, struct report *report)
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
