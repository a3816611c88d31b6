/* speed.h - what one device does by itself: how long a launch takes, how fast it reads and writes its memory
 * and computes, whether its queues overlap and start by themselves; and what edges launched apart save
 * where another device has the same memory.
 *
 * A triad and a computation are made larger until one run takes long enough for launches not to count, or they
 * are as large as they may be. All results are checked after the first run that counts and after the last.
 */
#ifndef HETERO_CALIBRATE_SPEED_H
#define HETERO_CALIBRATE_SPEED_H

#include "bench.h"

/** Kernels for all devices of a system, which frees them. Nothing is built yet. */
struct speed {
	het_system *system;
	het_kernel *nothing, *begin, *triad, *count, *relax, *single, *twice;
};

het_status speed_open(het_system *system, struct speed *speed);

/** Measures an open device; what was found out is in `to`. `partner`: an open device of the same
 *  kind and memory, which computes beside it, or NULL. `warn` is told what was not found out, and why. */
void speed_measure(const struct speed *speed, het_device *device, het_device *partner, bool quick,
		   void (*warn)(const char *what), struct het__cal_device *to);

/** Of a program with a kernel compute(global float *out, T one, uint loops) that keeps the device busy for a
 *  while: what a second queue may do meanwhile, and whether a kernel starts that nobody flushed (queues.c). */
struct busy {
	het_device *device;
	cl_program program;
	bool is_double; /* T */
	uint32_t loops;
	size_t items, group;
};
het_status queues_measure(const struct busy *busy, bool *overlap_p, bool *unflushed_p);

/** How much shorter (below 0: longer) a step of a stencil over two devices of one memory is where edges are
 *  launched apart: the median of so many pairs (fewer where a step takes long), and its spread (edges.c). */
het_status edges_measure(const struct speed *speed, het_device *device, het_device *partner, int pairs,
                         double *saved_ns_p, double *spread_ns_p);

#endif
