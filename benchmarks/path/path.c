/* path.c - shortest paths over terrain: from every point to a target, by sweeps that let a point's cost be the
 * least by way of its eight neighbours, until nothing changes. */

#include "path/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "path/scene.h"

#define SIZE_LEAST 1
#define SIZE_MOST 40000
#define BATCH_MOST 1024
#define CLIMB_MOST 100

static const struct scene scenes[] = {
	{.name = "S", .rows = 181, .cols = 109},
	{.name = "W", .rows = 361, .cols = 217},
	{.name = "A", .rows = 901, .cols = 541},
	{.name = "B", .rows = 3601, .cols = 2161},
	{.name = "C", .rows = 18005, .cols = 10803},
	{.name = "terrain", .terrain = EXAMPLES "/data/jacksboro_dem.asc"},
};

/* What the user asked for; where nothing was said it is the class's. */
static struct scene asked = {.target = "centre", .from = "farthest", .batch = 16, .climb = 1};
static const char *cuts_text;
static int has_shares;

static struct scene with_wishes(struct scene s)
{
	s.rows = asked.rows ? asked.rows : s.rows;
	s.cols = asked.cols ? asked.cols : s.cols;
	s.terrain = asked.terrain ? asked.terrain : s.terrain;
	s.target = asked.target;
	s.from = asked.from;
	s.prefix = asked.prefix;
	s.cuts = asked.cuts;
	s.batch = asked.batch;
	s.climb = asked.climb;
	s.is_single = asked.is_single;
	return s;
}

static const void *problem_of(const char *name)
{
	for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
		const struct scene scene = with_wishes(scenes[i]);

		if (!strcmp(scene.name, name))
			return &scene_make(&scene)->problem;
	}
	return NULL;
}

/* Points looked at, in as many sweeps as it took. */
static double operations(const void *problem)
{
	const struct path_problem *const p = problem;

	return (double)p->rows * p->cols * scene_sweeps();
}

static int is_single(const void *problem)
{
	return !((const struct path_problem *)problem)->is_double;
}

static int read_option(const char *name, const char *value)
{
	if (!value)
		return -1;
	if (!strcmp(name, "--size"))
		return strips_size(value, SIZE_LEAST, SIZE_MOST, &asked.rows, &asked.cols);
	if (!strcmp(name, "--batch"))
		return number_read(value, 1, BATCH_MOST, &asked.batch);
	if (!strcmp(name, "--climb"))
		return number_read(value, 1, CLIMB_MOST, &asked.climb);
	if (!strcmp(name, "--cuts")) {
		cuts_text = value;
		return number_read(value, 1, BENCH_ROUNDS_MOST, &asked.cuts);
	}
	if (!strcmp(name, "--type")) {
		asked.is_single = !strcmp(value, "f32");
		return asked.is_single || !strcmp(value, "f64") ? 0 : -1;
	}
	if (!strcmp(name, "--terrain"))
		asked.terrain = value;
	else if (!strcmp(name, "--target"))
		asked.target = value;
	else if (!strcmp(name, "--from"))
		asked.from = value;
	else if (!strcmp(name, "--write") && *value)
		asked.prefix = value;
	else {
		has_shares |= !strcmp(name, "--shares");
		return strips_option(name, value);
	}
	return 0;
}

static void check_cuts(const struct bench_machine *machine, int rounds)
{
	(void)rounds;
	if (asked.cuts && has_shares)
		bench_refuse("path", "--cuts", cuts_text, "it sets the shares itself: without --shares");
	if (asked.cuts && machine->count < 2)
		bench_refuse("path", "--cuts", cuts_text, "one device is not cut");
}

static const char help[] =
	"  --size N|ROWSxCOLS   points, " NUMBER_TEXT(SIZE_LEAST) " to " NUMBER_TEXT(SIZE_MOST) " a side\n"
	"  --terrain FILE       an ESRI ASCII grid of heights, resampled where a size is given too; class "
	"terrain\n"
	"                       has its size, and without a file is around the Jacksboro fault, Tennessee\n"
	"  --climb N            metres up or down count N times (1; 1 to " NUMBER_TEXT(CLIMB_MOST) ")\n"
	"  --type f32|f64       single or double precision of the costs (f64)\n"
	"  --target POINT       where all paths lead: ROW,COL from the northwest corner, or nw, ne, sw, se, "
	"centre\n"
	"  --write PREFIX       write costs, PREFIX-cost.asc, and a picture of them and of a path, PREFIX.png\n"
	"  --from POINT         where that path begins (farthest: where the cost is highest)\n"
	"  --batch N            sweeps between two looks at whether something has changed (16; 1 to "
	NUMBER_TEXT(BATCH_MOST) ")\n"
	"  --cuts N             then also, with Hetero: what lines between the devices do to the time; "
	"N runs each\n"
	"                       (1 to " NUMBER_TEXT(BENCH_ROUNDS_MOST) ")\n" STRIPS_HELP;

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {
		&path_hetero, &path_shared, &path_copying, &path_flags, &path_frontiers, &path_plain, NULL};
	const struct benchmark path = {
		.name = "path",
		.purpose =
			"Shortest paths from every point of a terrain to a target, by sweeps over all points "
			"until\n"
			"nothing changes. An operation is a point in a sweep. S, W and C have known numbers.",
		.classes = "S W A B C terrain",
		.versions = versions,
		.problem = problem_of,
		.verify = scene_verify,
		.operations = operations,
		.beforehand = check_cuts,
		.afterwards = scene_cuts,
		.is_single = is_single,
		.option = read_option,
		.option_help = help,
	};

	return bench_main(&path, argc, argv);
}
