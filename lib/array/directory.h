/* directory.h - which stores hold the current value of which box of an array.
 *
 * Disjoint boxes tile the array; each has the set of stores that hold its value. A member is settled (its
 * bytes are known to be there) or promised (the task that puts them there is not known to have succeeded).
 * Multiple readers, single writer: reading adds members, writing makes the writer the only one.
 *
 * Invariants (het__directory_check, but for D5, which is about transitions: tests/protocol_replay):
 *   D1  the entries' boxes are not empty, disjoint, and tile the array;
 *   D2  settled and promised have no member in common, and every promised member has exactly one promise;
 *   D3  an entry has a member or a poison (the failure that lost its value), never both;
 *   D4  promises are of live tasks;
 *   D5  nothing but a write takes the last settled member out of an entry.
 *
 * Entries are kept few: equal neighbours are joined, and above `most` entries unequal ones are merged with the
 * and of their sets, where a settled common member remains (D5). Neither looks again at what it has seen and
 * what has not changed since:
 *   D6  of two neighbours that could be joined one lies at least partly in `changed`;
 *   D7  of two neighbours that could be merged one lies at least partly in `changed` or `unsearched`.
 *
 * Beside the entries it is noted who held what was written last (array/former.h).
 *
 * Called with the system's lock. Functions that can fail change nothing when they do.
 */
#ifndef HETERO_LIB_ARRAY_DIRECTORY_H
#define HETERO_LIB_ARRAY_DIRECTORY_H

#include "array/former.h"

#define HET__DIRECTORY_MOST 32     /* of an array that is not large */
#define HET__DIRECTORY_LIMIT 8192  /* of any */

/** Nothing, boxes, or everywhere. Tasks that end together may have been far apart: one box around all that they
 *  have changed could have nearly every entry. */
#define HET__REGIONS_MOST 256
struct het__regions {
	bool everywhere;           /* `unsearched` only */
	HET__VEC(struct het__box) box;
	struct het__box own[1];
};

struct het__directory {
	uint64_t promiser;             /* the task that made the last promises; 0: none, or the host wrote */
	struct het__formers formers;
	struct het__entries entries;
	struct het__regions changed;   /* since it was tidied last */
	struct het__regions unsearched; /* changed since no two neighbours were found that could be merged */
	int most;        /* entries above which unequal neighbours are merged */
	uint64_t merges; /* of these */
	/** Told of every such merge; for tests. NULL: nobody. */
	void (*merged)(void *user, const struct het__box *box, uint64_t members);
	void *merged_user;
};

/** The whole array is settled in store `slot`. An empty array has no entries. A directory stays where it is. */
void het__directory_init(struct het__directory *dir, int rank, const struct het__box *whole, int slot);
void het__directory_free(struct het__directory *dir);

/* A change of a box is made in three steps: cut the entries so that each lies inside the box or outside of
 * it; change those inside (cannot fail); tidy, once all changes are made. */

/** Cuts. On an error, and without a change following, the directory means what it meant before. */
het_status het__directory_cut(struct het__directory *dir, const struct het__box *box);
/** Joins what has changed with equal neighbours; where there are too many entries, merges unequal ones, too. */
void het__directory_tidy(struct het__directory *dir);

/* Quick answers for the most frequent case, arrays that are used whole. False means: look closer. */

/** All of the array has its value in `slot`. */
static inline bool het__directory_is_all_in(const struct het__directory *dir, int slot)
{
	const struct het__entry *const only = dir->entries.only;

	return only && (only->settled | only->promised) >> slot & 1;
}

/** All of the array is settled in `slot`. */
static inline bool het__directory_is_all_settled_in(const struct het__directory *dir, int slot)
{
	const struct het__entry *const only = dir->entries.only;

	return only && only->settled >> slot & 1;
}

/** True when some cells of `box` have a value but not in `slot`: *piece is then a box of them inside one
 *  entry and *entry that entry (valid until the next change). */
bool het__directory_lacks(const struct het__directory *dir, const struct het__box *box, int slot,
                          struct het__box *piece, const struct het__entry **entry);

/** The entry that has the first cell of `box`, which is not empty. */
const struct het__entry *het__directory_entry(const struct het__directory *dir, const struct het__box *box);

/** How many cells of `box` have a value but not in `slot`; *hull is the least box around them, where there are
 *  any. Neither depends on how the directory happens to be cut. */
uint64_t het__directory_missing(const struct het__directory *dir, const struct het__box *box, int slot,
				struct het__box *hull);

/** How many entries have a value but not in `slot`; the boxes of the first `most` of them go to `box`. */
int het__directory_lacking(const struct het__directory *dir, int slot, struct het__box *box, int most);

/** Store `slot` gets the value of `box`, promised by `by`. Cut before; the cells of `box` have a value, but not
 *  in `slot`. */
