/* mapper.c - what a part of a range touches of an array. */

#include "launch/mapper.h"

static const char *name_of(enum het_mapper mapper)
{
	static const char *const names[] = {"",        "HET_EACH",   "HET_HALO", "HET_DIM_OF", "HET_BLOCKS",
					    "HET_ALL", "HET_MAP_BY", "HET_SUM",  "HET_MIN",    "HET_MAX",
					    "HET_OR",  "HET_TILES",  "HET_WRAP"};

	return names[mapper];
}

static het_status check_numbers(const struct het_mapped *m)
{
	const int64_t least = m->mapper == HET_MAPPER_BLOCKS || m->mapper == HET_MAPPER_TILES;

	if (m->given < (m->mapper == HET_MAPPER_DIM) || m->given > HET_MAX_RANK)
		return het__fail(HET_ERR_ARGUMENT, "%s with %d numbers; %d are possible", name_of(m->mapper),
				 m->given, HET_MAX_RANK);
	for (int d = 0; d < m->given; d++)
		if (m->number[d] < least)
			return het__fail(HET_ERR_ARGUMENT, "%s with %lld: it must be at least %lld",
					 name_of(m->mapper), (long long)m->number[d], (long long)least);
	return HET_OK;
}

het_status het__mapper_check(const struct het_mapped *m, enum het_mode mode)
{
	if (m->mapper < HET_MAPPER_EACH || m->mapper > HET_MAPPER_WRAP)
		return het__fail(HET_ERR_ARGUMENT, "%d is no mapper", (int)m->mapper);
	if (mode != HET_MODE_IN && het__mapper_is_halo(m->mapper))
		return het__fail(HET_ERR_ARGUMENT,
				 "%s is only for what is read; what reads beside what it writes needs two "
				 "arrays",
				 name_of(m->mapper));
	if (mode != HET_MODE_IN && m->mapper == HET_MAPPER_ALL)
		return het__fail(HET_ERR_ARGUMENT, "HET_ALL is only for what is read");
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
				 "HET_ROWS_OF, HET_COLS_OF or HET_DIM_OF names dimension %lld of %s, whose "
				 "rank is %d",
				 (long long)m->number[0], m->array->value->label, rank);
	if (m->mapper != HET_MAPPER_DIM && m->given > rank)
		return het__fail(HET_ERR_ARGUMENT, "%s with %d numbers for %s, whose rank is %d",
				 name_of(m->mapper), m->given, m->array->value->label, rank);
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

/* A sum that would overflow ends at HET_END, which is beyond the array's bounds. */
static void touch_halo(const struct het_mapped *m, const struct het_range *part, int rank, struct het__box *box)
{
	for (int d = 0; d < rank && d < m->given; d++) {
		const int64_t lo = part->lo[d], hi = part->hi[d], n = m->number[d], end = box->hi[d];

		box->lo[d] = at_most(lo > n ? lo - n : 0, end);
		box->hi[d] = at_least(box->lo[d], at_most(hi > HET_END - n ? HET_END : hi + n, end));
	}
}

/* Sets *across where true is returned. A part is cut in one dimension, so two boxes are enough: the first
 * dimension in which it goes over an end is in two pieces; of others all is touched. */
static bool touch_wrapped(const struct het_mapped *m, const struct het_range *part, int rank,
			  struct het__box *box, struct het__box *across)
{
	int over = -1;
	int64_t from = 0, to = 0;

	for (int d = 0; d < rank && d < m->given; d++) {
		const int64_t lo = part->lo[d], hi = part->hi[d], n = m->number[d], end = box->hi[d];
		const int64_t rest = end - (hi - lo);
		const bool is_over = lo < n || end - hi < n;

		if (lo == hi || lo < 0 || hi > end) {
			box->lo[d] = lo;
			box->hi[d] = hi;
		} else if (n < rest - n && !(is_over && over >= 0)) {
			box->lo[d] = lo > n ? lo - n : 0;
			box->hi[d] = end - hi > n ? hi + n : end;
			if (!is_over)
				continue;
			over = d;
			from = lo < n ? end - (n - lo) : 0;
			to = lo < n ? end : n - (end - hi);
		}
	}
	if (over < 0)
		return false;
	*across = *box;
	across->lo[over] = from;
	across->hi[over] = to;
	return true;
}

static void touch_blocks(const struct het_mapped *m, const struct het_range *part, int rank,
			 struct het__box *box)
{
	for (int d = 0; d < rank && d < m->given; d++) {
		const int64_t n = m->number[d];

		box->lo[d] = part->lo[d] / n;
		box->hi[d] = part->hi[d] / n + (part->hi[d] % n != 0);
	}
}

/* The last tile may be what is left of the array. A tile that begins behind the array's end is refused: its
 * bounds stay in the box, to be told, as far as there are such numbers. */
static void touch_tiles(const struct het_mapped *m, const struct het_range *part, int rank,
			struct het__box *box)
{
	for (int d = 0; d < rank && d < m->given; d++) {
		const int64_t n = m->number[d], end = box->hi[d], tiles = end / n + (end % n != 0);
		int64_t lo, hi;

		if (__builtin_mul_overflow(part->lo[d], n, &lo))
			lo = HET_END - 1;
		if (__builtin_mul_overflow(part->hi[d], n, &hi))
			hi = HET_END - 1;
		box->lo[d] = part->lo[d] <= tiles ? at_most(lo, end) : lo;
		box->hi[d] = part->hi[d] <= tiles ? at_most(hi, end) : hi;
	}
}

