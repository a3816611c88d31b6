/* fork.h - what children of forks are told, and what they find. */
#ifndef HETERO_LIB_BASE_FORK_H
#define HETERO_LIB_BASE_FORK_H

#include <pthread.h>
#include <stdatomic.h>

/** How many forks lie between this process and the first that asked: what het__fork_generation returns, for
 *  those who have called it before. */
extern atomic_uint het__forks;
/** The same. Starts the counting. */
unsigned het__fork_generation(void);

/** From now on forks happen while no thread has this lock, so that no child finds it taken by a thread that it
 *  does not have. For few locks, which live as long as the process and are never held together. To be called
 *  before each taking of the lock that may be the first; without it, and without others of these. */
void het__fork_guards(pthread_mutex_t *lock);

/** Takes (drops) such a lock around what may fork itself, or wait for a thread that does, as drivers may to run
 *  a program: forks of the thread that has it wait for nobody, others for 15 seconds at most; if that was in
 *  vain, the child has the lock anew. A normal mutex, without others of these. */
void het__fork_lock(pthread_mutex_t *lock);
void het__fork_unlock(pthread_mutex_t *lock);

#endif
