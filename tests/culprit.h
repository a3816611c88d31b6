/* culprit.h - for tests in which something fails on a fake machine, once: the k-th call of a function of
 * OpenCL, the k-th execution of a kind ("ndrange", "read"...), or the k-th allocation of host memory
 * ("memory"). Or a device stops answering at its k-th command ("stop 0", "stop 1"...) and answers again some
 * milliseconds later: of that nothing fails and nothing is lost.
 */
#ifndef HETERO_TESTS_CULPRIT_H
#define HETERO_TESTS_CULPRIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "fakes.h"
#include "random.h"

/** What the library calls when a device is used for the first time, and kernels are built. */
#define CULPRITS_AT_FIRST \
	"clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", \
	"clCreateProgramWithBinary", "clBuildProgram", "clCreateKernel", "clGetKernelWorkGroupInfo"
/** What it calls from then on, and, in small letters, what is executed. */
#define CULPRITS_AT_WORK \
	"clCreateBuffer", "clCreateSubBuffer", "clSetKernelArg", "clWaitForEvents", "clGetEventInfo", \
	"clFlush", "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer", \
	"clEnqueueReadBufferRect", "clEnqueueWriteBufferRect", "clEnqueueCopyBufferRect", \
	"clEnqueueFillBuffer", "clEnqueueMapBuffer", "clEnqueueUnmapMemObject", \
	"clEnqueueNDRangeKernel", "clEnqueueMarkerWithWaitList", "ndrange", "read", "write", "copy", \
	"fill", "map", "unmap", "marker"

static inline bool culprit_is_memory(const char *culprit)
{
	return strcmp(culprit, "memory") == 0;
}

static inline bool culprit_is_stop(const char *culprit)
{
	return strncmp(culprit, "stop ", 5) == 0;
}

/* Whoever stopped a device lets it go a while after it has stopped, whether anybody waits for it or not. */
static struct {
	pthread_t thread;
	const char *device;
	atomic_bool over; /* nothing more is given to it */
	bool stopped;
} culprit_stop __attribute__((unused));

static inline void *culprit_lets_go(void *unused)
{
	const struct timespec moment = {0, 1000000}, a_while = {0, 10000000};
	bool over = false;

	(void)unused;
	while (!culprit_stop.stopped && !over) {
		nanosleep(&moment, NULL);
		over = atomic_load(&culprit_stop.over);
		culprit_stop.stopped = control("stopped %s", culprit_stop.device) == 1;
	}
	if (culprit_stop.stopped)
		nanosleep(&a_while, NULL);
	(void)control("go %s", culprit_stop.device);
	return NULL;
}

static inline void culprit_stops_in(const char *culprit, long turn)
{
	culprit_stop.device = culprit + strlen("stop ");
	culprit_stop.stopped = false;
	atomic_store(&culprit_stop.over, false);
	ck_assert_int_eq(control("%s %ld", culprit, turn), 0);
	ck_assert_int_eq(pthread_create(&culprit_stop.thread, NULL, culprit_lets_go, NULL), 0);
}

static inline bool culprit_has_stopped(void)
{
	atomic_store(&culprit_stop.over, true);
	ck_assert_int_eq(pthread_join(culprit_stop.thread, NULL), 0);
	return culprit_stop.stopped;
}

/** From now on; what OpenCL does fails with CL_OUT_OF_RESOURCES. */
static inline void culprit_fails_in(const char *culprit, long turn)
{
	if (culprit_is_stop(culprit)) {
		culprit_stops_in(culprit, turn);
		return;
	}
	if (culprit_is_memory(culprit))
		(void)het__alloc_fail_after(turn - 1, 0);
	else
		ck_assert_int_eq(control("fail %s %ld -5", culprit, turn), 0);
}

/** No more failures. Tells whether there was the one of this turn. */
static inline bool culprit_has_failed(const char *culprit, long turn)
{
	bool struck;

	if (culprit_is_memory(culprit))
		return het__alloc_fail_after(-1, 0) >= turn;
	struck = culprit_is_stop(culprit) ? culprit_has_stopped() : control("pending") == 0;
	ck_assert_int_eq(control("forget"), 0);
	return struck;
}

/* Which k fail, one after another, from {.now = 1} on. */
struct culprit_turns {
	long now;   /* k */
	long last;  /* the last one that came to pass */
	int missed; /* how many in a row did not */
};

/** The next k; false when there are no more. It is every one up to `every`, then one that is up to a quarter
 *  further; in short runs 1, 2, 4, 8...; in long ones every one. What a program does is not the same each time,
 *  with threads and random orders: where the failure did not come to pass some k after the last that did is
 *  tried. Three in a row end it, two in short runs. */
static inline bool culprit_next(struct culprit_turns *turns, bool struck, long every)
{
	const bool all = getenv("HETERO_TEST_LONG") != NULL, few = !all && getenv("HETERO_TEST_SHORT");

	if (!struck) {
		turns->now = random_in((int)turns->last + 1, (int)turns->now);
		return ++turns->missed < (few ? 2 : 3);
	}
	turns->missed = 0;
	turns->last = turns->now;
	if (few)
		turns->now *= 2;
	else
		turns->now += all || turns->now < every ? 1 : random_in(1, (int)(1 + turns->now / 4));
	return true;
}

#endif
