/* move.c - bringing boxes to stores: which source, by which route, in how many hops.
 *
 * The source of a piece is a member in the target's memory, if there is one. Else, where the calibration knows
 * what the way from every member takes, the one from which it takes least; where it does not, the one with the
 * fewest and cheapest hops. Among equals a settled one comes before a promised one, then the lower number.
 * Routes are chosen for all that is missing at once. So how many bytes move does not depend on what is settled
 * and what pieces there are, which timing decides. Where the route between two devices goes by the host, a
 * piece first joins the home store, where later readers find it; so what is at home already goes from there.
 */

#include "array/carry.h"
#include "route/choose.h"

het_status het__value_move(const struct het__access *from, const struct het__access *to,
			   struct het__lane *asker, struct het__holder *holder, struct het__ref *task_p)
{
	const struct het__carriage carriage = {from, to, NULL, NULL, asker, holder};

	return het__carry(&carriage, task_p);
}

/* ---- sources ------------------------------------------------------------------------------------ */

/* All that is missing at once. This decides how each piece goes: what pieces there are depends on timing, and
 * if a piece decided, the number of hops, and so of bytes that move, would too. */
struct request {
	const struct het__value *value;
	struct het__box box; /* around what is missing */
	const struct het__memory *memory; /* where to */
	bool strided;                     /* not contiguous there */
	size_t bytes;
};

static bool is_strided(const struct het__value *value, const struct het__store *store,
		       const struct het__box *box)
{
	size_t offset;

	return !het__layout_contiguous(value->rank, value->element_bytes, &store->layout, box, &offset);
}

/* `first`: where the box begins in the target. */
static struct request request_of(const struct het__value *value, const struct het__box *box,
				 const struct het__store *to, const int64_t *first)
{
	struct het__box there = *box;

	for (int d = 0; d < value->rank; d++) {
		there.lo[d] = first[d];
		there.hi[d] = first[d] + box->hi[d] - box->lo[d];
	}
	return (struct request){.value = value,
				.box = *box,
				.memory = to->memory,
				.strided = is_strided(value, to, &there),
				.bytes = het__value_bytes(value, box)};
}

/* For what a store lacks of a box; it does lack something. */
static struct request request_for(const struct het__value *value, const struct het__store *store,
				  const struct het__box *box)
{
	struct het__box hull = *box;
	const uint64_t cells = het__directory_missing(&value->dir, box, store->slot, &hull);
	struct request request = request_of(value, &hull, store, hull.lo);

	request.bytes = value->element_bytes * (size_t)cells;
	return request;
}

/* Where a piece comes from, and how. */
struct way {
	struct het__store *store;
	struct het__hop hop; /* of all that was asked for */
	const struct het__route *route;
	int hops;
	double ns;
	bool measured; /* ns is what the calibration says */
	bool settled;
};

/* The ways from an entry's members that come into question. */
struct ways {
	int count;
	bool measured; /* all of them */
	struct way at[HET__STORES];
};

static struct way way_from(const struct request *request, const struct het__entry *entry, int slot)
{
	struct het__store *const store = request->value->store[slot];
	const struct het__hop hop = {store->memory, request->memory, request->bytes,
				     request->strided || is_strided(request->value, store, &request->box)};
	struct way way = {.store = store, .hop = hop, .route = het__route_choose(&hop)};

	way.hops = het__route_hops(way.route, &hop);
	way.measured = het__route_predict_way(&hop, way.route, &way.ns);
	if (!way.measured)
		way.ns = het__route_cost_ns(&hop, way.route);
	way.settled = (entry->settled >> slot) & 1;
	return way;
}

/* Nothing is measured inside a memory: what is there is near. */
static bool is_inside(const struct way *way)
{
	return way->hop.from == way->hop.to;
}

/* Where the home is a member, ways that lead by the home are left out. */
static void find_ways(const struct request *request, const struct het__entry *entry, struct ways *ways)
{
	const uint64_t members = entry->settled | entry->promised;

	ways->count = 0;
	ways->measured = true;
	for (int s = 0; s < request->value->top; s++) {
		struct way *const way = &ways->at[ways->count];

		if (!((members >> s) & 1))
			continue;
		*way = way_from(request, entry, s);
		if (way->hops > 1 && (members >> HET__HOME & 1))
			continue;
		ways->measured = ways->measured && (way->measured || is_inside(way));
		ways->count++;
	}
}

static bool is_better(const struct way *a, const struct way *b, bool measured)
{
	if (is_inside(a) != is_inside(b))
		return is_inside(a);
	if (a->hops != b->hops && !measured)
		return a->hops < b->hops;
	if (a->ns < b->ns || a->ns > b->ns)
		return a->ns < b->ns;
	return a->hops != b->hops ? a->hops < b->hops : a->settled && !b->settled;
}

/* The best member of an entry; its store is NULL where the value is lost. */
static struct way best_source(const struct request *request, const struct het__entry *entry)
{
	struct way best = {.hops = 1};
	struct ways ways;

