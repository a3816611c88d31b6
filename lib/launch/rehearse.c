/* rehearse.c - a launch tried on copies before it happens. */

#include "launch/rehearse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/callback.h"
#include "base/error.h"
#include "base/log.h"
#include "launch/combine.h"
#include "launch/launch.h"
#include "launch/mapper.h"
#include "launch/shadow.h"

/* How much of an image is in front of the array, and behind its end, at least; and what a buffer's start is
 * aligned to. */
enum { GUARD_BYTES = 4096, ALIGN_BYTES = 4096 };

struct rehearsal {
	het_kernel *kernel;
	het_device *device;
	const struct het_range *range;
	const struct het_arg *args;
	int count;
	bool in_spread; /* what is combined is an argument like others, private to the part */
	struct het__kernel_on *on;
	int shadow_count;
	struct het__shadow shadow[HET__ARGS_MOST];
	het_status status; /* of the rehearsal; */
	char text[1000];   /* and what is to be said of that, or of a mistake */
	bool is_mistake;
};

/* Of this thread: the launch that is tried, and those of its rehearsal. */
static _Thread_local bool is_rehearsed;

bool het__is_rehearsed(void)
{
	return is_rehearsed;
}

/* ---- preparations ------------------------------------------------------------------------------- */

static const struct het__param *param_of(const struct rehearsal *r, const struct het__shadow *s)
{
	return &r->on->signature->param[s->arg];
}

static bool is_window(const struct rehearsal *r, const struct het__shadow *s)
{
	return param_of(r, s)->kind == HET__PARAM_WINDOW;
}

static bool is_combined(const struct rehearsal *r, const struct het_arg *arg)
{
	return r->in_spread && arg->kind == HET_ARG_MAPPED && het__mapper_combines(arg->u.mapped.mapper);
}

/* The kernel sees the whole array, or what a packed view has of it. Of an array without elements there is
 * nothing to see. */
static void learn_array(struct rehearsal *r, const struct het__access *access)
{
	struct het__shadow *const s = &r->shadow[r->shadow_count];
	const struct het_arg *const arg = &r->args[access->arg];
	const struct het__value *const value = access->value;
	size_t row_bytes = value->element_bytes;

	if (het__box_cells(value->rank, &value->whole) == 0)
		return;
	r->shadow_count++;
	s->arg = access->arg;
	s->reads = arg->mode != HET_MODE_OUT || is_combined(r, arg);
	s->writes = arg->mode != HET_MODE_IN;
	s->is_const = param_of(r, s)->is_const;
	s->is_packed = arg->kind == HET_ARG_PACKED && !is_window(r, s);
	s->type = value->type;
	s->element_bytes = value->element_bytes;
	s->rank = value->rank;
	s->given = *access->box;
	for (int d = 0; d < s->rank; d++) {
		s->from[d] = s->is_packed ? s->given.lo[d] : 0;
		s->box.lo[d] = s->given.lo[d] - s->from[d];
		s->box.hi[d] = s->given.hi[d] - s->from[d];
		s->extent[d] = s->is_packed ? s->box.hi[d] : value->whole.hi[d];
		row_bytes *= d > 0 ? (size_t)s->extent[d] : 1;
	}
	s->front = is_window(r, s) ? 0 : 1 + (int64_t)(GUARD_BYTES / row_bytes);
	s->rows = s->extent[0] + 1 + (int64_t)(GUARD_BYTES / row_bytes);
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
		args[i] = is_combined(r, &r->args[i]) ? het_arg_whole(r->args[i].u.mapped.array, HET_MODE_INOUT)
						      : r->args[i];
	if (het__work_prepare(&work) || work.range.empty || het__operation_enter(system, r->kernel->title))
		return false;
	r->on = work.on;
	good = !het__work_resolve(&work, args, r->count, &all);
	for (int k = 0; good && k < all.count; k++)
		learn_array(r, &all.access[k]);
	het__operation_leave(system);
	return good;
}

static struct het_box box_of(const struct het__shadow *s)
{
	struct het_box box = {.rank = s->rank, .given = 2 * s->rank};

	memcpy(box.lo, s->given.lo, sizeof box.lo);
	memcpy(box.hi, s->given.hi, sizeof box.hi);
	return box;
}

