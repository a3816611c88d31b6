/* block.h - blocks of memory: their bytes, their OpenCL buffers, their hazards.
 *
 * A block lies in one memory. In the host's it is bytes that every sharing context sees through a root
 * buffer of its own (CL_MEM_USE_HOST_PTR); in a device's memory it is one buffer (over huge pages, where the
 * device is a processor and the driver would take small ones), made with the block. The host's root buffers and
 * all buffers over parts are made when first asked for.
 *
 * Hazards: which unfinished tasks read or write which box of the block. A reader waits for overlapping
 * writers, a writer for overlapping readers and writers - of this block; other copies of the same array are
 * no concern. Boxes are in the coordinates of the array whose window the block holds.
 *
 * Invariants (tests/protocol_replay tries each transition against them):
 *   H1  every unfinished task that reads or writes the block's bytes is covered: some hazard of it, or of a
 *       later task submitted to the same lane, contains its box with at least its mode;
 *   H2  only submitted tasks are ever covered by another one: a held task keeps its own hazard.
 *
 * Called with the system's lock.
 */
#ifndef HETERO_LIB_STORE_BLOCK_H
#define HETERO_LIB_STORE_BLOCK_H

#include "store/buckets.h"
#include "task/emit.h"
#include "task/task.h"

struct het__hazard {
	struct het__ref task;
	bool write;
	bool whole; /* box is the block's `whole`, and not empty */
	struct het__box box;
};

/** A buffer over a part of a block, for one context. */
struct het__part {
	struct het__context *context;
	size_t offset, bytes;
	cl_mem mem;
	bool pins;                /* it is there to keep the host's memory pinned: pin.h */
};

/** What a block has room for of its own: with that, most launches touch memory in one place only. */
#define HET__OWN_HAZARDS 4

struct het__block {
	HET__VEC(struct het__hazard) hazards;
	HET__VEC(struct het__part) parts; /* roots have offset 0 and all bytes; a device's is the first */
	size_t bytes;             /* at least 1 */
	const struct het__box *whole; /* all of the array: most accesses are recognised by this address */
	struct het__memory *memory;
	int rank;                 /* of the boxes in hazards */
	bool owned;               /* the host bytes are ours */
	struct het__part own_part[1];
	struct het__hazard own_hazard[HET__OWN_HAZARDS];
	uint64_t moved_bytes;     /* by copies that could gain if it were pinned */
	struct het__buckets *near; /* of the hazards, while they are many */
	int sweep_at;             /* how many hazards are enough to look for ended ones among all of them */
	bool unpinned;            /* pinning was tried, and refused */
	bool is_staging;          /* plain memory instead of a driver's: staging.h */
	unsigned char *host;      /* NULL in a device's memory */
	struct het__ref unmap;    /* of the last range that was mapped (route mapped) */
	void *pages;              /* what a device's buffer lies over; NULL: the driver's own */
	struct het__makers *makers; /* who wrote what is there, while somebody watches */
};

/** A block of `bytes` zeroed bytes in the host's memory, aligned to HET__BLOCK_ALIGN. HET_ERR_MEMORY. */
#define HET__BLOCK_ALIGN 4096
het_status het__block_new_host(het_system *system, int rank, size_t bytes, struct het__block **block_p);
/** The caller's bytes. */
het_status het__block_wrap_host(het_system *system, int rank, void *bytes_at, size_t bytes,
                                struct het__block **block_p);
/** The same two in a place of the caller's, which is all zeros and stays where it is; het__block_clear ends it.
 *  HET_ERR_MEMORY. */
het_status het__block_init_host(struct het__block *block, het_system *system, int rank, size_t bytes);
void het__block_init_wrapped(struct het__block *block, het_system *system, int rank, void *bytes_at,
			     size_t bytes);
void het__block_clear(struct het__block *block);
/** Releases all its buffers; who needs one later gets another. No unfinished task uses the block. */
void het__block_release_parts(struct het__block *block);
/** Undefined bytes in the memory of an opened device. */
het_status het__block_new_device(het_device *device, int rank, size_t bytes, struct het__block **block_p);
/** Frees a block that no unfinished task uses. NULL is allowed. */
void het__block_free(struct het__block *block);

/** The buffer over [offset, offset + bytes) for a context. Borrowed from the block: a root until the block
 *  releases it, a part until the system's buffers_freed grows. This call itself releases all parts when there
 *  are HET__CUT_PARTS_MOST. Who needs one for longer retains it. */
