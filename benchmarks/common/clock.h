/* clock.h - versions by turns: the program of each is a thread, which goes on only while its driver waits, from
 * one of the places to the next where it asks for a round, where the clock starts, and where it stops. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include "common/bench.h"

/** Begins a version's program and lets it open what it needs, up to its first round. Ends the process where
 *  there is no memory or no thread. Ownership: clock_end. */
struct bench_clock *clock_begin(const struct bench_version *version, const void *problem,
				const struct bench_machine *machine);

/** A round: its preparations; the work, which returns its result and what it took; what comes after it, where
 *  the result ends to be valid. */
void clock_to_start(struct bench_clock *clock);
const void *clock_to_stop(struct bench_clock *clock, double *seconds);
void clock_to_round(struct bench_clock *clock);

/** Tells the program that there are no more rounds, and returns when it has closed everything and is over. */
void clock_end(struct bench_clock *clock);

#endif
