/* spread.c - one launch as parts, on all devices of a team. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/combine.h"
#include "launch/counted.h"
#include "launch/edges.h"
#include "launch/kept_cut.h"
#include "launch/mapper.h"
#include "launch/rehearse.h"
#include "launch/worth.h"

/* What one device does, or a piece of it: an edge, the interior. */
struct part {
	int device;                /* its number in the team */
	int row;                   /* where it combines: its number among those that are not empty */
	struct het_range range;
	int64_t lo, hi;            /* of all that the device does, in the dimension that is cut */
	struct het__work work;
};

struct spread {
	het_system *system;        /* set by check */
	het_kernel *kernel;
	het_team *team;
	struct het_range range;
	unsigned size;             /* kernel/pace.h */
	const struct het_arg *args;
	int count;
	int part_count;
	int launches;              /* the parts, and behind them their edges, where these are launched apart */
	bool begun;                /* one of them has been started */
	struct het_part *plan;     /* of het_spread_plan: where it is told, and *dimension_p */
	int *dimension_p;
	bool held;                 /* kernel and team, until the call ends */
	struct part part[HET__TEAM_MOST];
	int kept[HET__TEAM_MOST];  /* of a part that is not empty: its number among those that were prepared */
	struct het__combines combines;
};

/* ---- checks ------------------------------------------------------------------------------------- */

static het_status check(struct spread *s)
{
	het_status st = het__kernel_check(s->kernel, "het_spread");

	if (!st)
		st = het__team_check(s->team, s->kernel->title);
	if (!st && s->team->system != s->kernel->system)
		st = het__fail(HET_ERR_HANDLE, "%s belongs to another system than the team", s->kernel->title);
	if (!st)
		st = het__args_check_count(s->kernel->title, s->args, s->count);
	if (!st)
		s->system = s->kernel->system;
	return st ? st : het__args_check_mapped(s->kernel->title, s->args, s->count);
}

/* A part combines into a row of its own, which has not the array's indices. */
static het_status check_combined(const struct spread *s, const struct het__signature *signature)
{
	for (int i = 0; i < s->count && i < signature->count; i++)
		if (het__arg_is_combined(&s->args[i]) && signature->param[i].kind == HET__PARAM_WINDOW)
			return het__fail(HET_ERR_ARGUMENT,
					 "%s, argument %d: HET_SUM, HET_MIN, HET_MAX and HET_OR go with a "
					 "plain pointer, not with HET_WINDOW",
					 s->kernel->title, i);
	return HET_OK;
}

/* Kernel and team are held from the first look at the handles to the end of the call: they may be freed
 * meanwhile, but what is still looked at stays. With the lock, both. */
static void hold(struct spread *s)
{
	s->held = true;
	s->system->holding++;
	het__kernel_use(s->kernel);
}

static void let_go(struct spread *s)
{
	het__kernel_unuse(s->kernel);
	het__back(s->system, &s->system->holding);
}

/* Copies the shares of the team's *count_p devices. Kernel and team are held from then on. */
static het_status begin(struct spread *s, double *share, int *count_p)
{
	het_status st = het__enter(s->system, "het_spread");

	if (st)
		return st;
	st = het__kernel_check(s->kernel, "het_spread");
	if (!st)
		st = het__team_check(s->team, s->kernel->title);
	if (!st) {
		*count_p = s->team->count;
		memcpy(share, het__team_shares_of(s->team, s->kernel, s->size),
		       (size_t)*count_p * sizeof share[0]);
		if (!s->held)
			hold(s);
	}
	return het__leave_with(s->system, st);
}

/* Opens and builds for every device with a share; the whole range must fit each of them. If the team is
 * freed meanwhile, only its head is overwritten: its devices can still be read. */
static het_status prepare(struct spread *s, const double *share, int count)
{
	het_device *device[HET__TEAM_MOST];
	int largest = 0;
	het_status st = HET_OK;

	s->part_count = 0;
	for (int i = 0; i < count && !st; i++) {
		struct part *const part = &s->part[s->part_count];

		if (share[i] <= 0)
			continue;
		device[s->part_count] = s->team->device[i];
		part->device = i;
		if (share[i] > share[s->part[largest].device])
			largest = s->part_count;
		part->work.kernel = s->kernel; /* field by field: het__work_prepare sets the others */
		part->work.device = s->team->device[i];
		part->work.given = &s->range;
		part->work.checked = true;
		part->work.size = (unsigned short)s->size;
		part->work.balanced = false;
		part->work.piece = HET__WHOLE;
		st = het__work_prepare(&part->work);
		if (!st)
			st = check_combined(s, part->work.on->signature);
		s->part_count += !st;
	}
	return st ? st : het__combines_prepare(&s->combines, s->kernel, s->args, s->count, device,
					       s->part_count, largest);
}

