/* ep.c - EP, "embarrassingly parallel", of the NAS Parallel Benchmarks: pairs of Gaussian random numbers, added
 * and counted. Nothing is exchanged but the sums at the end. */

#include "ep/ep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The counts are those of the serial programs of the NAS Parallel Benchmarks; the sums are published. */
static const struct ep_problem problems[] = {
	{"S", 24, 0, {-3.247834652034740e3, -6.958407078382297e3},
	 {6140517, 5865300, 1100361, 68546, 1648, 17}},
	{"W", 25, 0, {-2.863319731645753e3, -6.320053679109499e3},
	 {12281576, 11729692, 2202726, 137368, 3371, 36}},
	{"A", 28, 0, {-4.295875165629892e3, -1.580732573678431e4},
	 {98257395, 93827014, 17611549, 1110028, 26536, 245}},
	{"B", 30, 0, {4.033815542441498e4, -2.660669192809235e4},
	 {393058470, 375280898, 70460742, 4438852, 105691, 948, 5}},
	{"C", 32, 0, {4.764367927995374e4, -8.084072988043731e4},
	 {1572172634, 1501108549, 281805648, 17761221, 424017, 3821, 13}},
};

static const void *problem_of(const char *name)
{
	static struct ep_problem problem;

	for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
		if (!strcmp(problems[i].name, name)) {
			problem = problems[i];
			problem.groups = 1 << (problem.m - EP_GROUP_PAIRS_LOG);
			return &problem;
		}
	return NULL;
}

void ep_add(struct ep_result *result, const double *numbers, int groups)
{
	memset(result, 0, sizeof *result);
	for (int g = 0; g < groups; g++)
		for (int n = 0; n < EP_NUMBERS; n++)
			result->number[n] += numbers[g * EP_NUMBERS + n];
}

static int verify(const void *problem, const void *result, char *said, size_t bytes)
{
	const struct ep_problem *const p = problem;
	const double *const got = ((const struct ep_result *)result)->number;
	double worst = 0;
	int wrong = 0;

	for (int i = 0; i < 2; i++)
		worst = worse(worst, fabs((got[i] - p->sum[i]) / p->sum[i]));
	for (int l = 0; l < 10; l++)
		wrong += got[2 + l] < p->count[l] || got[2 + l] > p->count[l];
	snprintf(said, bytes, "sums %.15e %.15e, off by %.1e of 1e-08; %d of 10 counts wrong", got[0], got[1],
		 worst, wrong);
	return worst <= 1e-8 && !wrong; /* false for NaN */
}

static double operations(const void *problem)
{
	return ldexp(1, ((const struct ep_problem *)problem)->m + 1);
}

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {&ep_hetero, &ep_copying, &ep_plain, NULL};
	const struct benchmark ep = {
		.name = "ep",
		.purpose = "EP of the NAS Parallel Benchmarks: pairs of Gaussian random numbers, added and "
			   "counted. An\n"
			   "operation is a random number.",
		.classes = "S W A B C",
		.versions = versions,
		.problem = problem_of,
		.verify = verify,
		.operations = operations,
	};

	return bench_main(&ep, argc, argv);
}
