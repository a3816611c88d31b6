/* tune.c - see tune.h. */
#include "tune.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)
#define ROUNDS 3 /* that count */
#define SETTINGS 4

/* 0: as the route does by itself. */
struct setting {
	size_t chunk_bytes;
	int depth;
};

struct trial {
	struct het_system *system;
	struct bench bench;
	const struct het__route *route;
	bool failed;
	uint64_t wrong;
};

/* False where there can be no more repetitions. */
static bool run_once(struct trial *t, const struct setting *setting, int round, double *ns_p)
{
	const bool whole = round == 0 || round == ROUNDS;
	enum bench_end end;

	t->system->chunk_bytes = setting->chunk_bytes;
	t->system->depth = setting->depth;
	end = bench_run(&t->bench, t->route->name, whole ? 0 : round, ns_p, &t->wrong);
	t->system->chunk_bytes = 0;
	t->system->depth = 0;
	t->failed = end == BENCH_FAILED;
	return end == BENCH_DONE && t->wrong == 0;
}

/* Settings take turns. The first round is not counted; what it and the last one brought is checked whole.
 * Returns the place of the one that is taken. */
static int best_of(struct trial *t, const struct setting *setting, int count)
{
	struct samples samples[SETTINGS] = {{.count = 0}};
	struct het__cal_point point[SETTINGS];
	double ns;

	for (int round = 0; round <= ROUNDS; round++)
		for (int i = 0; i < count; i++) {
			if (!run_once(t, &setting[i], round, &ns))
				return 0;
			if (round > 0)
				samples_add(&samples[i], ns);
		}
	for (int i = 0; i < count; i++)
		point[i] = samples_point(&samples[i], t->bench.bytes);
	return het__cal_best(point, count);
}

static struct setting find(struct trial *t)
{
	/* Through staging buffers parts are no larger than one, which is the default; else so large that there
	 * are no more than the 16 that there may be (HET__CHUNKS_MOST). */
	static const struct setting through[] = {{0, 0}, {2 * MIB, 0}, {MIB, 0}, {512 * KIB, 0}};
	static const struct setting by_home[] = {{0, 0}, {8 * MIB, 0}, {2 * MIB, 0}, {MIB, 0}};
	const struct setting *const sizes = t->route->through ? through : by_home;
	const struct setting best = sizes[best_of(t, sizes, SETTINGS)];
	const struct setting deep[] = {best, {best.chunk_bytes, 2}, {best.chunk_bytes, 8}};

	if (!t->route->through || t->failed || t->wrong)
		return best;
	return deep[best_of(t, deep, sizeof deep / sizeof deep[0])];
}

int tune(const struct course *c, struct het__cal_pair *pair, size_t bytes, char why[HET__CAL_TEXT_BYTES])
{
	const struct het__cal_choice *const choice = het__cal_choice(pair, bytes);
	struct trial t = {.system = c->memories->system};
	struct setting best;

	if (!choice)
		return -1;
	t.route = het__route_named(het__cal_route_name(choice->route));
	if (!t.route || !(t.route->through || t.route->parts) ||
	    bench_open(c->memories, c->from_memory, c->to_memory, pair->shape == HET__CAL_STRIDED, bytes,
		       c->plan->warn, &t.bench))
		return -1;
	best = find(&t);
	bench_close(&t.bench);
	if (t.wrong)
		snprintf(why, HET__CAL_TEXT_BYTES, "%" PRIu64 " words wrong of %zu bytes in parts", t.wrong,
			 bytes);
	else if (t.failed)
		snprintf(why, HET__CAL_TEXT_BYTES, "failed at %zu bytes in parts: %.64s", bytes, t.bench.why);
	if (t.wrong || t.failed)
		return choice->route;
	het__cal_set_parts(pair, choice->route, best.chunk_bytes, best.depth);
	return -1;
}
