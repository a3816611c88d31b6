/* counted.c - kernels that ask for numbers which a part of a spread changes. */

#include "launch/counted.h"

#include <string.h>

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

/* Options may name files, whose text is not known, and -D can hide what the kernel's text asks for. */
static bool may_hide(const char *options)
{
	static const char *const hidden[] = {"-include", "-imacros", "get_", "##"};

	for (size_t i = 0; options && i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (strstr(options, hidden[i]))
			return true;
	return false;
}

bool het__options_hide_parts(const het_kernel *kernel, const het_device *device)
{
	return may_hide(kernel->device_options[device->index]);
}

static bool look_for_parts(const het_kernel *kernel, int dimension)
{
	return !kernel->source || kernel->facts.includes || may_hide(kernel->options) ||
	       strstr(kernel->source, "##") || het__source_knows_parts(kernel->source, dimension);
}

bool het__knows_parts(het_kernel *kernel, int dimension)
{
	const unsigned bit = 1U << dimension;

	if (!(kernel->parts_looked_for & bit)) {
		kernel->parts_looked_for |= bit;
		kernel->parts_known |= look_for_parts(kernel, dimension) ? bit : 0;
	}
	return kernel->parts_known & bit;
}
