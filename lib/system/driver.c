/* driver.c - what we know about drivers, as one table. */
#include <string.h>

#include "system/system.h"

/* The first entry whose `match` is part of the platform's name holds; the last one matches everything. A
 * driver nobody has tried is flushed after every task and has its devices kept apart: that is slower
 * where it was not needed, but never wrong. */
static const struct het__driver drivers[] = {
	{
		/* Starts by itself and suffers from eager flushing; its sub-devices are real cores. After it
		 * has told that a command ended, its worker drops the event, and looks at the event's device
		 * for that: so sub-devices are never released, which costs a kilobyte each.
		 * It counts the users of a kernel's code. A launch takes the code by program, work-group size,
		 * offset and range, but gives it back by the first two only. So where devices run one program
		 * at once, a count may fall below zero, which ends the process. (Each launch takes the code
		 * twice: with two devices one must be late between the two times, with three none.) The same
		 * happens where a device is asked for a binary, for the first time, while a kernel with a
		 * required work-group size runs.
		 * It makes the largest work-groups that divide the extents, which may be columns of a matrix,
		 * and compiles a kernel for each size. A loop within a work-item becomes vectors; a loop over
		 * work-items around such a loop does not. Its buffers are from posix_memalign. */
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
		 * launches read, without a lock: kernel/program.c. The tables are the process's, while each
		 * system has its own lock: threads that use two systems at once get wrong results, or crash. */
		.short_name = "oclgrind",
		.match = "Oclgrind",
		.source_name = "input.cl:",
		.flush = HET__FLUSH_EAGER,
		.one_context = true,
		.runs_in_caller = true,
	},
	{
		/* One context over all GPUs would allocate on each of them. clEnqueueWriteBuffer of up to
		 * 64 KiB or so from memory that is not pinned sends what the host has there when it is called,
		 * even if a command before it in its queue, or in its wait list, is still to write there. */
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
		/* The CPU runtime. Where two ranges are mapped at one address, it forgets both, now and then,
		 * when one of them is unmapped. */
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
