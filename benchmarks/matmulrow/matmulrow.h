/* matmulrow.h - the versions of MatmulRow. */
#ifndef MATMULROW_MATMULROW_H
#define MATMULROW_MATMULROW_H

#include "common/bench.h"
#include "common/matrix.h"

extern const struct bench_version matmulrow_hetero, matmulrow_copying, matmulrow_shared, matmulrow_plain;

#endif
