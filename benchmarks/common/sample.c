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

/* How many numbers lie outside the interval on each side: the most with which the median is outside of at most
 * one in twenty samples, which it is when as many as that, or fewer, lie on one side of it: binomially
 * distributed with the probability 1/2. Of fewer than six numbers none can be left out. */
static int ranks_beyond(int count)
{
	double chance = pow(0.5, count), sum = chance; /* of `beyond` numbers below the median, and of fewer */
	int beyond = -1;

	while (2 * sum <= 0.05) {
		beyond++;
		chance *= (double)(count - beyond) / (beyond + 1);
		sum += chance;
	}
	return beyond < 0 ? 0 : beyond;
}

struct estimate estimate(double *sample, int count)
{
	const int beyond = ranks_beyond(count);
	struct estimate e;

	qsort(sample, (size_t)count, sizeof *sample, compare);
	e.low = sample[beyond];
	e.high = sample[count - 1 - beyond];
	e.median = (sample[(count - 1) / 2] + sample[count / 2]) / 2;
	return e;
}
