/* own_types.h - types that only a kernel's text knows, `real`, `row` or `struct body`.
 *
 * Drivers call them by their names, which do not tell how many bytes a value of them has. The compiler knows:
 * the text is compiled once more, with kernels behind it that nobody runs. Each has a required work-group size
 * made of a number that is asked for, which the driver tells. That costs what compiling costs, once for all
 * kernels of the text, and the cache keeps the answers. A compiler that does not understand the question leaves
 * the types unknown; where one of them has no size, all are asked for one by one.
 * Arrays, `typedef real row[4]`, are rows of their numbers (het__type_rows). Of arrays of arrays those are
 * found that have two, three or four columns, `typedef float matrix[4][4]`; others, and rows that are aligned
 * otherwise than their numbers, are structs of their size, whatever is in them.
 */
#ifndef HETERO_LIB_KERNEL_OWN_TYPES_H
#define HETERO_LIB_KERNEL_OWN_TYPES_H

#include "kernel/signature.h"

/** True where such a type of the kernel's is not known yet, and may be asked for. */
bool het__own_types_wanted(const struct het__signature *signature, const het_kernel *kernel);

/** Takes what another signature, or the types of a program, know. */
void het__own_types_take(struct het__signature *signature, const struct het__signature *other);

/** Asks the device's compiler for this kernel's types, and for those of the other kernels in its program.
 *  Returns them as parameters, as far as they are known; the caller frees it. NULL: no memory. With the
 *  driver's lock, as all that builds. */
struct het__signature *het__own_types_ask(const struct het__signature *signature, const het_kernel *kernel,
					  const het_device *device, cl_program program, const char *options);

#endif
