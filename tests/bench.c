/* bench.c - the machine under random programs, as the model sees it, and their kernels. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "launches.h"
#include "store/staging.h"
#include "system/system.h"

#define CHUNK_BYTES 64 /* the programs' arrays are small */

/* As HETERO_ROUTE forces it: the library takes that route wherever it can be taken. */
static enum ways ways(void)
{
	const char *const route = getenv("HETERO_ROUTE");

	if (route && (strcmp(route, "staged") == 0 || strcmp(route, "chunked") == 0))
		return WAYS_ALL_BY_HOST;
	if (route && (strcmp(route, "pinned") == 0 || strcmp(route, "mapped") == 0))
		return WAYS_ALL_DIRECT;
	return route && strcmp(route, "pack") == 0 ? WAYS_OF_SHAPES : WAYS_OF_CONTEXTS;
}

static void describe_machine(struct bench *bench)
{
	struct machine *machine = &bench->machine;
	const char *platform[DEVICES_MOST];

	machine->ways = ways();
	machine->devices = het_device_count(bench->system);
	ck_assert_int_le(machine->devices, DEVICES_MOST);
	for (int d = 0; d < machine->devices; d++) {
		struct het_device_info info = HET_DEVICE_INFO_INIT;
		int context = d;

		ck_assert_int_eq(het_device_info(het_device(bench->system, d), &info), HET_OK);
		platform[d] = info.platform;
		for (int e = 0; e < d && context == d && het__driver_of(platform[d])->one_context; e++)
			if (strcmp(platform[e], platform[d]) == 0)
				context = e;
		machine->memory[d] = info.memory;
		machine->base_align[d] = info.base_align_bytes;
		machine->context_of_memory[info.memory] = context;
	}
}

bool open_bench(struct bench *bench, const struct het_options *options)
{
	const het_status st = het_open(options, &bench->system);

	if (st == HET_ERR_SELECTION || st == HET_ERR_NO_DEVICE) {
		printf("skipped: %s\n", het_message());
		return false;
	}
	ck_assert_msg(st == HET_OK, "%s", het_message());
	bench->system->chunk_bytes = CHUNK_BYTES;
	bench->system->staging_bytes = 2 * HET__STAGING_BYTES; /* so that they are waited for */
	describe_machine(bench);
	ck_assert_msg(make_kernels(bench) == HET_OK, "%s", het_message());
	return true;
}
