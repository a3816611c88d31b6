/* array.h - the user's handle to a value, its maps, and how an operation on it begins.
 *
 * Called with the system's lock unless a comment says otherwise.
 */
#ifndef HETERO_LIB_ARRAY_ARRAY_H
#define HETERO_LIB_ARRAY_ARRAY_H

#include <hetero/array.h>

#include "array/value.h"

/** From map to unmap the host holds a box. */
struct het__map {
	struct het__box box;
	enum het_map_mode mode;
	int count;   /* equal read maps are counted */
	int pending; /* of these, calls that still wait for their data: nobody can unmap them yet */
};

struct het_array {
	unsigned magic;
	het_system *system;
	bool freed;    /* being freed, or to be by the last unmap: calls refuse it */
	bool discard;  /* ... that unmap is to do so as het_array_discard */
	bool wrapped;
	struct het__value *value;
	HET__VEC(struct het__map) maps;
	struct het_shape shape;
	struct het_array *prev, *next; /* of the system's arrays */
};
HET__CAN_BE_BURIED(het_array);

/** Checks the handle and begins an operation that may make tasks: takes the lock, waits for room in the window,
 *  and where there are several contexts ends what has finished. `what` names the call. Without the lock. */
het_status het__array_enter(het_array *array, const char *what);
/** The same for an operation of a system. */
het_status het__operation_enter(het_system *system, const char *what);
/** The same for a call that makes no tasks, or waits for those that it makes: it does not wait for room. */
het_status het__array_enter_at_once(het_array *array, const char *what);
het_status het__operation_enter_at_once(het_system *system, const char *what);
/** As het__refuse, of a call that was given this array, which need not be one. */
het_status het__array_refuse(const het_array *array, het_status status) __attribute__((cold));
/** Submits what is ready, checks invariants in debug builds, drops the lock. */
void het__operation_leave(het_system *system);
/** The same at the end of a call that has this status: as het__leave_with. */
static inline het_status het__operation_leave_with(het_system *system, het_status status)
{
	if (status < HET_OK)
		het__log_failure(system);
	het__operation_leave(system);
	return status;
}
/** Waits in the midst of an operation for a task, as het__task_wait; for one behind a user's function perhaps
 *  in vain (het__task_wait_behind_user). If other operations came meanwhile, this one goes on under a new
 *  stamp: neither what they used counts as in use by it, nor what it used before. */
void het__operation_wait(het_system *system, struct het__ref task);
/** After HET__AGAIN: waits for what stood in the way; HET_OK to try again. */
het_status het__operation_wait_again(het_system *system);

/** From here on, what the operation has used so far may give way to what it does next, once the tasks that use
 *  it have ended. */
void het__operation_next(het_system *system);

/** Is it an array of this system? The message of a failure names it where that is possible. */
het_status het__array_usable(const het_array *array, const het_system *system);
static inline bool het__array_is_of(const het_array *array, const het_system *system)
{
	return array && array->magic == HET__MAGIC_ARRAY && array->system == system && !array->freed;
}

/** The view's box, completed and checked: HET_ERR_HANDLE, HET_ERR_SHAPE. `what` begins the message; with NULL
 *  the caller puts something before it. The array belongs to `system`. */
het_status het__view_resolve(const struct het_view *view, const het_system *system, const char *what,
                             struct het__box *box);

/** HET_ERR_MAPPED when a read (write) of `box` conflicts with a map. `what` as in het__view_resolve. */
het_status het__maps_allow(const het_array *array, const struct het__box *box, bool write, const char *what);

/** het__value_check of all arrays; aborts where an invariant is broken. Debug checks only. */
void het__arrays_check(het_system *system);

/** Waits until no task uses any of the value's stores. Drops the lock meanwhile; the caller counts as one of
 *  the value's users. */
void het__value_settle(struct het__value *value);

/** A whole call, which `what` names: waits until no task uses the array, then calls `look`. Without the lock;
 *  `look` is called with it. The handle may be gone by then. */
het_status het__array_look(het_array *array, const char *what, het_status (*look)(struct het__value *value));

/** Waits until no unfinished task conflicts with the host's reading (writing) of `box` in the home store.
 *  Drops the lock meanwhile. */
void het__home_wait(struct het__value *value, const struct het__box *box, bool write);

/** Waits until the tasks have ended that promised cells of the box which are settled nowhere. A transfer may be
 *  known to fail before; whether its cells are lost is known only then. Drops the lock meanwhile. */
void het__makers_wait(struct het__value *value, const struct het__box *box);

/** HET_ERR_LOST where part of the box has no value: the message says which part, and why. HET_OK also where a
 *  task has promised the value. */
het_status het__value_lost(const struct het__value *value, const struct het__box *box);

/** Brings a box to the home store and waits until it is there. Drops the lock meanwhile.
 *  HET_ERR_LOST (cells without a value; the others are there), HET_ERR_DEVICE (a transfer failed). */
het_status het__home_fetch(struct het__value *value, const struct het__box *box);

/** Makes an array in the library's memory. `label` NULL: it is the program's, and named by its number.
 *  HET_ERR_ARGUMENT, HET_ERR_SHAPE, HET_ERR_MEMORY. */
het_status het__array_new(het_system *system, het_type type, const struct het_shape *shape, const char *label,
			  het_array **array_p);

/** Puts a new array in front of its system's others. `label` NULL: named by its number. */
void het__array_list(het_array *array, const char *label);
/** The first of a system's arrays; `next` leads to the others. */
het_array *het__arrays_first(const het_system *system);

/** Frees an array for good: writes a wrapped one back first unless `discard`, and waits until no task uses its
 *  memory. HET_ERR_LOST: it is gone all the same; any other error: it is as it was. */
het_status het__array_destroy(het_array *array, bool discard);

#endif
