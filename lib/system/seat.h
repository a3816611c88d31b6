/* seat.h - which device of the process may run a compiled program.
 *
 * A driver that has `programs_apart` may end the process where two of its devices run one program at once,
 * whichever systems they are of, because it has one table for all. So each of its devices has a seat, the
 * lowest one that is free in the process, from when its system is opened until that is closed. No seat runs
 * what was compiled for another. A binary is compiled already, so its kernels are for one seat at a time. A
 * forked child has no use for such a driver (`lost_in_forks`).
 */
#ifndef HETERO_LIB_SYSTEM_SEAT_H
#define HETERO_LIB_SYSTEM_SEAT_H

#include "system/system.h"

/** Gives a device its seat, or -1 where its driver is none of these. */
void het__seat_take(het_device *device);
void het__seat_leave(het_device *device);

#define HET__SEAT_BYTES 32

/** The compiler option by which a text becomes a program of the device's seat: "" for seat 0, and for devices
 *  of other drivers. */
void het__seat_option(const het_device *device, char option[HET__SEAT_BYTES]);

/** How many bytes at the front of a PoCL binary tell which program it is; behind them is what the driver adds
 *  when it compiles for more work-group sizes. */
#define HET__BINARY_HEAD 76

/** The seat that runs a binary's program. All zero: none. */
struct het__claim {
	struct het__claim *next;
	int seat;
	size_t bytes; /* of the head; 0: nothing is claimed */
	unsigned char head[HET__BINARY_HEAD];
};

/** Claims a program for the device's seat, for a kernel made of this binary, or of a text that became it. False
 *  where another seat has that program. Nothing is claimed then, nor where the device has no seat. */
bool het__claim_take(struct het__claim *claim, const het_device *device, const void *binary, size_t bytes);

/** The kernel is gone. */
void het__claim_leave(struct het__claim *claim);

#endif
