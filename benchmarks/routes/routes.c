/* routes.c - the library's choice of a route against every fixed one, between every two memories.
 *
 * A cell is a pair of memories and a size. In each round of it the same box is moved once as the library
 * chooses by its calibration and once by each route that is possible, in another order in every
 * round, on the same buffers, with other data, which are checked where they arrive. A cell is shown slower when
 * the interval of the ratio to the best fixed route lies above the limit; a range, of fewer rounds than have an
 * interval, shows nothing. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/number.h"
#include "common/refuse.h"
#include "common/report.h"
#include "must.h"
#include "printed.h"
#include "words.h"

#define ROUNDS_MOST 999
#define KIB_MOST 4194304
/* unless an option says another number */
#define ROUNDS 21
#define SMALLEST 64
#define LARGEST 65536
#define SIZE_STEP 4
#define LIMIT 1.05

struct setup {
	int rounds, json, strided;
	enum het_share share;
	size_t smallest, largest;
	char *only_from, *only_to; /* NULL: every pair */
};

/* How boxes go in one cell. Side 0 is the library's choice. */
#define SIDES (HET__CAL_ROUTES + 1)

struct side {
	const char *route; /* NULL: as the library chooses */
	bool out;          /* barred, or it failed */
	double ns[ROUNDS_MOST];
};

struct cell {
	struct bench bench;
	const char *chosen;
	int sides;
	struct side side[SIDES];
};

struct tally {
	int cells, slower;
};

static void fail(const char *format, const char *what, const char *why)
{
	fprintf(stderr, format, what, why);
	exit(EXIT_FAILURE);
}

/* ---- one cell ----------------------------------------------------------------------------------- */

static void line_up(struct cell *cell, const struct het__hop *hop)
{
	const struct het__route *route;

	cell->chosen = het__route_choose(hop)->name;
	cell->side[0].route = NULL;
	cell->side[0].out = false;
	cell->sides = 1;
	for (size_t row = 0; (route = het__route_at(row)) != NULL; row++) {
		struct side *const side = &cell->side[cell->sides];

		if (cell->sides == SIDES || !route->applies(hop) || het__route_barred(hop, route))
			continue;
		side->route = route->name;
		side->out = false;
		cell->sides++;
	}
}

/* `round` -1 warms up, is checked in full and does not count. A fixed route may fail, the choice may not. */
static void run_side(struct cell *cell, int which, int round)
{
	struct side *const side = &cell->side[which];
	const int stripe = round < 0 ? 0 : 1 + round % STRIPES;
	uint64_t wrong = 0;
	double ns = 0;
	const enum bench_end end = bench_run(&cell->bench, side->route, stripe, &ns, &wrong);

	if (end == BENCH_BROKEN || (end == BENCH_FAILED && which == 0))
		fail("routes: %s: %s\n", het__memory_name(cell->bench.to), cell->bench.why);
	if (wrong && which == 0)
		fail("routes: what the route %s brought to %s is wrong\n", cell->chosen,
		     het__memory_name(cell->bench.to));
	side->out = end == BENCH_FAILED || wrong;
	if (round >= 0)
		side->ns[round] = ns;
}

static void run_rounds(struct cell *cell, int rounds)
{
	int order[SIDES];

	for (int r = -1; r < rounds; r++) {
		bench_order(order, cell->sides, (unsigned)(r + 1));
		for (int i = 0; i < cell->sides; i++)
			if (!cell->side[order[i]].out)
				run_side(cell, order[i], r);
	}
}

/* ---- what came out ------------------------------------------------------------------------------ */

static struct estimate time_of(const struct side *side, int rounds)
{
	double us[ROUNDS_MOST];

	for (int r = 0; r < rounds; r++)
		us[r] = side->ns[r] / 1e3;
	return estimate(us, rounds);
}

static struct estimate ratio_to(const struct cell *cell, const struct side *side, int rounds)
{
	double ratio[ROUNDS_MOST];

	for (int r = 0; r < rounds; r++)
		ratio[r] = cell->side[0].ns[r] / side->ns[r];
	return estimate(ratio, rounds);
}

/* NULL: all failed. */
static const struct side *best_fixed(const struct cell *cell, int rounds)
{
	const struct side *best = NULL;

	for (int i = 1; i < cell->sides; i++)
		if (!cell->side[i].out && (!best || time_of(&cell->side[i], rounds).median <
							    time_of(best, rounds).median))
			best = &cell->side[i];
	return best;
}

static void report_cell(const struct cell *cell, const struct setup *setup, struct report *report,
			struct tally *tally)
{
	const struct side *const best = best_fixed(cell, setup->rounds);
	const int rounds = setup->rounds;
	char what[80], size[WORDS_BYTES];
	struct estimate ratio;

