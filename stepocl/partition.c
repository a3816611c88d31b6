/* partition.c - see partition.h. */
#include "partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static const struct argument *stencil_of(const struct description *description)
{
	return description->stencil < 0 ? NULL : &description->argument[description->stencil];
}

int64_t zone_elements(const struct zone *zone)
{
	int64_t elements = 1;

	for (int d = 0; d < MOST_RANK; d++)
		elements *= zone->hi[d] > zone->lo[d] ? zone->hi[d] - zone->lo[d] : 0;
	return elements;
}

/* How far the points lead to both sides of an element, together: the projection of the shadow. 0 in every
 * dimension where there are no points: what is read whole is sent to all, wherever the cuts are. */
static int64_t reach(const struct argument *stencil, int d)
{
	int64_t lo = 0, hi = 0;

	for (int p = 0; stencil && p < stencil->points; p++) {
		const int64_t step = stencil->point[p][d];
		lo = step < lo ? step : lo;
		hi = step > hi ? step : hi;
	}
	return hi - lo;
}

/* The elements that one cut across dimension d makes two neighbours exchange. A real number, because products
 * with a reach may be too large for an integer. */
static double traffic(const struct description *description, int d)
{
	double elements = (double)reach(stencil_of(description), d);

	for (int i = 0; i < description->rank; i++)
		elements *= i == d ? 1 : (double)description->global[i];
	return elements;
}

void partition_order(const struct description *description, int order[MOST_RANK])
{
	for (int n = 0; n < MOST_RANK; n++)
		order[n] = description->rank - 1 - n;
	for (int n = 1; n < description->rank; n++)
		for (int i = n; i && traffic(description, order[i]) < traffic(description, order[i - 1]); i--) {
			const int other = order[i];
			order[i] = order[i - 1];
			order[i - 1] = other;
		}
}

