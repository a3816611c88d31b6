/* raw.h - the same work by hand, in OpenCL: what Hetero is measured against.
 *
 * Two sub-devices of one compute unit each of the first platform that can cut a CPU, in one context, with an
 * in-order queue each: what a competent author writes. Every launch sets its arguments, as in a program where
 * they change, and has an event only where somebody waits for it. Errors end the program: this is a
 * benchmark. Nothing here waits but raw_wait, raw_hops and raw_cross_hops. */
#ifndef OVERHEAD_RAW_H
#define OVERHEAD_RAW_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stddef.h>

#define RAW_BAND_GROUP 64 /* work-items */
#define RAW_HOP_GROUP 32 /* work-items; what any device can do */

enum raw_hop { RAW_SHARED, RAW_COPY };
enum raw_arrays { RAW_WHOLE, RAW_HALF, RAW_CHAIN, RAW_HALF_CHAIN };

/** A device with its context, queue and kernels. */
struct raw_device {
	cl_device_id id;
	cl_context context; /* one for both parts of the CPU */
	cl_command_queue queue;
	cl_kernel add, step, blur, settle;
};

struct raw {
	struct raw_device part[2];
};

/** Opens the two parts and builds `source` (kernels add, increment, blur, settle). */
void raw_open(struct raw *raw, const char *source);
void raw_close(struct raw *raw);

/** A device of another platform than the parts'; 0 where there is none. Closed by raw_other_close. */
int raw_other_open(const struct raw *raw, const char *source, struct raw_device *other);
void raw_other_close(struct raw_device *other);
/** The other device's platform and name, as a selection takes them: "NAME OF PLATFORM:NAME OF DEVICE". */
void raw_name(const struct raw_device *device, char *name, size_t bytes);

/** A buffer over zeroed host memory, which *host_p owns (free); or in the device's own memory. */
cl_mem raw_over_host(cl_context context, size_t bytes, void **host_p);
cl_mem raw_own(cl_context context, size_t bytes);

/** `launches` of add(c, a, b) on the first part. Returns the last event. */
cl_event raw_chain(struct raw *raw, const cl_mem mem[3], int launches, size_t items, size_t group);

/** `launches` on the first part, one array after the other, by turns, launch number `first` with array
 *  `first` modulo `arrays`: increment of all or half of it; or add, of the two arrays before it or their
 *  halves. Returns the last event. */
cl_event raw_arrays(struct raw *raw, enum raw_arrays kind, const cl_mem *mem, int arrays, int first,
		    int launches, size_t items);

/** `launches` of blur, the parts by turns, each on its half, reading one element of the other's; two buffers
 *  take turns. last[2] gets the last events. */
void raw_boxes(struct raw *raw, const cl_mem mem[2], int launches, size_t items, cl_event last[2]);

/** settle of `bands` bands of `items` each: the first part makes those of mem[0] from mem[1], then the second
 *  those of mem[1] from mem[0], as soon as the one it needs is there. last[2] gets the last events. */
void raw_bands(struct raw *raw, const cl_mem mem[2], int bands, size_t items, cl_event last[2]);

/** Waits for an event, which costs the device less than clFinish, and releases it. */
void raw_wait(struct raw_device *device, cl_event last);

/** `steps` increments of the same data, the parts by turns. mem: RAW_SHARED: mem[0] for both; RAW_COPY: each
 *  its own, copied from the other's before every step. */
void raw_hops(struct raw *raw, enum raw_hop kind, const cl_mem mem[2], int steps, size_t items, size_t bytes);

/** The same between two contexts: read into `staging`, written from there. */
void raw_cross_hops(struct raw_device *const device[2], const cl_mem mem[2], int steps, size_t items,
		    size_t bytes, void *staging);

#endif
