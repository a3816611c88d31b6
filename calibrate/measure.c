/* measure.c - see measure.h. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "series.h"
#include "speed.h"
#include "system/setup.h"
#include "tune.h"
#include "words.h"

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)
#define TUNED_FROM (4 * MIB) /* smaller boxes do not go in parts */
#define TUNED_MOST (16 * MIB)
#define SLOW_S 5

/* ---- what there is to measure ------------------------------------------------------------------ */

const char *route_between(const struct het__memory *from, const struct het__memory *to,
			  enum het__cal_shape shape, int i)
{
	const struct het__hop hop = {from, to, 1, shape == HET__CAL_STRIDED};
	const struct het__route *route;

	for (size_t row = 0; (route = het__route_at(row)) != NULL; row++)
		if (route->applies(&hop) && i-- == 0)
			return route->name;
	return NULL;
}

static bool is_planned(const struct plan *plan, const struct planned *pair)
{
	return pair->from != pair->to &&
	       (!plan->only_from || (strcmp(plan->only_from, het__memory_name(pair->from)) == 0 &&
				     strcmp(plan->only_to, het__memory_name(pair->to)) == 0));
}

bool next_planned(const struct plan *plan, const struct memories *memories, struct planned *pair)
{
	const int count = memories->count;

	while (pair->next < count * count) {
		pair->from = memories->at[pair->next / count];
		pair->to = memories->at[pair->next % count];
		pair->next++;
		if (is_planned(plan, pair))
			return true;
	}
	return false;
}

/* ---- a pair ------------------------------------------------------------------------------------ */

/* The largest size at which anything was measured; 0: none. */
static size_t largest_of(const struct het__cal_pair *pair)
{
	uint64_t largest = 0;

	for (int i = 0; i < pair->curve_count; i++)
		if (pair->curve[i].at[pair->curve[i].count - 1].bytes > largest)
			largest = pair->curve[i].at[pair->curve[i].count - 1].bytes;
	return (size_t)largest;
}

/* False: a route turned out to be wrong, and is barred. */
static bool tune_shape(struct course *c, struct het__cal_pair *pair)
{
	const size_t largest = largest_of(pair);
	char why[HET__CAL_TEXT_BYTES];
	int route;

	if (c->plan->quick || largest < TUNED_FROM)
		return true;
	route = tune(c, pair, largest < TUNED_MOST ? largest : TUNED_MOST, why);
	if (route < 0)
		return true;
	for (int shape = 0; shape < HET__CAL_SHAPES; shape++)
		series_bar(c->pair - shape, route, why);
	return false;
}

/* For all shapes: c->pair is the last one's, the others' stand before it. Again where tuning barred a route. */
static void decide(struct course *c)
{
	bool good;

	do {
		good = true;
		for (int shape = 0; shape < HET__CAL_SHAPES; shape++)
			het__cal_decide(c->pair - shape);
		for (int shape = 0; shape < HET__CAL_SHAPES && good; shape++)
			good = tune_shape(c, c->pair - shape);
	} while (!good);
}

/* The two memories' pair of each shape, of which nothing is known yet. */
static het_status add_pair(struct course *c)
{
	for (int shape = 0; shape < HET__CAL_SHAPES; shape++) {
		struct het__cal_pair *const pair = het__calibration_add_pair(c->to);

		if (!pair)
			return het__fail(HET_ERR_MEMORY, "no memory for a pair");
		het__cal_text(pair->from, sizeof pair->from, het__memory_name(c->from_memory));
		het__cal_text(pair->to, sizeof pair->to, het__memory_name(c->to_memory));
		pair->shape = (enum het__cal_shape)shape;
	}
	return HET_OK;
}

static het_status visit_pair(struct course *c)
{
	for (int shape = 0; shape < HET__CAL_SHAPES; shape++, c->pair++)
		series_visit(c);
	return HET_OK;
}

static void tell_slow(const struct course *c, double seconds)
{
	char what[2 * HET__CAL_NAME_BYTES + 60];

	if (!c->plan->slow || seconds < SLOW_S)
		return;
	snprintf(what, sizeof what, "%s to %s took %.0f s", het__memory_name(c->from_memory),
		 het__memory_name(c->to_memory), seconds);
	c->plan->slow(what);
}

static het_status run_pair(struct course *c)
{
	const uint64_t began = het__host_ns();

	for (int shape = 0; shape < HET__CAL_SHAPES; shape++, c->pair++)
		series_run(c);
	c->pair--;
	decide(c);
	c->pair++;
	tell_slow(c, (double)het__ns_since(began) * 1e-9);
	return HET_OK;
}

static het_status each_pair(struct course *c, het_status (*use)(struct course *c))
{
	struct planned pair = {.next = 0};
	het_status status = HET_OK;

	c->pair = c->to->pair;
	while (!status && next_planned(c->plan, c->memories, &pair)) {
		c->from_memory = pair.from;
		c->to_memory = pair.to;
		status = use(c);
	}
	return status;
}

static het_status run_pairs(struct course *c)
{
	het_status status = each_pair(c, add_pair);

	if (!c->plan->quick)
		c->little = calloc((size_t)c->pairs, sizeof *c->little);
	for (int visit = 1; c->little && visit < VISITS && !status; visit++)
		status = each_pair(c, visit_pair);
	if (!status)
		status = each_pair(c, run_pair);
	free(c->little);
	c->little = NULL;
	return status;
}

