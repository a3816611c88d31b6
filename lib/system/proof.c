/* proof.c - which trials a device must pass to use the host's memory, and what was learnt from earlier ones. */
#include "system/proof.h"

#include <stdio.h>
#include <string.h>

#include "system/trial.h"
#include "system/verdict.h"

#define IDENTITY_BYTES 768

/* Everything that could change a device's behaviour. Parts of one device are alike: what holds for one
 * pair of them holds for every pair. */
static void identify(const het_device *device, char text[IDENTITY_BYTES])
{
	char part[32] = "";

	if (device->is_part)
		snprintf(part, sizeof part, ", part of %u units", (unsigned)device->facts.compute_units);
	snprintf(text, IDENTITY_BYTES, "device %s, %s, %s, driver %s, %llu bytes%s\n", device->platform,
	         device->hardware, device->opencl, device->driver_version,
	         (unsigned long long)device->facts.memory_bytes, part);
}

/* The key of a trial. Of two devices the one whose identity sorts first comes first, so that it does not matter
 * which of them was opened first. */
static void describe(const het_device *device, const het_device *partner, char about[2 * IDENTITY_BYTES + 32])
{
	char one[IDENTITY_BYTES], two[IDENTITY_BYTES] = "";

	identify(device, one);
	if (!partner) {
		strcpy(about, one);
		return;
	}
	identify(partner, two);
	const bool in_order = strcmp(one, two) <= 0;
	sprintf(about, "%s%s%s context\n", in_order ? one : two, in_order ? two : one,
	        device->context == partner->context ? "one" : "each its own");
}

static het_status hold_trial(het_device *device, het_device *partner, const char *about, bool *shares_p)
{
	struct het__logger *const logger = device->system->logger;
	const char *const beside = partner ? partner->name : "the host alone";
	bool right = false;
	const het_status status = het__trial(device, partner, &right);

	if (status == HET_ERR_MEMORY)
		return status;
	if (status)
		het__log(logger, HET_LOG_WARN, "system", "%s gets a memory of its own: %s", device->name,
		         het__message());
	else
		het__log(logger, HET_LOG_INFO, "system", "tried %s beside %s: %s", device->name, beside,
		         right ? "it sees the host's memory in place" : "bytes were lost");
	*shares_p = !status && right;
	het__verdict_keep(device->system, about, *shares_p ? HET__VERDICT_YES : HET__VERDICT_NO, !status);
	return HET_OK;
}

/* One trial, or what was learnt from it. `partner` NULL: beside the host alone. */
static het_status judge(het_device *device, het_device *partner, bool *shares_p)
{
	char about[2 * IDENTITY_BYTES + 32];
	enum het__verdict verdict;

	describe(device, partner, about);
	verdict = het__verdict_find(device->system, about);
	if (verdict == HET__VERDICT_NONE)
		return hold_trial(device, partner, about, shares_p);
	*shares_p = verdict == HET__VERDICT_YES;
	return HET_OK;
}

/* Open and with the host's memory: only openers change that, and they hold open_lock. */
static bool shares_already(const het_device *device)
{
	return atomic_load_explicit(&device->opened, memory_order_relaxed) && !device->memory->owner;
}

het_status het__proof_shares_host(het_device *device, bool *shares_p)
{
	het_system *const system = device->system;
	bool shares = (device->facts.type & CL_DEVICE_TYPE_CPU) != 0;
	het_status status = shares ? judge(device, NULL, &shares) : HET_OK;

	for (int i = 0; i < system->device_count && shares && !status; i++)
		if (shares_already(system->devices[i]))
			status = judge(device, system->devices[i], &shares);
	if (!status)
		*shares_p = shares;
	return status;
}
