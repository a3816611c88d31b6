/* samples.c - see samples.h. */
#include "samples.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static uint64_t whole(double ns)
{
	const uint64_t value = ns < 1 ? 1 : (uint64_t)(ns + 0.5);

	return value > HET__CAL_MOST_NS ? HET__CAL_MOST_NS : value;
}

void samples_add(struct samples *samples, double ns)
{
	if (samples->count < MOST_SAMPLES)
		samples->ns[samples->count++] = ns;
}

struct het__cal_point samples_point(struct samples *samples, size_t bytes)
{
	const int n = samples->count;
	double quartiles;

	qsort(samples->ns, (size_t)n, sizeof samples->ns[0], compare);
	quartiles = samples->ns[n - 1 - (n - 1) / 4] - samples->ns[(n - 1) / 4]; /* of three: their range */
	return (struct het__cal_point){
		.bytes = bytes,
		.ns = whole((samples->ns[(n - 1) / 2] + samples->ns[n / 2]) / 2),
		.spread_ns = whole(2 * 1.57 * quartiles / sqrt(n)),
	};
}
