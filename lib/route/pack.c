/* pack.c - of boxes that are not contiguous: a kernel of the source's device puts their rows together in a
 * buffer beside, which is read in one piece; one of the target's device takes apart what was written in one.
 *
 * A piece goes by staging buffers in parts, each in two steps, as with pinned; in the host's memory the
 * processor packs. A queue that copies go by needs one buffer: it is in order, and the two commands of a step
 * follow each other there. A device has one such queue, or two by turns: where copies come back to the queue of
 * the kernels (lane.c), what was held until then still goes by their own.
 *
 * The kernel is built when a device is opened (het__pack_prepare), for nobody may wait for a compiler when
 * bytes are to be moved; and only where the route may be taken at all.
 */

#include "base/alloc.h"
#include "kernel/kernel.h"
#include "route/route.h"
#include "store/staging.h"
#include "system/prepare.h"

static const char kernel_name[] = "het_pack";
static const char kernel_text[] =
	"kernel void het_pack(global uchar *to, global const uchar *from, uint unit, uint count,\n"
	"                     uint run, uint rows, ulong to_begin, ulong to_row, ulong to_slice,\n"
	"                     ulong from_begin, ulong from_row, ulong from_slice)\n"
	"{\n"
	"	uint i = get_global_id(0), row = i / run % rows, slice = i / run / rows;\n"
	"	ulong along = (ulong)(i % run) * unit;\n"
	"	ulong t = to_begin + slice * to_slice + row * to_row + along;\n"
	"	ulong f = from_begin + slice * from_slice + row * from_row + along;\n"
	"	if (i >= count)\n"
	"		return;\n"
	"	if (unit == 8)\n"
	"		*(global ulong *)(to + t) = *(global const ulong *)(from + f);\n"
	"	else if (unit == 4)\n"
	"		*(global uint *)(to + t) = *(global const uint *)(from + f);\n"
	"	else if (unit == 2)\n"
	"		*(global ushort *)(to + t) = *(global const ushort *)(from + f);\n"
	"	else\n"
	"		to[t] = from[f];\n"
	"}\n";

/* One size for all launches: some drivers compile for each. */
#define GROUP 64

/* ---- what is ready ------------------------------------------------------------------------------ */

struct packer {
	const struct het__kernel_on *on; /* NULL: not ready */
	cl_mem beside;                   /* HET__STAGING_BYTES */
	cl_mem beside_kernels;           /* the same of the kernels' queue, if copies may come back there */
};

struct packers {
	het_kernel *kernel; /* goes with the system's */
	int count;
	struct packer at[]; /* by the device's number; written while it is opened, never changed afterwards */
};

static void release(struct packer *packer)
{
	het__cl_buffer_release(packer->beside);
	het__cl_buffer_release(packer->beside_kernels);
}

static void free_room(het_system *system)
{
	struct packers *const all = system->room[HET__ROOM_ROUTE].state;

	for (int i = 0; i < all->count; i++)
		release(&all->at[i]);
	het__free(all);
	system->room[HET__ROOM_ROUTE].state = NULL;
}

/* NULL without memory. Openers take turns. */
static struct packers *packers_of(het_system *system)
{
	struct het__room_state *const room = &system->room[HET__ROOM_ROUTE];
	const size_t count = (size_t)system->device_count;
	struct packers *all = room->state;

	if (all)
		return all;
	all = het__alloc_zeroed(1, sizeof *all + count * sizeof all->at[0]);
	if (!all)
		return NULL;
	all->count = system->device_count;
	pthread_mutex_lock(&system->lock);
	room->state = all;
	room->free = free_room;
	pthread_mutex_unlock(&system->lock);
	return all;
}

static het_status new_beside(const het_device *device, cl_mem *beside_p)
{
	return het__cl_buffer_create(device->context->cl, HET__STAGING_BYTES, device->name, beside_p);
}