	report_section(report, "cell", "%s to %s, %s, %s, %d round%s", het__memory_name(cell->bench.from),
		       het__memory_name(cell->bench.to), size_words(size, cell->bench.bytes),
		       het__cal_shape_name(setup->strided ? HET__CAL_STRIDED : HET__CAL_CONTIGUOUS), rounds,
		       report_plural(rounds));
	snprintf(what, sizeof what, "one move as chosen (%s)", cell->chosen);
	report_row(report, what, time_of(&cell->side[0], rounds), "us");
	for (int i = 1; i < cell->sides; i++) {
		snprintf(what, sizeof what, "as chosen / %s", cell->side[i].route);
		if (!cell->side[i].out)
			report_row(report, what, ratio_to(cell, &cell->side[i], rounds), "");
	}
	if (!best)
		return;
	ratio = ratio_to(cell, best, rounds);
	snprintf(what, sizeof what, "as chosen / the best (%s)", best->route);
	report_row(report, what, ratio, "");
	tally->cells++;
	tally->slower += ratio.low > LIMIT;
}

/* False where there is not memory enough for this size: it ends the pair. */
static bool measure_cell(const struct memories *memories, const struct het__hop *hop, const struct setup *setup,
			 struct report *report, struct tally *tally)
{
	static struct cell cell;

	if (bench_open(memories, hop->from, hop->to, hop->strided, hop->bytes, NULL, &cell.bench)) {
		if (!cell.bench.no_memory)
			fail("routes: %s: %s\n", het__memory_name(hop->to), cell.bench.why);
		return false;
	}
	line_up(&cell, hop);
	run_rounds(&cell, setup->rounds);
	bench_close(&cell.bench);
	report_cell(&cell, setup, report, tally);
	return true;
}

/* ---- pairs -------------------------------------------------------------------------------------- */

static bool is_wanted(const struct setup *setup, const struct het__memory *from, const struct het__memory *to)
{
	return from != to && (!setup->only_from || (!strcmp(setup->only_from, het__memory_name(from)) &&
						    !strcmp(setup->only_to, het__memory_name(to))));
}

static void measure_pair(const struct memories *memories, const struct het__memory *from,
			 const struct het__memory *to, const struct setup *setup, struct report *report,
			 struct tally *tally)
{
	struct het__hop hop = {from, to, setup->smallest, setup->strided};

	if (!het__route_calibrated(&hop)) {
		fprintf(stderr, "routes: the calibration chooses nothing from %s to %s\n",
			het__memory_name(from), het__memory_name(to));
		return;
	}
	for (; hop.bytes <= setup->largest; hop.bytes *= SIZE_STEP)
		if (!bench_has_room(from, hop.bytes) || !bench_has_room(to, hop.bytes) ||
		    !measure_cell(memories, &hop, setup, report, tally))
			return;
}

static void report_tally(struct report *report, const struct setup *setup, const struct tally *tally)
{
	const bool is_known = setup->rounds >= SAMPLE_FEWEST;

	if (!setup->json && is_known)
		printf("%d of %d cells shown slower by more than 5 %%\n", tally->slower, tally->cells);
	else if (!setup->json)
		printf("%d cells; which are shown slower is not known: fewer than %d rounds\n", tally->cells,
		       SAMPLE_FEWEST);
	if (!setup->json)
		return;
	report_section(report, "tally", "cells shown slower by more than 5 %%");
	report_count(report, "cells", tally->cells, "");
	if (is_known)
		report_count(report, "cells shown slower", tally->slower, "");
	else
		report_text(report, "cells shown slower", "not known: too few rounds");
}

/* Ends the program where --only names what there is not. */
static void need_wanted(const struct memories *memories, const struct setup *setup)
{
	for (int i = 0; i < memories->count; i++)
		for (int j = 0; j < memories->count; j++)
			if (is_wanted(setup, memories->at[i], memories->at[j]))
				return;
	fprintf(stderr, "routes: --only %s,%s: these are no two of the memories that there are:",
		setup->only_from, setup->only_to);
	for (int i = 0; i < memories->count; i++)
		fprintf(stderr, " %s", het__memory_name(memories->at[i]));
	fputc('\n', stderr);
	exit(2);
}

