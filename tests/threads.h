/* threads.h - a function in several threads at once, for tests. */
#ifndef HETERO_TESTS_THREADS_H
#define HETERO_TESTS_THREADS_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <hetero.h>

#include "checks.h"

#define THREADS 4

/* Check's assertions are for its own thread: a worker that finds something wrong ends the process. */
#define must(condition)                                                                                        \
	do {                                                                                                   \
		if (!(condition)) {                                                                            \
			fprintf(stderr, "%s:%d: %s; %s\n", __FILE__, __LINE__, #condition, het_message());     \
			abort();                                                                               \
		}                                                                                              \
	} while (0)

/* Runs `body` in THREADS threads, which get their numbers as (void *)(intptr_t)number; waits for them. */
static inline void in_threads(void *(*body)(void *))
{
	pthread_t threads[THREADS];
	for (intptr_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, body, (void *)i), 0);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

#endif
