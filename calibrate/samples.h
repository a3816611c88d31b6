/* samples.h - how long repetitions took, and the point that is made of them. */
#ifndef HETERO_CALIBRATE_SAMPLES_H
#define HETERO_CALIBRATE_SAMPLES_H

#include "calibration/calibration.h"

#define MOST_SAMPLES 33

struct samples {
	int count;
	double ns[MOST_SAMPLES];
};

/** One more, unless there is no room. */
void samples_add(struct samples *samples, double ns);

/** The median of one sample or more, which it sorts, and its spread: twice 1.57 times the distance of the
 *  quartiles by the root of the number. Medians of the same thing, measured twice, seldom differ by more than
 *  the larger of their spreads (the notches of McGill, Tukey, Larsen: Variations of Box Plots, The American
 *  Statistician 32, 1978). */
struct het__cal_point samples_point(struct samples *samples, size_t bytes);

#endif
