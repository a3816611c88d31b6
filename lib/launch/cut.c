/* cut.c - where the range of a spread is cut. */

#include "launch/cut.h"

#include <math.h>

#include "launch/mapper.h"
#include "launch/range.h"
#include "launch/team.h"

/* Pieces for the smallest share; and for all at most, so that an int64_t can count them. */
#define PIECES_OF_LEAST 128.0
#define PIECES_MOST 1e12
/* A ragged cut counts as so many times its traffic (cut.h). */
#define RAGGED 4

/* ---- where a dimension may be cut --------------------------------------------------------------- */

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		const int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

int64_t het__common_multiple(int64_t a, int64_t b)
{
	int64_t multiple;

	if (__builtin_mul_overflow(a / common_divisor(a, b), b, &multiple))
		return HET_END;
	return multiple;
}

bool het__cut_align(struct het__cut_grain *grain, const struct het__range *range)
{
	const int rank = (int)range->rank;

	for (int d = 0; d < rank && range->has_local; d++) {
		const int64_t local = (int64_t)range->local[rank - 1 - d], all = grain->local[d];

		grain->local[d] = all ? het__common_multiple(all, local) : local;
	}
	return range->has_local;
}

int64_t het__cut_pieces(const double *share, int count)
{
	double sum = 0, least = HUGE_VAL;

	for (int i = 0; i < count; i++) {
		sum += share[i];
		if (share[i] > 0 && share[i] < least)
			least = share[i];
	}
	return sum / least < PIECES_MOST / PIECES_OF_LEAST ? (int64_t)(PIECES_OF_LEAST * sum / least)
							    : (int64_t)PIECES_MOST;
}

int64_t het__cut_step(int64_t step, int64_t length, int64_t pieces)
{
	for (int64_t group = HET__GROUP_MOST; group >= HET__GROUP_ENOUGH; group /= 2) {
		const int64_t multiple = het__common_multiple(step, group);

		if (multiple <= length / pieces)
			return multiple;
	}
	return step;
}

/* Do parts at both ends of the range read of each other, at the array's other end? */
static bool wraps(const struct het_mapped *m, const struct het_range *range, int d)
{
	const int64_t reach = het__mapper_reach(m, d);

	return m->mapper == HET_MAPPER_WRAP && d < m->given &&
	       reach - range->lo[d] > m->array->shape.extent[d] - range->hi[d];
}

static het_status measure(const struct het__args *all, const struct het__cut_grain *grain, int d,
			  struct het__cut *cut)
{
	const int64_t local = grain->local[d];
	int64_t step = 1, length;

	cut->dimension = d;
	cut->reach = 0;
	cut->wraps = false;
	cut->shared_bytes = cut->traffic = cut->halo_bytes = cut->bytes = 0;
	cut->lo = all->range->lo[d];
	cut->hi = all->range->hi[d];
	for (int i = 0; i < all->given_count; i++) {
		const struct het_arg *const a = &all->given[i];

		if (a->kind != HET_ARG_MAPPED)
			continue;
		step = het__common_multiple(step, het__mapper_step(&a->u.mapped, d));
		if (het__mapper_reach(&a->u.mapped, d) > cut->reach)
			cut->reach = het__mapper_reach(&a->u.mapped, d);
		cut->wraps |= wraps(&a->u.mapped, all->range, d);
	}
	if (cut->lo % step)
		return het__fail(HET_ERR_SHAPE,
				 "%s: dimension %d of the range begins at %lld: with HET_BLOCKS it must be a "
				 "multiple of %lld",
				 all->what, d, (long long)cut->lo, (long long)step);
	cut->step = het__common_multiple(step, local ? local : 1);
	length = cut->hi - cut->lo;
	cut->ragged = false;
	if (local == 0 && grain->pieces && d == all->range->rank - 1) {
		cut->step = het__cut_step(cut->step, length, grain->pieces);
		cut->ragged = cut->step % HET__GROUP_ENOUGH != 0;
	}
	cut->units = length / cut->step + (length % cut->step != 0);
	return HET_OK;
}

/* ---- what it costs ------------------------------------------------------------------------------ */

static double bytes_of(const struct het__access *access, const struct het__box *box)
{
	return (double)het__box_cells(access->value->rank, box) * (double)access->value->element_bytes;
}

