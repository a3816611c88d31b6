/* pair.h - the same work done by two sides in turns, and how their times compare. */
#ifndef OVERHEAD_PAIR_H
#define OVERHEAD_PAIR_H

#include <stddef.h>

#include "common/report.h"

#define PAIR_ROUNDS_MOST 999

/** One side of a comparison. `start` gives the work to the devices, `finish` waits until it is done. The last
 *  two are called outside of the clock, or NULL. */
struct side {
	void (*start)(void *user);
	void (*finish)(void *user);
	void *user;
	void (*before)(void);
	void (*after)(void);
};

static inline struct side side_of(void (*start)(void *user), void (*finish)(void *user), void *user)
{
	return (struct side){start, finish, user, NULL, NULL};
}

/** Seconds of each round, from the start to the end of `finish`: CPU time of this thread, of all threads (among
 *  them those that are a CPU's devices), and wall time. [0] is Hetero, [1] the other side. */
struct pair {
	int rounds, alone; /* alone: only Hetero's side is reported */
	double cpu[2][PAIR_ROUNDS_MOST], all[2][PAIR_ROUNDS_MOST], wall[2][PAIR_ROUNDS_MOST];
};

/** Runs one round that does not count and then `rounds`; the sides begin by turns. */
void pair_measure(struct pair *pair, int rounds, const struct side *ours, const struct side *by_hand);

/** What a launch costs the host, and the whole end to end. */
void pair_report_launches(struct pair *pair, struct report *report, int launches);

/** What a part of a spread costs the host, the second side being launches of the parts. */
void pair_report_parts(struct pair *pair, struct report *report, int parts);

/** What a step takes end to end: the two sides, their ratio, their difference. */
void pair_report_steps(struct pair *pair, struct report *report, int steps);

/** What it takes to write one of so many elements. */
void pair_report_elements(struct pair *pair, struct report *report, int elements);

/** What one of so many steps takes ("launch", "hop") where the second side is `peer`, and how many times as
 *  long it took there. */
void pair_report_peer(struct pair *pair, struct report *report, int steps, const char *step, const char *peer);

#endif
