/* proof.h - does a device see the host's bytes in place?
 *
 * OpenCL promises coherence of CL_MEM_USE_HOST_PTR memory only through map and unmap. Hetero goes further
 * only where it has been tried on this machine: kernels and host write and read the same small,
 * page-unaligned and larger than 64 MiB blocks, in both directions, and two devices write disjoint parts
 * at once. The verdict is kept on disk, keyed by device identity, driver and library version.
 */
#ifndef HETERO_LIB_SYSTEM_PROOF_H
#define HETERO_LIB_SYSTEM_PROOF_H

#include "system/system.h"

/** *shares_p: may `device` use the host's memory in place, beside every device that already does? Only CPU
 *  devices are tried. The device's context is open. With open_lock, without the system's lock: it waits.
 *  Fails only without memory; a driver that fails the trial does not share. */
het_status het__proof_shares_host(het_device *device, bool *shares_p);

/** Forgets the verdicts that the system remembers; those on disk stay. */
void het__verdicts_free(het_system *system);

#endif
