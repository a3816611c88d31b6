/* random46.h - the generator of the NAS Parallel Benchmarks: x <- 5^13 x mod 2^46, and numbers x / 2^46. */
#ifndef COMMON_RANDOM46_H
#define COMMON_RANDOM46_H

#include <stdint.h>

#define RANDOM46_FACTOR UINT64_C(1220703125)
#define RANDOM46_MASK ((UINT64_C(1) << 46) - 1)

/** The next number, in (0, 1). The low bits of a 64-bit product are right although it wraps. */
static inline double random46(uint64_t *x)
{
	*x = *x * RANDOM46_FACTOR & RANDOM46_MASK;
	return (double)*x * 0x1p-46;
}

/** The state `steps` numbers after `x`. */
static inline uint64_t random46_after(uint64_t x, uint64_t steps)
{
	uint64_t power = RANDOM46_FACTOR;

	for (; steps; steps >>= 1) {
		if (steps & 1)
			x = x * power & RANDOM46_MASK;
		power = power * power & RANDOM46_MASK;
	}
	return x;
}

#endif
