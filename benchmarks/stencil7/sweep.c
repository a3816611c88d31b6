/* sweep.c - how fast the stencil is for every share of the first of two devices, and for the share that it
 * gets by itself. After figure 5(d) of Sourouri et al. 2015. */

#include "stencil7/stencil7.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/library.h"
#include "common/report.h"

#define ROUNDS 7
#define FINDING 40 /* steps in which shares are found */
#define ROWS_MOST 100

/* A share of the first device, in percent, and its rates. */
struct row {
	double share, rate[ROUNDS];
	const char *whose; /* "": one of the sweep */
};

struct sweep {
	const struct stencil7_problem *problem;
	het_system *system;
	het_team *team;
	het_kernel *relax;
	het_array *now, *next;
	struct row row[ROWS_MOST];
	int rows;
};

static void open_sweep(struct sweep *s, const struct stencil7_problem *p, const struct bench_machine *machine)
{
	const struct het_shape shape = het_shape(3, p->nz, p->ny, p->nx);

	s->problem = p;
	s->system = machine->system;
	s->team = stencil7_team(s->system);
	s->relax = library_kernel(s->system, STENCIL7_KERNELS, "relax");
	s->now = library_array(s->system, HET_DOUBLE, shape);
	s->next = library_array(s->system, HET_DOUBLE, shape);
	must(het_write(het_view(s->now, het_whole()), p->first));
	must(het_write(het_view(s->next, het_whole()), p->first));
}

static void close_sweep(struct sweep *s)
{
	must(het_array_free(s->now));
	must(het_array_free(s->next));
	must(het_kernel_free(s->relax));
	must(het_team_free(s->team));
}

static void steps(struct sweep *s, int count)
{
	const struct stencil7_problem *const p = s->problem;

	for (int i = 0; i < count; i++) {
		must(het_spread(
			s->relax, s->team,
			het_local(het_range(3, 1, p->nz - 1, 0, p->ny, 0, p->nx), 1, 1, stencil7_group(p)),
			HET_OUT(HET_EACH(s->next)), HET_IN(HET_HALO(s->now, 1, 1, 1)), HET_VAL(p->nx),
			HET_VAL(p->ny), HET_VAL(STENCIL7_ALPHA), HET_VAL(STENCIL7_BETA)));
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

/* The share that the first device has now. */
static double first_share(const struct sweep *s)
{
	double share[2];

	must(het_team_shares(s->team, s->relax, share));
	return 100 * share[0];
}

static void add_rows(struct sweep *s, int step)
{
	add_row(s, first_share(s), "the library's");
	must(het_team_rebalance(s->team, 2));
	steps(s, FINDING);
	add_row(s, first_share(s), "found by rebalancing");
	must(het_team_rebalance(s->team, 0));
	for (int percent = 10; percent <= 90; percent += step)
		add_row(s, percent, "");
}

/* Millions of operations a second, where each device has its planes already. */
static double rate(struct sweep *s, double share)
{
	const struct stencil7_problem *const p = s->problem;
	const double shares[2] = {share, 100 - share};
	double start;

	must(het_team_set_shares(s->team, shares));
	steps(s, 2);
	start = wall_seconds();
	steps(s, p->steps);
	return 8e-6 * (p->nx - 2) * (p->ny - 2) * (p->nz - 2) * p->steps / (wall_seconds() - start);
}

static void report_rows(struct sweep *s, int json)
{
	struct report *const report = report_new(json);
	double best = 0, best_share = 0;

	report_section(report, "sweep", "stencil7 class %s, share of the first device, %d rounds",
		       s->problem->name, ROUNDS);
	for (int i = 0; i < s->rows; i++) {
		struct row *const row = &s->row[i];
		const struct estimate e = estimate(row->rate, ROUNDS);
		char what[80];

		snprintf(what, sizeof what, "share %5.1f %%%s%s", row->share, *row->whose ? ": " : "",
			 row->whose);
		report_row(report, what, e, "Mop/s");
		if (e.median > best) {
			best = e.median;
			best_share = row->share;
		}
	}
	report_count(report, "best share", best_share, "%");
	report_end(report);
}

void stencil7_sweep(const struct stencil7_problem *problem, const struct bench_machine *machine, int step,
		    int json)
{
	struct sweep *const s = bench_new(sizeof *s);

	if (machine->count != 2) {
		fprintf(stderr, "stencil7: --sweep is about two devices, not %d\n", machine->count);
		exit(2);
	}
	open_sweep(s, problem, machine);
	add_rows(s, step);
	for (int round = 0; round < ROUNDS; round++) /* all shares by turns */
		for (int i = 0; i < s->rows; i++)
			s->row[i].rate[round] = rate(s, s->row[i].share);
	report_rows(s, json);
	close_sweep(s);
	free(s);
}
