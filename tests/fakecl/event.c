/* event.c - commands as the program sees them: waiting, polling, times. */
#include <stdlib.h>
#include <time.h>

#include "fake.h"

cl_ulong fake_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

cl_event fake_event_new(cl_context context, cl_command_queue queue, cl_command_type type, enum fake_run run)
{
	cl_event const event = fake_object_new(EVENT, sizeof *event);

	event->context = context;
	event->queue = queue;
	event->type = type;
	event->run = run;
	event->status = queue ? CL_QUEUED : CL_SUBMITTED;
	event->times[0] = fake_now_ns();
	fake_hold(context);
	if (queue)
		fake_hold(queue); /* it is asked about times after the program has released it */
	return event;
}

void fake_event_drop(cl_event event)
{
	fake_unhold(event->queue);
	fake_unhold(event->context);
}

/* ---- waiting ------------------------------------------------------------------------------------ */

static cl_int check_events(cl_uint count, const cl_event *events)
{
	if (count == 0 || !events)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++) {
		if (!fake_is(events[i], EVENT))
			return CL_INVALID_EVENT;
		if (events[i]->context != events[0]->context)
			return CL_INVALID_CONTEXT;
	}
	return CL_SUCCESS;
}

/* Flushes the events' own queues, as the specification has it, and no other. */
static cl_int wait_for(cl_uint count, const cl_event *events)
{
	cl_int code = check_events(count, events);

	if (code)
		return code;
	for (cl_uint i = 0; i < count; i++)
		if (events[i]->status == CL_QUEUED)
			fake_flush(events[i]->queue);
	for (cl_uint i = 0; i < count; i++)
		if (fake_wait(events[i]))
			code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return code;
}

CL_API_ENTRY cl_int CL_API_CALL fake_clWaitForEvents(cl_uint count, const cl_event *events)
{
	cl_int code = fake_enter(CALL_clWaitForEvents);

	return fake_leave(code ? code : wait_for(count, events));
}

/* ---- asking ------------------------------------------------------------------------------------- */

static cl_int event_info(cl_event event, cl_event_info what, size_t room, void *to, size_t *bytes_p)
{
	if (!fake_is(event, EVENT))
		return CL_INVALID_EVENT;
	switch (what) {
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		fake_nudge(event);
		return FAKE_ANSWER(event->status, room, to, bytes_p);
	case CL_EVENT_COMMAND_QUEUE:
		return FAKE_ANSWER(event->queue, room, to, bytes_p);
	case CL_EVENT_CONTEXT:
		return FAKE_ANSWER(event->context, room, to, bytes_p);
	case CL_EVENT_COMMAND_TYPE:
		return FAKE_ANSWER(event->type, room, to, bytes_p);
	case CL_EVENT_REFERENCE_COUNT:
		return FAKE_ANSWER(event->object.refs, room, to, bytes_p);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *to,
						    size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetEventInfo);

	return fake_leave(code ? code : event_info(event, what, room, to, bytes_p));
}

static cl_int profiling_info(cl_event event, cl_profiling_info what, size_t room, void *to, size_t *bytes_p)
{
	cl_ulong time;

	if (!fake_is(event, EVENT))
		return CL_INVALID_EVENT;
	if (!event->queue || event->status != CL_COMPLETE ||
	    !(event->queue->properties & CL_QUEUE_PROFILING_ENABLE))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_END)
		return CL_INVALID_VALUE;
	time = event->times[what - CL_PROFILING_COMMAND_QUEUED] +
	       fake.ahead_ns * (cl_ulong)(event->queue->device->index + 1);
	return FAKE_ANSWER(time, room, to, bytes_p);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clGetEventProfilingInfo(cl_event event, cl_profiling_info what,
							     size_t room, void *to, size_t *bytes_p)
{
	cl_int code = fake_enter(CALL_clGetEventProfilingInfo);

	return fake_leave(code ? code : profiling_info(event, what, room, to, bytes_p));
}

/* ---- references --------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL fake_clRetainEvent(cl_event event)
{
	cl_int code = fake_enter(CALL_clRetainEvent);

	return fake_leave(code ? code : fake_retain(event, EVENT, CL_INVALID_EVENT));
}

CL_API_ENTRY cl_int CL_API_CALL fake_clReleaseEvent(cl_event event)
{
	cl_int code = fake_enter(CALL_clReleaseEvent);

	return fake_leave(code ? code : fake_release(event, EVENT, CL_INVALID_EVENT));
}

/* ---- user events -------------------------------------------------------------------------------- */

CL_API_ENTRY cl_event CL_API_CALL fake_clCreateUserEvent(cl_context context, cl_int *code_p)
{
	cl_event event = NULL;
	cl_int code = fake_enter(CALL_clCreateUserEvent);

	if (!code && !fake_is(context, CONTEXT))
		code = CL_INVALID_CONTEXT;
	if (!code)
		event = fake_event_new(context, NULL, CL_COMMAND_USER, RUN_MARKER);
	return fake_leave_with(event, code, code_p);
}

static cl_int set_user_status(cl_event event, cl_int status)
{
	if (!fake_is(event, EVENT) || event->queue)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	if (event->status <= CL_COMPLETE)
		return CL_INVALID_OPERATION;
	event->status = status;
	pthread_cond_broadcast(&fake.changed);
	fake_kick();
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL fake_clSetUserEventStatus(cl_event event, cl_int status)
{
	cl_int code = fake_enter(CALL_clSetUserEventStatus);

	return fake_leave(code ? code : set_user_status(event, status));
}
