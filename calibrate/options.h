/* options.h - what hetero-calibrate was asked to do. */
#ifndef HETERO_CALIBRATE_OPTIONS_H
#define HETERO_CALIBRATE_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum action { MEASURE, EXPLAIN, CHECK, DRY_RUN, HELP, VERSION };

struct options {
	enum action action;
	bool quick, separate, json;
	const char *from, *to; /* --only and --explain */
	size_t bytes;          /* --explain */
	const char *plot;      /* --plot */
	bool own_place;        /* the file is in the user's own folder for settings, which is made for it */
	char path[PATH_MAX];   /* of the file: --output, else where a measurement is written, else "" */
};

/** Reads the command line; false, with a line on stderr, when it is wrong. `argv` is kept and changed. */
bool options_read(int argc, char **argv, struct options *options);

#endif
