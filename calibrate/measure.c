/* measure.c - see measure.h. */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "samples.h"
#include "speed.h"
#include "system/setup.h"
#include "tune.h"

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)
#define SMALLEST (4 * KIB)
#define LARGEST (256 * MIB)
#define LARGEST_QUICK (8 * MIB)
#define FEW_FROM (4 * MIB)   /* from here on 5 samples do */
#define FEWER_FROM (32 * MIB) /* and from here on, or if it is to be quick, 3 */
#define FLAT_FROM (16 * MIB)
#define TUNED_FROM (4 * MIB) /* in parts at all */
#define TUNED_MOST (16 * MIB)
#define FLAT 1.05      /* faster by less than this is not faster */
#define DOMINATED 1.25 /* as many times the best one's time */
/* What little boxes take says nothing of large ones. Quick is quick. */
#define JUDGED_FROM(quick) ((quick) ? 256 * KIB : MIB)

/* Where a route stands in the sizes of its pair and shape. */
struct runner {
	const char *name;
	int number;   /* in the calibration */
	int behind;   /* successive sizes at which it was dominated */
	double ratio; /* to the best one's time, at the last of them */
	bool out;
};

/* What is being measured. */
struct course {
	const struct memories *memories;
	const struct plan *plan;
	struct het__calibration *to;
	struct het__cal_pair *pair;
	const struct het__memory *from_memory, *to_memory;
	struct runner runner[HET__CAL_ROUTES];
	int runners;
	int pairs;
	int steps, steps_done; /* shapes of pairs, and devices */
};

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

bool is_planned(const struct plan *plan, const struct het__memory *from, const struct het__memory *to)
{
	return from != to && (!plan->only_from || (strcmp(plan->only_from, het__memory_name(from)) == 0 &&
						   strcmp(plan->only_to, het__memory_name(to)) == 0));
}

/* Of an array twice as large as what is moved; beside it drivers need room of their own. */
static bool has_room(const struct het__memory *memory, size_t bytes)
{
	const het_device *const device = memory->owner;

	return !device ||
	       (2 * bytes <= device->facts.max_alloc_bytes && 4 * bytes <= device->facts.memory_bytes);
}

/* ---- one cell ---------------------------------------------------------------------------------- */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- a pair ------------------------------------------------------------------------------------ */

static void bar(struct het__cal_pair *pair, int route, const char *why)
{
	struct het__cal_bar *const bar = &pair->bar[pair->bar_count];

	if (het__cal_bar(pair, route))
		return;
	pair->bar_count++;
	bar->route = route;
	bar->origin = HET__CAL_MEASURED;
	het__cal_text(bar->why, sizeof bar->why, why);
}

static void add_point(struct het__cal_pair *pair, int route, struct het__cal_point point)
{
	struct het__cal_curve *curve = het__cal_curve(pair, route);

	if (!curve) {
		curve = &pair->curve[pair->curve_count++];
		curve->route = route;
		curve->origin = HET__CAL_MEASURED;
	}
	curve->at[curve->count++] = point;
}

static void bar_runner(struct course *c, const struct bench *bench, struct runner *runner, bool failed,
		       uint64_t wrong)
{
	char why[HET__CAL_TEXT_BYTES];

	if (failed)
		snprintf(why, sizeof why, "failed at %zu bytes: %s", bench->bytes, bench->why);
	else
		snprintf(why, sizeof why, "%" PRIu64 " words wrong of %zu bytes", wrong, bench->bytes);
	bar(c->pair, runner->number, why);
	runner->out = true;
}

/* Another order in every round: what ran before decides who is still awake, the driver's thread or ours, and on
 * small boxes that decides more than the route. */
static void shuffle(int order[HET__CAL_ROUTES], int count, unsigned round)
{
	uint32_t random = round * 2654435761u + 1;

	for (int i = 0; i < count; i++) {
		int other;

		random = random * 1664525u + 1013904223u;
		other = (int)((random >> 16) % (uint32_t)(i + 1));
		order[i] = order[other];
		order[other] = i;
	}
}

/* Every route once. The data of no two runs are the same. `samples` NULL: nothing is written down. False where
 * there can be no more rounds. */
static bool run_round(struct course *c, struct bench *bench, unsigned round, int stripe,
		      struct samples *samples)
{
	int order[HET__CAL_ROUTES];

	shuffle(order, c->runners, round);
	for (int n = 0; n < c->runners; n++) {
		const int i = order[n];
		struct runner *const runner = &c->runner[i];
		uint64_t wrong = 0;
		enum bench_end end;
		double ns;

		if (runner->out)
			continue;
		end = bench_run(bench, runner->name, round * HET__CAL_ROUTES + (unsigned)i, stripe, &ns,
				&wrong);
		if (end == BENCH_BROKEN)
			return false;
		if (end == BENCH_FAILED || wrong)
			bar_runner(c, bench, runner, end == BENCH_FAILED, wrong);
		else if (samples)
			samples[i].ns[samples[i].count++] = ns;
	}
	return true;
}

