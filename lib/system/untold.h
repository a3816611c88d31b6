/* untold.h - failed calls of which the program has perhaps not heard. */
#ifndef HETERO_LIB_SYSTEM_UNTOLD_H
#define HETERO_LIB_SYSTEM_UNTOLD_H

#include "system/system.h"

/** Logs a het_open or het_open_context that failed, where `options`, as far as they could be read, wish it.
 *  Returns `status`. */
het_status het__open_refuse(const struct het_options *options, het_status status) __attribute__((cold));

/** Between the two the end of the program tells of the system's failed calls. Without its lock. Only for an
 *  open system; delist also for one that never was. */
void het__untold_enlist(het_system *system);
void het__untold_delist(het_system *system);

/** Warns of the system's failed calls if the program never asked about any; once for each system. */
void het__untold_tell(het_system *system, struct het__logger *logger);

#endif