static void touch_dims(const struct het_range *part, int first, int last, struct het__box *box)
{
	for (int d = first; d < last; d++) {
		box->lo[d] = part->lo[d];
		box->hi[d] = part->hi[d];
	}
}

/* `rank`: dimensions that the array and the range both have. *box is the whole array. */
static void touch(const struct het_mapped *m, const struct het_range *part, int rank, struct het__box *box)
{
	struct het__box across;

	switch (m->mapper) {
	case HET_MAPPER_EACH:
		touch_dims(part, 0, rank, box);
		break;
	case HET_MAPPER_DIM:
		if (m->number[0] < rank)
			touch_dims(part, (int)m->number[0], (int)m->number[0] + 1, box);
		break;
	case HET_MAPPER_HALO:
		touch_halo(m, part, rank, box);
		break;
	case HET_MAPPER_WRAP:
		(void)touch_wrapped(m, part, rank, box, &across);
		break;
	case HET_MAPPER_BLOCKS:
		touch_blocks(m, part, rank, box);
		break;
	case HET_MAPPER_TILES:
		touch_tiles(m, part, rank, box);
		break;
	default: /* ALL, and what is combined: everything */
		break;
	}
}

static struct het_view all_of(het_array *array)
{
	struct het_view view = {array, {.rank = array->shape.rank, .given = 2 * array->shape.rank}};

	for (int d = 0; d < view.box.rank; d++)
		view.box.hi[d] = array->shape.extent[d];
	return view;
}

static bool is_empty(const struct het_range *part)
{
	bool is = false;

	for (int d = 0; d < part->rank; d++)
		is |= part->lo[d] == part->hi[d];
	return is;
}

/* The program's own function says it. */
static het_status ask(const struct het_mapped *m, const het_system *system, const struct het_range *part,
		      struct het__box *box)
{
	struct het_view view = all_of(m->array);
	struct het_box of_range = {part->rank, 2 * part->rank, {0}, {0}};
	struct het__ask ask_here;
	het_status st;

	if (is_empty(part)) { /* whatever it says, nothing is touched */
		*box = (struct het__box){{0}, {0}};
		return HET_OK;
	}
	for (int d = 0; d < part->rank; d++) {
		of_range.lo[d] = part->lo[d];
		of_range.hi[d] = part->hi[d];
	}
	view.box.given = -1;
	het__ask_begin(&ask_here, m->array->system);
	m->fn(m->user, &of_range, &view.box);
	het__ask_end(&ask_here);
	if (view.box.given == -1 && view.box.rank >= 0 && view.box.rank <= HET_MAX_RANK)
		view.box.given = 2 * view.box.rank; /* it was set field by field; other ranks are refused */
	st = het__view_resolve(&view, system, NULL, box);
	return st ? het__fail_within("the box of HET_MAP_BY's function") : HET_OK;
}

/* Does a range go beyond the array by less than a work-group, as if it had been rounded up by hand? */
static bool is_rounded_up(const struct het_range *part, int64_t extent, int d)
{
	return part->local[d] > 1 && part->hi[d] % part->local[d] == 0 && part->hi[d] > extent &&
	       part->hi[d] - extent < part->local[d];
}

/* The box lies beyond the array: an error, unless the range is empty. */
static het_status complain(const struct het_mapped *m, const het_system *system, const struct het_range *part,
			   struct het__box *box)
{
	struct het_view view = all_of(m->array);
	bool is_by_hand = false;
	het_status st;

	if (is_empty(part)) {
		*box = (struct het__box){{0}, {0}};
		return HET_OK;
	}
	for (int d = 0; d < view.box.rank; d++) {
		view.box.lo[d] = box->lo[d];
		view.box.hi[d] = box->hi[d];
		is_by_hand |= d < part->rank && box->hi[d] == part->hi[d] &&
			      is_rounded_up(part, m->array->shape.extent[d], d);
	}
	st = het__view_resolve(&view, system, NULL, box);
	if (st && is_by_hand)
		het__fail_more(" (was the range rounded up to work-groups? het_padded does so by itself)");
	return st;
}

het_status het__mapper_box(const struct het_mapped *m, const het_system *system, const struct het_range *part,
			   struct het__box *box)
{
	const struct het__value *const value = m->array->value;
	const int rank = value->rank < part->rank ? value->rank : part->rank;

	if (m->mapper == HET_MAPPER_FN)
		return ask(m, system, part, box);
	*box = value->whole;
	touch(m, part, rank, box);
	for (int d = 0; d < rank; d++)
		if (box->lo[d] < 0 || box->lo[d] > box->hi[d] || box->hi[d] > value->whole.hi[d])
			return complain(m, system, part, box);
	return HET_OK;
}

bool het__mapper_across(const struct het_mapped *m, const struct het_range *part, struct het__box *across)
{
	const struct het__value *const value = m->array->value;
	struct het__box box = value->whole;

	return m->mapper == HET_MAPPER_WRAP &&
	       touch_wrapped(m, part, value->rank < part->rank ? value->rank : part->rank, &box, across);
}

int64_t het__mapper_step(const struct het_mapped *m, int d)
{
	return m->mapper == HET_MAPPER_BLOCKS && d < m->given ? m->number[d] : 1;
}

int64_t het__mapper_reach(const struct het_mapped *m, int d)
{
	return het__mapper_is_halo(m->mapper) && d < m->given ? m->number[d] : 0;
}
