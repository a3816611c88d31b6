/* handle.c - entering and leaving a system, and the rules about who may: forks, callbacks, dead handles. */
#include "system/handle.h"
#include "system/watch.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

/* ---- callbacks --------------------------------------------------------------------------------- */

het_status het__may_wait(const char *what)
{
	if (!het__in_callback())
		return HET_OK;
	return het__fail(HET_ERR_CONTEXT, "%s may wait, which is not allowed from inside a callback", what);
}

static _Thread_local struct het__ask *innermost; /* NULL: this thread is in no mapper */

void het__ask_begin(struct het__ask *ask, het_system *system)
{
	*ask = (struct het__ask){.system = system, .around = innermost};
	ask->magic = atomic_exchange(&system->magic, HET__MAGIC_MAPPING);
	innermost = ask;
}

/* Logs a refused call, because the mapper may not have looked at its status. */
void het__ask_end(struct het__ask *ask)
{
	innermost = ask->around;
	atomic_store(&ask->system->magic, ask->magic);
	if (ask->has_refused)
		het__log_failure(ask->system);
}

static struct het__ask *ask_of(const het_system *system)
{
	struct het__ask *ask = innermost;

	while (ask && ask->system != system)
		ask = ask->around;
	return ask;
}

static het_status refuse_mapper(struct het__ask *ask, const char *what)
{
	ask->has_refused = true;
	return het__fail(HET_ERR_CONTEXT, "%s: called by a function of HET_MAP_BY, which only calculates",
	                 what);
}

/* ---- handles ----------------------------------------------------------------------------------- */

static _Thread_local const het_system *closed_here; /* by this thread, which is in the middle of it */

/* What kind of live handle this is; NULL: none. */
static const char *kind_of(const void *handle)
{
	static const struct {
		unsigned magic;
		const char *is;
	} kinds[] = {{HET__MAGIC_SYSTEM, "a system"},
		     {HET__MAGIC_DEVICE, "a device"},
		     {HET__MAGIC_ARRAY, "an array"},
		     {HET__MAGIC_KERNEL, "a kernel"},
		     {HET__MAGIC_TEAM, "a team"}};
	unsigned magic;

	memcpy(&magic, handle, sizeof magic);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (kinds[i].magic == magic)
			return kinds[i].is;
	return NULL;
}

het_status het__complain_of(const void *handle, const char *wanted, const char *gone, const char *what)
{
	const char *const kind = handle ? kind_of(handle) : "NULL";

	return het__fail(HET_ERR_HANDLE, "%s%sthe %s is %s", what ? what : "", what ? ": " : "", wanted,
			 kind ? kind : gone);
}

het_status het__system_complain(const het_system *system, const char *what)
{
	const unsigned magic = system ? atomic_load(&system->magic) : HET__MAGIC_DEAD;
	const bool closing = magic == HET__MAGIC_CLOSING, settled = magic == HET__MAGIC_SETTLED;
	const bool mapping = magic == HET__MAGIC_MAPPING;
	const bool late = (closing && !het__in_callback() && system != closed_here) ||
			  (settled && (het__in_callback() || system != closed_here));

	if (mapping && ask_of(system))
		return refuse_mapper(ask_of(system), what);
	if (!closing && !settled && !mapping && magic != HET__MAGIC_SYSTEM)
		return het__complain_of(system, "system", "closed", what);
	if (late)
		return het__fail(HET_ERR_HANDLE, "%s: the system is being closed", what);
	if (!het__system_is_ours(system))
		return het__fail(HET_ERR_CONTEXT, "%s: the system was opened before a fork, by another process",
		                 what);
	return HET_OK;
}

/* Between come and go the system stays, and so do handles that are freed meanwhile. */
static atomic_int *come(het_system *system)
{
	atomic_int *const visitors = &system->visitors[atomic_load(&system->turn) % 2];

	atomic_fetch_add(visitors, 1);
	return visitors;
}

static void go(atomic_int *visitors)
{
	atomic_fetch_sub(visitors, 1);
}

