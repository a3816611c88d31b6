/* device.c - a device's first use: its context, and which memory is its own. */
#include <string.h>

#include "base/alloc.h"
#include "calibration/calibration.h"
#include "system/prepare.h"
#include "system/proof.h"
#include "system/watch.h"

static het_status open_context(struct het__context *context, const char *device)
{
	cl_device_id *const ids = het__alloc_zeroed((size_t)context->device_count, sizeof *ids);
	het_status status;

	if (!ids)
		return het__fail(HET_ERR_MEMORY, "%s: no memory for a list of devices", device);
	for (int i = 0; i < context->device_count; i++)
		ids[i] = context->devices[i]->id;
	status = het__cl_context_create(context->platform, (cl_uint)context->device_count, ids, device,
	                                &context->cl);
	het__free(ids);
	return status;
}

static het_status add_memory(het_device *device, struct het__memory **memory_p)
{
	het_system *const system = device->system;
	struct het__memory *const memory = het__alloc_zeroed(1, sizeof *memory);

	if (!memory)
		return het__fail(HET_ERR_MEMORY, "%s: no memory to note its memory", device->name);
	memory->owner = device;
	memory->known = device->known;
	pthread_mutex_lock(&system->lock);
	memory->index = system->memory_count;
	system->memories[system->memory_count++] = memory;
	pthread_mutex_unlock(&system->lock);
	*memory_p = memory;
	return HET_OK;
}

/* The host's memory where the device is proved to see it in place, else one of its own. */
static het_status find_memory(het_device *device, struct het__memory **memory_p)
{
	bool shares = false;

	if (device->system->share) {
		const het_status status = het__proof_shares_host(device, &shares);
		if (status)
			return status;
	}
	if (!shares)
		return add_memory(device, memory_p);
	*memory_p = device->system->memories[0];
	return HET_OK;
}

/* Not in the host's memory, where there is next to nothing to copy; nor where the host's clock times kernels:
 * it takes them to begin when what was before them in their queue, copies too, has ended. */
static bool copies_apart(const het_device *device)
{
	const het_system *const system = device->system;
	const struct het__cal_figure *overlap;

	if (!device->memory->owner || (system->profile && device->driver->clock_wrong))
		return false;
	if (system->queues || !system->calibration || device->known <= 0)
		return system->queues == 2;
	overlap = &system->calibration->device[device->known - 1].figure[HET__CAL_QUEUES_OVERLAP];
	return overlap->known && overlap->value == 1;
}

/* With the lock: another thread may ask for times, which takes the queue for copies back (het__lanes_time). */
static bool decide_on_copies(het_device *device)
{
	bool apart;

	pthread_mutex_lock(&device->system->lock);
	apart = device->copies_apart = copies_apart(device);
	pthread_mutex_unlock(&device->system->lock);
	return apart;
}

/* Mesa's software renderer (seen in 22.3) cuts such loops short and reports no error. */
static void warn_of_loops(const het_device *device)
{
	if (strncmp(device->hardware, "llvmpipe", 8) == 0)
		het__log(device->system->logger, HET_LOG_WARN, "system",
			 "%s is Mesa's llvmpipe, which ends a kernel's loops after 65535 rounds: results of "
			 "longer ones are wrong (hetero-info tries it)",
			 device->name);
}

/* With open_lock. */
static het_status open_now(het_device *device)
{
	struct het__memory *memory = NULL;
	het_status status = HET_OK;
	bool apart;

	if (!device->context->cl)
		status = open_context(device->context, device->name);
	if (!status)
		status = find_memory(device, &memory);
	if (status)
		return status;
	device->memory = memory;
	apart = decide_on_copies(device);
	/* copies come back to the kernels' queue when times are asked for and the clock is wrong */
	if (device->system->packs && memory->owner)
		het__pack_prepare(device, apart && device->driver->clock_wrong);
	het__watch_device(device);
	atomic_store_explicit(&device->opened, true, memory_order_release);
	het__log(device->system->logger, HET_LOG_INFO, "system", "%s is open; its memory is %s%s", device->name,
	         memory->owner ? "its own" : "the host's",
	         apart ? ", and copies have a queue of their own" : "");
	warn_of_loops(device);
	return HET_OK;
}

het_status het__device_open_first(het_device *device)
{
	het_system *const system = device->system;
	het_status status = het__hold(system, device->name);

	if (status)
		return status;
	het__log_defer(); /* the route pack makes its kernel by public calls, which would hand lines out */
	pthread_mutex_lock(&system->open_lock);
	if (!atomic_load_explicit(&device->opened, memory_order_relaxed))
		status = open_now(device);
	pthread_mutex_unlock(&system->open_lock);
	het__log_resume();
	return het__let_go(system, status);
}
