/* flows.h - what the library has moved between memories, by routes, up to a moment. */
#ifndef COMMON_FLOWS_H
#define COMMON_FLOWS_H

#include <hetero.h>

struct flows {
	struct het_flow *at;
	int count, room;
};

/** Takes down all flows of a system as they are now, in the place of what was there. */
void flows_take(struct flows *flows, het_system *system);

/** How many bytes the flow with the same ends and route had moved; 0: there was none. */
uint64_t flows_bytes(const struct flows *flows, const struct het_flow *flow);

void flows_free(struct flows *flows);

#endif
