/* staged.c - the route by way of the host: clEnqueueReadBuffer[Rect], clEnqueueWriteBuffer[Rect].
 *
 * One hop to or from the host's memory; between two devices there are two, and the bytes between them are
 * those of the array's home: no other memory is used, and nothing is copied by the host.
 */

#include "route/route.h"

static bool applies(const struct het__hop *hop)
{
	return hop->from != hop->to;
}

/* Assumed: 10 us and 8 GB/s a hop. */
static double cost_ns(const struct het__hop *hop)
{
	return het__route_hops(&het__route_staged, hop) * (10e3 + (double)hop->bytes * 0.125);
}

static het_status submit(struct het__task *task, struct het__after after)
{
	const struct het__copy *copy = task->payload;

	return het__route_send(task, after, copy->to->host ? het__route_read : het__route_write);
}

const struct het__route het__route_staged = {
	.name = "staged",
	.applies = applies,
	.cost_ns = cost_ns,
	.submit = submit,
	.by_home = true,
};
