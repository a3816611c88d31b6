/* prelude.c - the text of include/hetero/het.clh, as the build has made it a string. */
#include "kernel/source.h"

const char het__prelude[] =
#include "kernel/prelude.inc"
	;
