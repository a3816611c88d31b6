/* systems.h - systems as hetero-calibrate opens them, and the memories in them. */
#ifndef HETERO_CALIBRATE_SYSTEMS_H
#define HETERO_CALIBRATE_SYSTEMS_H

#include "bench.h"
#include "options.h"

/** "hetero-calibrate: what" on stderr; EXIT_FAILURE. */
int failed(const char *what);

/** `calibration`: the file to use, or "off"; "": what programs use. HETERO_ROUTE counts only where it is
 *  explained what programs do. */
het_status open_system(const struct options *options, const char *calibration, het_system **system_p);
/** The same, with its memories; close_memories closes both. */
het_status open_memories(const struct options *options, const char *calibration, struct memories *memories);

/** Returns `result`, or EXIT_FAILURE if closing fails, which is said. */
int close_memories(struct memories *memories, int result);

/** NULL: none is called that. */
const struct het__memory *memory_named(const struct memories *memories, const char *name);

/** The same; for a device that uses the host's memory, the host's. */
const struct het__memory *memory_of(const struct memories *memories, const char *name);

/** Are there the memories that were named, and is there anything to be measured between them? If not, it is
 *  said. */
bool are_memories(const struct memories *memories, const struct options *options);

#endif
