/* scaling.c - how near two parts of the CPU come to half the time of one: examples/hillshade, computed by the
 * first one-core part alone, by two of them together, and by two systems of one part that know nothing of
 * each other and compute a half each. The last shows what the machine allows, for two cores share one path to
 * memory; what two parts take more than that is the library's.
 *
 * All keep their arrays from round to round; a first round, not counted, touches their memory. The three are
 * measured by turns, each round begins with another one, and ratios are those of one round. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "printed.h"
#include "common/number.h"
#include "common/refuse.h"
#include "common/report.h"
#include "hillshade/relief.h"

#define ROUNDS_MOST 999
#define SIZE_MOST 30000
#define SWEEPS_MOST 10000
/* unless an option says another number */
#define ROUNDS 11
#define SIZE 8192
#define SWEEPS 8

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

static double round_seconds(struct relief *reliefs, int count)
{
	const double start = wall_seconds();

	for (int i = 0; i < count; i++)
		relief_start(&reliefs[i]);
	for (int i = 0; i < count; i++)
		must(het_wait_all(reliefs[i].system));
	return wall_seconds() - start;
}

static void measure(struct relief *one, struct relief *two, struct relief apart[2], const struct setup *s)
{
	double alone[ROUNDS_MOST], together[ROUNDS_MOST], halves[ROUNDS_MOST];
	double ratio[ROUNDS_MOST], machine[ROUNDS_MOST], library[ROUNDS_MOST];
	struct relief *const side[3] = {one, two, apart};
	struct report *report = report_new(0);

	report_about(report, two->system);
	for (int r = -1; r < s->rounds; r++) {
		double t[3];

		for (int i = 0; i < 3; i++) {
			const int k = (r + 1 + i) % 3;

			t[k] = round_seconds(side[k], k < 2 ? 1 : 2);
		}
		if (r < 0)
			continue;
		alone[r] = t[0];
		together[r] = t[1];
		halves[r] = t[2];
		ratio[r] = t[1] / (t[0] / 2);
		machine[r] = t[2] / (t[0] / 2);
		library[r] = t[1] / t[2];
	}
	report_section(report, "scaling", "hillshade of %d x %d cells, %d sweep%s, %d round%s", s->size,
		       s->size, s->sweeps, report_plural(s->sweeps), s->rounds, report_plural(s->rounds));
	report_row(report, "one part", estimate(alone, s->rounds), "s");
	report_row(report, "two parts", estimate(together, s->rounds), "s");
	report_row(report, "two halves, each a system", estimate(halves, s->rounds), "s");
	report_row(report, "two parts / half of one", estimate(ratio, s->rounds), "");
	report_row(report, "two halves / half of one", estimate(machine, s->rounds), "");
	report_row(report, "two parts / two halves", estimate(library, s->rounds), "");
	report_end(report);
}

static void close_relief(struct relief *r)
{
	relief_close(r);
	must(het_close(r->system));
}

static const char help[] =
	"usage: scaling [--rounds N] [--size N] [--sweeps N]\n"
	"Measures examples/hillshade on one and on two one-core parts of the CPU, and on two that share\n"
	"nothing.\n"
	"  --rounds N   all by turns: 1 to " NUMBER_TEXT(ROUNDS_MOST) " (" NUMBER_TEXT(ROUNDS) ")\n"
	"  --size N     rows and columns, even, so that halves are alike: 4 to " NUMBER_TEXT(SIZE_MOST) " ("
	NUMBER_TEXT(SIZE) ")\n"
	"  --sweeps N   1 to " NUMBER_TEXT(SWEEPS_MOST) " (" NUMBER_TEXT(SWEEPS) ")\n";

static int parse_option(const char *name, const char *number, struct setup *s)
{
	if (!number)
		return -1;
	if (!strcmp(name, "--rounds"))
		return number_read(number, 1, ROUNDS_MOST, &s->rounds);
	if (!strcmp(name, "--size"))
		return number_read(number, 4, SIZE_MOST, &s->size) || s->size % 2;
	return strcmp(name, "--sweeps") ? -1 : number_read(number, 1, SWEEPS_MOST, &s->sweeps);
}

int main(int argc, char **argv)
{
	struct setup s = {ROUNDS, SIZE, SWEEPS};
	struct relief one, two, apart[2];
	struct grid grid;
	char why[256];

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(help, stdout);
		return printed("scaling", 0);
	}
	for (int i = 1; i < argc; i += 2)
		if (parse_option(argv[i], argv[i + 1], &s))
			return refuse("scaling", help, argv[i], argv[i + 1]);
	if (grid_read(EXAMPLES "/data/jacksboro_dem.asc", &grid, why, sizeof why)) {
		fprintf(stderr, "scaling: %s\n", why);
		return 1;
	}
	const struct wish whole = {s.size, s.size, s.sweeps, 315, 45, 1},
			  half = {s.size / 2, s.size, s.sweeps, 315, 45, 1};
	const struct plan whole_plan = plan_make(&whole, &grid), half_plan = plan_make(&half, &grid);
	relief_open(&one, open_parts("pocl:cpu0.0"), &grid, &whole_plan);
	relief_open(&two, open_parts("pocl:cpu0.0,pocl:cpu0.1"), &grid, &whole_plan);
	relief_open(&apart[0], open_parts("pocl:cpu0.0"), &grid, &half_plan);
	relief_open(&apart[1], open_parts("pocl:cpu0.1"), &grid, &half_plan);
	measure(&one, &two, apart, &s);
	close_relief(&one);
	close_relief(&two);
	close_relief(&apart[0]);
	close_relief(&apart[1]);
	grid_free(&grid);
	return printed("scaling", 0);
}
