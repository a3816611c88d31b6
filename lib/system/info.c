/* info.c - what a program can ask about the devices of a system. */
#include <string.h>

#include "base/answer.h"
#include "system/system.h"

/* Callbacks may look at their devices while the system is being closed, and mappers at any time. */
static bool is_system(const het_system *system)
{
	const unsigned magic = system ? atomic_load(&system->magic) : HET__MAGIC_DEAD;

	return magic == HET__MAGIC_SYSTEM || magic == HET__MAGIC_MAPPING || magic == HET__MAGIC_CLOSING ||
	       magic == HET__MAGIC_SETTLED;
}

int het_device_count(const het_system *system)
{
	return is_system(system) ? system->device_count : 0;
}

het_device *het_device_at(const het_system *system, int index)
{
	return is_system(system) && index >= 0 && index < system->device_count ? system->devices[index] : NULL;
}

het_device *het_device_named(const het_system *system, const char *name)
{
	for (int i = 0; name && i < het_device_count(system); i++)
		if (strcmp(system->devices[i]->name, name) == 0)
			return system->devices[i];
	return NULL;
}

static enum het_device_type type_of(cl_device_type type)
{
	if (type & CL_DEVICE_TYPE_CPU)
		return HET_DEVICE_CPU;
	if (type & CL_DEVICE_TYPE_GPU)
		return HET_DEVICE_GPU;
	if (type & CL_DEVICE_TYPE_ACCELERATOR)
		return HET_DEVICE_ACCELERATOR;
	return HET_DEVICE_OTHER;
}

/* With the lock: another thread may ask for times, which takes the queue for copies back (het__lanes_time). */
static int queues_of(het_device *device)
{
	int queues;

	pthread_mutex_lock(&device->system->lock);
	queues = device->copies_apart ? 2 : 1;
	pthread_mutex_unlock(&device->system->lock);
	return queues;
}

static het_status tell(het_device *device, struct het_device_info *info)
{
	struct het_device_info known = HET_DEVICE_INFO_INIT;
	const het_status status = het__device_open(device);

	if (status)
		return status;
	known.name = device->name;
	known.hardware = device->hardware;
	known.platform = device->platform;
	known.driver = device->driver_version;
	known.opencl = device->opencl;
	known.type = type_of(device->facts.type);
	known.index = device->index;
	known.memory = device->memory->index;
	known.is_part = device->is_part;
	known.has_double = device->facts.has_double;
	known.has_half = device->facts.has_half;
	known.compute_units = device->facts.compute_units;
	known.clock_mhz = device->facts.clock_mhz;
	known.base_align_bytes = device->facts.base_align_bits / 8;
	known.memory_bytes = device->facts.memory_bytes;
	known.max_alloc_bytes = device->facts.max_alloc_bytes;
	known.local_bytes = device->facts.local_bytes;
	known.max_work_group = device->facts.max_work_group;
	known.queues = queues_of(device);
	return het__answer("het_device_info", "info", &known, sizeof known, info);
}

het_status het_device_info(het_device *device, struct het_device_info *info)
{
	het_status status = het__device_check(device, "het_device_info");

	if (!status)
		status = het__hold(device->system, "het_device_info");
	if (status)
		return het__device_refuse(device, status);
	return het__let_go(device->system, tell(device, info));
}

het_status het_device_stats(het_device *device, struct het_device_stats *stats)
{
	struct het_device_stats known = HET_DEVICE_STATS_INIT;
	het_status status = het__device_check(device, "het_device_stats");

	if (!status)
		status = het__enter(device->system, "het_device_stats");
	if (status)
		return het__device_refuse(device, status);
	known.launches = device->launches;
	known.kernel_ns = device->kernel_ns;
	known.bytes_in = device->bytes_in;
	known.bytes_out = device->bytes_out;
	if (atomic_load_explicit(&device->opened, memory_order_acquire))
		known.array_bytes = device->memory->block_bytes;
	return het__leave_with(device->system,
			       het__answer("het_device_stats", "stats", &known, sizeof known, stats));
}
