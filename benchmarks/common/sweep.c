/* sweep.c - how fast a stencil is for every share of the first of two devices, for that which the library gives
 * it, and for that which rebalancing finds from a bad one. After figure 5(d) of Sourouri et al. 2015. */

#include "common/sweep.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/library.h"
#include "common/number.h"
#include "common/sample.h"
#include "common/strips.h"

#define FINDING 20 /* steps in which rebalancing finds shares */
#define LOW 10     /* percent: where the sweep begins */
#define HIGH 90    /* and ends */
#define ROWS_MOST 100
#define OWN 0   /* the row of the library's share */
#define FOUND 1 /* the row of the share that rebalancing found */
#define SWEPT 2 /* the first of the rows that are swept, which follow those of the library */
#define SAME 1e-9 /* percent */
#define SLOW 4  /* shares that are more times slower than the fastest make fewer steps */
#define STEPS_LEAST 4
#define BRINGING 2 /* steps that bring devices their parts */
#define ROUNDS 7   /* unless --rounds says how many */

/* A share of the first device, in percent, and its rates. */
struct row {
	double share, rate[BENCH_ROUNDS_MOST];
	const char *whose; /* "": one of the sweep */
};

struct sweep {
	const struct sweep_of *of;
	het_system *system;
	het_team *team;
	het_kernel *kernel;
	het_array *now, *next;
	struct row row[ROWS_MOST];
	int rows, rounds;
	int wrong; /* shares with a wrong result */
};

static int step_asked, rounds_asked = ROUNDS, has_shares;

/* ---- options ----------------------------------------------------------------------------------- */

int sweep_option(const char *name, const char *value)
{
	if (!strcmp(name, "--sweep"))
		return number_read(value, 1, SWEEP_STEP_MOST, &step_asked);
	has_shares |= !strcmp(name, "--shares");
	return strips_option(name, value);
}

