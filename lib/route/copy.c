/* copy.c - the route through clEnqueueCopyBuffer[Rect]: both memories' devices in one context. */

#include "route/route.h"

static bool applies(const struct het__hop *hop)
{
	return hop->from != hop->to && hop->from->owner && hop->to->owner &&
	       hop->from->owner->context == hop->to->owner->context;
}

/* Assumed: 10 us and 8 GB/s, as one staged hop: the driver moves the bytes at most once. */
static double cost_ns(const struct het__hop *hop)
{
	return 10e3 + (double)hop->bytes * 0.125;
}

static het_status submit(struct het__task *task, struct het__after after)
{
	return het__route_send(task, after, het__route_copy_buffer);
}

const struct het__route het__route_copy = {
	.name = "copy",
	.applies = applies,
	.cost_ns = cost_ns,
	.submit = submit,
};
