/* promised.c - where the promises of each task lie. */
#include "array/promised.h"

#include <string.h>

#include "base/alloc.h"

void het__promised_begin(struct het__promised *p, uint64_t since)
{
	p->list.count = p->first = 0;
	p->since = since;
}

void het__promised_free(struct het__promised *p)
{
	het__free(p->list.at);
	memset(p, 0, sizeof *p);
}

/* The first that has the id or a greater one. */
static int place_of(const struct het__promised *p, uint64_t id)
{
	int low = p->first, high = p->list.count;

	while (low < high) {
		const int middle = low + (high - low) / 2;

		if (p->list.at[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has(const struct het__promised *p, int place, uint64_t id)
{
	return place < p->list.count && p->list.at[place].id == id;
}

/* What is over leaves room at the front. */
static void close_up(struct het__promised *p)
{
	memmove(p->list.at, p->list.at + p->first, (size_t)(p->list.count - p->first) * sizeof *p->list.at);
	p->list.count -= p->first;
	p->first = 0;
}

/* Tasks promise in the order of their ids but for a few. */
static bool insert(struct het__promised *p, int place, uint64_t id, const struct het__box *box)
{
	if (p->list.count == p->list.room && p->first > p->list.count / 2) {
		place -= p->first;
		close_up(p);
	}
	if (het__grow(&p->list.at, &p->list.room, p->list.count + 1, sizeof *p->list.at))
		return false;
	memmove(p->list.at + place + 1, p->list.at + place,
		(size_t)(p->list.count - place) * sizeof *p->list.at);
	p->list.at[place] = (struct het__promised_at){id, *box};
	p->list.count++;
	return true;
}

void het__promised_add(struct het__promised *p, int rank, uint64_t id, const struct het__box *box)
{
	const int place = place_of(p, id);

	if (id <= p->since)
		return;
	if (has(p, place, id))
		het__box_cover(rank, &p->list.at[place].box, box);
	else if (!insert(p, place, id, box))
		p->since = id;
}

const struct het__box *het__promised_box(const struct het__promised *p, uint64_t id)
{
	const int place = place_of(p, id);

	return id > p->since && has(p, place, id) ? &p->list.at[place].box : NULL;
}

void het__promised_end(struct het__promised *p, uint64_t id)
{
	const int place = place_of(p, id);

	if (!has(p, place, id))
		return;
	if (place == p->first) {
		p->first++;
		return;
	}
	p->list.count--;
	memmove(p->list.at + place, p->list.at + place + 1,
		(size_t)(p->list.count - place) * sizeof *p->list.at);
}
