/* value.h - what an array holds: its stores and its directory.
 *
 * The user's handle (het_array) points to a value; het_swap exchanges the values of two handles. Tasks hold
 * on to values, so that a handle may die while they run. Store number 0, the home, is the host block of
 * the whole array; it always exists.
 *
 * Called with the system's lock.
 */
#ifndef HETERO_LIB_ARRAY_VALUE_H
#define HETERO_LIB_ARRAY_VALUE_H

#include "array/directory.h"
#include "base/alloc.h"
#include "base/type.h"
#include "route/route.h"
#include "store/block.h"

#define HET__HOME 0

/** A block that holds a window of one array in one memory, in one layout. */
struct het__store {
	int slot;                  /* its number: bit in the directory's sets */
	bool dense;                /* no padding between the elements */
	bool grows;                /* made for kernels that ask for windows: array/window.c */
	bool outgrown;             /* another store has this one's window too: it goes when nobody uses it */
	struct het__memory *memory;
	struct het__block *block;
	uint64_t whole_lacks;      /* ~het__meets of a dense store of the whole array; of others all bits */
	uint64_t used;             /* system-wide stamp of the last operation that used it */
	size_t align_bytes;        /* of the block's start: a power of two */
	struct het__box window;
	struct het__layout layout;
	int tries;                 /* outgrown: how often it was to hand over what it holds */
	uint64_t sent_home;        /* `used` + 1 when it was last sent home to be freed; 0: it was not */
	struct het__holder sending; /* told of the ends of those copies */
	bool not_home;             /* one of them failed */
};

/** What a kernel sees of an array: all of it; the box only, packed; any index of the box. */
enum het__sees { HET__SEES_ALL, HET__SEES_BOX, HET__SEES_WINDOW };

/* What every launch looks at lies in few lines of the cache, which are fetched at once and not one after the
 * other: programs may have thousands of arrays. So the home, its block and the first entry lie inside, and what
 * is looked at comes first in each. */
struct het__value {
	struct het__holder holder; /* first: what tasks tell when they end */
	het_system *system;
	uint64_t use;              /* number of the call whose arguments used it last */
	size_t element_bytes;
	int rank;
	int top;                   /* all stores' numbers are below */
	int users;                 /* who still needs it: tasks that promised it something; callers that wait;
				    * in a dying value also the readers */
	int outgrown;              /* how many stores are */
	/* In the list of het__values_left; left_at not NULL: it is dying, without a handle, and goes when
	 * nobody needs it. */
	struct het__value **left_at, *next_left;
	bool is_unnoted; /* ... but for want of memory not all its tasks tell it: het__values_sweep */
	_Alignas(HET__CACHE_LINE) struct het__block home_block;
	_Alignas(HET__CACHE_LINE) struct het__store home; /* of the whole array, always there */
	_Alignas(HET__CACHE_LINE) struct het__directory dir;
	struct het__store *store[HET__STORES]; /* the first is `home` */
	struct het__box whole;
	size_t bytes;
	het_type type;
	int64_t window_front;      /* elements in front of index 0 of windows: 0, but in rehearsals */
	struct het__failure *copy_failure; /* first failure of an asynchronous copy not yet told */
	char label[HET__LABEL];    /* "residual", "array 7": for messages */
};

/** The first of the values that have no handle any more and that somebody still needs, the last freed first;
 *  NULL: there is none. `next_left` is the next one. Kept in array.c, beside the handles. */
struct het__value **het__values_left(const het_system *system);
/** How many of them are unnoted. */
int *het__values_unnoted(const het_system *system);
/** Frees those among them that no task uses any more. */
void het__values_sweep(het_system *system);

/** The value that a task's holder is. */
static inline const struct het__value *het__value_of_holder(const struct het__holder *holder)
{
	return (const struct het__value *)holder;
}

/** How many elements are side by side. */
static inline int64_t het__value_row(const struct het__value *value)
{
	return value->whole.hi[value->rank - 1];
}