static bool has_visitors(het_system *system)
{
	return atomic_load(&system->visitors[0]) > 0 || atomic_load(&system->visitors[1]) > 0;
}

static void lock_as_visitor(het_system *system)
{
	atomic_int *const visitors = come(system);

	pthread_mutex_lock(&system->lock);
	go(visitors);
}

/* Checks again with the lock: closing may have gone a step further while the call waited for it. */
het_status het__enter_closing(het_system *system, const char *what)
{
	het_status status = het__system_complain(system, what);

	if (status)
		return status;
	lock_as_visitor(system);
	status = het__system_check(system, what);
	if (status)
		pthread_mutex_unlock(&system->lock);
	return status;
}

/* A call that came before closing began is let in even if closing has begun meanwhile. */
het_status het__enter_waiting(het_system *system, const char *what)
{
	het_status status = HET_OK;

	lock_as_visitor(system);
	if (atomic_load(&system->magic) != HET__MAGIC_CLOSING)
		status = het__system_check(system, what);
	if (status)
		pthread_mutex_unlock(&system->lock);
	return status;
}

het_status het__device_complain(const het_device *device, const char *what)
{
	if (!device || device->magic != HET__MAGIC_DEVICE)
		return het__complain_of(device, "device", "of a closed system", what);
	return het__system_check(device->system, what);
}

/* ---- closing ----------------------------------------------------------------------------------- */

/* Waits a little, to look again: visitors cannot wake anybody, for once they have left the count the system may
 * be freed. With the lock, which is dropped meanwhile. */
static void wait_for_visitors(het_system *system)
{
	static const struct timespec soon = {.tv_nsec = 100000};

	pthread_mutex_unlock(&system->lock);
	nanosleep(&soon, NULL);
	pthread_mutex_lock(&system->lock);
}

static void wait_until_all_are_back(het_system *system)
{
	for (;;)
		if (system->waiting + system->holding > 0)
			pthread_cond_wait(&system->all_back, &system->lock);
		else if (has_visitors(system))
			wait_for_visitors(system);
		else
			return;
}

het_status het__system_shut(het_system *system)
{
	lock_as_visitor(system);
	if (atomic_load(&system->magic) != HET__MAGIC_SYSTEM) {
		pthread_mutex_unlock(&system->lock);
		return het__fail(HET_ERR_HANDLE, "het_close: the system is being closed by another thread");
	}
	atomic_store(&system->magic, HET__MAGIC_CLOSING);
	closed_here = system;
	wait_until_all_are_back(system);
	het__leave(system);
	return HET_OK;
}

void het__system_drain(het_system *system)
{
	pthread_mutex_lock(&system->lock);
	for (int room = HET__ROOMS; room-- > 0;)
		if (system->room[room].drain)
			system->room[room].drain(system);
	atomic_store(&system->magic, HET__MAGIC_SETTLED);
	het__leave(system);
}

void het__system_end(het_system *system)
{
	pthread_mutex_lock(&system->lock);
	atomic_store(&system->magic, HET__MAGIC_DEAD);
	closed_here = NULL;
	wait_until_all_are_back(system);
	pthread_mutex_unlock(&system->lock);
}

/* ---- leaving ----------------------------------------------------------------------------------- */

/* Drops the lock while log lines are handed out, which takes time, and takes it again. */
static void tell(het_system *system)
{
	system->holding++;
	pthread_mutex_unlock(&system->lock);
	if (system->watch)
		het__watch_flush(system);
	het__log_flush(system->logger);
	pthread_mutex_lock(&system->lock);
	het__back(system, &system->holding);
}

static void clear(void **graves)
{
	for (struct het__grave *grave = *graves, *next; grave; grave = next) {
		next = grave->next;
		het__free(grave);
	}
	*graves = NULL;
}

#ifndef HETERO_DEBUG_CHECKS

/* Where threads keep the lock busy there is always some visitor, so graves wait for certain ones only: old
 * graves for those who came before the last turn, as later ones cannot have seen them alive. Not inlined: else
 * the end of every call would save more registers. */