/* False: somebody gave the team shares meanwhile by which other devices take part. */
static bool is_prepared(const struct spread *s, const double *share)
{
	int p = 0;

	for (int i = 0; i < s->team->count; i++) {
		if (share[i] <= 0)
			continue;
		if (p == s->part_count || s->part[p].device != i)
			return false;
		p++;
	}
	return p == s->part_count;
}

/* ---- parts -------------------------------------------------------------------------------------- */

/* The range of a part, in both forms. */
static void give_range(struct spread *s, struct part *part, int d, int64_t lo, int64_t hi)
{
	const int c = s->range.rank - 1 - d; /* as OpenCL counts */

	part->range = s->range;
	part->range.lo[d] = lo;
	part->range.hi[d] = hi;
	part->work.given = &part->range;
	part->work.range.offset[c] = (size_t)lo;
	part->work.range.global[c] = s->range.padded ? het__range_items(&part->work.range, c, (size_t)(hi - lo))
						     : (size_t)(hi - lo);
}

/* The work-group's size is the launch's, or the kernel's own, which each device may have by other options. */
static void take_grain(const struct spread *s, const double *share, struct het__cut_grain *grain)
{
	bool chosen = false;

	memset(grain->local, 0, sizeof grain->local);
	for (int p = 0; p < s->part_count; p++)
		chosen |= !het__cut_align(grain, &s->part[p].work.range) &&
			  s->part[p].work.device->driver->groups_by_extents;
	grain->pieces = chosen ? het__cut_pieces(share, s->team->count) : 0;
}

/* Gives the parts their ranges, and forgets devices whose part is empty. */
static void give_parts(struct spread *s, const double *share, const struct het__cut *cut)
{
	int64_t edge[HET__TEAM_MOST + 1];
	const struct het__worth_of of = {s->kernel, &s->range, s->size};
	struct het__worth as_planned, *worth = &s->team->worth;
	int count = 0;

	if (s->plan) {
		as_planned = *worth;
		worth = &as_planned;
	}
	het__team_tell_guess(s->team, share);
	share = het__worth_shares(s->team, &of, cut, share, worth);
	het__cut_edges(cut, share, s->team->count, edge);
	for (int p = 0; p < s->part_count; p++) {
		const int i = s->part[p].device;

		if (edge[i] == edge[i + 1])
			continue;
		if (count != p)
			s->part[count] = s->part[p];
		s->kept[count] = p;
		s->part[count].row = count;
		s->part[count].lo = edge[i];
		s->part[count].hi = edge[i + 1];
		s->part[count].work.balanced = s->team->every > 0;
		give_range(s, &s->part[count++], cut->dimension, edge[i], edge[i + 1]);
	}
	s->part_count = s->launches = count;
}

static het_status check_own(const struct spread *s, const struct het__args *all)
{
	struct het__cut_part part[HET__TEAM_MOST];

	for (int p = 0; p < s->part_count; p++)
		part[p] = (struct het__cut_part){&s->part[p].range, s->part[p].work.device};
	return het__cut_check_own(all, part, s->part_count);
}

/* Looks at the whole range, and checks its arguments; the cut itself may be known. */
static het_status cut_whole(struct spread *s, const double *share, const struct het__cut_grain *grain,
			    const struct het__cut_key *key, bool known, struct het__cut *cut)
{
	struct het_arg room[HET__ARGS_MOST];
	struct het__args all;
	het_status st = het__work_resolve(&s->part[0].work,
					  het__combines_whole(&s->combines, s->count, room), s->count, &all);

	if (st)
		return st;
	if (s->part[0].work.range.empty) {
		s->part_count = s->launches = 0;
		*cut = (struct het__cut){.dimension = 0, .lo = s->range.lo[0], .hi = s->range.lo[0]};
		return HET_OK;
	}
	if (!known) {
		st = het__cut_choose(&all, grain, s->part_count, cut);
		if (st)
			return st;
		het__cut_keep(s->kernel, key, cut);
		if (s->part_count > 1)
			het__tell_counted(s->kernel, s->range.rank - 1 - cut->dimension);
	}
	give_parts(s, share, cut);
	return check_own(s, &all);
}

