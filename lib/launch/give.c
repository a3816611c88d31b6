/* give.c - a kernel gets a launch's arguments: at once, or later those that were kept. */

#include <limits.h>
#include <string.h>

#include "base/valgrind.h"
#include "launch/give.h"

_Static_assert(sizeof(struct het__bound_arg) + sizeof(struct het__window) <= HET__WINDOW_ROOM,
	       "a window is kept");

_Static_assert(HET__ARGS_MOST < HET__CUT_PARTS_MOST, "all of a launch's arguments can be parts of one block");

_Static_assert(sizeof((struct het_arg){0}.u.value) <= HET__GIVEN_ROOM, "a number has room");

/* An argument with a window is kept as two parameters. */
_Static_assert(2 * HET__ARGS_MOST <= UCHAR_MAX, "a parameter's number is a byte");

/* Sets parameter `at`, one of argument i's, whose last value is forgotten first: this may fail. */
static inline het_status give_at(const struct het__launch *launch, const struct het__lane *lane, int i, int at,
				 size_t bytes, const void *value)
{
	het__given_forget(&launch->on->given[i]);
	return het__cl_set_param(launch->on->cl, (cl_uint)at, i, bytes, value, launch->kernel->name,
				 lane->device->name);
}

static const struct het__param *param_of(const struct het__launch *launch, int i)
{
	return &launch->on->signature->param[i];
}

het_status het__launch_give_kept(const struct het__launch *launch, const struct het__lane *lane)
{
	het_status st = HET_OK;

	for (int i = 0; i < launch->kept && !st; i++) {
		const struct het__bound_arg *const b = &launch->arg[i];

		st = give_at(launch, lane, b->arg, b->at, b->bytes, b->is_mem ? &b->u.mem : b->u.value);
	}
	return st;
}

static const void *bytes_of(const struct het_arg *arg)
{
	switch (arg->kind) {
	case HET_ARG_VALUE: return arg->u.value;
	case HET_ARG_BYTES: return arg->u.pointer;
	default: return NULL;
	}
}

static size_t size_of(const struct het_arg *arg)
{
	return arg->kind == HET_ARG_NULL ? sizeof(cl_mem) : arg->bytes;
}

static inline het_status buffer_of(const struct het__launch *launch, const struct het_arg *given,
				   const struct het__access *a, const het_device *device, cl_mem *mem_p)
{
	const het_status st = het__block_buffer(a->store->block, device->context, device->name,
						a->offset_bytes, a->bytes, mem_p);

	return st ? het__arg_no_buffer(given, param_of(launch, a->arg), a, device, st) : HET_OK;
}

/* Tells a windowed argument where its elements lie; `a` NULL: it is no array. */
static het_status __attribute__((noinline))
give_window(const struct het__launch *launch, const struct het__lane *lane, int i, const struct het__access *a)
{
	struct het__window window = {.base = 0};

	if (a)
		het__access_window(a, &window);
	return give_at(launch, lane, i, param_of(launch, i)->at + 1, sizeof window, &window);
}

void het__launch_forget_blocks(struct het__kernel_on *on, const het_system *system)
{
	for (int i = 0; i < on->signature->count; i++)
		if (on->given[i].block)
			het__given_forget(&on->given[i]);
	on->given_at = system->buffers_freed;
}

static het_status give_all_anew(const struct het__launch *launch, const struct het__args *all);

/* A block's window is always the same, so it is given with the block only. Where other buffers were freed to
 * make this one, arguments before it may have lost theirs. */
het_status het__launch_give_anew(const struct het__launch *launch, const struct het__args *all,
				 const struct het__access *a)
{
	const struct het__param *const param = param_of(launch, a->arg);
	const struct het__lane *const lane = all->device->lane;
	cl_mem mem;
	het_status st = buffer_of(launch, &all->given[a->arg], a, all->device, &mem);

	if (st)
		return het__about_argument(launch->kernel->what, a->arg, st);
	if (launch->on->given_at != lane->system->buffers_freed)
		return give_all_anew(launch, all);
	st = give_at(launch, lane, a->arg, param->at, sizeof mem, &mem);
	if (!st && param->kind == HET__PARAM_WINDOW)
		st = give_window(launch, lane, a->arg, a);
	if (!st) {
		struct het__given *const given = &launch->on->given[a->arg];

		given->block = a->store->block;
		given->offset = a->offset_bytes;
		given->bytes = a->bytes;
	}
	return st;
}

