/* choose.h - what a choice of route is made of: for its log, and for hetero-calibrate, which explains it. */
#ifndef HETERO_LIB_ROUTE_CHOOSE_H
#define HETERO_LIB_ROUTE_CHOOSE_H

#include "calibration/calibration.h"
#include "route/route.h"

/** The rows of the table; NULL behind the last. */
const struct het__route *het__route_at(size_t row);
/** NULL: none is called that. */
const struct het__route *het__route_named(const char *name);

/** What the calibration knows of the hop's memories and shape, or NULL. */
const struct het__cal_pair *het__route_pair(const struct het__hop *hop);
/** What it chose for the hop's bytes, or NULL. */
const struct het__cal_choice *het__route_calibrated(const struct het__hop *hop);
/** Of a part, for a route that moves pieces in parts: what the system was told, else what the calibration
 *  chose, else the default; but never so little that there are more than HET__PARTS_MOST parts. */
#define HET__PARTS_MOST 1024
size_t het__route_chunk_bytes(const struct het__hop *hop, const struct het__route *route);
/** How many parts may be on their way at a time, in the same way; 0: the route's own default. */
int het__route_depth(const struct het__hop *hop, const struct het__route *route);
bool het__route_barred(const struct het__hop *hop, const struct het__route *route);
/** What was measured, for the hop's bytes; false where nothing was. */
bool het__route_predict(const struct het__hop *hop, const struct het__route *route, double *ns_p);

/** The same; what goes by the host may also be the sum of what its two halves were measured to take. */
bool het__route_predict_way(const struct het__hop *hop, const struct het__route *route, double *ns_p);

/** What is known of what a route takes for a hop's bytes. */
enum het__known { HET__KNOWN_BARRED, HET__KNOWN_BEHIND, HET__KNOWN_MEASURED, HET__KNOWN_ASSUMED };
struct het__judgement {
	enum het__known known;
	double ns;               /* MEASURED, ASSUMED: predicted */
	uint64_t up_to_bytes;    /* BEHIND: it was far behind there, and not measured above */
};
struct het__judgement het__route_judge(const struct het__hop *hop, const struct het__route *route);

/** "staged, 123 us measured; copy 150 us assumed; mapped barred": the choice, then the others. */
void het__route_explain(const struct het__hop *hop, const struct het__route *chosen, char *text, size_t bytes);

#endif
