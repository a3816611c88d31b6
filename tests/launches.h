/* launches.h - the operations of random programs that compute. */
#ifndef HETERO_TESTS_LAUNCHES_H
#define HETERO_TESTS_LAUNCHES_H

#include "program.h"

/** Makes the kernels that launches choose from. */
het_status make_kernels(struct bench *bench);

/** A random kernel on a random device; the same as a host function. */
void do_launch(struct program *p);
void do_call(struct program *p);

#endif
