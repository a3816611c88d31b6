/* clock.c - see clock.h. */
#include "base/clock.h"

#include <time.h>

uint64_t het__host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
