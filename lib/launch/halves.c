/* halves.c - rehearsals: a part in two halves, combined as the arguments say. */

#include "launch/halves.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "launch/combine.h"
#include "launch/mapper.h"

static enum het_reduction operation(const struct het__trial *t, const struct het__shadow *s)
{
	return het__mapper_reduction(t->args[s->arg].u.mapped.mapper);
}

static bool is_combined(const struct het__trial *t, const struct het__shadow *s)
{
	return !s->is_window && het__arg_is_combined(&t->args[s->arg]) &&
	       het__reducer_fits(s->type, operation(t, s)) == HET_OK;
}

bool het__halves_apply(const struct het__trial *t, int dimension)
{
	for (int k = 0; k < t->shadow_count; k++)
		if (is_combined(t, &t->shadow[k]))
			return het__trial_middle(t, dimension) < t->range->hi[dimension];
	return false;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static double real_at(const unsigned char *at, size_t bytes)
{
	double real;
	float single;

	if (bytes == sizeof real) {
		memcpy(&real, at, bytes);
		return real;
	}
	memcpy(&single, at, sizeof single);
	return (double)single;
}

/* In 64 bits, with its sign. */
static uint64_t integer_at(het_type type, const unsigned char *at)
{
	const bool has_sign = HET_TYPE_BASE(type) == HET_BASE_INT;
	uint64_t wide;
	uint32_t four;
	uint16_t two;

	switch (HET_TYPE_BYTES(type)) {
	case 8: memcpy(&wide, at, 8); return wide;
	case 4: memcpy(&four, at, 4); return has_sign ? (uint64_t)(int64_t)(int32_t)four : four;
	case 2: memcpy(&two, at, 2); return has_sign ? (uint64_t)(int64_t)(int16_t)two : two;
	default: return has_sign ? (uint64_t)(int64_t)(signed char)*at : *at;
	}
}

static bool is_less(het_type type, uint64_t a, uint64_t b)
{
	return HET_TYPE_BASE(type) == HET_BASE_INT ? (int64_t)a < (int64_t)b : a < b;
}

static bool are_integers_right(het_type type, enum het_reduction op, const unsigned char *const at[3])
{
	const uint64_t low = integer_at(type, at[0]), high = integer_at(type, at[1]);
	const uint64_t mask = UINT64_MAX >> (64 - 8 * HET_TYPE_BYTES(type));
	uint64_t both = low + high;

	if (op == HET_REDUCE_OR)
		both = low | high;
	else if (op != HET_REDUCE_SUM)
		both = is_less(type, low, high) == (op == HET_REDUCE_MIN) ? low : high;
	return ((both ^ integer_at(type, at[2])) & mask) == 0;
}

/* Sums differ by rounding; other results may be calculated otherwise at a range's end. */
#define ROUNDING 1e-3

/* As spreads combine: under MIN and MAX a NaN leaves the other number. */
static double without_nan(enum het_reduction op, double real)
{
	if (op == HET_REDUCE_SUM || !isnan(real))
		return real;
	return op == HET_REDUCE_MIN ? INFINITY : -INFINITY;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static bool are_reals_right(size_t bytes, enum het_reduction op, const unsigned char *const at[3])
{
	const double low = without_nan(op, real_at(at[0], bytes));
	const double high = without_nan(op, real_at(at[1], bytes));
	const double all = without_nan(op, real_at(at[2], bytes));
	const double extreme = (low < high) == (op == HET_REDUCE_MIN) ? low : high;
	const double both = op == HET_REDUCE_SUM ? low + high : extreme;
	double size = larger(fabs(all), fabs(both));

	if (op == HET_REDUCE_SUM)
		size = larger(size, larger(fabs(low), fabs(high)));
	if (isnan(both) || isnan(all))
		return isnan(both) && isnan(all);
	return (both <= all && both >= all) || (isfinite(size) && fabs(both - all) <= ROUNDING * size);
}

static void number_text(het_type type, const unsigned char *at, char text[32])
{
	if (HET_TYPE_BASE(type) == HET_BASE_REAL)
		snprintf(text, 32, "%.9g", real_at(at, HET_TYPE_BYTES(type)));
	else if (HET_TYPE_BASE(type) == HET_BASE_INT)
		snprintf(text, 32, "%" PRId64, (int64_t)integer_at(type, at));
	else
		snprintf(text, 32, "%" PRIu64, integer_at(type, at));
}

/* ---- runs --------------------------------------------------------------------------------------- */

/* A combined argument is the whole array, its rows without gaps: elements are counted through. */
static struct het__uneven find(const struct het__trial *t, const struct het__shadow *s)
{
	const bool is_real = HET_TYPE_BASE(s->type) == HET_BASE_REAL;
	const int64_t front = het__shadow_front_cells(s);
	const int64_t cells = (int64_t)het__box_cells(s->rank, &s->box);
	const size_t first = het__shadow_front_bytes(s);
	const enum het_reduction op = operation(t, s);
	struct het__uneven uneven = {.is_rounded = is_real && op == HET_REDUCE_SUM};

	for (int64_t i = 0; i < cells; i++) {
		const size_t from = (size_t)i * s->element_bytes, image = first + from;
		const unsigned char *const at[3] = {s->content + from, s->after[1] + image,
						    s->after[0] + image};

		if (is_real ? are_reals_right(s->element_bytes, op, at) : are_integers_right(s->type, op, at))
			continue;
		uneven.in = s;
		uneven.seen = het__shadow_cell(s, front + i);
		for (int n = 0; n < 3; n++)
			number_text(s->type, at[n], uneven.numbers[n]);
		break;
	}
	return uneven;
}

/* In all shadows. What may be rounding is told only if there is nothing else. */
static struct het__uneven find_any(const struct het__trial *t)
{
	struct het__uneven uneven = {.in = NULL};

	for (int k = 0; k < t->shadow_count && (!uneven.in || uneven.is_rounded); k++) {
		struct het__uneven found;

		if (!is_combined(t, &t->shadow[k]))
			continue;
		found = find(t, &t->shadow[k]);
		if (found.in && (!uneven.in || !found.is_rounded))
			uneven = found;
	}
	return uneven;
}

bool het__uneven_is_same(const struct het__uneven *a, const struct het__uneven *b)
{
	return a->in == b->in && het__seen_is_same(&a->seen, &b->seen) &&
	       (a->is_rounded || memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0);
}

het_status het__halves_run(struct het__trial *t, int dimension, struct het__uneven *uneven)
{
	struct het_range lower = *t->range, upper = *t->range;
	het_status st;

	lower.hi[dimension] = upper.lo[dimension] = het__trial_middle(t, dimension);
	*uneven = (struct het__uneven){.in = NULL};
	st = het__trial_run_range(t, &lower, HET__FILLER, NULL, 1);
	for (int k = 0; k < t->shadow_count && !st; k++) {
		const struct het__shadow *const s = &t->shadow[k];

		if (is_combined(t, s))
			memcpy(s->content, s->after[1] + het__shadow_front_bytes(s),
			       s->element_bytes * (size_t)het__box_cells(s->rank, &s->box));
	}
	if (!st)
		st = het__trial_run_range(t, &upper, HET__FILLER, NULL, 1);
	if (!st)
		*uneven = find_any(t);
	return st;
}
