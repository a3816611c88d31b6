/* shawa_local.c - ShaWa by hand, copying, without its exchanges: neither rows nor paces are sent. */

#include "common/local.h"

#define shawa_copying shawa_local
#include "shawa/shawa_copying.c"