#ifdef HETERO_DEBUG_CHECKS
/* The whole may be refused for what parts see, or for what was mapped or freed since; not for an overlap. */
static void check_recalled(const struct spread *s, const struct het__cut_grain *grain,
			   const struct het__cut *recalled)
{
	struct het_arg room[HET__ARGS_MOST];
	struct het__args all;
	struct het__cut anew;
	const het_status st = het__work_resolve(&s->part[0].work,
						het__combines_whole(&s->combines, s->count, room), s->count,
						&all);
	const bool same = !st && !het__cut_choose(&all, grain, s->part_count, &anew) &&
			  het__cut_is_same(&anew, recalled);

	if (same || (st && st != HET_ERR_ALIAS))
		return;
	fprintf(stderr, "hetero: invariant broken: %s: another cut than the one that was kept\n",
		s->kernel->title);
	abort();
}
#endif

/* A plan looks at the whole even if the cut is known, to tell what is wrong; a spread's parts tell that. */
static het_status cut(struct spread *s, const double *share, struct het__cut *cut)
{
	struct het__cut_key key;
	struct het__cut_grain grain;
	bool known;

	take_grain(s, share, &grain);
	key.count = 0;
	if (!s->part[0].work.range.empty)
		het__cut_key(&key, s->system, &s->range, &grain, s->part_count, s->args, s->count);
	known = het__cut_recall(s->kernel, &key, cut);
	if (!known || s->plan)
		return cut_whole(s, share, &grain, &key, known, cut);
#ifdef HETERO_DEBUG_CHECKS
	check_recalled(s, &grain, cut);
#endif
	give_parts(s, share, cut);
	return HET_OK;
}

/* ---- edges and interior ------------------------------------------------------------------------- */

static bool edges_pay(const struct spread *s, const struct part *part, const struct part *beside,
		      const struct het__cut *cut)
{
	return het__edges_pay(part->work.device, beside->work.device, s->part_count > 2 || cut->wraps,
			      het__cut_over_border(cut, cut->shared_bytes));
}

static bool are_edges_wanted(const struct spread *s, const struct het__cut *cut)
{
	for (int p = 1; p < s->part_count && s->team->overlap == HET_OVERLAP_PREDICTED; p++)
		if (edges_pay(s, &s->part[p], &s->part[p - 1], cut) ||
		    edges_pay(s, &s->part[p - 1], &s->part[p], cut))
			return true;
	return s->team->overlap == HET_OVERLAP_ALWAYS;
}

/* May what is written depend on where parts begin and end? It may if the kernel can find that out, or if an
 * array that is written is also mapped by the program's own function, which is asked of parts. */
static bool depends_on_parts(const struct spread *s, const struct het__cut *cut)
{
	for (int i = 0; i < s->count; i++)
		if (het__arg_is_own(&s->args[i]) &&
		    het__args_write(s->args, s->count, het__arg_array(&s->args[i])))
			return true;
	for (int p = 0; p < s->part_count; p++)
		if (het__options_hide_parts(s->kernel, s->part[p].work.device))
			return true;
	return het__knows_parts(s->kernel, s->range.rank - 1 - cut->dimension);
}

/* All parts that are wide enough are cut, or none: edges beside a part that stays whole would wait for it. */
static bool are_edges_apart(const struct spread *s, const struct het__cut *cut)
{
	return cut->reach > 0 && 3 * s->part_count <= HET__TEAM_MOST && are_edges_wanted(s, cut) &&
	       !depends_on_parts(s, cut);
}

static void add_edge(struct spread *s, const struct part *part, int d, int64_t lo, int64_t hi)
{
	struct part *const edge = &s->part[s->launches++];

	*edge = *part;
	edge->work.size = 0; /* too small to tell how fast the kernel is */
	edge->work.piece = HET__EDGE;
	give_range(s, edge, d, lo, hi);
}

