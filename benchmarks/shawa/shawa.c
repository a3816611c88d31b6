/* shawa.c - ShaWa: shallow water that carries a contaminant, in steps as long as the fastest wave of all
 * allows. Every step needs a row of the neighbours' cells, and one number of everybody. */

#include "shawa/shawa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "shawa/scene.h"

#define SIZE_LEAST 2
#define SIZE_MOST 20000
#define STEPS_MOST 1000000
#define FRAMES_MOST 9999

static const struct scene scenes[] = {
	{.name = "S", .kind = SCENE_BASIN, .rows = 64, .cols = 64, .steps = 200, .level = 4},
	{.name = "W", .kind = SCENE_BASIN, .rows = 128, .cols = 128, .with_roe = 1, .steps = 400, .level = 10},
	{.name = "A", .kind = SCENE_TERRAIN, .rows = 500, .cols = 500, .steps = 100},
	{.name = "B", .kind = SCENE_TERRAIN, .rows = 1000, .cols = 1000, .steps = 50},
	{.name = "C", .kind = SCENE_TERRAIN, .rows = 2000, .cols = 2000, .steps = 20},
	{.name = "lake", .kind = SCENE_LAKE, .rows = 64, .cols = 64, .with_roe = 1, .steps = 200, .level = 10},
	{.name = "islands", .kind = SCENE_LAKE, .rows = 64, .cols = 64, .steps = 200, .level = 4},
	{.name = "basin",
	 .kind = SCENE_BASIN,
	 .rows = 64,
	 .cols = 64,
	 .with_roe = 1,
	 .steps = 200,
	 .level = 10},
	{.name = "even", .kind = SCENE_EVEN, .rows = 64, .cols = 64, .steps = 200, .level = 10},
	{.name = "dam", .kind = SCENE_DAM, .rows = 4, .cols = 200, .with_roe = 1, .level = 1, .lower = 0.5},
	{.name = "sonic", .kind = SCENE_DAM, .rows = 4, .cols = 200, .with_roe = 1, .level = 1, .lower = 0.1},
	{.name = "dry", .kind = SCENE_DAM, .rows = 4, .cols = 200, .with_roe = 1, .level = 0.5},
	{.name = "round", .kind = SCENE_ROUND, .rows = 60, .cols = 62, .steps = 200, .level = 10},
	{.name = "tide", .kind = SCENE_TIDE, .rows = 4, .cols = 32, .steps = 3000, .level = 10},
	{.name = "open", .kind = SCENE_OPEN, .rows = 50, .cols = 50, .steps = 400, .level = 10},
};

/* What the user asked for; where nothing was said it is the class's. */
static struct {
	int rows, cols, steps, frames, solver; /* 1: hll, 2: roe */
	const char *terrain, *place, *sides, *prefix, *until_text;
	double until;
} asked;

static struct scene with_wishes(struct scene s)
{
	s.rows = asked.rows && s.kind != SCENE_DAM && s.kind != SCENE_TIDE ? asked.rows : s.rows;
	s.cols = asked.cols ? asked.cols : s.cols;
	s.with_roe = asked.solver ? asked.solver == 2 : s.with_roe;
	s.steps = asked.steps ? asked.steps : s.kind == SCENE_DAM ? s.cols * 5 / 4 + 10 : s.steps;
	s.terrain = asked.terrain ? asked.terrain : EXAMPLES "/data/topobathy.asc";
	s.place = asked.place ? asked.place : "victoria";
	s.sides = asked.sides ? asked.sides : "twwt";
	s.prefix = asked.prefix;
	s.frames = asked.frames;
	s.until = asked.until;
	s.is_changed = asked.rows || asked.cols || asked.steps || asked.solver || asked.terrain ||
		       asked.place || asked.sides || asked.until > 0;
	return s;
}

/* Some wishes go only with terrain, a dam has its own time to stop, and a film needs names of files. */
static void check_wishes(const struct scene *s)
{
	const struct {
		const char *option, *value;
	} wishes[] = {{"--terrain", asked.terrain}, {"--release", asked.place}, {"--sides", asked.sides}};

	for (int i = 0; i < 3 && s->kind != SCENE_TERRAIN; i++)
		if (wishes[i].value)
			bench_refuse("shawa", wishes[i].option, wishes[i].value,
				     "it goes with classes A, B and C; the others have their own");
	if (s->kind == SCENE_DAM && asked.until_text)
		bench_refuse("shawa", "--until", asked.until_text, "dam, sonic and dry stop after a second");
	if (s->frames && !s->prefix)
		bench_refuse("shawa", "--write", "PREFIX", "it is needed with --frames, to name the files");
}

