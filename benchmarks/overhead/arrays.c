/* arrays.c - one device, many arrays by turns: all of one, a half of one, or a chain that goes through them or
 * through their halves.
 *
 * A round goes on where the one before it ended, so that every array has its turn however many there are. */

#include "overhead/overhead.h"

#include <stdlib.h>

struct arrays {
	struct bench *bench;
	enum raw_arrays kind;
	int count;
	int next, raw_next; /* launches before this round: ours, by hand */
	het_array *ours[ARRAYS_MOST];
	cl_mem by_hand[ARRAYS_MOST];
	void *host[ARRAYS_MOST];
	cl_event last;
};

static void start_whole(const struct arrays *a, het_device *device, int i)
{
	must(het_launch(a->bench->step, device, het_local(het_grid(1, ITEMS), ITEMS),
			HET_INOUT(a->ours[i % a->count])));
}

static void start_half(const struct arrays *a, het_device *device, int i)
{
	const int half = ITEMS / 2, lo = i / a->count % 2 * half;

	must(het_launch(a->bench->step, device, het_local(het_range(1, lo, lo + half), half),
			HET_INOUT_PART(a->ours[i % a->count], het_rows(lo, lo + half))));
}

static void start_link(const struct arrays *a, het_device *device, int i)
{
	const int n = a->count;

	must(het_launch(a->bench->add, device, het_local(het_grid(1, ITEMS), ITEMS),
			HET_OUT(a->ours[i % n]), HET_IN(a->ours[(i + n - 1) % n]),
			HET_IN(a->ours[(i + n - 2) % n])));
}

static void start_half_link(const struct arrays *a, het_device *device, int i)
{
	const int n = a->count, half = ITEMS / 2, lo = i / n % 2 * half;

	must(het_launch(a->bench->add, device, het_local(het_range(1, lo, lo + half), half),
			HET_OUT_PART(a->ours[i % n], het_rows(lo, lo + half)),
			HET_IN_PART(a->ours[(i + n - 1) % n], het_rows(lo, lo + half)),
			HET_IN_PART(a->ours[(i + n - 2) % n], het_rows(lo, lo + half))));
}

static void start_some(struct arrays *a, int launches)
{
	static void (*const start[])(const struct arrays *a, het_device *device, int i) = {
		start_whole, start_half, start_link, start_half_link};
	het_device *const device = het_device(a->bench->system, 0);

	for (int i = 0; i < launches; i++)
		start[a->kind](a, device, a->next++);
}

static void arrays_start(void *user)
{
	struct arrays *const a = user;

	start_some(a, a->bench->setup.launches);
}

static void arrays_finish(void *user)
{
	must(het_wait_all(((struct arrays *)user)->bench->system));
}

static void raw_start_some(struct arrays *a, int launches)
{
	a->last = raw_arrays(&a->bench->raw, a->kind, a->by_hand, a->count, a->raw_next, launches, ITEMS);
	a->raw_next += launches;
}

static void raw_arrays_start(void *user)
{
	struct arrays *const a = user;

	raw_start_some(a, a->bench->setup.launches);
}

static void raw_arrays_finish(void *user)
{
	struct arrays *const a = user;

	raw_wait(&a->bench->raw.part[0], a->last);
}

/* Every array is used once before time is taken, where the round that does not count uses only some. */
static void use_all(struct arrays *a)
{
	if (a->count <= a->bench->setup.launches)
		return;
	start_some(a, a->count);
	arrays_finish(a);
	if (a->bench->setup.alone)
		return;
	raw_start_some(a, a->count);
	raw_arrays_finish(a);
}

void measure_arrays(struct bench *b, enum raw_arrays kind, int count)
{
	static const char *const name[] = {"arrays", "array-boxes", "array-chains", "array-box-chains"},
			  *const what[] = {"", ", half of one", ", each from the two before it",
					   ", half of one from halves of the two before it"};
	static struct arrays a;
	const struct side ours = side_of(arrays_start, arrays_finish, &a),
			  by_hand = side_of(raw_arrays_start, raw_arrays_finish, &a);
	static struct pair pair;

	a.bench = b;
	a.kind = kind;
	a.count = count;
	a.next = a.raw_next = 0;
	for (int i = 0; i < count; i++) {
		a.ours[i] = new_array(b->system, ITEMS);
		a.by_hand[i] = raw_over_host(b->raw.part[0].context, ITEMS * sizeof(float), &a.host[i]);
	}
	use_all(&a);
	measure_pair(b, &pair, &ours, &by_hand);
	report_section(b->report, name[kind], "%d launches over %d array%s%s, one device, %d round%s",
		       b->setup.launches, count, report_plural(count), what[kind], b->setup.rounds,
		       report_plural(b->setup.rounds));
	pair_report_launches(&pair, b->report, b->setup.launches);
	for (int i = 0; i < count; i++) {
		must(het_array_free(a.ours[i]));
		clReleaseMemObject(a.by_hand[i]);
		free(a.host[i]);
	}
}
