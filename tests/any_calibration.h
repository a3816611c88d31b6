/* any_calibration.h - calibrations as they come: whatever a file may hold, in any mixture. */
#ifndef HETERO_TESTS_ANY_CALIBRATION_H
#define HETERO_TESTS_ANY_CALIBRATION_H

#include "calibration/calibration.h"

/** Fills one with what random_next gives. The caller frees it. */
void any_calibration(struct het__calibration *c);
/** The name of a device's memory, by its number; -1: of the host's. */
const char *calibrated_memory(const struct het__calibration *c, int i);
void assert_equal_calibrations(const struct het__calibration *a, const struct het__calibration *b);

#endif
