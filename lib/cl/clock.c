/* clock.c - times of commands, and how far a device's clock and the host's are apart.
 *
 * OpenCL 2.1 can tell both clocks at once (clGetDeviceAndHostTimer), but none of the drivers met here does, and
 * one that lacks it may crash when asked. A marker works everywhere: it is queued while the host looks on,
 * and has ended before the host sees it.
 */
#include "cl/cl.h"

#include "base/clock.h"
#include "base/error.h"

#define MARKERS 8

static bool time_of(cl_event event, cl_profiling_info what, cl_ulong *ns_p)
{
	return clGetEventProfilingInfo(event, what, sizeof *ns_p, ns_p, NULL) == CL_SUCCESS;
}

bool het__cl_event_times(cl_event first, cl_event last, uint64_t *start_ns_p, uint64_t *end_ns_p)
{
	cl_ulong start, end;

	if (!time_of(first, CL_PROFILING_COMMAND_START, &start) ||
	    !time_of(last, CL_PROFILING_COMMAND_END, &end) || start == 0 || end < start)
		return false;
	*start_ns_p = start;
	*end_ns_p = end;
	return true;
}

/* Bounds of the host's clock minus the device's, ns. */
struct bounds {
	int64_t least, most;
};

static void narrow(struct bounds *bounds, uint64_t host_before, uint64_t device, uint64_t host_after)
{
	const int64_t least = (int64_t)(host_before - device), most = (int64_t)(host_after - device);

	bounds->least = least > bounds->least ? least : bounds->least;
	bounds->most = most < bounds->most ? most : bounds->most;
}

/* One marker; false where the driver does not tell its times. */
static bool look_once(const struct het__queue *queue, struct bounds *ends, struct bounds *queued)
{
	const struct het__after nothing = {0, NULL};
	const uint64_t before = het__host_ns();
	uint64_t made, seen;
	cl_ulong queued_at, end;
	cl_event event;
	bool told;

	if (het__cl_marker(queue, nothing, &event))
		return false;
	made = het__host_ns();
	(void)clFlush(queue->cl);
	het__cl_event_wait(event);
	seen = het__host_ns();
	told = het__cl_event_poll(event, NULL) == HET__EVENT_DONE &&
	       time_of(event, CL_PROFILING_COMMAND_END, &end) &&
	       time_of(event, CL_PROFILING_COMMAND_QUEUED, &queued_at) && end > 0;
	het__cl_event_release(event);
	if (!told)
		return false;
	narrow(ends, before, end, seen);
	narrow(queued, before, queued_at, made);
	return true;
}

/* The time of queueing is bounded to a microsecond, and so the better one. But drivers are free to take it from
 * another clock: then it does not agree with the ends, and is left out. */
static int64_t middle(const struct bounds *ends, const struct bounds *queued)
{
	struct bounds both = *ends;

	if (queued->least <= queued->most && queued->least <= ends->most && queued->most >= ends->least) {
		both.least = queued->least > ends->least ? queued->least : ends->least;
		both.most = queued->most < ends->most ? queued->most : ends->most;
	}
	return both.least + (both.most - both.least) / 2;
}

bool het__cl_clock_offset(cl_context context, cl_device_id id, const char *device, int64_t *offset_ns_p)
{
	struct bounds ends = {INT64_MIN, INT64_MAX}, queued = ends;
	struct het__queue queue = {NULL, device};
	bool told = het__cl_queue_create(context, id, device, true, &queue) == HET_OK;

	for (int i = 0; i < MARKERS && told; i++)
		told = look_once(&queue, &ends, &queued);
	het__cl_queue_release(&queue);
	if (told)
		*offset_ns_p = middle(&ends, &queued);
	return told;
}
