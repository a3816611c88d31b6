/* copy.c - the route through clEnqueueCopyBuffer[Rect]: both memories' devices in one context. */

#include "route/route.h"

static bool applies(const struct het__hop *hop)
{
	return hop->from != hop->to && hop->from->owner && hop->to->owner &&
	       hop->from->owner->context == hop->to->owner->context;
}

static const char *nowhere(const het_system *system)
{
	for (int i = 0; i < system->context_count; i++)
		if (system->contexts[i]->device_count > 1)
			return NULL;
	return "no two devices have a context in common";
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
	.nowhere = nowhere,
	.cost_ns = cost_ns,
	.submit = submit,
};
