/* nbody_local.c - N-body by hand, copying, without its exchanges: no places are sent. */

#include "common/local.h"

#define nbody_copying nbody_local
#include "nbody/nbody_copying.c"
