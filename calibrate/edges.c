/* edges.c - whether two devices of one memory gain where the edges of their parts are launched apart.
 *
 * What there is to gain is the time until one device hears of the other's end. What it costs is one more launch
 * for each, in time of the device and of the host, which may need the processor that a device computes on. Both
 * depend on how deep processors sleep and on what else runs. So it is not predicted from parts, but measured as
 * programs have it: steps of a stencil, each of which reads what the one before wrote, with edges apart and
 * without, by turns.
 */
#include "base/clock.h"
#include "samples.h"
#include "speed.h"

#define GROUP 64   /* and so an edge */
#define CELLS 4096 /* of both devices */
#define STEPS 64
#define STEP_NS 40e3  /* a step takes about as long, or longer: little enough for a launch to count */
#define MOST_NS 400e6 /* of all pairs but the first three */
#define PAIRS_LEAST 3
#define LOOPS_LEAST 4
#define LOOPS_MOST 65536

struct steps {
	const struct speed *speed;
	het_team *team;
	het_array *array[2];
	uint32_t loops;
};

static het_status steps_open(const struct speed *speed, het_device *const *device, struct steps *s)
{
	const cl_float zero = 0;
	het_status st;

	*s = (struct steps){.speed = speed, .loops = LOOPS_LEAST};
	st = het_team_new(speed->system, 2, device, (const double[]){1, 1}, &s->team);
	for (int i = 0; i < 2 && !st; i++) {
		st = het_array_new(speed->system, HET_FLOAT, het_shape(1, CELLS + 2), &s->array[i]);
		if (!st)
			st = het_fill(het_view(s->array[i], het_whole()), &zero);
	}
	return st;
}

static void steps_close(struct steps *s)
{
	for (int i = 0; i < 2; i++)
		het_array_discard(s->array[i]);
	(void)het_team_free(s->team);
}

/* *ns_p: what a step takes. */
static het_status run(const struct steps *s, enum het_overlap overlap, double *ns_p)
{
	const struct het_range range = het_local(het_range(1, 1, CELLS + 1), GROUP);
	het_status st = het_team_overlap(s->team, overlap);
	const uint64_t began = het__host_ns();

	for (int i = 0; i < STEPS && !st; i++)
		st = het_spread(s->speed->relax, s->team, range, HET_OUT(HET_EACH(s->array[1 - i % 2])),
				HET_IN(HET_HALO(s->array[i % 2], 1)), HET_VAL((cl_uint)s->loops));
	if (!st)
		st = het_wait(s->array[STEPS % 2]);
	*ns_p = het__ns_since(began) / STEPS;
	return st;
}

/* The first runs of all are not looked at: the driver may compile then. Of two the shorter counts. *ns_p: what
 * a step takes. */
static het_status fit(struct steps *s, double *ns_p)
{
	double ns = 0, again_ns = 0;
	het_status st = run(s, HET_OVERLAP_ALWAYS, &ns);

	if (!st)
		st = run(s, HET_OVERLAP_NEVER, &ns);
	for (; !st; s->loops *= 2) {
		st = run(s, HET_OVERLAP_NEVER, &ns);
		if (!st)
			st = run(s, HET_OVERLAP_NEVER, &again_ns);
		if ((ns >= STEP_NS && again_ns >= STEP_NS) || s->loops == LOOPS_MOST)
			break;
	}
	*ns_p = ns < again_ns ? ns : again_ns;
	return st;
}

/* *saved_ns_p: the median of what is saved where both ways are tried one after the other. */
static het_status compare(const struct steps *s, int pairs, double *saved_ns_p, double *spread_ns_p)
{
	struct samples samples = {.count = 0};
	het_status st = HET_OK;

	for (int i = 0; i < pairs && !st; i++) {
		const enum het_overlap first = i % 2 ? HET_OVERLAP_ALWAYS : HET_OVERLAP_NEVER;
		const enum het_overlap second = i % 2 ? HET_OVERLAP_NEVER : HET_OVERLAP_ALWAYS;
		double ns[2];

		st = run(s, first, &ns[0]);
		if (!st)
			st = run(s, second, &ns[1]);
		if (!st)
			samples_add(&samples, i % 2 ? ns[1] - ns[0] : ns[0] - ns[1]);
	}
	if (st)
		return st;
	*spread_ns_p = (double)samples_point(&samples, 0).spread_ns;
	*saved_ns_p = samples.ns[samples.count / 2]; /* sorted now; it may be negative */
	return HET_OK;
}

het_status edges_measure(const struct speed *speed, het_device *device, het_device *partner, int pairs,
			 double *saved_ns_p, double *spread_ns_p)
{
	struct steps s;
	double ns = STEP_NS;
	het_status st = steps_open(speed, (het_device *const[]){device, partner}, &s);

	if (!st)
		st = fit(&s, &ns);
	while (!st && pairs > PAIRS_LEAST && pairs * 2 * STEPS * ns > MOST_NS)
		pairs -= 2; /* an odd number has a middle one */
	if (!st)
		st = compare(&s, pairs, saved_ns_p, spread_ns_p);
	steps_close(&s);
	return st;
}
