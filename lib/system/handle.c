/* handle.c - entering and leaving a system, and the rules about who may: fork, callbacks, dead handles. */
#include "system/handle.h"
#include "system/seat.h"
#include "system/watch.h"

#include <stdatomic.h>

#include "base/alloc.h"

/* ---- fork -------------------------------------------------------------------------------------- */

atomic_uint het__forks;
static pthread_once_t watching = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
	atomic_fetch_add_explicit(&het__forks, 1, memory_order_relaxed);
	het__seats_forget();
}

static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, count_fork); /* fails only without memory: forks are then not seen */
}

unsigned het__fork_generation(void)
{
	pthread_once(&watching, watch_forks);
	return atomic_load_explicit(&het__forks, memory_order_relaxed);
}

/* ---- callbacks --------------------------------------------------------------------------------- */

static _Thread_local int callback_depth;

bool het__in_callback(void)
{
	return callback_depth > 0;
}

void het__callback_begin(void)
{
	callback_depth++;
}

void het__callback_end(void)
{
	callback_depth--;
}

het_status het__may_wait(const char *what)
{
	if (callback_depth == 0)
		return HET_OK;
	return het__fail(HET_ERR_CONTEXT, "%s may wait, which is not allowed from inside a callback", what);
}

/* ---- handles ----------------------------------------------------------------------------------- */

het_status het__system_check(const het_system *system, const char *what)
{
	if (!system || system->magic != HET__MAGIC_SYSTEM)
		return het__fail(HET_ERR_HANDLE, "%s: the system is %s", what, system ? "closed" : "NULL");
	if (!het__system_is_usable(system))
		return het__fail(HET_ERR_CONTEXT, "%s: the system was opened before a fork, by another process",
		                 what);
	return HET_OK;
}

het_status het__device_complain(const het_device *device, const char *what)
{
	if (!device || device->magic != HET__MAGIC_DEVICE)
		return het__fail(HET_ERR_HANDLE, "%s: the device is %s", what,
		                 device ? "of a closed system" : "NULL");
	return het__system_check(device->system, what);
}

void het__leave(het_system *system)
{
#ifndef HETERO_DEBUG_CHECKS
	if (system->graveyard && system->waiting + system->holding == 0)
		het__graveyard_clear(system);
#endif
	pthread_mutex_unlock(&system->lock);
	if (system->watch)
		het__watch_flush(system);
	het__log_flush(system->logger);
}

/* ---- burial ------------------------------------------------------------------------------------ */

/* What a handle is made into: it needs no memory of its own. */
struct grave {
	unsigned magic;
	struct grave *next;
};

/* A call that waited or built looks at its handles afterwards, and keeps the lock until it ends. Where a call
 * ends, and no other does either, nobody can hold a dead one. With debug checks they stay until the system is
 * closed. */
void het__bury(het_system *system, void *handle)
{
	struct grave *const grave = handle;

	*grave = (struct grave){HET__MAGIC_DEAD, system->graveyard};
	system->graveyard = grave;
}

/* Not within the end of every call, which would have more registers to save. */
__attribute__((noinline)) void het__graveyard_clear(het_system *system)
{
	for (struct grave *grave = system->graveyard, *next; grave; grave = next) {
		next = grave->next;
		het__free(grave);
	}
	system->graveyard = NULL;
}

#ifdef HETERO_DEBUG_CHECKS

/* Closed systems are never freed in this build, so that closing one again is noticed. The list keeps them
 * reachable, so that leak checkers do not mind. */
static _Atomic(het_system *) closed;

void het__system_bury(het_system *system)
{
	system->magic = HET__MAGIC_DEAD;
	system->graveyard = atomic_load(&closed);
	while (!atomic_compare_exchange_weak(&closed, (het_system **)&system->graveyard, system))
		;
}

#else

void het__system_bury(het_system *system)
{
	system->magic = HET__MAGIC_DEAD;
	het__free(system);
}

#endif
