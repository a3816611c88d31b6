/* sample.c - clocks, medians and their confidence intervals. */

#include "common/sample.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double wall_seconds(void)
{
	return seconds(CLOCK_MONOTONIC);
}

double thread_seconds(void)
{
	return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double process_seconds(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct estimate estimate(double *sample, int count)
{
	/* Ranks n/2 -+ 0.98 sqrt(n) enclose the median with 95 % (normal approximation of the binomial). */
	int reach = (int)ceil(0.98 * sqrt((double)count));
	int low = count / 2 - reach, high = (count - 1) / 2 + reach;
	struct estimate e;

	qsort(sample, (size_t)count, sizeof *sample, compare);
	e.low = sample[low < 0 ? 0 : low];
	e.high = sample[high >= count ? count - 1 : high];
	e.median = (sample[(count - 1) / 2] + sample[count / 2]) / 2;
	return e;
}
