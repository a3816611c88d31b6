/* report.h - what hetero-calibrate prints. */
#ifndef HETERO_CALIBRATE_REPORT_H
#define HETERO_CALIBRATE_REPORT_H

#include "calibration/calibration.h"

/** The choices of every pair, what was barred, on stdout. */
void report_text(const struct het__calibration *calibration, const char *path);
/** The same and every point; false without memory, or without jansson. */
bool report_json(const struct het__calibration *calibration, const char *path);

#endif
