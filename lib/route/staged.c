/* staged.c - the route by way of the host: clEnqueueReadBuffer[Rect], clEnqueueWriteBuffer[Rect].
 *
 * This is one hop, to or from the host's memory. */

#include "route/route.h"

static bool applies(const struct het__hop *hop)
{
	return hop->from != hop->to && (!hop->from->owner || !hop->to->owner);
}

/* Assumed: 10 us and 8 GB/s. */
static double cost_ns(const struct het__hop *hop)
{
	return 10e3 + (double)hop->bytes * 0.125;
}

const struct het__route het__route_staged = {"staged", applies, cost_ns};