static const void *problem_of(const char *name)
{
	for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
		const struct scene scene = with_wishes(scenes[i]);

		if (strcmp(scene.name, name))
			continue;
		check_wishes(&scene);
		return &scene_make(&scene)->problem;
	}
	return NULL;
}

static double operations(const void *problem)
{
	const struct shawa_problem *const p = problem;

	return (double)p->sea.rows * p->sea.cols * p->steps;
}

/* ---- options ----------------------------------------------------------------------------------- */

static int read_size(const char *value)
{
	const char *rest = number_before(value, SIZE_LEAST, SIZE_MOST, &asked.rows);

	asked.cols = asked.rows;
	if (rest && *rest == 'x')
		rest = number_before(rest + 1, SIZE_LEAST, SIZE_MOST, &asked.cols);
	return rest && !*rest ? 0 : -1;
}

static int read_until(const char *value)
{
	char *end;

	asked.until_text = value;
	asked.until = strtod(value, &end);
	return end != value && !*end && isfinite(asked.until) && asked.until > 0 ? 0 : -1;
}

static int read_sides(const char *value)
{
	struct shawa_sea any;

	asked.sides = value;
	return scene_sides(&any, value);
}

static int read_place(const char *value)
{
	double x, y;

	asked.place = value;
	return scene_place(value, &x, &y);
}

static int read_option(const char *name, const char *value)
{
	if (!value)
		return -1;
	if (!strcmp(name, "--size"))
		return read_size(value);
	if (!strcmp(name, "--until"))
		return read_until(value);
	if (!strcmp(name, "--sides"))
		return read_sides(value);
	if (!strcmp(name, "--release"))
		return read_place(value);
	if (!strcmp(name, "--steps"))
		return number_read(value, 1, STEPS_MOST, &asked.steps);
	if (!strcmp(name, "--frames"))
		return number_read(value, 1, FRAMES_MOST, &asked.frames);
	if (!strcmp(name, "--solver")) {
		asked.solver = !strcmp(value, "roe") ? 2 : !strcmp(value, "hll");
		return asked.solver ? 0 : -1;
	}
	if (!strcmp(name, "--terrain"))
		asked.terrain = value;
	else if (!strcmp(name, "--write") && *value)
		asked.prefix = value;
	else
		return -1;
	return 0;
}

static const char help[] =
	"  --size N|ROWSxCOLS   cells, " NUMBER_TEXT(SIZE_LEAST) " to " NUMBER_TEXT(
		SIZE_MOST) " a side (dam, sonic, dry and tide have the rows they have)\n"
	"  --steps N            time steps, 1 to " NUMBER_TEXT(STEPS_MOST) "\n"
	"  --until SECONDS      when to stop, above 0, if the steps reach so far (dam, sonic and dry: one)\n"
	"  --solver roe|hll     of the edges (hll is for shores)\n"
	"  --terrain FILE       classes A, B, C: an ESRI ASCII grid of heights, resampled (Vancouver Island)\n"
	"  --release PLACE      where there is contaminant: bellingham, nanaimo, powell-river, tofino, "
	"vancouver,\n"
	"                       victoria, or X,Y in parts of width and height from the northwest corner\n"
	"  --sides WENS         A, B, C: what is at the west, east, north, south: w wall, o open, t tide,\n"
	"                       p periodic, which two opposite ones are together (twwt)\n"
	"  --write PREFIX       write depth and concentration, PREFIX-depth.asc, .png and so on\n"
	"  --frames N           with --write: also a picture of the sea at first and N (1 to " NUMBER_TEXT(
		FRAMES_MOST) ") on\n"
	"                       the way, the last of its end; of the sea computed once more:\n"
	"                       PREFIX-depth-0000.png and so on, and PREFIX.html, which plays them. They\n"
	"                       are at equal times where it has a time to stop and the steps reach so far,\n"
	"                       else after equal numbers of steps; where there are fewer steps than N, one\n"
	"                       after each\n";

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {&shawa_hetero, &shawa_shared, &shawa_copying,
							       &shawa_plain, NULL};
	const struct benchmark shawa = {
		.name = "shawa",
		.purpose = "Shallow water that carries a contaminant, in steps that the fastest wave of all "
			   "decides.\n"
			   "An operation is a cell's step. S, W and the small seas in words are those that are "
			   "checked\n"
			   "against known results; A, B, C are the sea around Vancouver Island.",
		.classes = "S W A B C lake islands basin even dam sonic dry round tide open",
		.versions = versions,
		.local = &shawa_local,
		.problem = problem_of,
		.verify = scene_verify,
		.operations = operations,
		.afterwards = scene_film,
		.option = read_option,
		.option_help = help,
	};

	return bench_main(&shawa, argc, argv);
}
