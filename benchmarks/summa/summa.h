/* summa.h - the versions of SUMMA, and how they cut the result. */
#ifndef SUMMA_SUMMA_H
#define SUMMA_SUMMA_H

#include "common/bench.h"
#include "common/matrix.h"

#define SUMMA_BLOCKS_MOST HAND_DEVICES_MOST

/** A block of the result: rows [row, row + rows), columns [column, column + columns); its device. */
struct summa_block {
	int row, rows, column, columns, device;
};

/** Cuts the result into a grid of blocks, as --grid says; else 1 x 1, 1 x 2, 1 x 3, 2 x 2 for as many devices,
 *  and 1 x `devices` beyond. Returns how many there are. */
int summa_cut(struct summa_block blocks[SUMMA_BLOCKS_MOST], int n, int devices);

extern const struct bench_version summa_hetero, summa_copying, summa_shared, summa_local;

#endif
