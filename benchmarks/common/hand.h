/* hand.h - what the versions written by hand share: finding devices, contexts and queues, building kernels,
 * and saying which call failed. Authors of such programs have written this already; what versions do with
 * data and events is their own. */
#ifndef COMMON_HAND_H
#define COMMON_HAND_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <hetero.h>

#define HAND_DEVICES_MOST 256

/** Devices with a context for each platform and an in-order queue for each device, and what was built last for
 *  each: NULL, or the program of the file at `path`. */
struct hand {
	int count, contexts;
	cl_device_id device[HAND_DEVICES_MOST];
	cl_context context[HAND_DEVICES_MOST];
	cl_command_queue queue[HAND_DEVICES_MOST];
	cl_program program[HAND_DEVICES_MOST];
	const char *path[HAND_DEVICES_MOST];
};

/** Opens, by OpenCL alone, the devices that `like` has, in its order: equal platforms, numbers and parts.
 *  Whatever fails here ends the program with the call's name. */
void hand_open(struct hand *hand, het_system *like);
void hand_close(struct hand *hand);

/** Another in-order queue of device number `d`. Ownership: clReleaseCommandQueue. */
cl_command_queue hand_queue(const struct hand *hand, int d);

/** A kernel of the file at `path`, a text that stays, for device number `d`; kernels of one file are of one
 *  program. Ownership: clReleaseKernel. */
cl_kernel hand_kernel(struct hand *hand, int d, const char *path, const char *name);

/** A buffer that device number `d` can use; `host` as CL_MEM_USE_HOST_PTR wants it, or NULL. Ownership:
 *  clReleaseMemObject. */
cl_mem hand_buffer(const struct hand *hand, int d, cl_mem_flags flags, size_t bytes, void *host);

/** Zeroed memory for a CL_MEM_USE_HOST_PTR, aligned to pages; from 4 MiB on in huge ones, where the system
 *  gives them. Ownership: free. */
void *hand_memory(size_t bytes);

/** Before a round: fills what the round will make with doubles that are no numbers, so that what the last round
 *  made is not taken for it. Waits. */
void hand_spoil(const struct hand *hand, int d, cl_mem mem, size_t bytes);
void hand_spoil_memory(void *memory, size_t bytes);

/** Ends the program when `code` is an error: `call` is the source text of the call. */
void hand_check(cl_int code, const char *call);

#define CL(call) hand_check((call), #call)

/** Sets argument number `index` of a kernel to a variable. */
#define HAND_ARG(kernel, index, variable) CL(clSetKernelArg((kernel), (index), sizeof(variable), &(variable)))

#endif
