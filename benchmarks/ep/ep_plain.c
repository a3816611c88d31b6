/* ep_plain.c - EP in plain C, on one core. */

#include "ep/ep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random46.h"

struct state {
	const struct ep_problem *problem;
	struct ep_result result;
};

static void *ep_open(const void *problem, const struct bench_machine *machine)
{
	struct state *const s = bench_new(sizeof *s);

	(void)machine;
	s->problem = problem;
	return s;
}

static const void *ep_run(void *state)
{
	struct state *const s = state;
	double *const number = s->result.number;
	const int64_t pairs = INT64_C(1) << s->problem->m;
	uint64_t seed = 271828183;

	memset(&s->result, 0, sizeof s->result);
	for (int64_t i = 0; i < pairs; i++) {
		const double x = 2 * random46(&seed) - 1, y = 2 * random46(&seed) - 1, t = x * x + y * y;
		double scale;

		if (t > 1)
			continue;
		scale = sqrt(-2 * log(t) / t);
		number[0] += x * scale;
		number[1] += y * scale;
		number[2 + (int)fmax(fabs(x * scale), fabs(y * scale))]++;
	}
	return &s->result;
}

static void ep_close(void *state)
{
	free(state);
}

const struct bench_version ep_plain = {
	.name = "plain", .optional = 1, .open = ep_open, .run = ep_run, .close = ep_close};