static int still_in(const struct course *c)
{
	int count = 0;

	for (int i = 0; i < c->runners; i++)
		count += !c->runner[i].out;
	return count;
}

/* Routes take turns, so that what else the machine does hits all of them. The first round warms up and is
 * checked in full, but not counted. The last one is checked in full too: which that is must be known before it
 * runs. */
static bool sample_all(struct course *c, struct bench *bench, struct samples *samples)
{
	const bool fewer = bench->bytes >= FEWER_FROM || c->plan->quick;
	const int least = bench->bytes < FEW_FROM ? 9 : fewer ? 3 : 5;
	const double until = seconds() + still_in(c) * (c->plan->quick ? 0.007 : 0.02);
	bool last = false, whole = run_round(c, bench, 0, 0, NULL);

	for (int i = 1; whole && !last && still_in(c) > 0; i++) {
		const int stripe = i % STRIPES;

		last = i == MOST_SAMPLES || (i >= least && seconds() >= until);
		whole = run_round(c, bench, (unsigned)i, last ? 0 : stripe ? stripe : STRIPES, samples);
	}
	return whole;
}

/* Who is far behind and not catching up goes, once there are bytes enough to tell. */
static void judge(struct course *c, const struct het__cal_point *point, double best, size_t bytes)
{
	const size_t first = JUDGED_FROM(c->plan->quick);

	for (int i = 0; i < c->runners; i++) {
		struct runner *const runner = &c->runner[i];
		const double ratio = (double)point[i].ns / best;

		if (runner->out)
			continue;
		runner->behind = bytes >= first && ratio > DOMINATED ? runner->behind + 1 : 0;
		runner->out = runner->behind >= 2 && ratio > 0.95 * runner->ratio;
		runner->ratio = ratio;
	}
}

/* The points of all runners at one size; `point` has those that were measured. Returns the least time, 0 where
 * none is left. */
static double note_size(struct course *c, const struct het__cal_point *point, size_t bytes)
{
	double best = 0;

	for (int i = 0; i < c->runners; i++) {
		if (point[i].ns == 0)
			continue;
		add_point(c->pair, c->runner[i].number, point[i]);
		if (best <= 0 || (double)point[i].ns < best)
			best = (double)point[i].ns;
	}
	if (best > 0)
		judge(c, point, best, bytes);
	return best;
}

static void warn_unmeasured(const struct course *c, const struct bench *bench)
{
	char what[2 * HET__CAL_NAME_BYTES + 2 * HET__CAL_TEXT_BYTES];

	snprintf(what, sizeof what, "from %s to %s nothing is known of %zu bytes and more, %s: %s",
		 c->pair->from, c->pair->to, bench->bytes, het__cal_shape_name(c->pair->shape), bench->why);
	c->plan->warn(what);
}

/* All routes at one size, or none: a route must not win because the others could not be tried. Returns the
 * least time, 0 where there is nothing to be measured any more. */
static double run_size(struct course *c, size_t bytes)
{
	struct het__cal_point point[HET__CAL_ROUTES] = {{.ns = 0}};
	struct samples samples[HET__CAL_ROUTES];
	struct bench bench;
	bool whole = bench_open(c->memories, c->from_memory, c->to_memory,
				c->pair->shape == HET__CAL_STRIDED, bytes, &bench) == HET_OK;

	for (int i = 0; i < c->runners; i++)
		samples[i].count = 0;
	whole = whole && sample_all(c, &bench, samples);
	for (int i = 0; i < c->runners && whole; i++)
		if (!c->runner[i].out)
			point[i] = samples_point(&samples[i], bytes);
	if (!whole)
		warn_unmeasured(c, &bench);
	bench_close(&bench);
	return whole ? note_size(c, point, bytes) : 0;
}

static void tell(const struct course *c, size_t bytes)
{
	char what[2 * HET__CAL_NAME_BYTES + 80];
	double part = c->steps_done;

	for (size_t size = SMALLEST; size < bytes; size *= 2)
		part += 1.0 / 17;
	snprintf(what, sizeof what, "%s to %s, %s, %zu KiB", c->pair->from, c->pair->to,
		 het__cal_shape_name(c->pair->shape), bytes / KIB);
	if (c->plan->progress)
		c->plan->progress(what, part / c->steps);
}

