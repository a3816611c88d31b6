/* counted.c - kernels that count what a part of a spread changes. */

#include "launch/counted.h"

#include "base/log.h"
#include "kernel/kernel.h"

void het__tell_counted(het_kernel *kernel, int dimension)
{
	const unsigned bit = 1U << dimension;
	const char *name;

	if (!kernel->source || kernel->parts_told & bit)
		return;
	kernel->parts_told |= bit;
	name = het__source_counts(kernel->source, kernel->name, dimension);
	if (name)
		het__log(
			kernel->system->logger, HET_LOG_WARN, "spread",
			"%s asks for %s, and a spread cuts its range in dimension %d of OpenCL: each device is "
			"told its own part's, from 0 on (get_global_id is the range's; get_global_offset is "
			"where the part begins)",
			kernel->title, name, dimension);
}
