/* repack.c - the route inside one memory: from one store of an array to another. */

#include "route/route.h"

static bool applies(const struct het__hop *hop)
{
	return hop->from == hop->to;
}

/* Assumed: 10 GB/s, no latency: always better than leaving the memory. */
static double cost_ns(const struct het__hop *hop)
{
	return (double)hop->bytes * 0.1;
}

/* Host bytes are used in place: one buffer is enough. Not so inside one block: PoCL takes a write whose source
 * is the buffer's own first byte for one that has nothing to do, whatever its target. */
static het_status submit(struct het__task *task, struct het__after after)
{
	const struct het__copy *copy = task->payload;
	const bool in_place = copy->from->host && copy->from != copy->to;

	return het__route_send(task, after, in_place ? het__route_write : het__route_copy_buffer);
}

const struct het__route het__route_repack = {
	.name = "repack",
	.applies = applies,
	.cost_ns = cost_ns,
	.submit = submit,
};
