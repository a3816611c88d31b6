/* callback.c - how deep this thread is inside functions of the user's. */
#include "base/callback.h"

static _Thread_local int depth;

bool het__in_callback(void)
{
	return depth > 0;
}

void het__callback_begin(void)
{
	depth++;
}

void het__callback_end(void)
{
	depth--;
}
