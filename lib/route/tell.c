/* tell.c - tells the log which route was chosen, once for every pair of memories, shape and power of two, and
 * once more for these where another route had to be taken instead.
 */
#include "route/choose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "system/prepare.h"

/* ---- in words ---------------------------------------------------------------------------------- */

struct line {
	char *text;
	size_t bytes, length;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
	va_list arguments;
	int more;

	va_start(arguments, format);
	more = vsnprintf(line->text + line->length, line->bytes - line->length, format, arguments);
	va_end(arguments);
	if (more > 0)
		line->length += (size_t)more;
	if (line->length >= line->bytes)
		line->length = line->bytes - 1;
}

/* The largest size at which the route was measured, where the hop is larger and others were measured beyond it:
 * the route was dropped, being far behind. Else 0; also for a user's numbers, which end where he likes. */
static uint64_t measured_up_to(const struct het__hop *hop, const struct het__route *route)
{
	const struct het__cal_pair *const pair = het__route_pair(hop);
	const int number = het__cal_route_of(route->name);
	const struct het__cal_curve *const own = pair ? het__cal_curve(pair, number) : NULL;
	const uint64_t last = own ? own->at[own->count - 1].bytes : 0;

	if (!own || own->origin == HET__CAL_USER || hop->bytes <= last)
		return 0;
	for (int i = 0; i < pair->curve_count; i++)
		if (pair->curve[i].origin != HET__CAL_USER &&
		    pair->curve[i].at[pair->curve[i].count - 1].bytes > last)
			return last;
	return 0;
}

/* Was the route measured at sizes on both sides of the hop's? */
static bool is_within(const struct het__hop *hop, const struct het__route *route)
{
	const struct het__cal_curve *const curve =
		het__cal_curve(het__route_pair(hop), het__cal_route_of(route->name));

	return hop->bytes >= curve->at[0].bytes && hop->bytes <= curve->at[curve->count - 1].bytes;
}

const char *het__route_known_name(enum het__known known)
{
#define HET__KNOWN(name, text) text,
	static const char *const names[] = {HET__KNOWNS(HET__KNOWN)};
#undef HET__KNOWN
	return names[known];
}

struct het__judgement het__route_judge(const struct het__hop *hop, const struct het__route *route)
{
	struct het__judgement judgement = {HET__KNOWN_BARRED, 0, measured_up_to(hop, route)};

	if (het__route_barred(hop, route))
		return judgement;
	judgement.known = HET__KNOWN_BEHIND;
	if (judgement.up_to_bytes)
		return judgement;
	if (het__route_predict(hop, route, &judgement.ns)) {
		judgement.known = is_within(hop, route) ? HET__KNOWN_MEASURED : HET__KNOWN_EXTRAPOLATED;
		return judgement;
	}
	judgement.known = HET__KNOWN_ASSUMED;
	judgement.ns = route->cost_ns(hop);
	return judgement;
}

static void add_route(struct line *line, const struct het__hop *hop, const struct het__route *route)
{
	const struct het__judgement judgement = het__route_judge(hop, route);
	char takes[HET__TIME_BYTES];

	switch (judgement.known) {
	case HET__KNOWN_BARRED:
		add(line, "%s barred", route->name);
		break;
	case HET__KNOWN_BEHIND:
		add(line, "%s far behind at %llu bytes, not measured above", route->name,
		    (unsigned long long)judgement.up_to_bytes);
		break;
	default:
		add(line, "%s %s %s", route->name, het__time_words(takes, judgement.ns),
		    het__route_known_name(judgement.known));
	}
}

static void add_parts(struct line *line, struct het__parts parts)
{
	if (parts.bytes)
		add(line, ", in parts of %llu bytes", (unsigned long long)parts.bytes);
	if (parts.depth)
		add(line, ", %d%s at a time", parts.depth, parts.bytes ? "" : " parts");
}

/* ---- why --------------------------------------------------------------------------------------- */

/* Was another route that may be taken measured to take less? Where `chosen` was measured at larger sizes only,
 * or at smaller ones, the nearest counts: the choice was made there. */
