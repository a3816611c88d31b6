/* curves.h - cost curves of a pair of memories, written by hand, for tests of what is decided from them. */
#ifndef HETERO_TESTS_CURVES_H
#define HETERO_TESTS_CURVES_H

#include <stdint.h>
#include <stdio.h>

#include "calibration/calibration.h"
#include "checks.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

static inline int route(const char *name)
{
	const int number = het__cal_route_of(name);

	ck_assert_int_ge(number, 0);
	return number;
}

/* Adds a point to the curve of a route, which is made at its first one. */
static inline void point(struct het__cal_pair *pair, const char *name, uint64_t bytes, uint64_t ns,
			 uint64_t spread)
{
	struct het__cal_curve *curve = het__cal_curve(pair, route(name));

	if (!curve) {
		curve = &pair->curve[pair->curve_count++];
		curve->route = route(name);
	}
	curve->at[curve->count++] = (struct het__cal_point){bytes, ns, spread};
}

static inline void bar(struct het__cal_pair *pair, const char *name)
{
	pair->bar[pair->bar_count].route = route(name);
	het__cal_text(pair->bar[pair->bar_count++].why, HET__CAL_TEXT_BYTES, "wrong bytes");
}

/* "staged 0, copy 4096": the choices of a pair. */
static inline const char *choices(const struct het__cal_pair *pair)
{
	static char text[1024];
	size_t length = 0;

	text[0] = '\0';
	for (int i = 0; i < pair->choice_count; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %llu", i ? ", " : "",
					   het__cal_route_name(pair->choice[i].route),
					   (unsigned long long)pair->choice[i].from_bytes);
	return text;
}

static inline const char *decided(struct het__cal_pair *pair)
{
	het__cal_decide(pair);
	return choices(pair);
}

static inline double predicted(const struct het__cal_pair *pair, const char *name, uint64_t bytes)
{
	double ns = -1;

	ck_assert(het__cal_predict(pair, route(name), bytes, &ns));
	return ns;
}

#endif
