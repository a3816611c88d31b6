/* bench.h - one array that bytes are sent with: made in one memory, moved by one route, checked in another.
 *
 * Every repetition has other data, which depend on where they stand: so bytes that were not moved, or moved to
 * another place, show. They are made and checked where they lie: by kernels on devices, by the processor in the
 * host's memory. The move is the library's own (het_prefetch), with one route named to it, so that what is
 * measured is what programs get.
 */
#ifndef HETERO_CALIBRATE_BENCH_H
#define HETERO_CALIBRATE_BENCH_H

#include <hetero.h>

#include "route/choose.h"

/** The memories of a system: the host's, and those of devices that have one of their own. */
struct memories {
	het_system *system;
	int count;
	const struct het__memory **at; /* [0] is the host's */
	het_kernel *make, *check;
};

/** Opens every device of the system, ready for every route. None may have been used before. */
het_status memories_open(het_system *system, struct memories *memories);
void memories_free(struct memories *memories);

/** An array of which a box of `bytes` is moved: one run, or rows with gaps. */
struct bench {
	const struct memories *memories;
	const struct het__memory *from, *to;
	het_array *array, *found;
	struct het_box box;
	size_t bytes;
	bool strided;
	int64_t rows, pitch; /* rows of 1 KiB; how far apart they are, in words of 4 bytes */
	char why[128];       /* the last failure, in few words */
	bool no_memory;      /* it was for want of memory, whosever */
	bool may_pass;       /* or for what may be over in a moment */
	unsigned tried_again; /* which routes were, a bit for each number */
	void (*warn)(const char *what);
};

/** How large a device's memory is, and the largest buffer: as its driver tells. Where that tells nothing (0), a
 *  memory is taken to have ASSUMED_BYTES, and a buffer a quarter of it, which is what OpenCL demands. */
#define ASSUMED_BYTES ((uint64_t)1 << 30)
uint64_t bench_memory_bytes(const het_device *device);
uint64_t bench_buffer_bytes(const het_device *device);

/** May so many bytes be moved there? An array of twice as many is made; beside it drivers need room of their
 *  own. */
bool bench_has_room(const struct het__memory *memory, size_t bytes);

/** `bytes`: whole KiB. `warn` is told of what failed and did not again; NULL: nothing is tried again. When it
 *  fails, `why` tells how, and there is nothing to close. */
het_status bench_open(const struct memories *memories, const struct het__memory *from,
                      const struct het__memory *to, bool strided, size_t bytes,
                      void (*warn)(const char *what), struct bench *bench);
void bench_close(struct bench *bench);

/** How much is checked afterwards: 0 all, else one of 16 stripes. */
#define STRIPES 16

/** The order of turns in a round, another one in every round: what ran before decides whose thread is still
 *  awake, the driver's or ours, and with small boxes that decides more than the route. */
void bench_order(int *order, int count, unsigned round);

/** How a repetition ended. */
enum bench_end {
	BENCH_DONE,   /* *ns_p and *wrong_p are set */
	BENCH_FAILED, /* the route failed; if CL_OUT_OF_RESOURCES was why, it was tried again, once at a size */
	BENCH_BROKEN, /* no memory, or the data could not be made or looked at: no word on the route */
};

/** One repetition, with data that no other one has. Nothing of it is under way afterwards; when it failed,
 *  `why` tells how. *wrong_p: how many of the words that were looked at are wrong. */
enum bench_end bench_run(struct bench *bench, const char *route, int stripe, double *ns_p, uint64_t *wrong_p);

#endif
