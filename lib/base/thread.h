/* thread.h - threads of the library. */
#ifndef HETERO_LIB_BASE_THREAD_H
#define HETERO_LIB_BASE_THREAD_H

#include <pthread.h>

/** Starts a thread that gets none of the process's signals: these are for the program's own threads, which may
 *  wait for them. What a fault of its own raises it gets, and what profilers count with. 0, or an error
 *  number. */
int het__thread_start(pthread_t *thread, void *(*run)(void *), void *about);

/** A condition to wait for also until het__host_ns() shows some time. */
void het__cond_init(pthread_cond_t *condition);

#endif
