/* pinned.c - by staging buffers, memory of the host's that a driver has pinned: a device's engine reads and
 * writes it by itself, where with other memory the driver's copies come first.
 *
 * A piece goes in parts, each in two steps: into a buffer, out of it. While one part leaves the next one comes.
 * Between two devices no processor touches the bytes, and the array's home does not get them.
 */

#include "route/route.h"
#include "store/staging.h"

static bool applies(const struct het__hop *hop)
{
	const het_device *const device = hop->to->owner ? hop->to->owner : hop->from->owner;

	return hop->from != hop->to && het__staging_exists(device->system);
}

static const char *nowhere(const het_system *system)
{
	return het__staging_exists(system) ? NULL : "there is no memory for bytes to pass through";
}

/* Assumed to be worse than staged, as it is where the driver pins nothing: 30 us and 4 GB/s. */
static double cost_ns(const struct het__hop *hop)
{
	return 30e3 + (double)hop->bytes * 0.25 * (het__hop_between_devices(hop) ? 2 : 1);
}

static het_status submit(struct het__task *task, struct het__after after)
{
	return het__route_staged.submit(task, after);
}

const struct het__route het__route_pinned = {
	.name = "pinned",
	.applies = applies,
	.nowhere = nowhere,
	.cost_ns = cost_ns,
	.submit = submit,
	.through = true,
};
