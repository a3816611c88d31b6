/* cholesky.c - a Cholesky factorisation by tiles. Each launch says which tiles it reads and which one it
 * writes, and nothing else: which launches wait for which, and what has to move, follows from that. The loop
 * in factorise() is the algorithm as textbooks have it. */
#include <getopt.h>
#include <math.h>
#include <time.h>

#include "../must.h"
#include "../number.h"
#include "../printed.h"

#define EXIT_USAGE 2

static const char help[] =
	"usage: cholesky [options]\n"
	"\n"
	"The lower triangular L with A = L L', by tiles, which all OpenCL devices share: the one in row i\n"
	"and column j belongs to device number i + j, modulo how many there are. Elements of L L' are\n"
	"compared with those of A. HETERO_STATS=1 shows what moved.\n"
	"\n"
	"  -s, --size N             rows and columns (default 1024)\n"
	"  -t, --tile B             those of a tile, a divisor of N (default 64)\n"
	"  -d, --devices SELECTION  which devices (default: $HETERO_DEVICES, else every one)\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 verified; 1 something failed or is wrong; 2 wrong usage.\n";

struct options {
	const char *devices;
	int size, tile;
};

struct matrix {
	het_system *system;
	int n, b, devices;
	long launches;
	het_array *a;
	het_kernel *factor, *solve, *update;
};

