/* flow.c - counters per pair of memories and route. */

#include "system/flow.h"

#include <string.h>

#include "base/alloc.h"

/* Rows are kept in the order (from, to, route) in which het_flow_at numbers them. */
static int compare(const struct het__flow_row *row, int from, int to, const char *route)
{
	if (row->from != from)
		return row->from < from ? -1 : 1;
	if (row->to != to)
		return row->to < to ? -1 : 1;
	return row->route == route ? 0 : strcmp(row->route, route);
}

static struct het__flow_row *row_for(het_system *system, int from, int to, const char *route)
{
	int i = 0;

	while (i < system->flow_count && compare(&system->flows[i], from, to, route) < 0)
		i++;
	if (i < system->flow_count && compare(&system->flows[i], from, to, route) == 0)
		return &system->flows[i];
	if (het__grow(&system->flows, &system->flow_room, system->flow_count + 1, sizeof *system->flows))
		return NULL;
	memmove(&system->flows[i + 1], &system->flows[i],
	        (size_t)(system->flow_count++ - i) * sizeof *system->flows);
	system->flows[i] = (struct het__flow_row){from, to, route, 0, 0};
	return &system->flows[i];
}

void het__flow_add(het_system *system, const struct het__memory *from, const struct het__memory *to,
                   const char *route, uint64_t bytes)
{
	struct het__flow_row *row = row_for(system, from->index, to->index, route);

	if (row) {
		row->count++;
		row->bytes += bytes;
	}
	if (from == to) {
		system->count.repacks++;
		system->count.repack_bytes += bytes;
		return;
	}
	system->count.transfers++;
	system->count.transfer_bytes += bytes;
	if (to->owner)
		to->owner->bytes_in += bytes;
	if (from->owner)
		from->owner->bytes_out += bytes;
}
