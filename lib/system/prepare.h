/* prepare.h - the hook by which a device that is being opened is made ready for the route pack, whose kernel is
 * built then (lib/route/pack.c): never later, because compilers are waited for.
 */
#ifndef HETERO_LIB_SYSTEM_PREPARE_H
#define HETERO_LIB_SYSTEM_PREPARE_H

#include "system/system.h"

/** Builds the kernel for a device that has its context and a memory of its own. Where that fails the log is
 *  told, and the route does not apply to this memory. With open_lock, without the system's; waits. */
void het__pack_prepare(het_device *device);

#endif
