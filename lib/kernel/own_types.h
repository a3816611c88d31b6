/* own_types.h - types that only a kernel's text knows, `real` or `struct body`.
 *
 * Drivers call them by their names, which do not tell how many bytes a value of them has. The compiler knows:
 * the text is compiled once more, with kernels behind it that nobody runs. Each has a required work-group size
 * made of a number that is asked for, which the driver tells. That costs what compiling costs, once: the cache
 * keeps the answers. Compilers that do not understand the question leave the types unknown.
 */
#ifndef HETERO_LIB_KERNEL_OWN_TYPES_H
#define HETERO_LIB_KERNEL_OWN_TYPES_H

#include "kernel/signature.h"

/** True where such a type is not known yet. */
bool het__own_types_wanted(const struct het__signature *signature);

/** Takes from another signature, of the same program, what it knows. */
void het__own_types_take(struct het__signature *signature, const struct het__signature *other);

/** Asks the device's compiler. With the driver's lock, as all that builds. */
void het__own_types_ask(struct het__signature *signature, const het_kernel *kernel, const het_device *device,
			const char *options);

#endif
