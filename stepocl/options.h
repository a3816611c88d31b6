/* options.h - what hetero-stepocl was asked to do. */
#ifndef HETERO_STEPOCL_OPTIONS_H
#define HETERO_STEPOCL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_WISHES = 96 };

enum action { RUN, PLAN, EMIT, HELP, VERSION };

/** What --in NAME=- and --out NAME=- stand for. */
#define STANDARD_INPUT "/dev/stdin"
#define STANDARD_OUTPUT "/dev/stdout"

enum wish_kind { IN, OUT, FILL };

/** NAME=TEXT of --in, --out and --fill. */
struct wish {
	enum wish_kind kind;
	const char *given, *text; /* the whole, and what follows = */
};

struct options {
	enum action action;
	const char *description, *kernel; /* NULL: the file that the description names */
	const char *devices;              /* NULL: $HETERO_DEVICES */
	const char *program;              /* --emit-c */
	int devices_planned;              /* --plan */
	int64_t iterations;               /* 0: as described */
	int wishes;
	struct wish wish[MOST_WISHES];
};

/** "hetero-stepocl: --fill NAME=TEXT: why" on stderr, and that --help lists the options; false. */
bool wrong_wish(const struct wish *wish, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Reads the command line; false, with a line on stderr, when it is wrong. `argv` is kept. */
bool options_read(int argc, char **argv, struct options *options);

#endif
