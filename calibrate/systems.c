/* systems.c - see systems.h. */
#include "systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int failed(const char *what)
{
	fprintf(stderr, "hetero-calibrate: %s\n", what);
	return EXIT_FAILURE;
}

/* ---- opening ----------------------------------------------------------------------------------- */

het_status open_system(const struct options *options, const char *calibration, het_system **system_p)
{
	struct het_options how = HET_OPTIONS_INIT;

	how.share = options->separate ? HET_SHARE_OFF : HET_SHARE_DEFAULT;
	if ((*calibration && setenv("HETERO_CALIBRATION", calibration, 1)) ||
	    (options->action != EXPLAIN && unsetenv("HETERO_ROUTE")) || unsetenv("HETERO_CHECK"))
		return het__fail(HET_ERR_MEMORY, "no memory");
	return het_open(&how, system_p);
}

het_status open_memories(const struct options *options, const char *calibration, struct memories *memories)
{
	het_system *system;
	het_status status = open_system(options, calibration, &system);

	if (status)
		return status;
	status = memories_open(system, memories);
	if (status)
		het_close(system);
	return status;
}

int close_memories(struct memories *memories, int result)
{
	het_system *const system = memories->system;

	memories_free(memories);
	if (het_close(system) != HET_OK && result == EXIT_SUCCESS)
		return failed(het_message());
	return result;
}

/* ---- finding ----------------------------------------------------------------------------------- */

const struct het__memory *memory_named(const struct memories *memories, const char *name)
{
	for (int i = 0; i < memories->count; i++)
		if (strcmp(het__memory_name(memories->at[i]), name) == 0)
			return memories->at[i];
	return NULL;
}

const struct het__memory *memory_of(const struct memories *memories, const char *name)
{
	for (int d = 0; d < het_device_count(memories->system); d++)
		if (strcmp(het_device(memories->system, d)->name, name) == 0)
			return het_device(memories->system, d)->memory;
	return memory_named(memories, name);
}

/* Lists what can be asked about: memories and, to have it explained, devices that use the host's. */
static void list_memories(const struct memories *memories, const struct options *options)
{
	for (int m = 0; m < memories->count; m++)
		fprintf(stderr, " %s", het__memory_name(memories->at[m]));
	for (int d = 0; d < het_device_count(memories->system) && options->action == EXPLAIN; d++)
		if (!memory_named(memories, het_device(memories->system, d)->name))
			fprintf(stderr, " %s", het_device(memories->system, d)->name);
	fputc('\n', stderr);
}

static bool is_memory(const struct memories *memories, const struct options *options, const char *name)
{
	const bool shares = memory_of(memories, name) && !memory_named(memories, name);

	if (memory_named(memories, name) || (shares && options->action == EXPLAIN))
		return true;
	if (shares)
		fprintf(stderr,
			"hetero-calibrate: nothing has to be moved for a device that uses the host's memory, "
			"as %s (--separate: as if it had one of its own); there are",
			name);
	else
		fprintf(stderr, "hetero-calibrate: no memory is called %s; there are", name);
	list_memories(memories, options);
	return false;
}

bool are_memories(const struct memories *memories, const struct options *options)
{
	if (!options->from)
		return true;
	if (!is_memory(memories, options, options->from) || !is_memory(memories, options, options->to))
		return false;
	if (options->action == EXPLAIN || strcmp(options->from, options->to) != 0)
		return true;
	fprintf(stderr, "hetero-calibrate: from %s to itself nothing has to be moved: no pair is selected\n",
		options->from);
	return false;
}
