/* cl.h - every OpenCL call of the library, checked and named.
 *
 * Functions return a status and make the thread's error record with the call, its code and the device.
 * Objects are OpenCL's own handles: nothing is hidden, but nobody above this room calls cl* itself.
 * Thread rule: OpenCL's own (all thread-safe but clSetKernelArg on one kernel); callers hold the system's
 * lock except where a comment says "waits".
 *
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES from buffer creation and fills, and
 * CL_INVALID_BUFFER_SIZE give HET_ERR_DEVICE_MEMORY; CL_OUT_OF_HOST_MEMORY gives HET_ERR_MEMORY; anything else
 * HET_ERR_DEVICE, or what the function's comment says.
 */
#ifndef HETERO_LIB_CL_CL_H
#define HETERO_LIB_CL_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hetero/status.h>

#include "box/plan.h"

/** A command queue and the stable name of its device, for errors. */
struct het__queue {
	cl_command_queue cl;
	const char *device; /* borrowed */
};

/** What a command waits for. */
struct het__after {
	cl_uint count;
	const cl_event *events;
};

/* contexts and queues */
het_status het__cl_context_create(cl_platform_id platform, cl_uint count, const cl_device_id *devices,
                                  const char *device, cl_context *context_p);
void het__cl_context_retain(cl_context context);
void het__cl_context_release(cl_context context); /* NULL is allowed */
het_status het__cl_queue_create(cl_context context, cl_device_id id, const char *device, bool profile,
                                struct het__queue *queue);
void het__cl_queue_retain(const struct het__queue *queue);
void het__cl_queue_release(struct het__queue *queue);  /* an unmade queue is allowed */
het_status het__cl_flush(const struct het__queue *queue);
int het__cl_flush_code(const struct het__queue *queue); /* the same without a record: OpenCL's code */
het_status het__cl_not_flushed(const struct het__queue *queue, int code); /* makes that record */
het_status het__cl_finish(const struct het__queue *queue); /* waits; never trusted alone */

/* buffers */
het_status het__cl_buffer_create(cl_context context, size_t bytes, const char *device, cl_mem *mem_p);
/** A buffer over host memory that stays where it is (CL_MEM_USE_HOST_PTR). */
het_status het__cl_buffer_wrap(cl_context context, void *host, size_t bytes, const char *device, cl_mem *mem_p);
/** A buffer in host memory of the driver's own, which it may pin (CL_MEM_ALLOC_HOST_PTR). */
het_status het__cl_buffer_pinned(cl_context context, size_t bytes, const char *device, cl_mem *mem_p);
het_status het__cl_buffer_part(cl_mem root, size_t offset, size_t bytes, const char *device, cl_mem *mem_p);
void het__cl_buffer_retain(cl_mem mem);  /* NULL is allowed */
void het__cl_buffer_release(cl_mem mem); /* NULL is allowed */

/* commands; *event_p is set on success only; event_p may be NULL.
 * The plan-based ones take plans of at most two repeated dimensions (clEnqueue*BufferRect's three) and use
 * the plain call for one run. Side a of the plan is the source, side b the target. A plan of no bytes is a
 * marker. A plan that OpenCL has no call for (het__cl_plan_fits) is HET_ERR_UNSUPPORTED. A copy within one
 * buffer has equal pitches on both sides. */

/** Can one call carry out the plan? At most two repeated dimensions; on each side rows at least as far
 *  apart as they are long, and slices a whole number of rows apart and at least as far as they are long,
 *  and no row crosses the end of its pitch. Single runs (het__plan_slice with `inner` 0) always fit. */
bool het__cl_plan_fits(const struct het__plan *plan);

het_status het__cl_read(const struct het__queue *queue, cl_mem source, void *target,
                        const struct het__plan *plan, struct het__after after, cl_event *event_p);
het_status het__cl_write(const struct het__queue *queue, const void *source, cl_mem target,
                         const struct het__plan *plan, struct het__after after, cl_event *event_p);
het_status het__cl_copy(const struct het__queue *queue, cl_mem source, cl_mem target,
                        const struct het__plan *plan, struct het__after after, cl_event *event_p);
/** Most bytes of one fill, a multiple of every pattern: of 4 GiB with a pattern of one byte NVIDIA's driver
 *  fills nothing, and says that it did. Tests make it smaller. */
extern size_t het__cl_fill_most;
het_status het__cl_fill(const struct het__queue *queue, cl_mem target, const void *pattern,
                        size_t pattern_bytes, size_t offset, size_t bytes, struct het__after after,
                        cl_event *event_p);
/** Bytes of a buffer for the host. The pointer is good once the event is done; it is to be unmapped even if
 *  that command fails. What is mapped to be written has undefined bytes. event_p is not NULL. */
enum het__map_for { HET__MAP_TO_READ, HET__MAP_TO_WRITE };
het_status het__cl_map(const struct het__queue *queue, cl_mem mem, enum het__map_for use, size_t offset,
                       size_t bytes, struct het__after after, void **at_p, cl_event *event_p);
het_status het__cl_unmap(const struct het__queue *queue, cl_mem mem, void *at, struct het__after after,
                         cl_event *event_p);
