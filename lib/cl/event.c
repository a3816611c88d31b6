/* event.c - what has become of a command. */
#include "cl/cl.h"

enum het__event_state het__cl_event_poll(cl_event event, int *code_p)
{
	cl_int state;
	const cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
	                                   NULL);

	if (code != CL_SUCCESS) {
		if (code_p)
			*code_p = code;
		return HET__EVENT_UNKNOWN;
	}
	if (state > CL_COMPLETE)
		return HET__EVENT_PENDING;
	if (state == CL_COMPLETE)
		return HET__EVENT_DONE;
	if (code_p)
		*code_p = state;
	return HET__EVENT_FAILED;
}

void het__cl_event_wait(cl_event event)
{
	/* An error means that the event failed or cannot be waited for: poll tells the caller which. */
	(void)clWaitForEvents(1, &event);
}

void het__cl_event_retain(cl_event event)
{
	clRetainEvent(event);
}

uint64_t het__cl_event_ns(cl_event event)
{
	cl_ulong start, end;

	if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL) !=
	            CL_SUCCESS ||
	    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL) != CL_SUCCESS)
		return 0;
	return end > start ? end - start : 0;
}
