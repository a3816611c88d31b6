/* scaling.c - how near two parts of the CPU come to half the time of one: examples/hillshade, computed by the
 * first one-core part alone and by two of them, in interleaved rounds.
 *
 * Both systems keep their arrays from round to round; a first round, not counted, touches their memory. What
 * the ratio has above 1 is the library's, or the machine's: two cores share one path to memory. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "overhead/report.h"
#include "hillshade/relief.h"

#define ROUNDS_MOST 999

struct setup {
	int rounds, size, sweeps;
};

static het_system *open_parts(const char *devices)
{
	struct het_options options = HET_OPTIONS_INIT;
	het_system *system;

	options.devices = devices;
	must(het_open(&options, &system));
	return system;
}

static double round_seconds(struct relief *r)
{
	const double start = wall_seconds();

	relief_start(r);
	must(het_wait_all(r->system));
	return wall_seconds() - start;
}

static void measure(struct relief *one, struct relief *two, const struct setup *s)
{
	double alone[ROUNDS_MOST], together[ROUNDS_MOST], ratio[ROUNDS_MOST];
	struct report *report = report_new(0);

	for (int r = -1; r < s->rounds; r++) {
		const double t_one = round_seconds(one), t_two = round_seconds(two);

		if (r < 0)
			continue;
		alone[r] = t_one;
		together[r] = t_two;
		ratio[r] = t_two / (t_one / 2);
	}
	report_section(report, "scaling", "hillshade of %d x %d cells, %d sweeps, %d rounds", s->size, s->size,
	               s->sweeps, s->rounds);
	report_row(report, "one part", estimate(alone, s->rounds), "s");
	report_row(report, "two parts", estimate(together, s->rounds), "s");
	report_row(report, "two parts / half of one", estimate(ratio, s->rounds), "");
	report_end(report);
}

static void usage(FILE *to)
{
	fputs("usage: scaling [--rounds N] [--size N] [--sweeps N]\n"
	      "Measures examples/hillshade on one and on two one-core parts of the CPU.\n",
	      to);
}

static int parse_option(const char *name, const char *number, struct setup *s)
{
	const long n = number ? strtol(number, NULL, 10) : 0;

	if (!strcmp(name, "--rounds") && n >= 1 && n <= ROUNDS_MOST)
		s->rounds = (int)n;
	else if (!strcmp(name, "--size") && n >= 2 && n <= 30000)
		s->size = (int)n;
	else if (!strcmp(name, "--sweeps") && n >= 1 && n <= 10000)
		s->sweeps = (int)n;
	else
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct setup s = {11, 8192, 8};
	struct relief one, two;
	struct grid grid;
	char why[256];

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	for (int i = 1; i < argc; i += 2)
		if (parse_option(argv[i], argv[i + 1], &s)) {
			usage(stderr);
			return 2;
		}
	if (grid_read(EXAMPLES "/data/jacksboro_dem.asc", &grid, why, sizeof why)) {
		fprintf(stderr, "scaling: %s\n", why);
		return 1;
	}
	const struct wish wish = {s.size, s.size, s.sweeps, 315, 45, 1};
	const struct plan plan = plan_make(&wish, &grid);
	relief_open(&one, open_parts("pocl:cpu0.0"), &grid, &plan);
	relief_open(&two, open_parts("pocl:cpu0.0,pocl:cpu0.1"), &grid, &plan);
	measure(&one, &two, &s);
	relief_close(&one);
	relief_close(&two);
	must(het_close(one.system));
	must(het_close(two.system));
	grid_free(&grid);
	return 0;
}
