/* choose.h - what a choice of route is made of: for its log, and for hetero-calibrate, which explains it. */
#ifndef HETERO_LIB_ROUTE_CHOOSE_H
#define HETERO_LIB_ROUTE_CHOOSE_H

#include "calibration/calibration.h"
#include "route/route.h"

/** The rows of the table; NULL behind the last. */
const struct het__route *het__route_at(size_t row);
/** NULL: none is called that. */
const struct het__route *het__route_named(const char *name);

/** The one that the system was told to take, where it applies; else NULL. */
const struct het__route *het__route_forced(const struct het__hop *hop);
/** What the calibration knows of the hop's memories and shape, or NULL. */
const struct het__cal_pair *het__route_pair(const struct het__hop *hop);
/** What it chose for the hop's bytes, or NULL. */
const struct het__cal_choice *het__route_calibrated(const struct het__hop *hop);
/** Bytes of a part, for a route that moves pieces in parts: what the system was told, else what the calibration
 *  chose, else the default; but more where there would be more than HET__PARTS_MOST parts
 *  (a staging buffer takes no more than 4 MiB at a time all the same). */
#define HET__PARTS_MOST 1024
size_t het__route_chunk_bytes(const struct het__hop *hop, const struct het__route *route);
/** How many parts may be on their way at a time, in the same way; 0: the route's own default. */
int het__route_depth(const struct het__hop *hop, const struct het__route *route);
bool het__route_barred(const struct het__hop *hop, const struct het__route *route);
/** What was measured, for the hop's bytes; false where nothing was. */
bool het__route_predict(const struct het__hop *hop, const struct het__route *route, double *ns_p);

/** The same; where a route of two hops was not measured, the sum of what the hops were, by `staged`. */
bool het__route_predict_way(const struct het__hop *hop, const struct het__route *route, double *ns_p);

/** What a choice of the calibration (NULL: there is none) says of a route's parts; 0: the route's own default,
 *  or the choice is another route's, or the route knows no such thing. */
struct het__parts {
	uint64_t bytes;
	int depth;
};
struct het__parts het__route_parts(const struct het__cal_choice *choice, const struct het__route *route);

/** What is known of what a route takes for a hop's bytes. EXTRAPOLATED: it was measured at larger sizes only,
 *  or at smaller ones. BEHIND: it was far behind, and so not measured at larger sizes, where others were. */
#define HET__KNOWNS(X)                       \
	X(BARRED, "barred")                  \
	X(BEHIND, "behind")                  \
	X(MEASURED, "measured")              \
	X(EXTRAPOLATED, "extrapolated")      \
	X(ASSUMED, "assumed")
enum het__known {
#define HET__KNOWN(name, text) HET__KNOWN_##name,
	HET__KNOWNS(HET__KNOWN)
#undef HET__KNOWN
};
struct het__judgement {
	enum het__known known;
	double ns;               /* MEASURED, EXTRAPOLATED, ASSUMED: predicted */
	uint64_t up_to_bytes;    /* BEHIND: it was far behind there, and not measured above */
};
struct het__judgement het__route_judge(const struct het__hop *hop, const struct het__route *route);
const char *het__route_known_name(enum het__known known);

/** Why a route is taken. KEPT: another one was measured to take less, but not by enough for a change. CHOSEN:
 *  the calibration says so, and has no times. LEAST: it says nothing, and this one is predicted to take
 *  least. INSTEAD: the one that would be taken, for any of these reasons, cannot make this copy. */
#define HET__WHYS(X)                                     \
	X(FORCED, "forced by HETERO_ROUTE")              \
	X(USER, "the user's choice")                     \
	X(FASTEST, "the fastest measured")               \
	X(KEPT, "kept: no other wins by enough")         \
	X(CHOSEN, "as the calibration says")             \
	X(LEAST, "predicted to take least")              \
	X(INSTEAD, "in place of one that cannot make this copy") \
	X(BARRED, "taken all the same: there is no other")
enum het__why {
#define HET__WHY(name, text) HET__WHY_##name,
	HET__WHYS(HET__WHY)
#undef HET__WHY
};
enum het__why het__route_why(const struct het__hop *hop, const struct het__route *chosen);
const char *het__route_why_words(enum het__why why);

/** "staged 123.0 us measured, the fastest measured; copy 150.0 us assumed; mapped barred": the choice with its
 *  parts and its reason, then the others. */
void het__route_explain(const struct het__hop *hop, const struct het__route *chosen, char *text, size_t bytes);

#endif
