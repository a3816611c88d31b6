/* bench.h - one benchmark in several versions: options, interleaved rounds, verification, figures.
 *
 * A version is a user's program that says where the clock starts and stops. One driver runs all versions in one
 * process by turns, so that what disturbs the machine disturbs them all, and verifies what each computes. */
#ifndef COMMON_BENCH_H
#define COMMON_BENCH_H

#include <hetero.h>
#include <stddef.h>

#include "common/hand.h"

#define EXIT_USAGE 2 /* the status of a program that was asked for what cannot be */

#define BENCH_ROUNDS_MOST 999
#define BENCH_VERSIONS_MOST 7
#define BENCH_LOCAL "local"   /* a benchmark's `local` */
#define BENCH_UNSENT "unsent" /* the same, where devices wait for each other as if all were sent */
#define BENCH_ALONE "alone"   /* `hetero`, on each device by itself */

/** Whether the version that runs is BENCH_UNSENT; for common/local.h. */
extern int bench_keeps_waits;

/** What a version runs on: the same devices, opened by the library and by hand. */
struct bench_machine {
	int count;    /* of devices */
	int is_alone; /* one of several, by itself: shares that were asked for do not hold */
	het_system *system;
	struct hand *hand;
};

struct report;

struct bench_clock;

/** A version. `program` is a user's program, from opening to closing, around rounds of the same work:
 *
 *	while (bench_round(clock)) {
 *		... data to where they are read
 *		bench_start(clock);
 *		... the work, up to a result in host memory
 *		bench_stop(clock, result);
 *		... what has to be undone before the next round
 *	}
 *
 *  It ends the process when something fails. */
struct bench_version {
	const char *name; /* "hetero", "copying", "shared", "plain" */
	int optional;     /* runs only when asked for */
	int one_context;  /* cannot run where the devices' contexts differ */
	void (*program)(const void *problem, const struct bench_machine *machine, struct bench_clock *clock);
};

/** Whether there is a round to do: other versions have had their turns when this returns. */
int bench_round(struct bench_clock *clock);

/** What is timed begins when bench_start returns, and ends when bench_stop is called. Meanwhile nothing else
 *  runs. `result` is checked before bench_stop returns. */
void bench_start(struct bench_clock *clock);
void bench_stop(struct bench_clock *clock, const void *result);

struct benchmark {
	const char *name;
	const char *purpose; /* a sentence for --help */
	const char *classes; /* their names, separated by blanks; the first is the default */
	const struct bench_version *const *versions; /* up to NULL */
	/** The version that copies, without its exchanges; NULL: it has none. See common/local.h. */
	const struct bench_version *local;
	/** What the versions get; NULL: there is no such class. */
	const void *(*problem)(const char *class_name);
	/** Whether a result is right; `said` is told what was seen, in a few words. */
	int (*verify)(const void *problem, const void *result, char *said, size_t bytes);
	/** Operations of a run: the rate is given in millions of them a second. */
	double (*operations)(const void *problem);
	/** Says how so many devices share the work, where that can differ: ", grid 2x2". NULL: it cannot. */
	void (*say_cut)(int devices, char *said, size_t bytes);
	/** Before anything is measured: ends the program with status 2, having said why, where what was asked
	 *  for is not possible on these devices. `rounds`: of --rounds; 0: not given. NULL: all is possible. */
	void (*beforehand)(const struct bench_machine *machine, int rounds);
	/** What else was asked for, after the rounds, as further sections; NULL: there is nothing else.
	 *  Returns whether its results were right, having said what was not. */
	int (*afterwards)(const void *problem, const struct bench_machine *machine, struct report *report);
	/** Whether a problem needs no double precision. NULL: all need it. */
	int (*is_single)(const void *problem);
	/** Reads an option of the benchmark's own; 0: it is one, its value is possible. NULL: it has none. */
	int (*option)(const char *name, const char *value);
	const char *option_help;
};

/** The main function of a benchmark. Exit status: 0 good; 1 something failed or is wrong; 2 wrong usage; 77 it
 *  cannot run on these devices. */
int bench_main(const struct benchmark *benchmark, int argc, char **argv);

/** Ends the program with status 2: an option's value is possible, but not here; `why` in a few words. */
void bench_refuse(const char *benchmark, const char *option, const char *value, const char *why);

/** calloc that ends the program when there is no memory. */
void *bench_new(size_t bytes);

/** The first of device number `d`'s share of `items` when `count` devices get equal ones, in whole `units`. */
int bench_first(int items, int unit, int d, int count);

/** The larger one; NaN where one is NaN, unlike fmax: an error that is no number is the worst there is. */
static inline double worse(double a, double b)
{
	return a > b || a != a ? a : b;
}

#endif
