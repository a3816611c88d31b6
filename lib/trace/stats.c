/* stats.c - the counters, as the user reads them. */

#include <string.h>

#include "system/flow.h"
#include "task/task.h"

/* Options-like structs lead with their size: an older caller gets the members it knows. */
static het_status give(void *to, const void *from, size_t given, size_t full, const char *what)
{
	if (given < sizeof(size_t) || given > full)
		return het__fail(HET_ERR_ARGUMENT, "%s: the size of its struct is not set", what);
	memcpy((unsigned char *)to + sizeof(size_t), (const unsigned char *)from + sizeof(size_t),
	       given - sizeof(size_t));
	return HET_OK;
}

het_status het_stats(het_system *system, struct het_stats *stats)
{
	struct het_stats now;
	const struct het__tasks *tasks;
	het_status st = stats ? HET_OK : het__fail(HET_ERR_ARGUMENT, "het_stats: stats is NULL");

	if (!st)
		st = het__enter(system);
	if (st)
		return st;
	now = system->count;
	tasks = system->room[HET__ROOM_TASK].state;
	now.unfinished = tasks ? (uint64_t)tasks->unfinished : 0;
	het__leave(system);
	return give(stats, &now, stats->size, sizeof now, "het_stats");
}

het_status het_flow_at(het_system *system, int index, struct het_flow *flow)
{
	struct het_flow now = HET_FLOW_INIT;
	het_status st = flow ? HET_OK : het__fail(HET_ERR_ARGUMENT, "het_flow_at: flow is NULL");

	if (!st)
		st = het__enter(system);
	if (st)
		return st;
	if (index < 0 || index >= system->flow_count) {
		st = het__fail(HET_ERR_ARGUMENT, "het_flow_at: there is no flow %d of %d", index,
			       system->flow_count);
	} else {
		const struct het__flow_row *row = &system->flows[index];

		now.from = row->from;
		now.to = row->to;
		now.route = row->route;
		now.count = row->count;
		now.bytes = row->bytes;
	}
	het__leave(system);
	return st ? st : give(flow, &now, flow->size, sizeof now, "het_flow_at");
}