/* Of what is combined each device has a private array, neutral at first. */
static void fill_neutral(const struct het__shadow *s, enum het_mapper mapper)
{
	const size_t cells = (size_t)het__box_cells(s->rank, &s->box);
	unsigned char neutral[8];

	het__reducer_neutral(s->type, (enum het_reduction)(mapper - HET_MAPPER_SUM + HET_REDUCE_SUM), neutral);
	for (size_t i = 0; i < cells; i++)
		memcpy(s->content + i * s->element_bytes, neutral, s->element_bytes);
}

/* What the kernel may read, and all that it could; that may be lost, or mapped, and is not needed. */
static het_status fetch(const struct rehearsal *r, struct het__shadow *s)
{
	const struct het_arg *const arg = &r->args[s->arg];
	het_array *array;

	if (is_combined(r, arg)) {
		fill_neutral(s, arg->u.mapped.mapper);
		return HET_OK;
	}
	array = arg->kind == HET_ARG_MAPPED ? arg->u.mapped.array : arg->u.view.array;
	s->knows_truth = het_read(het_view(array, s->is_packed ? box_of(s) : het_whole()),
				  s->before[HET__TRUE_FILLER] + het__shadow_front_bytes(s)) == HET_OK;
	return s->reads ? het_read(het_view(array, box_of(s)), s->content) : HET_OK;
}

/* A window needs the array's shape. Other parameters get a view of bytes, which may be anything's, that begins
 * behind what is in front. */
static het_status make_array(const struct rehearsal *r, struct het__shadow *s)
{
	het_system *const system = r->kernel->system;
	const size_t front_bytes = het__shadow_front_bytes(s);
	int64_t extent[HET_MAX_RANK];

	if (is_window(r, s)) {
		memcpy(extent, s->extent, sizeof extent);
		extent[0] = s->rows;
		return het_array_new(system, s->type, het_shape_of(s->rank, s->rank, extent), &s->array);
	}
	s->pad_bytes = (ALIGN_BYTES - front_bytes % ALIGN_BYTES) % ALIGN_BYTES;
	return het_array_new(system, HET_UCHAR, het_shape(1, (int64_t)(s->pad_bytes + het__shadow_bytes(s))),
			     &s->array);
}

/* Where the image lies in its array; what the kernel sees of that. */
static struct het_view image_of(const struct rehearsal *r, const struct het__shadow *s)
{
	return het_view(s->array, is_window(r, s) ? het_whole() : het_rows((int64_t)s->pad_bytes, HET_END));
}
static struct het_arg seen_of(const struct rehearsal *r, const struct het__shadow *s)
{
	const enum het_mode mode = s->is_const ? HET_MODE_IN : HET_MODE_INOUT;
	const size_t first = s->pad_bytes + het__shadow_front_bytes(s);

	return is_window(r, s) ? het_arg_whole(s->array, mode)
			       : het_arg_packed(het_view(s->array, het_rows((int64_t)first, HET_END)), mode);
}

/* The array first, which looks at the shape. */
static het_status make_shadow(const struct rehearsal *r, struct het__shadow *s)
{
	unsigned char **const image[] = {&s->before[0], &s->before[1], &s->before[2],
					 &s->now,	&s->after[0],  &s->after[1]};
	het_status st = make_array(r, s);

	if (st)
		return st;
	s->content = het__alloc(s->element_bytes * (size_t)het__box_cells(s->rank, &s->box));
	for (size_t i = 0; i < sizeof image / sizeof image[0] && s->content; i++) {
		*image[i] = het__alloc(het__shadow_bytes(s));
		if (!*image[i])
			break;
	}
	if (!s->content || !s->after[1])
		return het__fail(HET_ERR_MEMORY, "no host memory for images of an array");
	st = fetch(r, s);
	if (!st)
		het__shadow_fill(s);
	return st;
}

/* An array that is several arguments is one buffer: by one pointer a kernel may read what another declares. */
static void share_shadows(struct rehearsal *r)
{
	for (int k = 0; k < r->shadow_count; k++)
		for (int l = 0; l < r->shadow_count; l++) {
			struct het__shadow *const s = &r->shadow[k], *const other = &r->shadow[l];

			if (k != l && !s->is_packed && !other->is_packed &&
			    het__arg_array(&r->args[s->arg]) == het__arg_array(&r->args[other->arg]))
				het__shadow_share(s, other);
		}
}

