/* options.h - what hetero-info was asked to show. */
#ifndef HETERO_INFO_OPTIONS_H
#define HETERO_INFO_OPTIONS_H

#include <stdbool.h>

enum action { SHOW, HELP, VERSION };

struct options {
	enum action action;
	bool json, brief;
	const char *devices;     /* NULL: $HETERO_DEVICES */
	const char *calibration; /* NULL: the machine */
	const char *picture, *plot;
	unsigned patience_s;
};

/** Reads the command line; false, with a line on stderr, when it is wrong. `argv` is kept. */
bool options_read(int argc, char **argv, struct options *options);

#endif