/* Part p keeps its interior. An edge is as wide as others reach into it, in whole pieces. */
static void take_edges_off(struct spread *s, int p, const struct het__cut *cut)
{
	struct part *const part = &s->part[p];
	const int d = cut->dimension;
	const bool is_ring = cut->wraps && s->part_count > 1;
	int64_t lo = part->range.lo[d], hi = part->range.hi[d], width;

	if (cut->reach > (hi - lo) / 4 || cut->step > (hi - lo) / 4)
		return;
	width = (cut->reach + cut->step - 1) / cut->step * cut->step;
	if (width > (hi - lo) / 4)
		return;
	if (p > 0 || is_ring) {
		add_edge(s, part, d, lo, lo + width);
		lo += width;
	}
	if (p + 1 < s->part_count || is_ring) { /* the end of the range need be no place to cut at */
		const int64_t at = cut->lo + (hi - width - cut->lo) / cut->step * cut->step;

		add_edge(s, part, d, at, hi);
		hi = at;
	}
	part->work.piece = HET__INTERIOR;
	give_range(s, part, d, lo, hi);
}

/* Behind the parts, now interiors, come their edges. They are launched in this order: interiors wait for no
 * other device, so each has something to do while what its edges wait for is written and brought. Edges in
 * front would hold the interior up wherever the device beside has written its part in one piece. */
static void cut_edges(struct spread *s, const struct het__cut *cut)
{
	if (!are_edges_apart(s, cut))
		return;
	for (int p = 0; p < s->part_count; p++)
		take_edges_off(s, p, cut);
}

/* Apart, edges and interior take more room than the whole part while each has windows of its own. */
static void join_edges(struct spread *s, const struct het__cut *cut)
{
	for (int p = 0; p < s->part_count; p++) {
		struct part *const part = &s->part[p];

		part->work.piece = HET__WHOLE;
		give_range(s, part, cut->dimension, part->lo, part->hi);
	}
	s->launches = s->part_count;
}

static void tell(const struct spread *s, const struct het__cut *where)
{
	struct het__logger *const logger = s->system->logger;

	for (int p = 0; p < s->part_count && het__log_wants(logger, HET_LOG_DEBUG, "spread"); p++)
		het__log(logger, HET_LOG_DEBUG, "spread", "%s: [%lld, %lld) of dimension %d on %s",
			 s->kernel->title, (long long)s->part[p].range.lo[where->dimension],
			 (long long)s->part[p].range.hi[where->dimension], where->dimension,
			 s->part[p].work.device->name);
}

/* ---- starting ----------------------------------------------------------------------------------- */

static const struct het__work *work_of(const void *user, int i)
{
	return &((const struct spread *)user)->part[i].work;
}

static const struct het_arg *args_of(const void *user, int i, struct het_arg *room)
{
	const struct spread *const s = user;

	return het__combines_args(&s->combines, s->part[i].row, s->count, room);
}

static void started(void *user, int i, struct het__ref task)
{
	struct spread *const s = user;
	const struct part *const part = &s->part[i];

	s->begun = true;
	if (part->work.size > 0)
		het__team_launched(s->team, s->kernel, s->size, part->device, task);
}

static het_status start_launches(struct spread *s)
{
	const struct het__batch batch = {.count = s->launches, .arg_count = s->count, .lose_from = 1,
					 .user = s, .work = work_of, .args = args_of, .started = started};

	s->begun = false;
	return het__batch_run(&batch);
}

/* Where there is no room for edges and interior, the whole parts may have it: the edges' windows give way. */
static het_status start_parts(struct spread *s, const struct het__cut *cut)
{
	const het_status st = start_launches(s);

	if (st != HET_ERR_DEVICE_MEMORY || s->begun || s->launches == s->part_count)
		return st;
	join_edges(s, cut);
	het__operation_next(s->system);
	return start_launches(s);
}

static het_status start(struct spread *s, const struct het__cut *cut)
{
	het_status st = HET_OK;

	if (s->combines.count)
		st = het__combines_begin(&s->combines, s->kept, s->part_count);
	if (!st)
		st = het__kernel_check(s->kernel, "het_spread"); /* combining may have waited */
	if (!st)
		st = start_parts(s, cut);
	return st || s->combines.count == 0 ? st : het__combines_finish(&s->combines);
}