/* What a part touches by an access: one box, or two of HET_WRAP. */
struct pieces {
	struct het__box box[2];
	int count;
};

static het_status pieces_of(const struct het__args *all, int arg, const struct het_range *part,
			    struct pieces *pieces)
{
	const struct het_arg *const a = &all->given[arg];
	const het_status st = a->kind == HET_ARG_MAPPED
				      ? het__mapper_box(&a->u.mapped, all->system, part, &pieces->box[0])
				      : het__view_resolve(&a->u.view, all->system, NULL, &pieces->box[0]);

	if (st)
		return het__about_argument(all->what, arg, st);
	pieces->count = 1 + (a->kind == HET_ARG_MAPPED &&
			     het__mapper_across(&a->u.mapped, part, &pieces->box[1]));
	return HET_OK;
}

/* What memories move for the box: for each contiguous run a cache line at least. */
static double traffic_of(const struct het__access *access, const struct het__box *box)
{
	const struct het__value *const value = access->value;
	double run = (double)value->element_bytes;
	bool is_whole = true;

	for (int d = value->rank; d-- > 0 && is_whole;) {
		run *= (double)(box->hi[d] - box->lo[d]);
		is_whole = box->lo[d] == value->whole.lo[d] && box->hi[d] == value->whole.hi[d];
	}
	return run < HET__CACHE_LINE ? bytes_of(access, box) / run * HET__CACHE_LINE : bytes_of(access, box);
}

/* What two parts both touch. */
struct common {
	double bytes, traffic;
};

static struct common common_of(const struct het__access *a, const struct pieces *mine,
			       const struct pieces *others)
{
	struct common common = {.bytes = 0};
	struct het__box both;

	for (int i = 0; i < mine->count; i++)
		for (int j = 0; j < others->count; j++) {
			if (!het__box_intersect(a->value->rank, &mine->box[i], &others->box[j], &both))
				continue;
			common.bytes += bytes_of(a, &both);
			common.traffic += traffic_of(a, &both);
		}
	return common;
}

/* Counts the bytes that both halves of the range read. *clash: an argument of which both write some cell, or
 * -1. */
static het_status judge(const struct het__args *all, struct het__cut *cut, int *clash)
{
	const int d = cut->dimension;
	struct het_range low = *all->range, high = *all->range;

	low.hi[d] = high.lo[d] = cut->lo + cut->units / 2 * cut->step;
	*clash = -1;
	for (int i = 0; i < het__args_arrays(all); i++) {
		const struct het__access *const a = &all->access[i];
		struct pieces mine, others;
		struct common common;
		het_status st;

		if (het__cut_ignores(&all->given[a->arg], all->range->rank))
			continue;
		st = pieces_of(all, a->arg, &low, &mine);
		if (!st)
			st = pieces_of(all, a->arg, &high, &others);
		if (st)
			return st;
		if (a->mode != HET__ACCESS_IN && all->given[a->arg].kind != HET_ARG_MAPPED)
			continue; /* it is combined afterwards */
		common = common_of(a, &mine, &others);
		if (common.bytes <= 0)
			continue;
		if (a->mode != HET__ACCESS_IN)
			*clash = a->arg;
		cut->traffic += common.traffic;
		cut->shared_bytes += common.bytes;
		if (het__arg_is_halo(&all->given[a->arg]))
			cut->halo_bytes += common.bytes;
	}
	return HET_OK;
}

/* An argument that the choice ignores counts as its whole array: with the same cut, the next spread may read
 * more or less of it. */
static double bytes_of_all(const struct het__args *all)
{
	double bytes = 0;

	for (int i = 0; i < all->count; i++) {
		const struct het__access *const a = &all->access[i];
		const struct het_arg *const given = &all->given[a->arg];
		const bool ignored = het__cut_ignores(given, all->range->rank);

		bytes += bytes_of(a, ignored ? &a->value->whole : a->box) *
			 (given->mode == HET_MODE_INOUT ? 2 : 1);
	}
	return bytes;
}

/* Rather than compile for each ragged cut, another dimension may share up to RAGGED times as much. */
static double cost_of(const struct het__cut *cut)
{
	return cut->ragged ? RAGGED * cut->traffic : cut->traffic;
}

