/* verify.c - is a result right? Water and contaminant are kept, what is known is met, all versions agree. */

#include "shawa/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROWN 5e-3

/* Of all cells. `is_bad`: one has a number that is not finite, a negative depth or amount, or more contaminant
 * than water; but for a film that counts as dry, which loses water without contaminant. */
struct sums {
	double mass, tracer, squares, speed, strongest, uneven, unlevel;
	int is_bad;
};

/* What an independent program found. Places are in the scene's cells: a quarter and half of the way. */
struct known {
	int with_roe, n, steps;
	double level, first_step, time, mass, squares, strongest, quarter[3], half[2];
};

static const struct known known[] = {
	{1,
	 64,
	 200,
	 10,
	 0.710595726965,
	 141.499342145,
	 8245232.69599881,
	 287709.481718026,
	 0.981665591,
	 {8.08171727452, -0.226454703902, -0.248022007158},
	 {8.19871472, 1.59577116112}},
	{0,
	 64,
	 200,
	 10,
	 0.710456667079,
	 141.478279752,
	 8245232.69599881,
	 287707.61437836,
	 0.982025044,
	 {8.07930759739, -0.210773552118, -0.238565795475},
	 {8.20297821142, 1.59531433656}},
	{0,
	 64,
	 200,
	 4,
	 1.12465141281,
	 222.828577299,
	 2377497.00249627,
	 28687.6999643463,
	 0.924649709,
	 {2.05340524193, 0.135253836155, -0.00783982064231},
	 {2.2667570405, 0.446453514005}},
	{1,
	 128,
	 400,
	 10,
	 0.355124150803,
	 141.257890723,
	 8245247.58833583,
	 1150769.70289845,
	 0.989445282,
	 {8.25858948388, -0.290041912639, -0.368081893022},
	 {8.23685919911, 1.53309238086}},
};

static void add_cell(struct sums *s, const struct scene_problem *p, const double *cell, double z)
{
	const int pitch = p->problem.sea.pitch;
	const double h = cell[0], c = cell[3 * pitch];

	s->squares += h * h;
	s->is_bad |= !isfinite(h) || !isfinite(cell[pitch]) || !isfinite(cell[2 * pitch]) || !isfinite(c);
	s->is_bad |= h < 0 || c < -1e-12 || c > h * (1 + 1e-9) + p->problem.sea.dry;
	s->uneven = fmax(s->uneven, fabs(c - h));
	if (!(h > p->problem.sea.dry))
		return;
	s->speed = fmax(s->speed, hypot(cell[pitch], cell[2 * pitch]) / h);
	s->strongest = fmax(s->strongest, c / h);
	s->unlevel = fmax(s->unlevel, fabs(h + z - p->scene.level));
}

static struct sums add_up(const struct scene_problem *p, const double *state)
{
	const struct shawa_sea *const sea = &p->problem.sea;
	long double mass = 0, tracer = 0;
	struct sums s = {0, 0, 0, 0, 0, 0, 0, 0};

	for (int y = 0; y < sea->rows; y++) {
		const double *const row = state + (size_t)y * shawa_row(sea);

		for (int x = 0; x < sea->cols; x++) {
			mass += (long double)row[x];
			tracer += (long double)row[3 * sea->pitch + x];
			add_cell(&s, p, row + x, p->bed[(size_t)y * (size_t)sea->pitch + (size_t)x]);
		}
	}
	s.mass = (double)mass * sea->dx * sea->dy;
	s.tracer = (double)tracer * sea->dx * sea->dy;
	return s;
}

/* ---- what is known ----------------------------------------------------------------------------- */

static double off(double got, double wanted)
{
	return fabs(got / wanted - 1);
}

