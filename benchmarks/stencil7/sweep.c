/* sweep.c - how fast the stencil is for every share of the first of two devices, and for the share that it
 * gets by itself. After figure 5(d) of Sourouri et al. 2015. */

#include "stencil7/stencil7.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/library.h"
#include "common/report.h"

#define ROUNDS 5
#define FINDING 40 /* steps in which shares are found */

struct sweep {
	const struct stencil7_problem *problem;
	het_system *system;
	het_team *team;
	het_kernel *relax;
	het_array *now, *next;
	struct report *report;
	double best, best_share;
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

/* Millions of operations a second, where each device has its planes already. */
static struct estimate rate(struct sweep *s)
{
	const struct stencil7_problem *const p = s->problem;
	const double operations = 8.0 * (p->nx - 2) * (p->ny - 2) * (p->nz - 2) * p->steps;
	double sample[ROUNDS];

	steps(s, 2);
	for (int r = 0; r < ROUNDS; r++) {
		const double start = wall_seconds();
		steps(s, p->steps);
		sample[r] = operations * 1e-6 / (wall_seconds() - start);
	}
	return estimate(sample, ROUNDS);
}

static double first_share(const struct sweep *s, const het_kernel *kernel)
{
	double share[2];

	must(het_team_shares(s->team, kernel, share));
	return 100 * share[0];
}

static void row(struct sweep *s, double share, const char *whose)
{
	const struct estimate e = rate(s);
	char what[80];

	snprintf(what, sizeof what, "share %5.1f %%%s%s", share, *whose ? ": " : "", whose);
	report_row(s->report, what, e, "Mop/s");
	if (e.median > s->best) {
		s->best = e.median;
		s->best_share = share;
	}
}

void stencil7_sweep(const struct stencil7_problem *problem, const struct bench_machine *machine, int step,
		    int json)
{
	struct sweep s = {.best = 0};

	if (machine->count != 2) {
		fprintf(stderr, "stencil7: --sweep is about two devices, not %d\n", machine->count);
		exit(2);
	}
	open_sweep(&s, problem, machine);
	s.report = report_new(json);
	report_section(s.report, "sweep", "stencil7 class %s, share of the first device, %d rounds each",
		       problem->name, ROUNDS);
	row(&s, first_share(&s, NULL), "the library's");
	for (int percent = 10; percent <= 90; percent += step) {
		const double shares[2] = {percent, 100 - percent};
		must(het_team_set_shares(s.team, shares));
		row(&s, percent, "");
	}
	report_count(s.report, "best share", s.best_share, "%");
	must(het_team_rebalance(s.team, 2));
	steps(&s, FINDING);
	row(&s, first_share(&s, s.relax), "found by rebalancing");
	report_end(s.report);
	close_sweep(&s);
}
