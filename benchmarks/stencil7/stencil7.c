/* stencil7.c - a 7-point stencil in three dimensions. Every step needs a plane of each neighbour. */

#include "stencil7/stencil7.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sweep.h"

/* The first is the mode of 40 x 48 x 64 inner points; the last is constant. */
static struct stencil7_problem problems[] = {
	{"S", 42, 50, 66, 100, 0, 1, NULL},     {"W", 128, 128, 128, 50, 0, 1, NULL},
	{"A", 256, 256, 256, 20, 0, 1, NULL},   {"B", 512, 512, 512, 10, 0, 1, NULL},
	{"C", 512, 512, 1024, 100, 0, 1, NULL}, {"K", 42, 50, 66, 100, 1.5, 1, NULL},
};

/* ---- options ----------------------------------------------------------------------------------- */

static int is_asked_single;

static int option(const char *name, const char *value)
{
	if (!strcmp(name, "--type")) {
		is_asked_single = !strcmp(value, "f32");
		return is_asked_single || !strcmp(value, "f64") ? 0 : -1;
	}
	return sweep_option(name, value);
}

static void check_sweep(const struct bench_machine *machine, int rounds)
{
	sweep_check("stencil7", machine, rounds, 0);
}

/* ---- the field --------------------------------------------------------------------------------- */

static double wave(int index, int extent)
{
	return index == 0 || index == extent - 1 ? 0 : sin(acos(-1) * index / (extent - 1));
}

static double element_at(const struct stencil7_problem *p, const void *field, size_t i)
{
	return p->is_double ? ((const double *)field)[i] : (double)((const float *)field)[i];
}

static void set_element(const struct stencil7_problem *p, void *field, size_t i, double value)
{
	if (p->is_double)
		((double *)field)[i] = value;
	else
		((float *)field)[i] = (float)value;
}

static void *field_of(const struct stencil7_problem *p)
{
	void *const field = hand_memory(stencil7_bytes(p, p->nz));
	size_t i = 0;

	for (int z = 0; z < p->nz; z++)
		for (int y = 0; y < p->ny; y++)
			for (int x = 0; x < p->nx; x++)
				set_element(p, field, i++,
					    p->constant > 0 ? p->constant
							    : wave(x, p->nx) * wave(y, p->ny) * wave(z, p->nz));
	return field;
}

static const void *problem_of(const char *name)
{
	for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
		if (strcmp(problems[i].name, name))
			continue;
		problems[i].is_double = !is_asked_single;
		problems[i].first = field_of(&problems[i]);
		return &problems[i];
	}
	return NULL;
}

/* ---- the check --------------------------------------------------------------------------------- */

/* What a step multiplies the field by. */
static double factor_of(const struct stencil7_problem *p)
{
	const double pi = acos(-1);

	if (p->constant > 0)
		return STENCIL7_ALPHA + 6 * STENCIL7_BETA;
	return STENCIL7_ALPHA +
	       2 * STENCIL7_BETA * (cos(pi / (p->nx - 1)) + cos(pi / (p->ny - 1)) + cos(pi / (p->nz - 1)));
}

static double error_of(const struct stencil7_problem *p, const void *field)
{
	const double factor = pow(factor_of(p), p->steps);
	const size_t count = stencil7_plane(p) * (size_t)p->nz;
	double worst = 0;

	for (size_t i = 0; i < count; i++)
		worst = worse(worst, fabs(element_at(p, field, i) - factor * element_at(p, p->first, i)));
	return worst;
}

/* How large an error can be. In single precision a step adds at most five roundings of the largest element, and
 * carries on no more than the largest error before it: alpha + 6 beta is 1. Of the five, two are those of the
 * sum, beta times (2 + 3 + 4 + 5 + 6); one is that of both products, alpha + 6 beta; one that of adding them;
 * and one that of alpha and beta themselves. What the field was rounded at first counts as another step. */
static double error_most(const struct stencil7_problem *p)
{
	const double largest = p->constant > 0 ? p->constant : 1;

	return p->is_double ? 1e-13 * (1 + p->constant) : 5 * 0x1p-24 * (p->steps + 1) * largest;
}

/* The bits of a field, as one number (FNV-1a, by elements). */
static uint64_t bits_of(const struct stencil7_problem *p, const void *field)
{
	const size_t count = stencil7_plane(p) * (size_t)p->nz, bytes = stencil7_element_bytes(p);
	uint64_t sum = UINT64_C(0xcbf29ce484222325), bits = 0;

	for (size_t i = 0; i < count; i++) {
		memcpy(&bits, (const char *)field + i * bytes, bytes);
		sum = (sum ^ bits) * UINT64_C(0x100000001b3);
	}
	return sum;
}

/* Of what one thread of C computes; once. */
static uint64_t plain_bits(const struct stencil7_problem *p)
{
	const size_t bytes = stencil7_bytes(p, p->nz);
	static uint64_t bits;
	static int known;

	if (!known) {
		void *const now = hand_memory(bytes), *const next = hand_memory(bytes);

		memcpy(now, p->first, bytes);
		memcpy(next, p->first, bytes);
		bits = bits_of(p, stencil7_steps(p, now, next));
		free(now);
		free(next);
		known = 1;
	}
	return bits;
}

int stencil7_verify(const void *problem, const void *result, char *said, size_t bytes)
{
	const struct stencil7_problem *const p = problem;
	const double error = error_of(p, result);
	const int same = bits_of(p, result) == plain_bits(p);

	snprintf(said, bytes, "factor %.15f a step, error %.1e, %s as one thread of C", factor_of(p), error,
		 same ? "the same bits" : "OTHER BITS");
	return error <= error_most(p) && same;
}

static int is_single(const void *problem)
{
	return !((const struct stencil7_problem *)problem)->is_double;
}

double stencil7_operations(const void *problem)
{
	const struct stencil7_problem *const p = problem;

	return 8.0 * (p->nx - 2) * (p->ny - 2) * (p->nz - 2) * p->steps;
}

static const char help[] =
	"  --type f32|f64       single or double precision (f64)\n"
	SWEEP_HELP;

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {&stencil7_hetero, &stencil7_shared,
							       &stencil7_copying, &stencil7_plain, NULL};
	const struct benchmark stencil7 = {
		.name = "stencil7",
		.purpose = "Each element of a box becomes 0.4 of itself and 0.1 of its six neighbours; planes "
			   "go to\n"
			   "the neighbours in every step. Eight operations a point.",
		.classes = "S W A B C K",
		.versions = versions,
		.local = &stencil7_local,
		.problem = problem_of,
		.verify = stencil7_verify,
		.operations = stencil7_operations,
		.beforehand = check_sweep,
		.afterwards = stencil7_sweep,
		.is_single = is_single,
		.option = option,
		.option_help = help,
	};

	return bench_main(&stencil7, argc, argv);
}
