/* sample.h - paired measurements: clocks, medians, and an interval that says how far to trust a median. */
#ifndef COMMON_SAMPLE_H
#define COMMON_SAMPLE_H

/** Seconds of the wall clock, of this thread's CPU time, of all threads' CPU time. */
double wall_seconds(void);
double thread_seconds(void);
double process_seconds(void);

#define SAMPLE_FEWEST 6 /* values that have an interval */

/** A median with its distribution-free 95 % confidence interval (order statistics of the sign test). */
struct estimate {
	double low, median, high;
};

/** Sorts `sample` (count >= 1). With fewer than SAMPLE_FEWEST values the interval is their range. */
struct estimate estimate(double *sample, int count);

#endif
