/* driver.c - what we know about drivers, as one table. */
#include <string.h>

#include "system/system.h"

/* The first entry whose `match` is part of the platform's name holds; the last one matches everything. A
 * driver nobody has tried is flushed after every task and has its devices kept apart: that is slower
 * where it was not needed, but never wrong. */
static const struct het__driver drivers[] = {
	{
		/* Starts by itself and suffers from eager flushing; its sub-devices are real cores. Its worker
		 * drops an event, and looks at the event's device for that, after it has told that the
		 * command ended: sub-devices are never released, which costs a kilobyte each.
		 * It gives back a kernel's code by program and work-group size, but takes it by offset and
		 * range as well: where devices run one program at once, the count of some users may fall
		 * below zero, and it ends the process. (It takes it twice for each launch, so with two
		 * devices one must be late between the two, and with three none.) So does one device that
		 * is asked for a binary, for the first time, while a kernel with a required work-group size
		 * runs.
		 * Of work-groups it makes as large ones as divide the extents, which may be columns of a
		 * matrix, and it compiles a kernel for each size. Loops within a work-item become vectors, a
		 * loop over work-items around another one does not. Its buffers are from posix_memalign. */
		.short_name = "pocl",
		.match = "Portable Computing Language",
		.options_from = "POCL_EXTRA_BUILD_FLAGS",
		.flush = HET__FLUSH_LAZY,
		.one_context = true,
		.can_cut = true,
		.keeps_parts = true,
		.programs_apart = true,
		.groups_by_extents = true,
		.vectors_within = true,
		.small_pages = true,
		.lost_in_forks = true,
	},
	{
		/* clCreateSubDevices crashes; profile times are wrong. */
		.short_name = "rusticl",
		.match = "rusticl",
		.flush = HET__FLUSH_EAGER,
		.one_context = true,
		.clock_wrong = true,
		.lost_in_forks = true,
	},
	{
		/* A simulator: its times say nothing about any device. Its compiler writes tables that
		 * launches read, without a lock: kernel/program.c. They are the process's, and two systems
		 * have a lock each: threads that use two at once get wrong results, or crash. */
		.short_name = "oclgrind",
		.match = "Oclgrind",
		.source_name = "input.cl:",
		.flush = HET__FLUSH_EAGER,
		.one_context = true,
		.runs_in_caller = true,
	},
	{
		/* One context over all GPUs would allocate on each of them. clEnqueueWriteBuffer of up to
		 * 64 KiB or so from memory that is not pinned sends what the host has there at that moment,
		 * also behind a command that is still to write it, in the same queue or by its wait list. */
		.short_name = "nvidia",
		.match = "NVIDIA CUDA",
		.source_name = "<kernel>:",
		.flush = HET__FLUSH_LAZY,
		.pins_wrapped = true,
		.takes_early = true,
		.events_dear = true,
		.waits_spin = true,
		.lost_in_forks = true,
	},
	{
		.short_name = "intelgpu",
		.match = "Intel(R) OpenCL Graphics",
		.flush = HET__FLUSH_EAGER,
	},
	{
		.short_name = "intelgpu",
		.match = "Intel(R) OpenCL HD Graphics",
		.flush = HET__FLUSH_EAGER,
	},
	{
		/* The CPU runtime. Of two ranges that are mapped at one address it forgets both when one is
		 * unmapped, now and then. */
		.short_name = "intel",
		.match = "Intel(R) OpenCL",
		.flush = HET__FLUSH_EAGER,
		.one_context = true,
		.can_cut = true,
		.maps_once = true,
	},
	{
		.short_name = "amd",
		.match = "AMD Accelerated Parallel Processing",
		.flush = HET__FLUSH_EAGER,
	},
	{
		.short_name = "opencl",
		.match = NULL,
		.flush = HET__FLUSH_EAGER,
		.can_cut = true,
		.maps_once = true,
	},
};

const struct het__driver *het__driver_of(const char *platform_name)
{
	const struct het__driver *driver = drivers;

	while (driver->match && !strstr(platform_name, driver->match))
		driver++;
	return driver;
}
