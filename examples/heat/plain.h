/* plain.h - the same plate computed by a plain C loop, to check the devices by. */
#ifndef HEAT_PLAIN_H
#define HEAT_PLAIN_H

/** Degrees of the first row; all others begin with 0. */
#define HOT 100.0f

/** The plate of size x size cells after so many steps, row by row; the caller frees it. NULL: no memory. */
float *plain_plate(int size, int steps);

#endif
