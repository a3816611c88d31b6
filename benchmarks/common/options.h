/* options.h - the command line of a benchmark. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "common/bench.h"

struct bench_options {
	char first_class[16]; /* of the benchmark: the default */
	char own[96];         /* the benchmark's own as they were given: " --size 512 --steps 10" */
	const char *class_name, *devices, *versions;
	enum het_share share;
	int rounds, json, memory, only_verify;
	int rounds_given; /* by --rounds; 0: it was not said */
	int seconds;      /* of all rounds; 0: however long they take */
};

/** Reads the options; prints help and ends the program where that was asked for, and with status 2, naming
 *  what is wrong, where something is. */
void bench_options_read(struct bench_options *options, const struct benchmark *benchmark, int argc,
			char **argv);

/** Whether a version is to run: named by --version, or, without it, `usually`. */
int bench_options_want(const struct bench_options *options, const char *version, int usually);

#endif
