/* choose.c - the table of routes, and which of them a hop takes.
 *
 * In this order: what HETERO_ROUTE names, where it applies; what the calibration chose for this pair of
 * memories, shape and size, where it applies; of those that apply and are not barred the one that is predicted
 * to take least, by measurements or, where there are none, by what is assumed. Ties go to the first row of the
 * table.
 */
#include "route/choose.h"

#include <string.h>

static const struct het__route *const table[] = {
	&het__route_repack,
	&het__route_copy,
	&het__route_staged,
	&het__route_chunked,
	&het__route_pinned,
	&het__route_mapped,
	&het__route_pack,
};

const struct het__route *het__route_at(size_t row)
{
	return row < sizeof table / sizeof table[0] ? table[row] : NULL;
}

const struct het__route *het__route_named(const char *name)
{
	for (size_t row = 0; row < sizeof table / sizeof table[0]; row++)
		if (strcmp(table[row]->name, name) == 0)
			return table[row];
	return NULL;
}

static const het_system *system_of(const struct het__hop *hop)
{
	const het_device *const device = hop->to->owner ? hop->to->owner : hop->from->owner;

	return device ? device->system : NULL;
}

const struct het__cal_pair *het__route_pair(const struct het__hop *hop)
{
	const het_system *const system = system_of(hop);

	if (!system || !system->calibration)
		return NULL;
	return het__calibration_between(system->calibration, hop->from->known, hop->to->known,
					hop->strided ? HET__CAL_STRIDED : HET__CAL_CONTIGUOUS);
}

bool het__route_barred(const struct het__hop *hop, const struct het__route *route)
{
	const struct het__cal_pair *const pair = het__route_pair(hop);

	return pair && het__cal_bar(pair, het__cal_route_of(route->name));
}

bool het__route_predict(const struct het__hop *hop, const struct het__route *route, double *ns_p)
{
	const struct het__cal_pair *const pair = het__route_pair(hop);

	return pair && het__cal_predict(pair, het__cal_route_of(route->name), hop->bytes, ns_p);
}

bool het__route_predict_way(const struct het__hop *hop, const struct het__route *route, double *ns_p)
{
	struct het__hop in = *hop, out = *hop;
	double in_ns, out_ns;

	if (het__route_predict(hop, route, ns_p))
		return true;
	if (het__route_hops(route, hop) == 1)
		return false;
	in.to = out.from = system_of(hop)->memories[0];
	if (!het__route_predict(&in, &het__route_staged, &in_ns) ||
	    !het__route_predict(&out, &het__route_staged, &out_ns))
		return false;
	*ns_p = in_ns + out_ns;
	return true;
}

double het__route_cost_ns(const struct het__hop *hop, const struct het__route *route)
{
	double ns;

	return het__route_predict(hop, route, &ns) ? ns : route->cost_ns(hop);
}

/* ---- the choice -------------------------------------------------------------------------------- */

/* NULL: there is none of this name, or it does not apply. */
static const struct het__route *find(const struct het__hop *hop, const char *name)
{
	const struct het__route *const route = het__route_named(name);

	return route && route->applies(hop) ? route : NULL;
}

const struct het__route *het__route_forced(const struct het__hop *hop)
{
	const het_system *const system = system_of(hop);

	return system && system->route && hop->from != hop->to ? find(hop, system->route) : NULL;
}

const struct het__cal_choice *het__route_calibrated(const struct het__hop *hop)
{
	const struct het__cal_pair *const pair = het__route_pair(hop);

	return pair ? het__cal_choice(pair, hop->bytes) : NULL;
}

/* What the calibration chose, where that is this route. */
static const struct het__cal_choice *choice_of(const struct het__hop *hop, const struct het__route *route)
{
	const struct het__cal_choice *const choice = het__route_calibrated(hop);

	return choice && strcmp(het__cal_route_name(choice->route), route->name) == 0 ? choice : NULL;
}

size_t het__route_chunk_bytes(const struct het__hop *hop, const struct het__route *route)
{
	const size_t told = system_of(hop)->chunk_bytes, least = hop->bytes / HET__PARTS_MOST + 1;
	const struct het__cal_choice *const choice = told ? NULL : choice_of(hop, route);
	size_t bytes = told ? told : HET__CHUNK_BYTES;

	if (choice && choice->chunk_bytes)
		bytes = (size_t)choice->chunk_bytes;
	return bytes > least ? bytes : least;
}

int het__route_depth(const struct het__hop *hop, const struct het__route *route)
{
	const int told = system_of(hop)->depth;
	const struct het__cal_choice *const choice = told ? NULL : choice_of(hop, route);

	return choice ? choice->depth : told;
}

struct het__parts het__route_parts(const struct het__cal_choice *choice, const struct het__route *route)
{
	struct het__parts parts = {0, 0};

	if (!choice || !route || strcmp(het__cal_route_name(choice->route), route->name) != 0)
		return parts;
	if (route->parts || route->through)
		parts.bytes = choice->chunk_bytes;
	if (route->through)
		parts.depth = choice->depth;
	return parts;
}

static const struct het__route *calibrated(const struct het__hop *hop)
{
	const struct het__cal_choice *const choice = het__route_calibrated(hop);
	const struct het__route *const route = choice ? find(hop, het__cal_route_name(choice->route)) : NULL;

	return route && !het__route_barred(hop, route) ? route : NULL;
}

/* Which routes come into question. Measured and assumed times do not compare: where any of these routes was
 * measured, only measured ones count. */
struct wish {
	bool one_hop, barred_too;
	het__route_test *can;      /* NULL: all can */
	const void *about;
};

/* NULL: none. */
static const struct het__route *cheapest(const struct het__hop *hop, struct wish wish)
{
	const struct het__route *best = NULL;
	bool best_known = false;
	double best_ns = 0;

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		bool known;
		double ns;

		if (!table[i]->applies(hop) || (!wish.barred_too && het__route_barred(hop, table[i])) ||
		    (wish.one_hop && het__route_hops(table[i], hop) > 1) ||
		    (wish.can && !wish.can(wish.about, hop, table[i])))
			continue;
		known = het__route_predict(hop, table[i], &ns);
		if (!known)
			ns = table[i]->cost_ns(hop);
		if (!best || known > best_known || (known == best_known && ns < best_ns)) {
			best = table[i];
			best_known = known;
			best_ns = ns;
		}
	}
	return best;
}

/* Where all are barred one of them is taken: a copy must be made somehow. */
static const struct het__route *any(const struct het__hop *hop, struct wish wish)
{
	const struct het__route *const good = cheapest(hop, wish);

	wish.barred_too = true;
	return good ? good : cheapest(hop, wish);
}

const struct het__route *het__route_choose(const struct het__hop *hop)
{
	const struct het__route *route = het__route_forced(hop);

	if (!route)
		route = calibrated(hop);
	return route ? route : any(hop, (struct wish){.one_hop = false});
}

const struct het__route *het__route_direct(const struct het__hop *hop)
{
	const struct het__route *const route = het__route_choose(hop);

	return het__route_hops(route, hop) == 1 ? route : any(hop, (struct wish){.one_hop = true});
}

const struct het__route *het__route_instead(const struct het__hop *hop, het__route_test *can, const void *about)
{
	return any(hop, (struct wish){.one_hop = true, .can = can, .about = about});
}
