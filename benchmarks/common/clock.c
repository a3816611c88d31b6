/* clock.c - versions by turns. */

#include "common/clock.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sample.h"

#define STACK_BYTES (8 << 20) /* versions by hand have tables for every pair of devices there */

/* Where a program stands, and waits to be told to go on. */
enum place { BEFORE_ROUND, AT_START, AT_STOP, OVER };

struct bench_clock {
	const struct bench_version *version;
	const void *problem;
	const struct bench_machine *machine;
	pthread_t thread;
	sem_t go, stands; /* each is posted by one side, for the other */
	enum place place;
	int is_last; /* there is no other round */
	double start, seconds;
	const void *result;
};

static void wait_for(sem_t *what)
{
	while (sem_wait(what) && errno == EINTR)
		;
}

/* ---- the program's side ------------------------------------------------------------------------ */

static void stand_at(struct bench_clock *clock, enum place place)
{
	clock->place = place;
	sem_post(&clock->stands);
	wait_for(&clock->go);
}

int bench_round(struct bench_clock *clock)
{
	stand_at(clock, BEFORE_ROUND);
	return !clock->is_last;
}

void bench_start(struct bench_clock *clock)
{
	stand_at(clock, AT_START);
	clock->start = wall_seconds();
}

void bench_stop(struct bench_clock *clock, const void *result)
{
	clock->seconds = wall_seconds() - clock->start;
	clock->result = result;
	stand_at(clock, AT_STOP);
}

static void *run_program(void *data)
{
	struct bench_clock *const clock = data;

	clock->version->program(clock->problem, clock->machine, clock);
	clock->place = OVER;
	sem_post(&clock->stands);
	return NULL;
}

/* ---- the driver's side ------------------------------------------------------------------------- */

/* A program that stands elsewhere is not as bench.h wants it: a fault of this source, not of its user. */
static void wait_until_at(struct bench_clock *clock, enum place place)
{
	wait_for(&clock->stands);
	if (clock->place == place)
		return;
	fprintf(stderr, "%s: rounds, starts and stops of its clock are out of order\n", clock->version->name);
	exit(EXIT_FAILURE);
}

static void go_to(struct bench_clock *clock, enum place place)
{
	sem_post(&clock->go);
	wait_until_at(clock, place);
}

static void start_thread(struct bench_clock *clock)
{
	pthread_attr_t attributes;
	int code = pthread_attr_init(&attributes);

	if (!code) {
		code = pthread_attr_setstacksize(&attributes, STACK_BYTES);
		code = code ? code : pthread_create(&clock->thread, &attributes, run_program, clock);
		pthread_attr_destroy(&attributes);
	}
	if (!code)
		return;
	fprintf(stderr, "%s: no thread for it: %s\n", clock->version->name, strerror(code));
	exit(EXIT_FAILURE);
}

struct bench_clock *bench_begin(const struct bench_version *version, const void *problem,
				const struct bench_machine *machine)
{
	struct bench_clock *const clock = bench_new(sizeof *clock);

	clock->version = version;
	clock->problem = problem;
	clock->machine = machine;
	sem_init(&clock->go, 0, 0); /* which cannot fail: 0 is in range */
	sem_init(&clock->stands, 0, 0);
	start_thread(clock);
	wait_until_at(clock, BEFORE_ROUND);
	return clock;
}

void bench_to_start(struct bench_clock *clock)
{
	go_to(clock, AT_START);
}

const void *bench_to_stop(struct bench_clock *clock, double *seconds)
{
	go_to(clock, AT_STOP);
	if (seconds)
		*seconds = clock->seconds;
	return clock->result;
}

void bench_to_round(struct bench_clock *clock)
{
	go_to(clock, BEFORE_ROUND);
}

void bench_end(struct bench_clock *clock)
{
	clock->is_last = 1;
	go_to(clock, OVER);
	pthread_join(clock->thread, NULL);
	sem_destroy(&clock->go);
	sem_destroy(&clock->stands);
	free(clock);
}
