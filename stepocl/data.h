/* data.h - where each argument's elements come from and go to. */
#ifndef HETERO_STEPOCL_DATA_H
#define HETERO_STEPOCL_DATA_H

#include "description.h"
#include "options.h"

struct datum {
	const char *in, *out; /* files; NULL: none */
	bool given;           /* `value` is: of a number, or of every element */
	union {
		unsigned char byte[8];
		float real;
		double wide;
		int64_t whole;
	} value;
	bool sloped; /* float and double: and `step` more for each index */
	double base, step[MOST_RANK];
	bool copied; /* the output: begins as the input that it becomes */
};

/** Are --in, --out and --fill about arguments that there are, each said once? `data` is what they say. False,
 *  with a line on stderr. */
bool data_named(const struct options *options, const struct description *description, struct datum *data);

/** What --in, --out and --fill mean for the arguments, into `data` (as many as the description has). False,
 *  with a line on stderr, when they mean nothing, or an input has no data. */
bool data_resolve(const struct options *options, const struct description *description, struct datum *data);

/** Is nothing written over what it is made of: the description, the kernel's file, for a program also the data?
 *  Elements may go back to where they came from: they have all been read. False, with a line on stderr. */
bool data_spare(const struct options *options, const char *kernel, const struct description *description,
		const struct datum *data);

/** Can every file be written that --out names? Asked before the work, not after it. False, with a line on
 *  stderr. */
bool data_may_write(const struct description *description, const struct datum *data);

/** Where --out names standard output, what is printed from now on goes to standard error. False, with a line on
 *  stderr. */
bool data_keep_output(const struct description *description, const struct datum *data);

/** Puts the elements into memory, of an argument with .in or .sloped. False, with a line on stderr. */
bool data_load(const struct argument *argument, const struct datum *datum, void *memory);

/** Writes them to .out. False, with a line on stderr. */
bool data_save(const struct argument *argument, const struct datum *datum, const void *memory);

#endif
