/* thread.h - threads of the library. */
#ifndef HETERO_LIB_BASE_THREAD_H
#define HETERO_LIB_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** Starts a thread that gets none of the process's signals: these are for the program's own threads, which may
 *  wait for them. It does get what faults of its own raise, and what profilers count with. 0, or an error
 *  number. */
int het__thread_start(pthread_t *thread, void *(*run)(void *), void *about);

/** A condition for het__cond_wait_until. */
void het__cond_init(pthread_cond_t *condition);
/** As pthread_cond_wait, but at the latest until het__host_ns() shows `until_ns`. */
void het__cond_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until_ns);

/** Locks; false if another thread, or this one, keeps the lock for a second more. For the end of the
 *  program, when threads may have been stopped for good. */
bool het__lock_for_a_second(pthread_mutex_t *lock);

#endif
