/* run.c - runs every benchmark on every set of devices, and takes what it says to pieces. */

#include "report/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/sample.h"
#include "report/program.h"

#define SKIPPED 77

/* For the cells, so that all take less than ten minutes on two cores, the quick ones less than one. */
#define ALL_SECONDS 550
#define QUICK_SECONDS 50
#define CELL_SECONDS 6 /* at most of a cell's rounds */
#define QUICK_FEWEST 3

const char *const version_names[VERSIONS] = {"hetero", "shared", "copying"};
const char *const benchmark_names[BENCHMARKS_COUNT] = {"ep",    "ft",       "nbody",  "matmulrow", "summa",
						       "shawa", "stencil7", "jacobi", "path",      "stepocl"};
/* First letters of the classes in which the cost of exchange is measured: none where nothing is exchanged, and
 * not those where a row or plane between neighbours is lost among hundreds. */
static const char *const exchange_classes[BENCHMARKS_COUNT] = {"",    "SWA", "TSW", "", "SW",
							       "SWA", "SW",  "SWm", "", "SW"};

/* The usual class of each benchmark, which runs on all sets, and further ones, which run on all devices. */
struct sizes {
	const char *usual, *classes[4]; /* up to a NULL, the usual one among them */
};
static const struct sizes sizes[BENCHMARKS_COUNT] = {
	{"W", {"S", "W"}},      {"W", {"S", "W", "A"}}, {"W", {"T", "S", "W"}}, {"W", {"S", "W", "A"}},
	{"W", {"S", "W", "A"}}, {"A", {"S", "W", "A"}}, {"W", {"S", "W", "A"}}, {"W", {"S", "W", "A"}},
	{"W", {"S", "W", "A"}}, {"W", {"S", "W"}},
};
static const struct sizes quick_sizes[BENCHMARKS_COUNT] = {
	{"S", {"S"}}, {"S", {"S"}},      {"S", {"T", "S"}},    {"W", {"S", "W"}}, {"S", {"S", "W"}},
	{"S", {"S"}}, {"S", {"S"}},      {"S", {"mode", "S"}}, {"S", {"S"}},      {"S", {"S"}},
};

/* ---- what a program says ----------------------------------------------------------------------- */

static const json_t *row_of(const json_t *section, const char *what)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(section, "rows"), i,
			   row) if (!strcmp(json_string_value(json_object_get(row, "what")), what)) return row;
	return NULL;
}

static struct figure figure_of(const json_t *section, const char *begin, const char *end)
{
	struct figure f = {0, 0, 0, 0};
	const json_t *row;
	char what[64];

	snprintf(what, sizeof what, "%s%s", begin, end);
	row = row_of(section, what);
	f.is_there = json_is_number(json_object_get(row, "median"));
	if (!f.is_there)
		return f;
	f.median = json_number_value(json_object_get(row, "median"));
	f.low = json_number_value(json_object_get(row, "low"));
	f.high = json_number_value(json_object_get(row, "high"));
	return f;
}

static double count_of(const json_t *section, const char *begin, const char *end)
{
	char what[64];

	snprintf(what, sizeof what, "%s%s", begin, end);
	return json_number_value(json_object_get(row_of(section, what), "count"));
}

static void read_loss(struct loss *l, const json_t *section, const char *what)
{
	char end[64];

	l->cost = figure_of(section, "copying: ", what);
	snprintf(end, sizeof end, ": %s recovered", what);
	for (int v = 0; v < VERSIONS; v++)
		l->recovered[v] = figure_of(section, version_names[v], end);
}

static void read_cell(struct cell *c)
{
	const json_t *const section = json_array_get(json_object_get(c->said, "sections"), 0);

	c->rounds = (int)json_integer_value(json_object_get(section, "rounds"));
	for (int v = 0; v < VERSIONS; v++) {
		c->seconds[v] = figure_of(section, version_names[v], ": time");
		c->rate[v] = figure_of(section, version_names[v], ": rate");
		c->ratio[v] = figure_of(section, "hetero / ", version_names[v]);
		c->peak_bytes[v] = count_of(section, version_names[v], ": peak memory");
		c->to_copying[v] = figure_of(section, version_names[v], " / copying");
	}
	c->local = figure_of(section, "local", " / copying");
	c->unsent = figure_of(section, "unsent", " / copying");
	c->speed_up = figure_of(section, "hetero: speed-up", "");
	c->of_speeds = figure_of(section, "hetero: of all speeds", "");
	read_loss(&c->exchange, section, "exchange");
	read_loss(&c->bytes, section, "bytes of exchange");
	c->moved_bytes = count_of(section, "hetero", ": moved");
}

/* ---- running ----------------------------------------------------------------------------------- */

/* Where Hetero may not share, the version that shares by hand is no measure. Benchmarks without that version
 * exchange nothing, nor does one device. In the usual class each device runs by itself, too. */
