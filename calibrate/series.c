/* series.c - see series.h. */
#include "series.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "system/setup.h"
#include "words.h"

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)
#define SMALLEST (4 * KIB)
#define LARGEST (256 * MIB)
#define LARGEST_QUICK (8 * MIB)
#define FEW_FROM (4 * MIB)    /* from here on 5 samples do */
#define FEWER_FROM (16 * MIB) /* and from here on, or if it is to be quick, 3 */
#define FLAT_FROM (16 * MIB)  /* the caches have ended */
#define FLAT 1.05             /* faster by less than this is not faster */
#define FALLING 1.15          /* slower by more than this is not flat: caches are just ending */
#define FLAT_AT_ONCE (64 * MIB) /* from here on one flat size ends a series; before, two in a row */
#define DOMINATED 1.25        /* as many times the best one's time */
#define RECALLED 2.5          /* who was not further behind comes back, where caches end and beyond */
/* What little boxes take says nothing of large ones. Quick is quick. */
#define JUDGED_FROM(quick) ((quick) ? 256 * KIB : MIB)
#define VISIT_SAMPLES 9       /* at most, of little boxes in each visit */
#define EARLY_PART 0.1        /* of the time that all sizes take, for a visit to the little ones alone */

static bool fits(const struct course *c, size_t bytes)
{
	return bench_has_room(c->from_memory, bytes) && bench_has_room(c->to_memory, bytes);
}

void series_bar(struct het__cal_pair *pair, int route, const char *why)
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
	series_bar(c->pair, runner->number, why);
	runner->out = true;
}

/* Every route once. `samples`, by the routes' numbers; NULL: nothing is written down. False where there can be
 * no more rounds. */
static bool run_round(struct course *c, struct bench *bench, unsigned round, int stripe,
		      struct samples *samples)
{
	int order[HET__CAL_ROUTES];