void het__directory_join(struct het__directory *dir, const struct het__box *box, int slot, struct het__ref by);

/* Where the directory is one entry, what happens to all of it takes no search. */

/** The array is one entry, of which `slot` is the only member, and no former copies are known: after another
 *  write through it there are none either. */
static inline bool het__directory_is_only_in(const struct het__directory *dir, int slot)
{
	const struct het__entry *const only = dir->entries.only;

	return only && (only->settled | only->promised) == (uint64_t)1 << slot && dir->formers.list.count == 0;
}

/** From now on the value of an entry, which has no poison, is what `by` writes through `slot`. */
static inline void het__entry_set(struct het__entry *e, int slot, struct het__ref by)
{
	e->promises = by.task ? 1 : 0;
	e->promise[0] = (struct het__promise){by, slot};
	e->promised = (uint64_t)(by.task != NULL) << slot;
	e->settled = (uint64_t)(by.task == NULL) << slot;
}

/** The same of any entry: the last step of a write. */
static inline void het__entry_written(struct het__entry *e, int slot, struct het__ref by)
{
	if (e->poison)
		het__failure_release(e->poison);
	e->poison = NULL;
	het__entry_set(e, slot, by);
}

/** A write of `box` through `slot`: by task `by` (promised), or by the host, now (a NULL reference: settled).
 *  Cut before. */
void het__directory_write_some(struct het__directory *dir, const struct het__box *box, int slot,
			       struct het__ref by);
static inline void het__directory_write(struct het__directory *dir, const struct het__box *box, int slot,
					struct het__ref by)
{
	struct het__entry *const only = dir->entries.only;

	if (het__directory_is_only_in(dir, slot) && het__box_contains(dir->entries.rank, box, &only->box))
		het__entry_set(only, slot, by);
	else
		het__directory_write_some(dir, box, slot, by);
}
/** The same of the whole array: a single entry is all of it (D1). */
static inline void het__directory_write_all(struct het__directory *dir, const struct het__box *whole, int slot,
					    struct het__ref by)
{
	if (het__directory_is_only_in(dir, slot))
		het__entry_set(dir->entries.only, slot, by);
	else
		het__directory_write_some(dir, whole, slot, by);
}

/** By the program's word the last write of the box has not changed it: the former copies are members again, and
 *  so lost cells may have a value again. To be tidied. */
het_status het__directory_unmodified(struct het__directory *dir, const struct het__box *box);

/** Task `by` has ended: its promises are settled, or, with a cause, broken. */
void het__directory_end_promises(struct het__directory *dir, struct het__ref by, struct het__failure *cause);
static inline void het__directory_ended(struct het__directory *dir, struct het__ref by,
					struct het__failure *cause)
{
	const struct het__entry *const only = dir->entries.only;

	if (!only || dir->formers.list.count || only->promises > 1 ||
	    (only->promises == 1 && only->promise[0].by.id == by.id))
		het__directory_end_promises(dir, by, cause);
}

/** Makes `task` depend on what reading `box` through `slot` depends on: promises become its inputs, a
 *  poison its cause. NULL: all of the array, which is one entry. */
het_status het__directory_inputs(const struct het__directory *dir, const struct het__box *box, int slot,
                                 struct het__task *task);

/** A poison in `box`, or NULL; *lost, when not NULL, gets the lost cells' box. Borrowed. */
struct het__failure *het__directory_poison(const struct het__directory *dir, const struct het__box *box,
                                           struct het__box *lost);

/** A task that has promised cells of `box` which are settled nowhere: until it has ended nobody knows whether
 *  they are lost. {NULL} when there is none. */
struct het__ref het__directory_maker(const struct het__directory *dir, const struct het__box *box);

/** True when every cell of `box` that has a value has it settled in `slot`. */
bool het__directory_settled(const struct het__directory *dir, const struct het__box *box, int slot);

/** True when `slot` can go: every entry that has it as a member has another settled member. */
bool het__directory_can_drop(const struct het__directory *dir, int slot);
/** Is there an entry that `slot` has, no other store has settled, and `to` is not promised? *box is the first
 *  such entry's. */
bool het__directory_only(const struct het__directory *dir, int slot, int to, struct het__box *box);
/** Takes `slot` out of every set. het__directory_can_drop holds. To be tidied. */
void het__directory_drop(struct het__directory *dir, int slot);

/** What D6 and D7 say of two entries. */
bool het__directory_can_join(const struct het__directory *dir, const struct het__entry *a,
			     const struct het__entry *b);
bool het__directory_can_merge(const struct het__directory *dir, const struct het__entry *a,
			      const struct het__entry *b);

/** Aborts with a message where D1 to D4, D6, D7, E1 to E4, F1, F2, P1, B1 or B2 are broken. */
void het__directory_check(const struct het__directory *dir, const struct het__box *whole);

#endif
