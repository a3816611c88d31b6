/* setup.h - the steps by which a system is put together. Private to lib/system.
 *
 * Whatever a step makes is in the system from the start: after a failure het__system_free frees it.
 */
#ifndef HETERO_LIB_SYSTEM_SETUP_H
#define HETERO_LIB_SYSTEM_SETUP_H

#include <limits.h>

#include "calibration/file.h"
#include "system/discover.h"

/** Checks and completes options (NULL: the defaults) for a public function. The caller may have been compiled
 *  with an older header, whose struct ended earlier. HET_ERR_ARGUMENT. */
het_status het__options_read(const char *call, const struct het_options *given, struct het_options *options);

/** A system with nothing in it. */
het_status het__setup_system(const struct het_options *options, het_system **system_p);

/** Room for so many devices, their contexts and memories, so that nothing moves later; the host's memory. */
het_status het__setup_room(het_system *system, int devices);

/** A device like number `which` of those found. */
het_status het__setup_device(het_system *system, const struct het__found *found, int which, const char *name,
                             het_device **device_p);

/** Makes a device the part `id` of its root. The reference to `id` is the system's from now on. */
het_status het__setup_part(het_device *device, cl_device_id id);

/** A context that is made at its first use, with room for so many devices; NULL without memory. */
struct het__context *het__setup_context(het_system *system, const struct het__found_platform *platform,
					int room);
void het__setup_join(het_device *device, struct het__context *context);

/** Checks $HETERO_ROUTE, and reads the calibration where there is one that fits the devices. Trouble with the
 *  file is no failure: it is logged. */
het_status het__setup_calibration(het_system *system);

/** The place of the user's own calibration, which need not be there; false where there is no such place. */
bool het__setup_own_calibration(char path[PATH_MAX]);

/** The place of the calibration for all users, which need not be there. */
void het__setup_installed_calibration(char path[PATH_MAX]);

/** The file that HETERO_CALIBRATION names, there or not; without it the first place that has a file. False
 *  where no place has one, or none is wanted: `path` is then the last place, or "off". */
bool het__setup_find_calibration(char path[PATH_MAX]);

/** Reads a file for a system that has no calibration. False: refused, and the system still has none. */
bool het__setup_read_calibration(het_system *system, const char *path, struct het__cal_refusal *refusal);

/** What a device is known by in a calibration. */
het_status het__setup_identity(const het_device *device, struct het__cal_device *identity);

/** The last step: the system is watched if the environment asks for it, its devices are logged, and the end of
 *  main, and of the program, will be seen (base/at_end.h, untold.h). */
void het__setup_end(het_system *system);

#endif
