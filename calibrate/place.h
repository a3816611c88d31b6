/* place.h - the place where a calibration is written: what is there, and what of it is kept.
 *
 * What goes wrong is said on stderr.
 */
#ifndef HETERO_CALIBRATE_PLACE_H
#define HETERO_CALIBRATE_PLACE_H

#include "calibration/calibration.h"

/** From here to place_release the signals by which people end programs wait: a file is written beside the one
 *  that it replaces, and would be left there. */
void place_hold(void);
void place_release(void);

/** Can a file be written there? What is there and is no regular file is left alone. `own`: the path's folder is
 *  made if need be. False with a line on stderr. */
bool place_is_good(const char *path, bool own);

/** Waits until no other process is between place_keep and place_write of a file in the same folder. Returns
 *  what place_unlock gets. Where a folder cannot be locked, none is waited for. */
int place_lock(const char *path);
void place_unlock(int lock);

/** Takes over into a new calibration what the one that is there should not lose: what a user wrote, and the
 *  devices and pairs that were not measured now. A file that cannot be read is kept under another name; false
 *  where there is no memory to read it.
 *  `own`: where none is there, it takes over from the installed one, which programs used until now and will not
 *  look at any more. */
bool place_keep(const char *path, bool own, struct het__calibration *fresh);

/** Puts the new calibration in the old one's place. */
bool place_write(const char *path, const struct het__calibration *calibration);

#endif
