/* carry.h - one copy between stores, by a route that was chosen, as the tasks it takes.
 *
 * Called with the system's lock.
 */
#ifndef HETERO_LIB_ARRAY_CARRY_H
#define HETERO_LIB_ARRAY_CARRY_H

#include "array/value.h"

struct het__carriage {
	/** IN, and OUT or JOIN; either may have value NULL: memory of the caller's, or of no value now. */
	const struct het__access *from, *to;
	const struct het__value *of; /* where both have: whose cells they are */
	const struct het__route *route; /* NULL: the best of one hop */
	struct het__lane *asker;    /* who wants it; NULL: the host */
	struct het__holder *hearer; /* of the end of *task_p, or NULL */
};

/** Starts it. *task_p: with its end the target has the bytes. */
het_status het__carry(const struct het__carriage *carriage, struct het__ref *task_p);

/* What carry.c and through.c share. */

/** Starts a task with its accesses. `told`, not NULL: with its end the target has the bytes, as the carriage's
 *  hearer is told. On an error the task is gone. */
het_status het__carriage_start(struct het__task *task, const struct het__access *access, int count,
			       const struct het__carriage *told, struct het__ref *ref_p);
/** May this route, by staging buffers, take it over the hop? */
bool het__can_carry_through(const struct het__carriage *carriage, const struct het__hop *hop,
			    const struct het__route *route);
/** By staging buffers, where it may. */
het_status het__carry_through(const struct het__carriage *carriage, const struct het__copy *copy,
			      struct het__ref *task_p);

#endif