static __attribute__((noinline)) void clear_some(het_system *system)
{
	const unsigned turn = atomic_load(&system->turn);

	if (atomic_load(&system->visitors[(turn + 1) % 2]) > 0)
		return;
	clear(&system->old_graves);
	system->old_graves = system->graveyard;
	system->graveyard = NULL;
	atomic_store(&system->turn, turn + 1);
	if (!has_visitors(system))
		clear(&system->old_graves);
}

#endif

static __attribute__((noinline)) void tell_and_drop(het_system *system)
{
	tell(system);
	pthread_mutex_unlock(&system->lock);
}

void het__leave(het_system *system)
{
#ifndef HETERO_DEBUG_CHECKS
	if (system->graveyard && system->waiting + system->holding == 0 &&
	    atomic_load_explicit(&system->magic, memory_order_relaxed) == HET__MAGIC_SYSTEM)
		clear_some(system); /* not while closing: log functions may ask for what het_close frees */
#endif
	if (system->watch || atomic_load_explicit(system->log_news, memory_order_acquire))
		tell_and_drop(system);
	else
		pthread_mutex_unlock(&system->lock);
}

bool het__tell_news(het_system *system)
{
	if (!system->watch && !atomic_load_explicit(system->log_news, memory_order_acquire))
		return false;
	tell(system);
	return true;
}

/* While log lines are deferred a device is being opened, and the calls are the library's, not the program's. */
void het__log_failure(het_system *system)
{
	const char *const text = het__log_is_deferred() ? NULL : het__error_news();

	if (!text)
		return;
	het__log(system->logger, HET_LOG_INFO, "system", "a call failed: %s", text);
	if (atomic_fetch_add(&system->failed_calls, 1) == 0)
		atomic_store(&system->first_failed, het__strdup(text));
}

/* Failures are told also while a mapper runs in another thread. */
static bool may_tell(const het_system *system)
{
	return het__system_is_usable(system) ||
	       (system && atomic_load(&system->magic) == HET__MAGIC_MAPPING && !ask_of(system) &&
	        het__system_is_ours(system));
}

het_status het__refuse(het_system *system, het_status status)
{
	atomic_int *visitors;

	if (status >= HET_OK || !may_tell(system))
		return status;
	visitors = come(system);
	if (may_tell(system)) { /* else closing has begun, and may not have seen this visitor */
		het__log_failure(system);
		het__log_flush(system->logger);
	}
	go(visitors);
	return status;
}

het_status het__hold(het_system *system, const char *what)
{
	const het_status status = het__enter(system, what);

	if (status)
		return status;
	system->holding++;
	het__leave(system);
	return HET_OK;
}

het_status het__let_go(het_system *system, het_status status)
{
	pthread_mutex_lock(&system->lock);
	het__back(system, &system->holding);
	return het__leave_with(system, status);
}

/* ---- burial ------------------------------------------------------------------------------------ */

/* A call that dropped the lock, to wait or to build, looks at its handles when it has it again, and keeps it
 * until it ends. So where a call ends, and no other waits or builds, nobody can hold a dead handle. With debug
 * checks dead handles stay until the system is closed. */
void het__bury(het_system *system, void *handle)
{
	struct het__grave *const grave = handle;

	grave->magic = HET__MAGIC_DEAD;
	grave->next = system->graveyard;
	system->graveyard = grave;
}

void het__graveyard_clear(het_system *system)
{
	clear(&system->graveyard);
	clear(&system->old_graves);
}

#ifdef HETERO_DEBUG_CHECKS

/* Closed systems are never freed in this build, so that closing one again is noticed. The list keeps them
 * reachable, so that leak checkers do not mind. */
static _Atomic(het_system *) closed;

void het__system_bury(het_system *system)
{
	atomic_store(&system->magic, HET__MAGIC_DEAD);
	system->graveyard = atomic_load(&closed);
	while (!atomic_compare_exchange_weak(&closed, (het_system **)&system->graveyard, system))
		;
}

#else

void het__system_bury(het_system *system)
{
	atomic_store(&system->magic, HET__MAGIC_DEAD);
	het__free(system);
}

#endif