/* 0: none. */
static size_t size_after(const struct plan *plan, size_t bytes)
{
	if (!plan->quick)
		return bytes < LARGEST ? 2 * bytes : 0;
	if (bytes >= LARGEST_QUICK)
		return 0;
	return 8 * bytes < LARGEST_QUICK ? 8 * bytes : LARGEST_QUICK;
}

static void run_sizes(struct course *c)
{
	double fastest = 0, best = 1;
	int flat = 0;

	for (size_t bytes = SMALLEST; bytes > 0 && best > 0 && flat < 2; bytes = size_after(c->plan, bytes)) {
		double rate;

		if (!has_room(c->from_memory, bytes) || !has_room(c->to_memory, bytes))
			break;
		tell(c, bytes);
		best = run_size(c, bytes);
		rate = best > 0 ? (double)bytes / best : 0;
		flat = bytes >= FLAT_FROM && rate < FLAT * fastest ? flat + 1 : 0;
		fastest = rate > fastest ? rate : fastest;
	}
}

static void line_up(struct course *c)
{
	const char *name;

	c->runners = 0;
	for (int i = 0; (name = route_between(c->from_memory, c->to_memory, c->pair->shape, i)) != NULL; i++) {
		const int number = het__cal_route_of(name);

		if (number >= 0 && c->runners < HET__CAL_ROUTES && !het__cal_bar(c->pair, number))
			c->runner[c->runners++] = (struct runner){.name = name, .number = number};
	}
}

/* A route that was wrong for one shape is barred for both. */
static void share_bars(const struct het__cal_pair *from, struct het__cal_pair *to)
{
	for (int i = 0; i < from->bar_count; i++)
		bar(to, from->bar[i].route, from->bar[i].why);
}

static het_status run_shape(struct course *c, enum het__cal_shape shape)
{
	c->pair = het__calibration_add_pair(c->to);
	if (!c->pair)
		return het__fail(HET_ERR_MEMORY, "no memory for a pair");
	het__cal_text(c->pair->from, sizeof c->pair->from, het__memory_name(c->from_memory));
	het__cal_text(c->pair->to, sizeof c->pair->to, het__memory_name(c->to_memory));
	c->pair->shape = shape;
	if (shape != HET__CAL_CONTIGUOUS)
		share_bars(c->pair - 1, c->pair);
	line_up(c);
	run_sizes(c);
	if (shape != HET__CAL_CONTIGUOUS)
		share_bars(c->pair, c->pair - 1);
	c->steps_done++;
	return HET_OK;
}

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
	route = tune(c->memories, c->from_memory, c->to_memory, pair,
		     largest < TUNED_MOST ? largest : TUNED_MOST, why);
	if (route < 0)
		return true;
	for (int shape = 0; shape < HET__CAL_SHAPES; shape++)
		bar(c->pair - shape, route, why);
	return false;
}

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

static het_status run_pair(struct course *c)
{
	het_status status = HET_OK;

	for (int shape = 0; shape < HET__CAL_SHAPES && !status; shape++)
		status = run_shape(c, (enum het__cal_shape)shape);
	if (!status)
		decide(c);
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

/* What devices do by themselves. That they do not is said; it is no failure. */
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
		speed_measure(&speed, device, c->plan->quick, c->plan->warn, &c->to->device[d]);
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

/* Host pairs come first: what goes by the host between devices takes the same steps. */
het_status measure(const struct memories *memories, const struct plan *plan,
		   struct het__calibration *calibration)
{
	struct course c = {.memories = memories, .plan = plan, .to = calibration};
	const int devices = het_device_count(memories->system);
	het_status status;

	for (int i = 0; i < memories->count; i++)
		for (int j = 0; j < memories->count; j++)
			c.pairs += HET__CAL_SHAPES * is_planned(plan, memories->at[i], memories->at[j]);
	if (devices > HET__CAL_MOST_DEVICES || c.pairs > HET__CAL_MOST_PAIRS)
		return het__fail(HET_ERR_ARGUMENT,
				 "%d devices and %d pairs: a calibration has at most %d and %d; HETERO_DEVICES "
				 "chooses devices",
				 devices, c.pairs, HET__CAL_MOST_DEVICES, HET__CAL_MOST_PAIRS);
	c.steps = c.pairs + planned_devices(&c);
	status = describe(memories, calibration);
	for (int i = 0; i < memories->count; i++)
		for (int j = 0; j < memories->count && !status; j++) {
			c.from_memory = memories->at[i];
			c.to_memory = memories->at[j];
			if (is_planned(plan, c.from_memory, c.to_memory))
				status = run_pair(&c);
		}
	if (!status)
		status = run_devices(&c);
	return !status && is_empty(calibration) ? het__fail(HET_ERR_DEVICE, "nothing could be measured")
						: status;
}