#define HET__CUT_PARTS_MOST 256
het_status het__block_find_buffer(struct het__block *block, struct het__context *context, const char *device,
                                  size_t offset, size_t bytes, cl_mem *mem_p);
static inline het_status het__block_buffer(struct het__block *block, struct het__context *context,
					   const char *device, size_t offset, size_t bytes, cl_mem *mem_p)
{
	const struct het__part *first = block->parts.at;

	if (block->parts.count == 0 || first->context != context || first->offset != offset ||
	    first->bytes != bytes)
		return het__block_find_buffer(block, context, device, offset, bytes, mem_p);
	*mem_p = first->mem;
	return HET_OK;
}

/** Makes a task that uses `box` come after a hazard, if they have cells in common. Most often the order of the
 *  queue sees to that anyway, common cells or not. */
static inline het_status het__block_come_after(const struct het__block *block, const struct het__hazard *h,
					       const struct het__box *box, struct het__task *task)
{
	if (het__task_follows(task, h->task)) {
		het__emit_follow(het__ref_of(task), box, h->task, &h->box, block->rank);
		return HET_OK;
	}
	return (h->whole && box == block->whole) || het__box_overlaps(block->rank, &h->box, box)
		       ? het__task_needs(task, h->task)
		       : HET_OK;
}

/** Makes `task` wait for whatever conflicts with its reading (or writing) `box`. */
het_status het__block_order_all(struct het__block *block, const struct het__box *box, bool write,
                                struct het__task *task);
static inline het_status het__block_order(struct het__block *block, const struct het__box *box, bool write,
                                          struct het__task *task)
{
	const struct het__hazard *only = block->hazards.at;

	if (block->hazards.count == 0 || (block->hazards.count == 1 && !write && !only->write))
		return HET_OK;
	if (block->hazards.count > 1)
		return het__block_order_all(block, box, write, task);
	return het__block_come_after(block, only, box, task);
}
/** Holds `task` until every task that writes `box` has ended: it is not sent earlier, not even into the same
 *  queue behind them. */
het_status het__block_hold_until_written(struct het__block *block, const struct het__box *box,
					 struct het__task *task);
het_status het__block_reserve_more(struct het__block *block, int more);
/** Room for `more` further hazards, so that het__block_record cannot fail. */
static inline het_status het__block_reserve(struct het__block *block, int more)
{
	return block->hazards.count + more <= block->hazards.room ? HET_OK
								  : het__block_reserve_more(block, more);
}
/** Enters a started task's access. Reserved before. */
void het__block_record_among(struct het__block *block, const struct het__box *box, bool write,
			     struct het__ref task);
static inline bool het__block_same_box(const struct het__block *block, const struct het__hazard *h,
				       const struct het__box *box)
{
	return (h->whole && box == block->whole) || het__box_equal(block->rank, &h->box, box);
}
/* Most often a block is used again as it was the last time: by the next task of the same queue. */
static inline void het__block_record(struct het__block *block, const struct het__box *box, bool write,
				     struct het__ref task)
{
	struct het__hazard *h = block->hazards.at;

	het__emit_box(write ? "begin_write" : "begin_read", block, block->rank, box, 0, task);
	if (block->hazards.count != 1 || h->write > write || !het__task_stands_for(task.task, h->task) ||
	    !het__block_same_box(block, h, box)) {
		het__block_record_among(block, box, write, task);
		return;
	}
	het__emit_collapse(block, block->rank, box, h->write, task, h->task);
	h->task = task;
	h->write = write;
}
/** An unfinished task that uses the block at all, with an empty box too (its buffer is bound), or a NULL
 *  reference. */
struct het__ref het__block_user(struct het__block *block);
/** Would a reader (writer) of `box` have to wait for a function of the user's? */
bool het__block_is_behind_user(const struct het__block *block, const struct het__box *box, bool write);
/** A task that waits for a user's function, of those that use the block (as het__block_user tells them), or a
 *  NULL reference. */
struct het__ref het__block_task_behind_user(const struct het__block *block);
/** An unfinished task that conflicts with reading (writing) `box`, or a NULL reference. */
struct het__ref het__block_conflict(struct het__block *block, const struct het__box *box, bool write);

#endif