static void free_shadows(struct rehearsal *r)
{
	for (int k = 0; k < r->shadow_count; k++) {
		struct het__shadow *const s = &r->shadow[k];

		if (s->array)
			(void)het_array_free(s->array);
		het__free(s->content);
		het__free(s->now);
		for (int kind = 0; kind < HET__FILLERS; kind++)
			het__free(s->before[kind]);
		het__free(s->after[0]);
		het__free(s->after[1]);
	}
}

/* ---- runs --------------------------------------------------------------------------------------- */

/* What is in front goes to the device's memory too, where the kernel then has an offset into it. */
static het_status put(const struct rehearsal *r, const struct het__shadow *s)
{
	const het_status st = het_write(image_of(r, s), s->now);

	return st || s->front == 0 ? st : het_prefetch(het_view(s->array, het_whole()), r->device);
}

/* What is in front was not declared to be written: who wrote there, in a memory that is not the host's, has
 * made two copies of it. */
static het_status get(const struct rehearsal *r, struct het__shadow *s, int number)
{
	const het_status st = s->front > 0 ? het_audit(s->array) : HET_OK;

	s->is_front_written |= st == HET_ERR_DIFFER;
	return st && st != HET_ERR_DIFFER ? st : het_read(image_of(r, s), s->after[number]);
}

static het_status run(struct rehearsal *r, int number)
{
	struct het_arg args[HET__ARGS_MOST];
	het_status st = HET_OK;

	for (int i = 0; i < r->count; i++)
		args[i] = r->args[i];
	for (int k = 0; k < r->shadow_count && !st; k++) {
		args[r->shadow[k].arg] = seen_of(r, &r->shadow[k]);
		st = put(r, &r->shadow[k]);
	}
	if (!st)
		st = het_launch_args(r->kernel, r->device, *r->range, args, r->count);
	for (int k = 0; k < r->shadow_count && !st; k++)
		if (!r->shadow[k].is_const)
			st = get(r, &r->shadow[k], number);
	return st;
}

/* All shadows have fillers of one kind, but for one: it has these, inside and outside of its box. What comes of
 * it are the images after[number]. */
static het_status run_with(struct rehearsal *r, int kind, const struct het__shadow *but, int inside,
			   int outside, int number)
{
	for (int k = 0; k < r->shadow_count; k++) {
		struct het__shadow *const s = &r->shadow[k];

		het__shadow_compose(s, s == but ? inside : kind, s == but ? outside : kind);
	}
	return run(r, number);
}

/* ---- findings ----------------------------------------------------------------------------------- */

enum { WHERE_ROOM = HET__POINT_TEXT + 40 };

/* "(3, 5)", as the array has it, and how many more. */
static const char *where_text(const struct het__shadow *s, const struct het__seen *seen, char text[WHERE_ROOM])
{
	int64_t index[HET_MAX_RANK];
	char point[HET__POINT_TEXT], more[40] = "";

	for (int d = 0; d < s->rank; d++)
		index[d] = seen->first[d] + s->from[d];
	if (seen->count > 1)
		snprintf(more, sizeof more, " and %" PRId64 " more", seen->count - 1);
	snprintf(text, WHERE_ROOM, "%s%s", het__point_format(s->rank, index, point), more);
	return text;
}

static void tell(struct rehearsal *r, const struct het__shadow *s, const char *what, const char *where)
{
	const struct het__param *const param = param_of(r, s);
	char box[HET__BOX_TEXT], name[160] = "";

	if (*param->type_name)
		snprintf(name, sizeof name, " (%s %s)", param->type_name, param->name);
	snprintf(r->text, sizeof r->text, "%s on %s, argument %d%s, of which it is given %s: %s%s",
		 r->kernel->title, r->device->name, s->arg, name, het__box_format(s->rank, &s->given, box),
		 what, where);
	r->is_mistake = true;
}

static void check_writes(struct rehearsal *r, const struct het__shadow *s)
{
	struct het__seen seen = het__shadow_written_outside(s, 0);
	char where[WHERE_ROOM];

	if (s->is_front_written) {
		tell(r, s, "it writes in front of that", "");
		return;
	}
	if (seen.count == 0)
		seen = het__shadow_written_outside(s, 1);
	if (seen.count > 0) {
		tell(r, s,
		     seen.is_before   ? "it writes in front of that, at "
		     : !seen.is_behind
			     ? (s->writes ? "it writes elsewhere, at " : "HET_IN, but it writes to it, at ")
		     : s->is_packed ? "it writes behind that, at "
				    : "it writes behind the array's end, at ",
		     where_text(s, &seen, where));
		return;
	}
	seen = het__shadow_unwritten(s);
	if (seen.count > 0)
		tell(r, s,
		     "HET_OUT promises all of that, but it leaves elements as they were (HET_INOUT keeps "
		     "them), at ",
		     where_text(s, &seen, where));
}

