/* route.h - ways to move bytes from one memory to another, one file each.
 *
 * Choosing is separate from doing: het__route_choose is a pure function of the hop and of what its system knew
 * when it was opened (choose.c); het__route_task makes the task that carries a copy out.
 *
 * Some routes have no way of their own between two devices: a piece takes two hops, with the array's own host
 * store between them, so that staging once serves every later reader (array room). Each hop is then one
 * command queue's work.
 */
#ifndef HETERO_LIB_ROUTE_ROUTE_H
#define HETERO_LIB_ROUTE_ROUTE_H

#include "store/block.h"

struct het__hop {
	const struct het__memory *from, *to;
	size_t bytes;
	bool strided; /* with gaps on one side at least */
};

struct het__route {
	const char *name;
	/** May it be used for this hop at all? */
	bool (*applies)(const struct het__hop *hop);
	/** Why it applies to no hop of a system, as far as that is known before its devices are opened; NULL
	 *  where it may apply. No function: it always may. */
	const char *(*nowhere)(const het_system *system);
	/** Predicted time. Without a calibration: documented assumptions, one per route. */
	double (*cost_ns)(const struct het__hop *hop);
	/** Carries a copy out: het__task_ops.submit of its task, on a device's lane. NULL: in steps
	 *  (mapped.h). */
	het_status (*submit)(struct het__task *task, struct het__after after);
	/** Between two devices it takes two hops. */
	bool by_home;
	/** By staging buffers (array room, through.c): `submit` is one half of a part's way. */
	bool through;
	/** How many parts a piece of this size is moved in, each by itself. NULL: one. */
	int (*parts)(const struct het__hop *hop);
};

extern const struct het__route het__route_repack;  /* inside one memory */
extern const struct het__route het__route_copy;    /* clEnqueueCopyBuffer between devices of a context */
extern const struct het__route het__route_staged;  /* read to the host's memory, written from it */
extern const struct het__route het__route_chunked; /* the same in parts, so that reads and writes overlap */
extern const struct het__route het__route_pinned;  /* by pinned host memory, in parts */
extern const struct het__route het__route_mapped;  /* by a pointer to the bytes of a device's buffer */
extern const struct het__route het__route_pack;    /* rows put together and taken apart by kernels */

/** Most parts of a chunked piece: each is an entry of the array's directory while it is on its way. */
#define HET__CHUNKS_MOST 16
/** Bytes of a part, if that does not make too many. */
#define HET__CHUNK_BYTES ((size_t)4 << 20)

static inline bool het__hop_between_devices(const struct het__hop *hop)
{
	return hop->from->owner && hop->to->owner && hop->from != hop->to;
}

static inline int het__route_hops(const struct het__route *route, const struct het__hop *hop)
{
	return route->by_home && het__hop_between_devices(hop) ? 2 : 1;
}

/** The route of a hop (choose.c). */
const struct het__route *het__route_choose(const struct het__hop *hop);
/** The same, but only of routes that take one hop. */
const struct het__route *het__route_direct(const struct het__hop *hop);
/** In place of a route that cannot make a copy: the cheapest of one hop of which `can` says that it can; a
 *  barred one only where all of these are barred. NULL: none. */
typedef bool het__route_test(const void *about, const struct het__hop *hop, const struct het__route *route);
const struct het__route *het__route_instead(const struct het__hop *hop, het__route_test *can,
					    const void *about);

/** Predicted time: as measured, or else as assumed. */
double het__route_cost_ns(const struct het__hop *hop, const struct het__route *route);

/** Tells the log, where it asks for routes, which was chosen and which were not. With the lock. */
void het__route_tell_now(het_system *system, const struct het__hop *hop, const struct het__route *route);
static inline void het__route_tell(het_system *system, const struct het__hop *hop,
				   const struct het__route *route)
{
	if (het__log_wants(system->logger, HET_LOG_TRACE, "route"))
		het__route_tell_now(system, hop, route);
}

/** One copy: side a of the plan is `from`, side b is `to`. Both blocks outlive the task. */
struct het__copy {
	struct het__block *from, *to;
	struct het__plan plan;
	const struct het__route *route;
	/** For messages, where the copy is one step of a way: the way's ends, and what goes all of it. */
	const struct het__memory *source, *target;
	size_t all_bytes;
	bool all_strided;
	bool is_step; /* not the last one, which stands for all */
	struct het__cells what; /* of the source, for messages */
};

/** The lane that carries a copy out: the target's device's for copies; the source's where the target is the
 *  host's memory, or where either block is larger than a buffer of the target's device may be. Inside the
 *  host's memory `asker`, if its device shares that and can see both blocks, else the host's copier. */
het_status het__route_lane(het_system *system, const struct het__copy *copy, struct het__lane *asker,
                           struct het__lane **lane_p);

/** Makes the task; not started. `copy` is copied. */
het_status het__route_task(const struct het__copy *copy, struct het__lane *lane, struct het__task **task_p);
/** "transfer of a [0:64] from gpu0 to host by route staged", of a task whose payload begins with a copy. */
void het__route_describe(const struct het__task *task, char *text, size_t bytes);

/* What routes are made of (send.c). */

/** The buffer over all of a block, for a lane's context. */
het_status het__route_root(struct het__block *block, const struct het__lane *lane, cl_mem *mem_p);

/** One command for a plan of at most two repeated dimensions. */
typedef het_status het__route_command(const struct het__copy *copy, const struct het__plan *plan,
                                      const struct het__lane *lane, struct het__after after, cl_event *event_p);
het__route_command het__route_read;        /* the target's bytes are the host's */
het__route_command het__route_write;       /* the source's bytes are the host's */
het__route_command het__route_copy_buffer; /* a buffer on both sides */

/** Carries out the plan of a copy's task with as many of these commands as its shape takes. */
het_status het__route_send(struct het__task *task, struct het__after after, het__route_command *command);

#endif
