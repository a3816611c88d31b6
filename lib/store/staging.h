/* staging.h - host memory that bytes pass through on their way: buffers of the drivers' own
 * (CL_MEM_ALLOC_HOST_PTR), which those of discrete devices keep pinned, so that the device reads and writes
 * them without a copy of the driver's.
 *
 * Every buffer has the same size and stays mapped until the system is closed. It is a block of rank 1 whose
 * one cell, het__staging_cell, stands for all of it: users of it come after each other by its hazards. The
 * pool never grows beyond system->staging_bytes, but for a first buffer: where all is in use, the next user
 * waits - as a held task - behind the last one of the buffer that was given out longest ago. There is one
 * more only where all would have to wait for a user's function and the next user need not; and buffers that
 * could not be mapped, which are left alone until the end, do not count: their lane has plain memory from
 * then on.
 *
 * Called with the system's lock.
 */
#ifndef HETERO_LIB_STORE_STAGING_H
#define HETERO_LIB_STORE_STAGING_H

#include "store/block.h"

/** Of every buffer. */
#define HET__STAGING_BYTES ((size_t)4 << 20)
/** Buffers of one lane, unless somebody asks for another number: one is filled while another is emptied, and
 *  there is one to spare on either side. */
#define HET__STAGING_DEPTH 4

extern const struct het__box het__staging_cell;

struct het__staging {
	struct het__holder holder; /* first: of the task that maps or unmaps it */
	struct het__lane *lane;    /* of the device whose driver's memory it is */
	struct het__block *block;
	struct het__ref mapper;    /* if it fails, whoever uses the buffer fails */
	cl_mem mem;                /* NULL: plain memory, because the driver had none */
	bool broken;               /* could not be mapped: given to nobody any more, left until the end */
	uint64_t given;            /* when it was given out: number of the giving */
};

/** May the system have any? */
bool het__staging_exists(const het_system *system);

/** A buffer for what a device's lane reads or writes; `depth` such at most are in use at a time. It is borrowed
 *  until its accesses are entered. `behind_user`: who uses it waits for a user's function; others wait for such
 *  buffers only for want of memory. Fails where there is no memory, pinned or plain, for a first one. */
het_status het__staging_take(struct het__lane *lane, int depth, bool behind_user,
			     struct het__staging **staging_p);

#endif
