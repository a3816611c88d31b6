/* args.c - the arguments of one call, checked and placed. */

#include "launch/args.h"

#include <string.h>

#include "launch/mapper.h"

het_status het__args_wrong_count(const char *what, int count)
{
	if (count > 0 && count <= HET__ARGS_MOST)
		return het__fail(HET_ERR_ARGUMENT, "%s: %d arguments at NULL", what, count);
	return het__fail(HET_ERR_ARGUMENT, "%s: %d arguments; 0 to %d are possible", what, count,
			 HET__ARGS_MOST);
}

het_status het__in_argument(const char *what, int i, het_status st)
{
	return what[0] ? het__fail_within("%s, argument %d", what, i) : st;
}

/* In `HET_OUT(x), 3, 7` C takes 3 and 7 for the first fields of one argument, as if braces were left out: its
 * kind is 7, that of HET_NULL, and it has no mode. */
static het_status check_bare(const char *what, const struct het_arg *a, int i)
{
	if (a->no_pointer != 0)
		return het__fail(HET_ERR_ARGUMENT,
				 "%s: argument %d is a bare number, %g; HET_VAL makes it an argument", what, i,
				 (double)a->no_pointer);
	if (!het__arg_is_array(a) && a->mode != HET_MODE_IN)
		return het__fail(HET_ERR_ARGUMENT,
				 "%s: argument %d is not made by HET_VAL, HET_BYTES, HET_LOCAL or HET_NULL; a "
				 "bare number needs HET_VAL",
				 what, i);
	return HET_OK;
}

het_status het__arg_check(const char *what, const struct het_arg *a, int i)
{
	const het_status bare = check_bare(what, a, i);

	if (bare)
		return bare;
	if (a->kind < HET_ARG_ARRAY || a->kind > HET_ARG_NULL)
		return het__fail(HET_ERR_ARGUMENT, "%s: argument %d is not made by HET_IN, HET_OUT, HET_VAL...",
				 what, i);
	if (het__arg_is_array(a) && (a->mode < HET_MODE_IN || a->mode > HET_MODE_INOUT))
		return het__fail(HET_ERR_ARGUMENT,
				 "%s: argument %d has no mode, which HET_IN, HET_OUT, HET_VAL... give", what,
				 i);
	if (!het__arg_is_array(a) && a->kind != HET_ARG_NULL && a->bytes == 0)
		return het__fail(HET_ERR_ARGUMENT, "%s: argument %d has 0 bytes%s", what, i,
				 a->kind == HET_ARG_LOCAL ? " of local memory" : "");
	if (a->kind == HET_ARG_VALUE && a->bytes > sizeof a->u.value)
		return het__fail(HET_ERR_ARGUMENT,
				 "%s: argument %d: a value of %zu bytes; HET_BYTES gives more than %zu", what,
				 i, a->bytes, sizeof a->u.value);
	if (a->kind == HET_ARG_BYTES && !a->u.pointer)
		return het__fail(HET_ERR_ARGUMENT, "%s: argument %d: HET_BYTES of NULL", what, i);
	if (a->kind == HET_ARG_MAPPED)
		return het__about_argument(what, i, het__mapper_check(&a->u.mapped, a->mode));
	return HET_OK;
}

het_status het__args_check(const char *what, const struct het_arg *args, int count)
{
	het_status st = het__args_check_count(what, args, count);

	for (int i = 0; i < count && !st; i++)
		st = het__arg_check(what, &args[i], i);
	return st;
}

het_status het__args_check_mapped(const char *what, const struct het_arg *args, int count)
{
	for (int i = 0; i < count; i++) {
		const het_status st = het__arg_check(what, &args[i], i);

		if (st)
			return st;
		if (het__arg_is_array(&args[i]) && args[i].kind != HET_ARG_MAPPED &&
		    args[i].mode != HET_MODE_IN)
			return het__fail(HET_ERR_ARGUMENT,
					 "%s, argument %d is written: HET_EACH, HET_ROWS_OF... must say what "
					 "each device writes of it",
					 what, i);
	}
	return HET_OK;
}