static void choose_versions(char *versions, size_t bytes, const struct results *r, const struct cell *c)
{
	const int shares = c->set->share && r->cost[c->benchmark][SHARED].effort > 0;
	const int is_alone = c->set == &r->set[0];
	const int exchanges = !is_alone && strchr(exchange_classes[c->benchmark], c->class_name[0]);

	snprintf(versions, bytes, "hetero%s,copying%s%s", shares ? ",shared" : "",
		 shares && exchanges ? ",local,unsent" : "",
		 !is_alone && c->set->share && !c->is_further ? ",alone" : "");
}

/* How many rounds a cell has, and seconds for them (0: for all of them). */
struct pace {
	int rounds, seconds;
};

/* An even part of the time that is left, of which two fifths are for what a cell does beside its rounds. Quick
 * ones have fewer rounds once they are late. */
static struct pace pace_of(const struct results *r, int i, const struct wish *wish, double spent)
{
	struct pace pace = {wish->rounds, 0};
	const double each = (ALL_SECONDS - spent) / (r->cells - i) * 3 / 5;

	if (!wish->paced)
		return pace;
	if (wish->quick)
		pace.rounds = spent * r->cells > QUICK_SECONDS * (i + 1) ? QUICK_FEWEST : wish->rounds;
	else
		pace.seconds = each >= CELL_SECONDS ? CELL_SECONDS : each > 1 ? (int)each : 1;
	return pace;
}

static void run_cell(struct results *r, struct cell *c, const struct wish *wish, struct pace pace)
{
	const char *const name = benchmark_names[c->benchmark];
	char program[1024], versions[64], rounds[16], seconds[16];
	const char *const arguments[] = {program,
					 "--class",
					 c->class_name,
					 "--devices",
					 c->set->selection,
					 "--share",
					 c->set->share ? "on" : "off",
					 "--version",
					 versions,
					 "--rounds",
					 rounds,
					 "--format",
					 "json",
					 wish->quick ? NULL : "--memory", /* takes a run more */
					 pace.seconds ? "--seconds" : NULL,
					 seconds,
					 NULL};

	snprintf(program, sizeof program, BUILT "/benchmarks/%s/%s", name, name);
	choose_versions(versions, sizeof versions, r, c);
	snprintf(rounds, sizeof rounds, "%d", pace.rounds);
	snprintf(seconds, sizeof seconds, "%d", pace.seconds);
	c->said = program_json(arguments, &c->status);
	if (c->said)
		read_cell(c);
	if (c->status == SKIPPED || (c->said && c->status == 0))
		return;
	fprintf(stderr, "report: %s on %s failed with status %d\n", name, c->set->selection, c->status);
	r->wrong = 1;
}

/* Without --only all are. */
int results_wanted(const struct wish *wish, int benchmark)
{
	const char *const name = benchmark_names[benchmark];
	const size_t length = strlen(name);

	for (const char *at = wish->only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, length) && (at[length] == ',' || at[length] == '\0'))
			return 1;
	return !wish->only;
}

static void plan_cell(struct results *r, int benchmark, const char *class_name, const struct set *set,
		      int is_further)
{
	struct cell *const c = &r->cell[r->cells++];

	c->benchmark = benchmark;
	c->class_name = class_name;
	c->set = set;
	c->is_further = is_further;
}

static void plan_benchmark(struct results *r, int benchmark, const struct sizes *of)
{
	for (const char *const *name = of->classes; *name; name++)
		if (strcmp(*name, of->usual))
			plan_cell(r, benchmark, *name, results_shared(r), 1);
		else
			for (int s = 0; s < r->sets; s++)
				plan_cell(r, benchmark, *name, &r->set[s], 0);
}

static void plan(struct results *r, const struct wish *wish)
{
	for (int b = 0; b < BENCHMARKS_COUNT; b++)
		if (results_wanted(wish, b))
			plan_benchmark(r, b, wish->quick ? &quick_sizes[b] : &sizes[b]);
}

/* A line above that of the benchmark that runs. */
static void progress(const struct results *r, int i)
{
	const struct cell *const c = &r->cell[i];

	if (!isatty(STDERR_FILENO))
		return;
	if (i > 0)
		fputs("\033[1A\r\033[K", stderr);
	if (i < r->cells)
		fprintf(stderr, "[%d/%d] %s, class %s, %s\n", i + 1, r->cells, benchmark_names[c->benchmark],
			c->class_name, c->set->name);
}

void results_run(struct results *r, const struct wish *wish)
{
	const double began = wall_seconds();

	plan(r, wish);
	for (int i = 0; i < r->cells; i++) {
		progress(r, i);
		run_cell(r, &r->cell[i], wish, pace_of(r, i, wish, wall_seconds() - began));
	}
	progress(r, r->cells);
}

const struct cell *results_cell(const struct results *r, int benchmark, const struct set *set)
{
	for (int i = 0; i < r->cells; i++)
		if (r->cell[i].benchmark == benchmark && r->cell[i].set == set && !r->cell[i].is_further)
			return &r->cell[i];
	return NULL;
}

const struct set *results_shared(const struct results *r)
{
	return r->set[1].share ? &r->set[1] : &r->set[0];
}