/* The whole number in a text, 1 to `most`. The program ends where there is none. */
static int number(const char *text, long most)
{
	int value;

	if (is_whole(text, 1, most, &value))
		return value;
	fprintf(stderr, "cholesky: \"%s\" is not a whole number of 1 to %ld; see cholesky --help\n", text,
		most);
	exit(EXIT_USAGE);
}

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {{"size", required_argument, NULL, 's'},
					      {"tile", required_argument, NULL, 't'},
					      {"devices", required_argument, NULL, 'd'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	struct options o = {NULL, 1024, 64};
	int option;

	while ((option = getopt_long(argc, argv, "s:t:d:h", names, NULL)) != -1)
		switch (option) {
		case 's':
			o.size = number(optarg, 16384);
			break;
		case 't':
			o.tile = number(optarg, 16384);
			break;
		case 'd':
			o.devices = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			exit(printed("cholesky", EXIT_SUCCESS));
		default:
			/* getopt has said what is wrong. */
			fputs("cholesky --help lists the options\n", stderr);
			exit(EXIT_USAGE);
		}
	if (optind < argc)
		fprintf(stderr, "cholesky: \"%s\" is not an option; see cholesky --help\n", argv[optind]);
	else if (o.size % o.tile)
		fprintf(stderr, "cholesky: %d is not a multiple of the tile's %d\n", o.size, o.tile);
	else
		return o;
	exit(EXIT_USAGE);
}

/* ---- the factorisation -------------------------------------------------------------------------- */

/* A positive definite matrix, in single precision. */
static float element(int n, int i, int j)
{
	const float far = (float)abs(i - j);

	return (i == j ? (float)n : 0) + 1 / (1 + far);
}

static void open_matrix(het_system *system, const struct options *o, struct matrix *m)
{
	float *a;

	m->system = system;
	m->n = o->size;
	m->b = o->tile;
	m->devices = het_device_count(system);
	m->launches = 0;
	must(het_array_new(system, HET_FLOAT, het_shape(2, m->n, m->n), &m->a));
	must(het_map(m->a, HET_WRITE, &a));
	for (int i = 0; i < m->n; i++)
		for (int j = 0; j < m->n; j++)
			a[(size_t)i * (size_t)m->n + (size_t)j] = element(m->n, i, j);
	must(het_unmap(m->a));
	must(het_kernel_from_file(system, EXAMPLES "/cholesky/cholesky.cl", "factor", NULL, &m->factor));
	must(het_kernel_from_file(system, EXAMPLES "/cholesky/cholesky.cl", "solve", NULL, &m->solve));
	must(het_kernel_from_file(system, EXAMPLES "/cholesky/cholesky.cl", "update", NULL, &m->update));
	for (int d = 0; d < m->devices; d++) {
		must(het_kernel_build(m->factor, het_device(system, d)));
		must(het_kernel_build(m->solve, het_device(system, d)));
		must(het_kernel_build(m->update, het_device(system, d)));
	}
}

static void close_matrix(struct matrix *m)
{
	must(het_array_free(m->a));
	must(het_kernel_free(m->factor));
	must(het_kernel_free(m->solve));
	must(het_kernel_free(m->update));
}

static struct het_box tile(const struct matrix *m, int i, int j)
{
	return het_box(2, i * m->b, (i + 1) * m->b, j * m->b, (j + 1) * m->b);
}

static het_device *owner(struct matrix *m, int i, int j)
{
	m->launches++;
	return het_device(m->system, (i + j) % m->devices);
}

static void update_row(struct matrix *m, int k, int i)
{
	const struct het_arg n = HET_VAL(m->n), b = HET_VAL(m->b), step = HET_VAL(k);

	for (int j = k + 1; j <= i; j++)
		must(het_launch(m->update, owner(m, i, j),
				het_range(2, i * m->b, (i + 1) * m->b, j * m->b, (j + 1) * m->b),
				HET_INOUT_PART(m->a, tile(m, i, j)), HET_IN_PART(m->a, tile(m, i, k)),
				HET_IN_PART(m->a, tile(m, j, k)), n, step, b));
}

static void factorise(struct matrix *m)
{
	const struct het_arg n = HET_VAL(m->n), b = HET_VAL(m->b);
	const int tiles = m->n / m->b;

	for (int k = 0; k < tiles; k++) {
		must(het_launch(m->factor, owner(m, k, k), het_grid(1, 1), HET_INOUT_PART(m->a, tile(m, k, k)),
				n, HET_VAL(k), b));
		for (int i = k + 1; i < tiles; i++)
			must(het_launch(m->solve, owner(m, i, k), het_range(1, i * m->b, (i + 1) * m->b),
					HET_INOUT_PART(m->a, tile(m, i, k)), HET_IN_PART(m->a, tile(m, k, k)),
					n, HET_VAL(k), b));
		for (int i = k + 1; i < tiles; i++)
			update_row(m, k, i);
	}
}

/* ---- results ------------------------------------------------------------------------------------ */

static double product(const float *l, size_t n, size_t i, size_t j)
{
	double sum = 0;

	for (size_t k = 0; k <= j; k++)
		sum += (double)l[i * n + k] * (double)l[j * n + k];
	return sum;
}

/* Is L L' what A was, but for rounding? Of all elements or, where there are many, some thousands. */
static int verify(const struct matrix *m)
{
	const int step = 1 + m->n / 61;
	const float *l;
	int wrong = 0;

	must(het_map(m->a, HET_READ, &l));
	for (int i = 0; i < m->n; i += step)
		for (int j = 0; j <= i; j += step) {
			const double off = product(l, (size_t)m->n, (size_t)i, (size_t)j) -
					   (double)element(m->n, i, j);

			wrong |= !(fabs(off) <= 4e-6 * m->n);
		}
	must(het_unmap(m->a));
	return wrong;
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const struct options o = read_options(argc, argv);
	struct het_options how = HET_OPTIONS_INIT;
	double begun, cpu, took;
	het_system *system;
	struct matrix m;
	int wrong;

	how.devices = o.devices;
	must(het_open(&how, &system));
	open_matrix(system, &o, &m);
	begun = seconds(CLOCK_MONOTONIC);
	cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
	factorise(&m);
	cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
	must(het_wait_all(system));
	took = seconds(CLOCK_MONOTONIC) - begun;
	wrong = verify(&m);
	printf("%d x %d in tiles of %d x %d: %ld launches in %.3f s, %.1f us of the host's time each: "
	       "%s\n",
	       m.n, m.n, m.b, m.b, m.launches, took, cpu / (double)m.launches * 1e6,
	       wrong ? "WRONG" : "verified");
	close_matrix(&m);
	must(het_close(system));
	return printed("cholesky", wrong ? EXIT_FAILURE : EXIT_SUCCESS);
}
