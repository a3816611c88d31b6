/* args.c - the arguments of one call, checked and placed. */

#include "launch/args.h"

#include <string.h>

static bool is_array(const struct het_arg *arg)
{
	return arg->kind == HET_ARG_ARRAY || arg->kind == HET_ARG_PACKED;
}

het_status het__args_check_count(const char *what, const struct het_arg *args, int count)
{
	if (count < 0 || count > HET__ARGS_MOST || (count && !args))
		return het__fail(HET_ERR_ARGUMENT, "%s: %d arguments; 0 to %d are possible", what, count,
				 HET__ARGS_MOST);
	return HET_OK;
}

het_status het__arg_check(const char *what, const struct het_arg *a, int i)
{
	if (a->kind < HET_ARG_ARRAY || a->kind > HET_ARG_NULL)
		return het__fail(HET_ERR_ARGUMENT, "%s: argument %d is not made by HET_IN, HET_OUT, HET_VAL...",
				 what, i);
	if (is_array(a) && (a->mode < HET_MODE_IN || a->mode > HET_MODE_INOUT))
		return het__fail(HET_ERR_ARGUMENT, "%s: argument %d has no mode", what, i);
	if ((a->kind == HET_ARG_BYTES || a->kind == HET_ARG_LOCAL) && a->bytes == 0)
		return het__fail(HET_ERR_ARGUMENT, "%s: argument %d has 0 bytes", what, i);
	if (a->kind == HET_ARG_BYTES && !a->u.pointer)
		return het__fail(HET_ERR_ARGUMENT, "%s: argument %d: HET_BYTES of NULL", what, i);
	return HET_OK;
}

het_status het__args_check(const char *what, const struct het_arg *args, int count)
{
	het_status st = het__args_check_count(what, args, count);

	for (int i = 0; i < count && !st; i++)
		st = het__arg_check(what, &args[i], i);
	return st;
}

/* Two arguments of one call may share cells only if both just read them. */
static het_status check_aliases(const struct het__args *all, int last)
{
	const struct het__access *b = &all->access[last];

	for (int i = 0; i < last; i++) {
		const struct het__access *a = &all->access[i];
		char text[HET__BOX_TEXT];

		if (a->value != b->value || (a->mode == HET__ACCESS_IN && b->mode == HET__ACCESS_IN) ||
		    !het__box_overlaps(a->value->rank, a->box, b->box))
			continue;
		return het__fail(HET_ERR_ALIAS,
				 "%s: arguments %d and %d overlap in %s %s and one of them is written",
				 all->what, all->arg[i], all->arg[last], a->value->label,
				 het__box_format(a->value->rank, b->box, text));
	}
	return HET_OK;
}

/* The same message prefix for every complaint about one argument. */
static het_status about_argument(const struct het__args *all, int i, het_status st)
{
	return st ? het__fail_within("%s, argument %d", all->what, i) : HET_OK;
}

static het_status resolve_view(struct het__args *all, het_system *system, const struct het_arg *a,
                               struct het__access *access)
{
	const het_array *array = a->u.view.array;
	struct het__box *box = &all->box[all->count];
	het_status st;

	if (het__array_is_of(array, system) && a->u.view.box.rank == 0) {
		access->box = &array->value->whole;
	} else {
		st = het__view_resolve(&a->u.view, system, NULL, box);
		if (st)
			return st;
		access->box = box;
	}
	access->value = array->value;
	access->mode = (enum het__access_mode)a->mode;
	if (array->maps.count == 0)
		return HET_OK;
	return het__maps_allow(array, access->box, a->mode != HET_MODE_IN, NULL);
}

/* `use` marks the values of this call: only of those that are met again must the boxes be compared. */
static het_status resolve_one(struct het__args *all, het_system *system, int arg, uint64_t use)
{
	struct het__access *access = &all->access[all->count];
	het_status st = resolve_view(all, system, &all->given[arg], access);

	all->arg[all->count] = arg;
	if (st)
		return about_argument(all, arg, st);
	if (access->value->use == use)
		st = check_aliases(all, all->count);
	access->value->use = use;
	all->written |= (uint64_t)(access->mode != HET__ACCESS_IN) << arg;
	all->count += !st;
	return st;
}

het_status het__args_resolve(struct het__args *all, het_system *system, const char *what,
                             const struct het_arg *args, int count)
{
	const uint64_t use = ++het__tasks_in(system)->uses;
	het_status st = HET_OK;

	all->what = what;
	all->given = args;
	all->given_count = count;
	all->written = 0;
	all->count = 0;
	all->blob_bytes = 0;
	for (int i = 0; i < count && !st; i++)
		if (is_array(&args[i]))
			st = resolve_one(all, system, i, use);
		else if (args[i].kind == HET_ARG_BYTES || args[i].kind == HET_ARG_VALUE)
			all->blob_bytes += het__arg_room(&args[i]);
	return st;
}

static het_status place_one(const struct het__args *all, struct het__access *access, int arg,
                            het_device *device, const struct het__signature *signature)
{
	const size_t align =
		signature && signature->param[arg].align_bytes ? signature->param[arg].align_bytes : 1;
	const bool packed = all->given[arg].kind == HET_ARG_PACKED;
	struct het__store *whole = NULL;
	het_status st;

	if (!device)
		whole = access->value->store[HET__HOME];
	else if (!packed)
		whole = het__value_whole_store(access->value, device->memory, align);
	if (whole) {
		het__access_through(access, whole);
		return HET_OK;
	}
	st = het__access_place(access, device, packed, align);
	return st == HET__AGAIN ? st : about_argument(all, arg, st);
}

static het_status place_all(struct het__args *all, het_device *device, const struct het__signature *signature)
{
	het_status st = HET_OK;

	for (int i = 0; i < all->count && !st; i++)
		st = place_one(all, &all->access[i], all->arg[i], device, signature);
	return st;
}

het_status het__args_place(struct het__args *all, het_device *device, const struct het__signature *signature,
                           struct het__lane *lane)
{
	het_status st;

	while ((st = place_all(all, device, signature)) == HET__AGAIN) {
		st = het__operation_wait_again(lane->system);
		if (!st) /* others may have mapped, swapped or freed meanwhile */
			st = het__args_resolve(all, lane->system, all->what, all->given, all->given_count);
		if (st)
			break;
	}
	for (int i = 0; i < all->count && !st; i++) {
		const struct het__access *a = &all->access[i];

		if (lane->system->watch)
			het__doing_arg(lane->system, all->arg[i]);
		if (a->mode != HET__ACCESS_OUT && !het__directory_is_all_in(&a->value->dir, a->store->slot))
			st = about_argument(
				all, all->arg[i],
				het__value_fetch(a->value, a->store, a->box, device ? lane : NULL, NULL, NULL));
	}
	return st;
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
