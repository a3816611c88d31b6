/* ft.c - FT of the NAS Parallel Benchmarks: a box of random numbers, transformed, faded by time and
 * transformed back in every iteration. Devices have planes for two axes and rows for the third, so all of
 * the box changes hands. */

#include "ft/ft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The published checksums. */
static const struct ft_complex sums_s[] = {
	{5.546087004964e2, 4.845363331978e2}, {5.546385409189e2, 4.865304269511e2},
	{5.546148406171e2, 4.883910722336e2}, {5.545423607415e2, 4.901273169046e2},
	{5.544255039624e2, 4.917475857993e2}, {5.542683411902e2, 4.932597244941e2},
};
static const struct ft_complex sums_w[] = {
	{5.673612178944e2, 5.293246849175e2}, {5.631436885271e2, 5.282149986629e2},
	{5.594024089970e2, 5.270996558037e2}, {5.560698047020e2, 5.260027904925e2},
	{5.530898991250e2, 5.249400845633e2}, {5.504159734538e2, 5.239212247086e2},
};
static const struct ft_complex sums_a[] = {
	{5.046735008193e2, 5.114047905510e2}, {5.059412319734e2, 5.098809666433e2},
	{5.069376896287e2, 5.098144042213e2}, {5.077892868474e2, 5.101336130759e2},
	{5.085233095391e2, 5.104914655194e2}, {5.091487099959e2, 5.107917842803e2},
};
static const struct ft_complex sums_b[] = {
	{5.177643571579e2, 5.077803458597e2}, {5.154521291263e2, 5.088249431599e2},
	{5.146409228649e2, 5.096208912659e2}, {5.142378756213e2, 5.101023387619e2},
	{5.139626667737e2, 5.103976610617e2}, {5.137423460082e2, 5.105948019802e2},
	{5.135547056878e2, 5.107404165783e2}, {5.133910925466e2, 5.108576573661e2},
	{5.132470705390e2, 5.109577278523e2}, {5.131197729984e2, 5.110460304483e2},
	{5.130070319283e2, 5.111252433800e2}, {5.129070537032e2, 5.111968077718e2},
	{5.128182883502e2, 5.112616233064e2}, {5.127393733383e2, 5.113203605551e2},
	{5.126691062020e2, 5.113735928093e2}, {5.126064276004e2, 5.114218460548e2},
	{5.125504076570e2, 5.114656139760e2}, {5.125002331720e2, 5.115053595966e2},
	{5.124551951846e2, 5.115415130407e2}, {5.124146770029e2, 5.115744692211e2},
};
static const struct ft_complex sums_c[] = {
	{5.195078707457e2, 5.149019699238e2}, {5.155422171134e2, 5.127578201997e2},
	{5.144678022222e2, 5.122251847514e2}, {5.140150594328e2, 5.121090289018e2},
	{5.137550426810e2, 5.121143685824e2}, {5.135811056728e2, 5.121496764568e2},
	{5.134569343165e2, 5.121870921893e2}, {5.133651975661e2, 5.122193250322e2},
	{5.132955192805e2, 5.122454735794e2}, {5.132410471738e2, 5.122663649603e2},
	{5.131971141679e2, 5.122830879827e2}, {5.131605205716e2, 5.122965869718e2},
	{5.131290734194e2, 5.123075927445e2}, {5.131012720314e2, 5.123166486553e2},
	{5.130760908195e2, 5.123241541685e2}, {5.130528295923e2, 5.123304037599e2},
	{5.130310107773e2, 5.123356167976e2}, {5.130103090133e2, 5.123399592211e2},
	{5.129905029333e2, 5.123435588985e2}, {5.129714421109e2, 5.123465164008e2},
};

static struct ft_problem problems[] = {
	{.name = "S", .nx = 64, .ny = 64, .nz = 64, .iterations = 6, .wanted = sums_s},
	{.name = "W", .nx = 128, .ny = 128, .nz = 32, .iterations = 6, .wanted = sums_w},
	{.name = "A", .nx = 256, .ny = 256, .nz = 128, .iterations = 6, .wanted = sums_a},
	{.name = "B", .nx = 512, .ny = 256, .nz = 256, .iterations = 20, .wanted = sums_b},
	{.name = "C", .nx = 512, .ny = 512, .nz = 512, .iterations = 20, .wanted = sums_c},
};

static const struct ft_complex *new_roots(int count)
{
	struct ft_complex *const roots = bench_new((size_t)count * sizeof *roots);

	for (int i = 0; i < count; i++) {
		const double angle = -2 * acos(-1.0) * i / count;

		roots[i].re = cos(angle);
		roots[i].im = sin(angle);
	}
	return roots;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static const void *problem_of(const char *name)
{
	for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
		struct ft_problem *const p = &problems[i];

		if (strcmp(p->name, name))
			continue;
		p->finest = larger(p->nx, larger(p->ny, p->nz));
		p->roots = new_roots(p->finest);
		p->fade = 4e-6 * acos(-1.0) * acos(-1.0);
		return p;
	}
	return NULL;
}

void ft_add(struct ft_result *result, const struct ft_problem *p, const struct ft_complex *sums)
{
	const double points = (double)p->nx * p->ny * p->nz;

	memset(result, 0, sizeof *result);
	for (int z = 0; z < p->nz; z++)
		for (int t = 0; t < p->iterations; t++) {
			result->checksum[t].re += sums[z * p->iterations + t].re / points;
			result->checksum[t].im += sums[z * p->iterations + t].im / points;
		}
}

static int verify(const void *problem, const void *result, char *said, size_t bytes)
{
	const struct ft_problem *const p = problem;
	const struct ft_complex *const got = ((const struct ft_result *)result)->checksum;
	double worst = 0;
	int right = 1;

	for (int t = 0; t < p->iterations; t++) {
		const double off = hypot(got[t].re - p->wanted[t].re, got[t].im - p->wanted[t].im) /
				   hypot(p->wanted[t].re, p->wanted[t].im);

		right = right && off <= 1e-12; /* false for NaN */
		worst = worse(worst, off);
	}
	snprintf(said, bytes, "%d checksums, off by at most %.1e of 1e-12", p->iterations, worst);
	return right;
}

static double operations(const void *problem)
{
	const struct ft_problem *const p = problem;
	const double points = (double)p->nx * p->ny * p->nz, ln = log(points);

	return points * (14.8157 + 7.19641 * ln + p->iterations * (5.23518 + 7.21113 * ln));
}

int main(int argc, char **argv)
{
	static const struct bench_version *const versions[] = {&ft_hetero, &ft_shared, &ft_copying, NULL};
	const struct benchmark ft = {
		.name = "ft",
		.purpose = "FT of the NAS Parallel Benchmarks: transforms of a box of complex numbers, all of "
			   "which\n"
			   "changes hands in each iteration. Operations as the NAS Parallel Benchmarks count "
			   "them.",
		.classes = "S W A B C",
		.versions = versions,
		.local = &ft_local,
		.problem = problem_of,
		.verify = verify,
		.operations = operations,
	};

	return bench_main(&ft, argc, argv);
}
