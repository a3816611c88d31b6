/* cost.c - what the versions cost to write. */

#include "report/results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sloc/count.h"

static int cost_of(struct cost *cost, const char *const *paths)
{
	struct count *const count = count_new();
	struct count_result counted;

	for (; *paths; paths++)
		if (!count || count_file(count, *paths)) {
			fprintf(stderr, "report: %s: %s\n", *paths, count ? strerror(errno) : "no memory");
			count_free(count);
			return -1;
		}
	counted = count_result(count);
	cost->lines = counted.lines;
	cost->statements = counted.statements;
	cost->effort = counted.effort;
	count_free(count);
	return 0;
}

static int count_version(struct results *r, int benchmark, int version)
{
	const char *const name = benchmark_names[benchmark];
	char path[1024];
	const char *const paths[] = {path, NULL};

	snprintf(path, sizeof path, BENCHMARKS "/%s/%s_%s.c", name, name, version_names[version]);
	if (version == SHARED && access(path, F_OK))
		return 0; /* not every benchmark has it */
	return cost_of(&r->cost[benchmark][version], paths);
}

int results_count(struct results *r, const struct wish *wish)
{
	static const char *const ours[] = {BENCHMARKS "/common/library.h", BENCHMARKS "/common/open.h",
					   BENCHMARKS "/../examples/must.h", NULL};
	static const char *const by_hand[] = {BENCHMARKS "/common/hand.c", BENCHMARKS "/common/hand.h", NULL};

	for (int b = 0; b < BENCHMARKS_COUNT; b++)
		for (int v = 0; v < VERSIONS && results_wanted(wish, b); v++)
			if (count_version(r, b, v))
				return -1;
	return cost_of(&r->helpers[0], ours) || cost_of(&r->helpers[1], by_hand) ? -1 : 0;
}

double results_saved(double hetero, double by_hand)
{
	return 100 * (1 - hetero / by_hand);
}