static bool is_better(const struct het__cut *cut, const struct het__cut *than, int parts)
{
	const int64_t a = cut->units < parts ? cut->units : parts;
	const int64_t b = than->units < parts ? than->units : parts;

	return a != b ? a > b : cost_of(cut) < cost_of(than);
}

het_status het__cut_choose(const struct het__args *all, const struct het__cut_grain *grain, int parts,
			   struct het__cut *best)
{
	int clash = -1;
	bool found = false;

	for (int d = 0; d < all->range->rank; d++) {
		struct het__cut cut;
		int here = -1;
		het_status st = measure(all, grain, d, &cut);

		if (!st && parts > 1 && cut.units > 1)
			st = judge(all, &cut, &here);
		if (st)
			return st;
		if (here >= 0) {
			clash = here;
			continue;
		}
		if (found && !is_better(&cut, best, parts))
			continue;
		*best = cut;
		found = true;
	}
	if (found)
		best->bytes = bytes_of_all(all);
	if (!found)
		return het__fail(HET_ERR_ARGUMENT,
				 "%s, argument %d: whichever dimension of the range is cut, two parts write "
				 "the same elements of %s",
				 all->what, clash, het__arg_array(&all->given[clash])->value->label);
	return HET_OK;
}

void het__cut_edges(const struct het__cut *cut, const double *share, int count, int64_t *edge)
{
	double sum = 0;
	int64_t units = 0;

	edge[0] = cut->lo;
	for (int i = 0; i < count; i++) {
		const double want = (double)cut->units * (sum += share[i]) + 0.5;
		const int64_t here = want < (double)cut->units ? (int64_t)want : cut->units;

		if (share[i] > 0 && here > units)
			units = here;
		edge[i + 1] = units < cut->units ? cut->lo + units * cut->step : cut->hi;
	}
	for (int i = count; i > 0 && edge[i] < cut->hi; i--) { /* a sum of shares a little below 1 */
		edge[i] = cut->hi;
		if (share[i - 1] > 0)
			break;
	}
}

/* ---- parts, as the program's own functions see them --------------------------------------------- */

static het_status clash(const struct het__args *all, const struct het__access *a, const het_device *device,
			const struct het__access *b, const het_device *other)
{
	if (a == b)
		return het__fail(HET_ERR_ARGUMENT,
				 "%s, argument %d: by its mapper %s and %s write the same elements of %s",
				 all->what, a->arg, device->name, other->name, a->value->label);
	return het__fail(HET_ERR_ALIAS,
			 "%s: arguments %d and %d: by their mappers %s %s elements of %s that %s %s", all->what,
			 a->arg, b->arg, device->name, a->mode == HET__ACCESS_IN ? "reads" : "writes",
			 a->value->label, other->name, b->mode == HET__ACCESS_IN ? "reads" : "writes");
}

/* Arguments a and b, which may be the same, of one value. */
static het_status check_pair(const struct het__args *all, const struct het__access *a,
			     const struct het__access *b, const struct het__cut_part *part, int count)
{
	struct pieces by_a[HET__TEAM_MOST], by_b;
	het_status st = HET_OK;

	for (int p = 0; p < count && !st; p++)
		st = pieces_of(all, a->arg, part[p].range, &by_a[p]);
	for (int q = 0; q < count && !st; q++) {
		if (a == b)
			by_b = by_a[q];
		else
			st = pieces_of(all, b->arg, part[q].range, &by_b);
		for (int p = 0; p < count && !st; p++)
			if (p != q && common_of(a, &by_a[p], &by_b).bytes > 0)
				st = clash(all, a, part[p].device, b, part[q].device);
	}
	return st;
}

static bool is_own(const struct het__args *all, const struct het__access *a)
{
	return het__arg_is_own(&all->given[a->arg]);
}

het_status het__cut_check_own(const struct het__args *all, const struct het__cut_part *part, int count)
{
	const struct het__access *const end = all->access + het__args_arrays(all);
	het_status st = HET_OK;

	for (const struct het__access *b = all->access; count > 1 && b < end && !st; b++)
		for (const struct het__access *a = all->access; a <= b && !st; a++)
			if (a->value == b->value && (is_own(all, a) || is_own(all, b)) &&
			    (a->mode != HET__ACCESS_IN || b->mode != HET__ACCESS_IN))
				st = check_pair(all, a, b, part, count);
	return st;
}
