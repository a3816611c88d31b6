/* launch.c - kernels as tasks. */

#include <stdio.h>

#include "launch/give.h"
#include "launch/launch.h"
#include "launch/rehearse.h"

static het_status submit(struct het__task *task, struct het__after after)
{
	const struct het__launch *launch = task->payload;
	const struct het__range *r = launch->range;
	size_t group[3];
	cl_event event = NULL;
	het_status st = het__task_reserve_events(task, 1);

	if (!st && launch->kept)
		st = het__launch_give_kept(launch, task->lane);
	if (!st)
		st = het__cl_launch(&task->lane->queue, launch->on->cl, launch->kernel->name, r->rank,
				    r->offset, r->global,
				    het__range_group(r, task->lane->device, launch->on, group), after,
				    het__task_may_be_quiet(task, after) ? NULL : &event);
	if (event)
		het__task_add_event(task, event);
	else
		task->quiet = !st;
	return st;
}

/* By the host's clock a kernel takes from its submission, or the end of what was before it in the queue, until
 * it is seen to have ended: of kernels whose ends are seen together, the first gets the time of all. */
static void record_time(const struct het__task *task, const struct het__launch *launch)
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
	het__kernel_record(launch->on, ns, by_host, launch->items, launch->size);
	task->lane->device->kernel_ns += ns;
	task->lane->device->timed++;
	if (task->lane->system->watch)
		het__watch_kernel_time(task->lane->system, launch->kernel->name, ns);
}

static void drop(struct het__task *task)
{
	struct het__launch *launch = task->payload;

	if (task->lane->timed)
		record_time(task, launch);
	het__kernel_unuse(launch->kernel);
}

static void drop_held(struct het__task *task)
{
	const struct het__launch *launch = task->payload;

	for (int i = 0; i < launch->kept; i++)
		if (launch->arg[i].is_mem)
			het__cl_buffer_release(launch->arg[i].u.mem);
	drop(task);
}

static void describe(const struct het__task *task, char *text, size_t bytes)
{
	const struct het__launch *launch = task->payload;
	int at = snprintf(text, bytes, "%s on %s", launch->kernel->title, task->lane->device->name);

	for (int i = 0, w = 0; i < HET__ARGS_MOST && at > 0 && (size_t)at < bytes; i++)
		if (launch->written >> i & 1)
			at += snprintf(text + at, bytes - (size_t)at, ", argument %d (%s, written)", i,
				       het__value_of_holder(task->holders.at[w++])->label);
}

static const char *name_of(const struct het__task *task, const char **piece_p)
{
	static const char *const pieces[] = {
		[HET__WHOLE] = NULL, [HET__INTERIOR] = "interior", [HET__EDGE] = "edge"};
	const struct het__launch *launch = task->payload;

	if (piece_p)
		*piece_p = pieces[launch->piece];
	return launch->kernel->name;
}

static const struct het__task_ops ops = {"kernel", name_of, false, submit, NULL, drop, describe};
static const struct het__task_ops held_ops = {"kernel", name_of, false, submit, NULL, drop_held, describe};

static uint64_t items_of(const struct het__range *range)
{
	uint64_t items = 1;

	for (cl_uint d = 0; d < range->rank; d++)
		items *= range->global[d];
	return items;
}

static bool may_be_written(const struct het__param *p)
{
	return (p->kind == HET__PARAM_BUFFER || p->kind == HET__PARAM_WINDOW) && !p->is_const;
}

/* Names the array arguments that a kernel may write to, three at most. False: there are none. */
static bool name_writable(const struct het__args *all, char *text, size_t bytes)
{
	int named = 0;
	size_t at = 0;

	for (int k = 0; k < het__args_arrays(all) && at < bytes; k++) {
		const int i = all->access[k].arg;
		const struct het__param *const p = &all->signature->param[i];

		if (!may_be_written(p))
			continue;
		if (named++ == 3) {
			(void)snprintf(text + at, bytes - at, " and others");
			break;
		}
		at += (size_t)snprintf(text + at, bytes - at, "%sargument %d (%s %s)", named > 1 ? ", " : "", i,
				       p->type_name, p->name);
	}
	return named > 0;
}

/* Warns, once for each kernel and device, of a kernel that might write to an array, but gets all by HET_IN:
 * probably a mistake for HET_OUT or HET_INOUT. */
static __attribute__((cold)) void tell_of_no_result(const struct het__work *work, const struct het__args *all)
{
	char text[512];

	if (work->on->told_of_no_result || !name_writable(all, text, sizeof text))
		return;
	work->on->told_of_no_result = true;
	het__log(work->kernel->system->logger, HET_LOG_WARN, "kernel",
		 "%s: all its arrays are given by HET_IN; what it writes to those that it may write to is "
		 "lost: %s",
		 work->kernel->title, text);
}

