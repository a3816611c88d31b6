/* cg.c - conjugate gradients for a sparse matrix whose rows are of uneven length, on all devices. */
#include <getopt.h>
#include <math.h>

#include "../must.h"
#include "../printed.h"
#include "../table.h"

#define EXIT_USAGE 2

enum { REACH = 30, MOST_STEPS = 500, LOOK_EVERY = 10 };

static const float tolerance = 1e-6f; /* of the residual that the recurrence has */
static const double margin = 1e-5;    /* of the true residual, to which rounding adds */

static const char help[] =
	"usage: cg [options]\n"
	"\n"
	"Solves A x = b by conjugate gradients on every OpenCL device at once, a band of rows each. The\n"
	"sparse matrix is stored by rows (CSR), of which the last have thirty times as many entries as the\n"
	"first.\n"
	"\n"
	"  -d, --devices SELECTION  which devices (default: $HETERO_DEVICES, else every one)\n"
	"  -n, --unknowns N         2 to 1000000 (default 20000)\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 verified; 1 something failed or is wrong; 2 wrong usage.\n";

struct options {
	const char *devices;
	int unknowns;
};

/* Row i has entries first[i] to first[i + 1] - 1, none of them further from the diagonal than `reach`. */
struct matrix {
	int rows, reach;
	int *first, *col;
	float *value;
};

struct solver {
	int rows, reach;
	het_team *team;
	int *begins; /* the matrix's `first`, which tells the entries that a part needs */
	het_kernel *multiply, *advance, *turn;
	het_array *first, *col, *value;          /* A */
	het_array *x, *r, *p, *q, *products;     /* of `rows` */
	het_array *rho, *rho_before, *curvature; /* of one */
};

/* ---- options ----------------------------------------------------------------------------------- */

