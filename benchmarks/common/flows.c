/* flows.c - what the library has moved between memories, by routes, up to a moment. */

#include "common/flows.h"

#include <stdlib.h>
#include <string.h>

#include "common/bench.h"

static void make_room(struct flows *flows)
{
	struct het_flow *const more = bench_new(2 * (size_t)(flows->room + 8) * sizeof *more);

	if (flows->count)
		memcpy(more, flows->at, (size_t)flows->count * sizeof *more);
	free(flows->at);
	flows->at = more;
	flows->room = 2 * (flows->room + 8);
}

void flows_take(struct flows *flows, het_system *system)
{
	struct het_flow flow = HET_FLOW_INIT;

	for (flows->count = 0; het_flow_at(system, flows->count, &flow) == HET_OK; flows->count++) {
		if (flows->count == flows->room)
			make_room(flows);
		flows->at[flows->count] = flow;
	}
}

uint64_t flows_bytes(const struct flows *flows, const struct het_flow *flow)
{
	for (int i = 0; i < flows->count; i++) {
		const struct het_flow *const f = &flows->at[i];

		if (f->from == flow->from && f->to == flow->to && !strcmp(f->route, flow->route))
			return f->bytes;
	}
	return 0;
}

void flows_free(struct flows *flows)
{
	free(flows->at);
}