/* Returns how many cells were measured. */
static int measure_all(const struct memories *memories, const struct setup *setup)
{
	struct report *const report = report_new(setup->json);
	struct tally tally = {0, 0};

	report_about(report, memories->system);
	for (int i = 0; i < memories->count; i++)
		for (int j = 0; j < memories->count; j++)
			if (is_wanted(setup, memories->at[i], memories->at[j]))
				measure_pair(memories, memories->at[i], memories->at[j], setup, report, &tally);
	report_tally(report, setup, &tally);
	report_end(report);
	return tally.cells;
}

/* ---- the program -------------------------------------------------------------------------------- */

static const char help[] =
	"usage: routes [--rounds N] [--smallest KIB] [--largest KIB] [--only FROM,TO]\n"
	"              [--shape contiguous|strided] [--share on|off] [--format text|json]\n"
	"Measures the library's choice of a route against every fixed one, between every two memories\n"
	"of the devices that HETERO_DEVICES chooses, under the calibration that programs would use.\n"
	"Each size is four times the one before.\n"
	"  --rounds N       all by turns: 1 to " NUMBER_TEXT(ROUNDS_MOST) " (" NUMBER_TEXT(
		ROUNDS) "); six make intervals\n"
	"  --smallest KIB   1 to " NUMBER_TEXT(KIB_MOST) " (" NUMBER_TEXT(SMALLEST) ")\n"
	"  --largest KIB    1 to " NUMBER_TEXT(KIB_MOST) " (" NUMBER_TEXT(LARGEST) ")\n"
	"Exit status: 0 good; 1 something failed; 2 wrong usage; 77 there was nothing to measure.\n";

static int parse_number(const char *name, const char *number, struct setup *s)
{
	int n;

	if (number_read(number, 1, KIB_MOST, &n))
		return -1;
	if (!strcmp(name, "--rounds") && n <= ROUNDS_MOST)
		s->rounds = n;
	else if (!strcmp(name, "--smallest"))
		s->smallest = (size_t)n << 10;
	else if (!strcmp(name, "--largest"))
		s->largest = (size_t)n << 10;
	else
		return -1;
	return 0;
}

static int parse_pair(char *value, struct setup *s)
{
	char *const comma = strchr(value, ',');

	if (!comma)
		return -1;
	*comma = '\0';
	s->only_from = value;
	s->only_to = comma + 1;
	return 0;
}

/* 0: the first word, 1: the second; -1: neither. */
static int which_of(const char *value, const char *first, const char *second)
{
	return !strcmp(value, first) ? 0 : !strcmp(value, second) ? 1 : -1;
}

static int parse_option(const char *name, char *value, struct setup *s)
{
	int which;

	if (!value)
		return -1;
	if (!strcmp(name, "--only"))
		return parse_pair(value, s);
	if (!strcmp(name, "--shape"))
		return (s->strided = which_of(value, "contiguous", "strided")) < 0 ? -1 : 0;
	if (!strcmp(name, "--share")) {
		which = which_of(value, "on", "off");
		s->share = which ? HET_SHARE_OFF : HET_SHARE_DEFAULT;
		return which < 0 ? -1 : 0;
	}
	if (!strcmp(name, "--format")) {
		which = which_of(value, "text", "json");
		s->json = which == 1;
		return which < 0 || (s->json && !report_can_json()) ? -1 : 0;
	}
	return parse_number(name, value, s);
}

int main(int argc, char **argv)
{
	struct setup setup = {.rounds = ROUNDS,
			      .smallest = (size_t)SMALLEST << 10,
			      .largest = (size_t)LARGEST << 10,
			      .share = HET_SHARE_DEFAULT};
	struct het_options options = HET_OPTIONS_INIT;
	struct memories memories;
	het_system *system;
	int cells;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(help, stdout);
		return printed("routes", 0);
	}
	for (int i = 1; i < argc; i += 2)
		if (parse_option(argv[i], argv[i + 1], &setup))
			return refuse("routes", help, argv[i], argv[i + 1]);
	if (setup.smallest > setup.largest) {
		fprintf(stderr, "routes: --smallest is more than --largest: no size lies between\n");
		return 2;
	}
	options.share = setup.share;
	unsetenv("HETERO_ROUTE");
	must(het_open(&options, &system));
	if (!system->calibration)
		fail("routes: %s: %s\n", "no calibration is in use",
		     "hetero-calibrate writes one, of the same devices");
	must(memories_open(system, &memories));
	if (setup.only_from)
		need_wanted(&memories, &setup);
	cells = measure_all(&memories, &setup);
	if (cells == 0)
		fprintf(stderr, "routes: nothing was measured%s\n",
			memories.count < 2 ? ": there is but one memory (--share off: each device has one)"
					   : "");
	memories_free(&memories);
	must(het_close(system));
	return printed("routes", cells ? 0 : 77);
}
