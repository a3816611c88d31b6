/* samples.h - how long repetitions took, and the point that is made of them. */
#ifndef HETERO_CALIBRATE_SAMPLES_H
#define HETERO_CALIBRATE_SAMPLES_H

#include "calibration/calibration.h"

#define MOST_SAMPLES 31

struct samples {
	int count;
	double ns[MOST_SAMPLES];
};

/** Median and spread of one sample or more, which it sorts. */
struct het__cal_point samples_point(struct samples *samples, size_t bytes);

#endif
