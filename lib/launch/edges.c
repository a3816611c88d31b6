/* edges.c - whether a part of a spread gains when its edges are launched apart from its interior. */

#include "launch/edges.h"

#include "launch/team.h"
#include "route/choose.h"

/* The halo's copy is hidden, for two launches more. 0: its time is not known, or it would not be hidden. */
static double gain_between_memories(const het_device *device, const struct het__hop *hop, double launch_ns)
{
	double ns;

	if (!device->copies_apart || !het__route_predict_way(hop, het__route_direct(hop), &ns))
		return 0;
	return ns - 2 * launch_ns;
}

/* In one memory the gain itself was measured (calibrate/edges.c), for parts with one edge. */
static double gain_in_memory(const het_device *device, bool is_between, double launch_ns)
{
	const struct het__cal_figure *const edges = het__team_figure(device, HET__CAL_EDGES_NS);

	if (!edges || edges->value <= edges->spread)
		return 0;
	return (double)(edges->value - edges->spread) - (is_between ? launch_ns : 0);
}

bool het__edges_pay(const het_device *device, const het_device *beside, bool is_between, size_t bytes)
{
	const struct het__cal_figure *const launch = het__team_figure(device, HET__CAL_BEHIND_NS);
	const struct het__hop hop = {beside->memory, device->memory, bytes, false};

	if (!launch)
		return false;
	if (hop.from == hop.to)
		return gain_in_memory(device, is_between, (double)launch->value) > 0;
	return gain_between_memories(device, &hop, (double)launch->value) > 0;
}