bool het__args_write(const struct het_arg *args, int count, const het_array *array)
{
	for (int i = 0; i < count; i++)
		if ((args[i].mode & HET_MODE_OUT) && het__arg_array(&args[i]) == array)
			return true;
	return false;
}

/* Two arguments of one call may share cells only if both just read them. */
static het_status check_aliases(const struct het__args *all, const struct het__access *b)
{
	for (const struct het__access *a = all->access; a < b; a++) {
		char text[HET__BOX_TEXT];
		struct het__box both;

		if (a->value != b->value || (a->mode == HET__ACCESS_IN && b->mode == HET__ACCESS_IN) ||
		    !het__box_overlaps(a->value->rank, a->box, b->box))
			continue;
		het__box_intersect(a->value->rank, a->box, b->box, &both);
		(void)het__fail(HET_ERR_ALIAS,
				"%s: arguments %d and %d overlap in %s %s and one of them is written",
				all->what, a->arg, b->arg, a->value->label,
				het__box_format(a->value->rank, &both, text));
		if (het__arg_is_halo(&all->given[a->arg]) || het__arg_is_halo(&all->given[b->arg]))
			het__fail_more("; what reads beside what it writes needs two arrays");
		return HET_ERR_ALIAS;
	}
	return HET_OK;
}

/* What a mapper, which was checked, makes of the range. */
static het_status __attribute__((noinline))
resolve_mapped(const struct het__args *all, const struct het_mapped *mapped, struct het__box *box)
{
	het_status st;

	if (!all->range)
		return het__fail(HET_ERR_ARGUMENT, "HET_EACH, HET_HALO and the like go with a launch's range");
	if (het__mapper_combines(mapped->mapper))
		return het__fail(HET_ERR_ARGUMENT, "HET_SUM, HET_MIN, HET_MAX and HET_OR are for het_spread");
	if (!het__array_is_of(mapped->array, all->system))
		return het__array_usable(mapped->array, all->system);
	st = het__mapper_fits(mapped);
	return st ? st : het__mapper_box(mapped, all->system, all->range, box);
}

/* A view's box, or a mapper's. */
static het_status resolve_box(struct het__args *all, const struct het_arg *a, struct het__access *access)
{
	const bool is_mapped = a->kind == HET_ARG_MAPPED;
	const het_array *const array = is_mapped ? a->u.mapped.array : a->u.view.array;

	if (!is_mapped && a->u.view.box.rank == 0 && het__array_is_of(array, all->system)) {
		access->box = &array->value->whole;
	} else {
		struct het__box *const box = &all->box[access - all->access];
		const het_status st = is_mapped ? resolve_mapped(all, &a->u.mapped, box)
						: het__view_resolve(&a->u.view, all->system, NULL, box);

		if (st)
			return st;
		access->box = box;
	}
	access->value = array->value;
	if (array->maps.count == 0)
		return HET_OK;
	return het__maps_allow(array, access->box, access->mode != HET__ACCESS_IN, NULL);
}

/* May something of what is read still have to be brought? */
static inline bool may_lack(const struct het__access *a)
{
	return a->mode != HET__ACCESS_OUT && !het__directory_is_all_in(&a->value->dir, a->store->slot);
}

/* Must something of it be brought? */
static bool lacks(const struct het__access *a)
{
	const struct het__entry *entry;
	struct het__box piece;

	return may_lack(a) &&
	       het__directory_lacks(&a->value->dir, a->box, a->store->slot, &piece, &entry);
}

/* A user's function has no parameters that say what they take. */
const struct het__param het__param_of_function = {.kind = HET__PARAM_UNKNOWN, .align_bytes = 1,
						   .needs = HET__NEEDS_BYTES};

static inline const struct het__param *param_of(const struct het__args *all, int i)
{
	return all->signature ? &all->signature->param[i] : &het__param_of_function;
}

/* Where there is no store of the whole array, or it is larger than a buffer, any store that has the box will
 * do, and the part around the box is enough. While outgrown windows remain, perhaps outgrown by the store of
 * the whole array, none is taken: het__args_bring sees to them first. */
