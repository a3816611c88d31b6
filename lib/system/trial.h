/* trial.h - the experiment behind a verdict on shared memory. Private to lib/system. */
#ifndef HETERO_LIB_SYSTEM_TRIAL_H
#define HETERO_LIB_SYSTEM_TRIAL_H

#include "system/system.h"

/** Does the device see what the host writes, and the host what the device writes, in memory that neither
 *  hands over? And with `partner` not NULL: do the two devices and the host write disjoint bytes of one
 *  block at the same time without loss?
 *  *right_p is the answer. Anything but HET_OK means that it could not be tried: HET_ERR_MEMORY, or what
 *  the driver said. Waits; holds no lock but open_lock, and the system's for drivers that need it. */
het_status het__trial(het_device *device, het_device *partner, bool *right_p);

#endif
