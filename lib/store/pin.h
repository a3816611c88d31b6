/* pin.h - host memory that a driver keeps pinned while a buffer lies over it. */
#ifndef HETERO_LIB_STORE_PIN_H
#define HETERO_LIB_STORE_PIN_H

#include "store/block.h"

/** From so many bytes on that were copied to or from a block's memory it is pinned: an H200's driver takes
 *  4.5 ms for as much that is not pinned, and 4 to 5 to pin anything large, so that to wait costs no more than
 *  twice the best. Tests make it smaller. */
extern uint64_t het__pin_from_bytes;

/** `bytes` of a block of the host's are about to be copied to or from a device, by a command of `lane` that is
 *  given the host's address. Where the driver is known to pin what buffers lie over, a buffer is made over the
 *  block once it is worth it, which takes some milliseconds, and stays as long as the block; no command uses
 *  it. Not over a caller's memory, and not beyond what may be pinned (system->staging_bytes, less what staging
 *  has and a lane may yet want), or an eighth of the device's memory, in which the driver may keep room for it.
 *  Without such a buffer copies are right as well. With the lock. */
void het__pin_for(struct het__block *block, const struct het__lane *lane, size_t bytes);

#endif
