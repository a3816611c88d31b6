/* report.h - what hetero-calibrate prints. */
#ifndef HETERO_CALIBRATE_REPORT_H
#define HETERO_CALIBRATE_REPORT_H

#include "route/choose.h"

/** The choices of every pair, what was barred, on stdout. */
void report_text(const struct het__calibration *calibration, const char *path);
/** The same and every point; false without memory, or without jansson. */
bool report_json(const struct het__calibration *calibration, const char *path);
/** Of every shape of so many bytes from one memory to another: the route that is taken, and what is known of
 *  each. False without memory, or without jansson. */
bool report_explained(const struct het__memory *from, const struct het__memory *to, size_t bytes);

#endif