static int whole(const char *text)
{
	char *end;
	const long value = strtol(text, &end, 10);

	if (end != text && !*end && value >= 2 && value <= 1000000)
		return (int)value;
	fprintf(stderr, "cg: \"%s\" is not a whole number of 2 to 1000000; see cg --help\n", text);
	exit(EXIT_USAGE);
}

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {{"devices", required_argument, NULL, 'd'},
					      {"unknowns", required_argument, NULL, 'n'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	struct options o = {NULL, 20000};
	int option;

	while ((option = getopt_long(argc, argv, "d:n:h", names, NULL)) != -1)
		switch (option) {
		case 'd':
			o.devices = optarg;
			break;
		case 'n':
			o.unknowns = whole(optarg);
			break;
		case 'h':
			fputs(help, stdout);
			exit(printed("cg", EXIT_SUCCESS));
		default:
			/* getopt has said what is wrong. */
			fputs("cg --help lists the options\n", stderr);
			exit(EXIT_USAGE);
		}
	if (optind < argc) {
		fprintf(stderr, "cg: \"%s\" is not an option; see cg --help\n", argv[optind]);
		exit(EXIT_USAGE);
	}
	return o;
}

/* ---- the matrix -------------------------------------------------------------------------------- */

static void *new_memory(size_t count, size_t bytes)
{
	void *const memory = malloc(count * bytes);

	if (memory)
		return memory;
	fprintf(stderr, "cg: no memory for %zu elements\n", count);
	exit(EXIT_FAILURE);
}

/* How far row i reaches to both sides: from 1 in the first row to REACH in the last. */
static int reach(int rows, int i)
{
	return 1 + (int)((long)REACH * i / rows);
}

/* Has row i an entry in column j? If so, row j has one in column i. */
static int are_joined(int rows, int i, int j)
{
	const int apart = abs(i - j);

	return apart <= reach(rows, i) && apart <= reach(rows, j);
}

/* Symmetric, and each element of the diagonal outweighs all others of its row: so it is positive definite. */
static struct matrix new_matrix(int rows)
{
	const size_t most = (size_t)rows * (2 * REACH + 1);
	struct matrix a = {rows, REACH, new_memory((size_t)rows + 1, sizeof(int)),
			   new_memory(most, sizeof(int)), new_memory(most, sizeof(float))};
	int count = 0;

	for (int i = 0; i < rows; i++) {
		const int far = reach(rows, i);
		int diagonal = 0;
		float beside = 0;

		a.first[i] = count;
		for (int j = i > far ? i - far : 0; j <= i + far && j < rows; j++) {
			if (!are_joined(rows, i, j))
				continue;
			if (j == i)
				diagonal = count;
			else
				beside += 1.0f / (float)abs(i - j);
			a.col[count] = j;
			a.value[count++] = j == i ? 0 : -1.0f / (float)abs(i - j);
		}
		a.value[diagonal] = 0.1f + beside;
	}
	a.first[rows] = count;
	return a;
}

static void free_matrix(struct matrix *a)
{
	free(a->first);
	free(a->col);
	free(a->value);
}

/* ---- on the devices ---------------------------------------------------------------------------- */

/* Gives each device as many rows as have its share of all entries, because rows are of uneven length. */
static void share_by_entries(het_team *team, const struct matrix *a)
{
	const int count = het_team_count(team);
	double *const share = new_memory((size_t)count, sizeof *share);
	double until = 0;
	int row = 0;

	must(het_team_shares(team, NULL, share));
	for (int d = 0; d < count; d++) {
		const int before = row;

		until += share[d];
		while (row < a->rows && (d == count - 1 || a->first[row + 1] <= until * a->first[a->rows]))
			row++;
		share[d] = row - before;
	}
	must(het_team_set_shares(team, share));
	free(share);
}

/* The elements of `col` and `value` that a part of the rows needs. */
static void entries(void *begins, const struct het_box *rows, struct het_box *touched)
{
	const int *const first = begins;

	*touched = het_rows(first[rows->lo[0]], first[rows->hi[0]]);
}

static het_array *new_array(het_system *system, het_type type, int count, const void *from)
{
	het_array *array;

	must(het_array_new(system, type, het_shape(1, count), &array));
	if (from)
		must(het_write(het_view(array, het_whole()), from));
	return array;
}

static het_kernel *new_kernel(het_system *system, const char *name)
{
	het_kernel *kernel;

	must(het_kernel_from_file(system, EXAMPLES "/cg/cg.cl", name, NULL, &kernel));
	return kernel;
}

static struct solver open_solver(het_system *system, const struct matrix *a, const float *b)
{
	struct solver s = {.rows = a->rows, .reach = a->reach, .begins = a->first};

	s.team = het_everyone(system);
	share_by_entries(s.team, a);
	s.multiply = new_kernel(system, "multiply");
	s.advance = new_kernel(system, "advance");
	s.turn = new_kernel(system, "turn");
	s.first = new_array(system, HET_INT, a->rows + 1, a->first);
	s.col = new_array(system, HET_INT, a->first[a->rows], a->col);
	s.value = new_array(system, HET_FLOAT, a->first[a->rows], a->value);
	s.x = new_array(system, HET_FLOAT, a->rows, NULL);
	s.r = new_array(system, HET_FLOAT, a->rows, b);
	s.p = new_array(system, HET_FLOAT, a->rows, b);
	s.q = new_array(system, HET_FLOAT, a->rows, NULL);
	s.products = new_array(system, HET_FLOAT, a->rows, NULL);
	s.rho = new_array(system, HET_FLOAT, 1, NULL);
	s.rho_before = new_array(system, HET_FLOAT, 1, NULL);
	s.curvature = new_array(system, HET_FLOAT, 1, NULL);
	must(het_fill(het_view(s.x, het_whole()), &(float){0}));
	return s;
}

/* Sums the products of a step; the same bits on any number of devices. */
static void sum_up(struct solver *s, het_array *to)
{
	must(het_reduce(HET_REDUCE_SUM, het_view(s->products, het_whole()), het_view(to, het_whole()),
			s->team));
}

/* Nothing here waits: what a kernel needs is moved, and the kernel starts when that is there. */
static void start_step(struct solver *s)
{
	const struct het_range all = het_grid(1, s->rows);

	must(het_spread(s->multiply, s->team, all, HET_OUT(HET_EACH(s->q)), HET_OUT(HET_EACH(s->products)),
			HET_IN(HET_HALO(s->first, 1)), HET_IN(HET_MAP_BY(s->col, entries, s->begins)),
			HET_IN(HET_MAP_BY(s->value, entries, s->begins)), HET_IN(HET_HALO(s->p, s->reach))));
	sum_up(s, s->curvature);
	must(het_spread(s->advance, s->team, all, HET_INOUT(HET_EACH(s->x)), HET_INOUT(HET_EACH(s->r)),
			HET_OUT(HET_EACH(s->products)), HET_IN(HET_EACH(s->p)), HET_IN(HET_EACH(s->q)),
			HET_IN(s->rho), HET_IN(s->curvature)));
	must(het_swap(s->rho, s->rho_before));
	sum_up(s, s->rho);
	must(het_spread(s->turn, s->team, all, HET_INOUT(HET_EACH(s->p)), HET_IN(HET_EACH(s->r)),
			HET_IN(s->rho), HET_IN(s->rho_before)));
}

static float read_one(het_array *array)
{
	float value;

	must(het_read(het_view(array, het_whole()), &value));
	return value;
}

/* Returns the number of steps. The host looks at the residual only now and then, because that waits. */
static int solve(struct solver *s, const float *b)
{
	float *const squares = new_memory((size_t)s->rows, sizeof *squares);
	float begin;
	int steps = 0;

	for (int i = 0; i < s->rows; i++)
		squares[i] = b[i] * b[i]; /* r is b at first */
	must(het_write(het_view(s->products, het_whole()), squares));
	free(squares);
	sum_up(s, s->rho);
	begin = read_one(s->rho);
	while (steps < MOST_STEPS && read_one(s->rho) > tolerance * tolerance * begin)
		for (int k = 0; k < LOOK_EVERY; k++, steps++)
			start_step(s);
	return steps;
}

/* ---- the check --------------------------------------------------------------------------------- */

/* |b - A x| / |b|, in double. */
static double residual(const struct matrix *a, const float *x, const float *b)
{
	double left = 0, all = 0;

	for (int i = 0; i < a->rows; i++) {
		double rest = (double)b[i];

		for (int k = a->first[i]; k < a->first[i + 1]; k++)
			rest -= (double)a->value[k] * (double)x[a->col[k]];
		left += rest * rest;
		all += (double)b[i] * (double)b[i];
	}
	return sqrt(left / all);
}

static void print_parts(struct solver *s)
{
	struct het_part *const part = new_memory((size_t)het_team_count(s->team), sizeof *part);
	int cut;

	must(het_spread_plan(s->turn, s->team, het_grid(1, s->rows), part, &cut, HET_INOUT(HET_EACH(s->p)),
			     HET_IN(HET_EACH(s->r)), HET_IN(s->rho), HET_IN(s->rho_before)));
	for (int d = 0; d < het_team_count(s->team); d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;
		const int lo = (int)part[d].range.lo[0], hi = (int)part[d].range.hi[0];

		must(het_device_info(part[d].device, &info));
		printf("%s: %d rows with %d entries\n", info.name, hi - lo, s->begins[hi] - s->begins[lo]);
	}
	free(part);
}

int main(int argc, char **argv)
{
	const struct options o = read_options(argc, argv);
	struct het_options how = HET_OPTIONS_INIT;
	struct matrix a = new_matrix(o.unknowns);
	float *const b = new_memory((size_t)a.rows, sizeof *b);
	het_system *system;
	struct solver s;
	const float *x;
	double rest;
	int steps;

	for (int i = 0; i < a.rows; i++)
		b[i] = (float)(i % 7 - 3) + 0.5f;
	how.devices = o.devices;
	how.profile = 1;
	must(het_open(&how, &system));
	s = open_solver(system, &a, b);
	print_parts(&s);
	steps = solve(&s, b);
	must(het_map(s.x, HET_READ, &x));
	rest = residual(&a, x, b);
	must(het_unmap(s.x));
	printf("%d unknowns, %d entries, %d steps, residual %.1e: %s\n", a.rows, a.first[a.rows], steps, rest,
	       rest < margin ? "verified" : "WRONG");
	table_print(system, 0);
	must(het_close(system));
	free_matrix(&a);
	free(b);
	return printed("cg", rest < margin ? EXIT_SUCCESS : EXIT_FAILURE);
}
