/* signature.h - what a kernel says of its parameters. */
#ifndef HETERO_LIB_KERNEL_SIGNATURE_H
#define HETERO_LIB_KERNEL_SIGNATURE_H

#include "kernel/kernel.h"

/** Alignment asked for where the pointee is not known: that of OpenCL's largest type. */
#define HET__ALIGN_UNKNOWN 128

/** Asks the driver; the text of `of`, if it has one, tells the ranks of windows (`of` NULL: nothing does).
 *  *signature_p is het__alloc'd. Parameters about which the driver says nothing are HET__PARAM_UNKNOWN: windows
 *  are not recognised then. */
het_status het__signature_read(cl_kernel kernel, const het_kernel *of, const char *device,
                               struct het__signature **signature_p);

/** An empty signature of `count` parameters; NULL without memory. */
struct het__signature *het__signature_new(int count);

/** Adds parameter number `at` of the cl_kernel behind the `count` that there are; the caller has room for it. A
 *  window goes to the buffer before it. */
void het__signature_add(struct het__signature *signature, int at, const struct het__cl_param *told);

/** The pointer of a HET_WINDOW of local memory, which is no window: its pointer and its struct are parameters
 *  like others. NULL: there is no such thing. */
const struct het__param *het__signature_local_window(const struct het__signature *signature);

/** How many parameters the cl_kernel has: with the windows. */
int het__signature_slots(const struct het__signature *signature);

/** True when a parameter is of a double precision type, or points to one. */
bool het__signature_uses_double(const struct het__signature *signature);

/** The name that a type has by the kernel's own text: "real" of "const real*" and "real[4]*", "struct body".
 *  False: it has none, or is more than such a type and one pointer to it or to rows of it. */
#define HET__OWN_TYPE_BYTES sizeof(((struct het__param *)NULL)->type_name)
bool het__type_own_name(const char *text, char name[HET__OWN_TYPE_BYTES]);

/** Sets a parameter's type, or its pointee's, and the alignment that the compiler gives that. */
void het__param_learn(struct het__param *param, het_type type, size_t align_bytes);

/** The type that drivers print as `text`: "float4", "unsigned int", "const uchar*" (the pointee's), "float[4]*"
 *  (that of the rows' numbers). 0 for structs, typedefs, pointers to pointers and everything else. */
het_type het__type_named(const char *text);

#endif