static int common_divisor(int64_t a, int64_t b)
{
	while (b) {
		const int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return (int)a;
}

int partition_choose(int rank, const int64_t groups[MOST_RANK], const int order[MOST_RANK], int devices,
		     int fewer, int parts[MOST_RANK])
{
	int best = 0;

	for (int wanted = devices; wanted >= 1 && wanted >= devices - fewer && best < wanted; wanted--) {
		int tried[MOST_RANK] = {1, 1, 1}, left = wanted;
		for (int n = 0; n < rank; n++) {
			tried[order[n]] = common_divisor(groups[order[n]], left);
			left /= tried[order[n]];
		}
		if (wanted / left > best) {
			best = wanted / left;
			memcpy(parts, tried, sizeof tried);
		}
	}
	return best;
}

/* ---- the parts ------------------------------------------------------------------------------- */

static struct zone moved(const struct zone *zone, const struct description *description, const int64_t *step)
{
	struct zone there = *zone;

	for (int d = 0; d < description->rank; d++) {
		there.lo[d] += step[d];
		there.hi[d] += step[d];
	}
	return there;
}

static void cut_to(struct zone *zone, const struct zone *to)
{
	for (int d = 0; d < MOST_RANK; d++) {
		zone->lo[d] = zone->lo[d] > to->lo[d] ? zone->lo[d] : to->lo[d];
		zone->hi[d] = zone->hi[d] < to->hi[d] ? zone->hi[d] : to->hi[d];
	}
}

static struct zone all_of(const struct argument *argument)
{
	struct zone all = {.hi = {1, 1, 1}};

	memcpy(all.hi, argument->size, (size_t)argument->rank * sizeof *all.hi);
	return all;
}

/* What a point makes a part read: the part's range, moved, within the array. It may have no elements. */
static struct zone led_to(const struct description *description, const struct part *part, const int64_t *point)
{
	const struct argument *const stencil = stencil_of(description);
	const struct zone own = moved(&part->range, description, stencil->origin), all = all_of(stencil);
	struct zone there = moved(&own, description, point);

	cut_to(&there, &all);
	return there;
}

static void widen(struct zone *zone, const struct zone *by)
{
	for (int d = 0; d < MOST_RANK; d++) {
		zone->lo[d] = by->lo[d] < zone->lo[d] ? by->lo[d] : zone->lo[d];
		zone->hi[d] = by->hi[d] > zone->hi[d] ? by->hi[d] : zone->hi[d];
	}
}

static void zones(const struct description *description, struct part *part)
{
	const struct argument *const stencil = stencil_of(description);

	part->write = moved(&part->range, description, description->argument[description->output].origin);
	part->read = part->write;
	if (!stencil)
		return;
	part->read = argument_is_read_whole(stencil) ? all_of(stencil)
						     : moved(&part->range, description, stencil->origin);
	for (int p = 0; p < stencil->points; p++) {
		const struct zone there = led_to(description, part, stencil->point[p]);
		if (zone_elements(&there))
			widen(&part->read, &there);
	}
}

static void place(const struct description *description, const struct partition *partition, int id,
		  struct part *part)
{
	int rest = id;

	part->id = id;
	for (int d = 0; d < MOST_RANK; d++) {
		const int n = partition->parts[d];
		const int64_t each = d < partition->rank ? description->global[d] / n : 1;
		part->at[d] = rest % n;
		rest /= n;
		part->range.lo[d] = description->offset[d] + part->at[d] * each;
		part->range.hi[d] = part->range.lo[d] + each;
	}
	zones(description, part);
}

bool partition_make(const struct description *description, int devices, struct partition *partition)
{
	*partition = (struct partition){.rank = description->rank, .groups = {1, 1, 1}};
	for (int d = 0; d < description->rank; d++)
		partition->groups[d] =
			description->global[d] / (description->grouped ? description->local[d] : 1);
	partition_order(description, partition->order);
	partition->count = partition_choose(description->rank, partition->groups, partition->order, devices,
					    FEWER_PARTS, partition->parts);
	partition->part = het__alloc_zeroed((size_t)partition->count, sizeof *partition->part);
	for (int id = 0; partition->part && id < partition->count; id++)
		place(description, partition, id, &partition->part[id]);
	return partition->part != NULL;
}

void partition_free(struct partition *partition)
{
	het__free(partition->part);
	partition->part = NULL;
}

/* ---- what is sent ---------------------------------------------------------------------------- */

/* Boxes, none empty, and all coordinates at which one begins or ends in a dimension. */
struct boxes {
	int count;
	struct zone zone[MOST_POINTS];
	int marks[MOST_RANK];
	int64_t mark[MOST_RANK][2 * MOST_POINTS];
};

static void add_mark(struct boxes *boxes, int d, int64_t mark)
{
	int64_t *const list = boxes->mark[d];
	int i = boxes->marks[d];

	while (i && list[i - 1] > mark)
		i--;
	if (i && list[i - 1] == mark)
		return;
	memmove(&list[i + 1], &list[i], (size_t)(boxes->marks[d] - i) * sizeof *list);
	list[i] = mark;
	boxes->marks[d]++;
}

static void add_box(struct boxes *boxes, const struct zone *zone)
{
	if (!zone_elements(zone))
		return;
	boxes->zone[boxes->count++] = *zone;
	for (int d = 0; d < MOST_RANK; d++) {
		add_mark(boxes, d, zone->lo[d]);
		add_mark(boxes, d, zone->hi[d]);
	}
}

static bool covered(const struct boxes *boxes, const struct zone *cell)
{
	for (int i = 0; i < boxes->count; i++) {
		bool in = true;
		for (int d = 0; d < MOST_RANK; d++)
			in = in && boxes->zone[i].lo[d] <= cell->lo[d] && cell->hi[d] <= boxes->zone[i].hi[d];
		if (in)
			return true;
	}
	return false;
}

/* The elements of all boxes together; those in several count once. */
static int64_t together(const struct boxes *boxes)
{
	int64_t elements = 0;

	for (int z = 0; z + 1 < boxes->marks[2]; z++)
		for (int y = 0; y + 1 < boxes->marks[1]; y++)
			for (int x = 0; x + 1 < boxes->marks[0]; x++) {
				const int at[MOST_RANK] = {x, y, z};
				struct zone cell;
				for (int d = 0; d < MOST_RANK; d++) {
					cell.lo[d] = boxes->mark[d][at[d]];
					cell.hi[d] = boxes->mark[d][at[d] + 1];
				}
				elements += covered(boxes, &cell) ? zone_elements(&cell) : 0;
			}
	return elements;
}

int64_t partition_sent(const struct description *description, const struct part *from, const struct part *to)
{
	const struct argument *const stencil = stencil_of(description);
	struct boxes boxes = {.count = 0};

	if (!stencil || description->successor != description->stencil || from->id == to->id)
		return 0;
	if (argument_is_read_whole(stencil))
		return zone_elements(&from->write);
	for (int p = 0; p < stencil->points; p++) {
		struct zone there = led_to(description, to, stencil->point[p]);
		cut_to(&there, &from->write);
		add_box(&boxes, &there);
	}
	return together(&boxes);
}