	find_ways(request, entry, &ways);
	for (int i = 0; i < ways.count; i++)
		if (!best.store || is_better(&ways.at[i], &best, ways.measured))
			best = ways.at[i];
	return best;
}

het_status het__value_source(struct het__value *value, const struct het__box *piece, const struct het__box *box,
			     const struct het__access *to, struct het__store **store_p)
{
	const struct request request = request_of(value, box, to->store, to->box->lo);
	const struct way way = best_source(&request, het__directory_entry(&value->dir, piece));

	*store_p = way.store && way.hops == 1 ? way.store : value->store[HET__HOME];
	return way.hops == 1 ? HET_OK : het__value_fetch(value, *store_p, piece, NULL, NULL, NULL);
}

/* ---- parts -------------------------------------------------------------------------------------- */

/* Part number i of `count` of a box, cut along the outermost dimension that can be cut; may be empty. */
static struct het__box part_of(int rank, const struct het__box *box, int count, int i)
{
	struct het__box part = *box;
	int64_t extent;
	int d = 0;

	while (d < rank - 1 && box->hi[d] - box->lo[d] == 1)
		d++;
	extent = box->hi[d] - box->lo[d];
	part.lo[d] = box->lo[d] + extent / count * i + extent % count * i / count;
	part.hi[d] = box->lo[d] + extent / count * (i + 1) + extent % count * (i + 1) / count;
	return part;
}

/* ---- fetching ----------------------------------------------------------------------------------- */

/* A piece on its way to a store. */
struct fetch {
	struct het__value *value;
	struct het__store *store;
	struct request request;
	struct way way;
	struct het__lane *lane;
	struct het__holder *holder;
	int *started;
};

/* One hop of a piece, by the route of its way. */
static het_status hop(const struct fetch *f, struct het__store *from_store, struct het__store *to_store,
                      const struct het__box *box)
{
	const struct het__access from = het__access(f->value, from_store, box, HET__ACCESS_IN);
	const struct het__access to = het__access(f->value, to_store, box, HET__ACCESS_JOIN);
	const struct het__carriage carriage = {&from, &to, NULL, f->way.route, f->lane, f->holder};
	struct het__ref ref;
	het_status st = het__carry(&carriage, &ref);

	if (!st && f->started)
		++*f->started;
	return st;
}

/* A part is on its way to the target while the next one comes home: the tasks see to that by themselves. The
 * parts are entries of the directory until they have arrived. */
static het_status fetch_by_home(const struct fetch *f, const struct het__box *piece, int parts)
{
	struct het__store *home = f->value->store[HET__HOME];
	het_status st = HET_OK;

	for (int i = 0; i < parts && !st; i++) {
		const struct het__box part = part_of(f->value->rank, piece, parts, i);

		if (het__box_empty(f->value->rank, &part))
			continue;
		st = hop(f, f->way.store, home, &part);
		if (!st)
			st = hop(f, home, f->store, &part);
	}
	return st;
}

/* One piece of one entry from its best source to `store`. */
static het_status fetch_piece(struct fetch *f, const struct het__entry *entry, const struct het__box *piece)
{
	struct het__hop part;

	f->way = best_source(&f->request, entry);
	het__route_tell(f->value->system, &f->way.hop, f->way.route);
	if (f->way.hops == 1)
		return hop(f, f->way.store, f->store, piece);
	part = f->way.hop;
	part.bytes = het__value_bytes(f->value, piece);
	return fetch_by_home(f, piece, f->way.route->parts ? f->way.route->parts(&part) : 1);
}

/* Something is missing. */
static het_status fetch_missing(struct fetch *f, const struct het__box *box)
{
	struct het__directory *const dir = &f->value->dir;
	const struct het__entry *entry;
	struct het__box piece;
	het_status st = HET_OK;

	f->request = request_for(f->value, f->store, box);
	while (!st && het__directory_lacks(dir, box, f->store->slot, &piece, &entry))
		st = fetch_piece(f, entry, &piece);
	return st;
}

het_status het__value_fetch(struct het__value *value, struct het__store *store, const struct het__box *box,
                            struct het__lane *lane, struct het__holder *holder, int *started)
{
	const struct het__entry *entry;
	struct het__box piece;
	struct fetch fetch;

	if (!het__directory_lacks(&value->dir, box, store->slot, &piece, &entry))
		return HET_OK;
	fetch = (struct fetch){.value = value,
			       .store = store,
			       .lane = lane,
			       .holder = holder,
			       .started = started};
	return fetch_missing(&fetch, box);
}

struct het__store *het__value_newest(struct het__value *value, const struct het__box *box)
{
	const struct het__entry *const e = het__directory_entry(&value->dir, box);
	const uint64_t members = e->settled | e->promised;

	if (members & 1) /* of several copies the host's, as in HPL */
		return value->store[HET__HOME];
	for (int s = 1; s < value->top; s++)
		if ((members >> s) & 1)
			return value->store[s];
	return value->store[HET__HOME];
}