void sweep_check(const char *benchmark, const struct bench_machine *machine, int rounds, int steps)
{
	if (!step_asked)
		return;
	if (has_shares) {
		fprintf(stderr, "%s: --sweep sets the shares itself: without --shares\n", benchmark);
		exit(EXIT_USAGE);
	}
	if (machine->count != 2) {
		fprintf(stderr, "%s: --sweep is about two devices, not %d\n", benchmark, machine->count);
		exit(EXIT_USAGE);
	}
	if (steps > 0 && steps <= BRINGING) {
		fprintf(stderr, "%s: --sweep needs more than %d steps, not %d\n", benchmark, BRINGING, steps);
		exit(EXIT_USAGE);
	}
	if (rounds)
		rounds_asked = rounds;
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void begin_again(struct sweep *s)
{
	must(het_write(het_view(s->now, het_whole()), s->of->first));
	must(het_write(het_view(s->next, het_whole()), s->of->first));
}

static void open_sweep(struct sweep *s, const struct sweep_of *of, const struct bench_machine *machine)
{
	s->of = of;
	s->rounds = rounds_asked;
	s->system = machine->system;
	s->team = strips_team(machine);
	s->kernel = library_kernel(s->system, of->kernels, of->kernel);
	s->now = library_array(s->system, of->type, of->shape);
	s->next = library_array(s->system, of->type, of->shape);
	begin_again(s);
}

static void close_sweep(struct sweep *s)
{
	must(het_array_free(s->now));
	must(het_array_free(s->next));
	must(het_kernel_free(s->kernel));
}

static void steps(struct sweep *s, int count)
{
	struct het_arg arg[SWEEP_ARGUMENTS_MOST];

	for (int i = 0; i < count; i++) {
		const int arguments = s->of->arguments(s->of->problem, s->next, s->now, arg);

		must(het_spread_args(s->kernel, s->team, s->of->range, arg, arguments));
		must(het_swap(s->now, s->next));
	}
	must(het_wait_all(s->system));
}

static void add_row(struct sweep *s, double share, const char *whose)
{
	struct row *const row = &s->row[s->rows++];

	row->share = share;
	row->whose = whose;
}

static void set_share(struct sweep *s, double percent)
{
	const double shares[2] = {percent, 100 - percent};

	must(het_team_set_shares(s->team, shares));
}

/* The percentage of the range that the first device would get now; a spread may leave a device out. */
static double first_share(const struct sweep *s)
{
	const struct het_range *const all = &s->of->range;
	struct het_part part[2];
	struct het_arg arg[SWEEP_ARGUMENTS_MOST];
	const int arguments = s->of->arguments(s->of->problem, s->next, s->now, arg);
	int d;

	must(het_spread_plan_args(s->kernel, s->team, *all, part, &d, arg, arguments));
	return 100.0 * (double)(part[0].range.hi[d] - part[0].range.lo[d]) / (double)(all->hi[d] - all->lo[d]);
}

/* Rebalancing begins at that end of the sweep that is further from the library's share. */
static void add_rows(struct sweep *s)
{
	steps(s, BRINGING);
	add_row(s, first_share(s), "the library's");
	set_share(s, s->row[OWN].share > (LOW + HIGH) / 2.0 ? LOW : HIGH);
	must(het_team_rebalance(s->team, 2));
	steps(s, FINDING);
	add_row(s, first_share(s), "rebalanced");
	must(het_team_rebalance(s->team, 0));
	for (int percent = LOW; percent <= HIGH; percent += step_asked)
		add_row(s, percent, "");
}

/* ---- rounds ------------------------------------------------------------------------------------ */

/* Millions of operations a second, where each device has its part already. */
static double rate(struct sweep *s, double share, int count)
{
	double start;

	set_share(s, share);
	steps(s, BRINGING);
	start = wall_seconds();
	steps(s, count);
	return 1e-6 * s->of->operations / s->of->steps * count / (wall_seconds() - start);
}

/* The row from `from` on that was the fastest in the first round. */
static int fastest(const struct sweep *s, int from)
{
	int best = from;

	for (int i = from + 1; i < s->rows; i++)
		if (s->row[i].rate[0] > s->row[best].rate[0])
			best = i;
	return best;
}

/* A row's first round is a run of the benchmark, whose first steps bring devices their parts: is its result
 * right? */
static double first_rate(struct sweep *s, double share)
{
	char said[160];
	void *result;
	double rate_seen;

	begin_again(s);
	rate_seen = rate(s, share, s->of->steps - BRINGING);
	must(het_map(s->now, HET_READ, &result));
	if (!s->of->verify(s->of->problem, result, said, sizeof said)) {
		fprintf(stderr, "%s, share %.1f %%: WRONG: %s\n", s->of->benchmark, share, said);
		s->wrong++;
	}
	must(het_unmap(s->now));
	return rate_seen;
}

/* Rows from `from` on. With very unlike devices most shares are very slow: those that were slow in the first
 * round make fewer steps in the others. */
static void measure(struct sweep *s, int round, int from)
{
	const double enough = s->row[fastest(s, 0)].rate[0] / SLOW;

	for (int i = from; i < s->rows; i++) {
		struct row *const row = &s->row[i];
		int count = s->of->steps;

		if (round > 0 && row->rate[0] < enough)
			count = (int)(count * row->rate[0] / enough);
		row->rate[round] = round == 0 ? first_rate(s, row->share)
					      : rate(s, row->share, count < STEPS_LEAST ? STEPS_LEAST : count);
	}
}

/* With very unlike devices the best share is beyond an end of the sweep. It seems to be when rebalancing has
 * gone there, or when that end is the fastest of the first round and far ahead of the middle, where devices
 * that are alike are fastest. */
static void go_beyond(struct sweep *s)
{
	static const double beyond[] = {5, 2, 1, 0};
	const int best = fastest(s, SWEPT), last = s->rows - 1;
	const bool far_ahead = s->row[best].rate[0] >= 2 * s->row[(SWEPT + last) / 2].rate[0];
	const bool low = s->row[FOUND].share < s->row[SWEPT].share || (far_ahead && best == SWEPT);
	const bool high = s->row[FOUND].share > s->row[last].share || (far_ahead && best == last);

	for (size_t i = 0; i < sizeof beyond / sizeof *beyond && (low || high); i++)
		add_row(s, low ? beyond[i] : 100 - beyond[i], "");
}

/* All shares by turns. */
static void all_rounds(struct sweep *s)
{
	const int rows = s->rows;

	measure(s, 0, 0);
	go_beyond(s);
	measure(s, 0, rows);
	for (int round = 1; round < s->rounds; round++)
		measure(s, round, 0);
}

/* ---- figures ----------------------------------------------------------------------------------- */

static int by_share(const void *a, const void *b)
{
	const double one = ((const struct row *)a)->share, other = ((const struct row *)b)->share;

	return (one > other) - (one < other);
}

/* The share next to this one, below it or above it; -1: there is none. */
static int next_share(const struct sweep *s, double share, bool above)
{
	int next = -1;

	for (int i = 0; i < s->rows; i++) {
		const double there = s->row[i].share;

		if (above ? there > share && (next < 0 || there < s->row[next].share)
			  : there < share && (next < 0 || there > s->row[next].share))
			next = i;
	}
	return next;
}

/* Down or up from the best share, the last of those that may be as good: their intervals meet its interval. */
static double as_good(const struct sweep *s, const struct estimate *rate, int best, bool above)
{
	double share = s->row[best].share;

	for (int i = best; i >= 0 && rate[i].high >= rate[best].low; i = next_share(s, share, above))
		share = s->row[i].share;
	return share;
}

/* A row's rate in percent of the best share's, in the same rounds. */
static void report_against_best(const struct sweep *s, int row, int best, const char *what,
				struct report *report)
{
	double percent[BENCH_ROUNDS_MOST];

	for (int i = 0; i < s->rounds; i++)
		percent[i] = 100 * s->row[row].rate[i] / s->row[best].rate[i];
	report_row(report, what, estimate(percent, s->rounds), "% of the best share's rate");
}

static void report_best(const struct sweep *s, const struct estimate *rate, struct report *report)
{
	char range[48];
	int best = 0;

	for (int i = 1; i < s->rows; i++)
		if (rate[i].median > rate[best].median)
			best = i;
	report_against_best(s, OWN, best, "the library's", report);
	report_against_best(s, FOUND, best, "rebalanced", report);
	report_value(report, "best share", s->row[best].share, "%");
	snprintf(range, sizeof range, "not known: fewer than %d rounds", SAMPLE_FEWEST);
	if (s->rounds >= SAMPLE_FEWEST)
		snprintf(range, sizeof range, "%.1f to %.1f %%", as_good(s, rate, best, false),
			 as_good(s, rate, best, true));
	report_text(report, "may be as good", range);
}

/* Rows of one share make the same launches: in each round they get the mean of their rates. Else one of them
 * would be the best by chance, and the others would seem to be less. */
static void pool(struct sweep *s, int round)
{
	double mean[ROWS_MOST];

	for (int i = 0; i < s->rows; i++) {
		double sum = 0;
		int count = 0;

		for (int k = 0; k < s->rows; k++)
			if (fabs(s->row[k].share - s->row[i].share) < SAME) {
				sum += s->row[k].rate[round];
				count++;
			}
		mean[i] = sum / count;
	}
	for (int i = 0; i < s->rows; i++)
		s->row[i].rate[round] = mean[i];
}

static void report_rows(struct sweep *s, struct report *report)
{
	struct estimate rate[ROWS_MOST];
	char said[64];

	report_section(report, "sweep", "%s class %s, share of the first device, %d round%s", s->of->benchmark,
		       s->of->class_name, s->rounds, report_plural(s->rounds));
	qsort(s->row + SWEPT, (size_t)(s->rows - SWEPT), sizeof *s->row, by_share);
	for (int round = 0; round < s->rounds; round++)
		pool(s, round);
	for (int i = 0; i < s->rows; i++) {
		struct row *const row = &s->row[i];
		char what[80];

		rate[i] = estimate(row->rate, s->rounds);
		snprintf(what, sizeof what, "share %5.1f %%%s%s", row->share, *row->whose ? ": " : "",
			 row->whose);
		report_row(report, what, rate[i], "Mop/s");
	}
	report_best(s, rate, report);
	snprintf(said, sizeof said, "%d of %d shares with a wrong result", s->wrong, s->rows);
	report_text(report, "check", said);
}

int sweep_shares(const struct sweep_of *of, const struct bench_machine *machine, struct report *report)
{
	struct sweep *s;
	int right;

	if (!step_asked)
		return 1;
	s = bench_new(sizeof *s);
	open_sweep(s, of, machine);
	add_rows(s);
	all_rounds(s);
	report_rows(s, report);
	close_sweep(s);
	right = !s->wrong;
	free(s);
	return right;
}
