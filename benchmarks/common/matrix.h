/* matrix.h - the matrices of the products: small whole numbers, so that every product is exact. */
#ifndef COMMON_MATRIX_H
#define COMMON_MATRIX_H

#include <stddef.h>

#define MATRIX_KERNELS BENCHMARKS "/common/product.cl"

/* Of product.cl: what a work-item makes, how many items beside each other are a group (of panels: more), and
 * what the groups make. */
#define MATRIX_ITEM_ROWS 40
#define MATRIX_ITEM_COLS 8
#define MATRIX_GROUP 5
#define MATRIX_PANEL_GROUP 15
#define MATRIX_UNIT_ROWS MATRIX_ITEM_ROWS
#define MATRIX_UNIT_COLS (MATRIX_PANEL_GROUP * MATRIX_ITEM_COLS)

#define MATRIX_CLASSES "S W A B"

/** Two n x n matrices by rows. `panel`: the width of SUMMA's panels. */
struct matrix_problem {
	const char *name;
	int n, panel;
	const double *a, *b;
};

/** The class of this name with its matrices, or NULL. */
const void *matrix_problem(const char *name);

/** Whether `result`, n x n by rows, is the product exactly. */
int matrix_verify(const void *problem, const void *result, char *said, size_t bytes);

/** 2 n^3. */
double matrix_operations(const void *problem);

#endif
