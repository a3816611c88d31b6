/* call.c - functions of the user's as tasks: host functions, and native OpenCL code.
 *
 * Both run on the user lane's thread without the lock. What a native function enqueues has finished when its
 * task ends: a marker in the device's queue, and the event it returns, are waited for there.
 */

#include <stdio.h>
#include <string.h>

#include <hetero/opencl.h>

#include "launch/args.h"

/* `device` NULL: the host. */
static het_status resolve(struct het__args *all, const char *what, het_system *system, het_device *device,
			  const struct het_arg *args, int count)
{
	all->what = what;
	all->system = system;
	all->device = device;
	all->memory = device ? device->memory : NULL;
	all->signature = NULL;
	all->range = NULL;
	all->checked = false;
	all->given = args;
	all->given_count = count;
	return het__args_resolve(all);
}

/* " that writes y and 2 more": a function of the user's has no name itself. */
struct about {
	char text[96];
};

/* Names what is written while the lock keeps names as they are. */
static struct about about_written(const struct het__args *all)
{
	const struct het__value *first = NULL;
	struct about about = {""};
	int written = 0;

	for (int i = 0; i < all->count; i++)
		if (all->access[i].mode != HET__ACCESS_IN) {
			first = first ? first : all->access[i].value;
			written++;
		}
	if (written == 1)
		snprintf(about.text, sizeof about.text, " that writes %s", first->label);
	else if (written > 1)
		snprintf(about.text, sizeof about.text, " that writes %s and %d more", first->label,
			 written - 1);
	return about;
}

struct call {
	het_host_fn fn;
	void *user;
	int count;
	struct about about;
	struct het_host_arg arg[];
};

static het_status run_call(struct het__task *task)
{
	const struct call *call = task->payload;
	het_status st = call->fn(call->user, call->count, call->arg);

	if (!st)
		return HET_OK;
	return het__fail(st, "a host function%s returned %d (%s)", call->about.text, (int)st,
			 het_status_string(st));
}

static const struct het__task_ops call_ops = {"host function", NULL, false, NULL, run_call, NULL, NULL};

static void bind_host_array(struct het_host_arg *out, const struct het_arg *given,
			    const struct het__access *access)
{
	const struct het__value *value = access->value;
	const struct het__store *home = access->store;
	unsigned char *data = home->block->host;

	out->box.rank = value->rank;
	out->box.given = 2 * value->rank;
	for (int d = 0; d < value->rank; d++) {
		out->box.lo[d] = access->box->lo[d];
		out->box.hi[d] = access->box->hi[d];
		out->pitch_bytes[d] = home->layout.pitch_bytes[d];
		if (given->kind == HET_ARG_PACKED)
			data += (size_t)access->box->lo[d] * home->layout.pitch_bytes[d];
	}
	out->data = data;
}

/* Where the values' bytes lie behind a call of so many arguments: aligned for every type, as het__arg_room
 * keeps them. */
static size_t values_at(int count)
{
	return (sizeof(struct call) + (size_t)count * sizeof(struct het_host_arg) + 15) / 16 * 16;
}

static void bind_host_values(struct call *call, const struct het_arg *args)
{
	unsigned char *blob = (unsigned char *)call + values_at(call->count);

	for (int i = 0; i < call->count; i++) {
		memset(&call->arg[i], 0, sizeof call->arg[i]);
		if (args[i].kind != HET_ARG_VALUE && args[i].kind != HET_ARG_BYTES)
			continue;
		memcpy(blob, args[i].kind == HET_ARG_VALUE ? args[i].u.value : args[i].u.pointer,
		       args[i].bytes);
		call->arg[i].data = blob;
		call->arg[i].bytes = args[i].bytes;
		blob += het__arg_room(&args[i]);
	}
}

