/* launch.c - kernels as tasks. */

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kernel/signature.h"
#include "launch/launch.h"

/* One parameter as clSetKernelArg wants it. */
struct bound_arg {
	size_t bytes;
	union {
		const void *value; /* NULL: local memory, or a NULL pointer's place */
		cl_mem mem;
	} u;
	bool is_mem;
	unsigned char arg;         /* the argument's number */
	unsigned char at;          /* the parameter's */
};

_Static_assert(sizeof(struct bound_arg) + sizeof(struct het__window) <= HET__WINDOW_ROOM, "a window is kept");

_Static_assert(HET__ARGS_MOST < HET__CUT_PARTS_MOST, "all of a launch's arguments can be parts of one block");

_Static_assert(sizeof((struct het_arg){0}.u.value) == sizeof((struct het__given){0}.value),
	       "a number has room");

/* What is kept for arguments with windows: twice as many. */
_Static_assert(2 * HET__ARGS_MOST <= UCHAR_MAX, "a parameter's number is a byte");

/* A task's payload. A launch that is submitted at once gives its arguments to the kernel right away, and its
 * range is the caller's; one that is held back keeps both until then, the bytes of values behind `arg`. */
struct launch {
	het_kernel *kernel;
	struct het__kernel_on *on;
	const struct het__range *range; /* good until it is submitted */
	uint64_t written; /* bit i: argument i; the task's first holders are the values, in this order */
	int kept;         /* parameters that are kept */
	uint64_t items;   /* work-items; 0: not timed */
	struct het__range kept_range; /* from here on only when it is held back */
	struct bound_arg arg[];
};
#define SUBMITTED_AT_ONCE offsetof(struct launch, kept_range) /* bytes */

/* Argument i, of which parameter `at` is one. */
static inline het_status give_at(const struct launch *launch, const struct het__lane *lane, int i, int at,
				 size_t bytes, const void *value)
{
	het__given_forget(&launch->on->given[i]);
	return het__cl_set_param(launch->on->cl, (cl_uint)at, i, bytes, value, launch->kernel->name,
				 lane->device->name);
}

static const struct het__param *param_of(const struct launch *launch, int i)
{
	return &launch->on->signature->param[i];
}

/* What a held launch was to give. */
static het_status __attribute__((noinline))
give_kept(const struct launch *launch, const struct het__lane *lane)
{
	het_status st = HET_OK;

	for (int i = 0; i < launch->kept && !st; i++) {
		const struct bound_arg *const b = &launch->arg[i];

		st = give_at(launch, lane, b->arg, b->at, b->bytes, b->is_mem ? &b->u.mem : b->u.value);
	}
	return st;
}

static het_status submit(struct het__task *task, struct het__after after)
{
	const struct launch *launch = task->payload;
	const struct het__range *r = launch->range;
	cl_event event;
	het_status st = het__task_reserve_events(task, 1);

	if (!st && launch->kept)
		st = give_kept(launch, task->lane);
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

	if (task->events.count == 0 || task->cause)
		return;
	if (by_host) {
		const uint64_t now = het__host_ns(), before = task->lane->seen_ns;

		ns = now - (before > task->start_ns ? before : task->start_ns);
		task->lane->seen_ns = now;
	} else {
		ns = het__cl_event_ns(task->events.at[0]);
	}
	het__kernel_record(launch->on, ns, by_host, launch->items);
	task->lane->device->kernel_ns += ns;
	if (task->lane->system->watch)
		het__watch_kernel_time(task->lane->system, launch->kernel->name, ns);
}

static void drop(struct het__task *task)
{
	struct launch *launch = task->payload;

	if (task->lane->timed)
		record_time(task, launch);
	het__kernel_unuse(launch->kernel);
}

static void drop_held(struct het__task *task)
{
	const struct launch *launch = task->payload;

	for (int i = 0; i < launch->kept; i++)
		if (launch->arg[i].is_mem)
			het__cl_buffer_release(launch->arg[i].u.mem);
	drop(task);
}

static void describe(const struct het__task *task, char *text, size_t bytes)
{
	const struct launch *launch = task->payload;
	int at = snprintf(text, bytes, "%s on %s", launch->kernel->title, task->lane->device->name);

	for (int i = 0, w = 0; i < HET__ARGS_MOST && at > 0 && (size_t)at < bytes; i++)
		if (launch->written >> i & 1)
			at += snprintf(text + at, bytes - (size_t)at, ", argument %d (%s, written)", i,
				       het__value_of_holder(task->holders.at[w++])->label);
}

