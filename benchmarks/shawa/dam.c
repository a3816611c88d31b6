/* dam.c - the exact flow after a dam breaks (Stoker; over a dry bed Ritter), and how far a result is from it.
 */

#include "shawa/scene.h"

#include <math.h>
#include <string.h>

struct flow {
	double h, u, c;
};

/* Depths are told by their wave speeds c = sqrt(g h): on both sides, and between the two waves. */
struct dam {
	double left, right, middle; /* wave speeds */
	double speed, shock;        /* of the water between; of its front */
};

static double square(double x)
{
	return x * x;
}

/* Zero where the speed of the wave in the middle is right. */
static double misfit(const struct dam *d, double c)
{
	return -8 * square(d->right * c) * square(d->left - c) +
	       square(square(c) - square(d->right)) * (square(c) + square(d->right));
}

static struct dam find_dam(double h_left, double h_right)
{
	struct dam d = {sqrt(SHAWA_GRAVITY * h_left), sqrt(SHAWA_GRAVITY * h_right), 0, 0, 0};
	double low = d.right, high = d.left;

	if (h_right <= 0)
		return d;
	for (int i = 0; i < 200; i++) {
		d.middle = 0.5 * (low + high);
		if (misfit(&d, d.middle) < 0)
			low = d.middle;
		else
			high = d.middle;
	}
	d.speed = 2 * (d.left - d.middle);
	d.shock = 2 * square(d.middle) * (d.left - d.middle) / (square(d.middle) - square(d.right));
	return d;
}

/* The flow at `slope` = x / t. */
static struct flow flow_at(const struct dam *d, double slope)
{
	const int is_dry = d->right <= 0;
	const double end = is_dry ? 2 * d->left : 2 * d->left - 3 * d->middle;
	const struct flow still = {square(d->left) / SHAWA_GRAVITY, 0, 1},
			  ahead = {square(d->right) / SHAWA_GRAVITY, 0, 0};
	const struct flow fan = {square(2 * d->left - slope) / (9 * SHAWA_GRAVITY), 2.0 / 3 * (slope + d->left),
				 1};
	const struct flow between = {square(d->middle) / SHAWA_GRAVITY, d->speed, slope < d->speed};

	if (slope < -d->left)
		return still;
	if (slope < end)
		return fan;
	return slope < d->shock ? between : ahead;
}

/* Nothing flows across, so all rows should be the same: how far they are from the first, relative to 1 + it. */
static double apart(const struct scene_problem *p, const double *state)
{
	const struct shawa_sea *const sea = &p->problem.sea;
	double worst = 0;

	for (int row = 1; row < sea->rows; row++)
		for (int i = 0; i < sea->pitch * 4; i++) {
			const double here = state[(size_t)row * shawa_row(sea) + (size_t)i];

			if (i % sea->pitch < p->scene.cols)
				worst = worse(worst, fabs(here - state[i]) / (1 + fabs(state[i])));
		}
	return worst;
}

struct dam_error dam_error(const struct scene_problem *p, const struct shawa_result *r)
{
	const struct dam d = find_dam(p->scene.level, p->scene.lower);
	const double dx = p->problem.sea.dx, *cell = r->state;
	const int pitch = p->problem.sea.pitch;
	struct dam_error e = {0, 0, 0, apart(p, r->state)};

	for (int i = 0; i < p->scene.cols; i++, cell++) {
		const struct flow f = flow_at(&d, ((i + 0.5) * dx - 5) / r->clock[p->problem.steps]);

		e.depth += dx * fabs(cell[0] - f.h);
		e.momentum += dx * fabs(cell[pitch] - f.h * f.u);
		e.tracer += dx * fabs(cell[3 * pitch] - f.h * f.c);
	}
	return e;
}

/* `depth` has two numbers for each of `names`: with Roe's solver, and with HLL. */
static double known_depth(const struct scene_problem *p, const double *depth)
{
	static const char *const names[] = {"dam", "sonic", "dry"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(names[i], p->scene.name))
			return depth[2 * i + !p->scene.with_roe];
	return 0;
}

struct dam_error dam_known(const struct scene_problem *p)
{
	static const struct {
		int cols;
		double depth[6]; /* dam, sonic, dry: Roe, HLL */
		double momentum, tracer; /* dam, Roe */
	} known[] = {
		{100, {1.0067e-1, 1.0490e-1, 1.0946e-1, 1.2156e-1, 5.458e-2, 5.730e-2}, 2.686e-1, 2.224e-1},
		{200, {5.9823e-2, 6.2085e-2, 6.3868e-2, 6.9943e-2, 3.529e-2, 3.492e-2}, 1.569e-1, 1.543e-1},
		{400, {3.4857e-2, 3.5948e-2, 3.7243e-2, 4.0050e-2, 2.167e-2, 2.085e-2}, 9.112e-2, 1.059e-1},
		{800, {1.9970e-2, 2.0533e-2, 2.1484e-2, 2.2790e-2, 1.291e-2, 1.231e-2}, 5.284e-2, 7.252e-2},
		{1600, {1.1316e-2, 1.1591e-2, 1.2690e-2, 1.3378e-2, 7.536e-3, 7.162e-3}, 2.957e-2, 4.964e-2},
		{3200, {6.4062e-3, 6.5350e-3, 7.3749e-3, 7.6519e-3, 4.327e-3, 4.111e-3}, 1.691e-2, 3.400e-2},
	};
	struct dam_error e = {0, 0, 0, 0};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].cols != p->scene.cols)
			continue;
		e.depth = known_depth(p, known[i].depth);
		if (!strcmp("dam", p->scene.name) && p->scene.with_roe) {
			e.momentum = known[i].momentum;
			e.tracer = known[i].tracer;
		}
	}
	return e;
}