static __attribute__((noinline)) void use_windows(const struct het__args *all, struct het__access *access,
						  const struct het__param *param)
{
	const het_device *const device = all->device;
	const uint64_t most = device->facts.max_alloc_bytes;

	if (!access->store || access->value->outgrown || (most > 0 && access->store->block->bytes > most)) {
		struct het__store *const store = het__value_window_store(access->value, device, access->box,
									 param->align_bytes);

		if (store)
			het__access_through(access, store);
		else
			access->store = NULL;
	}
	if (access->store)
		het__access_narrow(access, all->device);
}

/* Argument i. `use` marks the values that this call has met: boxes are compared only where one is met again. */
static inline het_status resolve_array(struct het__args *all, struct het__access *access, int i,
				       const struct het_arg *a, const struct het__param *param, uint64_t use,
				       uint64_t stamp)
{
	struct het__store *store = NULL;
	struct het__value *value;
	het_status st;

	access->arg = i;
	access->mode = (enum het__access_mode)a->mode;
	st = resolve_box(all, a, access);
	if (st)
		return het__about_argument(all->what, i, st);
	value = access->value;
	if (value->use != use) {
		value->use = use;
	} else {
		st = check_aliases(all, access);
		if (st)
			return st;
	}
	if (a->mode != HET_MODE_IN)
		all->written |= (uint64_t)1 << i;
	if (a->kind != HET_ARG_PACKED || param->kind == HET__PARAM_WINDOW)
		store = het__value_whole_store(value, all->memory, param->needs);
	if (store) {
		het__access_through_at(access, store, stamp);
	} else {
		st = het__arg_elements_fit(a, param, access);
		if (st)
			return het__about_argument(all->what, i, st);
		access->store = NULL;
	}
	if (param->kind == HET__PARAM_WINDOW)
		use_windows(all, access, param);
	if (!access->store || may_lack(access))
		all->lacking = true;
	return HET_OK;
}

/* Numbers, and memory of the kernel's own. */
static void resolve_other(struct het__args *all, const struct het_arg *a)
{
	all->has_others = true;
	if (a->kind == HET_ARG_BYTES || a->kind == HET_ARG_VALUE)
		all->blob_bytes += het__arg_room(a);
	else if (a->kind == HET_ARG_LOCAL)
		all->local_bytes = het__sum(all->local_bytes, a->bytes);
}

/* A window's indices count the array's elements, and step in the kernel's type: both must have one size. */
static het_status check_window(const struct het__args *all, const struct het_arg *a,
			       const struct het__param *param, int i)
{
	const het_array *const array = het__arg_array(a);

	if (!param->type || !het__array_is_of(array, all->system) ||
	    array->value->element_bytes == HET_TYPE_BYTES(param->type))
		return HET_OK;
	return het__fail(HET_ERR_SIGNATURE,
			 "%s: argument %d (HET_WINDOW of %s %s) was given %s, whose elements have %zu bytes; "
			 "they must have %zu",
			 all->what, i, param->type_name, param->name, array->value->label,
			 array->value->element_bytes, HET_TYPE_BYTES(param->type));
}

/* Argument i, unless it fits at once (het__arg_fits_at_once). */
static het_status look_closely(struct het__args *all, int i, const struct het__param *param)
{
	const struct het_arg *const a = &all->given[i];
	het_status st = all->checked ? HET_OK : het__arg_check(all->what, a, i);

	if (!st)
		st = het__arg_fits(a, param, all->what, i, all->system);
	if (!st && param->kind == HET__PARAM_WINDOW) {
		all->blob_bytes += HET__WINDOW_ROOM;
		if (het__arg_is_array(a))
			st = check_window(all, a, param, i);
	}
	if (!st && !het__arg_is_array(a))
		resolve_other(all, a);
	if (!st && a->kind == HET_ARG_MAPPED && a->u.mapped.mapper == HET_MAPPER_WRAP) {
		all->wraps = true;
		if (param->kind == HET__PARAM_WINDOW)
			st = het__fail(HET_ERR_ARGUMENT,
				       "%s, argument %d: HET_WRAP goes with a plain pointer, not with "
				       "HET_WINDOW: what it touches is at both ends of the array",
				       all->what, i);
	}
	return st;
}