static const char *name_of(const struct het__task *task)
{
	const struct launch *launch = task->payload;

	return launch->kernel->name;
}

static const struct het__task_ops ops = {"kernel", name_of, false, submit, NULL, drop, describe};
static const struct het__task_ops held_ops = {"kernel", name_of, false, submit, NULL, drop_held, describe};

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

/* Where the device takes the host's memory in place, that is not asked before. */
static __attribute__((cold, noinline)) het_status
no_buffer(const struct launch *launch, const struct het_arg *given, const struct het__access *a,
	  const het_device *device, het_status st)
{
	const struct het__param *const param = param_of(launch, a->arg);
	size_t bytes = a->bytes;

	if (st != HET_ERR_DEVICE_MEMORY || device->memory->owner || bytes <= device->facts.max_alloc_bytes)
		return het__fail_within("%s", a->value->label);
	if (param->kind == HET__PARAM_WINDOW)
		bytes = (size_t)het__box_cells(a->value->rank, a->box) * a->value->element_bytes;
	(void)het__too_large(device, bytes);
	het__arg_advise(given, param, a, device);
	return het__fail_within("%s", a->value->label);
}

static inline het_status buffer_of(const struct launch *launch, const struct het_arg *given,
				   const struct het__access *a, const het_device *device, cl_mem *mem_p)
{
	const het_status st = het__block_buffer(a->store->block, device->context, device->name,
						a->offset_bytes, a->bytes, mem_p);

	return st ? no_buffer(launch, given, a, device, st) : HET_OK;
}

/* Where the elements of a windowed argument lie; `a` NULL: it is no array. */
static het_status __attribute__((noinline))
give_window(const struct launch *launch, const struct het__lane *lane, int i, const struct het__access *a)
{
	struct het__window window = {.base = 0};

	if (a)
		het__access_window(a, &window);
	return give_at(launch, lane, i, param_of(launch, i)->at + 1, sizeof window, &window);
}

static void forget_blocks(struct het__kernel_on *on, const het_system *system)
{
	for (int i = 0; i < on->signature->count; i++)
		if (on->given[i].block)
			het__given_forget(&on->given[i]);
	on->given_at = system->buffers_freed;
}

static het_status give_all_anew(const struct launch *launch, const struct het__args *all);

/* An argument that is another one than the last time. A block's window is always the same. Where its buffer is
 * made at the cost of others, arguments before it may have lost theirs. */