static het_status start(const struct het__work *work, struct het__args *all, struct het__ref *ref_p)
{
	struct het__lane *const lane = work->device->lane;
	struct het__launch *launch;
	struct het__task *task;
	struct het__ref ref;
	bool waits;
	het_status st = het__task_new(lane, &ops, HET__SUBMITTED_AT_ONCE, &task);

	if (st)
		return st;
	launch = task->payload;
	launch->kernel = work->kernel;
	launch->on = work->on;
	launch->range = &work->range;
	launch->written = all->written;
	if (!all->written)
		tell_of_no_result(work, all);
	launch->kept = 0;
	launch->items = 0;
	launch->size = work->size;
	launch->piece = work->piece;
	if (lane->timed && work->size > 0) {
		launch->items = items_of(&work->range);
		if (lane->by_host && work->balanced)
			het__task_watch(task);
	}
	het__kernel_use(work->kernel);
	st = het__accesses_order(task, all->access, all->count);
	waits = het__task_must_wait(task);
	if (!st && waits) {
		st = het__launch_keep(task, all, lane->device);
		task->ops = &held_ops;
	} else if (!st) {
		st = het__launch_give(launch, all);
	}
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

/* Malformed arguments are told of before a wrong count. */
static het_status wrong_count(const struct het__args *all)
{
	const struct het__signature *const s = all->signature;
	const bool known = s->count == 0 || s->param[0].kind != HET__PARAM_UNKNOWN;
	const struct het__param *const local = het__signature_local_window(s);
	het_status st = het__args_check(all->what, all->given, all->given_count);

	if (st)
		return st;
	st = het__fail(HET_ERR_SIGNATURE, "%s has %d arguments, but was given %d", all->what, s->count,
		       all->given_count);
	if (!known)
		het__fail_more("; the driver does not tell which of them are windows");
	else if (local)
		het__fail_more("; a HET_WINDOW is of global or constant memory, not local");
	return st;
}

/* The number of the argument that asks for the most local memory; -1: none asks for any. */
static int largest_local(const struct het__args *all)
{
	int largest = -1;

	for (int i = 0; i < all->given_count; i++)
		if (all->given[i].kind == HET_ARG_LOCAL &&
		    (largest < 0 || all->given[i].bytes > all->given[largest].bytes))
			largest = i;
	return largest;
}

/* A size that was a negative number is told as that. */
static __attribute__((cold)) het_status too_much_local(const struct het__args *all, uint64_t bytes)
{
	const unsigned long long most = all->device->facts.local_bytes;
	const char *const device = all->device->name;
	const int i = largest_local(all);
	const size_t largest = i < 0 ? 0 : all->given[i].bytes;
	char text[96] = "";

	if (largest > PTRDIFF_MAX)
		return het__fail_on(HET_ERR_UNSUPPORTED, device,
				    "%s: argument %d is HET_LOCAL(%lld); %s has %llu bytes of local memory",
				    all->what, i, (long long)largest, device, most);
	if (i >= 0)
		(void)snprintf(text, sizeof text, "; the largest HET_LOCAL, argument %d, has %zu", i, largest);
	return het__fail_on(HET_ERR_UNSUPPORTED, device, "%s needs %llu bytes of local memory; %s has %llu%s",
			    all->what, (unsigned long long)bytes, device, most, text);
}

static het_status check_local(const struct het__args *all, const struct het__kernel_on *on)
{
	const uint64_t bytes = het__sum(all->local_bytes, on->limits.local_bytes);
	const uint64_t most = all->device->facts.local_bytes;

	return bytes <= most || most == 0 ? HET_OK : too_much_local(all, bytes);
}

static inline het_status resolve(const struct het__work *work, const struct het_arg *args, int count,
				 struct het__args *all)
{
	struct het__lane *lane;
	het_status st = het__lane_of(work->device, &lane);

	if (st)
		return st;
	all->what = work->kernel->what;
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

/* May wait. Another thread may free the kernel meanwhile; its memory stays. */
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

	return st || !all->lacking || work->range.empty ? st : bring(work, all);
}

het_status het__work_launch(const struct het__work *work, const struct het_arg *args, int count,
			    struct het__args *all, struct het__ref *ref_p)
{
	het_status st = all->brought ? HET_OK : resolve(work, args, count, all);

	if (st || work->range.empty)
		return st;
	if (all->lacking && !all->brought)
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

/* For the kernel's first launch on the device. With the lock, which it drops meanwhile. */
static __attribute__((noinline)) het_status make_ready(struct het__work *work)
{
	het_kernel *const kernel = work->kernel;
	het_system *const system = kernel->system;
	het_status st, late;

	het__kernel_use(kernel);
	system->holding++;
	het__operation_leave(system);
	st = het__device_open(work->device);
	if (!st)
		st = het__kernel_on(kernel, work->device, &work->on);
	late = het__operation_enter(system, kernel->title);
	if (late)
		pthread_mutex_lock(&system->lock); /* `holding` keeps the system there */
	if (!st)
		st = late ? late : het__kernel_check(kernel, kernel->title);
	het__kernel_unuse(kernel);
	het__back(system, &system->holding);
	return st;
}

het_status het_launch_args(het_kernel *kernel, het_device *device, struct het_range range,
			   const struct het_arg *args, int count)
{
	struct het__work work;
	struct het__args all;
	struct het__ref task;
	het_status st = check(kernel, device);

	if (!st && kernel->system->rehearses && !het__is_rehearsed())
		return het__rehearse_launch(kernel, device, &range, args, count);
	if (!st)
		st = het__args_check_count(kernel->title, args, count);
	if (st)
		return het__kernel_refuse(kernel, st);
	st = het__operation_enter(kernel->system, kernel->title);
	if (st)
		return st; /* which is logged; the kernel may be gone */
	work.kernel = kernel;
	work.device = device;
	work.given = &range;
	work.checked = work.balanced = false;
	work.size = 0;
	work.piece = HET__WHOLE;
	all.brought = false;
	st = het__kernel_check(kernel, "het_launch"); /* another thread may have freed it meanwhile */
	if (!st) {
		work.on = het__kernel_built(kernel, device);
		if (!work.on)
			st = make_ready(&work);
	}
	if (!st)
		st = het__range_resolve(&range, kernel, device, work.on, &work.range);
	if (!st)
		st = het__work_launch(&work, args, count, &all, &task);
	return het__operation_leave_with(device->system, st);
}