het_status het__cl_launch_failed(cl_int code, const char *kernel_name, const char *device);
/** `local` NULL: the driver chooses. `kernel_name` is for errors. */
static inline het_status het__cl_launch(const struct het__queue *queue, cl_kernel kernel,
					const char *kernel_name, cl_uint rank, const size_t *offset,
					const size_t *global, const size_t *local, struct het__after after,
					cl_event *event_p)
{
	const cl_int code = clEnqueueNDRangeKernel(queue->cl, kernel, rank, offset, global, local, after.count,
						   after.events, event_p);

	return code == CL_SUCCESS ? HET_OK : het__cl_launch_failed(code, kernel_name, queue->device);
}
/** A command that does nothing but wait for `after` and everything before it in the queue. */
het_status het__cl_marker(const struct het__queue *queue, struct het__after after, cl_event *event_p);
/** Later commands of the queue wait for `after` and everything before. */
het_status het__cl_barrier(const struct het__queue *queue, struct het__after after);

/* events */
enum het__event_state {
	HET__EVENT_PENDING = 0,
	HET__EVENT_DONE = 1,
	HET__EVENT_FAILED = 2,
	HET__EVENT_UNKNOWN = 3, /* the driver did not say: the command may still be running */
};
/** Polls; *code_p is the OpenCL code of a failed command, or why the driver did not answer (may be NULL). */
enum het__event_state het__cl_event_poll(cl_event event, int *code_p);
/** Waits until the event is done or failed; which of them, poll tells. The driver flushes the event's queue.
 *  Without the lock, but where system.h says otherwise. */
void het__cl_event_wait(cl_event event);
void het__cl_event_retain(cl_event event);
static inline void het__cl_event_release(cl_event event) /* NULL is allowed */
{
	if (event)
		clReleaseEvent(event);
}
/** Device time from start to end of a command, in ns; 0 where it cannot be known. */
uint64_t het__cl_event_ns(cl_event event);
/** Device times of the start of one command and the end of a later one of its queue, in ns; false where they
 *  cannot be known. */
bool het__cl_event_times(cl_event first, cl_event last, uint64_t *start_ns_p, uint64_t *end_ns_p);
/** How far the host's clock (het__host_ns) is ahead of the one that a device's events tell, in ns; false where
 *  the driver tells no times. Waits. */
bool het__cl_clock_offset(cl_context context, cl_device_id id, const char *device, int64_t *offset_ns_p);

/* programs and kernels */
het_status het__cl_program_source(cl_context context, const char *text, size_t length, const char *device,
                                  cl_program *program_p);
/** HET_ERR_BUILD when the driver refuses the binary, for whatever reason but CL_OUT_OF_HOST_MEMORY. */
het_status het__cl_program_binary(cl_context context, cl_device_id id, const void *binary, size_t bytes,
                                  const char *device, cl_program *program_p);
/** HET_ERR_BUILD with `head` and the driver's log as the text. Waits for the compiler. */
het_status het__cl_program_build(cl_program program, cl_uint count, const cl_device_id *ids,
                                 const char *options, const char *device, const char *head);
/** The compiler's words about one device of a program, het__alloc'd; NULL when there are none, or no memory. */
char *het__cl_program_log(cl_program program, cl_device_id id);
/** The binary for one device of the program; *binary_p is het__alloc'd. */
het_status het__cl_program_get_binary(cl_program program, cl_device_id id, const char *device, void **binary_p,
                                      size_t *bytes_p);
cl_program het__cl_program_retain(cl_program program); /* returns it */
void het__cl_program_release(cl_program program); /* NULL is allowed */
/** The names of the program's kernels, separated by ';', het__alloc'd. */
het_status het__cl_program_kernels(cl_program program, const char *device, char **names_p);
/** HET_ERR_KERNEL when the program has no kernel of this name: the text lists those it has. */
het_status het__cl_kernel_create(cl_program program, const char *name, const char *device, cl_kernel *kernel_p);
void het__cl_kernel_release(cl_kernel kernel); /* NULL is allowed */
het_status het__cl_kernel_arg_count(cl_kernel kernel, const char *device, cl_uint *count_p);

/** One parameter as the driver describes it; `known` is false where the driver has no information. */
struct het__cl_param {
	bool known;
	cl_uint address; /* CL_KERNEL_ARG_ADDRESS_GLOBAL... */
	bool is_const;
	bool is_object;  /* an image or a pipe, as far as the driver tells */
	char type[64];   /* "float4*" */
	char name[64];
};
het_status het__cl_kernel_param(cl_kernel kernel, cl_uint index, const char *device,
                                struct het__cl_param *param);

struct het__cl_kernel_limits {
	size_t work_group;          /* CL_KERNEL_WORK_GROUP_SIZE */
	size_t required_local[3];   /* reqd_work_group_size, 0 when none */
	uint64_t local_bytes;       /* static local memory */
};
het_status het__cl_kernel_limits(cl_kernel kernel, cl_device_id id, const char *device,
                                 struct het__cl_kernel_limits *limits);

het_status het__cl_set_arg_failed(cl_int code, int argument, size_t bytes, const char *kernel_name,
                                  const char *device);
/** Guarded by the system's lock. `kernel_name` and `argument`, the number by which the user knows the
 *  parameter, are named in errors; a wrong size is HET_ERR_SIGNATURE. */
static inline het_status het__cl_set_param(cl_kernel kernel, cl_uint index, int argument, size_t bytes,
					   const void *value, const char *kernel_name, const char *device)
{
	const cl_int code = clSetKernelArg(kernel, index, bytes, value);

	return code == CL_SUCCESS ? HET_OK : het__cl_set_arg_failed(code, argument, bytes, kernel_name, device);
}
/** The same where errors may name the parameter by `index`, as for a kernel of the library's own. */
static inline het_status het__cl_set_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value,
                                         const char *kernel_name, const char *device)
{
	return het__cl_set_param(kernel, index, (int)index, bytes, value, kernel_name, device);
}

#endif