static het_status start_call(het_host_fn fn, void *user, struct het__args *all, struct het__lane *lane)
{
	struct het__task *task;
	struct call *call;
	het_status st = het__task_new(lane, &call_ops, values_at(all->given_count) + all->blob_bytes, &task);

	if (st)
		return st;
	call = task->payload;
	call->fn = fn;
	call->user = user;
	call->count = all->given_count;
	bind_host_values(call, all->given);
	call->about = about_written(all);
	for (int i = 0; i < all->count; i++)
		bind_host_array(&call->arg[all->access[i].arg], &all->given[all->access[i].arg],
				&all->access[i]);
	st = het__args_start(all, task);
	if (!st)
		lane->system->count.host_calls++;
	return st;
}

/* The arguments of a function that is no kernel. */
static het_status check_args(const char *what, const struct het_arg *args, int count)
{
	het_status st = het__args_check(what, args, count);

	for (int i = 0; i < count && !st; i++)
		if (args[i].kind == HET_ARG_LOCAL)
			st = het__fail(HET_ERR_ARGUMENT, "%s, argument %d: local memory is for kernels", what,
				       i);
	return st;
}

het_status het_call_args(het_system *system, het_host_fn fn, void *user, const struct het_arg *args, int count)
{
	struct het__doing doing;
	struct het__args all;
	struct het__lane *lane;
	het_status st = fn ? HET_OK : het__fail(HET_ERR_ARGUMENT, "het_call: the function is NULL");

	if (!st)
		st = check_args("het_call", args, count);
	if (!st)
		st = het__operation_enter(system, "het_call");
	if (st)
		return het__refuse(system, st);
	het__doing(&doing, system, "het_call", "uses", "");
	st = het__lane_user(system, &lane);
	if (!st)
		st = resolve(&all, "het_call", system, NULL, args, count);
	if (!st)
		st = het__args_bring(&all, NULL);
	if (!st)
		st = start_call(fn, user, &all, lane);
	het__doing_end(&doing);
	return het__operation_leave_with(system, st);
}

struct native {
	het_native_fn fn;
	void *user;
	struct het__lane *device_lane;
	struct het__queue queue; /* the device lane's at the call: that may get another one */
	struct about about;
	int count;
	cl_mem buffer[HET__ARGS_MOST];
	size_t offset[HET__ARGS_MOST];
};

/* What the function enqueued in the device's queue lies before the marker. Where no marker can be had, this
 * waits for all of the queue: until then the function's commands may use its arguments. */
static het_status mark_queue(const struct het__lane *lane, const struct het__queue *queue, cl_event *event_p)
{
	const struct het__after nothing = {0, NULL};
	het_status st;

	*event_p = NULL;
	het__driver_lock(lane->device);
	st = het__cl_marker(queue, nothing, event_p);
	if (!st)
		st = het__cl_flush(queue);
	if (st) {
		(void)het__cl_finish(queue);
		het__cl_event_release(*event_p);
	}
	het__driver_unlock(lane->device);
	return st;
}

/* Waits for the event and releases it; `what` names it in errors. */
static het_status wait_for(const struct native *native, cl_event event, const char *what)
{
	const struct het__lane *const lane = native->device_lane;
	het_status st = HET_OK;
	int code = 0;

	het__lane_wait_event(lane, event);
	if (het__cl_event_poll(event, &code) != HET__EVENT_DONE)
		st = het__fail_cl(HET_ERR_DEVICE, code, what, lane->device->name, "a native function%s failed",
				  native->about.text);
	het__cl_event_release(event);
	return st;
}

static het_status wait_for_queue(const struct native *native)
{
	cl_event event;
	const het_status st = mark_queue(native->device_lane, &native->queue, &event);

	return st ? st : wait_for(native, event, "a native function's commands");
}

/* The event that the function returned may be of a queue that the program has not flushed, or has released, so
 * that nobody else may flush it. The driver does, where it is asked to wait. */
static het_status wait_for_own(const struct native *native, cl_event event)
{
	het__cl_event_wait(event);
	return wait_for(native, event, "a native function's event");
}

