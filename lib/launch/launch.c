/* launch.c - kernels as tasks. */

#include <stdio.h>
#include <string.h>

#include "launch/args.h"
#include "launch/range.h"

/* One argument as clSetKernelArg wants it. */
struct bound_arg {
	size_t bytes;
	const void *value;                 /* NULL: local memory, or a NULL pointer's place */
	cl_mem mem;
	const struct het__value *written;  /* for messages: what the kernel writes */
};

/* A task's payload; the arguments' values lie behind `arg`. */
struct launch {
	het_kernel *kernel;
	struct het__kernel_on *on;
	struct het__range range;
	int count;
	struct bound_arg arg[];
};

static het_status check_value(const struct het_arg *a, const struct het__param *p, const char *title, int i)
{
	bool real = HET_TYPE_BASE(p->type) == HET_BASE_REAL;

	if (!p->type)
		return HET_OK;
	if (a->bytes != HET_TYPE_BYTES(p->type))
		return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s %s) was given %zu bytes; it has %zu",
				 title, i, p->type_name, p->name, a->bytes, HET_TYPE_BYTES(p->type));
	if (a->kind == HET_ARG_VALUE && (HET_TYPE_BASE(a->value_type) == HET_BASE_REAL) != real)
		return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s %s) was given %s number", title, i,
				 p->type_name, p->name, real ? "an integer" : "a floating-point");
	return HET_OK;
}

static het_status wrong_kind(const struct het__param *p, const char *title, int i, const char *given)
{
	return het__fail(HET_ERR_SIGNATURE, "%s: argument %d (%s %s) was given %s", title, i, p->type_name,
			 p->name, given);
}

static het_status check_argument(const struct het_arg *a, const struct het__param *p, const char *title, int i)
{
	static const char *const names[] = {"",      "an array",     "a packed view", "a value",
					    "bytes", "local memory", "NULL"};
	bool fits = false;

	if (p->kind == HET__PARAM_UNKNOWN)
		return HET_OK;
	switch (a->kind) {
	case HET_ARG_ARRAY:
	case HET_ARG_PACKED:
		if (p->kind == HET__PARAM_BUFFER && p->is_const && a->mode != HET_MODE_IN)
			return het__fail(HET_ERR_SIGNATURE,
					 "%s: argument %d (%s %s) is const in the kernel, but given as %s",
					 title, i, p->type_name, p->name,
					 a->mode == HET_MODE_OUT ? "out" : "inout");
		fits = p->kind == HET__PARAM_BUFFER;
		break;
	case HET_ARG_NULL:
		fits = p->kind == HET__PARAM_BUFFER;
		break;
	case HET_ARG_LOCAL:
		fits = p->kind == HET__PARAM_LOCAL;
		break;
	case HET_ARG_VALUE:
	case HET_ARG_BYTES:
		if (p->kind == HET__PARAM_VALUE)
			return check_value(a, p, title, i);
		break;
	}
	return fits ? HET_OK : wrong_kind(p, title, i, names[a->kind]);
}

/* Malformed arguments are the first thing to be told of. */
static het_status wrong_count(const het_kernel *kernel, const struct het__signature *signature,
                              const struct het_arg *args, int count)
{
	het_status st = het__args_check(kernel->title, args, count);

	return st ? st : het__fail(HET_ERR_SIGNATURE, "%s has %d arguments, but was given %d", kernel->title,
	                           signature->count, count);
}

/* An array for a pointer that may be used so: no need to look closer. */
static bool plainly_fits(const struct het_arg *a, const struct het__param *p)
{
	return p->kind == HET__PARAM_BUFFER && (a->kind == HET_ARG_ARRAY || a->kind == HET_ARG_PACKED) &&
	       (a->mode == HET_MODE_IN ||
		(!p->is_const && (a->mode == HET_MODE_OUT || a->mode == HET_MODE_INOUT)));
}

static het_status check_signature(const het_kernel *kernel, const het_device *device,
				  const struct het__kernel_on *on, const struct het_arg *args, int count)
{
	uint64_t local = on->limits.local_bytes;

	if (count != on->signature->count)
		return wrong_count(kernel, on->signature, args, count);
	for (int i = 0; i < count; i++) {
		const struct het__param *param = &on->signature->param[i];
		het_status st;

		if (plainly_fits(&args[i], param))
			continue;
		st = het__arg_check(kernel->title, &args[i], i);
		if (!st)
			st = check_argument(&args[i], param, kernel->title, i);
		if (st)
			return st;
		local += args[i].kind == HET_ARG_LOCAL ? args[i].bytes : 0;
	}
	if (device->facts.local_bytes && local > device->facts.local_bytes)
		return het__fail(HET_ERR_UNSUPPORTED, "%s needs %llu bytes of local memory; %s has %llu",
				 kernel->title, (unsigned long long)local, device->name,
				 (unsigned long long)device->facts.local_bytes);
	return HET_OK;
}

static het_status submit(struct het__task *task, struct het__after after)
{
	const struct launch *launch = task->payload;
	const struct het__range *r = &launch->range;
	const char *device = task->lane->device->name;
	cl_event event;
	het_status st = het__task_reserve_events(task, 1);

	for (int i = 0; i < launch->count && !st; i++)
		st = het__cl_set_arg(launch->on->cl, (cl_uint)i, launch->arg[i].bytes,
				     launch->arg[i].mem ? &launch->arg[i].mem : launch->arg[i].value,
				     launch->kernel->name, device);
	if (!st)
		st = het__cl_launch(&task->lane->queue, launch->on->cl, launch->kernel->name, r->rank,
				    r->offset, r->global, r->has_local ? r->local : NULL, after, &event);
	if (!st)
		het__task_add_event(task, event);
	return st;
}

