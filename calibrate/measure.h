/* measure.h - from a system to its calibration: which cells are measured, how often, and what is made of them.
 *
 * Of each pair of memories there is a series for each shape (series.h). What each device does by itself comes
 * last (speed.h).
 */
#ifndef HETERO_CALIBRATE_MEASURE_H
#define HETERO_CALIBRATE_MEASURE_H

#include "bench.h"

struct plan {
	bool quick;
	const char *only_from, *only_to; /* NULL: every pair */
	/** Told before each cell; `part` is how much of all is done, 0 to 1. */
	void (*progress)(const char *what, double part);
	/** Told of a pair that took long, where nobody sees progress; NULL: not. */
	void (*slow)(const char *what);
	/** Told what was not measured, and why. */
	void (*warn)(const char *what);
};

/** A route that can be taken between two memories by boxes of a shape, by number `i`; NULL behind the last. */
const char *route_between(const struct het__memory *from, const struct het__memory *to,
			  enum het__cal_shape shape, int i);

/** Is it measured what this device does by itself? Where a pair is named, only its devices are. */
bool is_planned_device(const struct plan *plan, const het_device *device);
/** The next device after number `d` that is planned, of the same kind and has the same memory: what edges apart
 *  save is measured of both. NULL: there is none. */
het_device *planned_partner(const struct plan *plan, het_system *system, int d);

/** An ordered pair of memories that is planned; a zeroed one comes before the first. */
struct planned {
	const struct het__memory *from, *to;
	int next;
};
/** Goes on to the next one; false behind the last. Pairs from the host come first, then those from each
 *  device's memory. */
bool next_planned(const struct plan *plan, const struct memories *memories, struct planned *pair);

/** Measures everything that is planned. The calibration is new: its devices, then its pairs. Fails where
 *  nothing was found out about any pair. */
het_status measure(const struct memories *memories, const struct plan *plan,
                   struct het__calibration *calibration);

#endif
