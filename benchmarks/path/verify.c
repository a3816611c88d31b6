/* verify.c - whether costs are those of the shortest paths. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path/scene.h"

#define DIJKSTRA_MOST (1 << 25) /* points: more take too long */

/* ---- Dijkstra's algorithm ---------------------------------------------------------------------- */

/* A place that can be reached with this cost; some are out of date, a lower one having been found. */
struct reached {
	double cost;
	size_t place;
};

/* A binary heap: the least cost is first. */
struct heap {
	struct reached *item;
	size_t count, room;
};

static void heap_put(struct heap *h, struct reached r)
{
	size_t at = h->count++;

	if (h->count > h->room) {
		h->room = 2 * h->count + 1024;
		h->item = realloc(h->item, h->room * sizeof *h->item);
		if (!h->item) {
			fputs("path: no memory for Dijkstra's algorithm\n", stderr);
			exit(EXIT_FAILURE);
		}
	}
	for (; at > 0 && r.cost < h->item[(at - 1) / 2].cost; at = (at - 1) / 2)
		h->item[at] = h->item[(at - 1) / 2];
	h->item[at] = r;
}

static struct reached heap_take(struct heap *h)
{
	const struct reached first = h->item[0], last = h->item[--h->count];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < h->count; at = child) {
		if (child + 1 < h->count && h->item[child + 1].cost < h->item[child].cost)
			child++;
		if (!(h->item[child].cost < last.cost))
			break;
		h->item[at] = h->item[child];
	}
	h->item[at] = last;
	return first;
}

/* What a path costs that goes on from `place` to its neighbour. Not a number where either is no point. */
static double cost_beside(const struct path_problem *p, double cost, size_t place, int rows, int cols,
			  size_t *beside)
{
	double climb;

	*beside = (size_t)((ptrdiff_t)place + (ptrdiff_t)rows * p->pitch + cols);
	climb = (double)p->height[place] - (double)p->height[*beside];
	return cost + sqrt(path_flat(p, rows, cols) + climb * climb);
}

static void leave(const struct path_problem *p, struct heap *h, double *cost, size_t place)
{
	for (int rows = -1; rows <= 1; rows++)
		for (int cols = -1; cols <= 1; cols++) {
			size_t beside;
			const double sum = cost_beside(p, cost[place], place, rows, cols, &beside);

			if (!(sum < cost[beside]))
				continue;
			cost[beside] = sum;
			heap_put(h, (struct reached){sum, beside});
		}
}

static double *dijkstra(const struct path_problem *p)
{
	double *const cost = bench_new(path_places(p) * sizeof *cost);
	const size_t target = path_place(p, p->target_row, p->target_col);
	struct heap h = {0};

	for (size_t i = 0; i < path_places(p); i++)
		cost[i] = i == target ? 0 : INFINITY;
	heap_put(&h, (struct reached){0, target});
	while (h.count > 0) {
		const struct reached r = heap_take(&h);

		if (r.cost <= cost[r.place])
			leave(p, &h, cost, r.place);
	}
	free(h.item);
	return cost;
}

/* The costs by Dijkstra's algorithm, computed once. */
static const double *wanted_of(const struct path_problem *p)
{
	static const struct path_problem *of;
	static double *cost;

	if (of != p) {
		free(cost);
		cost = dijkstra(p);
		of = p;
	}
	return cost;
}

/* Double precision has to have the same bits. In single precision each edge of a path may be rounded, and a
 * square root a little more: no path has more edges than there are sweeps. */
static int differs(const struct path_problem *p, double got, double wanted, int edges)
{
	if (p->is_double || isinf(wanted))
		return memcmp(&got, &wanted, sizeof got) != 0;
	return !(fabs(got - wanted) <= (edges + 16) * 0x1p-24 * wanted);
}

static size_t wrong_by_dijkstra(const struct path_problem *p, const double *cost, int sweeps)
{
	const double *const wanted = wanted_of(p);
	size_t wrong = 0;

	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++) {
			const size_t place = path_place(p, row, col);

			wrong += (size_t)differs(p, cost[place], wanted[place], sweeps);
		}
	return wrong;
}

/* ---- without it -------------------------------------------------------------------------------- */

/* Whether a point's cost is the least of its neighbours' and the way from there. Where that is so of all points
 * but the target, whose cost is 0, each cost is that of a path, for the way back from neighbour to neighbour
 * gets cheaper until it is at the target; and no path is cheaper. */
