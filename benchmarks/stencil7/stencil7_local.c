/* stencil7_local.c - the 7-point stencil by hand, copying, without its exchanges: no planes are sent. */

#include "common/local.h"

#define stencil7_copying stencil7_local
#include "stencil7/stencil7_copying.c"
