/* pace.c - how fast a kernel is on a device, by the parts of its last spreads. */
#include "kernel/pace.h"

#define SMALL 1024.0 /* work-items */

double het__pace_items(const struct het_range *range)
{
	double items = 1;

	for (int d = 0; d < range->rank && d < HET_MAX_RANGE; d++)
		items *= (double)range->hi[d] - (double)range->lo[d];
	return items;
}

unsigned het__pace_size(const struct het_range *range)
{
	unsigned size = 1;

	for (double items = het__pace_items(range); items >= SMALL; items /= 4)
		size++;
	return size;
}

/* HET__PACES: there are none of this size. */
static unsigned find(const struct het__paces *paces, unsigned size)
{
	unsigned i = 0;

	while (i < HET__PACES && paces->of[i].size != size)
		i++;
	return i;
}

void het__pace_add(struct het__paces *paces, unsigned size, double rate)
{
	unsigned i = find(paces, size);
	struct het__pace *pace;

	if (i == HET__PACES) {
		i = paces->next;
		paces->next = (i + 1) % HET__PACES;
		paces->of[i] = (struct het__pace){.size = size};
	}
	pace = &paces->of[i];
	pace->rate[pace->next] = rate;
	pace->next = (pace->next + 1) % HET__RATES;
	pace->count += pace->count < HET__RATES;
}

double het__pace_median(const struct het__paces *paces, unsigned size)
{
	const unsigned which = find(paces, size);
	const struct het__pace *pace;
	double sorted[HET__RATES];

	if (which == HET__PACES)
		return 0;
	pace = &paces->of[which];
	for (unsigned i = 0; i < pace->count; i++) {
		unsigned at = i;

		for (; at > 0 && sorted[at - 1] > pace->rate[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = pace->rate[i];
	}
	return sorted[pace->count / 2];
}
