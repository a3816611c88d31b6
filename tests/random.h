/* random.h - repeatable random numbers for tests.
 *
 * random_start prints the seed, which is $HETERO_TEST_SEED where that is set: a failure is replayed with it.
 * random_rounds is a number of rounds, or a tenth of it where $HETERO_TEST_SHORT is set: under valgrind.
 */
#ifndef HETERO_TESTS_RANDOM_H
#define HETERO_TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* One for all files of a program: what is drawn in each follows from the seed. */
extern uint64_t random_state;
__attribute__((weak)) uint64_t random_state;

/* The next number of the sequence (splitmix64: any seed will do). */
static inline uint64_t random_next(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A number in [lo, hi]. */
static inline int random_in(int lo, int hi)
{
	return lo + (int)(random_next() % (uint64_t)(hi - lo + 1));
}

/* True once in `n` times. */
static inline int random_once_in(int n)
{
	return random_in(1, n) == 1;
}

static inline int random_rounds(int rounds)
{
	return getenv("HETERO_TEST_SHORT") && rounds > 10 ? rounds / 10 : rounds;
}

static inline void random_start(const char *test)
{
	const char *given = getenv("HETERO_TEST_SEED");
	random_state = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	printf("%s: HETERO_TEST_SEED=%llu\n", test, (unsigned long long)random_state);
	fflush(stdout);
}

#endif
