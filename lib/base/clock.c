/* clock.c - see clock.h. */
#include "base/clock.h"

#include <sys/prctl.h>
#include <time.h>

#include "base/format.h"

uint64_t het__host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

const char *het__time_words(char *text, double ns)
{
	if (ns < 999950) /* what rounds up to 1000 us has the next unit */
		het__format(text, HET__TIME_BYTES, "%.1f us", ns / 1e3);
	else if (ns < 999995e3)
		het__format(text, HET__TIME_BYTES, "%.2f ms", ns / 1e6);
	else
		het__format(text, HET__TIME_BYTES, "%.2f s", ns / 1e9);
	return text;
}

/* The kernel puts off a thread's wakening by its timer slack, to do several at once. */
void het__nap(uint64_t ns)
{
	const struct timespec pause = {0, (long)ns};
	const int slack_ns = prctl(PR_GET_TIMERSLACK);

	if (slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, 1UL);
	nanosleep(&pause, NULL);
	if (slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns);
}