/* ---- everything -------------------------------------------------------------------------------- */

static het_status describe(const struct memories *memories, struct het__calibration *to)
{
	const time_t now = time(NULL);
	struct tm tm;
	char date[40];
	het_status status = HET_OK;

	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	to->format = HET__CAL_FORMAT;
	het__cal_text(to->library, sizeof to->library, het_version());
	het__cal_text(to->date, sizeof to->date, date);
	for (int d = 0; d < het_device_count(memories->system) && !status; d++) {
		struct het__cal_device *const device = het__calibration_add_device(to);

		status = device ? het__setup_identity(het_device(memories->system, d), device)
				: het__fail(HET_ERR_MEMORY, "no memory for a device");
	}
	return status;
}

bool is_planned_device(const struct plan *plan, const het_device *device)
{
	return !plan->only_from || strcmp(plan->only_from, device->name) == 0 ||
	       strcmp(plan->only_to, device->name) == 0;
}

static int planned_devices(const struct course *c)
{
	int count = 0;

	for (int d = 0; d < het_device_count(c->memories->system); d++)
		count += is_planned_device(c->plan, het_device(c->memories->system, d));
	return count;
}

static bool are_alike(het_device *a, het_device *b)
{
	struct het__cal_device is_a = {0}, is_b = {0};

	return a->memory == b->memory && a->facts.compute_units == b->facts.compute_units &&
	       !het__setup_identity(a, &is_a) && !het__setup_identity(b, &is_b) &&
	       het__cal_is_of_a_kind(&is_a, &is_b);
}

het_device *planned_partner(const struct plan *plan, het_system *system, int d)
{
	const int devices = het_device_count(system);

	for (int i = 1; i < devices; i++) {
		het_device *const other = het_device(system, (d + i) % devices);

		if (is_planned_device(plan, other) && are_alike(het_device(system, d), other))
			return other;
	}
	return NULL;
}

/* Says, once, what is assumed, and what is left out for want of room. */
static void tell_rooms(const struct memories *memories, const struct plan *plan)
{
	char what[HET__CAL_NAME_BYTES + WORDS_BYTES + 100], assumed[WORDS_BYTES];

	for (int d = 0; d < het_device_count(memories->system); d++) {
		const het_device *const device = het_device(memories->system, d);

		if (!is_planned_device(plan, device))
			continue;
		if (device->facts.memory_bytes == 0) {
			snprintf(what, sizeof what,
				 "%s: how large its memory is its driver does not tell: it is taken for %s",
				 device->name, amount_words(assumed, ASSUMED_BYTES));
			plan->warn(what);
		}
		if (device->memory->owner == device)
			series_tell_room(plan, device->memory);
	}
}

/* Measures what devices do by themselves. What a device does not do is said, and is no failure. */
static het_status run_devices(struct course *c)
{
	het_system *const system = c->memories->system;
	char what[HET__CAL_NAME_BYTES + 80];
	struct speed speed;
	const het_status status = speed_open(system, &speed);

	for (int d = 0; d < het_device_count(system) && !status; d++) {
		het_device *const device = het_device(system, d);

		if (!is_planned_device(c->plan, device))
			continue;
		snprintf(what, sizeof what, "%s, launches, memory, computing", device->name);
		if (c->plan->progress)
			c->plan->progress(what, (double)c->steps_done / c->steps);
		speed_measure(&speed, device, planned_partner(c->plan, system, d), c->plan->quick,
			      c->plan->warn, &c->to->device[d]);
		c->steps_done++;
	}
	return status;
}

/* Pairs, and nothing was found out about any. */
static bool is_empty(const struct het__calibration *calibration)
{
	for (int i = 0; i < calibration->pair_count; i++)
		if (calibration->pair[i].curve_count > 0 || calibration->pair[i].bar_count > 0)
			return false;
	return calibration->pair_count > 0;
}

het_status measure(const struct memories *memories, const struct plan *plan,
		   struct het__calibration *calibration)
{
	struct course c = {.memories = memories, .plan = plan, .to = calibration};
	const int devices = het_device_count(memories->system);
	struct planned pair = {.next = 0};
	het_status status;

	while (next_planned(plan, memories, &pair))
		c.pairs += HET__CAL_SHAPES;
	if (devices > HET__CAL_MOST_DEVICES || c.pairs > HET__CAL_MOST_PAIRS)
		return het__fail(HET_ERR_ARGUMENT,
				 "%d devices and %d pairs: a calibration has at most %d and %d; HETERO_DEVICES "
				 "chooses devices",
				 devices, c.pairs, HET__CAL_MOST_DEVICES, HET__CAL_MOST_PAIRS);
	tell_rooms(memories, plan);
	c.steps = c.pairs + planned_devices(&c);
	status = describe(memories, calibration);
	if (!status)
		status = run_pairs(&c);
	if (!status)
		status = run_devices(&c);
	return !status && is_empty(calibration) ? het__fail(HET_ERR_DEVICE, "nothing could be measured")
						: status;
}
