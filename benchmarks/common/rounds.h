/* rounds.h - a benchmark's rounds: the versions that take turns, and what was measured of each. */
#ifndef HETERO_BENCHMARKS_ROUNDS_H
#define HETERO_BENCHMARKS_ROUNDS_H

#include <string.h>
#include <sys/types.h>

#include "common/bench.h"
#include "common/flows.h"
#include "common/options.h"
#include "common/report.h"

/* A version that runs, with what was measured of it. */
struct runner {
	int number; /* of those that were asked for; -1: a device by itself */
	const struct bench_version *version;
	const char *name;
	const struct bench_machine *machine;
	int is_without; /* exchanges: LOCAL or UNSENT, which is timed and not checked */
	struct bench_clock *clock;
	char said[160]; /* what the check saw */
	double seconds[BENCH_ROUNDS_MOST];
	double peak_bytes;              /* 0: not measured */
	struct het_stats before, after; /* the library's, of the last run */
	struct flows flows_before, flows_after;
};

static inline int runner_is(const struct runner *r, const char *name)
{
	return !strcmp(r->name, name);
}

/* One of several devices, by itself. */
struct alone {
	struct bench_machine machine;
	char name[96]; /* "alone, pocl:cpu0.0" */
};

struct bench {
	const struct benchmark *benchmark;
	struct bench_options options;
	const void *problem;
	struct bench_machine machine;
	struct hand hand;
	struct runner runner[BENCH_VERSIONS_MOST + HAND_DEVICES_MOST];
	int runners, wrong;
	struct alone *alone; /* devices that run by themselves; NULL: none */
	int alones;
	int checked; /* results that verify has looked at */
	pid_t keeper; /* the process that measures memory; 0: none */
	int tell, peaks, kept; /* pipes to it and from it; how many versions it measures */
};

/** Reports all that the rounds show. */
void rounds_report(const struct bench *b, struct report *report);

#endif
