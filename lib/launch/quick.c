/* quick.c - what most launches are: arrays used whole, one each, where they are needed already. */

#include "launch/args.h"

/* One array. */
static inline bool take_array(struct het__access *access, const struct het_arg *given,
			      const struct het__param *param, const het_device *device, uint64_t use)
{
	const het_array *const array = given->u.view.array;
	struct het__value *value;
	struct het__store *store;

	if (given->kind != HET_ARG_ARRAY || given->u.view.box.rank != 0 || !het__array_fits(given, param) ||
	    !het__array_is_of(array, device->system) || array->maps.count > 0)
		return false;
	value = array->value;
	store = het__value_whole_store(value, device->memory, param->align_bytes);
	if (!store || value->use == use ||
	    (given->mode != HET_MODE_OUT && !het__directory_is_all_in(&value->dir, store->slot)))
		return false;
	value->use = use;
	access->value = value;
	access->box = &value->whole;
	access->mode = (enum het__access_mode)given->mode;
	het__access_through(access, store);
	return true;
}

/* Anything else. */
static bool take_other(struct het__args *all, const struct het_arg *given, const struct het__param *param,
		       int i)
{
	if (given->kind == HET_ARG_LOCAL || het__arg_fits(given, param, all->what, i))
		return false;
	if (given->kind != HET_ARG_NULL)
		all->blob_bytes += het__arg_room(given);
	return true;
}

bool het__args_take(struct het__args *all, const het_kernel *kernel, const het_device *device,
		    const struct het__kernel_on *on, const struct het_arg *args, int count)
{
	const uint64_t use = ++het__tasks_in(device->system)->uses;
	const struct het__param *param = on->signature->param;
	struct het__access *access = all->access;

	if (count != on->signature->count || on->limits.local_bytes > device->facts.local_bytes)
		return false;
	all->what = kernel->title;
	all->given = args;
	all->given_count = count;
	all->blob_bytes = 0;
	all->written = 0;
	for (int i = 0; i < count; i++, param++) {
		if (args[i].kind > HET_ARG_PACKED) {
			if (!take_other(all, &args[i], param, i))
				return false;
			continue;
		}
		if (!take_array(access, &args[i], param, device, use))
			return false;
		all->written |= (uint64_t)(access->mode != HET__ACCESS_IN) << i;
		all->arg[access++ - all->access] = i;
	}
	all->count = (int)(access - all->access);
	return true;
}
