/* rehearse.c - a launch tried on copies before it happens. */

#include "launch/rehearse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/callback.h"
#include "launch/combine.h"
#include "launch/launch.h"
#include "launch/mapper.h"
#include "launch/stand_in.h"

/* How much of an image is behind the array's end, at least. */
enum { BEHIND_BYTES = 4096 };

struct rehearsal {
	het_kernel *kernel;
	het_device *device;
	const struct het_range *range;
	const struct het_arg *args;
	int count;
	const struct het__signature *signature;
	int array_count;
	struct het__stand_in array[HET__ARGS_MOST];
	char found[1000];               /* the mistake; "": none */
};

/* The launches of a rehearsal are not rehearsed. */
static _Thread_local bool is_rehearsing;

/* ---- preparations ------------------------------------------------------------------------------- */

static const struct het__param *param_of(const struct rehearsal *r, const struct het__stand_in *s)
{
	return &r->signature->param[s->arg];
}

static bool is_combined(const struct het_arg *arg)
{
	return arg->kind == HET_ARG_MAPPED && het__mapper_combines(arg->u.mapped.mapper);
}

static void learn_array(struct rehearsal *r, const struct het__access *access)
{
	struct het__stand_in *const s = &r->array[r->array_count++];
	const struct het_arg *const arg = &r->args[access->arg];
	const struct het__value *const value = access->value;
	size_t row_bytes = value->element_bytes;

	memset(s, 0, sizeof *s);
	s->arg = access->arg;
	s->is_combined = is_combined(arg);
	s->reads = arg->mode != HET_MODE_OUT || s->is_combined;
	s->writes = arg->mode != HET_MODE_IN;
	s->is_fixed = param_of(r, s)->is_const;
	s->array = (het_array *)(uintptr_t)het__arg_array(arg);
	s->type = value->type;
	s->element_bytes = value->element_bytes;
	s->rank = value->rank;
	s->given_box = *access->box;
	for (int d = 0; d < s->rank; d++) {
		const bool is_whole = arg->kind != HET_ARG_PACKED || param_of(r, s)->kind == HET__PARAM_WINDOW;
		const int64_t from = is_whole ? 0 : access->box->lo[d];

		s->box.lo[d] = access->box->lo[d] - from;
		s->box.hi[d] = access->box->hi[d] - from;
		s->extent[d] = is_whole ? value->whole.hi[d] : s->box.hi[d];
	}
	for (int d = 1; d < s->rank; d++)
		row_bytes *= (size_t)s->extent[d];
	s->rows = s->extent[0] + 1 + (int64_t)(row_bytes > 0 ? BEHIND_BYTES / row_bytes : 0);
}

/* What the arguments stand for. False: the launch itself is going to tell why not, or has nothing to do. */
static bool learn(struct rehearsal *r)
{
	het_system *const system = r->kernel->system;
	struct het_arg args[HET__ARGS_MOST];
	struct het__work work = {.kernel = r->kernel, .device = r->device, .given = r->range};
	struct het__args all;
	bool good;

	for (int i = 0; i < r->count; i++)
		args[i] = is_combined(&r->args[i]) ? het_arg_whole(r->args[i].u.mapped.array, HET_MODE_INOUT)
						   : r->args[i];
	if (het_kernel_build(r->kernel, r->device) || het__operation_enter(system, r->kernel->title))
		return false;
	good = !het__kernel_check(r->kernel, "het_launch");
	work.on = good ? het__kernel_built(r->kernel, r->device) : NULL;
	good = work.on && !het__range_resolve(r->range, r->kernel, r->device, work.on, &work.range) &&
	       !work.range.empty && !het__work_resolve(&work, args, r->count, &all);
	if (good) {
		r->signature = work.on->signature;
		for (int k = 0; k < all.count; k++)
			learn_array(r, &all.access[k]);
	}
	return !het__operation_leave_with(system, HET_OK) && good;
}

static struct het_box box_of(const struct het__stand_in *s)
{
	struct het_box box = {.rank = s->rank, .given = 2 * s->rank};

	memcpy(box.lo, s->given_box.lo, sizeof box.lo);
	memcpy(box.hi, s->given_box.hi, sizeof box.hi);
	return box;
}

/* Of what is combined each device has a private array, neutral at first. */
static void fill_neutral(const struct het__stand_in *s, enum het_mapper mapper)
{
	const size_t cells = (size_t)het__box_cells(s->rank, &s->box);
	unsigned char neutral[8];

	het__reducer_neutral(s->type, (enum het_reduction)(mapper - HET_MAPPER_SUM + HET_REDUCE_SUM), neutral);
	for (size_t i = 0; i < cells; i++)
		memcpy(s->content + i * s->element_bytes, neutral, s->element_bytes);
}

static het_status fetch(const struct rehearsal *r, struct het__stand_in *s)
{
	if (s->is_combined) {
		fill_neutral(s, r->args[s->arg].u.mapped.mapper);
		return HET_OK;
	}
	return het_read(het_view(s->array, box_of(s)), s->content);
}

