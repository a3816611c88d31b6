/* table.h - what the devices have done, for people to read. */
#ifndef EXAMPLES_TABLE_H
#define EXAMPLES_TABLE_H

#include <hetero.h>

/** Row `d * rows / count` is the first of device number d's part when `rows` are cut evenly over `count`. */
int table_first_row(int rows, int d, int count);

/** Prints, on stdout, a line for each device (its part of `rows` unless that is 0, its launches, the time its
 *  kernels took, what went into and out of its memory), then totals, and a line for each way that data took.
 *  The system is open with the option `profile` and has nothing unfinished. */
void table_print(het_system *system, int rows);

#endif