/* The second piece of an argument that goes on at the array's other end: in the same store, and read only. */
static het_status resolve_across(struct het__args *all, const struct het__access *first)
{
	const struct het_mapped *const mapped = &all->given[first->arg].u.mapped;
	struct het__access *const access = &all->access[all->count];
	struct het__box *const box = &all->box[all->count];
	struct het__box across;
	het_status st = HET_OK;

	if (!het__mapper_across(mapped, all->range, &across))
		return HET_OK;
	if (all->count == HET__ARGS_MOST)
		return het__fail(HET_ERR_ARGUMENT,
				 "%s: more than %d arrays, those of HET_WRAP that are touched at both ends "
				 "counted twice",
				 all->what, HET__ARGS_MOST);
	*box = across;
	*access = *first;
	access->box = box;
	all->count++;
	if (mapped->array->maps.count > 0)
		st = het__maps_allow(mapped->array, box, false, NULL);
	return st ? het__about_argument(all->what, first->arg, st) : check_aliases(all, access);
}

static __attribute__((noinline)) het_status resolve_wrapped(struct het__args *all)
{
	het_status st = HET_OK;

	all->arrays = all->count;
	for (int k = 0; k < all->arrays && !st; k++)
		if (all->given[all->access[k].arg].kind == HET_ARG_MAPPED)
			st = resolve_across(all, &all->access[k]);
	return st;
}

het_status het__args_resolve(struct het__args *all)
{
	struct het__tasks *const tasks = het__tasks_in(all->system);
	const uint64_t use = ++tasks->uses, stamp = tasks->stamp;
	const struct het__param *param = param_of(all, 0);
	const int step = all->signature != NULL;
	const struct het_arg *a = all->given;
	struct het__access *access = all->access;

	all->blob_bytes = all->local_bytes = 0;
	all->written = 0;
	all->count = 0; /* what was known before a wait no longer holds */
	all->wraps = all->has_others = all->lacking = all->changed = false;
	for (int i = 0; i < all->given_count; i++, a++, param += step) {
		het_status st = HET_OK;

		if (!het__arg_fits_at_once(a, param))
			st = look_closely(all, i, param);
		if (!st && het__arg_is_array(a)) {
			st = resolve_array(all, access, i, a, param, use, stamp);
			access++;
		}
		if (st)
			return st;
	}
	all->count = (int)(access - all->access);
	return all->wraps ? resolve_wrapped(all) : HET_OK;
}

static enum het__sees sees(const struct het__args *all, int i)
{
	if (param_of(all, i)->kind == HET__PARAM_WINDOW)
		return HET__SEES_WINDOW;
	return all->given[i].kind == HET_ARG_PACKED ? HET__SEES_BOX : HET__SEES_ALL;
}

void het__arg_advise(const struct het_arg *given, const struct het__param *param,
		     const struct het__access *access, const het_device *device)
{
	const struct het__value *const value = access->value;
	const uint64_t most = device->facts.max_alloc_bytes;
	const uint64_t touched = het__access_bytes_on(access, device);

	if (most == 0 || value->bytes <= most)
		return;
	if (given->kind != HET_ARG_PACKED && param == &het__param_of_function)
		het__fail_more("; of a view (HET_IN(het_view(...))) it needs only the box");
	else if (given->kind != HET_ARG_PACKED && param->kind != HET__PARAM_WINDOW)
		het__fail_more("; by HET_WINDOW a kernel needs only what it touches");
	else if (touched > most)
		het__fail_more("; less of it at a time may fit: a smaller part, or more devices");
}

het_status het__arg_too_large(const struct het_arg *given, const struct het__param *param,
			      const struct het__access *access, const het_device *device)
{
	const bool is_window = param->kind == HET__PARAM_WINDOW;

	(void)het__too_large(device, is_window ? (size_t)het__access_bytes_on(access, device) : access->bytes);
	het__arg_advise(given, param, access, device);
	return het__fail_within("%s", access->value->label);
}

