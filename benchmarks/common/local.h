/* local.h - for a version that copies by hand, compiled once more without its exchanges: what its run sends
 * to other devices, or brings to them, is not sent. Its results are wrong; how much sooner it ends is what
 * exchange costs. Run as "local", devices do not wait for what would be sent, and so not for each
 * other, which no right program can do. Run as "unsent", they wait as if it were sent: only the bytes are left
 * out. NAME_local.c includes this and then NAME_copying.c, in which nothing is written for it. */
#ifndef COMMON_LOCAL_H
#define COMMON_LOCAL_H

#include "common/bench.h"

/* In place of a command that is left out. Its event is over at once, or, where waits are kept, when the
 * command could have begun. `event` may be NULL. */
static inline cl_int local_nothing(cl_command_queue queue, cl_uint count, const cl_event *after,
				   cl_event *event)
{
	cl_context context;
	cl_int code = CL_SUCCESS;

	if (bench_keeps_waits)
		return clEnqueueMarkerWithWaitList(queue, count, after, event);
	if (!event)
		return CL_SUCCESS;
	CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
	*event = clCreateUserEvent(context, &code);
	return code == CL_SUCCESS ? clSetUserEventStatus(*event, CL_COMPLETE) : code;
}

/* Zeroes: what is never sent is at least a number. */
static inline cl_mem local_buffer(const struct hand *hand, int d, cl_mem_flags flags, size_t bytes, void *host)
{
	static const cl_char zero = 0;
	const cl_mem mem = hand_buffer(hand, d, flags, bytes, host);

	CL(clEnqueueFillBuffer(hand->queue[d], mem, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
	CL(clFinish(hand->queue[d]));
	return mem;
}

/* The call that is left out is still compiled, as an operand of sizeof. */
#define hand_buffer local_buffer
#define clEnqueueCopyBuffer(queue, from, to, at, to_at, bytes, count, after, event)                            \
	(sizeof clEnqueueCopyBuffer(queue, from, to, at, to_at, bytes, count, after, event)                    \
		 ? local_nothing(queue, count, after, event)                                                   \
		 : CL_SUCCESS)
#define clEnqueueCopyBufferRect(queue, from, to, at, to_at, region, row, slice, to_row, to_slice, count,       \
				after, event)                                                                  \
	(sizeof clEnqueueCopyBufferRect(queue, from, to, at, to_at, region, row, slice, to_row, to_slice,      \
					count, after, event)                                                   \
		 ? local_nothing(queue, count, after, event)                                                   \
		 : CL_SUCCESS)
#define clEnqueueWriteBufferRect(queue, to, wait, to_at, at, region, to_row, to_slice, row, slice, from,       \
				 count, after, event)                                                          \
	(sizeof clEnqueueWriteBufferRect(queue, to, wait, to_at, at, region, to_row, to_slice, row, slice,     \
					 from, count, after, event)                                            \
		 ? local_nothing(queue, count, after, event)                                                   \
		 : CL_SUCCESS)

#endif