static het_status spread_locked(struct spread *s)
{
	const double *share;
	struct het__cut where;
	het_status st = het__team_shares_now(s->team, s->kernel, s->size, &share);

	if (!st && !is_prepared(s, share))
		return HET__AGAIN;
	if (!st)
		st = cut(s, share, &where);
	if (st || s->part_count == 0)
		return st;
	tell(s, &where);
	cut_edges(s, &where);
	return start(s, &where);
}

static het_status plan_locked(struct spread *s)
{
	const double *const share = het__team_shares_of(s->team, s->kernel, s->size);
	struct het__cut where;
	het_status st;

	if (!is_prepared(s, share))
		return HET__AGAIN;
	st = cut(s, share, &where);
	if (st)
		return st;
	for (int i = 0; i < s->team->count; i++) {
		struct het_part *const part = &s->plan[i];

		*part = (struct het_part){s->team->device[i], s->range};
		part->range.lo[where.dimension] = part->range.hi[where.dimension] = where.lo;
	}
	for (int p = 0; p < s->part_count; p++)
		s->plan[s->part[p].device].range = s->part[p].range;
	*s->dimension_p = where.dimension;
	return HET_OK;
}

static het_status leave(struct spread *s, het_status st)
{
	het__combines_end(&s->combines);
	if (st != HET__AGAIN)
		let_go(s);
	return het__operation_leave_with(s->system, st);
}

/* Ends a call that entered no operation. */
static het_status give_up(struct spread *s, het_status st)
{
	pthread_mutex_lock(&s->system->lock);
	het__combines_end(&s->combines);
	let_go(s);
	return het__leave_with(s->system, st);
}

/* Everything before the system's lock is taken for good. */
static het_status enter(struct spread *s)
{
	double share[HET__TEAM_MOST];
	int count = 0;
	het_status st = s->held ? HET_OK : check(s);

	s->combines.count = 0;
	s->combines.at = NULL;
	if (st)
		return s->held ? give_up(s, st) : het__kernel_refuse(s->kernel, st);
	st = begin(s, share, &count);
	if (st && !s->held)
		return st; /* which is logged; the kernel may be gone */
	if (!st)
		st = prepare(s, share, count);
	if (!st)
		st = het__operation_enter(s->system, s->kernel->title);
	if (st)
		return give_up(s, st);
	st = het__kernel_check(s->kernel, "het_spread"); /* this thread may have waited, or built for long */
	if (!st)
		st = het__team_check(s->team, "het_spread");
	return st ? leave(s, st) : HET_OK;
}

/* Not by an initialiser: all the parts there can be would be zeroed. */
static void describe(struct spread *s, het_kernel *kernel, het_team *team, const struct het_range *range,
		     const struct het_arg *args, int count)
{
	s->kernel = kernel;
	s->team = team;
	s->range = *range;
	s->size = het__pace_size(range);
	s->args = args;
	s->count = count;
	s->plan = NULL;
	s->held = false;
}

/* Begins again where others gave the team shares between the preparations and the lock. */
static het_status run(struct spread *s, het_status (*locked)(struct spread *s))
{
	het_status st;

	do {
		st = enter(s);
		if (st)
			return st;
		st = leave(s, locked(s));
	} while (st == HET__AGAIN);
	return st;
}

het_status het_spread_args(het_kernel *kernel, het_team *team, struct het_range range,
			   const struct het_arg *args, int count)
{
	struct spread s;

	describe(&s, kernel, team, &range, args, count);
	if (kernel && kernel->magic == HET__MAGIC_KERNEL && kernel->system->rehearses && !check(&s) &&
	    !het__is_rehearsed())
		return het__rehearse_spread(kernel, team, &range, args, count);
	return run(&s, spread_locked);
}

het_status het_spread_plan_args(het_kernel *kernel, het_team *team, struct het_range range,
				struct het_part *parts, int *dimension_p, const struct het_arg *args, int count)
{
	struct spread s;

	if (!parts || !dimension_p)
		return het__kernel_refuse(kernel, het__fail(HET_ERR_ARGUMENT, "het_spread_plan: %s is NULL",
							    parts ? "dimension_p" : "parts"));
	describe(&s, kernel, team, &range, args, count);
	s.plan = parts;
	s.dimension_p = dimension_p;
	return run(&s, plan_locked);
}