static het_status run_native(struct het__task *task)
{
	const struct native *native = task->payload;
	struct het__lane *lane = native->device_lane;
	cl_event event = NULL;
	struct het_native_info info = {lane->context->cl, lane->device->id, native->queue.cl, native->count,
	                               native->buffer, native->offset, 0, NULL, &event};
	het_status st, waited;

	het__lane_native_begins(lane);
	st = native->fn(native->user, &info);
	waited = wait_for_queue(native); /* also after an error: its commands may use the buffers */
	if (event) {
		const het_status own = wait_for_own(native, event);

		waited = own ? own : waited;
	}
	het__lane_native_ends(lane);
	if (st)
		return het__fail(st, "a native function on %s%s returned %d (%s)", lane->device->name,
				 native->about.text, (int)st, het_status_string(st));
	return waited;
}

static void drop_native(struct het__task *task)
{
	const struct native *native = task->payload;

	for (int i = 0; i < native->count; i++)
		het__cl_buffer_release(native->buffer[i]);
}

static const struct het__task_ops native_ops = {"native function", NULL,        false, NULL,
						run_native,        drop_native, NULL};

static het_status bind_native(struct native *native, const struct het__args *all)
{
	const het_device *device = native->device_lane->device;

	native->queue = native->device_lane->queue;
	native->about = about_written(all);
	memset(native->buffer, 0, sizeof native->buffer);
	memset(native->offset, 0, sizeof native->offset);
	for (int i = 0; i < all->count; i++) {
		const struct het__access *a = &all->access[i];
		het_status st = het__block_buffer(a->store->block, device->context, device->name,
						  a->offset_bytes, a->bytes, &native->buffer[a->arg]);

		if (st)
			st = het__arg_no_buffer(&all->given[a->arg], &het__param_of_function, a, device, st);
		if (st)
			return het__about_argument(all->what, a->arg, st);
		het__cl_buffer_retain(native->buffer[a->arg]);
		for (int d = 0; d < a->value->rank && all->given[a->arg].kind == HET_ARG_ARRAY; d++)
			native->offset[a->arg] += (size_t)a->box->lo[d] * a->store->layout.pitch_bytes[d] /
						       a->value->element_bytes;
	}
	return HET_OK;
}

static het_status start_native(const struct native *model, struct het__args *all, struct het__lane *lane)
{
	struct het__task *task;
	het_status st = het__task_new(lane, &native_ops, sizeof *model, &task);

	if (st)
		return st;
	*(struct native *)task->payload = *model;
	st = bind_native(task->payload, all);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	st = het__args_start(all, task);
	if (!st)
		lane->system->count.host_calls++;
	return st;
}

static het_status native_locked(struct native *model, het_device *device, const struct het_arg *args, int count)
{
	struct het__args all;
	struct het__lane *lane;
	het_status st = het__lane_of(device, &model->device_lane);

	if (!st)
		st = het__lane_user(device->system, &lane);
	if (!st)
		st = resolve(&all, "het_native", device->system, device, args, count);
	if (!st)
		st = het__args_bring(&all, model->device_lane);
	return st ? st : start_native(model, &all, lane);
}

static het_status open_and_call(het_device *device, het_native_fn fn, void *user, const struct het_arg *args,
				int count)
{
	struct native model;
	struct het__doing doing;
	het_status st = het__device_open(device);

	if (!st)
		st = het__operation_enter(device->system, "het_native");
	if (st)
		return st;
	model.fn = fn;
	model.user = user;
	model.count = count;
	het__doing(&doing, device->system, "het_native", "uses", "");
	st = native_locked(&model, device, args, count);
	het__doing_end(&doing);
	return het__operation_leave_with(device->system, st);
}

het_status het_native_args(het_device *device, het_native_fn fn, void *user, const struct het_arg *args,
			   int count)
{
	het_status st = het__device_check(device, "het_native");

	if (!st && !fn)
		st = het__fail(HET_ERR_ARGUMENT, "het_native: the function is NULL");
	if (!st)
		st = check_args("het_native", args, count);
	if (!st)
		st = het__hold(device->system, "het_native");
	if (st)
		return het__device_refuse(device, st);
	return het__let_go(device->system, open_and_call(device, fn, user, args, count));
}
