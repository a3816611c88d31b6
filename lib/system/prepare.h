/* prepare.h - the hooks by which the routes (lib/route) hear of what is opened: a system that is told to use
 * one of them, and a device, which is made ready for the route pack. The kernel of pack is built then and never
 * later: a route is chosen with the lock held, where no compiler is waited for.
 */
#ifndef HETERO_LIB_SYSTEM_PREPARE_H
#define HETERO_LIB_SYSTEM_PREPARE_H

#include "system/system.h"

/** Builds the kernel for a device that has its context and a memory of its own, and makes a buffer, or two
 *  where copies may go by two queues at a time. Where that fails the log is told, and the route does not apply
 *  to this memory. With open_lock, without the system's; waits. */
void het__pack_prepare(het_device *device, bool two_queues);

/** Tells the log if the route that a system is told to take is possible nowhere. Called while the system is
 *  being opened and has its devices. */
void het__route_check(const het_system *system);

#endif
