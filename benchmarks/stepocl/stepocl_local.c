/* stepocl_local.c - STEPOCL's stencil by hand, copying, without its exchanges: no row is sent. */

#include "common/local.h"

#define stepocl_copying stepocl_local
#include "stepocl/stepocl_copying.c"
