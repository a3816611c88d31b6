/* blame.h - random programs during which something fails: which values may be lost, and by whose failure.
 *
 * The model of a program notes for every cell by which operations its value came about. An operation that
 * failed loses every cell that has it among them, and one launch loses all or nothing. Cells that were seen
 * to be there are never lost again: what made them has succeeded.
 *
 * One failure, where the driver runs what comes after it, is that of one task, or of a call (but for the
 * mapping of a staging buffer, which is one for several transfers). A call that is refused changes nothing:
 * nothing is lost. A map whose data could not be brought to the host was not refused: it waited for a
 * transfer, which may be one that an earlier launch had asked for. A task that fails is an operation
 * itself, or a transfer to where that operation reads a box: then whoever reads this copy of the box later
 * is lost with it, and has read cells that the operation has read before him. So every cell keeps who made
 * it and who has read it since, and what is made of it inherits both: all lost cells have one operation in
 * common.
 *
 * Operations are numbered from 0 and must be fewer than OPERATIONS_MOST.
 */
#ifndef HETERO_TESTS_BLAME_H
#define HETERO_TESTS_BLAME_H

#include "program.h"

#define OPERATIONS_MOST 63
#define BLAME_UNSURE (UINT64_C(1) << OPERATIONS_MOST) /* not lost with certainty when what made it is */

struct blame {
	const char *word; /* in the message of every failure */
	bool one_launch;  /* what fails is the execution of one kernel, and nothing fails of itself beside it */
	bool one_task;    /* the driver runs what comes after a failure */
	bool all_may_go;  /* a failure takes along whatever lies on the device alone */
	bool refused;     /* a call was: nothing else fails */
	int told;         /* calls that failed */
	uint64_t whole;   /* launches and host functions, which lose all or nothing: bits by number */
	uint64_t good;    /* of these, what is known to have succeeded */
};

/** Whether a call may have failed with this status and the present message. */
bool blame_explains(struct blame *blame, het_status status);

/** The present operation; what made any of a box; makes a box be made, and touched, by these. */
static inline uint64_t blame_bit(const struct program *p)
{
	return UINT64_C(1) << p->operation % OPERATIONS_MOST;
}
uint64_t blame_of(const struct array *a, const struct cells *box);
void blame_set(struct array *a, const struct cells *box, uint64_t made_by);
/** The present operation reads a box. Returns what has touched any of it by now. */
uint64_t blame_touch(const struct program *p, struct array *a, const struct cells *box);
/** Makes a box be made by these and touched by those. */
void blame_make(struct array *a, const struct cells *box, uint64_t made_by, uint64_t touched_by);
/** Cell by cell, and by the present operation. What overlaps its source goes through scratch memory: there a
 *  lost cell may take others along. */
void blame_copy(const struct program *p, struct array *to, const struct cells *to_box, struct array *from,
		const struct cells *from_box);

/** A copy was refused half way (a call that fails otherwise changes nothing): each cell is as before or copied.
 *  The model gets the values that are there, or new ones are written. */
void blame_half_copy(struct program *p, struct array *to, const struct cells *to_box, const struct array *from,
		     const struct cells *from_box);

/** A box was read (`seen`: its value is here now) with this status. Fails if it is lost and cannot be. */
void blame_read(struct program *p, struct array *a, const struct cells *box, bool seen, het_status status);
/** The same of a whole array, or of all, after a wait. */
void blame_waited(struct program *p, struct array *a, het_status status);
/** Whether a cell may be lost. */
bool blame_left(const struct blame *blame, const struct array *a, int i, int j, int k);

/** Waits until everything has been executed and every failure told. What is only executed by this may fail. */
void blame_wait(struct program *p);
/** Ends such a program, after blame_wait, when nothing fails any more: every cell is right, or lost for a
 *  reason. Returns the number of lost ones. */
int blame_end(struct program *p);

#endif
