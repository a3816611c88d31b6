/* callback.h - whether this thread is inside a function of the user's. */
#ifndef HETERO_LIB_BASE_CALLBACK_H
#define HETERO_LIB_BASE_CALLBACK_H

#include <stdbool.h>

/** True between the two, which nest: on a thread that runs a host function, a native function or a log
 *  function, of any system. */
bool het__in_callback(void);
void het__callback_begin(void);
void het__callback_end(void);

#endif
