/* place.h - the place where a calibration is written: what is there, and what of it is kept.
 *
 * What goes wrong is said on stderr.
 */
#ifndef HETERO_CALIBRATE_PLACE_H
#define HETERO_CALIBRATE_PLACE_H

#include "calibration/calibration.h"

/** From here to place_release the signals by which people end programs wait: files are written beside those
 *  that they replace, and would be left there. */
void place_hold(void);
void place_release(void);

/** Can a file be written there? What is there and is no regular file is left alone. `own`: its folder, which
 *  the path has, is made if need be. False with a line on stderr. */
bool place_is_good(const char *path, bool own);

/** Waits until no other process is between place_keep and place_write of a file in the same folder; what it
 *  returns place_unlock gets. Where a folder cannot be locked, nothing is. */
int place_lock(const char *path);
void place_unlock(int lock);

/** Takes over into a new calibration what of the one that is there is to be kept: what a user wrote, and the
 *  devices and pairs that were not measured now. A file that cannot be read is kept under another name; false
 *  where there is no memory to read it.
 *  `own`: where none is there, of the installed one, which programs used until now and do not look at any
 *  more. */
bool place_keep(const char *path, bool own, struct het__calibration *fresh);

/** Puts the new calibration in the old one's place. */
bool place_write(const char *path, const struct het__calibration *calibration);

#endif
