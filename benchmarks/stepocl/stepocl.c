/* stepocl.c - STEPOCL's stencil: each step makes an element the mean of those 10 to its left and right, and of
 * those above and below. Every step needs a row of the neighbouring devices; cut by columns, ten columns. */

#include "stepocl/stepocl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/tool.h"
#include "common/number.h"

#define SIZE_MOST 32768 /* so that an int counts the elements, as the kernel does */
#define STEPS_MOST 1000000

/* What the engine's messages begin with. */
const char program[] = "stepocl";

/* What a grid is at first. STEADY: what the stencil keeps. HOT: 0, but the first row is 1. */
enum start { STEADY, HOT };

/* A class; `rows` and `cols` of what changes. */
struct plate {
	const char *name;
	enum start start;
	int rows, cols, steps;
};

/* W is the description as it is. */
static const struct plate plates[] = {
	{"S", STEADY, 512, 2048, 50},   {"W", STEADY, 1024, 4096, 50},  {"A", STEADY, 2048, 8192, 50},
	{"B", STEADY, 4096, 16384, 50}, {"C", STEADY, 8192, 32768, 50}, {"hot", HOT, 64, 256, 400},
};

/* What the user asked for; 0: the class's. */
static struct {
	int rows, cols, steps;
} asked;

struct plate_problem {
	struct stepocl_problem problem;
	enum start start;
};

int stepocl_cut(const struct stepocl_problem *p, het_team *team, struct strip *strip)
{
	const int count = strips_cut(team, NULL, 0, (p->rows - 2) / STEPOCL_GROUP_ROWS, strip);

	for (int i = 0; i < count; i++) {
		strip[i].lo = 1 + strip[i].lo * STEPOCL_GROUP_ROWS;
		strip[i].hi = 1 + strip[i].hi * STEPOCL_GROUP_ROWS;
	}
	return count;
}

/* ---- at first ---------------------------------------------------------------------------------- */

/* cosh(b x) cos(a y), where cosh(10 b) + cos(a) = 2. */
static double steady(int row, int col)
{
	return cosh(6.13590390040835e-4 * col) * cos(acos(-1.0) / 512 * row);
}

static float *grid_of(const struct plate_problem *p)
{
	const struct stepocl_problem *const q = &p->problem;
	float *const grid = hand_memory(stepocl_bytes(q));

	for (int row = 0; row < q->rows; row++)
		for (int col = 0; col < q->cols; col++)
			grid[(size_t)row * (size_t)q->cols + (size_t)col] =
				p->start == STEADY ? (float)steady(row, col) : row == 0;
	return grid;
}

static const void *make_problem(const struct plate *plate)
{
	struct plate_problem *const p = bench_new(sizeof *p);

	p->start = plate->start;
	p->problem = (struct stepocl_problem){
		.name = plate->name,
		.rows = (asked.rows ? asked.rows : plate->rows) + 2,
		.cols = (asked.cols ? asked.cols : plate->cols) + 2 * STEPOCL_REACH,
		.steps = asked.steps ? asked.steps : plate->steps,
	};
	p->problem.first = grid_of(p);
	return p; /* whose first member is what the versions get */
}

static const void *problem_of(const char *name)
{
	for (size_t i = 0; i < sizeof plates / sizeof *plates; i++)
		if (!strcmp(plates[i].name, name))
			return make_problem(&plates[i]);
	return NULL;
}

/* ---- the checks -------------------------------------------------------------------------------- */

/* What the plain loop makes of the problem, computed once. */
static const float *wanted_of(const struct stepocl_problem *p)
{
	static float *cells;
	float *first, *other;

	if (cells)
		return cells;
	first = hand_memory(stepocl_bytes(p));
	other = hand_memory(stepocl_bytes(p));
	memcpy(first, p->first, stepocl_bytes(p));
	memcpy(other, p->first, stepocl_bytes(p));
	cells = stepocl_steps(p, first, other);
	free(cells == first ? other : first);
	return cells;
}

/* How many elements are not, bit by bit, those of the plain loop. */
static size_t wrong_elements(const struct stepocl_problem *p, const float *result)
{
	const float *const wanted = wanted_of(p);
	size_t wrong = 0;

	for (size_t i = 0; i < stepocl_bytes(p) / sizeof *result; i++)
		wrong += memcmp(&result[i], &wanted[i], sizeof *result) != 0;
	return wrong;
}

