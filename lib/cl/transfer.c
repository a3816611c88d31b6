/* transfer.c - commands that move bytes: read, write, copy, each by plan.
 *
 * A plan of one run becomes the plain call. One or two repeated dimensions become the Rect call, whose
 * rows are the runs: the last repeated dimension is y, the one before it z. Rect calls have no byte
 * offset, only an origin, so the offset is written as (x, y, z) in the side's own pitches: that is how
 * every other program calls them, and no coordinate outgrows what a driver keeps it in.
 */
#include "cl/check.h"

#include "base/error.h"

/* One side of a Rect call. A slice pitch of 0 means none: there is only one slice. */
struct side {
	size_t row, slice;
	size_t origin[3];
};

struct rect {
	size_t region[3];
	struct side a, b;
};

static void side_init(struct side *side, int dims, const size_t *pitch, size_t offset)
{
	side->row = pitch[dims - 1];
	side->slice = dims == 2 ? pitch[0] : 0;
	side->origin[2] = side->slice ? offset / side->slice : 0;
	offset -= side->origin[2] * side->slice;
	side->origin[1] = offset / side->row;
	side->origin[0] = offset % side->row;
}

static void rect_init(struct rect *rect, const struct het__plan *plan)
{
	const int dims = plan->dims;

	rect->region[0] = plan->bytes;
	rect->region[1] = plan->count[dims - 1];
	rect->region[2] = dims == 2 ? plan->count[0] : 1;
	side_init(&rect->a, dims, plan->a_pitch, plan->a_offset);
	side_init(&rect->b, dims, plan->b_pitch, plan->b_offset);
}

/* The rule of OpenCL: rows do not overlap, slices do not overlap and are whole rows apart. And a row that
 * starts at an offset's x ends before the next one starts: where it does not (padding that is no multiple
 * of the row pitch) PoCL takes a copy within one buffer for an overlapping one. */
static bool pitches_fit(const struct het__plan *plan, const size_t *pitch, size_t offset)
{
	const size_t row = pitch[plan->dims - 1];

	if (row < plan->bytes || row == 0 || offset % row + plan->bytes > row)
		return false;
	return plan->dims == 1 || (pitch[0] % row == 0 && pitch[0] / row >= plan->count[1]);
}

bool het__cl_plan_fits(const struct het__plan *plan)
{
	if (plan->dims == 0 || plan->total_bytes == 0)
		return true;
	return plan->dims <= 2 && pitches_fit(plan, plan->a_pitch, plan->a_offset) &&
	       pitches_fit(plan, plan->b_pitch, plan->b_offset);
}

static het_status unfit(const struct het__queue *queue, const char *call, const struct het__plan *plan)
{
	return het__fail_on(HET_ERR_UNSUPPORTED, queue->device,
	                    "%s on %s: %d repeated dimensions with pitches %zu, %zu and %zu, %zu are no "
	                    "rectangle of OpenCL",
	                    call, queue->device, plan->dims, plan->a_pitch[0], plan->a_pitch[1],
	                    plan->b_pitch[0], plan->b_pitch[1]);
}

/* How every command here ends; `event` is NULL when none was wanted. */
static het_status sent(cl_int code, const char *call, const struct het__queue *queue,
                       const struct het__plan *plan, cl_event event, cl_event *event_p)
{
	if (code != CL_SUCCESS)
		return het__cl_failed(code, call, queue->device, "transfer of %zu bytes", plan->total_bytes);
	if (event_p)
		*event_p = event;
	return HET_OK;
}

het_status het__cl_read(const struct het__queue *queue, cl_mem source, void *target,
                        const struct het__plan *plan, struct het__after after, cl_event *event_p)
{
	static const size_t start[3] = {0, 0, 0};
	char *const to = (char *)target + plan->b_offset;
	cl_event event = NULL, *const want = event_p ? &event : NULL;
	struct rect r;
	cl_int code;

	if (plan->total_bytes == 0)
		return het__cl_marker(queue, after, event_p);
	if (plan->dims == 0) {
		code = clEnqueueReadBuffer(queue->cl, source, CL_FALSE, plan->a_offset, plan->bytes, to,
		                           after.count, after.events, want);
		return sent(code, "clEnqueueReadBuffer", queue, plan, event, event_p);
	}
	if (!het__cl_plan_fits(plan))
		return unfit(queue, "clEnqueueReadBufferRect", plan);
	rect_init(&r, plan);
	code = clEnqueueReadBufferRect(queue->cl, source, CL_FALSE, r.a.origin, start, r.region, r.a.row,
	                               r.a.slice, r.b.row, r.b.slice, to, after.count, after.events, want);
	return sent(code, "clEnqueueReadBufferRect", queue, plan, event, event_p);
}

het_status het__cl_write(const struct het__queue *queue, const void *source, cl_mem target,
                         const struct het__plan *plan, struct het__after after, cl_event *event_p)
{
	static const size_t start[3] = {0, 0, 0};
	const char *const from = (const char *)source + plan->a_offset;
	cl_event event = NULL, *const want = event_p ? &event : NULL;
	struct rect r;
	cl_int code;

	if (plan->total_bytes == 0)
		return het__cl_marker(queue, after, event_p);
	if (plan->dims == 0) {
		code = clEnqueueWriteBuffer(queue->cl, target, CL_FALSE, plan->b_offset, plan->bytes, from,
		                            after.count, after.events, want);
		return sent(code, "clEnqueueWriteBuffer", queue, plan, event, event_p);
	}
	if (!het__cl_plan_fits(plan))
		return unfit(queue, "clEnqueueWriteBufferRect", plan);
	rect_init(&r, plan);
	code = clEnqueueWriteBufferRect(queue->cl, target, CL_FALSE, r.b.origin, start, r.region, r.b.row,
	                                r.b.slice, r.a.row, r.a.slice, from, after.count, after.events, want);
	return sent(code, "clEnqueueWriteBufferRect", queue, plan, event, event_p);
}

het_status het__cl_copy(const struct het__queue *queue, cl_mem source, cl_mem target,
                        const struct het__plan *plan, struct het__after after, cl_event *event_p)
{
	cl_event event = NULL, *const want = event_p ? &event : NULL;
	struct rect r;
	cl_int code;

	if (plan->total_bytes == 0)
		return het__cl_marker(queue, after, event_p);
	if (plan->dims == 0) {
		code = clEnqueueCopyBuffer(queue->cl, source, target, plan->a_offset, plan->b_offset,
		                           plan->bytes, after.count, after.events, want);
		return sent(code, "clEnqueueCopyBuffer", queue, plan, event, event_p);
	}
	if (!het__cl_plan_fits(plan))
		return unfit(queue, "clEnqueueCopyBufferRect", plan);
	rect_init(&r, plan);
	code = clEnqueueCopyBufferRect(queue->cl, source, target, r.a.origin, r.b.origin, r.region, r.a.row,
	                               r.a.slice, r.b.row, r.b.slice, after.count, after.events, want);
	return sent(code, "clEnqueueCopyBufferRect", queue, plan, event, event_p);
}
