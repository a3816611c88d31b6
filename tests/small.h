/* small.h - two arrays that change places, larger than a buffer of a fake device may be, and their model. */
#ifndef HETERO_TESTS_SMALL_H
#define HETERO_TESTS_SMALL_H

#include "face.h"

#include "fakes.h"
#include "platforms.h"

enum { CARDS = 3, N = 64, ROW = N * sizeof(int) };

/** Kernels: plain, and with windows sum, add, bump. */
extern const char small_text[];

struct field {
	het_system *system;
	het_kernel *sum;
	het_array *a, *b;
	int rows;
	int (*now)[N], (*next)[N];
};

/** On a fake machine of CARDS devices; the values are random. */
void open_field(struct field *f, const char *machine, int rows);
void close_field(struct field *f);
het_array *rows_of(het_system *system, int rows);

/** The model's step, of rows [lo, hi), and what comes after the last. */
void model_rows(struct field *f, int lo, int hi);
void model_swap(struct field *f);
/** One step of both, by a spread over all devices. */
void spread(struct field *f);
void assert_field(struct field *f);

/** Adds 1 to rows [lo, hi) of `a` on a device, again and again until it works: returns how often it did not. */
int bump_rows(struct field *f, het_kernel *bump, int card, int lo, int hi);

/** What arrays take of a device's memory. */
int bytes_on(het_system *system, int card);

#endif
