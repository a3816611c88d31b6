/* ep.h - what all versions of EP share: how large a class is, and what a run finds. */
#ifndef EP_EP_H
#define EP_EP_H

#include "common/bench.h"

#define EP_KERNELS BENCHMARKS "/ep/ep.cl"
#define EP_GROUP 64           /* work-items of a group, as in ep.cl */
#define EP_GROUP_PAIRS_LOG 20 /* pairs that a group makes: 64 items, 16384 each */
#define EP_NUMBERS 12         /* of a group: the sums of x and of y, ten counts */

/** 2^m pairs, so many groups; what they have to add up to. */
struct ep_problem {
	const char *name;
	int m, groups;
	double sum[2];
	double count[10];
};

struct ep_result {
	double number[EP_NUMBERS];
};

/** Adds up what the groups found. */
void ep_add(struct ep_result *result, const double *numbers, int groups);

extern const struct bench_version ep_hetero, ep_copying, ep_plain;

#endif