/* The worst relative difference from what is known; negative: nothing is. */
static double basin_error(const struct scene_problem *p, const struct shawa_result *r, struct sums before,
			  struct sums after)
{
	const struct known *k = known;
	const size_t row = shawa_row(&p->problem.sea), n = (size_t)p->scene.cols;
	const size_t pitch = (size_t)p->problem.sea.pitch;
	const double *const quarter = r->state + n / 4 * row + n / 4, *const half =
									      r->state + n / 2 * row + n / 2;
	double worst;

	if (p->scene.until > 0)
		return -1;
	while (k < known + sizeof known / sizeof *known &&
	       (k->with_roe != p->scene.with_roe || k->n != p->scene.cols || k->n != p->scene.rows ||
		k->steps != p->scene.steps || fabs(k->level - p->scene.level) > 0))
		k++;
	if (k == known + sizeof known / sizeof *known)
		return -1;
	worst = worse(off(r->clock[1], k->first_step), off(r->clock[k->steps], k->time));
	worst = worse(worst, worse(off(before.mass, k->mass), off(after.squares, k->squares)));
	worst = worse(worst, off(after.strongest, k->strongest));
	for (size_t i = 0; i < 3; i++)
		worst = worse(worst, off(quarter[i * pitch], k->quarter[i]));
	return worse(worst, worse(off(half[0], k->half[0]), off(half[3 * pitch], k->half[1])));
}

/* How far the contaminant's middle is from where the stream carries it, in cells: by the phase of the longest
 * wave of its amount along a direction, for there is no end where to begin. `distance`: how far the
 * stream carries it, in cells. */
static double astray(const struct scene_problem *p, const double *state, int down, double distance)
{
	const struct shawa_sea *const sea = &p->problem.sea;
	const int count = down ? sea->rows : sea->cols;
	const double turn = 2 * acos(-1.0) / count;
	double sine[2] = {0, 0}, cosine[2] = {0, 0}, moved;

	for (int when = 0; when < 2; when++)
		for (int y = 0; y < sea->rows; y++)
			for (int x = 0; x < sea->cols; x++) {
				const double c = (when ? state : p->state)[(size_t)y * shawa_row(sea) +
									   (size_t)(3 * sea->pitch + x)];

				sine[when] += c * sin(turn * (down ? y : x));
				cosine[when] += c * cos(turn * (down ? y : x));
			}
	moved = (atan2(sine[1], cosine[1]) - atan2(sine[0], cosine[0])) / turn;
	return fabs(remainder(moved - distance, count));
}

/* ---- the scenes -------------------------------------------------------------------------------- */

struct outcome {
	const struct scene_problem *p;
	const struct shawa_result *r;
	struct sums before, after;
	double mass, tracer; /* how they have changed, relative */
	double time;
	char *said;
	size_t bytes;
};

/* Roe's solver makes water where it would drain a shore below its bed; rounding decides at which cells. */
static int may_grow(const struct scene_problem *p)
{
	return p->scene.with_roe && p->scene.level < 10 && p->scene.kind != SCENE_DAM;
}

/* Whether so much time has passed that there is something to judge. */
static int is_late(const struct outcome *o, double seconds)
{
	if (o->time >= seconds)
		return 1;
	snprintf(o->said + strlen(o->said), o->bytes - strlen(o->said), "; too few steps for %.0f s", seconds);
	return 0;
}

/* Where nothing flows in or out. What may grow never shrinks, and grows by no more than GROWN: a ten thousandth
 * was seen with cells of 16 m, a thousandth of the contaminant with such of 50 m, all in the first steps. */
static int is_kept(const struct outcome *o)
{
	const double grown = may_grow(o->p) ? GROWN : 1e-12;

	return o->mass >= -1e-12 && o->mass <= grown && fabs(o->tracer) <= grown;
}

static int judge_lake(const struct outcome *o)
{
	snprintf(o->said, o->bytes, "fastest %.1e m/s, mass %+.1e, tracer %+.1e", o->after.speed, o->mass,
		 o->tracer);
	return o->after.speed <= 1e-12 && fabs(o->mass) <= 1e-13 && fabs(o->tracer) <= 1e-13;
}

