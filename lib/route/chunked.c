/* chunked.c - between two devices by way of the host in parts: a part is written while the next one is read.
 *
 * Every part is moved like a piece of its own, in two staged hops (array room, move.c).
 */

#include "route/choose.h"

static bool applies(const struct het__hop *hop)
{
	return het__hop_between_devices(hop);
}

static const char *nowhere(const het_system *system)
{
	return system->device_count > 1 ? NULL : "there is only one device";
}

static int parts(const struct het__hop *hop)
{
	const size_t bytes = het__route_chunk_bytes(hop, &het__route_chunked);
	const size_t count = hop->bytes / bytes + (hop->bytes % bytes > 0);

	return count > HET__CHUNKS_MOST ? HET__CHUNKS_MOST : (int)count;
}

/* Assumed: 10 us and 8 GB/s a hop, as staged, and that one device's reads and another's writes go on at the
 * same time: all but one of the parts' second hops are hidden. So two parts of megabytes are quicker than one
 * transfer of both, and where nothing overlaps little is lost: 10 us a hop. */
static double cost_ns(const struct het__hop *hop)
{
	const int count = parts(hop) > 0 ? parts(hop) : 1;

	return (count + 1) * (10e3 + (double)hop->bytes / count * 0.125);
}

static het_status submit(struct het__task *task, struct het__after after)
{
	return het__route_staged.submit(task, after);
}

const struct het__route het__route_chunked = {
	.name = "chunked",
	.applies = applies,
	.nowhere = nowhere,
	.cost_ns = cost_ns,
	.submit = submit,
	.by_home = true,
	.parts = parts,
};
