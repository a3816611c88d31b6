/* clock.h - the host's clock. */
#ifndef HETERO_LIB_BASE_CLOCK_H
#define HETERO_LIB_BASE_CLOCK_H

#include <stdint.h>

/** Of CLOCK_MONOTONIC, ns. */
uint64_t het__host_ns(void);
/** How many have passed since het__host_ns said `began`. */
static inline double het__ns_since(uint64_t began)
{
	return (double)(het__host_ns() - began);
}
#define HET__TIME_BYTES 32
/** "8.2 us", "1.25 ms", "3.10 s": written to `text`, of HET__TIME_BYTES, which is returned. */
const char *het__time_words(char *text, double ns);
/** Sleeps for so many ns, below 10^9, and some five microseconds more; usually sleeps last 50 us longer than
 *  they are told to. */
void het__nap(uint64_t ns);

#endif
