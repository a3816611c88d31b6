/* rehearse.c - a launch tried on copies before it happens: what the runs show, and what is told of it. */

#include "launch/rehearse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/callback.h"
#include "base/error.h"
#include "base/log.h"
#include "launch/as_two.h"
#include "launch/beside.h"
#include "launch/halves.h"
#include "launch/mapper.h"
#include "launch/team.h"
#include "launch/trial.h"

/* This thread is in a rehearsal, or in the launch that was rehearsed. */
static _Thread_local bool is_rehearsed;

bool het__is_rehearsed(void)
{
	return is_rehearsed;
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

enum { ARGUMENT_ROOM = 180 };

/* "argument 1 (float* in)" */
static const char *argument_text(const struct het__trial *t, const struct het__shadow *s,
				 char text[ARGUMENT_ROOM])
{
	const struct het__param *const param = het__trial_param(t, s);

	if (*param->type_name)
		snprintf(text, ARGUMENT_ROOM, "argument %d (%s %s)", s->arg, param->type_name, param->name);
	else
		snprintf(text, ARGUMENT_ROOM, "argument %d", s->arg);
	return text;
}

static void tell(struct het__trial *t, const struct het__shadow *s, const char *what, const char *where)
{
	char box[HET__BOX_TEXT], across[HET__BOX_TEXT] = "", argument[ARGUMENT_ROOM];

	if (s->wraps)
		(void)het__box_format(s->rank, &s->across, across);
	snprintf(t->text, sizeof t->text, "%s on %s%s, %s, given %s %s%s%s: %s%s", t->kernel->title,
		 t->device->name, t->is_of_two ? " (as one of two parts)" : "", argument_text(t, s, argument),
		 s->label, het__box_format(s->rank, &s->given, box), s->wraps ? " and " : "", across, what,
		 where);
	t->is_mistake = true;
}

enum { PLACE_ROOM = WHERE_ROOM + 100 };

/* Where the elements are that the argument does not declare: "elsewhere, at (3, 5) and 2 more". */
static const char *place(const struct het__shadow *s, const struct het__seen *seen, char text[PLACE_ROOM])
{
	const char *const front = s->is_packed ? "in front of that" : "in front of the array";
	const char *const behind = s->is_packed ? "behind that" : "behind the array's end";
	const char *const which = seen->is_before ? front : seen->is_behind ? behind : "elsewhere";
	char where[WHERE_ROOM], hint[60] = "";

	if (s->is_empty)
		return "what is not there, for that has no elements";
	if (s->is_window && (seen->is_before || seen->is_between))
		snprintf(hint, sizeof hint, " (if it indexes by HET_AT%d or HET_INDEX%d)", s->rank, s->rank);
	snprintf(text, PLACE_ROOM, "%s%s%s%s", which, seen->count ? ", at " : "",
		 seen->count ? where_text(s, seen, where) : "", hint);
	return text;
}

/* Tells of what the run has written and may not. */
static void check_strays(struct het__trial *t, const struct het__shadow *s, int number)
{
	const struct het__seen seen = het__shadow_written_outside(s, number);
	const struct het__seen in_front = {.is_before = true};
	char where[PLACE_ROOM];

	if (s->has_two_copies && seen.count == 0 && s->is_const)
		tell(t, s, "HET_IN, but it writes to it", "");
	else if (s->has_two_copies && seen.count == 0)
		tell(t, s, "it writes ", place(s, &in_front, where));
	else if (seen.count > 0 && !s->writes && !seen.is_before && !seen.is_behind && !seen.is_between)
		tell(t, s, "HET_IN, but it writes to it, at ", where_text(s, &seen, where));
	else if (seen.count > 0)
		tell(t, s, "it writes ", place(s, &seen, where));
}

/* With one kind of filler, and with the other. */
static het_status run_first_two(struct het__trial *t)
{
	const het_status st = het__trial_run(t, HET__FILLER, NULL, 0);

	return st ? st : het__trial_run(t, HET__OTHER_FILLER, NULL, 1);
}

/* Where two runs have made different things. */
struct difference {
	const struct het__shadow *in; /* NULL: nowhere */
	struct het__seen seen;
};

/* Between run 0 and run 1, which was the last. */
static struct difference difference(const struct het__trial *t)
{
	struct difference d = {.in = NULL};

	for (int k = 0; k < t->shadow_count && !d.in; k++) {
		d.seen = het__shadow_differs(&t->shadow[k]);
		if (d.seen.count > 0)
			d.in = &t->shadow[k];
	}
	return d;
}

/* Runs as run 0 but for a change, which may be NULL. */
static het_status compare(struct het__trial *t, const struct het__change *but, struct difference *d)
{
	const het_status st = het__trial_run(t, HET__FILLER, but, 1);

	*d = (struct difference){.in = NULL};
	if (!st)
		*d = difference(t);
	return st;
}

/* Nobody is accused of what is not the same each time: results may differ from run to run, by chance only
 * sometimes. */
enum { TIMES = 3 };

/* Does the kernel make the same of the same, and something else, the same each time, after a change? */
static het_status accuse(struct het__trial *t, const struct het__change *change, struct difference *d)
{
	struct difference again = {.in = NULL}, control = {.in = NULL};
	het_status st = compare(t, change, d);

	for (int times = 1; times <= TIMES && d->in && !st; times++) {
		st = compare(t, NULL, &control);
		if (!st && !control.in)
			st = compare(t, change, &again);
		if (st || control.in || again.in != d->in || !het__seen_is_same(&again.seen, &d->seen))
			d->in = NULL;
	}
	return st;
}

/* The change shows in results. Finds one element of it that shows alone, the last of the shortest change that
 * shows, and what depends on it. cell->count is 0 where there is none, as several may have to change. */
static het_status find_cell(struct het__trial *t, struct het__change change, struct het__seen *cell,
			    struct difference *of_cell)
{
	int64_t without = change.from, with = change.to;
	struct difference d;
	het_status st = HET_OK;

	while (with - without > 1 && !st) {
		change.to = without + (with - without) / 2;
		st = compare(t, &change, &d);
		*(d.in ? &with : &without) = change.to;
	}
	change.from = without;
	change.to = with;
	if (!st)
		st = accuse(t, &change, of_cell);
	*cell = !st && of_cell->in ? het__shadow_cell(change.in, without) : (struct het__seen){.count = 0};
	return st;
}

/* Such a change shows: tells what the kernel reads, and what depends on that. */
static het_status tell_of_reader(struct het__trial *t, const struct het__change *change,
				 const struct difference *d)
{
	const struct het__shadow *const s = change->in;
	const bool was_there = change->inside != HET__FILLER;
	struct het__seen cell;
	struct difference of_cell;
	char what[40 + PLACE_ROOM], where[PLACE_ROOM], by[ARGUMENT_ROOM], halo[HET__BESIDE_TEXT];
	char text[WHERE_ROOM + ARGUMENT_ROOM + HET__BESIDE_TEXT + 100];
	const het_status st = find_cell(t, *change, &cell, &of_cell);

	if (st)
		return st;
	if (was_there)
		snprintf(what, sizeof what, "it reads what was there%s%s", cell.count ? ", at " : "",
			 cell.count ? where_text(s, &cell, where) : "");
	else
		snprintf(what, sizeof what, "it reads %s", place(s, &cell, where));
	if (cell.count)
		d = &of_cell;
	snprintf(text, sizeof text, "%s (%s depends on that, at %s)%s",
		 was_there ? ", which HET_OUT gives up; HET_INOUT keeps it" : "", argument_text(t, d->in, by),
		 where_text(d->in, &d->seen, where),
		 was_there ? "" : het__beside_text(t, change, &cell, halo));
	tell(t, s, what, text);
	return HET_OK;
}

/* With fillers of this kind, results were seen to depend on what is not declared: of which argument is that? */
static het_status find_reader(struct het__trial *t, int kind)
{
	struct difference d = {.in = NULL};
	het_status st = HET_OK;

	for (int k = 0; k < t->shadow_count && !st && !d.in; k++) {
		const struct het__shadow *const s = &t->shadow[k];
		const int64_t cells = het__shadow_cells(s);
		struct het__change change = {.in = s, .to = cells, .inside = HET__FILLER, .outside = kind};

		st = accuse(t, &change, &d);
		if (!st && !d.in && !s->reads) {
			change.inside = kind;
			change.outside = HET__FILLER;
			st = accuse(t, &change, &d);
		}
		if (!st && d.in)
			st = tell_of_reader(t, &change, &d);
	}
	if (!st && !d.in)
		het__log(t->kernel->system->logger, HET_LOG_DEBUG, "kernel",
			 "%s on %s: results differ from run to run, so that nothing is known of what it reads",
			 t->kernel->title, t->device->name);
	return st;
}

/* Tells of what both of the first two runs left as it was, if later runs do, too. */
static het_status find_left(struct het__trial *t)
{
	const struct het__shadow *found = NULL;
	char where[WHERE_ROOM];
	het_status st = HET_OK;
	bool is_any = false;

	for (int k = 0; k < t->shadow_count; k++)
		is_any |= t->shadow[k].left.count > 0;
	for (int times = 1; times < TIMES && is_any && !st; times++) {
		st = run_first_two(t);
		for (int k = 0; k < t->shadow_count && !st; k++) {
			struct het__shadow *const s = &t->shadow[k];
			const struct het__seen again = het__shadow_unwritten(s);

			s->left.count = het__seen_is_same(&s->left, &again) ? s->left.count : 0;
		}
	}
	for (int k = 0; k < t->shadow_count && !found; k++)
		found = t->shadow[k].left.count > 0 ? &t->shadow[k] : NULL;
	if (found && !st)
		tell(t, found,
		     "HET_OUT promises all of that, but it leaves elements as they were (HET_INOUT keeps "
		     "them), at ",
		     where_text(found, &found->left, where));
	return st;
}

static const char *const operations[] = {"HET_SUM", "HET_MIN", "HET_MAX", "HET_OR"};

/* A sum of floats that cancel out may be anything: that is no certain mistake, and only a warning. */
static void tell_of_halves(struct het__trial *t, const struct het__uneven *u)
{
	const enum het_mapper mapper = t->args[u->in->arg].u.mapped.mapper;
	char what[200], where[WHERE_ROOM];

	snprintf(what, sizeof what,
		 "%s of what two halves of its range make, %s and %s, is not what all of it makes, %s, at ",
		 operations[mapper - HET_MAPPER_SUM], u->numbers[0], u->numbers[1], u->numbers[2]);
	tell(t, u->in, what, where_text(u->in, &u->seen, where));
	t->is_mistake = !u->is_rounded;
	if (u->is_rounded && !atomic_exchange(&t->kernel->told_of_halves, true))
		het__log(t->kernel->system->logger, HET_LOG_WARN, "kernel", "%s (HETERO_CHECK)", t->text);
}

/* Is what is combined the same in two halves? */
static het_status find_uneven(struct het__trial *t)
{
	struct het__uneven first, again;
	het_status st;

	if (t->cut < 0 || !het__halves_apply(t, t->cut))
		return HET_OK;
	st = het__halves_run(t, t->cut, &first);
	again = first;
	for (int times = 1; times <= TIMES && again.in && !st; times++) {
		st = het__trial_run(t, HET__FILLER, NULL, 0);
		if (!st)
			st = het__halves_run(t, t->cut, &again);
		if (!het__uneven_is_same(&again, &first))
			again.in = NULL;
	}
	if (!st && again.in)
		tell_of_halves(t, &again);
	return st;
}

/* Looks at run 1's writes, then whether fillers of this kind make a difference. */
static het_status look(struct het__trial *t, int kind)
{
	for (int k = 0; k < t->shadow_count && !t->is_mistake; k++)
		check_strays(t, &t->shadow[k], 1);
	return !t->is_mistake && difference(t).in ? find_reader(t, kind) : HET_OK;
}

static bool is_as_with(const struct het__trial *t, int kind, int other)
{
	for (int k = 0; k < t->shadow_count; k++)
		if (!het__shadow_is_same(&t->shadow[k], kind, other))
			return false;
	return true;
}

/* Has another run had the same? It has where each box is all of its array, and read. */
static bool is_known(const struct het__trial *t, int kind)
{
	return is_as_with(t, kind, HET__FILLER) ||
	       (kind == HET__MOVED_FILLER && is_as_with(t, kind, HET__TRUE_FILLER));
}

/* What is read is told before what is left: an element that is made of itself may seem to be left. */
static het_status rehearse(struct het__trial *t)
{
	het_status st;

	if (!het__trial_learn(t))
		return HET_OK;
	st = het__trial_make(t);
	if (!st)
		st = run_first_two(t);
	for (int k = 0; k < t->shadow_count && !st; k++) {
		check_strays(t, &t->shadow[k], 0);
		t->shadow[k].left = het__shadow_unwritten(&t->shadow[k]);
		if (t->is_mistake)
			return HET_OK;
	}
	if (!st)
		st = look(t, HET__OTHER_FILLER);
	for (int kind = HET__TRUE_FILLER; kind < HET__FILLERS && !st && !t->is_mistake; kind++) {
		if (is_known(t, kind))
			continue;
		st = het__trial_run(t, kind, NULL, 1);
		if (!st)
			st = look(t, kind);
	}
	if (!st && !t->is_mistake)
		st = find_left(t);
	return st || t->is_mistake ? st : find_uneven(t);
}

/* ---- calls -------------------------------------------------------------------------------------- */

static void rehearse_aside(const void *about)
{
	struct het__trial *const t = *(struct het__trial *const *)about;

	t->status = rehearse(t);
	if (t->status)
		snprintf(t->text, sizeof t->text, "%s on %s, tried beforehand: %s", t->kernel->title,
			 t->device->name, het__message());
	het__trial_free(t);
}

/* Once of each kernel. */
static void warn(het_kernel *kernel, const het_device *device, const char *why)
{
	if (!atomic_exchange(&kernel->told_of_no_trial, true))
		het__log(kernel->system->logger, HET_LOG_WARN, "kernel",
			 "%s on %s is not tried beforehand (HETERO_CHECK): %s", kernel->title, device->name,
			 why);
}

/* Only what is wrong with the program, with what it reads or with the device is an error. */
static het_status verdict(struct het__trial *t)
{
	if (t->is_mistake)
		return het__fail_on(HET_ERR_ARGUMENT, t->device->name, "%s", t->text);
	if (t->status == HET_ERR_LOST || t->status == HET_ERR_DEVICE)
		return het__fail_on(t->status, t->device->name, "%s", t->text);
	if (t->status)
		warn(t->kernel, t->device, t->text);
	return HET_OK;
}

/* What is tried: of a launch, or of a spread. */
struct tried {
	het_device *device;
	const struct het_range *range;
	int cut;        /* the dimension that the spread is cut in; -1: it is a launch */
	bool is_of_two; /* the spread has one part, and this is one of the two that two devices would get */
};

/* The kernel is held. */
static het_status try_part(het_kernel *kernel, const struct tried *tried, const struct het_arg *args, int count)
{
	het_device *const device = tried->device;
	struct het__trial *t;
	het_status st;

	if (het__in_callback()) {
		warn(kernel, device, "a callback waits for nothing");
		return HET_OK;
	}
	t = het__alloc_zeroed(1, sizeof *t);
	if (!t) {
		warn(kernel, device, "no host memory");
		return HET_OK;
	}
	t->kernel = kernel;
	t->device = device;
	t->range = tried->range;
	t->cut = tried->cut;
	t->is_of_two = tried->is_of_two;
	t->args = args;
	t->count = count;
	het__log(kernel->system->logger, HET_LOG_DEBUG, "kernel", "%s on %s is tried on copies (HETERO_CHECK)",
		 kernel->title, device->name);
	het__log_flush(kernel->system->logger); /* before it crashes, or does not end */
	het__log_defer(); /* its calls are none of the program's */
	het__error_aside(rehearse_aside, &t);
	het__log_resume();
	st = verdict(t);
	het__free(t);
	return st;
}

het_status het__rehearse_launch(het_kernel *kernel, het_device *device, const struct het_range *range,
				const struct het_arg *args, int count)
{
	const struct tried all = {device, range, -1, false};
	het_status st = het__args_check(kernel->title, args, count);

	if (!st)
		st = het__kernel_hold(kernel, kernel->title);
	if (st)
		return het__kernel_refuse(kernel, st);
	is_rehearsed = true;
	st = try_part(kernel, &all, args, count);
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
	bool is_as_two;           /* one device gets all, where two would get */
	struct het_range half[2]; /* these parts, */
	int cut;                  /* cut in this dimension; else it is the plan's */
};

static bool is_given(const struct plan *p, int i)
{
	const struct het_range *const range = &p->part[i].range;

	return p->part[i].device && range->lo[p->dimension] < range->hi[p->dimension];
}

/* Inside a callback nothing may wait, so nothing is tried. */
static void plan_aside(const void *about)
{
	struct plan *const p = *(struct plan *const *)about;
	int given = 0, count = 0;

	p->known =
		!het_spread_plan_args(p->kernel, p->team, *p->range, p->part, &p->dimension, p->args, p->count);
	for (int i = 0; i < HET__TEAM_MOST && p->known; i++)
		if (is_given(p, i)) {
			given = i;
			count++;
		}
	p->cut = p->dimension;
	p->is_as_two = count == 1 && !p->team->is_alone && !het__in_callback() &&
		       het__as_two(p->kernel, p->part[given].device, p->range, p->args, p->count, p->half,
				   &p->cut);
}

/* All parts; and where there is only one, also the two that two devices would get. */
static het_status try_parts(const struct plan *p)
{
	het_status st = HET_OK;

	for (int i = 0; i < HET__TEAM_MOST && p->known && !st; i++) {
		struct tried part = {p->part[i].device, &p->part[i].range, p->cut, false};

		if (!is_given(p, i))
			continue;
		st = try_part(p->kernel, &part, p->args, p->count);
		part.is_of_two = true;
		for (int k = 0; k < 2 && p->is_as_two && !st; k++) {
			part.range = &p->half[k];
			st = try_part(p->kernel, &part, p->args, p->count);
		}
	}
	return st;
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
	st = try_parts(p);
	st = st ? het__kernel_refuse(kernel, st) : het_spread_args(kernel, team, *range, args, count);
	is_rehearsed = false;
	het__kernel_let_go(kernel);
	return st;
}
