/* raw.h - the same work by hand, in OpenCL: what Hetero is measured against.
 *
 * Two sub-devices of one compute unit each of the first platform that can cut a CPU, in one context, with an
 * in-order queue each: what a competent author writes. Errors end the program: this is a benchmark. */
#ifndef OVERHEAD_RAW_H
#define OVERHEAD_RAW_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stddef.h>

enum raw_hop { RAW_SHARED, RAW_COPY };

struct raw {
	cl_context context;
	cl_device_id device[2];
	cl_command_queue queue[2];
	cl_kernel add, step[2];
	cl_mem small[3];      /* of the chain */
	cl_mem shared, own[2]; /* of the hops */
	void *host[4];
};

/** Opens devices, builds `source` (kernels "add" and "increment"), makes the buffers. */
void raw_open(struct raw *raw, const char *source, size_t chain_bytes, size_t hop_bytes);
void raw_close(struct raw *raw);

/** Enqueues `launches` of add(c, a, b) over `items`, each with its arguments and an event, as a program does
 *  whose arguments change and whose other queues may wait. Returns the last event without waiting. */
cl_event raw_chain(struct raw *raw, int launches, size_t items);
/** Waits for that event, which costs the device less than clFinish, and releases it. */
void raw_wait(struct raw *raw, cl_event last);

/** `hops` times: a step on one device, then one on the other, of the same data; waits at the end. */
void raw_hops(struct raw *raw, enum raw_hop kind, int hops, size_t items, size_t bytes);

#endif
