/* plot.h - bandwidth against size: one panel for each ordered pair of memories, of boxes that are contiguous
 * and of others; the routes as lines, and which of them is taken from which size on. */
#ifndef HETERO_CALIBRATE_PLOT_H
#define HETERO_CALIBRATE_PLOT_H

#include "calibration/calibration.h"

/** Writes the drawing to a file, which is replaced whole. False with errno. */
bool plot_write(const struct het__calibration *calibration, const char *path);

#endif
