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

#define SAMPLE_MOST 999

/** The median of `part` over the median of `whole`, of pairs: `count` of each, 1 to SAMPLE_MOST. The interval
 *  is where this ratio lies in 95 of 100 samples drawn from the pairs (bootstrap; the same draws each time):
 *  where wholes are small, or not all above 0, the ratios of single pairs would say nothing. Draws whose whole
 *  is not above 0 are left out; where all are, the interval is all numbers. */
struct estimate estimate_part(const double *part, const double *whole, int count);

#endif
