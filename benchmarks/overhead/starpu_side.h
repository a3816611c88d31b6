/* starpu_side.h - what the comparisons with StarPU share: its devices, its kernels, its errors.
 *
 * StarPU keeps one system per process: it is opened once for all comparisons. Whatever fails ends the program.
 */
#ifndef OVERHEAD_STARPU_SIDE_H
#define OVERHEAD_STARPU_SIDE_H

#include <hetero.h>
#include <starpu.h>
#include <starpu_opencl.h>

#include "overhead/pair.h"

/** Two OpenCL devices and the kernels of `source` (NULL: none); the workers for plain CPU code are left out.
 *  Exit status 77 where StarPU does not find them. */
void starpu_side_open(const char *source);
void starpu_side_close(void);

/** Ends the program unless `code` is 0. */
void give_up(int code, const char *call);

/** The number of the worker for a device. */
int starpu_side_worker(int device);

/** A kernel of the source and the queue of the worker that calls this; starpu_side_launch gives both back. */
struct starpu_launch {
	cl_kernel kernel;
	cl_command_queue queue;
};
struct starpu_launch starpu_side_kernel(const char *name);
void starpu_side_arg(const struct starpu_launch *launch, cl_uint index, size_t bytes, const void *value);
void starpu_side_launch(const struct starpu_launch *launch, cl_uint rank, const size_t *global,
			const size_t *local);

/** Sides of a comparison. Between StarPU's turns its workers are paused: they would go on looking for work, on
 *  the cores that Hetero's devices need. */
struct side hetero_side(void (*start)(void *user), void *user);
struct side starpu_side(void (*start)(void *user), void *user);

/** starpu_blocks.c: column blocks of matrices there and back, a product over two devices, the opening of both
 *  libraries. `system`: Hetero's, on the same devices. measure_opening comes before starpu_side_open. */
void measure_columns(struct report *report, int rounds, het_system *system);
void measure_product(struct report *report, int rounds, het_system *system);
void measure_opening(struct report *report, int rounds);
extern const char blocks_source[];

#define HETERO_SIDE "pocl:cpu0,pocl:cpu1"

#endif
