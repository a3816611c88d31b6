/* check.h - does a calibration fit this machine, and tell of everything that is in use? */
#ifndef HETERO_CALIBRATE_CHECK_H
#define HETERO_CALIBRATE_CHECK_H

#include <limits.h>

#include "calibration/file.h"
#include "options.h"

/** What nothing was measured of. */
struct gap {
	const char *device;        /* alone, or NULL: */
	const char *from, *to;     /* two memories, */
	enum het__cal_shape shape; /* and boxes of this shape; HET__CAL_SHAPES: of any */
};

struct verdict {
	char path[PATH_MAX]; /* "": there is no file */
	const char *reason;  /* why programs do not use it; NULL: they do */
	char text[2 * PATH_MAX + 100]; /* the same in words */
	const struct het__calibration *calibration; /* NULL: programs do not use it */
	struct gap *gap;
	int gap_count;
};

/** Says what it found; the exit status. Each reason for a failure is said on stderr. */
int check(const struct options *options);

#endif