/* This comes to an end: a block has room for as many parts as one launch can need. */
static het_status give_all_anew(const struct het__launch *launch, const struct het__args *all)
{
	het_status st = HET_OK;

	het__launch_forget_blocks(launch->on, all->system);
	for (int i = 0; i < all->count && !st; i++)
		st = het__launch_give_anew(launch, all, &all->access[i]);
	return st;
}

static bool was_given(const struct het__given *last, const struct het_arg *arg, size_t bytes, const void *value)
{
	if (last->block || last->bytes != bytes || last->is_empty != !value)
		return false;
	if (arg->kind == HET_ARG_BYTES)
		return het__structs_equal(last->value, value, bytes);
	return !value || memcmp(last->value, value, bytes) == 0;
}

/* An argument that is no array, where it is not what the kernel was given last. */
static het_status give_other(const struct het__launch *launch, const struct het__lane *lane, int i,
			     const struct het_arg *arg)
{
	struct het__given *const last = &launch->on->given[i];
	const void *const value = bytes_of(arg);
	const size_t bytes = size_of(arg);
	const bool may_keep = !value || bytes <= sizeof last->value;
	het_status st;

	if (may_keep && was_given(last, arg, bytes, value))
		return HET_OK;
	st = give_at(launch, lane, i, param_of(launch, i)->at, bytes, value);
	if (st || !may_keep)
		return st;
	last->bytes = bytes;
	last->is_empty = !value;
	if (value)
		memcpy(last->value, value, bytes);
	return HET_OK;
}

het_status het__launch_give_others(const struct het__launch *launch, const struct het__args *all)
{
	const struct het__lane *const lane = all->device->lane;
	het_status st = HET_OK;

	for (int i = 0; i < all->given_count && !st; i++) {
		const struct het_arg *const arg = &all->given[i];

		if (het__arg_is_array(arg))
			continue;
		st = give_other(launch, lane, i, arg);
		if (!st && param_of(launch, i)->kind == HET__PARAM_WINDOW)
			st = give_window(launch, lane, i, NULL);
	}
	return st;
}

static struct het__bound_arg *keep(struct het__launch *launch, int i, int at, size_t bytes)
{
	struct het__bound_arg *const bound = &launch->arg[launch->kept++];

	*bound = (struct het__bound_arg){.bytes = bytes, .arg = (unsigned char)i, .at = (unsigned char)at};
	return bound;
}

/* Argument i, and its window. `access`: an array's, else NULL. What is no buffer goes to *room. */
static het_status keep_one(struct het__launch *launch, const struct het_arg *arg, int i,
			   const struct het__access *access, const het_device *device, unsigned char **room)
{
	const struct het__param *const param = param_of(launch, i);
	struct het__bound_arg *const bound = keep(launch, i, param->at, access ? sizeof(cl_mem) : size_of(arg));
	het_status st = HET_OK;

	if (access) {
		bound->is_mem = true;
		st = het__about_argument(launch->kernel->what, i,
					 buffer_of(launch, arg, access, device, &bound->u.mem));
		het__cl_buffer_retain(bound->u.mem);
	} else if (bytes_of(arg)) {
		bound->u.value = memcpy(*room, bytes_of(arg), arg->bytes);
		*room += het__arg_room(arg);
	}
	if (!st && param->kind == HET__PARAM_WINDOW) {
		struct het__window window = {.base = 0};

		if (access)
			het__access_window(access, &window);
		keep(launch, i, param->at + 1, sizeof window)->u.value = memcpy(*room, &window, sizeof window);
		*room += sizeof window;
	}
	return st;
}

/* Arguments and range are kept for later. */
het_status het__launch_keep(struct het__task *task, const struct het__args *all, const het_device *device)
{
	const size_t bytes = (size_t)all->given_count * sizeof(struct het__bound_arg) + all->blob_bytes;
	const struct het__access *access = all->access;
	het_status st = het__task_more_payload(task, sizeof(struct het__launch) + bytes);
	struct het__launch *const launch = task->payload;
	unsigned char *room = (unsigned char *)&launch->arg[het__signature_slots(launch->on->signature)];

	for (int i = 0; i < all->given_count && !st; i++) {
		const bool is_array = het__arg_is_array(&all->given[i]);

		st = keep_one(launch, &all->given[i], i, is_array ? access : NULL, device, &room);
		access += is_array;
	}
	if (!st) {
		launch->kept_range = *launch->range;
		launch->range = &launch->kept_range;
	}
	return st;
}