het_status het__arg_no_buffer(const struct het_arg *given, const struct het__param *param,
			      const struct het__access *access, const het_device *device, het_status st)
{
	if (st != HET_ERR_DEVICE_MEMORY || !het__arg_is_too_large(access, device))
		return het__fail_within("%s", access->value->label);
	return het__arg_too_large(given, param, access, device);
}

het_status het__args_check_buffers(const struct het__args *all)
{
	for (int i = 0; i < all->count; i++) {
		const struct het__access *const a = &all->access[i];

		if (het__arg_is_too_large(a, all->device))
			return het__about_argument(all->what, a->arg,
						   het__arg_too_large(&all->given[a->arg],
								      param_of(all, a->arg), a, all->device));
	}
	return HET_OK;
}

/* A function on the host works at home. */
static het_status place(struct het__args *all, struct het__access *a)
{
	const struct het__param *const param = param_of(all, a->arg);
	het_status st;

	if (!all->device) {
		het__access_through(a, a->value->store[HET__HOME]);
		return HET_OK;
	}
	st = het__access_place(a, all->device, sees(all, a->arg), param->align_bytes);
	if (st == HET_ERR_DEVICE_MEMORY)
		het__arg_advise(&all->given[a->arg], param, a, all->device);
	return st;
}

static het_status place_all(struct het__args *all)
{
	for (int i = 0; i < all->count; i++) {
		struct het__access *const a = &all->access[i];
		het_status st;

		if (a->store)
			continue;
		all->changed = true;
		st = place(all, a);
		if (st)
			return st == HET__AGAIN ? st : het__about_argument(all->what, a->arg, st);
	}
	return HET_OK;
}

/* `lane`: whose queue carries copies inside the host's memory. */
static het_status fetch_all(struct het__args *all, struct het__lane *lane)
{
	for (int i = 0; i < all->count; i++) {
		const struct het__access *const a = &all->access[i];
		het_status st;

		if (!lacks(a))
			continue;
		all->changed = true;
		if (all->system->watch)
			het__doing_arg(all->system, a->arg);
		st = het__value_fetch(a->value, a->store, a->box, lane, NULL, NULL);
		if (st)
			return het__about_argument(all->what, a->arg, st);
	}
	return HET_OK;
}

het_status het__args_bring(struct het__args *all, struct het__lane *lane)
{
	het_status st;

	while ((st = place_all(all)) == HET__AGAIN) {
		all->waited = true;
		st = het__operation_wait_again(all->system);
		if (!st) /* others may have mapped, swapped or freed meanwhile */
			st = het__args_resolve(all);
		if (st)
			return st;
	}
	return st ? st : fetch_all(all, lane);
}

bool het__args_are_ready(const struct het__args *all)
{
	for (int i = 0; i < all->count; i++)
		if (lacks(&all->access[i]))
			return false;
	return true;
}

het_status het__args_start(struct het__args *all, struct het__task *task)
{
	struct het__ref ref = het__ref_of(task);
	het_status st = het__accesses_order(task, all->access, all->count);

	if (st) {
		het__task_cancel(task);
		return st;
	}
	st = het__task_start(task);
	if (!st)
		het__accesses_commit(ref, all->access, all->count);
	return st;
}

/* Of a task that has failed before it begins. */
static const struct het__task_ops lost_ops = {.kind = "kernel"};

het_status het__args_lose(struct het__args *all)
{
	struct het__lane *lane;
	struct het__task *task;
	het_status st;

	for (int i = 0; i < all->count; i++)
		if (!all->access[i].store)
			het__access_through(&all->access[i], all->access[i].value->store[HET__HOME]);
	st = het__lane_copier(all->system, &lane);
	if (!st)
		st = het__task_new(lane, &lost_ops, 0, &task);
	if (st)
		return st;
	het__task_spoil(task);
	return het__args_start(all, task);
}
