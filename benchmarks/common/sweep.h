/* sweep.h - --sweep: which share of the first of two devices is best? For stencils that --shares is about. */
#ifndef COMMON_SWEEP_H
#define COMMON_SWEEP_H

#include <hetero.h>
#include <string.h>

#include "common/bench.h"
#include "common/report.h"
#include "common/strips.h"

#define SWEEP_STEP_MOST 40 /* percent between two shares */
#define SWEEP_ARGUMENTS_MOST 8
#define SWEEP_HELP                                                                                             \
	"  --sweep STEP         of two devices: Hetero, with the first one having 10 % of the range,\n"        \
	"                       STEP (1 to " NUMBER_TEXT(                                                      \
		SWEEP_STEP_MOST) ") % more, ..., 90 %; what the library would give it, and finds;\n"           \
	"                       of very unlike ones also 95, 98, 99, 100 %, or 0, 1, 2, 5 %;\n"                \
	"                       --rounds (7) counts too, --verify does not; without --shares\n" STRIPS_HELP

/** A stencil with two arrays by turns, each as large as the other. */
struct sweep_of {
	const char *benchmark, *class_name;
	const char *kernels, *kernel; /* file and name */
	het_type type;                /* of both arrays, as their shape */
	struct het_shape shape;
	const void *first;            /* what both have at first */
	struct het_range range;       /* of a step */
	int steps;                    /* of a run of the benchmark: more than two */
	double operations;            /* of all steps */
	const void *problem;
	/** The arguments of a step, at most SWEEP_ARGUMENTS_MOST; returns how many. */
	int (*arguments)(const void *problem, het_array *next, het_array *now, struct het_arg *arg);
	/** As benchmark.verify: of what all steps make. */
	int (*verify)(const void *problem, const void *result, char *said, size_t bytes);
};

/** Copies `count` arguments to `arg`, and returns how many they are. */
static inline int sweep_arguments(const struct het_arg *given, size_t count, struct het_arg *arg)
{
	memcpy(arg, given, count * sizeof *given);
	return (int)count;
}

/** Reads an option, --sweep or one of strips.h; 0: it is one, and its value is possible. */
int sweep_option(const char *name, const char *value);

/** For benchmark.beforehand: ends the program where what --sweep asks for is not possible. `steps`: those that
 *  were asked for; 0: as many as the class has. */
void sweep_check(const char *benchmark, const struct bench_machine *machine, int rounds, int steps);

/** What --sweep asks for, if it was given: the rates of all shares. Returns whether all results were right. */
int sweep_shares(const struct sweep_of *of, const struct bench_machine *machine, struct report *report);

#endif
