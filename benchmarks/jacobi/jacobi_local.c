/* jacobi_local.c - Jacobi by hand, copying, without its exchanges: no row is sent. */

#include "common/local.h"

#define jacobi_copying jacobi_local
#include "jacobi/jacobi_copying.c"