/* The copy, the images, and the content. */
static het_status cast(const struct rehearsal *r, struct het__stand_in *s)
{
	const size_t bytes = het__stand_in_bytes(s);
	const size_t box_bytes = s->element_bytes * (size_t)het__box_cells(s->rank, &s->box);
	unsigned char **const image[] = {&s->before[0], &s->before[1], &s->given,
					 &s->after[0],  &s->after[1],  &s->again};
	struct het_shape shape;
	het_status st = HET_OK;
	int64_t extent[HET_MAX_RANK];

	memcpy(extent, s->extent, sizeof extent);
	extent[0] = s->rows;
	shape = het_shape_of(s->rank, s->rank, extent);
	s->content = het__alloc(box_bytes + 1);
	st = s->content ? HET_OK : het__fail(HET_ERR_MEMORY, "no memory");
	for (size_t i = 0; i < sizeof image / sizeof image[0] && !st; i++) {
		*image[i] = het__alloc(bytes);
		st = *image[i] ? HET_OK : het__fail(HET_ERR_MEMORY, "no memory");
	}
	if (!st && s->reads)
		st = fetch(r, s);
	if (!st)
		st = het_array_new(r->kernel->system, s->type, shape, &s->copy);
	if (!st)
		het__stand_in_dress(s);
	return st;
}

static void dismiss(struct rehearsal *r)
{
	for (int k = 0; k < r->array_count; k++) {
		struct het__stand_in *const s = &r->array[k];

		if (s->copy)
			(void)het_array_free(s->copy);
		het__free(s->content);
		for (int kind = 0; kind < 2; kind++) {
			het__free(s->before[kind]);
			het__free(s->after[kind]);
		}
		het__free(s->given);
		het__free(s->again);
	}
}

/* ---- runs --------------------------------------------------------------------------------------- */

/* A run on what is given, to `after[run]`, or `again` where that is 2. */
static het_status run(struct rehearsal *r, int run)
{
	struct het_arg args[HET__ARGS_MOST];
	het_status st = HET_OK;

	memcpy(args, r->args, (size_t)r->count * sizeof args[0]);
	for (int k = 0; k < r->array_count && !st; k++) {
		struct het__stand_in *const s = &r->array[k];

		args[s->arg] = het_arg_whole(s->copy, s->is_fixed ? HET_MODE_IN : HET_MODE_INOUT);
		st = het_write(het_view(s->copy, het_whole()), s->given);
	}
	if (!st)
		st = het_launch_args(r->kernel, r->device, *r->range, args, r->count);
	for (int k = 0; k < r->array_count && !st; k++) {
		const struct het__stand_in *const s = &r->array[k];

		st = het_read(het_view(s->copy, het_whole()), run == 2 ? s->again : s->after[run]);
	}
	return st;
}

/* All arguments with fillers of one kind, but for argument `but`. */
static het_status run_with(struct rehearsal *r, int kind, const struct het__stand_in *but, int inside,
			   int outside, int number)
{
	for (int k = 0; k < r->array_count; k++) {
		struct het__stand_in *const s = &r->array[k];

		if (s == but)
			het__stand_in_give(s, inside, outside);
		else
			het__stand_in_give(s, kind, kind);
	}
	return run(r, number);
}

/* ---- findings ----------------------------------------------------------------------------------- */

/* "(3, 5)", and how many more. */
static const char *where_text(const struct het__stand_in *s, const struct het__seen *seen, char *text,
			      size_t room)
{
	size_t at = 0;

	for (int d = 0; d < s->rank && at < room; d++)
		at += (size_t)snprintf(text + at, room - at, "%s%" PRId64, d ? ", " : "(", seen->first[d]);
	if (at < room && seen->count > 1)
		snprintf(text + at, room - at, ") and %" PRId64 " more", seen->count - 1);
	else if (at < room)
		snprintf(text + at, room - at, ")");
	return text;
}

enum { WHERE_ROOM = 200 };

static void tell(struct rehearsal *r, const struct het__stand_in *s, const char *what, const char *where)
{
	const struct het__param *const param = param_of(r, s);
	char box[HET__BOX_TEXT];

	snprintf(r->found, sizeof r->found, "%s on %s, argument %d (%s%s%s), of which it is given %s: %s%s",
		 r->kernel->title, r->device->name, s->arg, param->type_name, *param->name ? " " : "",
		 param->name, het__box_format(s->rank, &s->given_box, box), what, where);
}

static void check_writes(struct rehearsal *r, const struct het__stand_in *s)
{
	struct het__seen seen = het__stand_in_strayed(s, 0);
	char where[WHERE_ROOM];

	if (seen.count == 0)
		seen = het__stand_in_strayed(s, 1);
	if (seen.count > 0) {
		tell(r, s, seen.is_behind ? "it writes behind the array's end, at "
			   : s->writes    ? "it writes elsewhere, at "
					  : "HET_IN, but it writes to it, at ",
		     where_text(s, &seen, where, sizeof where));
		return;
	}
	seen = het__stand_in_left(s);
	if (seen.count > 0)
		tell(r, s,
		     "HET_OUT promises all of that, but it leaves elements as they were (HET_INOUT keeps "
		     "them), at ",
		     where_text(s, &seen, where, sizeof where));
}

