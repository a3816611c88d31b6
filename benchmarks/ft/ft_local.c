/* ft_local.c - FT by hand, copying, without its exchanges: no box is sent. */

#include "common/local.h"

#define ft_copying ft_local
#include "ft/ft_copying.c"
