/* bench.h - opens what random programs run on. */
#ifndef HETERO_TESTS_BENCH_H
#define HETERO_TESTS_BENCH_H

#include "program.h"

/** Opens the system, describes its machine for the model and makes the kernels. False, with the reason on
 *  stdout, where no such device is installed. */
bool open_bench(struct bench *bench, const struct het_options *options);

#endif
