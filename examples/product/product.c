/* product.c - a matrix product by all devices, each a band of rows of the result. */
#include <float.h>
#include <getopt.h>
#include <math.h>

#include "../must.h"
#include "../printed.h"
#include "../table.h"
#include "blas.h"

#define EXIT_USAGE 2

static const char help[] =
	"usage: product [options] [M P N]\n"
	"\n"
	"Multiplies an M x P by a P x N matrix (default 384 x 256 x 320) on every OpenCL device at once, a "
	"band of\n"
	"rows each, and checks the result by a plain C loop and, where it was built with it, by CLBlast.\n"
	"\n"
	"  -d, --devices SELECTION  which devices (default: $HETERO_DEVICES, else every one)\n"
	"      --plain              leave CLBlast out\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 verified; 1 something failed or is wrong; 2 wrong usage.\n";

struct options {
	const char *devices;
	int plain, m, p, n;
};

struct matrices {
	int m, p, n;
	float *ax, *bx; /* the program's own memory */
	het_array *a, *b, *c;
};

/* ---- options ----------------------------------------------------------------------------------- */

static int whole(const char *text)
{
	char *end;
	const long value = strtol(text, &end, 10);

	if (end != text && !*end && value >= 1 && value <= 16384)
		return (int)value;
	fprintf(stderr, "product: \"%s\" is not a whole number of 1 to 16384; see product --help\n", text);
	exit(EXIT_USAGE);
}

static void read_sizes(struct options *o, int count, char **text)
{
	if (count == 0)
		return;
	if (count != 3) {
		fputs("product: give all of M, P and N, or none; see product --help\n", stderr);
		exit(EXIT_USAGE);
	}
	o->m = whole(text[0]);
	o->p = whole(text[1]);
	o->n = whole(text[2]);
}

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {{"devices", required_argument, NULL, 'd'},
					      {"plain", no_argument, NULL, 'p'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	struct options o = {NULL, 0, 384, 256, 320};
	int option;

	while ((option = getopt_long(argc, argv, "d:h", names, NULL)) != -1)
		switch (option) {
		case 'd':
			o.devices = optarg;
			break;
		case 'p':
			o.plain = 1;
			break;
		case 'h':
			fputs(help, stdout);
			exit(printed("product", EXIT_SUCCESS));
		default:
			/* getopt has said what is wrong. */
			fputs("product --help lists the options\n", stderr);
			exit(EXIT_USAGE);
		}
	read_sizes(&o, argc - optind, argv + optind);
	return o;
}

/* ---- the product ------------------------------------------------------------------------------- */

/* Numbers between -1 and 1 without a pattern, the same in every run. */
static float *new_numbers(int rows, int cols, unsigned state)
{
	const size_t count = (size_t)rows * (size_t)cols;
	float *const x = malloc(count * sizeof *x);

	for (size_t i = 0; x && i < count; i++) {
		state = state * 1664525u + 1013904223u;
		x[i] = (float)(state >> 8) / (1 << 23) - 1.0f;
	}
	if (x)
		return x;
	fprintf(stderr, "product: no memory for %d rows of %d columns\n", rows, cols);
	exit(EXIT_FAILURE);
}

static struct matrices open_matrices(het_system *system, const struct options *o)
{
	struct matrices x = {.m = o->m, .p = o->p, .n = o->n};

	x.ax = new_numbers(x.m, x.p, 1);
	x.bx = new_numbers(x.p, x.n, 2);
	must(het_array_wrap(system, HET_FLOAT, het_shape(2, x.m, x.p), x.ax, &x.a));
	must(het_array_wrap(system, HET_FLOAT, het_shape(2, x.p, x.n), x.bx, &x.b));
	must(het_array_new(system, HET_FLOAT, het_shape(2, x.m, x.n), &x.c));
	return x;
}

static void close_matrices(struct matrices *x)
{
	must(het_array_free(x->a));
	must(het_array_free(x->b));
	must(het_array_free(x->c));
	free(x->ax);
	free(x->bx);
}

/* Nothing here waits, and each device gets only the rows of a that it uses. */
static void multiply(het_system *system, het_kernel *product, const struct matrices *x)
{
	const int count = het_device_count(system);

	for (int d = 0; d < count; d++) {
		const int lo = table_first_row(x->m, d, count), hi = table_first_row(x->m, d + 1, count);
		must(het_launch(product, het_device(system, d), het_range(2, lo, hi, 0, x->n),
				HET_OUT_PART(x->c, het_rows(lo, hi)), HET_IN_PART(x->a, het_rows(lo, hi)),
				HET_IN(x->b), HET_VAL(x->p), HET_VAL(x->n)));
	}
}

static void multiply_by_blas(het_system *system, const struct matrices *x)
{
	const int count = het_device_count(system);

	for (int d = 0; d < count; d++) {
		const int lo = table_first_row(x->m, d, count), hi = table_first_row(x->m, d + 1, count);
		if (lo < hi) /* CLBlast refuses empty matrices */
			must(blas_product(het_device(system, d), x->c, x->a, x->b, lo, hi));
	}
}

/* ---- the check --------------------------------------------------------------------------------- */

/* The element as exact as double gives it. `margin`: how far rounding in float can lead away from it. */
static double element(const struct matrices *x, int row, int col, double *margin)
{
	double sum = 0, size = 0;

	for (int k = 0; k < x->p; k++) {
		const double term = (double)x->ax[(size_t)row * (size_t)x->p + (size_t)k] *
				    (double)x->bx[(size_t)k * (size_t)x->n + (size_t)col];
		sum += term;
		size += fabs(term);
	}
	*margin = (x->p + 1) * (double)FLT_EPSILON * size;
	return sum;
}

static int verify(const struct matrices *x, const char *by)
{
	double want, margin;
	const float *c;
	size_t wrong = 0;

	must(het_map(x->c, HET_READ, &c));
	for (int row = 0; row < x->m; row++)
		for (int col = 0; col < x->n; col++) {
			const float got = c[(size_t)row * (size_t)x->n + (size_t)col];
			want = element(x, row, col, &margin);
			if (fabs((double)got - want) <= margin)
				continue;
			if (wrong++ == 0)
				printf("%s: row %d, column %d is %.9g, should be %.9g\n", by, row, col,
				       (double)got, want);
		}
	must(het_unmap(x->c));
	printf("%s: %d x %d x %d %s\n", by, x->m, x->p, x->n, wrong ? "WRONG" : "verified");
	return wrong != 0;
}

int main(int argc, char **argv)
{
	const struct options o = read_options(argc, argv);
	struct het_options how = HET_OPTIONS_INIT;
	het_system *system;
	het_kernel *product;
	struct matrices x;
	const float nothing = NAN;
	int wrong;

	how.devices = o.devices;
	how.profile = 1;
	must(het_open(&how, &system));
	must(het_kernel_from_file(system, EXAMPLES "/product/product.cl", "product", NULL, &product));
	x = open_matrices(system, &o);
	multiply(system, product, &x);
	wrong = verify(&x, "kernel");
	if (blas_is_there() && !o.plain) {
		/* so that the kernel's result is not taken for CLBlast's */
		must(het_fill(het_view(x.c, het_whole()), &nothing));
		multiply_by_blas(system, &x);
		wrong |= verify(&x, "CLBlast");
	}
	table_print(system, x.m);
	close_matrices(&x);
	must(het_kernel_free(product));
	must(het_close(system));
	return printed("product", wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}
