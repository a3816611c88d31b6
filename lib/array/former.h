/* former.h - which stores held the value that a box had before its last write.
 *
 * A write makes its store the only member of a box. What the other stores have of it stays as it was for a
 * while: if the program then says that the write changed nothing (het_unmodified), it is the value. So every
 * write, by a task or by the host, notes as former copies what was settled or promised in other stores. A
 * former copy ends when the box is written again, when its store gets the box anew or may have begun to, and
 * when its store goes.
 *
 * They are kept beside the entries and not in them: how boxes were shared before their last write makes no
 * difference to how they are shared now, and must not cut what is read with one transfer. To forget one costs
 * a transfer at most. So nothing here fails: without memory, and above HET__FORMERS_MOST, some are forgotten.
 *
 * Invariants (het__directory_check):
 *   F1  where there is a former copy, its store is no member; none is empty, no two of one store overlap;
 *   F2  the task that a former copy waits for is alive: with its end the copy is settled, or forgotten.
 *
 * Called with the system's lock.
 */
#ifndef HETERO_LIB_ARRAY_FORMER_H
#define HETERO_LIB_ARRAY_FORMER_H

#include "array/entries.h"

#define HET__FORMERS_MOST 32

struct het__former {
	struct het__box box;
	int slot;
	struct het__ref by; /* the task that had promised it; a NULL reference: it is settled */
};

/** The former copies of one directory; the oldest first. */
struct het__formers {
	HET__VEC(struct het__former) list;
	uint64_t forgotten; /* for want of room */
	/** Told of each of these; for tests. NULL: nobody. */
	void (*forgot)(const struct het__box *box, int slot);
};

struct het__directory;

/** Ends the former copies of the box: those in store `slot`, which gets it anew, or (HET__ANY_STORE) all. */
#define HET__ANY_STORE -1
void het__formers_outdate(struct het__directory *dir, const struct het__box *box, int slot);
/** An entry is written through `slot`: its other members are former copies now. After het__formers_outdate. */
void het__formers_note(struct het__directory *dir, const struct het__entry *e, int slot);
/** A transfer of the box to store `slot` begins. Even if it is never entered as a whole, its first parts may be
 *  on their way there. HET__ANY_STORE: the box is written by what changes no store. */
void het__formers_overwrite(struct het__directory *dir, const struct het__box *box, int slot);
/** Store `slot` goes. */
void het__formers_drop(struct het__directory *dir, int slot);
/** Task `by` has ended. */
void het__formers_end(struct het__directory *dir, struct het__ref by, const struct het__failure *cause);

#endif