static bool is_beaten(const struct het__hop *hop, const struct het__route *chosen)
{
	const struct het__cal_curve *const curve =
		het__cal_curve(het__route_pair(hop), het__cal_route_of(chosen->name));
	const uint64_t last = curve->at[curve->count - 1].bytes;
	struct het__hop at = *hop;
	const struct het__route *route;
	double ns, other_ns;

	if (at.bytes > last)
		at.bytes = (size_t)last;
	if (at.bytes < curve->at[0].bytes)
		at.bytes = (size_t)curve->at[0].bytes;
	het__route_predict(&at, chosen, &ns);
	for (size_t row = 0; (route = het__route_at(row)) != NULL; row++)
		if (route != chosen && route->applies(hop) && !het__route_barred(hop, route) &&
		    het__route_predict(&at, route, &other_ns) && is_within(&at, route) && other_ns < ns)
			return true;
	return false;
}

enum het__why het__route_why(const struct het__hop *hop, const struct het__route *chosen)
{
	const struct het__cal_choice *const choice = het__route_calibrated(hop);
	double ns;

	if (het__route_forced(hop) == chosen)
		return HET__WHY_FORCED;
	if (het__route_barred(hop, chosen))
		return HET__WHY_BARRED;
	if (chosen != het__route_choose(hop) && chosen != het__route_direct(hop))
		return HET__WHY_INSTEAD;
	if (!choice || strcmp(het__cal_route_name(choice->route), chosen->name) != 0)
		return HET__WHY_LEAST;
	if (choice->origin == HET__CAL_USER)
		return HET__WHY_USER;
	if (!het__route_predict(hop, chosen, &ns))
		return HET__WHY_CHOSEN;
	return is_beaten(hop, chosen) ? HET__WHY_KEPT : HET__WHY_FASTEST;
}

const char *het__route_why_words(enum het__why why)
{
#define HET__WHY(name, text) text,
	static const char *const words[] = {HET__WHYS(HET__WHY)};
#undef HET__WHY
	return words[why];
}

/* ---- all of it --------------------------------------------------------------------------------- */

void het__route_explain(const struct het__hop *hop, const struct het__route *chosen, char *text, size_t bytes)
{
	struct line line = {text, bytes, 0};
	const struct het__route *route;

	add_route(&line, hop, chosen);
	add_parts(&line, het__route_parts(het__route_calibrated(hop), chosen));
	add(&line, ", %s", het__route_why_words(het__route_why(hop, chosen)));
	for (size_t row = 0; (route = het__route_at(row)) != NULL; row++)
		if (route != chosen && route->applies(hop)) {
			add(&line, "; ");
			add_route(&line, hop, route);
		}
}

void het__route_check(const het_system *system)
{
	const struct het__route *const route = het__route_named(system->route);
	const char *const why = route && route->nowhere ? route->nowhere(system) : NULL;

	if (why)
		het__log(system->logger, HET_LOG_WARN, "route",
			 "HETERO_ROUTE=%s is possible nowhere: %s; bytes go as they would without it",
			 route->name, why);
}

/* ---- once -------------------------------------------------------------------------------------- */

static struct het__told *told_of(het_system *system, const struct het__hop *hop, bool instead)
{
	struct het__told *told;

	for (int i = 0; i < system->told_count; i++) {
		told = &system->told[i];
		if (told->from == hop->from->index && told->to == hop->to->index &&
		    told->strided == hop->strided && told->instead == instead)
			return told;
	}
	if (het__grow(&system->told, &system->told_room, system->told_count + 1, sizeof *system->told))
		return NULL;
	told = &system->told[system->told_count++];
	*told = (struct het__told){hop->from->index, hop->to->index, hop->strided, instead, 0};
	return told;
}

static int size_class(size_t bytes)
{
	int class = 0;

	while (bytes >>= 1)
		class ++;
	return class;
}

void het__route_tell_now(het_system *system, const struct het__hop *hop, const struct het__route *route)
{
	const uint64_t bit = UINT64_C(1) << size_class(hop->bytes);
	const bool instead = het__route_why(hop, route) == HET__WHY_INSTEAD;
	struct het__told *const told = told_of(system, hop, instead);
	char text[512];

	if (!told || (told->sizes & bit))
		return;
	told->sizes |= bit;
	het__route_explain(hop, route, text, sizeof text);
	het__log(system->logger, HET_LOG_TRACE, "route", "%s to %s, %zu bytes%s: %s",
		 het__memory_name(hop->from), het__memory_name(hop->to), hop->bytes,
		 hop->strided ? " in rows" : "", text);
}
