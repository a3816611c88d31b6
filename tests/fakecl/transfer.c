/* transfer.c - reads, writes, copies: what OpenCL demands of their regions. */
#include <string.h>

#include "fake.h"

static const size_t zero[3] = {0, 0, 0};

/* ---- regions ------------------------------------------------------------------------------------ */

/* One end of a rect call. Pitches of 0 mean: no padding. */
static cl_int set_side(struct side *side, const size_t *origin, const size_t *region, size_t row, size_t slice)
{
	side->row = row ? row : region[0];
	if (side->row < region[0])
		return CL_INVALID_VALUE;
	side->slice = slice ? slice : region[1] * side->row;
	if (side->slice < region[1] * side->row || (slice && slice % side->row))
		return CL_INVALID_VALUE;
	side->offset = origin[2] * side->slice + origin[1] * side->row + origin[0];
	return CL_SUCCESS;
}

static cl_int check_inside(const struct side *side, const size_t *region)
{
	const size_t last = (region[2] - 1) * side->slice + (region[1] - 1) * side->row + region[0];

	if (!side->mem)
		return side->host ? CL_SUCCESS : CL_INVALID_VALUE;
	return side->offset > side->mem->size || last > side->mem->size - side->offset ? CL_INVALID_VALUE
										       : CL_SUCCESS;
}

static cl_int check_region(const struct transfer *t)
{
	cl_int code;

	if (!t->region[0] || !t->region[1] || !t->region[2])
		return CL_INVALID_VALUE;
	code = check_inside(&t->from, t->region);
	return code ? code : check_inside(&t->to, t->region);
}

/* The specification's check_copy_overlap: two regions do not overlap if one ends before the other begins, or if
 * one fits into the gaps between the other's rows or slices. */
static bool overlap_in_order(size_t low, size_t high, const struct transfer *t)
{
	const size_t row = t->from.row, slice = t->from.slice, width = t->region[0];
	const size_t block = (t->region[1] - 1) * row + width;
	const size_t in_row = (high - low) % row, in_slice = (high - low) % slice;

	if (high >= low + (t->region[2] - 1) * slice + block)
		return false;
	if (t->from.row != t->to.row || t->from.slice != t->to.slice)
		return true; /* parts of one buffer: the specification has no finer rule */
	if (in_row >= width && in_row + width <= row)
		return false;
	return in_slice < block || in_slice + block > slice;
}

static cl_int check_overlap(const struct transfer *t)
{
	cl_mem const from = t->from.mem, to = t->to.mem;
	const size_t a = from->origin + t->from.offset, b = to->origin + t->to.offset;

	if (fake_mem_root(from) != fake_mem_root(to))
		return CL_SUCCESS;
	if (from == to && (t->from.row != t->to.row || t->from.slice != t->to.slice))
		return CL_INVALID_VALUE;
	return (a <= b ? overlap_in_order(a, b, t) : overlap_in_order(b, a, t)) ? CL_MEM_COPY_OVERLAP
										: CL_SUCCESS;
}

/* ---- enqueueing --------------------------------------------------------------------------------- */

/* What the caller said besides the transfer. */
struct call {
	cl_command_queue queue;
	cl_command_type type;
	enum fake_run run;
	cl_bool blocking;
	cl_uint count;
	const cl_event *waits;
	cl_event *event_p;
};

static cl_int check_mem(cl_command_queue queue, cl_mem mem, bool copying)
{
	if (!fake_is(mem, MEM))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context)
		return CL_INVALID_CONTEXT;
	return fake_mem_use(mem, queue->device, copying);
}

