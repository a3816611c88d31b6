/* samples.c - see samples.h. */
#include "samples.h"

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

struct het__cal_point samples_point(struct samples *samples, size_t bytes)
{
	const int n = samples->count;

	qsort(samples->ns, (size_t)n, sizeof samples->ns[0], compare);
	return (struct het__cal_point){
		.bytes = bytes,
		.ns = whole((samples->ns[(n - 1) / 2] + samples->ns[n / 2]) / 2),
		.spread_ns = whole(samples->ns[3 * (n - 1) / 4] - samples->ns[(n - 1) / 4]),
	};
}
