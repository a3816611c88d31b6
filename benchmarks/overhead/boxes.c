/* boxes.c - two devices, each half of an array and a halo: as launches, and as spreads. */

#include "overhead/overhead.h"

#include <stdlib.h>

struct boxes {
	struct bench *bench;
	het_array *ours[2];
	cl_mem by_hand[2];
	cl_event last[2];
	het_team *team;
};

static void boxes_start(void *user)
{
	const struct boxes *const x = user;
	const int half = ITEMS / 2;

	for (int i = 0; i < x->bench->setup.launches; i++) {
		const int d = i % 2, from = i / 2 % 2, lo = 1 + d * half;

		must(het_launch(x->bench->blur, het_device(x->bench->system, d),
		                 het_local(het_range(1, lo, lo + half), half),
		                 HET_OUT_PART(x->ours[1 - from], het_rows(lo, lo + half)),
		                 HET_IN_PART(x->ours[from], het_rows(lo - 1, lo + half + 1))));
	}
}

static void boxes_finish(void *user)
{
	must(het_wait_all(((struct boxes *)user)->bench->system));
}

static void raw_boxes_start(void *user)
{
	struct boxes *const x = user;

	raw_boxes(&x->bench->raw, x->by_hand, x->bench->setup.launches, ITEMS, x->last);
}

static void raw_boxes_finish(void *user)
{
	struct boxes *const x = user;

	raw_wait(&x->bench->raw.part[0], x->last[0]);
	raw_wait(&x->bench->raw.part[1], x->last[1]);
}

void measure_boxes(struct bench *b)
{
	struct boxes x = {.bench = b};
	const struct side ours = side_of(boxes_start, boxes_finish, &x),
			  by_hand = side_of(raw_boxes_start, raw_boxes_finish, &x);
	static struct pair pair;
	void *host[2];

	for (int i = 0; i < 2; i++) {
		x.ours[i] = new_array(b->system, ITEMS + 2);
		x.by_hand[i] = raw_over_host(b->raw.part[0].context, (ITEMS + 2) * sizeof(float), &host[i]);
	}
	measure_pair(b, &pair, &ours, &by_hand);
	report_section(b->report, "boxes",
		       "%d launches on two devices by turns, halves with a halo, %d round%s", b->setup.launches,
		       b->setup.rounds, report_plural(b->setup.rounds));
	pair_report_launches(&pair, b->report, b->setup.launches);
	for (int i = 0; i < 2; i++) {
		must(het_array_free(x.ours[i]));
		clReleaseMemObject(x.by_hand[i]);
		free(host[i]);
	}
}

/* ---- spreads ------------------------------------------------------------------------------------ */

static void spreads_start(void *user)
{
	const struct boxes *const x = user;

	for (int i = 0; i < x->bench->setup.launches / 2; i++)
		must(het_spread(x->bench->blur, x->team, het_local(het_range(1, 1, 1 + ITEMS), ITEMS / 2),
				HET_OUT(HET_EACH(x->ours[1 - i % 2])), HET_IN(HET_HALO(x->ours[i % 2], 1))));
}

void measure_spreads(struct bench *b)
{
	struct boxes x = {.bench = b};
	const struct side ours = side_of(spreads_start, boxes_finish, &x);
	const struct side launches = side_of(boxes_start, boxes_finish, &x);
	het_device *const device[2] = {het_device(b->system, 0), het_device(b->system, 1)};
	static struct pair pair;

	for (int i = 0; i < 2; i++)
		x.ours[i] = new_array(b->system, ITEMS + 2);
	must(het_team_new(b->system, 2, device, NULL, &x.team));
	measure_pair(b, &pair, &ours, &launches);
	report_section(b->report, "spreads",
		       "%d spreads over two devices, against launches of the parts, %d round%s",
		       b->setup.launches / 2, b->setup.rounds, report_plural(b->setup.rounds));
	pair_report_parts(&pair, b->report, b->setup.launches);
	must(het_team_free(x.team));
	for (int i = 0; i < 2; i++)
		must(het_array_free(x.ours[i]));
}
