/* args.c - the arguments of one call, checked and placed. */

#include "launch/args.h"

#include <string.h>

static bool is_array(const struct het_arg *arg)
{
	return arg->kind == HET_ARG_ARRAY || arg->kind == HET_ARG_PACKED;
}

het_status het__args_check(const char *what, const struct het_arg *args, int count)
{
	if (count < 0 || count > HET__ARGS_MOST || (count && !args))
		return het__fail(HET_ERR_ARGUMENT, "%s: %d arguments; 0 to %d are possible", what, count, HET__ARGS_MOST);
	for (int i = 0; i < count; i++) {
		const struct het_arg *a = &args[i];

		if (a->kind < HET_ARG_ARRAY || a->kind > HET_ARG_NULL)
			return het__fail(HET_ERR_ARGUMENT, "%s: argument %d is not made by HET_IN, HET_OUT, HET_VAL...", what,
			                 i);
		if (is_array(a) && (a->mode < HET_MODE_IN || a->mode > HET_MODE_INOUT))
			return het__fail(HET_ERR_ARGUMENT, "%s: argument %d has no mode", what, i);
		if ((a->kind == HET_ARG_BYTES || a->kind == HET_ARG_LOCAL) && a->bytes == 0)
			return het__fail(HET_ERR_ARGUMENT, "%s: argument %d has 0 bytes", what, i);
		if (a->kind == HET_ARG_BYTES && !a->u.pointer)
			return het__fail(HET_ERR_ARGUMENT, "%s: argument %d: HET_BYTES of NULL", what, i);
	}
	return HET_OK;
}

/* Two arguments of one call may share cells only if both just read them. */
static het_status check_aliases(const struct het__args *all, int last)
{
	const struct het__access *b = &all->access[last];

	for (int i = 0; i < last; i++) {
		const struct het__access *a = &all->access[i];
		char text[HET__BOX_TEXT];

		if (a->value != b->value || (a->mode == HET__ACCESS_IN && b->mode == HET__ACCESS_IN) ||
		    !het__box_overlaps(a->value->rank, &a->box, &b->box))
			continue;
		return het__fail(HET_ERR_ALIAS, "%s: arguments %d and %d overlap in %s %s and one of them is written",
		                 all->what, all->arg[i], all->arg[last], a->value->label,
		                 het__box_format(a->value->rank, &b->box, text));
	}
	return HET_OK;
}

/* The same message prefix for every complaint about one argument. */
static het_status about_argument(const struct het__args *all, int i, het_status st)
{
	return st ? het__fail_within("%s, argument %d", all->what, i) : HET_OK;
}

static het_status resolve_one(struct het__args *all, het_system *system, int i)
{
	const struct het_arg *a = &all->given[i];
	struct het__access *access = &all->access[all->count];
	het_status st = het__view_resolve(&a->u.view, system, "view", &access->box);

	if (st)
		return st;
	access->value = a->u.view.array->value;
	access->store = NULL;
	access->mode = (enum het__access_mode)a->mode;
	access->makers = NULL;
	access->maker_count = 0;
	all->arg[all->count] = i;
	if (a->u.view.array->maps.count == 0)
		return HET_OK;
	return het__maps_allow(a->u.view.array, &access->box, a->mode != HET_MODE_IN, "access");
}

het_status het__args_resolve(struct het__args *all, het_system *system, const char *what,
                             const struct het_arg *args, int count)
{
	all->what = what;
	all->given = args;
	all->given_count = count;
	all->count = 0;
	for (int i = 0; i < count; i++) {
		het_status st;

		if (!is_array(&args[i]))
			continue;
		st = about_argument(all, i, resolve_one(all, system, i));
		if (!st)
			st = check_aliases(all, all->count);
		if (st)
			return st;
		all->count++;
	}
	return HET_OK;
}

static het_status place_one(struct het__args *all, int i, het_device *device, const struct het__signature *signature)
{
	struct het__access *access = &all->access[i];
	const struct het_arg *given = &all->given[all->arg[i]];
	size_t align = signature ? signature->param[all->arg[i]].align_bytes : 1;
	het_status st;

	if (!device) {
		access->store = access->value->store[HET__HOME];
		return HET_OK;
	}
	st = het__value_place(access->value, device, &access->box, given->kind == HET_ARG_PACKED, align ? align : 1,
	                      &all->place[i]);
	access->store = all->place[i].store;
	return st == HET__AGAIN ? st : about_argument(all, all->arg[i], st);
}

static het_status place_all(struct het__args *all, het_device *device, const struct het__signature *signature)
{
	for (int i = 0; i < all->count; i++) {
		het_status st = place_one(all, i, device, signature);
		if (st)
			return st;
	}
	return HET_OK;
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
	for (int i = 0; i < all->count && !st; i++)
		if (all->access[i].mode != HET__ACCESS_OUT)
			st = about_argument(all, all->arg[i],
			                    het__value_fetch(all->access[i].value, all->access[i].store, &all->access[i].box,
			                                     device ? lane : NULL, NULL, NULL));
	return st;
}

size_t het__args_blob_bytes(const struct het_arg *args, int count)
{
	size_t bytes = 0;

	for (int i = 0; i < count; i++)
		if (args[i].kind == HET_ARG_BYTES || args[i].kind == HET_ARG_VALUE)
			bytes += (args[i].bytes + 15) / 16 * 16;
	return bytes;
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