static het_status __attribute__((noinline))
give_anew(const struct launch *launch, const struct het__args *all, const struct het__access *a)
{
	const struct het__param *const param = param_of(launch, a->arg);
	const struct het__lane *const lane = all->device->lane;
	cl_mem mem;
	het_status st = buffer_of(launch, &all->given[a->arg], a, all->device, &mem);

	if (st)
		return het__about_argument(launch->kernel->title, a->arg, st);
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

/* There is room now for the parts of blocks that one launch can have. */
static het_status give_all_anew(const struct launch *launch, const struct het__args *all)
{
	het_status st = HET_OK;

	forget_blocks(launch->on, all->system);
	for (int i = 0; i < all->count && !st; i++)
		st = give_anew(launch, all, &all->access[i]);
	return st;
}

/* OpenCL's kernels keep their arguments: what one was given last it need not be given again. */
static inline het_status give_array(const struct launch *launch, const struct het__args *all,
				    const struct het__access *a, const struct het__given *last)
{
	if (last->block == a->store->block && last->offset == a->offset_bytes && last->bytes == a->bytes)
		return HET_OK;
	return give_anew(launch, all, a);
}

static bool was_given(const struct het__given *last, size_t bytes, const void *value)
{
	if (last->block || last->bytes != bytes || last->is_empty != !value)
		return false;
	return !value || memcmp(last->value, value, bytes) == 0;
}

/* An argument that is no array, where it is not what the kernel was given last. */
static het_status give_other(const struct launch *launch, const struct het__lane *lane, int i,
			     const struct het_arg *arg)
{
	struct het__given *const last = &launch->on->given[i];
	const void *const value = bytes_of(arg);
	const size_t bytes = size_of(arg);
	const bool may_keep = arg->kind != HET_ARG_BYTES;
	het_status st;

	if (may_keep && was_given(last, bytes, value))
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

static het_status __attribute__((noinline))
give_others(const struct launch *launch, const struct het__args *all, const struct het__lane *lane)
{
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

/* The kernel gets its arguments. */
static het_status give_all(const struct launch *launch, const struct het__args *all)
{
	struct het__kernel_on *const on = launch->on;

	if (on->given_at != all->system->buffers_freed)
		forget_blocks(on, all->system);
	for (int i = 0; i < all->count; i++) {
		const struct het__access *const a = &all->access[i];
		const het_status st = give_array(launch, all, a, &on->given[a->arg]);

		if (st)
			return st;
	}
	return all->count < all->given_count ? give_others(launch, all, all->device->lane) : HET_OK;
}

static struct bound_arg *keep(struct launch *launch, int i, int at, size_t bytes)
{
	struct bound_arg *const bound = &launch->arg[launch->kept++];

	*bound = (struct bound_arg){.bytes = bytes, .arg = (unsigned char)i, .at = (unsigned char)at};
	return bound;
}

/* Argument i, and its window. `access`: an array's, else NULL. What is no buffer goes to *room. */
static het_status keep_one(struct launch *launch, const struct het_arg *arg, int i,
			   const struct het__access *access, const het_device *device, unsigned char **room)
{
	const struct het__param *const param = param_of(launch, i);
	struct bound_arg *const bound = keep(launch, i, param->at, access ? sizeof(cl_mem) : size_of(arg));
	het_status st = HET_OK;

	if (access) {
		bound->is_mem = true;
		st = het__about_argument(launch->kernel->title, i,
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
static het_status __attribute__((noinline))
keep_all(struct het__task *task, const struct het__args *all, const het_device *device)
{
	const size_t bytes = (size_t)all->given_count * sizeof(struct bound_arg) + all->blob_bytes;
	const struct het__access *access = all->access;
	het_status st = het__task_more_payload(task, sizeof(struct launch) + bytes);
	struct launch *const launch = task->payload;
	unsigned char *room = (unsigned char *)&launch->arg[het__signature_slots(launch->on->signature)];

	task->ops = &held_ops;
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

static uint64_t items_of(const struct het__range *range)
{
	uint64_t items = 1;

	for (cl_uint d = 0; d < range->rank; d++)
		items *= range->global[d];
	return items;
}

static het_status start(const struct het__work *work, struct het__args *all, struct het__ref *ref_p)
{
	struct het__lane *const lane = work->device->lane;
	struct launch *launch;
	struct het__task *task;
	struct het__ref ref;
	bool waits;
	het_status st = het__task_new(lane, &ops, SUBMITTED_AT_ONCE, &task);

	if (st)
		return st;
	launch = task->payload;
	launch->kernel = work->kernel;
	launch->on = work->on;
	launch->range = &work->range;
	launch->written = all->written;
	launch->kept = 0;
	launch->items = 0;
	if (lane->timed && !work->unmeasured) {
		launch->items = items_of(&work->range);
		if (lane->by_host && work->balanced)
			het__task_watch(task);
	}
	het__kernel_use(work->kernel);
	st = het__accesses_order(task, all->access, all->count);
	waits = het__task_must_wait(task);
	if (!st)
		st = waits ? keep_all(task, all, lane->device) : give_all(launch, all);
	if (st) {
		het__task_cancel(task);
		return st;
	}
	ref = het__ref_of(task);
	st = waits ? het__task_start(task) : het__task_start_now(task);
	if (st)
		return st;
	*ref_p = ref;
	het__accesses_commit(ref, all->access, all->count);
	lane->device->launches++;
	return HET_OK;
}

/* Malformed arguments are the first thing to be told of. */
static het_status wrong_count(const struct het__args *all)
{
	const struct het__signature *const s = all->signature;
	const bool known = s->count == 0 || s->param[0].kind != HET__PARAM_UNKNOWN;
	het_status st = het__args_check(all->what, all->given, all->given_count);

	return st ? st : het__fail(HET_ERR_SIGNATURE, "%s has %d arguments, but was given %d%s", all->what,
				   s->count, all->given_count,
				   known ? "" : "; the driver does not tell which of them are windows");
}

static het_status check_local(const struct het__args *all, const struct het__kernel_on *on)
{
	const uint64_t bytes = het__sum(all->local_bytes, on->limits.local_bytes);
	const uint64_t most = all->device->facts.local_bytes;

	if (bytes <= most || most == 0)
		return HET_OK;
	return het__fail_on(HET_ERR_UNSUPPORTED, all->device->name,
			    "%s needs %llu bytes of local memory; %s has %llu", all->what,
			    (unsigned long long)bytes, all->device->name, (unsigned long long)most);
}

static inline het_status resolve(const struct het__work *work, const struct het_arg *args, int count,
				 struct het__args *all)
{
	struct het__lane *lane;
	het_status st = het__lane_of(work->device, &lane);

	if (st)
		return st;
	all->what = work->kernel->title;
	all->system = work->device->system;
	all->device = work->device;
	all->memory = work->device->memory;
	all->signature = work->on->signature;
	all->range = work->given;
	all->checked = work->checked;
	all->given = args;
	all->given_count = count;
	st = count == all->signature->count ? het__args_resolve(all) : wrong_count(all);
	return st || (all->local_bytes | work->on->limits.local_bytes) == 0 ? st : check_local(all, work->on);
}

het_status het__work_resolve(const struct het__work *work, const struct het_arg *args, int count,
			     struct het__args *all)
{
	return resolve(work, args, count, all);
}

/* May wait; meanwhile the kernel stays, but another thread may free it. */
static het_status bring(const struct het__work *work, struct het__args *all)
{
	struct het__doing doing;
	het_status st;

	het__doing(&doing, all->system, "het_launch", "uses", work->kernel->name);
	het__kernel_use(work->kernel);
	st = het__args_bring(all, work->device->lane);
	if (!st)
		st = het__kernel_check(work->kernel, "het_launch");
	het__kernel_unuse(work->kernel);
	het__doing_end(&doing);
	return st;
}

het_status het__work_bring(const struct het__work *work, const struct het_arg *args, int count,
			   struct het__args *all)
{
	het_status st = resolve(work, args, count, all);

	return st || all->ready || work->range.empty ? st : bring(work, all);
}

het_status het__work_launch(const struct het__work *work, const struct het_arg *args, int count,
			    struct het__args *all, struct het__ref *ref_p)
{
	het_status st = all->brought ? HET_OK : resolve(work, args, count, all);

	if (st || work->range.empty)
		return st;
	if (!all->ready && !all->brought)
		st = bring(work, all);
	return st ? st : start(work, all, ref_p);
}

/* That the system is this process's is seen when its lock is taken. */
static het_status check(het_kernel *kernel, het_device *device)
{
	het_status st = het__kernel_check(kernel, "het_launch");

	if (!st && !het__is_device(device))
		st = het__device_complain(device, kernel->title);
	if (!st && device->system != kernel->system)
		st = het__fail(HET_ERR_HANDLE, "%s belongs to another system than %s", kernel->title,
			       device->name);
	return st;
}

/* The kernel's first launch on the device: makes both ready before. */
static __attribute__((noinline)) het_status
launch_first(const struct het__work *work, const struct het_arg *args, int count)
{
	het_system *const system = work->device->system;
	struct het__kernel_on *on;
	het_status st = het__hold(system, work->kernel->title);

	if (st)
		return st;
	st = het__device_open(work->device);
	if (!st)
		st = het__kernel_on(work->kernel, work->device, &on);
	if (!st)
		st = het_launch_args(work->kernel, work->device, *work->given, args, count);
	return het__let_go(system, st);
}

het_status het_launch_args(het_kernel *kernel, het_device *device, struct het_range range,
			   const struct het_arg *args, int count)
{
	struct het__work work;
	struct het__args all;
	struct het__ref task;
	het_status st = check(kernel, device);

	if (!st)
		st = het__args_check_count(kernel->title, args, count);
	if (st)
		return st;
	work.kernel = kernel;
	work.device = device;
	work.given = &range;
	work.checked = work.unmeasured = work.balanced = false;
	work.on = het__kernel_built(kernel, device);
	if (!work.on)
		return launch_first(&work, args, count);
	all.brought = false;
	st = het__range_resolve(&range, kernel, device, work.on, &work.range);
	if (!st)
		st = het__operation_enter(kernel->system, kernel->title);
	if (st)
		return st;
	st = het__kernel_check(kernel, "het_launch"); /* this thread may have waited for room */
	if (!st)
		st = het__work_launch(&work, args, count, &all, &task);
	het__operation_leave(device->system);
	return st;
}
