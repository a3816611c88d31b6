/* program.h - one random program while it runs: its arrays beside their models, its text, its verdict.
 *
 * Everything here fails the test with the text of the program and how to replay it.
 */
#ifndef HETERO_TESTS_PROGRAM_H
#define HETERO_TESTS_PROGRAM_H

#include <stddef.h>

#include <hetero.h>

#include "model.h"

#define ARRAYS_MOST 4
#define MAPS_MOST 3
#define PENDING_MOST 64
#define KINDS 6 /* of kernels */

enum home_kind { HOME_OWNED, HOME_ALIGNED, HOME_MISALIGNED, HOME_PITCHED, HOME_KINDS };

struct held_map {
	struct cells box;
	enum het_map_mode mode;
};

struct array {
	het_array *handle;
	int rank;
	enum home_kind kind;
	unsigned char *allocation, *memory; /* the caller's, where it is wrapped */
	size_t bytes;                       /* from `memory` on, padding included */
	size_t pitch[DIMS];                 /* of the home, bytes */
	struct model model;
	struct held_map map[MAPS_MOST];
	int maps;
};

/* The machine that the programs of a test run on. */
struct bench {
	const char *name; /* of the test case */
	het_system *system;
	struct machine machine;
	het_kernel *kernel[2][KINDS]; /* by what alignment they ask for, by number */
};

/* A box on its way to or from memory of ours. */
struct pending {
	struct array *array; /* NULL: only het_wait_all is certain to have waited for it */
	int count;
	uint32_t *memory, *expected; /* expected NULL: memory is being read */
};

struct blame;

struct program {
	const struct bench *bench;
	uint64_t seed;
	struct blame *blame; /* where something is going to fail: blame.h; else NULL */
	int operation;       /* number of the present one */
	struct array array[ARRAYS_MOST];
	int arrays, largest; /* extent */
	int packed_once_in;  /* so many arguments */
	bool bytes_are_open; /* which bytes move is not the model's to say */
	struct moved moved;
	struct pending pending[PENDING_MOST];
	int pendings;
	struct het_stats before;
	size_t length; /* of the text */
	char text[1 << 16];
};

/** Adds a line to the program's text. */
void say(struct program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Ends the test: prints the program, the reason, and how to run this program again. */
void fail_program(const struct program *p, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/** Fails unless the call did what it was to do: HET_OK, or HET_ERR_MAPPED when it conflicts with a map; where
 *  something is to fail (p->blame), also unless that is why the call did not. */
void expect_status( struct program *p, het_status status, bool conflict);

const char *box_text(const struct array *a, const struct cells *box);
struct het_box het_box_from(const struct array *a, const struct cells *box);
struct het_view view_from(const struct array *a, const struct cells *box);
struct array *any_array(struct program *p);
struct cells random_cells(const struct cells *inside);
uint32_t random_value(void);

/** Makes array number `index` of the program anew; frees (or discards) it, and looks at the caller's memory. */
void make_array(struct program *p, int index);
void free_array(struct program *p, int index, bool discard);

/** Says of a part of a box, the last write of which changed nothing, that it is unmodified. Not where something
 *  is to fail: what is lost then is not the model's to say. */
void unmodified(struct program *p, struct array *a, const struct cells *box);

/** Compares a box in memory with the model; `pitch` are the steps of that memory. */
void compare_cells(const struct program *p, const struct array *a, const struct cells *box, const void *memory,
		   const size_t *pitch);
/** Whether reading (writing) the box conflicts with a map. */
bool is_mapped(const struct array *a, const struct cells *box, bool write);

/** Memory for `count` elements that takes part in something asynchronous. `expected` as in struct pending. */
void add_pending(struct program *p, struct array *a, uint32_t *memory, uint32_t *expected, int count);
/** Waits for an array, or, with NULL, for all, and settles what is on its way. */
void wait_for(struct program *p, struct array *a);
/** What is certain to be finished after het_wait(a->handle), or, with NULL, het_wait_all, which returned
 *  this. */
void settle_pending(struct program *p, const struct array *a, het_status status);

/** Begins a program; ends it: every array's value, every byte that moved. */
void begin_program(struct program *p, const struct bench *bench, uint64_t seed);
void end_program(struct program *p);
/** Fails if something of the program is still there. */
void check_nothing_left( struct program *p);

#endif