/** What the cells of a box take. */
static inline size_t het__value_bytes(const struct het__value *value, const struct het__box *box)
{
	return value->element_bytes * (size_t)het__box_cells(value->rank, box);
}

/** Makes store number `slot` over a block with this window; the layout is dense. */
void het__store_init(struct het__store *store, int slot, const struct het__value *value,
		     struct het__block *block, const struct het__box *window);

/** For messages about cells of the value, which may be gone by then. */
void het__value_tell(const struct het__value *value, const struct het__box *box, struct het__cells *cells);

/** Where the whole array is to lie in the host's memory. */
struct het__host_bytes {
	size_t bytes;
	void *wrapped;             /* the caller's memory, which stays the caller's; NULL: the library's own */
	const size_t *pitch_bytes; /* NULL: dense */
};

/** Makes a value, zeros where its memory is the library's. HET_ERR_MEMORY. */
het_status het__value_new(het_system *system, het_type type, const struct het_shape *shape,
			  const struct het__host_bytes *where, struct het__value **value_p);
/** The handle is gone: frees the value now or when its last task has ended. */
void het__value_release(struct het__value *value);
/** One user less; the last one frees a dying value. */
void het__value_leave(struct het__value *value);

/** A status that never leaves the library: no store can go just now; wait for something and try again. */
#define HET__AGAIN ((het_status)1)

/* The first three are het_mode's; JOIN makes the store one more member instead of the only one. */
enum het__access_mode { HET__ACCESS_IN = 1, HET__ACCESS_OUT = 2, HET__ACCESS_INOUT = 3, HET__ACCESS_JOIN = 4 };

/** One use of a store by a task. `value` is NULL for memory that belongs to no array. */
struct het__access {
	struct het__value *value;
	struct het__store *store;
	const struct het__box *box; /* borrowed */
	enum het__access_mode mode;
	int arg;                    /* number of the call's argument that it is: for messages */
	/* Only where value is NULL: the tasks that made what is read, or mapped what is written. If one of them
	 * fails, the access's task does. */
	int maker_count;
	const struct het__ref *makers;
	size_t offset_bytes, bytes; /* what a kernel sees of the store's block; set by het__access_place */
};

static inline struct het__access het__access(struct het__value *value, struct het__store *store,
                                             const struct het__box *box, enum het__access_mode mode)
{
	struct het__access a = {.value = value, .store = store, .mode = mode, .box = box};
	return a;
}

static inline bool het__store_is_whole(const struct het__store *store, const struct het__memory *memory,
				       uint64_t needs)
{
	return (store->whole_lacks & needs) == 0 && store->memory == memory;
}
/** The store of the whole array in a memory that meets these needs (base/type.h), or NULL. */
static inline struct het__store *het__value_whole_store(struct het__value *value,
							const struct het__memory *memory, uint64_t needs)
{
	if (het__store_is_whole(&value->home, memory, needs))
		return &value->home;
	for (int s = HET__HOME + 1; s < value->top; s++)
		if (value->store[s] && het__store_is_whole(value->store[s], memory, needs))
			return value->store[s];
	return NULL;
}

/** A kernel makes the access through this store and sees all of it; `stamp`: the tasks' now. */
static inline void het__access_through_at(struct het__access *access, struct het__store *store, uint64_t stamp)
{
	access->store = store;
	access->offset_bytes = 0;
	access->bytes = store->block->bytes;
	store->used = stamp;
}
static inline void het__access_through(struct het__access *access, struct het__store *store)
{
	het__access_through_at(access, store, het__tasks_in(access->value->system)->stamp);
}

/** Where the block is larger than a buffer of the device may be, a kernel that asks for windows sees a part of
 *  the block that has the box, if any has. */
void het__access_narrow_now(struct het__access *access, size_t most_bytes);
static inline void het__access_narrow(struct het__access *access, const het_device *device)
{
	if (device->facts.max_alloc_bytes > 0 && access->bytes > device->facts.max_alloc_bytes)
		het__access_narrow_now(access, device->facts.max_alloc_bytes);
}