/* Where two runs have made something else. */
struct difference {
	const struct het__stand_in *in; /* NULL: nowhere */
	struct het__seen seen;
};

/* Of run 0 and another, in which argument `but`, or all where that is NULL, had such fillers inside its box. */
static struct difference difference(const struct rehearsal *r, bool again, const struct het__stand_in *but,
				    int kind)
{
	struct difference d = {.in = NULL};

	for (int k = 0; k < r->array_count && !d.in; k++) {
		const struct het__stand_in *const s = &r->array[k];

		d.seen = het__stand_in_differs(s, s->after[0], 0, again ? s->again : s->after[1],
					       !but || s == but ? kind : 0);
		if (d.seen.count > 0)
			d.in = s;
	}
	return d;
}

/* Runs with argument `but` as told and all others as in run 0. */
static het_status compare(struct rehearsal *r, const struct het__stand_in *but, int inside, int outside,
			  struct difference *d)
{
	const het_status st = run_with(r, 0, but, inside, outside, 2);

	if (!st)
		*d = difference(r, true, but, but ? inside : 0);
	return st;
}

static void tell_of_reader(struct rehearsal *r, const struct het__stand_in *s, const struct difference *d,
			   const char *what)
{
	char where[WHERE_ROOM], text[WHERE_ROOM + 60];

	snprintf(text, sizeof text, " (argument %d depends on that, at %s)", d->in->arg,
		 where_text(d->in, &d->seen, where, sizeof where));
	tell(r, s, what, text);
}

/* What is made depends on what is not declared: of which argument? None is told where the kernel does not make
 * the same of the same. */
static het_status find_reader(struct rehearsal *r)
{
	struct difference d = {.in = NULL}, control;
	het_status st = HET_OK;

	for (int k = 0; k < r->array_count && !st && !d.in; k++) {
		const struct het__stand_in *const s = &r->array[k];
		const char *what = "it reads elsewhere";

		st = compare(r, s, 0, 1, &d);
		if (!st && !d.in && !s->reads) {
			what = "it reads what was there, which HET_OUT gives up (HET_INOUT keeps it)";
			st = compare(r, s, 1, 0, &d);
		}
		if (st || !d.in)
			continue;
		st = compare(r, NULL, 0, 0, &control);
		if (!st && !control.in)
			tell_of_reader(r, s, &d, what);
	}
	return st;
}

static het_status rehearse(struct rehearsal *r)
{
	het_status st = HET_OK;

	for (int k = 0; k < r->array_count && !st; k++)
		st = cast(r, &r->array[k]);
	for (int kind = 0; kind < 2 && !st; kind++)
		st = run_with(r, kind, NULL, kind, kind, kind);
	for (int k = 0; k < r->array_count && !st && !*r->found; k++)
		check_writes(r, &r->array[k]);
	if (!st && !*r->found && difference(r, false, NULL, 1).in)
		st = find_reader(r);
	return st;
}

/* ---- calls -------------------------------------------------------------------------------------- */

static het_status try_out(struct rehearsal *r)
{
	het_status st;

	is_rehearsing = true;
	st = learn(r) ? rehearse(r) : HET_OK;
	if (st)
		het__log(r->kernel->system->logger, HET_LOG_WARN, "kernel",
			 "%s on %s was not tried beforehand: %s", r->kernel->title, r->device->name,
			 het__message());
	dismiss(r);
	is_rehearsing = false;
	if (*r->found)
		return het__fail_on(HET_ERR_ARGUMENT, r->device->name, "%s", r->found);
	return HET_OK;
}

het_status het__rehearse(het_kernel *kernel, het_device *device, const struct het_range *range,
			 const struct het_arg *args, int count)
{
	struct rehearsal *r;
	het_status st;

	if (is_rehearsing || het__in_callback() || het__args_check(kernel->title, args, count) ||
	    het__kernel_hold(kernel, kernel->title))
		return HET_OK;
	r = het__alloc_zeroed(1, sizeof *r);
	if (r) {
		r->kernel = kernel;
		r->device = device;
		r->range = range;
		r->args = args;
		r->count = count;
		st = try_out(r);
	} else {
		st = HET_OK;
	}
	het__free(r);
	return het__kernel_release(kernel, st);
}

het_status het__rehearse_parts(het_kernel *kernel, het_team *team, const struct het_range *range,
			       const struct het_arg *args, int count)
{
	struct het_part part[HET__TEAM_MOST];
	het_status st = HET_OK;
	int dimension;

	memset(part, 0, sizeof part);
	if (is_rehearsing || het__in_callback() ||
	    het_spread_plan_args(kernel, team, *range, part, &dimension, args, count))
		return HET_OK;
	for (int p = 0; p < HET__TEAM_MOST && part[p].device && !st; p++)
		if (part[p].range.lo[dimension] < part[p].range.hi[dimension])
			st = het__rehearse(kernel, part[p].device, &part[p].range, args, count);
	return st;
}