/* Where two runs have made something else. */
struct difference {
	const struct het__shadow *in; /* NULL: nowhere */
	struct het__seen seen;
};

/* In run 1 shadow `but`, or all where that is NULL, had such fillers inside its box; others, as in run 0, of
 * kind 0. */
static struct difference difference(const struct rehearsal *r, const struct het__shadow *but, int kind)
{
	struct difference d = {.in = NULL};

	for (int k = 0; k < r->shadow_count && !d.in; k++) {
		const struct het__shadow *const s = &r->shadow[k];

		d.seen = het__shadow_differs(s, !but || s == but ? kind : 0);
		if (d.seen.count > 0)
			d.in = s;
	}
	return d;
}

/* Runs with shadow `but` as told and all others as in run 0; NULL: all as in run 0. */
static het_status compare(struct rehearsal *r, const struct het__shadow *but, int inside, int outside,
			  struct difference *d)
{
	const het_status st = run_with(r, 0, but, inside, outside, 1);

	*d = (struct difference){.in = NULL};
	if (!st)
		*d = difference(r, but, but ? inside : 0);
	return st;
}

/* Does the kernel make the same of the same, and something else of other fillers in one shadow, each time? */
static het_status accuse(struct rehearsal *r, const struct het__shadow *s, int inside, int outside,
			 struct difference *d)
{
	struct difference control = {.in = NULL};
	het_status st = HET_OK;

	for (int times = 0; times < 2 && !st; times++) {
		st = compare(r, s, inside, outside, d);
		if (st || !d->in)
			return st;
		st = compare(r, NULL, 0, 0, &control);
		if (st || control.in) {
			d->in = NULL;
			return st;
		}
	}
	return st;
}

static void tell_of_reader(struct rehearsal *r, const struct het__shadow *s, const struct difference *d,
			   const char *what)
{
	char where[WHERE_ROOM], text[WHERE_ROOM + 60];

	snprintf(text, sizeof text, " (argument %d depends on that, at %s)", d->in->arg,
		 where_text(d->in, &d->seen, where));
	tell(r, s, what, text);
}

/* What is made depends on what is not declared, and shows it with fillers of this kind: of which argument? */
static het_status find_reader(struct rehearsal *r, int kind)
{
	struct difference d = {.in = NULL};
	het_status st = HET_OK;

	for (int k = 0; k < r->shadow_count && !st && !d.in; k++) {
		const struct het__shadow *const s = &r->shadow[k];
		const char *what = "it reads elsewhere";

		st = accuse(r, s, HET__FILLER, kind, &d);
		if (!st && !d.in && !s->reads) {
			what = "it reads what was there, which HET_OUT gives up (HET_INOUT keeps it)";
			st = accuse(r, s, kind, HET__FILLER, &d);
		}
		if (!st && d.in)
			tell_of_reader(r, s, &d, what);
	}
	if (!st && !d.in)
		het__log(r->kernel->system->logger, HET_LOG_DEBUG, "kernel",
			 "%s on %s: results differ from run to run, so that nothing is known of what it reads",
			 r->kernel->title, r->device->name);
	return st;
}

/* Where nothing can be written there is nothing to be seen. */
static bool shows(const struct rehearsal *r)
{
	for (int k = 0; k < r->shadow_count; k++)
		if (!r->shadow[k].is_const)
			return true;
	return false;
}

static het_status rehearse(struct rehearsal *r)
{
	het_status st = HET_OK;

	if (!learn(r) || !shows(r))
		return HET_OK;
	for (int k = 0; k < r->shadow_count && !st; k++)
		st = make_shadow(r, &r->shadow[k]);
	if (!st)
		share_shadows(r);
	for (int kind = 0; kind < 2 && !st; kind++)
		st = run_with(r, kind, NULL, kind, kind, kind);
	for (int k = 0; k < r->shadow_count && !st && !r->is_mistake; k++)
		check_writes(r, &r->shadow[k]);
	if (st || r->is_mistake)
		return st;
	if (difference(r, NULL, HET__OTHER_FILLER).in)
		return find_reader(r, HET__OTHER_FILLER);
	st = run_with(r, HET__TRUE_FILLER, NULL, 0, 0, 1);
	return !st && difference(r, NULL, HET__TRUE_FILLER).in ? find_reader(r, HET__TRUE_FILLER) : st;
}

