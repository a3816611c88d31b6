/* guest.h - memory that takes part in a few tasks without being an array: the caller's, or scratch.
 *
 * A guest has a store without a value. It lives until its owner has let go and every task that it hears of
 * has ended. Called with the system's lock.
 */
#ifndef HETERO_LIB_ARRAY_GUEST_H
#define HETERO_LIB_ARRAY_GUEST_H

#include "array/array.h"

struct het__guest {
	struct het__holder holder; /* given to each of its tasks */
	struct het__store store;
	struct het__value *value;  /* told of failed asynchronous copies; the guest is one of its users */
	struct het__failure *cause;
	int pending;               /* tasks that have not ended */
	HET__VEC(struct het__ref) makers; /* tasks that write the guest */
	bool released, told;       /* told: the owner looks at `cause` itself */
	struct het__guest *next, **at; /* in the list of het__scratches; `at` NULL: it is not in it */
};

/** The first of the scratches in devices' memories, the last made first; NULL: there is none. Kept in
 *  array.c. */
struct het__guest **het__scratches(const het_system *system);

/** Memory of the caller's that holds (or gets) `box` of `value`, dense. */
het_status het__guest_of_caller(struct het__value *value, void *memory, const struct het__box *box,
                                struct het__guest **guest_p);
/** Scratch for `box` of `value` in the memory of `like`, or the host's where there is no room. */
het_status het__guest_scratch(struct het__value *value, const struct het__store *like,
			      const struct het__box *box, struct het__guest **guest_p);
/** Waits until the tasks that it hears of have ended. Drops the lock meanwhile. */
void het__guest_wait(struct het__guest *guest);
/** The owner lets go. */
void het__guest_release(struct het__guest *guest);

/** Copies `box` of `value` to where `to` says (its box begins at the target of the first cell), piece by piece
 *  from the best sources; lost cells become a failed task. Every piece's task tells `guest` when not NULL. */
het_status het__pieces_move(struct het__value *value, const struct het__box *box, const struct het__access *to,
                            struct het__guest *guest);

#endif
