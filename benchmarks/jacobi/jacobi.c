/* jacobi.c - Jacobi's iteration on a grid whose edge stays: each sweep makes a cell the mean of its four
 * neighbours. Every sweep needs a row of the neighbouring devices. */

#include "jacobi/jacobi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sweep.h"

#define SIZE_LEAST 3
#define SIZE_MOST 65536
#define STEPS_MOST 1000000

/* What a grid is at first. MODE: a product of sines, 0 at the edge, which every sweep multiplies by a factor.
 * HOT: 0, but the first row is 1. */
enum start { MODE, HOT };

/* A class. */
struct plate {
	const char *name;
	enum start start;
	int rows, cols, steps;
};

static const struct plate plates[] = {
	{"S", MODE, 1024, 1024, 50},  {"W", MODE, 2048, 2048, 50},   {"A", MODE, 4096, 4096, 50},
	{"B", MODE, 8192, 8192, 50},  {"C", MODE, 16384, 16384, 50}, {"mode", MODE, 202, 302, 100},
	{"hot", HOT, 258, 258, 1000},
};

/* What the user asked for; 0: the class's. */
static struct {
	int rows, cols, steps, is_single;
} asked;

/* `cells` are those of `problem`, for writing. */
struct plate_problem {
	struct jacobi_problem problem;
	struct plate plate;
	void *cells;
};

/* ---- at first ---------------------------------------------------------------------------------- */

static double cell_at(const struct jacobi_problem *p, const void *cells, int row, int col)
{
	const size_t i = (size_t)row * (size_t)p->pitch + (size_t)col;

	return p->is_double ? ((const double *)cells)[i] : (double)((const float *)cells)[i];
}

static void set_cell(struct plate_problem *p, int row, int col, double value)
{
	const size_t i = (size_t)row * (size_t)p->problem.pitch + (size_t)col;

	if (p->problem.is_double)
		((double *)p->cells)[i] = value;
	else
		((float *)p->cells)[i] = (float)value;
}

static void set_mode(struct plate_problem *p)
{
	const int rows = p->problem.rows, cols = p->problem.cols;
	double *const across = bench_new((size_t)cols * sizeof *across);

	for (int col = 1; col < cols - 1; col++)
		across[col] = sin(acos(-1.0) * col / (cols - 1));
	for (int row = 1; row < rows - 1; row++) {
		const double down = sin(acos(-1.0) * row / (rows - 1));

		for (int col = 1; col < cols - 1; col++)
			set_cell(p, row, col, down * across[col]);
	}
	free(across);
}

static void set_hot(struct plate_problem *p)
{
	for (int col = 0; col < p->problem.cols; col++)
		set_cell(p, 0, col, 1);
}

static struct plate with_wishes(struct plate plate)
{
	plate.rows = asked.rows ? asked.rows : plate.rows;
	plate.cols = asked.cols ? asked.cols : plate.cols;
	plate.steps = asked.steps ? asked.steps : plate.steps;
	return plate;
}

static const void *make_problem(struct plate plate)
{
	struct plate_problem *const p = bench_new(sizeof *p);
	struct jacobi_problem *const q = &p->problem;

	p->plate = with_wishes(plate);
	q->name = plate.name;
	q->rows = p->plate.rows;
	q->cols = p->plate.cols;
	q->pitch = (q->cols + JACOBI_GROUP - 1) / JACOBI_GROUP * JACOBI_GROUP;
	q->steps = p->plate.steps;
	q->is_double = !asked.is_single;
	q->cells = p->cells = bench_new(jacobi_bytes(q));
	if (plate.start == MODE)
		set_mode(p);
	else
		set_hot(p);
	return q;
}

static const void *problem_of(const char *name)
{
	for (size_t i = 0; i < sizeof plates / sizeof *plates; i++)
		if (!strcmp(plates[i].name, name))
			return make_problem(plates[i]);
	return NULL;
}

/* ---- the checks -------------------------------------------------------------------------------- */

/* What the plain loop makes of the problem, computed once. */
static const void *wanted_of(const struct jacobi_problem *p)
{
	static const struct jacobi_problem *of;
	static void *cells, *other;

	if (of == p)
		return cells;
	cells = bench_new(jacobi_bytes(p));
	other = bench_new(jacobi_bytes(p));
	memcpy(cells, p->cells, jacobi_bytes(p));
	memcpy(other, p->cells, jacobi_bytes(p));
	if (jacobi_sweeps(p, cells, other) == other) {
		void *const result = other;

		other = cells;
		cells = result;
	}
	free(other);
	of = p;
	return cells;
}

/* How many cells are not, bit by bit, those of the plain loop. */
static size_t wrong_cells(const struct jacobi_problem *p, const void *result)
{
	const char *const got = result, *const wanted = wanted_of(p);
	const size_t bytes = jacobi_cell_bytes(p);
	size_t wrong = 0;

	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++) {
			const size_t at = ((size_t)row * (size_t)p->pitch + (size_t)col) * bytes;

			wrong += memcmp(got + at, wanted + at, bytes) != 0;
		}
	return wrong;
}

