/* look.c - see look.h. */
#include "look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "report.h"
#include "systems.h"

/* ---- what would be measured -------------------------------------------------------------------- */

static void print_pair(const struct planned *pair)
{
	const char *name;

	for (int s = 0; s < HET__CAL_SHAPES; s++) {
		const enum het__cal_shape shape = (enum het__cal_shape)s;

		printf("%s to %s, %s:", het__memory_name(pair->from), het__memory_name(pair->to),
		       het__cal_shape_name(shape));
		for (int n = 0; (name = route_between(pair->from, pair->to, shape, n)) != NULL; n++)
			printf(" %s", name);
		putchar('\n');
	}
}

static void print_plan(const struct memories *memories, const struct plan *plan)
{
	struct planned pair = {.next = 0};

	for (int d = 0; d < het_device_count(memories->system); d++) {
		const het_device *const device = het_device(memories->system, d);
		const het_device *const partner = planned_partner(plan, memories->system, d);

		if (is_planned_device(plan, device))
			printf("%s: launches, memory, computing (single%s), queues%s%s\n", device->name,
			       device->facts.has_double ? ", double" : "", partner ? ", edges apart with " : "",
			       partner ? partner->name : "");
	}
	while (next_planned(plan, memories, &pair))
		print_pair(&pair);
}

static int tell_plan(const struct memories *memories, const struct options *options)
{
	const struct plan plan = {.only_from = options->from, .only_to = options->to};

	if (options->json)
		return report_planned(memories, &plan) ? EXIT_SUCCESS
						       : failed("the report could not be made: no memory");
	print_plan(memories, &plan);
	return EXIT_SUCCESS;
}

/* ---- which route is taken ---------------------------------------------------------------------- */

static void print_shapes(const struct options *options, struct het__hop hop)
{
	char text[512];

	for (int shape = 0; shape < HET__CAL_SHAPES; shape++) {
		hop.strided = shape == HET__CAL_STRIDED;
		het__route_explain(&hop, het__route_choose(&hop), text, sizeof text);
		printf("%s to %s, %zu bytes, %s: %s\n", options->from, options->to, options->bytes,
		       het__cal_shape_name((enum het__cal_shape)shape), text);
	}
}

/* Two devices, or one and the host, that share a memory; or it is the same name twice. */
static void print_nothing(const struct options *options)
{
	const bool same = strcmp(options->from, options->to) == 0;

	printf("%s to %s, %zu bytes: nothing has to be moved%s\n", options->from, options->to, options->bytes,
	       same ? ": it is one memory"
		    : ", for they share the host's memory; --separate (or HETERO_SHARE=off) tells what "
		      "would be if they did not");
}

static int explain(const struct memories *memories, const struct options *options)
{
	const struct het__hop hop = {memory_of(memories, options->from), memory_of(memories, options->to),
				     options->bytes, false};

	if (options->json)
		return report_explained(options, &hop) ? EXIT_SUCCESS
						       : failed("the report could not be made: no memory");
	if (hop.from == hop.to)
		print_nothing(options);
	else
		print_shapes(options, hop);
	return EXIT_SUCCESS;
}

/* ---- either ------------------------------------------------------------------------------------ */

int look(const struct options *options)
{
	const bool explains = options->action == EXPLAIN;
	struct memories memories;
	int result = EXIT_FAILURE;

	if (open_memories(options, explains ? options->path : "off", &memories))
		return failed(het_message());
	if (are_memories(&memories, options))
		result = explains ? explain(&memories, options) : tell_plan(&memories, options);
	return close_memories(&memories, result);
}
