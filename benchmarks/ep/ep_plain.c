/* ep_plain.c - EP in plain C, on one core. */

#include "ep/ep.h"

#include <math.h>
#include <string.h>

#include "common/random46.h"

static void ep(const void *problem, const struct bench_machine *machine, struct bench_clock *clock)
{
	const int64_t pairs = INT64_C(1) << ((const struct ep_problem *)problem)->m;
	struct ep_result result;
	double *const number = result.number;
	uint64_t seed;

	(void)machine;
	while (bench_round(clock)) {
		bench_start(clock);
		seed = 271828183;
		memset(&result, 0, sizeof result);
		for (int64_t i = 0; i < pairs; i++) {
			const double x = 2 * random46(&seed) - 1, y = 2 * random46(&seed) - 1,
				     t = x * x + y * y;
			double scale;

			if (t > 1)
				continue;
			scale = sqrt(-2 * log(t) / t);
			number[0] += x * scale;
			number[1] += y * scale;
			number[2 + (int)fmax(fabs(x * scale), fabs(y * scale))]++;
		}
		bench_stop(clock, &result);
	}
}

const struct bench_version ep_plain = {.name = "plain", .optional = 1, .program = ep};
