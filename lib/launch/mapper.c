/* mapper.c - what a part of a range touches of an array. */

#include "launch/mapper.h"

static const char *name_of(enum het_mapper mapper)
{
	static const char *const names[] = {"",        "HET_EACH",   "HET_HALO", "HET_DIM_OF", "HET_BLOCKS",
					    "HET_ALL", "HET_MAP_BY", "HET_SUM",  "HET_MIN",    "HET_MAX",
					    "HET_OR"};

	return names[mapper];
}

static het_status check_numbers(const struct het_mapped *m)
{
	const int64_t least = m->mapper == HET_MAPPER_BLOCKS;

	if (m->given < (m->mapper == HET_MAPPER_DIM) || m->given > HET_MAX_RANK)
		return het__fail(HET_ERR_ARGUMENT, "%s with %d numbers; %d are possible", name_of(m->mapper),
				 m->given, HET_MAX_RANK);
	for (int d = 0; d < m->given; d++)
		if (m->number[d] < least)
			return het__fail(HET_ERR_ARGUMENT, "%s with %lld", name_of(m->mapper),
					 (long long)m->number[d]);
	return HET_OK;
}

het_status het__mapper_check(const struct het_mapped *m, enum het_mode mode)
{
	if (m->mapper < HET_MAPPER_EACH || m->mapper > HET_MAPPER_OR)
		return het__fail(HET_ERR_ARGUMENT, "%d is no mapper", (int)m->mapper);
	if (mode != HET_MODE_IN && (m->mapper == HET_MAPPER_HALO || m->mapper == HET_MAPPER_ALL))
		return het__fail(HET_ERR_ARGUMENT, "%s is only for what is read", name_of(m->mapper));
	if (mode == HET_MODE_IN && het__mapper_combines(m->mapper))
		return het__fail(HET_ERR_ARGUMENT, "%s is only for what is written", name_of(m->mapper));
	if (m->mapper == HET_MAPPER_FN && !m->fn)
		return het__fail(HET_ERR_ARGUMENT, "HET_MAP_BY without a function");
	return check_numbers(m);
}

het_status het__mapper_fits(const struct het_mapped *m)
{
	const int rank = m->array->shape.rank;

	if (m->mapper == HET_MAPPER_DIM && m->number[0] >= rank)
		return het__fail(HET_ERR_ARGUMENT,
				 "HET_ROWS_OF, HET_COLS_OF or HET_DIM_OF names dimension %lld of an array of "
				 "rank %d",
				 (long long)m->number[0], rank);
	if (m->mapper != HET_MAPPER_DIM && m->given > rank)
		return het__fail(HET_ERR_ARGUMENT, "%s with %d numbers for an array of rank %d",
				 name_of(m->mapper), m->given, rank);
	return HET_OK;
}

static int64_t at_least(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t at_most(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* [lo, hi) of one dimension that the array and the range both have. Sums of numbers near the largest there is
 * end there; the array's bounds are less. */
static void touch(const struct het_mapped *m, const struct het_range *part, int d, struct het_box *box)
{
	const int64_t lo = part->lo[d], hi = part->hi[d], n = m->number[d], end = m->array->shape.extent[d];

	switch (m->mapper) {
	case HET_MAPPER_EACH:
		box->lo[d] = lo;
		box->hi[d] = hi;
		break;
	case HET_MAPPER_HALO:
		if (d >= m->given)
			break;
		box->lo[d] = at_most(lo > n ? lo - n : 0, end);
		box->hi[d] = at_least(box->lo[d], at_most(hi > HET_END - n ? HET_END : hi + n, end));
		break;
	case HET_MAPPER_BLOCKS:
		if (d >= m->given)
			break;
		box->lo[d] = lo / n;
		box->hi[d] = hi / n + (hi % n != 0);
		break;
	default: /* ALL, and what is combined: everything */
		break;
	}
}

static void touch_one(const struct het_mapped *m, const struct het_range *part, struct het_box *box)
{
	const int64_t d = m->number[0];

	if (d < part->rank && d < box->rank) {
		box->lo[d] = part->lo[d];
		box->hi[d] = part->hi[d];
	}
}

static void ask(const struct het_mapped *m, const struct het_range *part, struct het_box *box)
{
	struct het_box of_range = {part->rank, 2 * part->rank, {0}, {0}};

	for (int d = 0; d < part->rank; d++) {
		of_range.lo[d] = part->lo[d];
		of_range.hi[d] = part->hi[d];
	}
	m->fn(m->user, &of_range, box);
}

void het__mapper_view(const struct het_mapped *m, const struct het_range *part, struct het_view *view)
{
	struct het_box *const box = &view->box;
	const int rank = m->array->shape.rank;

	/* Not by an initialiser: all dimensions there can be would be zeroed. */
	view->array = m->array;
	box->rank = rank;
	box->given = 2 * rank;
	for (int d = 0; d < rank; d++) {
		box->lo[d] = 0;
		box->hi[d] = HET_END;
	}
	if (m->mapper == HET_MAPPER_FN)
		ask(m, part, box);
	else if (m->mapper == HET_MAPPER_DIM)
		touch_one(m, part, box);
	else
		for (int d = 0; d < rank && d < part->rank; d++)
			touch(m, part, d, box);
}

int64_t het__mapper_step(const struct het_mapped *m, int d)
{
	return m->mapper == HET_MAPPER_BLOCKS && d < m->given ? m->number[d] : 1;
}

int64_t het__mapper_reach(const struct het_mapped *m, int d)
{
	return m->mapper == HET_MAPPER_HALO && d < m->given ? m->number[d] : 0;
}