static int judge_basin(const struct outcome *o)
{
	const double error = basin_error(o->p, o->r, o->before, o->after);

	snprintf(o->said, o->bytes, "mass %+.1e, tracer %+.1e", o->mass, o->tracer);
	if (error >= 0)
		snprintf(o->said + strlen(o->said), o->bytes - strlen(o->said),
			 ", off by %.0e from what is known", error);
	return is_kept(o) && error <= 2e-9;
}

static int judge_even(const struct outcome *o)
{
	snprintf(o->said, o->bytes, "mass %+.1e, concentration 1 within %.0e", o->mass, o->after.uneven);
	return is_kept(o) && o->after.uneven <= 1e-12;
}

/* 0: not known. */
static int is_as_wanted(double error, double wanted)
{
	return wanted <= 0 || off(error, wanted) <= 5e-4;
}

static int judge_dam(const struct outcome *o)
{
	const struct dam_error e = dam_error(o->p, o->r), wanted = dam_known(o->p);
	int steps = 0;

	while (steps < o->p->problem.steps && o->r->clock[steps] < o->time)
		steps++;
	snprintf(o->said, o->bytes, "%d steps, off by %.4e m%s, %.3e m2/s, tracer %.3e, rows apart by %.0e",
		 steps, e.depth, wanted.depth > 0 ? " (compared)" : "", e.momentum, e.tracer, e.apart);
	return is_late(o, 1 - 1e-12) && e.apart <= 1e-12 && e.depth <= 0.5 &&
	       is_as_wanted(e.depth, wanted.depth) && is_as_wanted(e.momentum, wanted.momentum) &&
	       is_as_wanted(e.tracer, wanted.tracer);
}

static int judge_round(const struct outcome *o)
{
	const struct shawa_sea *const sea = &o->p->problem.sea;
	const double x = astray(o->p, o->r->state, 0, 5 * o->time / sea->dx);
	const double y = astray(o->p, o->r->state, 1, 3 * o->time / sea->dy);

	snprintf(o->said, o->bytes, "mass %+.1e, tracer %+.1e, level within %.0e m, astray %.2f, %.2f cells",
		 o->mass, o->tracer, o->after.unlevel, x, y);
	return is_kept(o) && o->after.unlevel <= 1e-10 && x <= 0.5 && y <= 0.5 && is_late(o, 60);
}

static int judge_tide(const struct outcome *o)
{
	const struct shawa_sea *const sea = &o->p->problem.sea;
	const double tide = sea->tide_height * sin(2 * acos(-1.0) * o->time / sea->tide_period);
	const double area = sea->rows * sea->cols * sea->dx * sea->dy;
	const double rise = (o->after.mass - o->before.mass) / area;

	snprintf(o->said, o->bytes, "after %.0f s risen by %.3f m, the tide by %.3f m", o->time, rise, tide);
	return fabs(rise - tide) <= 0.05 * sea->tide_height && is_late(o, 1000);
}

static int judge_open(const struct outcome *o)
{
	snprintf(o->said, o->bytes, "after %.0f s level within %.4f m", o->time, o->after.unlevel);
	return is_late(o, 150) && o->after.unlevel <= 0.01;
}

/* What the plain version, which has no device and no parts, makes of the classes around Vancouver Island. */
static const struct {
	const char *name;
	double time, mass, tracer, squares;
} around[] = {
	{"A", 191.468647552912, 2814434527558.67, 3936111810.02477, 3150726851.94885},
	{"B", 47.8200432974327, 2803579507156.2, 3645431045.77713, 12487119984.8795},
	{"C", 9.55928691324902, 2798140725859.74, 3625345841.78357, 49718877100.9769},
};

