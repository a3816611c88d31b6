/* blas.h - the same product by CLBlast, a library that knows nothing of Hetero. */
#ifndef PRODUCT_BLAS_H
#define PRODUCT_BLAS_H

#include <hetero.h>

/** Whether the program was built with CLBlast. */
int blas_is_there(void);

/** Starts rows [lo, hi) of c = a b on a device, by CLBlast; does not wait. */
het_status blas_product(het_device *device, het_array *c, het_array *a, het_array *b, int lo, int hi);

#endif