/* A step rounds sums of two, three and four elements, and takes a quarter: (2 + 3 + 4) / 4 of what the largest
 * element is rounded by. Errors of the step before become their mean; before the first the field is rounded. */
static int verify_steady(const struct stepocl_problem *p, const float *result, char *said, size_t bytes)
{
	const double most = steady(0, p->cols - 1), unit = 0x1p-24 * most;
	double error = 0;

	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++)
			error = worse(error, fabs((double)*result++ - steady(row, col)));
	snprintf(said, bytes, "steady with error %.1e of %.3g", error, most);
	return error <= unit * (1 + 2.25 * p->steps);
}

/* Compares with an independent computation in double precision, where the grid is the one that it had. */
static int verify_hot(const struct stepocl_problem *p, const float *result, char *said, size_t bytes)
{
	static const double known[3] = {1617.8373648226966, 0.919887523471727, 0.009975838858764532};
	const int is_known = p->rows == 66 && p->cols == 276 && p->steps == 400;
	const size_t cols = (size_t)p->cols;
	double got[3] = {0}, error = 0;

	for (int row = 1; row < p->rows - 1; row++)
		for (int col = STEPOCL_REACH; col < p->cols - STEPOCL_REACH; col++)
			got[0] += (double)result[(size_t)row * cols + (size_t)col];
	if (is_known) {
		got[1] = (double)result[cols + 138];
		got[2] = (double)result[32 * cols + 138];
	}
	for (int i = 0; i < 3 && is_known; i++)
		error = worse(error, fabs(got[i] / known[i] - 1));
	snprintf(said, bytes, "sum %.3f%s", got[0], is_known ? ", numbers compared" : "");
	return error <= 1e-5;
}

static int verify(const void *problem, const void *result, char *said, size_t bytes)
{
	const struct plate_problem *const p = problem;
	const size_t wrong = wrong_elements(&p->problem, result);
	char what[64];
	const int is_good = p->start == STEADY ? verify_steady(&p->problem, result, what, sizeof what)
					       : verify_hot(&p->problem, result, what, sizeof what);

	snprintf(said, bytes, "%s, %zu elements differ from the plain loop's", what, wrong);
	return is_good && wrong == 0;
}

static int is_single(const void *problem)
{
	(void)problem;
	return 1;
}

/* Three additions and a multiplication for each element that changes. */
static double operations(const void *problem)
{
	const struct stepocl_problem *const p = problem;

	return 4.0 * (p->rows - 2) * stepocl_inside(p) * p->steps;
}

/* ---- options ----------------------------------------------------------------------------------- */

static int read_option(const char *name, const char *value)
{
	if (!value)
		return -1;
	if (!strcmp(name, "--steps"))
		return number_read(value, 1, STEPS_MOST, &asked.steps);
	if (strcmp(name, "--size") != 0)
		return strips_option(name, value);
	if (strips_size(value, STEPOCL_GROUP_ROWS, SIZE_MOST, &asked.rows, &asked.cols))
		return -1;
	return asked.rows % STEPOCL_GROUP_ROWS || asked.cols % STEPOCL_GROUP_COLS ? -1 : 0;
}

static const char help[] =
	"  --size N|ROWSxCOLS   elements without those of the border: multiples of the work-groups,\n"
	"                       which are 16 rows of 64; to " NUMBER_TEXT(
		SIZE_MOST) " a side\n"
			   "  --steps N            1 to " NUMBER_TEXT(STEPS_MOST) "\n" STRIPS_HELP;

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {&stepocl_hetero, &stepocl_shared,
							       &stepocl_copying, &stepocl_plain, NULL};
	const struct benchmark stepocl = {
		.name = "stepocl",
		.purpose =
			"STEPOCL's stencil: each step makes an element the mean of those 10 to its left and\n"
			"right, and of those above and below. Four operations for each element. With Hetero\n"
			"it is a description, which hetero-stepocl's engine runs.",
		.classes = "S W A B C hot",
		.versions = versions,
		.local = &stepocl_local,
		.problem = problem_of,
		.verify = verify,
		.operations = operations,
		.is_single = is_single,
		.option = read_option,
		.option_help = help,
	};

	return bench_main(&stepocl, argc, argv);
}
