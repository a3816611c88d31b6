/* sample.c - clocks, medians and their confidence intervals. */

#include "common/sample.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

/* How many numbers lie outside the interval on each side: the most with which the median is outside in at most
 * one of twenty samples. It is outside when so many numbers, or fewer, lie on one side of it; how many do is
 * binomially distributed, with probability 1/2. Fewer than six have no such interval: 0, for their range. */
static int ranks_beyond(int count)
{
	double chance = pow(0.5, count), sum = chance; /* of beyond + 1 numbers below the median, or fewer */
	int beyond = -1;

	while (2 * sum <= 0.05) {
		beyond++;
		chance *= (double)(count - beyond) / (beyond + 1);
		sum += chance;
	}
	return beyond < 0 ? 0 : beyond;
}

static double median_of(double *sample, int count)
{
	qsort(sample, (size_t)count, sizeof *sample, compare);
	return (sample[(count - 1) / 2] + sample[count / 2]) / 2;
}

struct estimate estimate(double *sample, int count)
{
	const int beyond = ranks_beyond(count);
	struct estimate e;

	e.median = median_of(sample, count);
	e.low = sample[beyond];
	e.high = sample[count - 1 - beyond];
	return e;
}

#define DRAWS 1999

/* Knuth's generator, of which the upper bits are drawn. */
static int draw(uint64_t *state, int count)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int)((*state >> 33) % (uint64_t)count);
}

struct estimate estimate_part(const double *part, const double *whole, int count)
{
	double some_parts[SAMPLE_MOST], some_wholes[SAMPLE_MOST], drawn[DRAWS];
	struct estimate e;
	uint64_t state = 1;
	int good = 0;

	memcpy(some_parts, part, (size_t)count * sizeof *part);
	memcpy(some_wholes, whole, (size_t)count * sizeof *whole);
	e.median = median_of(some_parts, count) / median_of(some_wholes, count);
	e.low = -INFINITY;
	e.high = INFINITY;
	for (int n = 0; n < DRAWS; n++) {
		double all;

		for (int i = 0; i < count; i++) {
			const int pair = draw(&state, count);

			some_parts[i] = part[pair];
			some_wholes[i] = whole[pair];
		}
		all = median_of(some_wholes, count);
		if (all > 0)
			drawn[good++] = median_of(some_parts, count) / all;
	}
	if (good == 0)
		return e;
	qsort(drawn, (size_t)good, sizeof *drawn, compare);
	e.low = drawn[good / 40];
	e.high = drawn[good - 1 - good / 40];
	return e;
}
