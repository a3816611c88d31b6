/* opencl.h - where Hetero meets the program's own OpenCL code. Not part of <hetero.h>: it needs CL/cl.h, of
 * which it asks for OpenCL 1.2 (CL_TARGET_OPENCL_VERSION 120), unless the program has defined before which it
 * wants, or has included CL/cl.h. A program that calls OpenCL itself is linked with its loader, too:
 * pkg-config --cflags --libs hetero OpenCL.
 */
#ifndef HETERO_OPENCL_H
#define HETERO_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <hetero/launch.h>

HET_BEGIN_DECLS

/** Opens a system over a context that the program made itself. Its devices are the `count` ones at `devices`,
 *  in that order, which the context was made of. 0 and NULL: those that the context reports; for one made of
 *  sub-devices that may be their root (PoCL). Parts are named like "pocl:cpu0.part0". Context and parts are
 *  retained until het_close (PoCL's parts for good: it uses them for a moment after their last command). The
 *  system has queues of its own: where its tasks and the program's commands touch the same memory, the program
 *  makes one side wait for the other's events. A cl_mem of the program's is no array: let a native function
 *  (below) copy it into one and back, by clEnqueueCopyBuffer with info->buffers[i] on info->queue. Wrap memory
 *  of the host's that both use (het_array_wrap). `options` may be NULL; options->devices must be NULL, and
 *  $HETERO_DEVICES does not count. Ownership, blocking and threads: as het_open.
 *  Errors: HET_ERR_HANDLE (no context), HET_ERR_ARGUMENT (also a device that neither is among those the context
 *  reports nor was cut from one of them), HET_ERR_NO_DEVICE (a device that no platform lists), HET_ERR_DEVICE,
 *  HET_ERR_MEMORY, HET_ERR_CONTEXT (in a child of fork whose parent had used the driver). */
HET_API het_status het_open_context(cl_context context, cl_uint count, const cl_device_id *devices,
                                    const struct het_options *options, het_system **system_p);

/** What a native function gets. It enqueues its commands on `queue` (in order: everything they depend on
 *  comes before them there) or on a queue of its own, returning the event of its last command in `*event_p`
 *  (the library releases it). When it runs, what its arguments need has ended: there is nothing to wait for.
 *  The library sees what fails of the returned event, or of a marker behind what is in `queue`; check the
 *  events of other commands yourself. */
struct het_native_info {
	cl_context context;
	cl_device_id device;
	cl_command_queue queue;
	int count;             /* of arguments */
	const cl_mem *buffers; /* one per argument; NULL for HET_NULL and values */
	const size_t *offset_elements; /* of each buffer's box: of its first element; 0 for packed views */
	cl_uint wait_count;        /* 0 */
	const cl_event *wait_list; /* NULL */
	cl_event *event_p; /* in: NULL event; may stay so when only `queue` was used */
};

/** Runs on a thread of the library, without its lock; may not call functions that wait. A return other
 *  than HET_OK fails the task. */
typedef het_status (*het_native_fn)(void *user, const struct het_native_info *info);

/** Lets the program's own OpenCL code (CLBlast, clFFT) take part as a task on a device: its arguments are
 *  accesses like a kernel's. Waits only for room (het_launch_args). Errors: as het_launch_args where they
 *  apply; HET_ERR_ARGUMENT also for HET_LOCAL and for mappers (HET_EACH...). */
HET_API het_status het_native_args(het_device *device, het_native_fn fn, void *user, const struct het_arg *args,
                                   int count);

HET_END_DECLS

#ifndef __cplusplus
/** het_native(device, fn, user, args...): at least one argument. */
#define het_native(device, fn, user, ...) het_native_args((device), (fn), (user), HET__ARGS(__VA_ARGS__))
#else
template <typename... A>
inline het_status het_native(het_device *device, het_native_fn fn, void *user, const A &...args)
{
	const struct het_arg list[] = {args...};
	return het_native_args(device, fn, user, list, static_cast<int>(sizeof...(A)));
}
#endif

#endif
