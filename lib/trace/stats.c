/* stats.c - the counters, as the user reads them. */

#include "base/answer.h"
#include "system/flow.h"
#include "task/task.h"

het_status het_stats(het_system *system, struct het_stats *stats)
{
	struct het_stats now;
	const struct het__tasks *tasks;
	het_status st = het__enter(system, "het_stats");

	if (st)
		return st;
	now = system->count;
	now.launches = het__system_launches(system);
	tasks = system->room[HET__ROOM_TASK].state;
	now.unfinished = tasks ? (uint64_t)tasks->unfinished : 0;
	return het__leave_with(system, het__answer("het_stats", "stats", &now, sizeof now, stats));
}

het_status het_flow_at(het_system *system, int index, struct het_flow *flow)
{
	struct het_flow now = HET_FLOW_INIT;
	het_status st = flow ? HET_OK : het__fail(HET_ERR_ARGUMENT, "het_flow_at: flow is NULL");
	bool at_end = false; /* so ends a program's loop over all flows: that is no mistake */

	if (!st)
		st = het__enter(system, "het_flow_at");
	if (st)
		return het__refuse(system, st);
	if (index < 0 || index >= system->flow_count) {
		st = het__fail(HET_ERR_ARGUMENT, "het_flow_at: there is no flow %d of %d", index,
			       system->flow_count);
		at_end = index >= 0;
	} else {
		const struct het__flow_row *row = &system->flows[index];

		now.from = row->from;
		now.to = row->to;
		now.route = row->route;
		now.count = row->count;
		now.bytes = row->bytes;
	}
	if (!st)
		st = het__answer("het_flow_at", "flow", &now, sizeof now, flow);
	if (!at_end)
		return het__leave_with(system, st);
	het__leave(system);
	return st;
}
