/* seat.h - which devices of the process may run one compiled program.
 *
 * A driver that is `pairs_only` ends the process where three devices run one program at once, whichever systems
 * they are of: it has one table for all. So its devices are counted in the whole process: each has a seat, the
 * lowest that is free when its system is opened, until that is closed. Seats 0 and 1 are a pair, 2 and 3 the
 * next: of two pairs neither runs what was compiled for the other. A binary is compiled already: two seats may
 * have kernels of one. A forked child has no use for such a driver (`lost_in_forks`).
 */
#ifndef HETERO_LIB_SYSTEM_SEAT_H
#define HETERO_LIB_SYSTEM_SEAT_H

#include "system/system.h"

/** Gives a device its seat, or -1 where its driver is none of these. */
void het__seat_take(het_device *device);
void het__seat_leave(het_device *device);

/** The number of a device's pair; 0 for devices of other drivers. */
static inline int het__pair_of(const het_device *device)
{
	return device->seat < 0 ? 0 : device->seat / 2;
}

#define HET__PAIR_BYTES 32

/** The compiler option by which a text becomes a program of the device's pair: "" for pair 0. */
void het__pair_option(const het_device *device, char option[HET__PAIR_BYTES]);

/** As many bytes at the front of PoCL's binaries tell which program it is; behind them is what the driver adds
 *  when it compiles for more work-group sizes. */
#define HET__BINARY_HEAD 76

/** The seats that run a binary's program. All zero: none. */
struct het__claim {
	struct het__claim *next;
	int first, last;
	size_t bytes; /* of the head; 0: nothing is claimed */
	unsigned char head[HET__BINARY_HEAD];
};

/** For a kernel of a binary: false where two other seats have that program. Nothing is claimed then, nor where
 *  the device has no seat. */
bool het__claim_take(struct het__claim *claim, const het_device *device, const void *binary, size_t bytes);

/** For a kernel whose program was given out as a binary: it is the pair's. Once; later calls change nothing. */
void het__claim_pair(struct het__claim *claim, const het_device *device, const void *binary, size_t bytes);

/** The kernel is gone. */
void het__claim_leave(struct het__claim *claim);

#endif
