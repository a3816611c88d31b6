/* checks.h - libcheck, whose assertions cost nothing worth speaking of when they hold.
 * libcheck writes to a file, in a system call, at every assertion that holds, to tell after which of them a
 * test died or hung. That took half the time of tests which compare millions of values. Here it is done once
 * in a millisecond, so what is named in such a case is where the test was within the millisecond before. */
#ifndef HETERO_TESTS_CHECKS_H
#define HETERO_TESTS_CHECKS_H

#include <check.h>
#include <stdint.h>
#include <time.h>

static inline void mark_now_and_then(const char *file, int line)
{
	static _Thread_local uint64_t marked_ms;
	struct timespec now;
	uint64_t now_ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (now_ms == marked_ms)
		return;
	marked_ms = now_ms;
	_mark_point(file, line);
}
/* What the assertions of check.h expand to. */
#define _mark_point(file, line) mark_now_and_then(file, line)

#endif