/* ---- calls -------------------------------------------------------------------------------------- */

static void rehearse_aside(const void *about)
{
	struct rehearsal *const r = *(struct rehearsal *const *)about;

	r->status = rehearse(r);
	if (r->status)
		snprintf(r->text, sizeof r->text, "%s on %s, tried beforehand: %s", r->kernel->title,
			 r->device->name, het__message());
	free_shadows(r);
}

/* Once of each kernel. */
static void warn(het_kernel *kernel, const het_device *device, const char *why)
{
	if (!atomic_exchange(&kernel->told_of_no_trial, true))
		het__log(kernel->system->logger, HET_LOG_WARN, "kernel",
			 "%s on %s is not tried beforehand (HETERO_CHECK): %s", kernel->title, device->name,
			 why);
}

/* Only what is wrong with the program is an error, or with what it wants to read. */
static het_status verdict(struct rehearsal *r)
{
	if (r->is_mistake)
		return het__fail_on(HET_ERR_ARGUMENT, r->device->name, "%s", r->text);
	if (r->status == HET_ERR_LOST || r->status == HET_ERR_DEVICE)
		return het__fail_on(r->status, r->device->name, "%s", r->text);
	if (r->status)
		warn(r->kernel, r->device, r->text);
	return HET_OK;
}

/* Of one part. The kernel is held. */
static het_status try_part(het_kernel *kernel, het_device *device, const struct het_range *range,
			   const struct het_arg *args, int count, bool in_spread)
{
	struct rehearsal *r;
	het_status st;

	if (het__in_callback()) {
		warn(kernel, device, "a callback waits for nothing");
		return HET_OK;
	}
	r = het__alloc_zeroed(1, sizeof *r);
	if (!r) {
		warn(kernel, device, "no host memory");
		return HET_OK;
	}
	r->kernel = kernel;
	r->device = device;
	r->range = range;
	r->args = args;
	r->count = count;
	r->in_spread = in_spread;
	het__log_defer(); /* its calls are none of the program's */
	het__error_aside(rehearse_aside, &r);
	het__log_resume();
	st = verdict(r);
	het__free(r);
	return st;
}

het_status het__rehearse_launch(het_kernel *kernel, het_device *device, const struct het_range *range,
				const struct het_arg *args, int count)
{
	het_status st = het__args_check(kernel->title, args, count);

	if (!st)
		st = het__kernel_hold(kernel, kernel->title);
	if (st)
		return het__kernel_refuse(kernel, st);
	is_rehearsed = true;
	st = try_part(kernel, device, range, args, count, false);
	st = st ? het__kernel_refuse(kernel, st) : het_launch_args(kernel, device, *range, args, count);
	is_rehearsed = false;
	het__kernel_let_go(kernel);
	return st;
}

struct plan {
	het_kernel *kernel;
	het_team *team;
	const struct het_range *range;
	const struct het_arg *args;
	int count;
	struct het_part part[HET__TEAM_MOST];
	int dimension;
	bool known;
};

static void plan_aside(const void *about)
{
	struct plan *const p = *(struct plan *const *)about;

	p->known =
		!het_spread_plan_args(p->kernel, p->team, *p->range, p->part, &p->dimension, p->args, p->count);
}

het_status het__rehearse_spread(het_kernel *kernel, het_team *team, const struct het_range *range,
				const struct het_arg *args, int count)
{
	struct plan plan = {.kernel = kernel, .team = team, .range = range, .args = args, .count = count};
	struct plan *const p = &plan;
	het_status st = het__kernel_hold(kernel, kernel->title);

	if (st)
		return het__kernel_refuse(kernel, st);
	is_rehearsed = true;
	het__log_defer();
	het__error_aside(plan_aside, &p);
	het__log_resume();
	for (int i = 0; i < HET__TEAM_MOST && p->known && p->part[i].device && !st; i++)
		if (p->part[i].range.lo[p->dimension] < p->part[i].range.hi[p->dimension])
			st = try_part(kernel, p->part[i].device, &p->part[i].range, args, count, true);
	st = st ? het__kernel_refuse(kernel, st) : het_spread_args(kernel, team, *range, args, count);
	is_rehearsed = false;
	het__kernel_let_go(kernel);
	return st;
}
