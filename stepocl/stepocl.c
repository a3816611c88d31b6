/* stepocl.c - hetero-stepocl: a stencil's kernel for one device, and a description of it, run on all
 * devices. After STEPOCL (Li, Brunet and Namyst 2013). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "calibrate/tool.h"
#include "options.h"
#include "partition.h"
#include "run.h"
#include "show.h"

/* Too large for the stack. */
static struct description description;
static struct datum data[MOST_ARGUMENTS];

static bool failed(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program, what, why);
	return false;
}

static bool read_description(const char *path, int64_t iterations)
{
	struct refusal refusal = {.line = 0};
	FILE *const file = fopen(path, "rb");
	bool good;

	if (!file)
		return failed(path, strerror(errno));
	good = description_read(file, iterations, &description, &refusal);
	fclose(file);
	if (good)
		return true;
	if (refusal.line)
		fprintf(stderr, "%s: %s:%d: %s\n", program, path, refusal.line, refusal.text);
	else
		failed(path, refusal.text);
	return false;
}

static bool show_partition(int devices)
{
	struct partition partition;

	if (!partition_make(&description, devices, &partition))
		return failed("the plan", "no memory");
	show_plan(&description, &partition, devices);
	partition_free(&partition);
	return true;
}

/* The file that the description names lies beside it. */
static bool find_kernel(const struct options *options, char path[PATH_MAX])
{
	const char *const slash = strrchr(options->description, '/');
	const int folder = slash && *description.file != '/' ? (int)(slash + 1 - options->description) : 0;
	int length;

	if (!options->kernel && !*description.file)
		return wrong("the description names no file: which KERNEL.cl", NULL);
	if (options->kernel)
		length = snprintf(path, PATH_MAX, "%s", options->kernel);
	else
		length = snprintf(path, PATH_MAX, "%.*s%s", folder, options->description, description.file);
	return length < PATH_MAX || failed(options->description, strerror(ENAMETOOLONG));
}

static int carry_out(const struct options *options)
{
	char kernel[PATH_MAX];
	struct job job = {&description, data, options->description, kernel, options->devices};

	if (!find_kernel(options, kernel) || !data_resolve(options, &description, data) ||
	    !data_spare(options, kernel, &description, data))
		return 2;
	if (options->action == RUN &&
	    (!data_may_write(&description, data) || !data_keep_output(&description, data)))
		return EXIT_FAILURE;
	return (options->action == EMIT ? job_emit(&job, options->program) : job_run(&job)) ? EXIT_SUCCESS
											    : EXIT_FAILURE;
}

static int act(const struct options *options)
{
	if (!read_description(options->description, options->iterations))
		return EXIT_FAILURE;
	if (options->action == PLAN && !data_named(options, &description, data))
		return 2;
	if (options->action == PLAN)
		return show_partition(options->devices_planned) ? EXIT_SUCCESS : EXIT_FAILURE;
	return carry_out(options);
}

int main(int argc, char **argv)
{
	struct options options;

	hold_streams();
	if (!options_read(argc, argv, &options))
		return 2;
	switch (options.action) {
	case HELP:
		print_usage();
		return printed(EXIT_SUCCESS);
	case VERSION:
		print_version();
		return printed(EXIT_SUCCESS);
	default:
		return printed(act(&options));
	}
}