/* By the host's clock a kernel takes from its submission, or the end of what was before it in the queue, until
 * it is seen to have ended: of kernels that are seen together the first gets the time of all. */
static void record_time(const struct het__task *task, const struct launch *launch)
{
	const bool by_host = task->start_ns != 0;
	uint64_t ns;

	if (by_host) {
		const uint64_t now = het__host_ns(), before = task->lane->seen_ns;

		ns = now - (before > task->start_ns ? before : task->start_ns);
		task->lane->seen_ns = now;
	} else {
		ns = het__cl_event_ns(task->events.at[0]);
	}
	het__kernel_record(launch->on, ns, by_host);
	task->lane->device->kernel_ns += ns;
}

static void drop(struct het__task *task)
{
	struct launch *launch = task->payload;

	if (task->lane->system->profile && task->events.count && !task->cause)
		record_time(task, launch);
	het__kernel_unuse(launch->kernel);
}

static void describe(const struct het__task *task, char *text, size_t bytes)
{
	const struct launch *launch = task->payload;
	int at = snprintf(text, bytes, "%s on %s", launch->kernel->title, task->lane->device->name);

	for (int i = 0; i < launch->count && at > 0 && (size_t)at < bytes; i++)
		if (launch->arg[i].written)
			at += snprintf(text + at, bytes - (size_t)at, ", argument %d (%s, written)", i,
			               launch->arg[i].written->label);
}

static const struct het__task_ops ops = {"kernel", submit, NULL, drop, describe};

static het_status bind_array(struct bound_arg *bound, const struct het__access *a, const het_device *device)
{
	bound->bytes = sizeof bound->mem;
	bound->value = NULL;
	bound->written = a->mode != HET__ACCESS_IN ? a->value : NULL;
	return het__block_buffer(a->store->block, device->context, device->name, a->offset_bytes, a->bytes,
				 &bound->mem);
}

/* Values are copied to `blob`, which is moved on. */
static void bind_value(struct bound_arg *bound, const struct het_arg *arg, unsigned char **blob)
{
	bound->bytes = arg->kind == HET_ARG_NULL ? sizeof bound->mem : arg->bytes;
	bound->value = NULL;
	bound->mem = NULL;
	bound->written = NULL;
	if (arg->kind == HET_ARG_NULL || arg->kind == HET_ARG_LOCAL)
		return;
	bound->value = memcpy(*blob, arg->kind == HET_ARG_VALUE ? arg->u.value : arg->u.pointer, arg->bytes);
	*blob += het__arg_room(arg);
}

/* The accesses are in the order of the arguments. */
static het_status bind(struct launch *launch, const struct het__args *all, const het_device *device)
{
	unsigned char *blob = (unsigned char *)&launch->arg[launch->count];
	const struct het__access *access = all->access;
	het_status st = HET_OK;

	for (int i = 0; i < launch->count && !st; i++)
		if (all->given[i].kind <= HET_ARG_PACKED)
			st = bind_array(&launch->arg[i], access++, device);
		else
			bind_value(&launch->arg[i], &all->given[i], &blob);
	return st;
}

static het_status start(const struct launch *model, struct het__args *all, struct het__lane *lane)
{
	size_t bytes = sizeof *model + (size_t)all->given_count * sizeof model->arg[0] + all->blob_bytes;
	struct het__task *task;
	struct launch *launch;
	het_status st = het__task_new(lane, &ops, bytes, &task);

	if (st)
		return st;
	launch = task->payload;
	*launch = *model;
	launch->count = all->given_count;
	het__kernel_use(launch->kernel);
	st = bind(launch, all, lane->device);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	st = het__args_start(all, task);
	if (!st) {
		lane->system->count.launches++;
		lane->device->launches++;
	}
	return st;
}

static het_status launch_locked(const struct launch *model, het_device *device, const struct het_arg *args,
				int count)
{
	struct het__args all;
	struct het__lane *lane;
	het_status st = het__lane_of(device, &lane);

	if (st)
		return st;
	het__lane_reap_some(lane);
	st = het__args_resolve(&all, device->system, model->kernel->title, args, count);
	if (st || model->range.empty)
		return st;
	st = het__args_place(&all, device, model->on->signature, lane);
	return st ? st : start(model, &all, lane);
}

het_status het_launch_args(het_kernel *kernel, het_device *device, struct het_range range,
			   const struct het_arg *args, int count)
{
	struct launch model;
	het_status st = het__kernel_check(kernel, "het_launch");

	if (!st)
		st = het__device_check(device, kernel->title);
	if (!st && device->system != kernel->system)
		st = het__fail(HET_ERR_HANDLE, "%s belongs to another system than %s", kernel->title,
			       device->name);
	if (!st)
		st = het__args_check_count(kernel->title, args, count);
	if (!st)
		st = het__device_open(device);
	if (!st)
		st = het__kernel_on(kernel, device, &model.on);
	if (!st)
		st = het__range_resolve(&range, kernel, device, model.on, &model.range);
	if (!st)
		st = check_signature(kernel, device, model.on, args, count);
	if (!st)
		st = het__operation_enter(kernel->system);
	if (st)
		return st;
	model.kernel = kernel;
	st = launch_locked(&model, device, args, count);
	het__operation_leave(device->system);
	return st;
}