static cl_int check_access(const struct call *call, const struct transfer *t)
{
	const cl_mem_flags flags = t->from.mem ? t->from.mem->flags : t->to.mem->flags;
	const cl_mem_flags barred = call->run == RUN_READ ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY;

	if (call->run == RUN_COPY)
		return check_overlap(t);
	return flags & (barred | CL_MEM_HOST_NO_ACCESS) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* What NVIDIA's driver makes of a small write: the host's bytes of this moment. */
static void take_early(const struct call *call, cl_event command)
{
	struct transfer *const t = &command->work.transfer;

	if (call->type != CL_COMMAND_WRITE_BUFFER || call->blocking ||
	    t->region[0] > call->queue->device->early_bytes)
		return;
	command->taken = fake_alloc(t->region[0]);
	memcpy(command->taken, t->from.host + t->from.offset, t->region[0]);
	t->from.host = command->taken;
	t->from.offset = 0;
}

static cl_int send(const struct call *call, const struct transfer *t)
{
	const bool copying = call->run == RUN_COPY;
	cl_int code = fake_check_queue(call->queue, call->count, call->waits);
	cl_event command;

	if (!code && (copying || t->from.mem))
		code = check_mem(call->queue, t->from.mem, copying);
	if (!code && (copying || t->to.mem))
		code = check_mem(call->queue, t->to.mem, copying);
	if (!code)
		code = check_region(t);
	if (!code)
		code = check_access(call, t);
	if (code)
		return code;
	command = fake_event_new(call->queue->context, call->queue, call->type, call->run);
	command->work.transfer = *t;
	take_early(call, command);
	if (t->from.mem)
		fake_hold(t->from.mem);
	if (t->to.mem)
		fake_hold(t->to.mem);
	return fake_enqueue(command, call->count, call->waits, call->blocking == CL_TRUE, call->event_p);
}

static struct transfer flat(size_t bytes)
{
	struct transfer t = {.region = {bytes, 1, 1}};

	t.from.row = t.from.slice = t.to.row = t.to.slice = bytes;
	return t;
}

/* ---- the calls ---------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
							 size_t offset, size_t bytes, void *to, cl_uint count,
							 const cl_event *waits, cl_event *event_p)
{
	const struct call call = {queue, CL_COMMAND_READ_BUFFER, RUN_READ, blocking, count, waits, event_p};
	struct transfer t = flat(bytes);
	cl_int code = fake_enter(CALL_clEnqueueReadBuffer);

	t.from.mem = mem;
	t.from.offset = offset;
	t.to.host = to;
	if (!code)
		code = mem ? send(&call, &t) : CL_INVALID_MEM_OBJECT;
	return fake_leave(code);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
							  size_t offset, size_t bytes, const void *from,
							  cl_uint count, const cl_event *waits,
							  cl_event *event_p)
{
	const struct call call = {queue, CL_COMMAND_WRITE_BUFFER, RUN_WRITE, blocking, count, waits, event_p};
	struct transfer t = flat(bytes);
	cl_int code = fake_enter(CALL_clEnqueueWriteBuffer);

	t.from.host = (unsigned char *)(uintptr_t)from;
	t.to.mem = mem;
	t.to.offset = offset;
	if (!code)
		code = mem ? send(&call, &t) : CL_INVALID_MEM_OBJECT;
	return fake_leave(code);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
							 size_t from_offset, size_t to_offset, size_t bytes,
							 cl_uint count, const cl_event *waits,
							 cl_event *event_p)
{
	const struct call call = {queue, CL_COMMAND_COPY_BUFFER, RUN_COPY, CL_FALSE, count, waits, event_p};
	struct transfer t = flat(bytes);
	cl_int code = fake_enter(CALL_clEnqueueCopyBuffer);

	t.from.mem = from;
	t.from.offset = from_offset;
	t.to.mem = to;
	t.to.offset = to_offset;
	return fake_leave(code ? code : send(&call, &t));
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem mem,
							     cl_bool blocking, const size_t *mem_origin,
							     const size_t *host_origin, const size_t *region,
							     size_t mem_row, size_t mem_slice, size_t host_row,
							     size_t host_slice, void *to, cl_uint count,
							     const cl_event *waits, cl_event *event_p)
{
	const struct call call = {queue,  CL_COMMAND_READ_BUFFER_RECT, RUN_READ, blocking, count, waits,
				  event_p};
	struct transfer t = {.from.mem = mem, .to.host = to};
	cl_int code = fake_enter(CALL_clEnqueueReadBufferRect);

	if (!code && (!mem_origin || !host_origin || !region))
		code = CL_INVALID_VALUE;
	memcpy(t.region, code ? zero : region, sizeof t.region);
	if (!code)
		code = set_side(&t.from, mem_origin, region, mem_row, mem_slice);
	if (!code)
		code = set_side(&t.to, host_origin, region, host_row, host_slice);
	if (!code)
		code = mem ? send(&call, &t) : CL_INVALID_MEM_OBJECT;
	return fake_leave(code);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueWriteBufferRect(
	cl_command_queue queue, cl_mem mem, cl_bool blocking, const size_t *mem_origin,
	const size_t *host_origin, const size_t *region, size_t mem_row, size_t mem_slice, size_t host_row,
	size_t host_slice, const void *from, cl_uint count, const cl_event *waits, cl_event *event_p)
{
	const struct call call = {queue,  CL_COMMAND_WRITE_BUFFER_RECT, RUN_WRITE, blocking, count, waits,
				  event_p};
	struct transfer t = {.from.host = (unsigned char *)(uintptr_t)from, .to.mem = mem};
	cl_int code = fake_enter(CALL_clEnqueueWriteBufferRect);

	if (!code && (!mem_origin || !host_origin || !region))
		code = CL_INVALID_VALUE;
	memcpy(t.region, code ? zero : region, sizeof t.region);
	if (!code)
		code = set_side(&t.to, mem_origin, region, mem_row, mem_slice);
	if (!code)
		code = set_side(&t.from, host_origin, region, host_row, host_slice);
	if (!code)
		code = mem ? send(&call, &t) : CL_INVALID_MEM_OBJECT;
	return fake_leave(code);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to,
							     const size_t *from_origin, const size_t *to_origin,
							     const size_t *region, size_t from_row,
							     size_t from_slice, size_t to_row, size_t to_slice,
							     cl_uint count, const cl_event *waits,
							     cl_event *event_p)
{
	const struct call call = {queue,  CL_COMMAND_COPY_BUFFER_RECT, RUN_COPY, CL_FALSE, count, waits,
				  event_p};
	struct transfer t = {.from.mem = from, .to.mem = to};
	cl_int code = fake_enter(CALL_clEnqueueCopyBufferRect);

	if (!code && (!from_origin || !to_origin || !region))
		code = CL_INVALID_VALUE;
	memcpy(t.region, code ? zero : region, sizeof t.region);
	if (!code)
		code = set_side(&t.from, from_origin, region, from_row, from_slice);
	if (!code)
		code = set_side(&t.to, to_origin, region, to_row, to_slice);
	return fake_leave(code ? code : send(&call, &t));
}
