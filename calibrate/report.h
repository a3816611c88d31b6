/* report.h - what hetero-calibrate prints. */
#ifndef HETERO_CALIBRATE_REPORT_H
#define HETERO_CALIBRATE_REPORT_H

#include "check.h"
#include "measure.h"

/** The choices of every pair, what was barred, on stdout. */
void report_text(const struct het__calibration *calibration, const char *path);
/** The same and every point; false without memory, or without jansson. */
bool report_json(const struct het__calibration *calibration, const char *path);
/** For each shape of so many bytes from one memory to another: the route that is taken, and what is known of
 *  every route. No shapes where it is one memory. False without memory, or without jansson. */
bool report_explained(const struct options *options, const struct het__hop *between);
/** What would be measured. False without memory, or without jansson. */
bool report_planned(const struct memories *memories, const struct plan *plan);
/** What --check found. False without memory, or without jansson. */
bool report_checked(const struct verdict *verdict);

#endif
