/* bands.c - one device makes an array band by band, another uses each band: all of the first's launches are
 * started before the first of the second's. Whoever lets the second device wait for more than the band it needs
 * takes up to twice as long as by hand, where it waits for that band's event. */

#include "overhead/overhead.h"

#include <stdlib.h>

#define BAND 1024 /* elements */
#define BANDS_MOST 4096 /* above 1024 it shows, too, that Hetero waits where 2048 tasks have not ended */

struct bands {
	struct bench *bench;
	int count;
	het_array *ours[2];
	cl_mem by_hand[2];
	cl_event last[2];
};

static void bands_start(void *user)
{
	const struct bands *const x = user;

	for (int d = 0; d < 2; d++)
		for (int i = 0; i < x->count; i++) {
			const int lo = i * BAND, hi = lo + BAND;

			must(het_launch(x->bench->settle, het_device(x->bench->system, d),
					het_local(het_range(1, lo, hi), RAW_BAND_GROUP),
					HET_OUT_PART(x->ours[d], het_rows(lo, hi)),
					HET_IN_PART(x->ours[1 - d], het_rows(lo, hi))));
		}
}

static void bands_finish(void *user)
{
	must(het_wait_all(((struct bands *)user)->bench->system));
}

static void raw_bands_start(void *user)
{
	struct bands *const x = user;

	raw_bands(&x->bench->raw, x->by_hand, x->count, BAND, x->last);
}

static void raw_bands_finish(void *user)
{
	struct bands *const x = user;

	for (int d = 0; d < 2; d++)
		raw_wait(&x->bench->raw.part[d], x->last[d]);
}

void measure_bands(struct bench *b)
{
	const int asked = b->setup.launches / 2;
	struct bands x = {.bench = b, .count = asked < BANDS_MOST ? asked : BANDS_MOST};
	const struct side ours = side_of(bands_start, bands_finish, &x),
			  by_hand = side_of(raw_bands_start, raw_bands_finish, &x);
	const size_t items = (size_t)x.count * BAND;
	static struct pair pair;
	void *host[2];

	for (int i = 0; i < 2; i++) {
		x.ours[i] = new_array(b->system, items);
		x.by_hand[i] = raw_over_host(b->raw.part[0].context, items * sizeof(float), &host[i]);
	}
	measure_pair(b, &pair, &ours, &by_hand);
	report_section(b->report, "bands", "%d bands that one device makes and another uses, %d round%s",
		       x.count, b->setup.rounds, report_plural(b->setup.rounds));
	pair_report_launches(&pair, b->report, 2 * x.count);
	for (int i = 0; i < 2; i++) {
		must(het_array_free(x.ours[i]));
		clReleaseMemObject(x.by_hand[i]);
		free(host[i]);
	}
}