static int is_least(const struct path_problem *p, const double *cost, size_t place)
{
	double least = INFINITY;

	for (int rows = -1; rows <= 1; rows++)
		for (int cols = -1; cols <= 1; cols++) {
			size_t beside;
			const double climb_and_way = cost_beside(p, 0, place, rows, cols, &beside);
			const double sum = cost[beside] + climb_and_way;

			if ((rows || cols) && sum < least)
				least = sum;
		}
	return !differs(p, cost[place], least, 1);
}

static size_t wrong_by_neighbours(const struct path_problem *p, const double *cost)
{
	size_t wrong = cost[path_place(p, p->target_row, p->target_col)] != 0;

	for (int row = 0; row < p->rows; row++)
		for (int col = 0; col < p->cols; col++)
			if (row != p->target_row || col != p->target_col)
				wrong += !is_least(p, cost, path_place(p, row, col));
	return wrong;
}

/* ---- known numbers ----------------------------------------------------------------------------- */

/* What an independent program found of made-up terrain whose target is in the middle. */
static const struct known {
	int rows, cols, sweeps;
	unsigned long long hash;
	double sum, most, corner[4]; /* northwest, northeast, southwest, southeast */
} known[] = {
	{181,
	 109,
	 91,
	 0x5099c3d45348a954,
	 3.569520179320496e7,
	 3398.470027593812,
	 {3397.160165980, 3398.470027594, 3394.309170864, 3392.762694841}},
	{361,
	 217,
	 181,
	 0x3ad27006702dddeb,
	 2.826054632506989e8,
	 6802.802250291575,
	 {6802.802250292, 6785.759195082, 6791.313638603, 6789.907713903}},
	{18005,
	 10803,
	 9003,
	 0x74bb00e2dbb9c510,
	 3.491759134825144e13,
	 339575.841304345697,
	 {339488.803176437, 339466.079844415, 339575.841304346, 339477.769006212}},
};

static const struct known *known_of(const struct scene_problem *s)
{
	const struct path_problem *const p = &s->problem;
	const int is_theirs = p->is_double && !s->scene.terrain && s->scene.climb == 1 &&
			      p->target_row == p->rows / 2 && p->target_col == p->cols / 2;

	for (size_t i = 0; i < sizeof known / sizeof *known && is_theirs; i++)
		if (known[i].rows == p->rows && known[i].cols == p->cols)
			return &known[i];
	return NULL;
}

static int is_close(double got, double wanted)
{
	return fabs(got / wanted - 1) <= 1e-12;
}

/* Adds up the sums of lines: one sum of so many costs would lose more by rounding. */
static int has_known_costs(const struct path_problem *p, const double *cost, const struct known *k)
{
	double sum = 0, most = 0;

	for (int row = 0; row < p->rows; row++) {
		double line = 0;

		for (int col = 0; col < p->cols; col++) {
			const double c = cost[path_place(p, row, col)];

			line += c;
			most = fmax(most, c);
		}
		sum += line;
	}
	for (int i = 0; i < 4; i++)
		if (!is_close(cost[path_place(p, i / 2 * (p->rows - 1), i % 2 * (p->cols - 1))], k->corner[i]))
			return 0;
	return is_close(sum, k->sum) && is_close(most, k->most);
}

static int sweeps_seen = 1;

int scene_sweeps(void)
{
	return sweeps_seen;
}

/* A result's costs as doubles; valid until the next. */
static const double *doubles_of(const struct path_problem *p, const void *cost)
{
	static double *copy;

	if (p->is_double)
		return cost;
	free(copy);
	copy = bench_new(path_places(p) * sizeof *copy);
	for (size_t i = 0; i < path_places(p); i++)
		copy[i] = (double)((const float *)cost)[i];
	return copy;
}

int scene_verify(const void *problem, const void *result, char *said, size_t bytes)
{
	const struct scene_problem *const s = problem;
	const struct path_problem *const p = problem; /* its first member */
	const struct path_result *const r = result;
	const struct known *const k = known_of(s);
	const int by_dijkstra = (long long)p->rows * p->cols <= DIJKSTRA_MOST;
	const double *const cost = doubles_of(p, r->cost);
	const size_t wrong = by_dijkstra ? wrong_by_dijkstra(p, cost, r->sweeps) : wrong_by_neighbours(p, cost);
	const int good = wrong == 0 &&
			 (!k || (s->hash == k->hash && r->sweeps == k->sweeps && has_known_costs(p, cost, k)));
	static int written;

	snprintf(said, bytes, "%d sweeps, %zu costs differ from %s%s", r->sweeps, wrong,
		 by_dijkstra ? "Dijkstra's" : "their neighbours'", k ? ", numbers compared" : "");
	sweeps_seen = r->sweeps;
	if (good && s->scene.prefix && !written) {
		scene_write(s, cost);
		written = 1;
	}
	return good;
}
