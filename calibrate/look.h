/* look.h - what hetero-calibrate tells of a machine without measuring. */
#ifndef HETERO_CALIBRATE_LOOK_H
#define HETERO_CALIBRATE_LOOK_H

#include "options.h"

/** What would be measured, or which route is taken; the exit status. What goes wrong is said on stderr. */
int look(const struct options *options);

#endif