/* The worst relative difference from that; negative: the user has asked for another sea. */
static double terrain_error(const struct outcome *o)
{
	for (size_t i = 0; i < sizeof around / sizeof *around && !o->p->scene.is_changed; i++)
		if (!strcmp(around[i].name, o->p->scene.name))
			return worse(worse(off(o->time, around[i].time), off(o->after.mass, around[i].mass)),
				     worse(off(o->after.tracer, around[i].tracer),
					   off(o->after.squares, around[i].squares)));
	return -1;
}

/* The clock goes on in every step until time is over, and something has moved. */
static int has_flowed(const struct outcome *o)
{
	const struct shawa_problem *const p = &o->p->problem;
	const double *const clock = o->r->clock;

	for (int i = 1; i <= p->steps; i++)
		if (!(clock[i] > clock[i - 1] || (clock[i] >= p->sea.until && clock[i] <= clock[i - 1])))
			return 0;
	return o->after.speed > 0 && clock[p->steps] > clock[0];
}

static int judge_terrain(const struct outcome *o)
{
	const double error = terrain_error(o);
	int is_closed = 1;

	for (int i = 0; i < SHAWA_SIDES; i++)
		is_closed &=
			o->p->problem.sea.side[i] == SHAWA_WALL || o->p->problem.sea.side[i] == SHAWA_PERIODIC;
	snprintf(o->said, o->bytes, "%.0f s, mass %+.1e, tracer %+.1e, fastest %.2f m/s", o->time, o->mass,
		 o->tracer, o->after.speed);
	if (error >= 0)
		snprintf(o->said + strlen(o->said), o->bytes - strlen(o->said),
			 ", off by %.0e from what is known", error);
	if (!has_flowed(o))
		snprintf(o->said + strlen(o->said), o->bytes - strlen(o->said), "; nothing flows");
	return has_flowed(o) && error <= 1e-9 && (!is_closed || is_kept(o));
}

/* How far a result is from that of the first version, which the others are to have too. */
static double differs(const struct shawa_problem *p, const struct shawa_result *r)
{
	static double *first;
	const size_t numbers = 4 * shawa_cells(&p->sea);
	double worst = 0;

	if (!first) {
		first = bench_new(numbers * sizeof *first);
		memcpy(first, r->state, numbers * sizeof *first);
	}
	for (size_t i = 0; i < numbers; i++)
		worst = worse(worst, fabs(r->state[i] - first[i]) / (1 + fabs(first[i])));
	return worst;
}

int scene_verify(const void *problem, const void *result, char *said, size_t bytes)
{
	static int (*const judges[])(const struct outcome *) = {
		[SCENE_LAKE] = judge_lake, [SCENE_BASIN] = judge_basin,    [SCENE_EVEN] = judge_even,
		[SCENE_DAM] = judge_dam,   [SCENE_ROUND] = judge_round,    [SCENE_TIDE] = judge_tide,
		[SCENE_OPEN] = judge_open, [SCENE_TERRAIN] = judge_terrain};
	static int is_written;
	struct outcome o = {.p = problem, .r = result, .said = said, .bytes = bytes};
	const double difference = differs(problem, result), most = may_grow(problem) ? 1e-4 : 1e-9;
	int good;

	o.before = add_up(o.p, o.p->state);
	o.after = add_up(o.p, o.r->state);
	o.mass = o.after.mass / o.before.mass - 1;
	o.tracer = o.before.tracer > 0 ? o.after.tracer / o.before.tracer - 1 : 0;
	o.time = o.r->clock[o.p->problem.steps];
	good = judges[o.p->scene.kind](&o);
	if (o.after.is_bad)
		snprintf(said + strlen(said), bytes - strlen(said),
			 "; depths or concentrations that cannot be");
	if (difference > most)
		snprintf(said + strlen(said), bytes - strlen(said), "; differs from the first version by %.0e",
			 difference);
	if (o.p->scene.prefix && !is_written++)
		scene_write(o.p, o.r);
	return good && !o.after.is_bad && difference <= most;
}