/** Bytes that a window of just the box takes on the device: of its cells, or, where the host's memory is used
 *  in place, from the first of them to the last. */
uint64_t het__access_bytes_on(const struct het__access *access, const het_device *device);

/** HET_ERR_DEVICE_MEMORY: `bytes` are more than a buffer of the device may have. */
het_status het__too_large(const het_device *device, size_t bytes);

/** Finds the store through which a kernel on `device` makes the access, and makes it if need be: for SEES_BOX
 *  an offset into a store that suffices, or a store of just the box; for SEES_WINDOW any that has the box.
 *  align_bytes: what the kernel needs of the address, a power of two.
 *  HET__AGAIN: see het__operation_wait_again; then everything that was placed before is to be placed again. */
het_status het__access_place(struct het__access *access, het_device *device, enum het__sees sees,
			     size_t align_bytes);

/** A store in which a kernel that asks for a window can work on a device, one for windows if there is one. NULL
 *  where there is none, and where outgrown stores are to be seen to first. */
struct het__store *het__value_window_store(const struct het__value *value, const het_device *device,
					   const struct het__box *box, size_t align_bytes);

/** Is there a store in the memory that was made for kernels that ask for windows? */
bool het__value_has_windows(const struct het__value *value, const struct het__memory *memory);

/** What tells a kernel where elements lie in a placed access: struct het_window of the prelude. */
struct het__window {
	int64_t base;
	int64_t pitch[HET_MAX_RANK - 1];
};
void het__access_window(const struct het__access *access, struct het__window *window);

/** Makes `task` wait for and depend on what its accesses need, and reserves what het__accesses_commit
 *  uses. The values have been fetched. */
het_status het__accesses_order(struct het__task *task, const struct het__access *access, int count);
/** Enters a started task's accesses into hazards and directories. Cannot fail. */
void het__accesses_commit(struct het__ref task, const struct het__access *access, int count);
/** The same for accesses that change no value, without tidying directories: that could take out again what
 *  other parts of a fetch brought. */
void het__accesses_enter(struct het__ref task, const struct het__access *access, int count);

/** Starts the transfers that bring `box` into `store` as far as it is not there. `lane`: who asks (its queue
 *  carries copies inside the host's memory), NULL: the host. `holder`, when not NULL, hears of their ends:
 *  *started counts them. */
het_status het__value_fetch(struct het__value *value, struct het__store *store, const struct het__box *box,
                            struct het__lane *lane, struct het__holder *holder, int *started);

/** The best store to read `piece` (inside one entry) from when `box` is to be copied to where `to` says (its
 *  box begins at the target of the first cell); where none is one hop away the piece is first fetched to the
 *  home. The home also stands for lost cells. */
het_status het__value_source(struct het__value *value, const struct het__box *piece, const struct het__box *box,
			     const struct het__access *to, struct het__store **store_p);

/** One copy between stores of two values (or of one), as a task. mode: HET__ACCESS_OUT or _JOIN for the target.
 *  An access with value NULL is to memory of the caller's, or to scratch. */
het_status het__value_move(const struct het__access *from, const struct het__access *to, struct het__lane *lane,
                           struct het__holder *holder, struct het__ref *task_p);

/** The store for a write of `box` that could go to any: the newest copy of its first cell, so that how the
 *  directory happens to be cut decides nothing. */
struct het__store *het__value_newest(struct het__value *value, const struct het__box *box);

/** Tidies the directory; what it merges goes into the system's counter. */
void het__value_tidy(struct het__value *value);
/** Before an operation that adds copies and tidies nothing: keeps the directory short all the same. */
static inline void het__value_trim(struct het__value *value)
{
	if (value->dir.entries.count > value->dir.most)
		het__value_tidy(value);
}

/** The invariants of the value's directory and stores that can be seen at one moment; aborts. Debug checks
 *  only. */
void het__value_check(const struct het__value *value);

#endif
