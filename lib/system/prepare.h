/* prepare.h - the hooks by which the routes (lib/route) hear of what is opened: a system that is told to use
 * one of them, and a device, which is made ready for the route pack. Its kernel is built then and never later,
 * because compilers are waited for.
 */
#ifndef HETERO_LIB_SYSTEM_PREPARE_H
#define HETERO_LIB_SYSTEM_PREPARE_H

#include "system/system.h"

/** Builds the kernel for a device that has its context and a memory of its own, and makes a buffer, or one for
 *  each of `two_queues` which copies may go by at a time. Where that fails the log is told, and the route does
 *  not apply to this memory. With open_lock, without the system's; waits. */
void het__pack_prepare(het_device *device, bool two_queues);

/** Tells the log where the route that a system is told to take is possible nowhere. While it is being opened;
 *  its devices are there. */
void het__route_check(const het_system *system);

#endif