static het_status prepare(het_device *device, bool two_queues, struct packers *all)
{
	struct het__kernel_on *on = NULL;
	struct packer packer = {0};
	het_status st = HET_OK;

	if (!all->kernel)
		st = het_kernel_from_source(device->system, kernel_text, kernel_name, NULL, &all->kernel);
	if (!st)
		st = het__kernel_on(all->kernel, device, &on);
	if (!st)
		st = new_beside(device, &packer.beside);
	if (!st && two_queues)
		st = new_beside(device, &packer.beside_kernels);
	packer.on = on;
	if (st)
		release(&packer);
	else
		all->at[device->index] = packer;
	return st;
}

void het__pack_prepare(het_device *device, bool two_queues)
{
	struct packers *const all = packers_of(device->system);

	if (!all || prepare(device, two_queues, all))
		het__log(device->system->logger, HET_LOG_WARN, "route", "%s does without the route pack: %s",
			 device->name, all ? het__message() : "no memory");
}

static const struct packer *packer_of(const het_device *device)
{
	const struct packers *const all = device->system->room[HET__ROOM_ROUTE].state;

	return all && all->at[device->index].on ? &all->at[device->index] : NULL;
}

/* ---- the choice --------------------------------------------------------------------------------- */

static bool is_ready(const struct het__memory *memory)
{
	return !memory->owner || packer_of(memory->owner);
}

static bool applies(const struct het__hop *hop)
{
	return hop->strided && het__route_pinned.applies(hop) && is_ready(hop->from) && is_ready(hop->to);
}

static const char *nowhere(const het_system *system)
{
	return het__route_pinned.nowhere(system);
}

/* Assumed to be worse than pinned: the bytes are moved once more on each device. */
static double cost_ns(const struct het__hop *hop)
{
	return 10e3 + het__route_pinned.cost_ns(hop) + (double)hop->bytes * 0.05;
}

/* ---- doing it ----------------------------------------------------------------------------------- */

/* The widest unit in which a plan of two repeated dimensions at most can be moved. */
static cl_uint unit_of(const struct het__plan *plan)
{
	size_t all = plan->bytes | plan->a_offset | plan->b_offset;
	cl_uint unit = 8;

	for (int d = 0; d < plan->dims; d++)
		all |= plan->a_pitch[d] | plan->b_pitch[d];
	while (all % unit != 0)
		unit /= 2;
	return unit;
}

/* Where the first unit lies on one side, and how far rows and slices are apart. */
struct side {
	cl_ulong begin, row, slice;
};

static struct side side_of(const struct het__plan *plan, size_t offset, const size_t *pitch)
{
	const int n = plan->dims;

	return (struct side){offset, n > 0 ? pitch[n - 1] : 0, n > 1 ? pitch[0] : 0};
}

#define ARGUMENTS 12

/* 32 bits do for numbers of units: what a task moves fits into a staging buffer. */
static het_status set_arguments(cl_kernel kernel, const char *device, const struct het__plan *plan, cl_mem from,
				cl_mem to)
{
	const int n = plan->dims;
	const cl_uint unit = unit_of(plan), run = (cl_uint)(plan->bytes / unit);
	const cl_uint rows = n > 0 ? (cl_uint)plan->count[n - 1] : 1;
	const cl_uint count = (cl_uint)(plan->total_bytes / unit);
	const struct side a = side_of(plan, plan->a_offset, plan->a_pitch);
	const struct side b = side_of(plan, plan->b_offset, plan->b_pitch);
	const struct {
		size_t bytes;
		const void *value;
	} argument[ARGUMENTS] = {
		{sizeof to, &to},           {sizeof from, &from},     {sizeof unit, &unit},
		{sizeof count, &count},     {sizeof run, &run},       {sizeof rows, &rows},
		{sizeof b.begin, &b.begin}, {sizeof b.row, &b.row},   {sizeof b.slice, &b.slice},
		{sizeof a.begin, &a.begin}, {sizeof a.row, &a.row},   {sizeof a.slice, &a.slice},
	};
	het_status st = HET_OK;

	for (cl_uint i = 0; i < ARGUMENTS && !st; i++)
		st = het__cl_set_arg(kernel, i, argument[i].bytes, argument[i].value, kernel_name, device);
	return st;
}

