/* flow.h - the hook by which the rooms above tell what moved: counters per pair of memories and route. */
#ifndef HETERO_LIB_SYSTEM_FLOW_H
#define HETERO_LIB_SYSTEM_FLOW_H

#include "system/system.h"

struct het__flow_row {
	int from, to;
	const char *route; /* static text */
	uint64_t count, bytes;
};

/** Counts one copy. Equal memories: a repack. `route` is static text. With the lock. Without memory for a
 *  new row only the totals count. */
void het__flow_add(het_system *system, const struct het__memory *from, const struct het__memory *to,
                   const char *route, uint64_t bytes);

#endif
