/* clock.h - versions by turns: the program of each is a thread, which goes on only while its driver waits, from
 * one of these places to the next: where it asks for a round, where the clock starts, where it stops. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include "common/bench.h"

/** Begins a version's program and lets it open what it needs, up to its first round. Like the functions below
 *  it ends the process where there is no memory or no thread, where the program does, and where its rounds,
 *  starts and stops come in another order than bench.h says. Ownership: bench_end. */
struct bench_clock *bench_begin(const struct bench_version *version, const void *problem,
				const struct bench_machine *machine);

/** The parts of a round: its preparations; the work, which returns its result and tells its time (seconds;
 *  NULL: not asked); what comes after it, when the result is no longer valid. */
void bench_to_start(struct bench_clock *clock);
const void *bench_to_stop(struct bench_clock *clock, double *seconds);
void bench_to_round(struct bench_clock *clock);

/** Tells the program that there are no more rounds, and returns when it has closed everything and is over. */
void bench_end(struct bench_clock *clock);

#endif
