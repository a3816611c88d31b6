/* ways.c - which route bytes take from one memory to another, from which size on. Of the machine the library is
 * asked; of a saved calibration the choices are read as the library would read them.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define SMALLEST 4096u                   /* hetero-calibrate measures nothing smaller */
#define USUAL_MOST ((uint64_t)256 << 20) /* and nothing larger */
#define LARGEST_BIT 30
#define MOST_SIZES (LARGEST_BIT + 1 + HET__CAL_CHOICES)

struct decision {
	const char *route, *chosen; /* route NULL: not known */
	struct het__parts parts;
};

/* A way's two ends and shape: memories of the open system, or what was saved of them. */
struct question {
	const struct het__memory *from, *to; /* NULL: saved */
	enum het__cal_shape shape;
	const struct het__cal_pair *pair; /* NULL: nothing was measured */
};

static struct het__hop hop_of(const struct question *q, uint64_t bytes)
{
	return (struct het__hop){q->from, q->to, (size_t)bytes, q->shape == HET__CAL_STRIDED};
}

/* ---- decisions --------------------------------------------------------------------------------- */

static const char *how_chosen(const struct het__hop *hop, const struct het__route *route)
{
	switch (het__route_why(hop, route)) {
	case HET__WHY_FORCED:
		return "forced";
	case HET__WHY_LEAST:
	case HET__WHY_BARRED:
		return het__cal_origin_name(HET__CAL_ASSUMED);
	default:
		return het__cal_origin_name(het__route_calibrated(hop)->origin);
	}
}

static struct decision saved_decision(const struct het__cal_pair *pair, uint64_t bytes)
{
	const struct het__cal_choice *const choice = het__cal_choice(pair, bytes);
	struct decision best = {NULL, het__cal_origin_name(HET__CAL_ASSUMED), {0, 0}};
	double least = 0, ns;

	if (choice && !het__cal_bar(pair, choice->route)) {
		const char *const name = het__cal_route_name(choice->route);

		return (struct decision){name, het__cal_origin_name(choice->origin),
					 het__route_parts(choice, het__route_named(name))};
	}
	for (int route = 0; route < HET__CAL_ROUTES; route++)
		if (!het__cal_bar(pair, route) && het__cal_predict(pair, route, bytes, &ns) &&
		    (!best.route || ns < least)) {
			best.route = het__cal_route_name(route);
			least = ns;
		}
	return best;
}

static struct decision decide(const struct question *q, uint64_t bytes)
{
	const struct het__route *route;
	struct het__hop hop;

	if (!q->from)
		return saved_decision(q->pair, bytes);
	hop = hop_of(q, bytes);
	route = het__route_choose(&hop);
	return (struct decision){route->name, how_chosen(&hop, route),
				 het__route_parts(het__route_calibrated(&hop), route)};
}

/* ---- times ------------------------------------------------------------------------------------- */

/* 0: not known. */
static double time_of(const struct question *q, const char *name, uint64_t bytes)
{
	const struct het__route *const route = het__route_named(name);
	const struct het__hop hop = hop_of(q, bytes);
	double ns;

	if (q->pair && het__cal_predict(q->pair, het__cal_route_of(name), bytes, &ns))
		return ns;
	return q->from && route ? route->cost_ns(&hop) : 0;
}

static const struct het__cal_curve *curve_of(const struct question *q, const char *route)
{
	return q->pair ? het__cal_curve(q->pair, het__cal_route_of(route)) : NULL;
}

static const char *whence(const struct question *q, const char *route)
{
	const struct het__cal_curve *const curve = curve_of(q, route);

	if (curve)
		return het__cal_origin_name(curve->origin);
	return q->from ? het__cal_origin_name(HET__CAL_ASSUMED) : NULL;
}

/* From the step's first size, if that is not too small to have been measured, to the next step's first, or
 * the largest that was measured. `next` 0: there is none. */
static void add_times(const struct question *q, struct step *step, uint64_t next)
{
	const struct het__cal_curve *const curve = curve_of(q, step->route);

	step->least = step->from_bytes ? step->from_bytes : 1;
	if (step->least < SMALLEST && (!next || next > SMALLEST))
		step->least = SMALLEST;
	step->most = next ? next : curve ? curve->at[curve->count - 1].bytes : USUAL_MOST;
	if (step->most < step->least)
		step->most = step->least;
	step->least_ns = time_of(q, step->route, step->least);
	step->most_ns = time_of(q, step->route, step->most);
	step->times = whence(q, step->route);
}

/* ---- steps ------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Where the decision may change: where the calibration says, or at a power of two. */
static int list_sizes(const struct het__cal_pair *pair, uint64_t size[MOST_SIZES])
{
	int count = 0;

	for (int bit = 0; bit <= LARGEST_BIT; bit++)
		size[count++] = (uint64_t)1 << bit;
	for (int i = 0; pair && i < pair->choice_count; i++)
		if (pair->choice[i].from_bytes > 0)
			size[count++] = pair->choice[i].from_bytes;
	qsort(size, (size_t)count, sizeof size[0], compare);
	return count;
}

static bool is_same(const struct step *step, const struct decision *decision)
{
	return strcmp(step->route, decision->route) == 0 && strcmp(step->chosen, decision->chosen) == 0 &&
	       step->parts.bytes == decision->parts.bytes && step->parts.depth == decision->parts.depth;
}

static void find_steps(const struct question *q, struct way *way)
{
	uint64_t size[MOST_SIZES];
	const int sizes = list_sizes(q->pair, size);
	struct step *last = NULL;

	for (int i = 0; i < sizes && way->step_count < MOST_STEPS; i++) {
		const struct decision decision = decide(q, size[i]);

		if (!decision.route || (last && is_same(last, &decision)))
			continue;
		last = &way->step[way->step_count++];
		last->from_bytes = i ? size[i] : 0;
		last->route = decision.route;
		last->chosen = decision.chosen;
		last->parts = decision.parts;
	}
	for (int i = 0; i < way->step_count; i++)
		add_times(q, &way->step[i], i + 1 < way->step_count ? way->step[i + 1].from_bytes : 0);
}

/* ---- all of them ------------------------------------------------------------------------------- */

static void add_way(struct machine *machine, const struct question *q, int from, int to)
{
	struct way *const way = &machine->way[machine->way_count++];

	*way = (struct way){.from = from, .to = to, .shape = q->shape, .measured = q->pair};
	find_steps(q, way);
}

void ways_of_system(struct machine *machine)
{
	const het_system *const system = machine->system;

	for (int from = 0; from < system->memory_count; from++)
		for (int to = 0; to < system->memory_count; to++)
			for (int shape = 0; shape < HET__CAL_SHAPES && from != to; shape++) {
				struct question q = {.from = system->memories[from],
						     .to = system->memories[to],
						     .shape = (enum het__cal_shape)shape};
				const struct het__hop hop = hop_of(&q, 1);

				q.pair = het__route_pair(&hop);
				add_way(machine, &q, from, to);
			}
}

static int memory_named(const struct machine *machine, const char *name)
{
	int m = 0;

	while (m < machine->memory_count && strcmp(machine->memory[m].name, name) != 0)
		m++;
	return m;
}

void ways_of_calibration(struct machine *machine)
{
	const struct het__calibration *const saved = &machine->saved;

	for (int i = 0; i < saved->pair_count; i++) {
		const struct het__cal_pair *const pair = &saved->pair[i];
		const struct question q = {.shape = pair->shape, .pair = pair};

		add_way(machine, &q, memory_named(machine, pair->from), memory_named(machine, pair->to));
	}
}
