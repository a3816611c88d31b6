/* queue.c - commands on their way into a queue, and what flushes it. */
#include <stdlib.h>

#include "fake.h"

static cl_int check_waits(cl_context context, cl_uint count, const cl_event *waits)
{
	if ((count == 0) != (waits == NULL))
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < count; i++) {
		if (!fake_is(waits[i], EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (waits[i]->context != context)
			return CL_INVALID_CONTEXT;
	}
	return CL_SUCCESS;
}

cl_int fake_check_queue(cl_command_queue queue, cl_uint count, const cl_event *waits)
{
	if (!fake_is(queue, QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	return check_waits(queue->context, count, waits);
}

static void append(cl_command_queue queue, cl_event command)
{
	if (queue->tail)
		queue->tail->next = command;
	else
		queue->head = command;
	queue->tail = command;
	fake_hold(queue);
	fake_hold(command);
}

cl_int fake_enqueue(cl_event command, cl_uint count, const cl_event *waits, bool blocking, cl_event *event_p)
{
	cl_int code = CL_SUCCESS;

	if (count > 0)
		command->waits = fake_alloc(count * sizeof(cl_event));
	for (cl_uint i = 0; i < count; i++) {
		fake_hold(waits[i]);
		command->waits[command->wait_count++] = waits[i];
	}
	append(command->queue, command);
	if (event_p)
		*event_p = command;
	if (blocking) {
		fake_flush(command->queue);
		code = fake_wait(command);
	} else {
		fake_nudge(NULL);
	}
	if (!event_p)
		(void)fake_release(command, EVENT, CL_INVALID_EVENT);
	return code;
}

/* Everything flushed lies before everything that is not. */
void fake_flush(cl_command_queue queue)
{
	bool any = false;

	for (cl_event e = queue->tail && queue->tail->status == CL_QUEUED ? queue->head : NULL; e; e = e->next)
		if (e->status == CL_QUEUED) {
			e->status = CL_SUBMITTED;
			e->times[1] = fake_now_ns();
			any = true;
		}
	if (!any)
		return;
	pthread_cond_broadcast(&fake.changed);
	fake_kick();
}

CL_API_ENTRY cl_int CL_API_CALL fake_clFlush(cl_command_queue queue)
{
	cl_int code = fake_enter(CALL_clFlush);

	if (!code && !fake_is(queue, QUEUE))
		code = CL_INVALID_COMMAND_QUEUE;
	if (!code)
		fake_flush(queue);
	return fake_leave(code);
}

/* Waits for what is there now: the last command, for the queue keeps the order. */
CL_API_ENTRY cl_int CL_API_CALL fake_clFinish(cl_command_queue queue)
{
	cl_int code = fake_enter(CALL_clFinish);

	if (!code && !fake_is(queue, QUEUE))
		code = CL_INVALID_COMMAND_QUEUE;
	if (!code && queue->tail) {
		cl_event const last = queue->tail;

		fake_hold(last);
		fake_flush(queue);
		(void)fake_wait(last);
		fake_unhold(last);
	}
	return fake_leave(code);
}

/* ---- markers ------------------------------------------------------------------------------------ */

static cl_int order(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *waits,
		    cl_event *event_p)
{
	const cl_int code = fake_check_queue(queue, count, waits);

	if (code)
		return code;
	return fake_enqueue(fake_event_new(queue->context, queue, type, RUN_MARKER), count, waits, false,
			    event_p);
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
								 const cl_event *waits, cl_event *event_p)
{
	cl_int code = fake_enter(CALL_clEnqueueMarkerWithWaitList);

	return fake_leave(code ? code : order(queue, CL_COMMAND_MARKER, count, waits, event_p));
}

CL_API_ENTRY cl_int CL_API_CALL fake_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
								  const cl_event *waits, cl_event *event_p)
{
	cl_int code = fake_enter(CALL_clEnqueueBarrierWithWaitList);

	return fake_leave(code ? code : order(queue, CL_COMMAND_BARRIER, count, waits, event_p));
}
