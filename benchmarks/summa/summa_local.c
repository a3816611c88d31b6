/* summa_local.c - SUMMA by hand, copying, without its exchanges: no panel is brought. */

#include "common/local.h"

#define summa_copying summa_local
#include "summa/summa_copying.c"