/* The largest difference from the mode times `factor`, that of all sweeps. */
static double mode_error(const struct jacobi_problem *p, const void *result, double factor)
{
	double most = 0;

	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++) {
			const double was = cell_at(p, p->cells, row, col);
			const double error = fabs(cell_at(p, result, row, col) - factor * was);

			most = error > most || isnan(error) ? error : most;
		}
	return most;
}

/* The error is at most that of four roundings for each sweep, and sixteen for what the grid was at first. */
static int verify_mode(const struct jacobi_problem *p, const void *result, char *said, size_t bytes)
{
	const double pi = acos(-1.0), unit = p->is_double ? 0x1p-53 : 0x1p-24;
	const double one = (cos(pi / (p->rows - 1)) + cos(pi / (p->cols - 1))) / 2;
	const double factor = pow(one, p->steps), error = mode_error(p, result, factor);
	const size_t wrong = wrong_cells(p, result);

	snprintf(said, bytes, "factor %.12f with error %.0e, %zu cells differ from the plain loop's", factor,
		 error, wrong);
	return error <= 4 * unit * (p->steps + 4) && wrong == 0;
}

static double sum_inside(const struct jacobi_problem *p, const void *result)
{
	double sum = 0;

	for (int row = 1; row < p->rows - 1; row++)
		for (int col = 1; col < p->cols - 1; col++)
			sum += cell_at(p, result, row, col);
	return sum;
}

/* Compares with the numbers of an independent computation, where the grid is the one that it had. */
static int verify_hot(const struct jacobi_problem *p, const void *result, char *said, size_t bytes)
{
	static const double known[3] = {4140.19909652059, 0.96433979887996, 0.152490914392163};
	const int is_known = p->rows == 258 && p->cols == 258 && p->steps == 1000;
	const double got[3] = {sum_inside(p, result), is_known ? cell_at(p, result, 1, 128) : 0,
			       is_known ? cell_at(p, result, 32, 128) : 0};
	const size_t wrong = wrong_cells(p, result);
	double error = 0;

	for (int i = 0; i < 3 && is_known; i++)
		error = worse(error, fabs(got[i] / known[i] - 1));
	snprintf(said, bytes, "sum %.11f%s, %zu cells differ from the plain loop's", got[0],
		 is_known ? ", numbers compared" : "", wrong);
	return error <= (p->is_double ? 1e-12 : 1e-4) && wrong == 0;
}

int jacobi_verify(const void *problem, const void *result, char *said, size_t bytes)
{
	const struct plate_problem *const p = problem; /* whose first member it is */

	return p->plate.start == MODE ? verify_mode(problem, result, said, bytes)
				      : verify_hot(problem, result, said, bytes);
}

static int is_single(const void *problem)
{
	return !((const struct jacobi_problem *)problem)->is_double;
}

/* Three additions and a multiplication for each cell that changes. */
double jacobi_operations(const void *problem)
{
	const struct jacobi_problem *const p = problem;

	return 4.0 * (p->rows - 2) * (p->cols - 2) * p->steps;
}

/* ---- options ----------------------------------------------------------------------------------- */

static int read_option(const char *name, const char *value)
{
	if (!value)
		return -1;
	if (!strcmp(name, "--size"))
		return strips_size(value, SIZE_LEAST, SIZE_MOST, &asked.rows, &asked.cols);
	if (!strcmp(name, "--type")) {
		asked.is_single = !strcmp(value, "f32");
		return asked.is_single || !strcmp(value, "f64") ? 0 : -1;
	}
	if (strcmp(name, "--steps") != 0)
		return sweep_option(name, value);
	return number_read(value, 1, STEPS_MOST, &asked.steps);
}

static void check_sweep(const struct bench_machine *machine, int rounds)
{
	sweep_check("jacobi", machine, rounds, asked.steps);
}

static const char help[] = "  --size N|ROWSxCOLS   cells, with those of the edge: " NUMBER_TEXT(
				   SIZE_LEAST) " to " NUMBER_TEXT(SIZE_MOST) " a side\n"
			   "  --steps N            sweeps, 1 to " NUMBER_TEXT(STEPS_MOST) "\n"
			   "  --type f32|f64       single or double precision (f64)\n" SWEEP_HELP;

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {&jacobi_hetero, &jacobi_shared, &jacobi_copying,
							       &jacobi_plain, NULL};
	const struct benchmark jacobi = {
		.name = "jacobi",
		.purpose = "Jacobi's iteration: each sweep makes a cell of a grid the mean of its four "
			   "neighbours.\n"
			   "Four operations for each cell. `hot` and `mode` are small and have known numbers.",
		.classes = "S W A B C mode hot",
		.versions = versions,
		.local = &jacobi_local,
		.problem = problem_of,
		.verify = jacobi_verify,
		.operations = jacobi_operations,
		.beforehand = check_sweep,
		.afterwards = jacobi_sweep,
		.is_single = is_single,
		.option = read_option,
		.option_help = help,
	};

	return bench_main(&jacobi, argc, argv);
}