	bench_order(order, c->runners, round);
	for (int n = 0; n < c->runners; n++) {
		const int i = order[n];
		struct runner *const runner = &c->runner[i];
		uint64_t wrong = 0;
		enum bench_end end;
		double ns;

		if (runner->out)
			continue;
		end = bench_run(bench, runner->name, stripe, &ns, &wrong);
		if (end == BENCH_BROKEN)
			return false;
		if (end == BENCH_FAILED || wrong)
			bar_runner(c, bench, runner, end == BENCH_FAILED, wrong);
		else if (samples)
			samples_add(&samples[runner->number], ns);
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

static bool is_little(const struct course *c, size_t bytes)
{
	return c->little && bytes < SMALLEST << LITTLE_SIZES;
}

/* Those of earlier visits, or `once`, without samples. */
static struct samples *samples_of(const struct course *c, size_t bytes, struct samples once[HET__CAL_ROUTES])
{
	int size = 0;

	if (is_little(c, bytes)) {
		while (SMALLEST << size < bytes)
			size++;
		return c->little[c->pair - c->to->pair][size];
	}
	for (int i = 0; i < HET__CAL_ROUTES; i++)
		once[i].count = 0;
	return once;
}

/* Routes take turns, so that what else the machine does hits all of them. The first round warms up and is
 * checked in full, if time is no matter, but not counted. The last one is checked in full, too, so it must be
 * known before a round whether it is the last. */
static bool sample_all(struct course *c, struct bench *bench, struct samples *samples)
{
	const bool fewer = bench->bytes >= FEWER_FROM || c->plan->quick;
	const int least = bench->bytes < FEW_FROM ? 9 : fewer ? 3 : 5;
	const int most = is_little(c, bench->bytes) ? VISIT_SAMPLES : MOST_SAMPLES;
	const double ns = still_in(c) * (c->plan->quick ? 4e6 : 20e6);
	const uint64_t began = het__host_ns();
	bool last = false, whole = run_round(c, bench, 0, c->plan->quick, NULL);

	for (int i = 1; whole && !last && still_in(c) > 0; i++) {
		const int stripe = i % STRIPES;

		last = i == most || (i >= least && het__ns_since(began) >= ns);
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

/* What boxes with gaps take in caches says little of larger ones: routes that were not far behind come back.
 * (Boxes of one run go alike in caches and beyond.) */
static void recall(struct course *c)
{
	for (int i = 0; i < c->runners; i++) {
		struct runner *const runner = &c->runner[i];

		if (!runner->out || runner->ratio > RECALLED || het__cal_bar(c->pair, runner->number))
			continue;
		runner->out = false;
		runner->behind = 1; /* it goes again at once where it is behind there, too */
		runner->ratio = 0;
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

static void warn_unmeasured(const struct course *c, const struct bench *bench,
			    void (*warn)(const char *what))
{
	char what[2 * HET__CAL_NAME_BYTES + 2 * HET__CAL_TEXT_BYTES];

	snprintf(what, sizeof what, "from %s to %s nothing is known of %zu bytes and more, %s: %s",
		 c->pair->from, c->pair->to, bench->bytes, het__cal_shape_name(c->pair->shape), bench->why);
	warn(what);
}

/* All routes at one size, or none: a route must not win because the others could not be tried. False where
 * there is nothing to be measured any more; `warn`, unless it is NULL, is told. */
static bool visit_size(struct course *c, size_t bytes, struct samples *samples, void (*warn)(const char *what))
{
	struct bench bench;
	const bool whole =
		bench_open(c->memories, c->from_memory, c->to_memory, c->pair->shape == HET__CAL_STRIDED, bytes,
			   c->plan->warn, &bench) == HET_OK &&
		sample_all(c, &bench, samples);

	if (!whole && warn)
		warn_unmeasured(c, &bench, warn);
	bench_close(&bench);
	return whole;
}

/* The last visit: points are made of what was sampled. Returns the least time, 0 where there is nothing to be
 * measured any more. */
static double run_size(struct course *c, size_t bytes)
{
	struct het__cal_point point[HET__CAL_ROUTES] = {{.ns = 0}};
	struct samples once[HET__CAL_ROUTES], *const samples = samples_of(c, bytes, once);

	if (!visit_size(c, bytes, samples, c->plan->warn))
		return 0;
	for (int i = 0; i < c->runners; i++)
		if (!c->runner[i].out)
			point[i] = samples_point(&samples[c->runner[i].number], bytes);
	return note_size(c, point, bytes);
}

/* How much of a series' time a visit takes. */
static double part_of(const struct course *c, bool early)
{
	if (early)
		return EARLY_PART;
	return c->little ? 1 - EARLY_PART * (VISITS - 1) : 1;
}

static void tell(const struct course *c, bool early, size_t bytes)
{
	char what[2 * HET__CAL_NAME_BYTES + WORDS_BYTES + 80], size_text[WORDS_BYTES];
	double part = c->steps_done;

	for (size_t size = SMALLEST; size < bytes; size *= 2)
		part += part_of(c, early) / (early ? LITTLE_SIZES : 17);
	snprintf(what, sizeof what, "%s to %s, %s, %s", c->pair->from, c->pair->to,
		 het__cal_shape_name(c->pair->shape), size_words(size_text, bytes));
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

void series_tell_room(const struct plan *plan, const struct het__memory *memory)
{
	char what[HET__CAL_NAME_BYTES + 3 * WORDS_BYTES + 100];
	char most[WORDS_BYTES], whole[WORDS_BYTES], buffer[WORDS_BYTES], boxes[WORDS_BYTES + 40];
	size_t last = 0, bytes = SMALLEST;

	while (bytes > 0 && bench_has_room(memory, bytes)) {
		last = bytes;
		bytes = size_after(plan, bytes);
	}
	if (bytes == 0)
		return;
	if (last == 0)
		strcpy(boxes, "no boxes are");
	else
		snprintf(boxes, sizeof boxes, "boxes of more than %s are not", size_words(most, last));
	snprintf(what, sizeof what, "%s: %s measured: its memory has %s, a buffer %s",
		 het__memory_name(memory), boxes,
		 amount_words(whole, bench_memory_bytes(memory->owner)),
		 amount_words(buffer, bench_buffer_bytes(memory->owner)));
	plan->warn(what);
}

static void run_sizes(struct course *c)
{
	double fastest = 0, last = 0, best = 1;
	int flat = 0;

	for (size_t bytes = SMALLEST; bytes > 0 && best > 0 && flat < 2; bytes = size_after(c->plan, bytes)) {
		double rate;

		if (!fits(c, bytes))
			break;
		tell(c, false, bytes);
		if ((bytes == FLAT_FROM || bytes == FLAT_AT_ONCE) && c->pair->shape == HET__CAL_STRIDED)
			recall(c);
		best = run_size(c, bytes);
		rate = best > 0 ? (double)bytes / best : 0;
		flat = bytes >= FLAT_FROM && rate < FLAT * fastest && FALLING * rate > last ? flat + 1 : 0;
		flat += flat > 0 && bytes >= FLAT_AT_ONCE;
		fastest = rate > fastest ? rate : fastest;
		last = rate;
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
		series_bar(to, from->bar[i].route, from->bar[i].why);
}

void series_run(struct course *c)
{
	if (c->pair->shape != HET__CAL_CONTIGUOUS)
		share_bars(c->pair - 1, c->pair);
	line_up(c);
	run_sizes(c);
	if (c->pair->shape != HET__CAL_CONTIGUOUS)
		share_bars(c->pair, c->pair - 1);
	c->steps_done += part_of(c, false);
}

void series_visit(struct course *c)
{
	const size_t end = SMALLEST << LITTLE_SIZES;

	line_up(c);
	for (size_t bytes = SMALLEST; bytes < end && fits(c, bytes); bytes *= 2) {
		tell(c, true, bytes);
		if (!visit_size(c, bytes, samples_of(c, bytes, NULL), NULL))
			break;
	}
	c->steps_done += part_of(c, true);
}
