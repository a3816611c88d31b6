/* routing.h - what the tests of routes share: a fake machine on which a route is forced. */
#ifndef HETERO_TESTS_ROUTING_H
#define HETERO_TESTS_ROUTING_H

#include "face.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakes.h"
#include "platforms.h"
#include "route/choose.h"

enum { N = 1024, BYTES = N * 4, PARTS = 8 };

static het_system *sys;
static het_device *first, *last;

static inline void open_machine(const char *machine, const char *route)
{
	struct het_options options = HET_OPTIONS_INIT;

	if (route)
		setenv("HETERO_ROUTE", route, 1);
	else
		unsetenv("HETERO_ROUTE");
	ck_assert(het_test_fake_driver(machine));
	options.share = HET_SHARE_OFF;
	ok(het_open(&options, &sys));
	sys->chunk_bytes = BYTES / PARTS;
	first = first_device(sys);
	last = last_device(sys);
}

static inline void close_machine(void)
{
	ok(het_close(sys));
	ck_assert_int_eq(control("alive all"), 0);
	ck_assert_int_eq(control("count violations"), 0);
}

/* An array whose value is on the first device only: i + 1. */
static inline het_array *array_on_first(void)
{
	het_array *array = counting_array(sys, N);

	ok(het_launch(common_kernel(sys, "bump"), first, het_grid(1, N), HET_INOUT(array), HET_VAL(1)));
	ok(het_wait(array));
	return array;
}

/* What moved between two memories by a route. */
static inline struct het_flow flow_by(int from, int to, const char *route)
{
	struct het_flow flow = HET_FLOW_INIT, none = HET_FLOW_INIT;

	for (int i = 0; het_flow_at(sys, i, &flow) == HET_OK; i++)
		if (flow.from == from && flow.to == to && strcmp(flow.route, route) == 0)
			return flow;
	return none;
}

static inline void assert_flow(const het_device *from, const het_device *to, const char *route, uint64_t count,
                        uint64_t bytes)
{
	const struct het_flow flow = flow_by(from ? from->memory->index : 0, to ? to->memory->index : 0, route);

	ck_assert_uint_eq(flow.count, count);
	ck_assert_uint_eq(flow.bytes, bytes);
}

static inline const char *chosen(const het_device *from, const het_device *to, size_t bytes)
{
	const struct het__hop hop = {from ? from->memory : sys->memories[0], to ? to->memory : sys->memories[0],
				     bytes, false};

	return het__route_choose(&hop)->name;
}

static inline void keep_line(void *user, enum het_log_level level, const char *line)
{
	if (level == HET_LOG_WARN)
		snprintf(user, 200, "%s", line);
}

#endif
