/* carry.h - one copy between stores, by a route that was chosen, as the tasks it takes.
 *
 * Called with the system's lock.
 */
#ifndef HETERO_LIB_ARRAY_CARRY_H
#define HETERO_LIB_ARRAY_CARRY_H

#include "array/value.h"

struct het__carriage {
	/** `from` is IN, `to` OUT or JOIN. Value NULL: memory of the caller's, or of no value now. */
	const struct het__access *from, *to;
	const struct het__value *of; /* where both values are NULL: whose cells they are */
	const struct het__route *route; /* NULL: the best of one hop */
	struct het__lane *asker;    /* who wants it; NULL: the host */
	struct het__holder *hearer; /* is told of the end of *task_p; NULL: nobody is */
};

/** Starts it. *task_p: with its end the target has the bytes. */
het_status het__carry(const struct het__carriage *carriage, struct het__ref *task_p);

/* What carry.c and through.c share. */

/** Starts a task with its accesses. `told` not NULL: with the task's end the target has the bytes, and this
 *  carriage's hearer is told. On an error the task is gone. */
het_status het__carriage_start(struct het__task *task, const struct het__access *access, int count,
			       const struct het__carriage *told, struct het__ref *ref_p);
/** May this route, which goes by staging buffers, make the copy? */
bool het__can_carry_through(const struct het__carriage *carriage, const struct het__hop *hop,
			    const struct het__route *route);
/** Makes the copy by staging buffers, where het__can_carry_through allows it. */
het_status het__carry_through(const struct het__carriage *carriage, const struct het__copy *copy,
			      struct het__ref *task_p);

#endif