/* What the commands of one task share. */
struct work {
	struct het__task *task;
	const struct packer *packer;
	cl_mem beside;
	struct het__after after; /* of the first */
};

static cl_mem beside_of(const struct het__lane *lane, const struct packer *packer)
{
	return packer->beside_kernels && lane == lane->device->lane ? packer->beside_kernels : packer->beside;
}

static void note(struct work *work, cl_event event)
{
	het__task_add_event(work->task, event);
	work->after = (struct het__after){0, NULL};
}

static het_status launch(struct work *work, const struct het__plan *plan, cl_mem from, cl_mem to)
{
	const struct het__lane *const lane = work->task->lane;
	const struct het__kernel_on *const on = work->packer->on;
	const size_t units = plan->total_bytes / unit_of(plan);
	const size_t most = on->limits.work_group; /* 0: not known */
	const size_t local = most && most < GROUP ? most : GROUP;
	const size_t global = (units + local - 1) / local * local;
	cl_event event;
	het_status st = set_arguments(on->cl, lane->device->name, plan, from, to);

	if (!st)
		st = het__cl_launch(&lane->queue, on->cl, kernel_name, 1, NULL, &global, &local, work->after,
				    &event);
	if (!st)
		note(work, event);
	return st;
}

static het_status launch_all(struct work *work, const struct het__plan *plan, size_t slices, cl_mem from,
			     cl_mem to)
{
	het_status st = HET_OK;

	for (size_t i = 0; i < slices && !st; i++) {
		struct het__plan slice;

		het__plan_slice(plan, 2, i, &slice);
		st = launch(work, &slice, from, to);
	}
	return st;
}

/* One piece, between the buffer beside and the host's bytes. */
static struct het__plan flat_plan(const struct het__plan *plan, size_t a_offset, size_t b_offset)
{
	return (struct het__plan){.bytes = plan->total_bytes,
				  .total_bytes = plan->total_bytes,
				  .a_offset = a_offset,
				  .b_offset = b_offset};
}

static het_status take(struct work *work, const struct het__copy *copy, size_t slices, cl_mem root)
{
	const struct het__plan flat = flat_plan(&copy->plan, 0, copy->plan.b_offset);
	struct het__plan plan = copy->plan;
	cl_event event;
	het_status st;

	plan.b_offset = 0;
	st = launch_all(work, &plan, slices, root, work->beside);
	if (!st)
		st = het__cl_read(&work->task->lane->queue, work->beside, copy->to->host, &flat,
				  work->after, &event);
	if (!st)
		note(work, event);
	return st;
}

static het_status give(struct work *work, const struct het__copy *copy, size_t slices, cl_mem root)
{
	const struct het__plan flat = flat_plan(&copy->plan, copy->plan.a_offset, 0);
	struct het__plan plan = copy->plan;
	cl_event event;
	het_status st = het__cl_write(&work->task->lane->queue, copy->from->host, work->beside, &flat,
				      work->after, &event);

	if (st)
		return st;
	note(work, event);
	plan.a_offset = 0;
	return launch_all(work, &plan, slices, work->beside, root);
}

/* The host's side is one run: a staging buffer. */
static het_status submit(struct het__task *task, struct het__after after)
{
	const struct het__copy *const copy = task->payload;
	const bool takes = copy->to->host != NULL;
	const size_t slices = het__plan_slices(&copy->plan, 2);
	const struct packer *const packer = packer_of(task->lane->device);
	struct work work = {task, packer, beside_of(task->lane, packer), after};
	cl_mem root = NULL;
	het_status st;

	if (copy->plan.dims == 0)
		return het__route_staged.submit(task, after);
	st = het__task_reserve_events(task, slices + 1);
	if (!st)
		st = het__route_root(takes ? copy->from : copy->to, task->lane, &root);
	if (!st)
		st = takes ? take(&work, copy, slices, root) : give(&work, copy, slices, root);
	return het__task_kept(task, st);
}

const struct het__route het__route_pack = {
	.name = "pack",
	.applies = applies,
	.nowhere = nowhere,
	.cost_ns = cost_ns,
	.submit = submit,
	.through = true,
};
