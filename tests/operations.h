/* operations.h - the operations of random programs. */
#ifndef HETERO_TESTS_OPERATIONS_H
#define HETERO_TESTS_OPERATIONS_H

#include "program.h"

/** Does something with the program's arrays. */
void run_operation(struct program *p);

#endif
